use partsight_store::{Error, Store, StoreOptions, sqlite_url};

use crate::Settings;
use crate::settings::DatabaseUrl;

/// Opens the database that the settings name.
///
/// A file of SQLite is made and brought to this version. One of PostgreSQL, which may serve other programs as
/// well, is refused until [`migrate_database`] has prepared it.
///
/// # Errors
/// What the store says: a folder that cannot be made, a database that cannot be reached, is of a newer version, or
/// is not prepared.
pub async fn open_store(settings: &Settings) -> Result<Store, Error> {
    open(settings, settings.database_url.as_ref().is_none_or(DatabaseUrl::is_sqlite)).await
}

/// Brings the database that the settings name to this version, and returns the number of its last migration.
///
/// # Errors
/// As [`open_store`].
pub async fn migrate_database(settings: &Settings) -> Result<i64, Error> {
    let store = open(settings, true).await?;
    let version = store.version().await?;
    store.close().await;
    Ok(version)
}

async fn open(settings: &Settings, migrate: bool) -> Result<Store, Error> {
    let options = StoreOptions { migrate, ..StoreOptions::default() };
    let store = match &settings.database_url {
        Some(url) => Store::open_with(url.reveal(), &options).await?,
        None => Store::open_with(&sqlite_url(&settings.data_dir)?, &options).await?,
    };
    Ok(store)
}
