use std::path::Path;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

use partsight_domain::TenantId;
use sqlx::any::AnyPoolOptions;
use sqlx::{AnyConnection, AnyPool, AssertSqlSafe, Connection};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::last_asked::LastAsked;
use crate::sqlite_file::{OpenFile, make_private, sqlite_url};
use crate::uncounted::Uncounted;
use crate::url::{for_driver, shown};
use crate::{Error, migrations};

/// Time limit of a probe. It is short however long other calls wait for a database that does not answer: the caller of
/// a probe waits for a few seconds only, and learns nothing from an unanswered one.
pub(crate) const PROBE_WAIT: Duration = Duration::from_secs(2);

/// How a database is opened. The default is for a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreOptions {
    /// Concurrent connections, at least 1; 8 by default. These read; PostgreSQL gets as many for writing, and SQLite,
    /// which has one writer at a time, one.
    pub max_connections: u32,
    /// How long a call waits for a connection, and SQLite for another writer, before it fails as busy; 5 s by
    /// default.
    pub wait: Duration,
    /// How long PostgreSQL keeps a connection open that nobody uses, half a minute by default: other servers may need it.
    pub idle: Duration,
    /// Most pages of an SQLite database, beyond which it counts as full; unlimited by default.
    pub max_pages: Option<u32>,
    /// Name of the sessions with PostgreSQL, after the one that the address gives them, if any; none by default.
    pub session_name: Option<String>,
    /// Whether a database that lacks migrations is migrated, or refused; migrated by default.
    pub migrate: bool,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            max_connections: 8,
            wait: Duration::from_secs(5),
            idle: Duration::from_secs(30),
            max_pages: None,
            session_name: None,
            migrate: true,
        }
    }
}

impl StoreOptions {
    /// Most connections to PostgreSQL, for reading and writing together.
    pub fn postgres_connections(&self) -> u32 {
        2 * self.max_connections
    }
}

/// The connections of a [`Store`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PoolSize {
    /// Open now.
    pub open: usize,
    /// Idle ones among them.
    pub idle: usize,
    /// Maximum.
    pub max: usize,
}

/// Connections to one migrated database. Cheap to clone.
///
/// Connections for writing have a pool of their own, so that a reader never waits for a writer that waits for a lock.
/// For SQLite it holds one connection: writers queue for it in order, instead of polling for the lock.
#[derive(Debug, Clone)]
pub struct Store {
    /// For reading: the database refuses writes on it.
    pub(crate) db: AnyPool,
    /// For single statements that write and return no rows. Other writes go through [`Store::begin`]: for a statement
    /// that returns rows, the driver reports success at the first row, before SQLite has committed.
    pub(crate) writer: AnyPool,
    /// The file, if there is one.
    pub(crate) file: Option<Arc<OpenFile>>,
    /// When [`Store::check_writes`] last succeeded.
    pub(crate) last_probe: Arc<Mutex<Option<Instant>>>,
    /// When PostgreSQL was last queried for why it opens no connection.
    pub(crate) last_asked: Arc<LastAsked>,
    /// By how many milliseconds the clock of the database is ahead: see `servers.rs`.
    pub(crate) database_ahead_ms: Arc<AtomicI64>,
    pub(crate) uncounted: Arc<Uncounted>,
}

impl Store {
    /// Opens or creates `partsight.db` in `data_dir`, and migrates it.
    pub async fn open_sqlite(data_dir: &Path) -> Result<Self, Error> {
        Self::open(&sqlite_url(data_dir)?).await
    }

    /// Opens the database at `url` and migrates it.
    pub async fn open(url: &str) -> Result<Self, Error> {
        Self::open_with(url, &StoreOptions::default()).await
    }

    /// Opens the database at `url`, `sqlite:` or `postgres:`, with these options.
    pub async fn open_with(url: &str, options: &StoreOptions) -> Result<Self, Error> {
        static DRIVERS: Once = Once::new();
        DRIVERS.call_once(sqlx::any::install_default_drivers);

        Error::check_address(url)?;
        let url = &*for_driver(url);
        let opening = |source| Error::of_opening(url, source);
        let is_sqlite = url.starts_with("sqlite:");
        let settings = if is_sqlite { sqlite_settings(options) } else { postgres_settings(options) };
        if is_sqlite {
            // Before the first connection, which would create a file that others can read.
            make_private(url);
        }
        // A pool retries a failing connection until the wait is over, and loses the reason.
        let trial = async || try_connection(url, settings.clone()).await.map_err(opening);
        trial().await?;
        let read_only = if is_sqlite { SQLITE_READ_ONLY } else { POSTGRES_READ_ONLY };
        let n_writers = if is_sqlite { 1 } else { options.max_connections };
        // Only a connection to a server is tested before each use; a file does not disconnect.
        let mut db = pool(options, options.max_connections, format!("{settings}; {read_only}"))
            .test_before_acquire(!is_sqlite);
        let mut writer = pool(options, n_writers, settings.clone()).test_before_acquire(!is_sqlite);
        if !is_sqlite {
            db = db.idle_timeout(options.idle);
            writer = writer.idle_timeout(options.idle);
        }
        let store = Self {
            db: db.connect_lazy(url).map_err(opening)?,
            writer: writer.connect_lazy(url).map_err(opening)?,
            file: OpenFile::of(url).map(Arc::new),
            last_probe: Arc::default(),
            last_asked: Arc::default(),
            database_ahead_ms: Arc::default(),
            uncounted: Arc::default(),
        };
        let prepared =
            if options.migrate { store.migrate(url).await } else { store.check_migrations(url).await };
        if let Err(Error::NoConnection(_)) = prepared {
            trial().await?;
        }
        prepared.map(|()| store)
    }

    /// Whether it is a PostgreSQL database, which several servers can use.
    pub(crate) fn is_postgres(&self) -> bool {
        self.writer.connect_options().database_url.scheme() != "sqlite"
    }

    /// Applies the migrations that the database lacks.
    async fn migrate(&self, url: &str) -> Result<(), Error> {
        let mut connection = self.writer.acquire().await?;
        if connection.backend_name() == "SQLite" {
            // The first commit after this syncs the disk, and with it all of these.
            apply("PRAGMA synchronous = NORMAL".to_owned(), &mut connection).await?;
        }
        let migrated = migrations::migrate(url, &mut connection).await;
        // Closed and not returned to the pool, because its `synchronous` differs.
        connection.close().await?;
        migrated
    }

    /// Refuses a database that lacks migrations of this version.
    async fn check_migrations(&self, url: &str) -> Result<(), Error> {
        // Opened now, so that a command for which PostgreSQL has only one connection fails before it begins.
        drop(self.writer.acquire().await?);
        let applied = migrations::applied(url, &mut *self.db.acquire().await?).await?;
        let (version, latest) = (applied.last().copied().unwrap_or(0), migrations::latest());
        if version < latest {
            return Err(Error::NotMigrated { url: shown(url), version, latest });
        }
        Ok(())
    }

    /// The last migration that was applied.
    pub async fn version(&self) -> Result<i64, Error> {
        let query = "SELECT COALESCE(MAX(version), 0) FROM _sqlx_migrations";
        Ok(sqlx::query_scalar(query).fetch_one(&self.db).await?)
    }

    /// Locks the rows of a tenant against other changes until the transaction ends.
    ///
    /// For rules over several rows, such as "exactly one default": without it, two transactions on PostgreSQL can
    /// each see the state before the other. Must be the first statement of the transaction.
    pub(crate) async fn lock_tenant(tx: &mut AnyConnection, tenant_id: TenantId) -> Result<(), Error> {
        sql!("UPDATE tenant SET created_at = created_at WHERE tenant_id = $1", [tenant_id])
            .execute(tx)
            .await?;
        Ok(())
    }

    /// Whether the database answers; known within two seconds.
    ///
    /// # Errors
    /// [`Error::NoConnection`] if it does not answer in time, and any other error that it reports.
    pub async fn ping(&self) -> Result<(), Error> {
        let asked = timeout(PROBE_WAIT, sqlx::query("SELECT 1").execute(&self.db)).await;
        asked.unwrap_or(Err(sqlx::Error::PoolTimedOut)).map_err(|error| self.noted(error))?;
        Ok(())
    }

    /// # Errors
    /// [`Error::FileGone`] if the file of the database is no longer at its path.
    pub(crate) fn check_file(&self) -> Result<(), Error> {
        self.file.as_ref().map_or(Ok(()), |file| file.check())
    }

    /// The number of open, idle and maximum connections, for reading and writing together.
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
        // The last connection to SQLite moves the write-ahead log into the file, and must be able to write.
        self.db.close().await;
        self.writer.close().await;
    }
}

/// Setting of a connection for reading, so that a write on it is an error.
const SQLITE_READ_ONLY: &str = "PRAGMA query_only = ON";
const POSTGRES_READ_ONLY: &str = "SET default_transaction_read_only = on";

/// A pool of `n_connections`, each of which first runs `settings`.
fn pool(options: &StoreOptions, n_connections: u32, settings: String) -> AnyPoolOptions {
    AnyPoolOptions::new()
        .max_connections(n_connections)
        .acquire_timeout(options.wait)
        .after_connect(move |connection, _| Box::pin(apply(settings.clone(), connection)))
}

/// The settings of every connection to SQLite. A `PRAGMA` takes no bound values.
fn sqlite_settings(options: &StoreOptions) -> String {
    let max_pages = options.max_pages.map(|pages| format!("; PRAGMA max_page_count = {pages}"));
    // WAL mode, for readers beside a writer, and commits that survive a power cut.
    format!(
        "PRAGMA busy_timeout = {}; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; \
         PRAGMA foreign_keys = ON{}",
        options.wait.as_millis(),
        max_pages.unwrap_or_default()
    )
}

/// The settings of every connection to PostgreSQL: a lock is waited for as long as a connection.
fn postgres_settings(options: &StoreOptions) -> String {
    let lock_timeout = format!("SET lock_timeout = {}", options.wait.as_millis());
    let Some(name) = &options.session_name else { return lock_timeout };
    let name = name.replace('\'', "''");
    format!(
        "{lock_timeout}; \
         SELECT set_config('application_name', LTRIM(current_setting('application_name') || ' {name}'), false)"
    )
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
