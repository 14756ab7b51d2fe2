use std::borrow::Cow;
use std::fs::DirBuilder;
use std::path::Path;
use std::sync::Once;
use std::time::Duration;

use partsight_domain::TenantId;
use sqlx::any::AnyPoolOptions;
use sqlx::error::DatabaseError;
use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::{AnyConnection, AnyPool, AssertSqlSafe, Connection, SqlSafeStr};

use crate::Error;
use crate::url::without_password;

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
    /// Whether to bring the database to this version, or to refuse one that lacks migrations; the former
    /// unless set.
    pub migrate: bool,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self { max_connections: 8, wait: Duration::from_secs(5), max_pages: None, migrate: true }
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
    5 "0005_tenants",
    6 "0006_accounts",
    7 "0007_maintenance",
    8 "0008_scan_history",
    9 "0009_idempotency",
    10 "0010_subscriptions",
    11 "0011_payment_events",
    12 "0012_cancellation_requests",
    13 "0013_companies",
    14 "0014_contact_messages",
    15 "0015_api_keys",
    16 "0016_usage",
    20 "0020_part_references",
    30 "0030_judge_budget",
    31 "0031_judged_verdicts",
    32 "0032_judge_consent",
    40 "0040_shop_parts",
    41 "0041_repair_parts",
    45 "0045_price_lists",
    46 "0046_supplier_answers",
    50 "0050_feedback",
    51 "0051_judged_scans",
    55 "0055_dial",
    56 "0056_llm_fills",
    57 "0057_judge_call_purposes",
    58 "0058_learning_of_shops",
    61 "0061_closing_accounts",
    63 "0063_forgotten_references",
    64 "0064_judge_budget_choices",
    65 "0065_refusals_of_owners",
];

/// Where sqlx notes which migrations a database has.
const APPLIED: &str = "SELECT COALESCE(MAX(version), 0) FROM _sqlx_migrations";

/// A pool of connections to one migrated database. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Store {
    pub(crate) db: AnyPool,
}

impl Store {
    /// Opens or creates `partsight.db` in `data_dir`, and migrates it.
    pub async fn open_sqlite(data_dir: &Path) -> Result<Self, Error> {
        Self::open(&sqlite_url(data_dir)?).await
    }

    /// Opens the database at `url` and brings it to this version.
    pub async fn open(url: &str) -> Result<Self, Error> {
        Self::open_with(url, &StoreOptions::default()).await
    }

    /// Opens the database at `url`, `sqlite:` or `postgres:`, as `options` say.
    pub async fn open_with(url: &str, options: &StoreOptions) -> Result<Self, Error> {
        static DRIVERS: Once = Once::new();
        DRIVERS.call_once(sqlx::any::install_default_drivers);

        let opening = |source| match Error::from(source) {
            Error::Query { source } | Error::Unreachable { source } => {
                Error::Open { url: without_password(url), source }
            }
            known => known,
        };
        let settings =
            if url.starts_with("sqlite:") { sqlite_settings(options) } else { postgres_settings(options) };
        // A pool tries a connection that fails again until the wait is over, and forgets why it failed.
        try_connection(url, settings.clone()).await.map_err(opening)?;
        let db = AnyPoolOptions::new()
            .max_connections(options.max_connections)
            .acquire_timeout(options.wait)
            .after_connect(move |connection, _| Box::pin(apply(settings.clone(), connection)))
            .connect(url)
            .await
            .map_err(opening)?;
        let store = Self { db };
        if options.migrate {
            store.migrate(url).await?;
        } else {
            store.check_migrations(url).await?;
        }
        Ok(store)
    }

    /// Applies the migrations that the database lacks.
    async fn migrate(&self, url: &str) -> Result<(), Error> {
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
        let migrated = Migrator::with_migrations(migrations).run(&self.db).await;
        migrated.map_err(|error| match error {
            MigrateError::VersionMissing(version) => {
                Error::NewerDatabase { url: without_password(url), version }
            }
            MigrateError::Execute(source) => match Error::from(source) {
                Error::Query { source } => Error::Open { url: without_password(url), source },
                known => known,
            },
            other => Error::Migrate { url: without_password(url), source: Box::new(other) },
        })
    }

    /// Refuses a database that is not of this version.
    async fn check_migrations(&self, url: &str) -> Result<(), Error> {
        let latest = MIGRATIONS.last().map_or(0, |&(version, ..)| version);
        match self.version().await? {
            version if version < latest => {
                Err(Error::NotMigrated { url: without_password(url), version, latest })
            }
            version if version > latest => Err(Error::NewerDatabase { url: without_password(url), version }),
            _ => Ok(()),
        }
    }

    /// The last migration that was applied; 0 for an empty database.
    pub async fn version(&self) -> Result<i64, Error> {
        match sqlx::query_scalar(APPLIED).fetch_one(&self.db).await {
            Ok(version) => Ok(version),
            // The table is made by the first migration.
            Err(sqlx::Error::Database(error)) if is_missing_table(error.as_ref()) => Ok(0),
            Err(error) => Err(error.into()),
        }
    }

    /// Holds back other changes of what belongs to a tenant until the transaction ends.
    ///
    /// For rules over several rows, such as "exactly one default": without it, two transactions of PostgreSQL
    /// can each see the state before the other. It must be the first statement of the transaction, because one
    /// of SQLite that reads before it writes can fail as busy at once.
    pub(crate) async fn lock_tenant(tx: &mut AnyConnection, tenant_id: TenantId) -> Result<(), Error> {
        sqlx::query("UPDATE tenant SET created_at = created_at WHERE tenant_id = $1")
            .bind(tenant_id.to_string())
            .execute(tx)
            .await?;
        Ok(())
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

/// The address of `partsight.db` in `data_dir`, a folder that is made when it is missing.
pub fn sqlite_url(data_dir: &Path) -> Result<String, Error> {
    // The path becomes a URL, which has no relative paths.
    let absolute = create_private_folder(data_dir)
        .and_then(|()| data_dir.canonicalize())
        .map_err(|source| Error::CreateFolder { path: data_dir.to_owned(), source })?;
    let path = absolute.join("partsight.db");
    // Percent and question marks would be read as an escape and as the start of the options.
    let path = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    Ok(format!("sqlite://{path}?mode=rwc"))
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

/// What every connection to PostgreSQL sets first: a lock is waited for no longer than a connection.
fn postgres_settings(options: &StoreOptions) -> String {
    format!("SET lock_timeout = {}", options.wait.as_millis())
}

fn is_missing_table(error: &dyn DatabaseError) -> bool {
    // PostgreSQL has a code for it; SQLite says only that the statement is wrong.
    error.code().as_deref() == Some("42P01") || error.message().starts_with("no such table")
}

async fn try_connection(url: &str, settings: String) -> Result<(), sqlx::Error> {
    let mut connection = AnyConnection::connect(url).await?;
    apply(settings, &mut connection).await?;
    connection.close().await
}

async fn apply(settings: String, connection: &mut AnyConnection) -> Result<(), sqlx::Error> {
    sqlx::raw_sql(AssertSqlSafe(settings)).execute(connection).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn every_file_of_the_folder_is_listed_in_the_order_of_its_number() {
        let mut files: Vec<String> = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort_unstable();
        let listed: Vec<String> = MIGRATIONS.iter().map(|(_, subject, _)| format!("{subject}.sql")).collect();
        assert_eq!(listed, files);
        for (version, subject, _) in MIGRATIONS {
            assert_eq!(subject[..4].parse(), Ok(*version), "{subject}");
        }
    }
}
