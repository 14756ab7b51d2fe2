//! Filling an empty database.

use std::time::Duration;

use sqlx::any::{Any, install_default_drivers};
use sqlx::{AnyConnection, AnyPool, AssertSqlSafe, Connection, Transaction};

use super::rows::bind;
use super::snapshot::count_rows;
use super::{Cell, DatabaseKind, Table, TableRows, connect, pool_of_one, table};
use crate::Error;
use crate::migrations::{self, knows_migration};
use crate::url::without_password;

/// Values in one statement; SQLite takes at most 32,766 and PostgreSQL 65,535.
const MAX_VALUES: usize = 2000;
/// The one table that a migration puts a row into.
pub const SEEDED_TABLE: &str = "part_reference_revision";

/// A database that is being filled. Nothing of it is there for others before [`Restoration::finish`]; one that is
/// dropped, or whose process is killed, leaves a database of PostgreSQL as it was.
///
/// A new file of SQLite is written without a journal that survives a crash, so it must have its final name only
/// afterwards.
#[derive(Debug)]
pub struct Restoration {
    tx: Transaction<'static, Any>,
    pool: AnyPool,
    url: String,
    kind: DatabaseKind,
    tables: Vec<Table>,
}

impl Restoration {
    /// Begins to fill the database at `url`: a new file of SQLite, or a database of PostgreSQL. It gets the
    /// migrations `applied`, and its tables are empty. With `replace`, what our tables hold goes.
    ///
    /// # Errors
    /// [`Error::NotEmpty`] for a database that holds rows, without `replace`; [`Error::InUse`] for one that others
    /// are connected to; [`Error::NewerDatabase`] for a migration that is unknown here.
    pub async fn start(url: &str, applied: &[i64], replace: bool) -> Result<Self, Error> {
        // Before anything is connected to or dropped.
        if let Some(&version) = applied.iter().find(|&&version| !knows_migration(version)) {
            return Err(Error::NewerDatabase { url: without_password(url), version });
        }
        install_default_drivers();
        let kind = DatabaseKind::of(url);
        // A crash leaves a file under another name that nobody uses, so nothing in it has to survive one.
        let settings = match kind {
            DatabaseKind::Sqlite => {
                "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA foreign_keys = ON"
            }
            DatabaseKind::Postgres => "SET lock_timeout = 5000; SET statement_timeout = 0",
        };
        if kind == DatabaseKind::Postgres {
            refuse_others(url).await?;
        }
        let pool = pool_of_one(url, settings).await?;
        #[expect(clippy::disallowed_methods, reason = "after the first error nothing of it is committed")]
        let mut tx = pool.begin().await?;
        if kind == DatabaseKind::Postgres {
            make_room(url, replace, &mut tx).await?;
        }
        migrations::migrate_to(applied, url, &mut tx).await?;
        let tables = table::tables(kind, &mut tx).await?;
        // What migrations put into new tables is in the backup as well. Backwards, so that what refers to a row goes
        // first.
        for table in tables.iter().rev() {
            let sql = format!("DELETE FROM \"{}\"", table.name);
            sqlx::query(AssertSqlSafe(sql)).execute(&mut *tx).await?;
        }
        Ok(Self { tx, pool, url: url.to_owned(), kind, tables })
    }

    /// Its tables, each after those that it refers to.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// Adds rows to the table at this place in [`Restoration::tables`].
    ///
    /// # Errors
    /// [`Error::Constraint`] and [`Error::ReferenceMissing`] for rows that do not belong together.
    pub async fn insert(&mut self, place: usize, rows: &[Vec<Cell>]) -> Result<(), Error> {
        let Some(table) = self.tables.get(place) else { return Ok(()) };
        for rows in rows.chunks((MAX_VALUES / table.columns.len()).max(1)) {
            let mut n_values = 0;
            let tuples: Vec<String> = rows
                .iter()
                .map(|row| {
                    let values: Vec<String> = row
                        .iter()
                        .map(|cell| {
                            // Written out: see `bind`.
                            if matches!(cell, Cell::Null) {
                                return "NULL".to_owned();
                            }
                            n_values += 1;
                            format!("${n_values}")
                        })
                        .collect();
                    format!("({})", values.join(", "))
                })
                .collect();
            let sql = format!(
                "INSERT INTO \"{}\" ({}) VALUES {}",
                table.name,
                table.column_list(),
                tuples.join(", ")
            );
            // Where values are missing the text differs, so that keeping it prepared would keep thousands.
            let mut query = sqlx::query(AssertSqlSafe(sql)).persistent(false);
            for cell in rows.iter().flatten() {
                query = bind(query, cell);
            }
            query.execute(&mut *self.tx).await?;
        }
        Ok(())
    }

    /// The rows of the table at this place, as the database gives them back, if there is one.
    pub fn rows(&mut self, place: usize) -> Option<TableRows<'_>> {
        let table = self.tables.get(place)?;
        Some(TableRows::new(self.kind, table, &mut self.tx))
    }

    /// Applies the migrations that this version of the program has beyond those, and makes it all lasting. Gives the
    /// number of the last migration.
    pub async fn finish(mut self) -> Result<i64, Error> {
        migrations::migrate(&self.url, &mut self.tx).await?;
        self.tx.commit().await?;
        // The file must not be open when it gets its name.
        self.pool.close().await;
        Ok(migrations::latest())
    }
}

/// Takes the write-ahead log of an SQLite database into its file and gives up its companions, so that the file can
/// be moved.
///
/// # Errors
/// [`Error::Locked`] when somebody else has it open; [`Error::Open`] for a file that is no database.
pub async fn release_sqlite_file(url: &str) -> Result<(), Error> {
    let mut connection = connect(url, "PRAGMA busy_timeout = 0;").await?;
    let released = sqlx::raw_sql("PRAGMA journal_mode = DELETE").execute(&mut connection).await;
    let closed = connection.close().await;
    released?;
    Ok(closed?)
}

/// Refuses a database of PostgreSQL that others are connected to. Connections that were closed are seen for a while.
async fn refuse_others(url: &str) -> Result<(), Error> {
    let mut connection = connect(url, "").await?;
    // Two seconds in all.
    let mut tries_left = 20;
    let n_connections = loop {
        let others: i64 = sqlx::query_scalar(
            "SELECT COUNT(*) FROM pg_stat_activity \
             WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()",
        )
        .fetch_one(&mut connection)
        .await?;
        tries_left -= 1;
        if others == 0 || tries_left == 0 {
            break others.unsigned_abs();
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    connection.close().await?;
    if n_connections > 0 {
        return Err(Error::InUse { url: without_password(url), n_connections });
    }
    Ok(())
}

/// Sees to it that a database of PostgreSQL has no tables of ours.
async fn make_room(url: &str, replace: bool, tx: &mut AnyConnection) -> Result<(), Error> {
    let tables = table::tables(DatabaseKind::Postgres, tx).await?;
    if tables.is_empty() {
        return Ok(());
    }
    let n_rows = count_all(&tables, tx).await?;
    if n_rows > 0 && !replace {
        return Err(Error::NotEmpty { url: without_password(url), n_rows });
    }
    let mut names: Vec<String> = tables.iter().map(|table| format!("\"{}\"", table.name)).collect();
    // One statement drops them all, in whatever order they refer to each other. sqlx's own table goes as well, or the
    // migrations would be taken for applied.
    names.push("_sqlx_migrations".to_owned());
    sqlx::query(AssertSqlSafe(format!("DROP TABLE {}", names.join(", ")))).execute(tx).await?;
    Ok(())
}

/// How many rows the database at `url` holds in our tables, but for what a new one has.
///
/// # Errors
/// [`Error::Open`] for one that is not there or cannot be read.
pub async fn count_rows_at(url: &str) -> Result<u64, Error> {
    let kind = DatabaseKind::of(url);
    let mut connection = connect(url, "").await?;
    // No `?` before the connection is closed.
    let n_rows = match table::tables(kind, &mut connection).await {
        Ok(tables) => count_all(&tables, &mut connection).await,
        Err(error) => Err(error),
    };
    connection.close().await?;
    n_rows
}

/// The rows of all tables, but for what a new database has.
async fn count_all(tables: &[Table], connection: &mut AnyConnection) -> Result<u64, Error> {
    let mut n_rows = 0;
    for table in tables.iter().filter(|table| table.name != SEEDED_TABLE) {
        n_rows += count_rows(table, connection).await?;
    }
    Ok(n_rows)
}
