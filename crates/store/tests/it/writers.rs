//! Readers beside writers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use partsight_store::{Error, Store, StoreOptions, inspect};
use partsight_test_support::PATIENCE;
use sqlx::{AnyConnection, Connection};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::{TestStore, at, new_vehicle, on_each_database, patient};

on_each_database![
    the_database_takes_writes,
    a_connection_that_the_server_ends_is_replaced,
    a_probe_is_answered_while_others_wait,
    a_database_that_can_only_be_read_says_so,
];

/// Somebody who holds a lock that every write below needs.
async fn holder(db: &TestStore) -> AnyConnection {
    let mut holder = AnyConnection::connect(&db.url).await.unwrap();
    let lock = if db.url.starts_with("sqlite:") { "BEGIN IMMEDIATE" } else { "BEGIN; LOCK TABLE tenant" };
    sqlx::raw_sql(lock).execute(&mut holder).await.unwrap();
    holder
}

/// On one thread, so that every writer is waiting when the reader comes.
async fn a_read_does_not_wait_for_writers(db: TestStore) {
    let ann = db.user("ann").await;
    let store = Arc::new(Store::open_with(&db.url, &patient()).await.unwrap());
    let holder = holder(&db).await;
    let mut writers = JoinSet::new();
    for n in 0..20 {
        let (store, tenant_id) = (Arc::clone(&store), ann.tenant_id);
        writers.spawn(async move {
            let id = partsight_domain::VehicleId(uuid::Uuid::now_v7());
            store
                .create_vehicle(tenant_id, id, &new_vehicle("Civic"), partsight_domain::Plan::Business, at(n))
                .await
                .map(|_| ())
        });
    }
    tokio::task::yield_now().await;
    // The lock is held until this has its answer, so one that waited for it would fail.
    assert_eq!(store.list_vehicles(ann.tenant_id).await.unwrap(), []);
    holder.close().await.unwrap();
    while let Some(saved) = writers.join_next().await {
        let saved = saved.unwrap();
        assert!(matches!(saved, Ok(()) | Err(Error::Locked(_) | Error::NoConnection(_))), "{saved:?}");
    }
}

#[tokio::test]
async fn a_read_of_sqlite_does_not_wait_for_writers() {
    a_read_does_not_wait_for_writers(TestStore::sqlite().await).await;
}

#[tokio::test]
async fn a_read_of_postgres_does_not_wait_for_writers() {
    if let Some(db) = TestStore::postgres().await {
        a_read_does_not_wait_for_writers(db).await;
    }
}

async fn the_database_takes_writes(db: &TestStore) {
    db.store.check_writes().await.unwrap();
    db.store.check_writes().await.unwrap();
}

async fn a_probe_is_answered_while_others_wait(db: &TestStore) {
    let store = Store::open_with(&db.url, &patient()).await.unwrap();
    let mut holder = AnyConnection::connect(&db.url).await.unwrap();
    let lock =
        if db.url.starts_with("sqlite:") { "BEGIN IMMEDIATE" } else { "BEGIN; LOCK TABLE write_probe" };
    sqlx::raw_sql(lock).execute(&mut holder).await.unwrap();
    let start = Instant::now();
    let probed = store.check_writes().await;
    assert!(matches!(probed, Err(Error::NoConnection(_))), "{probed:?}");
    // Half of what a write waits for.
    assert!(start.elapsed() < patient().wait / 2, "{:?}", start.elapsed());
    holder.close().await.unwrap();
}

async fn a_database_that_can_only_be_read_says_so(db: &TestStore) {
    let is_sqlite = db.url.starts_with("sqlite:");
    assert!(!inspect(&db.url).await.unwrap().is_read_only);
    let url = db.url.replace("mode=rwc", "mode=ro");
    if !is_sqlite {
        // As a server that stands by for another answers; for connections that come from now on.
        db.execute(
            "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', \
             current_database()); END $$",
        )
        .await;
        assert!(inspect(&url).await.unwrap().is_read_only);
    }
    let options = StoreOptions { migrate: false, ..patient() };
    let store = Store::open_with(&url, &options).await.unwrap();
    let probed = store.check_writes().await;
    assert!(matches!(probed, Err(Error::ReadOnly(_))), "{probed:?}");
}

async fn a_connection_that_the_server_ends_is_replaced(db: &TestStore) {
    let ann = db.user("ann").await;
    if db.url.starts_with("postgres:") {
        db.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
             WHERE datname = current_database() AND pid <> pg_backend_pid()",
        )
        .await;
    }
    db.vehicle(&ann, "Civic").await;
    assert_eq!(db.store.list_vehicles(ann.tenant_id).await.unwrap().len(), 1);
}

#[tokio::test]
async fn connections_to_postgres_that_nobody_uses_are_closed() {
    let Some(db) = TestStore::postgres().await else { return };
    let options = StoreOptions { idle: Duration::from_millis(50), ..patient() };
    let store = Store::open_with(&db.url, &options).await.unwrap();
    store.ping().await.unwrap();
    let closed = async {
        while store.pool().open > 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(PATIENCE, closed).await.expect("they are closed");
    // And opened again.
    store.ping().await.unwrap();
}
