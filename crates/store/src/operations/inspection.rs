//! Inspecting a database without changing it.

use jiff::Timestamp;
use sqlx::{AnyConnection, AssertSqlSafe, Connection, Row, query_scalar};

use super::backup::{DatabaseKind, connect};
use crate::servers::{NOW, SESSION_NAMES};
use crate::{Error, migrations, rows};

/// Columns with the times of frequently written rows, which people can delete if a clock that was ahead wrote them.
const MOMENTS: [(&str, &str); 2] = [("session", "last_seen_at"), ("scan", "scanned_at")];

/// Facts about a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseFacts {
    /// The kind of the database.
    pub kind: DatabaseKind,
    /// The version of SQLite or PostgreSQL.
    pub engine: String,
    /// Its last migration; 0 for an empty database.
    pub version: i64,
    /// The last migration of this version of the program.
    pub latest: i64,
    /// Whether it was made by a development version from before the first release, which this one cannot use.
    pub is_from_development: bool,
    /// Whether another program made it; such an SQLite file is refused.
    pub is_foreign: bool,
    /// Bytes, indexes included.
    pub size_bytes: u64,
    /// Whether PostgreSQL accepts no writes: a standby server, or a database that was set to read-only.
    pub is_read_only: bool,
    /// How many connections PostgreSQL allows to this user with this database, if it is PostgreSQL.
    pub connections: Option<u32>,
    /// What time PostgreSQL has, if it is PostgreSQL.
    pub now: Option<Timestamp>,
    /// The names of PostgreSQL's sessions with this database: see [`Store::session_names`](crate::Store::session_names).
    pub session_names: Vec<String>,
    /// Problems that SQLite's quick check finds; PostgreSQL has no such check.
    pub damage: Vec<String>,
    /// When a session or scan was last written, if there is one.
    pub newest_row: Option<Timestamp>,
}

/// Inspects the database at `url`. It is neither created nor migrated.
///
/// # Errors
/// [`Error::Open`] for one that does not exist or cannot be reached.
pub async fn inspect(url: &str) -> Result<DatabaseFacts, Error> {
    let kind = DatabaseKind::of(url);
    let mut connection = connect(url, "").await?;
    let facts = facts(url, kind, &mut connection).await;
    // Closed before the error is handled, so there is no `?` above.
    connection.close().await?;
    facts
}

async fn facts(
    url: &str,
    kind: DatabaseKind,
    connection: &mut AnyConnection,
) -> Result<DatabaseFacts, Error> {
    let (engine, size) = match kind {
        DatabaseKind::Sqlite => (
            "SELECT sqlite_version()",
            "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
        ),
        DatabaseKind::Postgres => {
            ("SELECT current_setting('server_version')", "SELECT pg_database_size(current_database())")
        }
    };
    let engine: String = sqlx::query_scalar(engine).fetch_one(&mut *connection).await?;
    let size: i64 = sqlx::query_scalar(size).fetch_one(&mut *connection).await?;
    let is_read_only = kind == DatabaseKind::Postgres
        && sqlx::query_scalar::<_, String>("SELECT current_setting('transaction_read_only')")
            .fetch_one(&mut *connection)
            .await?
            == "on";
    let connections = match kind {
        DatabaseKind::Sqlite => None,
        DatabaseKind::Postgres => {
            // `reserved_connections` is new in PostgreSQL 16. A limit of -1 is none.
            let query = "SELECT LEAST(current_setting('max_connections')::bigint \
                                    - current_setting('superuser_reserved_connections')::bigint \
                                    - COALESCE(current_setting('reserved_connections', true), '0')::bigint, \
                                NULLIF(rolconnlimit, -1), NULLIF(datconnlimit, -1)) \
                         FROM pg_roles, pg_database \
                         WHERE rolname = session_user AND datname = current_database()";
            let n: i64 = sqlx::query_scalar(query).fetch_one(&mut *connection).await?;
            Some(u32::try_from(n).unwrap_or(0))
        }
    };
    let (now, session_names) = match kind {
        DatabaseKind::Sqlite => (None, Vec::new()),
        DatabaseKind::Postgres => {
            let names = query_scalar(SESSION_NAMES).fetch_all(&mut *connection).await?;
            let now: i64 = query_scalar(NOW).fetch_one(&mut *connection).await?;
            (Timestamp::from_millisecond(now).ok(), names)
        }
    };
    let mut damage = Vec::new();
    if kind == DatabaseKind::Sqlite {
        // Ten findings are enough to know that it is damaged.
        for row in sqlx::query("PRAGMA quick_check(10)").fetch_all(&mut *connection).await? {
            damage.push(row.try_get::<String, _>(0)?);
        }
        damage.retain(|line| line != "ok");
    }
    let mut newest = None;
    for (table, column) in MOMENTS {
        // A database of an older version may lack one.
        let sql = format!("SELECT MAX({column}) AS newest FROM {table}");
        let row = sqlx::query(AssertSqlSafe(sql)).fetch_one(&mut *connection).await;
        let moment = row.ok().and_then(|row| rows::optional_timestamp(&row, "newest").ok()).flatten();
        newest = newest.max(moment);
    }
    let version = sqlx::query_scalar("SELECT COALESCE(MAX(version), 0) FROM _sqlx_migrations");
    // An empty database has no such table.
    let version = version.fetch_one(&mut *connection).await.unwrap_or(0);
    let latest = migrations::latest();
    let applied = migrations::applied(url, connection).await;
    let is_from_development = matches!(applied, Err(Error::DevelopmentDatabase(_)));
    let is_foreign = matches!(applied, Err(Error::ForeignDatabase(_)));
    let size_bytes = size.unsigned_abs();
    Ok(DatabaseFacts {
        kind,
        engine,
        version,
        latest,
        is_from_development,
        is_foreign,
        size_bytes,
        is_read_only,
        connections,
        now,
        session_names,
        damage,
        newest_row: newest,
    })
}
