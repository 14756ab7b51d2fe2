//! Writing the rows of a backup into an empty database.

use std::time::Duration;

use sqlx::any::{Any, install_default_drivers};
use sqlx::postgres::PgDatabaseError;
use sqlx::{AnyConnection, AnyPool, AssertSqlSafe, Connection, Row, Transaction};

use super::rows::bind;
use super::snapshot::count_rows;
use super::{Cell, DatabaseKind, Table, TableRows, connect, pool_of_one, table};
use crate::Error;
use crate::error::POSTGRES_TOO_LARGE;
use crate::migrations::{self, knows_migration};
use crate::url::shown;

/// Most values in one statement; SQLite accepts 32,766 and PostgreSQL 65,535.
const MAX_VALUES: usize = 2000;
/// The only table into which a migration inserts a row.
pub const SEEDED_TABLE: &str = "part_reference_revision";
/// PostgreSQL's code for an object that others depend on.
const DEPENDED_ON: &str = "2BP01";

/// A database that is being restored. Others see nothing of it before [`Restoration::finish`]; if it is dropped or
/// its process is killed, a PostgreSQL database stays as it was.
///
/// A new SQLite file is written without a journal that survives a crash, so it must get its final name only after
/// `finish`.
#[derive(Debug)]
pub struct Restoration {
    tx: Transaction<'static, Any>,
    pool: AnyPool,
    url: String,
    kind: DatabaseKind,
    tables: Vec<Table>,
    /// The statements for the indexes that are made at the end.
    indexes: Vec<String>,
}

impl Restoration {
    /// Begins to restore into the database at `url`: a new SQLite file, or a PostgreSQL database. It gets the
    /// migrations `applied`, and its tables are empty. With `replace`, existing rows in our tables are deleted.
    ///
    /// # Errors
    /// [`Error::NotEmpty`] for a database that holds rows, without `replace`; [`Error::InUse`] for one that others
    /// are connected to; [`Error::NewerDatabase`] for a migration that is unknown here; [`Error::NotReplaceable`] for a
    /// PostgreSQL database with tables of a newer version, or with objects of others that depend on our tables.
    pub async fn start(url: &str, applied: &[i64], replace: bool) -> Result<Self, Error> {
        // Before anything is connected to or deleted.
        if let Some(&version) = applied.iter().find(|&&version| !knows_migration(version)) {
            return Err(Error::NewerDatabase { url: shown(url), version });
        }
        install_default_drivers();
        let kind = DatabaseKind::of(url);
        // After a crash nobody uses the file, which still has a temporary name, so nothing in it has to survive.
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
        // Rows that migrations insert are in the backup as well. In reverse order, so that rows are deleted before
        // those that they refer to.
        for table in tables.iter().rev() {
            let sql = format!("DELETE FROM \"{}\"", table.name);
            sqlx::query(AssertSqlSafe(sql)).execute(&mut *tx).await?;
        }
        let indexes = match kind {
            DatabaseKind::Sqlite => drop_indexes(&mut tx).await?,
            DatabaseKind::Postgres => Vec::new(),
        };
        Ok(Self { tx, pool, url: url.to_owned(), kind, tables, indexes })
    }

    /// The tables, each after those that it refers to.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// Inserts rows into the table at this index of [`Restoration::tables`].
    ///
    /// # Errors
    /// [`Error::Constraint`] and [`Error::ReferenceMissing`] for rows that violate a constraint,
    /// [`Error::RowTooLarge`].
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
                            // Written into the statement: see `bind`.
                            if matches!(cell, Cell::Null) {
                                return "NULL".to_owned();
                            }
                            n_values += 1;
                            match self.kind {
                                // SQLite looks a placeholder with a name up among all before it, so that thousands
                                // took half of the time of a restore.
                                DatabaseKind::Sqlite => "?".to_owned(),
                                DatabaseKind::Postgres => format!("${n_values}"),
                            }
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
            // Missing values change the text, so that preparing it would cache thousands of statements.
            let mut query = sqlx::query(AssertSqlSafe(sql)).persistent(false);
            for cell in rows.iter().flatten() {
                query = bind(query, cell);
            }
            query.execute(&mut *self.tx).await.map_err(|source| insert_error(source, table, rows))?;
        }
        Ok(())
    }

    /// The rows of the table at this index, read back from the database, if there is one.
    pub fn rows(&mut self, place: usize) -> Option<TableRows<'_>> {
        let table = self.tables.get(place)?;
        Some(TableRows::new(self.kind, table, &mut self.tx))
    }

    /// Applies the further migrations of this version of the program, and commits. Returns the number of the last
    /// migration.
    ///
    /// Mails that waited when the backup was made are not kept: most were sent soon after it, and none may be sent again.
    pub async fn finish(mut self) -> Result<i64, Error> {
        for index in &self.indexes {
            sqlx::query(AssertSqlSafe(index.as_str())).execute(&mut *self.tx).await?;
        }
        migrations::migrate(&self.url, &mut self.tx).await?;
        sqlx::query("DELETE FROM outgoing_mail").execute(&mut *self.tx).await?;
        self.tx.commit().await?;
        // The file must be closed before it is renamed.
        self.pool.close().await;
        Ok(migrations::latest())
    }
}

/// Why these rows could not be inserted.
fn insert_error(source: sqlx::Error, table: &Table, rows: &[Vec<Cell>]) -> Error {
    let code = source.as_database_error().and_then(sqlx::error::DatabaseError::code);
    if code.as_deref() != Some(POSTGRES_TOO_LARGE) {
        return source.into();
    }
    let texts = rows.iter().flatten().filter_map(|cell| match cell {
        Cell::Text(text) => Some(text),
        _ => None,
    });
    let longest = texts.max_by_key(|text| text.len()).map(|text| text.chars().take(100).collect());
    Error::RowTooLarge { table: table.name.clone(), text: longest.unwrap_or_default(), source }
}

/// Writes the write-ahead log of an SQLite database into its file and deletes its companions, so that the file can be
/// moved.
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

/// Refuses a PostgreSQL database of a newer version, and one with other connections. Closed connections are still listed
/// for a while.
async fn refuse_others(url: &str) -> Result<(), Error> {
    let mut connection = connect(url, "").await?;
    refuse_newer(url, &mut connection).await?;
    // Two seconds in total.
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
        return Err(Error::InUse { url: shown(url), n_connections });
    }
    Ok(())
}

/// Ensures that a PostgreSQL database has none of our tables.
async fn make_room(url: &str, replace: bool, tx: &mut AnyConnection) -> Result<(), Error> {
    let tables = table::tables(DatabaseKind::Postgres, tx).await?;
    if tables.is_empty() {
        return Ok(());
    }
    let n_rows = count_all(&tables, tx).await?;
    if n_rows > 0 && !replace {
        return Err(Error::NotEmpty { url: shown(url), n_rows });
    }
    let mut names: Vec<String> = tables.iter().map(|table| format!("\"{}\"", table.name)).collect();
    // One statement drops them all, in whatever order they refer to each other. sqlx's own table is dropped too, or
    // the migrations would count as applied.
    names.push("_sqlx_migrations".to_owned());
    let dropped = sqlx::query(AssertSqlSafe(format!("DROP TABLE {}", names.join(", ")))).execute(tx).await;
    dropped.map_err(|source| drop_error(url, source))?;
    Ok(())
}

/// Why our tables could not be dropped. The objects that depend on them, such as a view, may be anybody's.
fn drop_error(url: &str, source: sqlx::Error) -> Error {
    let error = source.as_database_error().and_then(|error| error.try_downcast_ref::<PgDatabaseError>());
    match error.filter(|error| error.code() == DEPENDED_ON) {
        Some(error) => {
            let reason = error.detail().unwrap_or(error.message()).replace('\n', ", ");
            Error::NotReplaceable { url: shown(url), reason }
        }
        None => source.into(),
    }
}

/// Refuses a PostgreSQL database that a newer version made: tables that only that version knows would stay, and stand in
/// the way of the next upgrade.
async fn refuse_newer(url: &str, connection: &mut AnyConnection) -> Result<(), Error> {
    match migrations::applied(url, connection).await {
        Err(Error::NewerDatabase { url, version }) => Err(Error::NotReplaceable {
            url,
            reason: format!("a newer version of partsight made it (migration {version})"),
        }),
        applied => applied.map(drop),
    }
}

/// Drops the indexes of an SQLite database that constrain nothing, and returns the statements that make them. Made after
/// all rows, an index is sorted once; kept while they arrive, it took more than half of the time of a large table.
async fn drop_indexes(tx: &mut AnyConnection) -> Result<Vec<String>, Error> {
    let query = "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql LIKE 'CREATE INDEX %'";
    let mut statements = Vec::new();
    for row in sqlx::query(query).fetch_all(&mut *tx).await? {
        let drop = format!("DROP INDEX \"{}\"", row.try_get::<String, _>("name")?);
        sqlx::query(AssertSqlSafe(drop)).execute(&mut *tx).await?;
        statements.push(row.try_get("sql")?);
    }
    Ok(statements)
}

/// Number of rows in our tables in the database at `url`, except those of a new database.
///
/// # Errors
/// [`Error::Open`] for one that does not exist or cannot be read; [`Error::NotReplaceable`] for a PostgreSQL database of
/// a newer version.
pub async fn count_rows_at(url: &str) -> Result<u64, Error> {
    let kind = DatabaseKind::of(url);
    let mut connection = connect(url, "").await?;
    let counted = async {
        if kind == DatabaseKind::Postgres {
            refuse_newer(url, &mut connection).await?;
        }
        let tables = table::tables(kind, &mut connection).await?;
        count_all(&tables, &mut connection).await
    };
    // No `?` before the connection is closed.
    let n_rows = counted.await;
    connection.close().await?;
    n_rows
}

/// Number of rows in all tables, except those of a new database.
async fn count_all(tables: &[Table], connection: &mut AnyConnection) -> Result<u64, Error> {
    let mut n_rows = 0;
    for table in tables.iter().filter(|table| table.name != SEEDED_TABLE) {
        n_rows += count_rows(table, connection).await?;
    }
    Ok(n_rows)
}
