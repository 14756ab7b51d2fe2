//! Transactions whose end is confirmed by the database.
//!
//! # The order of locks
//!
//! When two transactions of PostgreSQL lock the same rows in opposite orders, one is aborted. So each transaction locks
//! the rows that it needs in the following order, by an update without a change if it has nothing to change:
//!
//! 1. the tenant of a person, then that of a company; a change of the members or the owner of a company locks its
//!    tenant first (`lock_company`, `lock_company_of`);
//! 2. parts of the shop, then the counter of changes (`next_revision`), then references, then taught part types;
//! 3. the account;
//! 4. rows that belong to either, the whole before its pieces: a company before its members, batches by their ids and
//!    before their items, a webhook endpoint before its deliveries, events before their scan, a scan before its further
//!    rows;
//! 5. spending on the judge: of the tenant before that of the server, of the day before that of the month;
//! 6. the counter of events, last ([`append_event`](crate::Store::append_event)).
//!
//! An inserted row locks the rows that its foreign keys refer to against deletion, in the order of the table's
//! constraints. Expired rows are deleted only after the new row is inserted, because they may be anybody's.
//!
//! Deletions with cascades, and statements over many rows, lock in no fixed order. Transactions that collide with
//! them are retried by [`retried`], single statements by [`Store::write`].

use std::ops::{Deref, DerefMut};

use sqlx::pool::PoolConnection;
use sqlx::{Any, AnyConnection};

use crate::{Error, Store};

/// Maximum number of attempts of a transaction. The aborted one waits a second each time (`deadlock_timeout` of
/// PostgreSQL), and so does its client. If a transaction is aborted three times in a row, the cause is a wrong order of
/// locks and not bad luck.
const TRIES: usize = 3;

/// Runs `attempt`, and retries it if the database aborted its transaction in favour of another one, which has ended
/// by then. Any other error, such as a lock that is not released in time, is returned at once.
///
/// `attempt` must begin and end the transaction, and read all that it needs, each time.
pub(crate) async fn retried<T, F>(attempt: impl Fn() -> F) -> Result<T, Error>
where
    F: Future<Output = Result<T, Error>>,
{
    for _ in 1..TRIES {
        match attempt().await {
            Err(error) if error.is_undone_for_another() => {
                tracing::info!(%error, "a transaction gave way to another one and is run again");
            }
            result => return result,
        }
    }
    attempt().await
}

/// A transaction that may write. If it is dropped, it is rolled back.
///
/// It begins and ends with SQL statements, and not with [`sqlx::Transaction`], which counts its nesting depth. SQLite
/// ends a transaction by itself when the disk is full; the count then stays at one, the next "begin" on the same
/// connection is a savepoint, and after the next failure every "commit" releases a savepoint and commits nothing.
///
/// A connection returns to the pool only after a successful commit or rollback. Otherwise it is closed, which rolls
/// back and releases its locks, whatever state it was in.
#[derive(Debug)]
pub(crate) struct Transaction {
    connection: PoolConnection<Any>,
    is_ended: bool,
}

impl Store {
    /// Begins a transaction that may write.
    pub(crate) async fn begin(&self) -> Result<Transaction, Error> {
        self.check_file()?;
        let connection = self.writer.acquire().await.map_err(|error| no_connection(self.noted(error)))?;
        // In SQLite a transaction that reads before it writes can fail as busy at once, unless it takes the write
        // lock when it begins.
        let begin = if connection.backend_name() == "SQLite" { "BEGIN IMMEDIATE" } else { "BEGIN" };
        let mut tx = Transaction { connection, is_ended: false };
        sqlx::raw_sql(begin).execute(&mut *tx).await?;
        Ok(tx)
    }
}

/// A failure to open a connection is no fault of a query. For example, PostgreSQL with a full disk ends a new
/// connection with an internal error, because it cannot write a cache file that new connections need.
fn no_connection(error: Error) -> Error {
    match error {
        Error::Query(source) => Error::Unreachable(source),
        known => known,
    }
}

impl Transaction {
    /// Commits.
    ///
    /// # Errors
    /// Also if the database has already aborted the transaction: then nothing of it is saved.
    pub(crate) async fn commit(self) -> Result<(), Error> {
        // PostgreSQL answers the COMMIT of a failed transaction with a rollback, and without an error. Any other
        // statement in it is refused.
        self.end("SELECT 1; COMMIT").await
    }

    /// Rolls back.
    pub(crate) async fn rollback(self) -> Result<(), Error> {
        self.end("ROLLBACK").await
    }

    async fn end(mut self, sql: &'static str) -> Result<(), Error> {
        sqlx::raw_sql(sql).execute(&mut *self).await?;
        // Only after the confirmation by the database: after a failed commit the connection is closed.
        self.is_ended = true;
        Ok(())
    }
}

impl Deref for Transaction {
    type Target = AnyConnection;

    fn deref(&self) -> &AnyConnection {
        &self.connection
    }
}

impl DerefMut for Transaction {
    fn deref_mut(&mut self) -> &mut AnyConnection {
        &mut self.connection
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        if !self.is_ended {
            self.connection.close_on_drop();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use partsight_test_support::postgres::PostgresDatabase;
    use sqlx::Connection;
    use tokio::sync::Barrier;

    use super::*;

    async fn store(folder: &tempfile::TempDir) -> Store {
        let store = Store::open_sqlite(folder.path()).await.unwrap();
        sqlx::raw_sql("CREATE TABLE note (text TEXT NOT NULL)").execute(&store.writer).await.unwrap();
        store
    }

    async fn write(tx: &mut Transaction) {
        sqlx::raw_sql("INSERT INTO note VALUES ('a')").execute(&mut **tx).await.unwrap();
    }

    async fn count(store: &Store) -> i64 {
        sqlx::query_scalar("SELECT COUNT(*) FROM note").fetch_one(&store.db).await.unwrap()
    }

    #[tokio::test]
    async fn a_transaction_that_the_database_has_ended_by_itself_is_no_success() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder).await;
        let mut tx = store.begin().await.unwrap();
        write(&mut tx).await;
        // As SQLite does when the disk is full.
        sqlx::raw_sql("ROLLBACK").execute(&mut *tx).await.unwrap();
        tx.commit().await.unwrap_err();
        assert_eq!(count(&store).await, 0);

        let mut next = store.begin().await.unwrap();
        write(&mut next).await;
        next.commit().await.unwrap();
        assert_eq!(count(&store).await, 1);
    }

    #[tokio::test]
    async fn what_is_dropped_is_rolled_back_and_lets_the_next_one_write() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder).await;
        for _ in 0..3 {
            let mut tx = store.begin().await.unwrap();
            write(&mut tx).await;
        }
        let mut tx = store.begin().await.unwrap();
        write(&mut tx).await;
        tx.commit().await.unwrap();
        assert_eq!(count(&store).await, 1);
    }

    /// Two rows, and PostgreSQL that looks for deadlocks after 20 ms instead of a second.
    async fn two_rows(database: &PostgresDatabase) -> Store {
        let mut connection = AnyConnection::connect(&database.url).await.unwrap();
        sqlx::raw_sql(
            "CREATE TABLE note (text TEXT NOT NULL, n BIGINT NOT NULL); \
             INSERT INTO note VALUES ('a', 0), ('b', 0); \
             DO $$ BEGIN \
                 EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = 20', current_database()); \
             END $$",
        )
        .execute(&mut connection)
        .await
        .unwrap();
        connection.close().await.unwrap();
        Store::open(&database.url).await.unwrap()
    }

    async fn add_one(text: &'static str, tx: &mut Transaction) -> Result<(), Error> {
        sql!("UPDATE note SET n = n + 1 WHERE text = $1", [text]).execute(&mut **tx).await?;
        Ok(())
    }

    /// Two transactions, each of which holds a row that the other one needs.
    #[tokio::test]
    async fn a_transaction_that_gave_way_to_another_one_is_run_again() {
        let Some(database) = PostgresDatabase::create().await else { return };
        let store = two_rows(&database).await;
        let (each_holds_one, n_tries) = (Barrier::new(2), AtomicUsize::new(0));
        let in_order = async |first, second| {
            let is_first_try = AtomicBool::new(true);
            retried(|| async {
                n_tries.fetch_add(1, Ordering::Relaxed);
                let mut tx = store.begin().await?;
                add_one(first, &mut tx).await?;
                if is_first_try.swap(false, Ordering::Relaxed) {
                    each_holds_one.wait().await;
                }
                add_one(second, &mut tx).await?;
                tx.commit().await
            })
            .await
        };
        let (one, other) = tokio::join!(in_order("a", "b"), in_order("b", "a"));
        one.unwrap();
        other.unwrap();
        assert_eq!(n_tries.load(Ordering::Relaxed), 3, "one of them is run twice");
        let sum: i64 =
            sqlx::query_scalar("SELECT CAST(SUM(n) AS BIGINT) FROM note").fetch_one(&store.db).await.unwrap();
        assert_eq!(sum, 4, "what was undone is not counted");
    }

    #[tokio::test]
    async fn any_other_error_is_returned_at_once() {
        let n_tries = AtomicUsize::new(0);
        let refused: Result<(), Error> = retried(|| async {
            n_tries.fetch_add(1, Ordering::Relaxed);
            Err(Error::from(sqlx::Error::PoolTimedOut))
        })
        .await;
        assert!(matches!(refused, Err(Error::NoConnection(_))), "{refused:?}");
        assert_eq!(n_tries.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn what_returns_rows_of_a_write_runs_in_a_transaction() {
        let mut paths = vec![PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))];
        while let Some(path) = paths.pop() {
            if path.is_dir() {
                paths.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for method in ["fetch", "fetch_all", "fetch_many", "fetch_one", "fetch_optional"] {
                let call = format!("{method}(&self.writer)");
                assert!(!text.contains(&call), "{}: {call} may return before the commit", path.display());
            }
        }
    }

    #[tokio::test]
    async fn nothing_is_written_outside_the_writer() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder).await;
        sqlx::raw_sql("INSERT INTO note VALUES ('a')").execute(&store.db).await.unwrap_err();
    }
}
