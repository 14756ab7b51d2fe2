//! Databases on the PostgreSQL server that `.make/with-postgres` starts.

use std::env;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use sqlx::{AnyConnection, AssertSqlSafe, Connection};
use tokio::sync::OnceCell;

/// Where the server is: an address with the user `partsight` and the database `postgres`.
const SERVER: &str = "PARTSIGHT_TEST_POSTGRES";

static N_CREATED: AtomicUsize = AtomicUsize::new(0);

/// The database whose schema [`PostgresDatabase::with_schema`] copies, one for a process.
static SCHEMA: OnceCell<String> = OnceCell::const_new();

/// Databases that nobody uses any more, with their server's address. Dropping one takes a connection, which
/// the end of a test cannot wait for; the next test does it.
static UNUSED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// A fresh, empty database.
#[derive(Debug)]
pub struct PostgresDatabase {
    /// Its address.
    pub url: String,
    name: String,
}

impl PostgresDatabase {
    /// A new database, or `None` where no server is: then the test has nothing to test.
    ///
    /// # Panics
    /// Without a server where `CI` is set.
    pub async fn create() -> Option<Self> {
        Some(Self::copy_of(&server()?, "template0").await)
    }

    /// As [`PostgresDatabase::create`], with the schema that `migrate` makes at the address it is given, and without
    /// rows. It runs once in a process and leaves no connection open.
    ///
    /// # Panics
    /// Without a server where `CI` is set.
    pub async fn with_schema(migrate: impl AsyncFnOnce(&str)) -> Option<Self> {
        let server = server()?;
        let schema = SCHEMA.get_or_init(async || {
            let mut database = Self::copy_of(&server, "template0").await;
            migrate(&database.url).await;
            // It stays until the server ends.
            std::mem::take(&mut database.name)
        });
        let schema = schema.await;
        Some(Self::copy_of(&server, schema).await)
    }

    async fn copy_of(server: &str, template: &str) -> Self {
        sqlx::any::install_default_drivers();
        let mut connection = AnyConnection::connect(server).await.unwrap();
        // Taken out first, so that the lock is not held across the statements below.
        let unused = std::mem::take(&mut *UNUSED.lock().unwrap());
        for name in unused {
            execute(&mut connection, format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await;
        }
        let name = format!("test_{}_{}", std::process::id(), N_CREATED.fetch_add(1, Ordering::Relaxed));
        execute(&mut connection, format!("CREATE DATABASE {name} TEMPLATE {template}")).await;
        connection.close().await.unwrap();
        let url = server.replacen("/postgres?", &format!("/{name}?"), 1);
        assert_ne!(url, server, "{SERVER} must name the database `postgres`");
        Self { url, name }
    }
}

/// The address of the server, if there is one.
fn server() -> Option<String> {
    let server = env::var(SERVER).ok();
    if server.is_none() {
        crate::is_missing(&format!(
            "{SERVER} is not set; run the tests with `.make/with-postgres cargo test`"
        ));
    }
    server
}

impl Drop for PostgresDatabase {
    fn drop(&mut self) {
        let name = std::mem::take(&mut self.name);
        if !name.is_empty() {
            UNUSED.lock().unwrap().push(name);
        }
    }
}

async fn execute(connection: &mut AnyConnection, sql: String) {
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(connection).await.unwrap();
}
