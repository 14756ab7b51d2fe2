use std::borrow::Cow;
use std::path::Path;
use std::sync::Once;
use std::time::Duration;

use sqlx::AnyPool;
use sqlx::SqlSafeStr;
use sqlx::any::AnyPoolOptions;
use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};

use crate::Error;

/// How long a request waits for a connection, and SQLite for another writer, before it answers "busy".
const WAIT: Duration = Duration::from_secs(5);
const MAX_CONNECTIONS: u32 = 8;

macro_rules! migrations {
    ($($version:literal $subject:literal),* $(,)?) => {
        [$(($version, $subject, include_str!(concat!("../../../migrations/", $subject, ".sql")))),*]
    };
}

/// Number, file name and text of each migration.
const MIGRATIONS: &[(i64, &str, &str)] = &migrations![1 "0001_accounts", 2 "0002_vehicles", 3 "0003_scans"];

/// A pool of connections to one migrated database. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Store {
    pub(crate) db: AnyPool,
}

impl Store {
    /// Opens or creates `partsight.db` in `data_dir`, and migrates it.
    pub async fn open_sqlite(data_dir: &Path) -> Result<Self, Error> {
        std::fs::create_dir_all(data_dir)
            .map_err(|source| Error::CreateFolder { path: data_dir.to_owned(), source })?;
        let path = data_dir.join("partsight.db");
        // Percent and question marks would be read as an escape and as the start of the options.
        let path = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
        Self::open(&format!("sqlite://{path}?mode=rwc")).await
    }

    /// Opens the database at `url` and brings it to this version.
    pub async fn open(url: &str) -> Result<Self, Error> {
        static DRIVERS: Once = Once::new();
        DRIVERS.call_once(sqlx::any::install_default_drivers);

        let sqlite = url.starts_with("sqlite:");
        let db = AnyPoolOptions::new()
            .max_connections(MAX_CONNECTIONS)
            .acquire_timeout(WAIT)
            .after_connect(move |connection, _| {
                Box::pin(async move {
                    if sqlite {
                        // Readers beside one writer, and a commit that survives a killed process.
                        sqlx::raw_sql(
                            "PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; \
                             PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;",
                        )
                        .execute(connection)
                        .await?;
                    }
                    Ok(())
                })
            })
            .connect(url)
            .await
            .map_err(|source| match Error::from(source) {
                Error::Query { source } => Error::Open { url: url.to_owned(), source },
                known => known,
            })?;

        let migrations = MIGRATIONS
            .iter()
            .map(|&(version, subject, sql)| {
                Migration::new(
                    version,
                    Cow::Borrowed(subject),
                    MigrationType::Simple,
                    sql.into_sql_str(),
                    false,
                )
            })
            .collect();
        let migrated = Migrator::with_migrations(migrations).run(&db).await;
        migrated.map_err(|error| match error {
            MigrateError::VersionMissing(version) => Error::NewerDatabase { url: url.to_owned(), version },
            MigrateError::Execute(source) => match Error::from(source) {
                Error::Query { source } => Error::Open { url: url.to_owned(), source },
                known => known,
            },
            other => Error::Migrate { url: url.to_owned(), source: Box::new(other) },
        })?;
        Ok(Self { db })
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<(), Error> {
        sqlx::query("SELECT 1").execute(&self.db).await?;
        Ok(())
    }

    /// Waits for running queries and closes all connections.
    pub async fn close(&self) {
        self.db.close().await;
    }
}
