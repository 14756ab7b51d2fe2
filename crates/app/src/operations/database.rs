use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use partsight_store::{Error, Store, StoreOptions, sqlite_file, sqlite_url};

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
    open(settings, settings.data.database_url.as_ref().is_none_or(DatabaseUrl::is_sqlite)).await
}

/// Refuses a file of SQLite that is not there, for whoever wants what is in it: an empty database made in a mistyped
/// folder would look as if everything were lost.
///
/// # Errors
/// [`Error::Missing`], [`Error::Hidden`], or [`Error::UnfinishedRestore`].
pub fn require_database(settings: &Settings) -> Result<(), Error> {
    refuse_unfinished_restore(settings)?;
    match database_file(settings) {
        Some(path) if !is_there(&path)? => Err(Error::Missing { path }),
        _ => Ok(()),
    }
}

/// Keeps other servers from a file of SQLite until it is dropped, or the process ends in whatever way.
#[derive(Debug)]
#[must_use]
pub struct DatabaseClaim {
    _lock: Option<File>,
}

/// Claims the database for a server. Servers share one of PostgreSQL; commands beside a server claim nothing.
///
/// # Errors
/// [`Error::Served`] when another server has claimed it, or [`Error::CreateFolder`].
pub fn claim_database(settings: &Settings) -> Result<DatabaseClaim, Error> {
    let Some(database) = database_file(settings) else { return Ok(DatabaseClaim { _lock: None }) };
    if settings.data.database_url.is_none() {
        // Makes the data folder.
        sqlite_url(&settings.data.dir)?;
    }
    // Not the database itself: closing it would drop the locks that SQLite holds in this process.
    let path = with_ending(&database, ".server");
    let mut options = OpenOptions::new();
    options.create(true).write(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let locked = options.open(&path).map_err(TryLockError::Error).and_then(|file| {
        file.try_lock()?;
        Ok(file)
    });
    match locked {
        Ok(file) => Ok(DatabaseClaim { _lock: Some(file) }),
        Err(TryLockError::WouldBlock) => Err(Error::Served { path: database }),
        Err(TryLockError::Error(error)) => {
            // Some network file systems have no locks; a folder that cannot be written to is told by the database.
            tracing::warn!(file = %path.display(), %error, "whether another server works with the database cannot be told");
            Ok(DatabaseClaim { _lock: None })
        }
    }
}

/// Whether there is such a file. Where that cannot be told, it is neither missing nor to be made.
fn is_there(path: &Path) -> Result<bool, Error> {
    path.try_exists().map_err(|source| Error::Hidden { path: path.to_owned(), source })
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
    refuse_unfinished_restore(settings)?;
    if let Some(path) = database_file(settings)
        && path.parent().is_some_and(Path::is_dir)
    {
        // SQLite would only say that it cannot open the file.
        is_there(&path)?;
    }
    let options = StoreOptions { migrate, ..StoreOptions::default() };
    let store = match &settings.data.database_url {
        Some(url) => Store::open_with(&url.reveal_to_create(), &options).await?,
        None => Store::open_with(&sqlite_url(&settings.data.dir)?, &options).await?,
    };
    Ok(store)
}

/// A restore that was killed has moved the old database aside, or there was none: a new, empty one in its place would
/// look like lost data.
fn refuse_unfinished_restore(settings: &Settings) -> Result<(), Error> {
    match database_file(settings) {
        Some(path) if !path.exists() && with_ending(&path, ".restoring").exists() => {
            Err(Error::UnfinishedRestore { path })
        }
        _ => Ok(()),
    }
}

/// The file of the database that the settings name, where it is one of SQLite.
pub(crate) fn database_file(settings: &Settings) -> Option<PathBuf> {
    match &settings.data.database_url {
        Some(url) => sqlite_file(url.reveal()),
        None => Some(settings.data.dir.join("partsight.db")),
    }
}

/// The path with something after its name.
pub(crate) fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
