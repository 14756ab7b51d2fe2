use std::borrow::Cow;
use std::fs::DirBuilder;
use std::path::Path;
use std::sync::Once;
use std::time::Duration;

use sqlx::any::AnyPoolOptions;
use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::{AnyConnection, AnyPool, AssertSqlSafe, Connection, SqlSafeStr};

use crate::Error;

/// How a database is opened. The default is what a server needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreOptions {
    /// Connections at a time, 1 or more; 8 unless set.
    pub max_connections: u32,
    /// How long a call waits for a connection, and SQLite for another writer, before it is "busy"; 5 s
    /// unless set.
    pub wait: Duration,
    /// Pages that an SQLite database may have before it is as good as a full disk; no limit unless set.
    pub max_pages: Option<u32>,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self { max_connections: 8, wait: Duration::from_secs(5), max_pages: None }
    }
}

macro_rules! migrations {
    ($($version:literal $subject:literal),* $(,)?) => {
        [$(($version, $subject, include_str!(concat!("../../../migrations/", $subject, ".sql")))),*]
    };
}

/// Number, file name and text of each migration.
const MIGRATIONS: &[(i64, &str, &str)] = &migrations![
    1 "0001_accounts",
    2 "0002_vehicles",
    3 "0003_scans",
    4 "0004_scan_categories",
];

/// A pool of connections to one migrated database. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Store {
    pub(crate) db: AnyPool,
}

impl Store {
    /// Opens or creates `partsight.db` in `data_dir`, and migrates it.
    pub async fn open_sqlite(data_dir: &Path) -> Result<Self, Error> {
        // The path becomes a URL, which has no relative paths.
        let absolute = create_private_folder(data_dir)
            .and_then(|()| data_dir.canonicalize())
            .map_err(|source| Error::CreateFolder { path: data_dir.to_owned(), source })?;
        let path = absolute.join("partsight.db");
        // Percent and question marks would be read as an escape and as the start of the options.
        let path = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
        Self::open(&format!("sqlite://{path}?mode=rwc")).await
    }

    /// Opens the database at `url` and brings it to this version.
    pub async fn open(url: &str) -> Result<Self, Error> {
        Self::open_with(url, &StoreOptions::default()).await
    }

    /// Opens the database at `url` as `options` say, and brings it to this version.
    pub async fn open_with(url: &str, options: &StoreOptions) -> Result<Self, Error> {
        static DRIVERS: Once = Once::new();
        DRIVERS.call_once(sqlx::any::install_default_drivers);

        let opening = |source| match Error::from(source) {
            Error::Query { source } => Error::Open { url: url.to_owned(), source },
            known => known,
        };
        let settings = url.starts_with("sqlite:").then(|| sqlite_settings(options));
        // A pool tries a connection that fails again until the wait is over, and forgets why it failed.
        try_connection(url, settings.clone()).await.map_err(opening)?;
        let db = AnyPoolOptions::new()
            .max_connections(options.max_connections)
            .acquire_timeout(options.wait)
            .after_connect(move |connection, _| Box::pin(apply(settings.clone(), connection)))
            .connect(url)
            .await
            .map_err(opening)?;

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
            MigrateError::Execute(source) => opening(source),
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

/// Makes a folder that only its owner can look into: the database has people's records and password hashes.
/// One that exists keeps its permissions.
fn create_private_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// What every connection to SQLite sets first. A `PRAGMA` takes no bound values.
fn sqlite_settings(options: &StoreOptions) -> String {
    let max_pages = options.max_pages.map(|pages| format!(" PRAGMA max_page_count = {pages};"));
    // Readers beside one writer, and a commit that survives a killed process.
    format!(
        "PRAGMA busy_timeout = {}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; \
         PRAGMA foreign_keys = ON;{}",
        options.wait.as_millis(),
        max_pages.unwrap_or_default()
    )
}

async fn try_connection(url: &str, settings: Option<String>) -> Result<(), sqlx::Error> {
    let mut connection = AnyConnection::connect(url).await?;
    apply(settings, &mut connection).await?;
    connection.close().await
}

async fn apply(settings: Option<String>, connection: &mut AnyConnection) -> Result<(), sqlx::Error> {
    if let Some(settings) = settings {
        sqlx::raw_sql(AssertSqlSafe(settings)).execute(connection).await?;
    }
    Ok(())
}
