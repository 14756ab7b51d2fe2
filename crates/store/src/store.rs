use std::path::Path;
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

use partsight_domain::TenantId;
use sqlx::any::AnyPoolOptions;
use sqlx::{AnyConnection, AnyPool, AssertSqlSafe, Connection};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::sqlite_file::{make_private, sqlite_url};
use crate::url::without_password;
use crate::{Error, migrations};

/// Whoever probes is answered within this, however long others wait for a database that does not answer: those who send
/// probes wait for a few seconds only, and learn nothing from one that was not answered.
pub(crate) const PROBE_WAIT: Duration = Duration::from_secs(2);

/// How a database is opened. The default is what a server needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreOptions {
    /// Connections at a time, 1 or more; 8 unless set. These read; PostgreSQL gets as many for writing, and SQLite,
    /// which has one writer at a time, one.
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

/// The connections of a [`Store`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PoolSize {
    /// Open now.
    pub open: usize,
    /// Those of them that nobody uses.
    pub idle: usize,
    /// Open at most.
    pub max: usize,
}

/// Connections to one migrated database. Cheap to clone.
///
/// Those that write have a pool of their own, so that a reader never waits for a writer that waits for a lock. With
/// SQLite it holds one connection: writers queue for it in order, where they would otherwise poll for the lock.
#[derive(Debug, Clone)]
pub struct Store {
    /// For reading: the database refuses anything else on it.
    pub(crate) db: AnyPool,
    /// For single statements that write and return no rows. Anything else that writes goes through [`Store::begin`]:
    /// the driver takes a first row for success, before SQLite has committed.
    pub(crate) writer: AnyPool,
    /// When [`Store::check_writes`] last succeeded.
    pub(crate) last_probe: Arc<Mutex<Option<Instant>>>,
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

        let opening = |source| Error::of_opening(url, source);
        let is_sqlite = url.starts_with("sqlite:");
        let settings = if is_sqlite { sqlite_settings(options) } else { postgres_settings(options) };
        if is_sqlite {
            // Before the first connection, which would make the file readable by others.
            make_private(url);
        }
        // A pool tries a connection that fails again until the wait is over, and forgets why it failed.
        try_connection(url, settings.clone()).await.map_err(opening)?;
        let read_only = if is_sqlite { SQLITE_READ_ONLY } else { POSTGRES_READ_ONLY };
        let n_writers = if is_sqlite { 1 } else { options.max_connections };
        // A file does not go away as a server does, so that only a server is asked whether it is there before each use.
        let db = pool(options, options.max_connections, format!("{settings}; {read_only}"))
            .test_before_acquire(!is_sqlite);
        let writer = pool(options, n_writers, settings).test_before_acquire(!is_sqlite);
        let store = Self {
            db: db.connect_lazy(url).map_err(opening)?,
            writer: writer.connect(url).await.map_err(opening)?,
            last_probe: Arc::default(),
        };
        if options.migrate {
            store.migrate(url).await?;
        } else {
            store.check_migrations(url).await?;
        }
        Ok(store)
    }

    /// Applies the migrations that the database lacks.
    async fn migrate(&self, url: &str) -> Result<(), Error> {
        let mut connection = self.writer.acquire().await?;
        if connection.backend_name() == "SQLite" {
            // The first commit after this waits for the disk, and so for all of these.
            apply("PRAGMA synchronous = NORMAL".to_owned(), &mut connection).await?;
        }
        let migrated = migrations::migrate(url, &mut connection).await;
        // Closed and not given back, because it has another `synchronous` than the others.
        connection.close().await?;
        migrated
    }

    /// Refuses a database that is not of this version.
    async fn check_migrations(&self, url: &str) -> Result<(), Error> {
        let applied = migrations::applied(url, &mut *self.db.acquire().await?).await?;
        let (version, latest) = (applied.last().copied().unwrap_or(0), migrations::latest());
        if version < latest {
            return Err(Error::NotMigrated { url: without_password(url), version, latest });
        }
        Ok(())
    }

    /// The last migration that was applied.
    pub async fn version(&self) -> Result<i64, Error> {
        let query = "SELECT COALESCE(MAX(version), 0) FROM _sqlx_migrations";
        Ok(sqlx::query_scalar(query).fetch_one(&self.db).await?)
    }

    /// Holds back other changes of what belongs to a tenant until the transaction ends.
    ///
    /// For rules over several rows, such as "exactly one default": without it, two transactions of PostgreSQL
    /// can each see the state before the other. It must be the first statement of the transaction.
    pub(crate) async fn lock_tenant(tx: &mut AnyConnection, tenant_id: TenantId) -> Result<(), Error> {
        sql!("UPDATE tenant SET created_at = created_at WHERE tenant_id = $1", [tenant_id])
            .execute(tx)
            .await?;
        Ok(())
    }

    /// Whether the database answers, which is known within two seconds.
    ///
    /// # Errors
    /// [`Error::NoConnection`] where it does not in time, and whatever else it says.
    pub async fn ping(&self) -> Result<(), Error> {
        let asked = timeout(PROBE_WAIT, sqlx::query("SELECT 1").execute(&self.db)).await;
        asked.map_err(|_| Error::out_of_time())??;
        Ok(())
    }

    /// How many connections are open, how many of them are idle, and how many there may be, for reading and for
    /// writing together.
    pub fn pool(&self) -> PoolSize {
        let pools = [&self.db, &self.writer];
        PoolSize {
            open: pools.iter().map(|pool| pool.size() as usize).sum(),
            idle: pools.iter().map(|pool| pool.num_idle()).sum(),
            max: pools.iter().map(|pool| pool.options().get_max_connections() as usize).sum(),
        }
    }

    /// Waits for running queries and closes all connections.
    pub async fn close(&self) {
        // The last connection to SQLite moves the newest rows into the file, which takes one that writes.
        self.db.close().await;
        self.writer.close().await;
    }
}

/// What a connection that only reads sets as well, so that a write on it is an error and not a surprise.
const SQLITE_READ_ONLY: &str = "PRAGMA query_only = ON";
const POSTGRES_READ_ONLY: &str = "SET default_transaction_read_only = on";

/// A pool of `n_connections`, each of which begins with `settings`.
fn pool(options: &StoreOptions, n_connections: u32, settings: String) -> AnyPoolOptions {
    AnyPoolOptions::new()
        .max_connections(n_connections)
        .acquire_timeout(options.wait)
        .after_connect(move |connection, _| Box::pin(apply(settings.clone(), connection)))
}

/// What every connection to SQLite sets first. A `PRAGMA` takes no bound values.
fn sqlite_settings(options: &StoreOptions) -> String {
    let max_pages = options.max_pages.map(|pages| format!("; PRAGMA max_page_count = {pages}"));
    // Readers beside one writer, and a commit that survives a power cut.
    format!(
        "PRAGMA busy_timeout = {}; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; \
         PRAGMA foreign_keys = ON{}",
        options.wait.as_millis(),
        max_pages.unwrap_or_default()
    )
}

/// What every connection to PostgreSQL sets first: a lock is waited for no longer than a connection.
fn postgres_settings(options: &StoreOptions) -> String {
    format!("SET lock_timeout = {}", options.wait.as_millis())
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
