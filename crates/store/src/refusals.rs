//! Logs that PostgreSQL refuses connections because it has none left: the pool tries again until the time limit of a
//! call, and loses the error of the server.

use std::time::Instant;

use sqlx::any::AnyConnectOptions;
use sqlx::{AnyConnection, Connection};
use tokio::time::timeout;

use crate::store::PROBE_WAIT;
use crate::{Error, Store};

impl Store {
    /// Converts the error of a statement. If no connection came free in time, logs whether PostgreSQL has none left, in a
    /// task of its own: the call has waited long enough.
    #[expect(
        clippy::disallowed_methods,
        reason = "the task ends within the wait of a probe, and nothing depends on it"
    )]
    pub(crate) fn noted(&self, error: sqlx::Error) -> Error {
        if matches!(error, sqlx::Error::PoolTimedOut)
            && self.is_postgres()
            && self.last_asked.may_ask(Instant::now())
        {
            let options = self.writer.connect_options();
            tokio::spawn(async move {
                if let Some(refusal) = refusal(&options).await {
                    tracing::warn!(
                        error = &refusal as &dyn std::error::Error,
                        "calls fail because the database refuses connections"
                    );
                }
            });
        }
        error.into()
    }
}

/// How the server refuses a new connection because it has none left.
async fn refusal(options: &AnyConnectOptions) -> Option<Error> {
    match timeout(PROBE_WAIT, AnyConnection::connect_with(options)).await.ok()? {
        Ok(connection) => {
            // Closed properly, so that the server does not log that it was lost.
            let _ = connection.close().await;
            None
        }
        Err(error) => Some(Error::from(error)).filter(|error| matches!(error, Error::TooManyConnections(_))),
    }
}

#[cfg(test)]
mod tests {
    use partsight_test_support::postgres::PostgresDatabase;
    use sqlx::AssertSqlSafe;

    use std::time::Duration;

    use super::*;
    use crate::StoreOptions;

    #[tokio::test]
    async fn a_running_server_finds_out_that_postgres_has_no_connection_left() {
        let Some(database) = PostgresDatabase::create().await else { return };
        Store::open(&database.url).await.unwrap().close().await;
        let mut owner = AnyConnection::connect(&database.url).await.unwrap();
        // The limit of a role, which refuses as `max_connections` does.
        let role = format!("crowded_{}", uuid::Uuid::now_v7().simple());
        let sql = format!("CREATE ROLE {role} LOGIN; GRANT pg_read_all_data TO {role}");
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut owner).await.unwrap();
        let url = database.url.replacen("//partsight@", &format!("//{role}@"), 1);
        let options =
            StoreOptions { migrate: false, wait: Duration::from_millis(500), ..StoreOptions::default() };
        let store = Store::open_with(&url, &options).await.unwrap();
        assert!(refusal(&store.writer.connect_options()).await.is_none());

        let sql = format!("ALTER ROLE {role} CONNECTION LIMIT 0");
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut owner).await.unwrap();
        let idle = store.writer.acquire().await.unwrap();
        let error = store.begin().await.unwrap_err();
        assert!(matches!(error, Error::NoConnection(_)), "{error:?}");
        assert!(!store.last_asked.may_ask(Instant::now()), "it was asked");
        let refusal = refusal(&store.writer.connect_options()).await.unwrap();
        assert!(refusal.to_string().contains("no free connections"), "{refusal}");
        // Opening reports it at once.
        let error = Store::open_with(&url, &options).await.unwrap_err();
        assert!(matches!(error, Error::TooManyConnections(_)), "{error:?}");
        drop(idle);
        store.close().await;

        // A command needs one connection for reading and one for writing, and is told if it gets only one.
        let command = StoreOptions { max_connections: 1, ..options };
        for (limit, is_enough) in [(1, false), (2, true)] {
            let sql = format!("ALTER ROLE {role} CONNECTION LIMIT {limit}");
            sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut owner).await.unwrap();
            match Store::open_with(&url, &command).await {
                Ok(store) if is_enough => {
                    assert_eq!((store.pool().open, store.pool().max), (2, 2));
                    store.close().await;
                }
                Err(Error::TooManyConnections(_)) if !is_enough => {}
                other => panic!("{limit}: {other:?}"),
            }
        }
    }
}
