//! All rows of a database at one moment, read and written without knowing what they mean.
//!
//! [`Snapshot`] reads every table inside one transaction while others continue to write; [`Restoration`] writes such
//! rows into an empty database inside one transaction, so that it is either complete or empty. Tables and their columns
//! are taken from the database's own catalogue: a table that a later migration adds is backed up without further code.
//! Rows are ordered by the primary key, bytewise, on both databases, so that equal rows have equal hashes on both.

mod restoration;
mod rows;
mod snapshot;
mod table;

use std::path::Path;

use sqlx::any::{AnyPoolOptions, install_default_drivers};
use sqlx::{AnyConnection, AnyPool, AssertSqlSafe, Connection};

pub use restoration::{Restoration, SEEDED_TABLE, count_rows_at, release_sqlite_file};
pub use rows::TableRows;
pub use snapshot::Snapshot;
pub use table::{Cell, CellKind, Table};

use crate::Error;
use crate::url::for_driver;

/// How long a connection waits for a lock, in milliseconds; the same as a server.
const WAIT_MS: u32 = 5000;

partsight_domain::named! {
    /// The kind of a database.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum DatabaseKind {
        /// One file.
        Sqlite = "sqlite",
        /// A server.
        Postgres = "postgres",
    }
}

impl DatabaseKind {
    /// The kind of the database at `url`.
    pub fn of(url: &str) -> Self {
        if url.starts_with("sqlite:") { Self::Sqlite } else { Self::Postgres }
    }
}

/// The URL of an SQLite database in `file`, which is created if it is missing.
pub fn sqlite_file_url(file: &Path) -> Result<String, Error> {
    let absolute =
        std::path::absolute(file).map_err(|source| Error::CreateFolder { path: file.to_owned(), source })?;
    // Escaped as for the database in the data folder.
    let path = absolute.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    Ok(format!("sqlite://{path}?mode=rwc"))
}

/// A pool of one connection: a transaction of a pool is `'static`, that of a single connection is not.
async fn pool_of_one(url: &str, settings: &'static str) -> Result<AnyPool, sqlx::Error> {
    AnyPoolOptions::new()
        .max_connections(1)
        .after_connect(move |connection, _| {
            Box::pin(async move {
                sqlx::raw_sql(settings).execute(connection).await?;
                Ok(())
            })
        })
        .connect(&for_driver(url))
        .await
}

/// One connection to an existing database, which is neither created nor migrated.
pub(crate) async fn connect(url: &str, settings: &str) -> Result<AnyConnection, Error> {
    install_default_drivers();
    Error::check_address(url)?;
    // A mistyped path must be an error and not an empty database.
    let existing = for_driver(url).replace("mode=rwc", "mode=rw");
    let opening = |source| Error::of_opening(&existing, source);
    let settings = match DatabaseKind::of(url) {
        // SQLite opens its files at the first read, here that of the version of the schema.
        DatabaseKind::Sqlite => format!(
            "PRAGMA busy_timeout = {WAIT_MS}; PRAGMA foreign_keys = ON; {settings} PRAGMA schema_version"
        ),
        DatabaseKind::Postgres => format!("SET lock_timeout = {WAIT_MS}; {settings}"),
    };
    let mut connection = AnyConnection::connect(&existing).await.map_err(opening)?;
    if let Err(error) = sqlx::raw_sql(AssertSqlSafe(settings)).execute(&mut connection).await {
        // Closed, so that a damaged file can be moved. The first error says more than that of closing.
        let _ = connection.close().await;
        return Err(opening(error));
    }
    Ok(connection)
}
