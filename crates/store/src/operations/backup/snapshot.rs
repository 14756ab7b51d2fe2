//! Reading a whole database at one moment.

use sqlx::any::Any;
use sqlx::{AnyPool, AssertSqlSafe, Transaction};

use super::{DatabaseKind, Table, TableRows, connect, pool_of_one, table};
use crate::url::without_password;
use crate::{Error, migrations};

/// All rows at the time of the snapshot. Concurrent writes are neither delayed nor seen.
///
/// While it is held, SQLite cannot truncate its write-ahead log, which grows with each write, and PostgreSQL keeps
/// replaced rows.
#[derive(Debug)]
pub struct Snapshot {
    tx: Transaction<'static, Any>,
    pool: AnyPool,
    kind: DatabaseKind,
    migrations: Vec<i64>,
    tables: Vec<(Table, u64)>,
}

impl Snapshot {
    /// Takes a snapshot of the database at `url`, whatever its version.
    ///
    /// # Errors
    /// [`Error::Open`] for a database that does not exist or cannot be read, [`Error::NotMigrated`] for one without
    /// tables, [`Error::NewerDatabase`] and [`Error::DevelopmentDatabase`] for one that this version cannot use.
    pub async fn take(url: &str) -> Result<Self, Error> {
        let kind = DatabaseKind::of(url);
        // Reports why it cannot connect; a pool would retry and lose the reason.
        sqlx::Connection::close(connect(url, "").await?).await?;
        let settings = match kind {
            DatabaseKind::Sqlite => "PRAGMA busy_timeout = 5000; PRAGMA query_only = ON",
            DatabaseKind::Postgres => "SET lock_timeout = 5000; SET statement_timeout = 0",
        };
        let pool = pool_of_one(&url.replace("mode=rwc", "mode=rw"), settings).await?;
        #[expect(clippy::disallowed_methods, reason = "it only reads")]
        let mut tx = pool.begin().await?;
        if kind == DatabaseKind::Postgres {
            // By default each statement of PostgreSQL sees another time. SQLite always sees one.
            let isolation = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY";
            sqlx::raw_sql(isolation).execute(&mut *tx).await?;
        }
        // The first read determines the time of the snapshot.
        let tables = table::tables(kind, &mut tx).await?;
        if tables.is_empty() {
            return Err(Error::NotMigrated {
                url: without_password(url),
                version: 0,
                latest: migrations::latest(),
            });
        }
        let migrations = migrations::applied(url, &mut tx).await?;
        let mut counted = Vec::with_capacity(tables.len());
        // Counting also locks each table against being changed by a migration.
        for table in tables {
            let n = count_rows(&table, &mut tx).await?;
            counted.push((table, n));
        }
        Ok(Self { tx, pool, kind, migrations, tables: counted })
    }

    /// What the database runs on.
    pub fn kind(&self) -> DatabaseKind {
        self.kind
    }

    /// The numbers of its migrations.
    pub fn migrations(&self) -> &[i64] {
        &self.migrations
    }

    /// Its tables with the numbers of their rows, each after those that it refers to.
    pub fn tables(&self) -> &[(Table, u64)] {
        &self.tables
    }

    /// The rows of the table at this index of [`Snapshot::tables`], if there is one.
    pub fn rows(&mut self, place: usize) -> Option<TableRows<'_>> {
        let (table, _) = self.tables.get(place)?;
        Some(TableRows::new(self.kind, table, &mut self.tx))
    }

    /// Ends the snapshot.
    pub async fn close(self) -> Result<(), Error> {
        self.tx.rollback().await?;
        self.pool.close().await;
        Ok(())
    }
}

pub(super) async fn count_rows(table: &Table, tx: &mut sqlx::AnyConnection) -> Result<u64, Error> {
    let sql = format!("SELECT COUNT(*) FROM \"{}\"", table.name);
    let n: i64 = sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(tx).await?;
    Ok(n.unsigned_abs())
}
