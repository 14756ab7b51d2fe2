//! Databases on the PostgreSQL server that `.make/with-postgres` starts.

use std::env;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use sqlx::{AnyConnection, AssertSqlSafe, Connection};

/// Where the server is: an address with the user `partsight` and the database `postgres`.
const SERVER: &str = "PARTSIGHT_TEST_POSTGRES";

static N_CREATED: AtomicUsize = AtomicUsize::new(0);

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
        let Ok(server) = env::var(SERVER) else {
            crate::is_missing(&format!(
                "{SERVER} is not set; run the tests with `.make/with-postgres cargo test`"
            ));
            return None;
        };
        sqlx::any::install_default_drivers();
        let mut connection = AnyConnection::connect(&server).await.unwrap();
        let unused = std::mem::take(&mut *UNUSED.lock().unwrap());
        for name in unused {
            execute(&mut connection, format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await;
        }
        let name = format!("test_{}_{}", std::process::id(), N_CREATED.fetch_add(1, Ordering::Relaxed));
        execute(&mut connection, format!("CREATE DATABASE {name} TEMPLATE template0")).await;
        connection.close().await.unwrap();
        let url = server.replacen("/postgres?", &format!("/{name}?"), 1);
        assert_ne!(url, server, "{SERVER} must name the database `postgres`");
        Some(Self { url, name })
    }
}

impl Drop for PostgresDatabase {
    fn drop(&mut self) {
        UNUSED.lock().unwrap().push(std::mem::take(&mut self.name));
    }
}

async fn execute(connection: &mut AnyConnection, sql: String) {
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(connection).await.unwrap();
}
