//! A database that cannot write, seen from outside; and one that is opened again.

use std::sync::Arc;
use std::time::Duration;

use partsight_app::StoreOptions;
use partsight_domain::Plan;
use sqlx::{AnyConnection, Connection};

use crate::engine::Behaviour;
use crate::{Engines, Setup, TestApp, pictures};

/// A second server over the data of the first, with a stand-in engine and no limit on scans.
async fn again(first: &TestApp, store: StoreOptions) -> TestApp {
    let mut setup = Setup {
        engines: Some(Engines { count: 1, behaviour: Behaviour::Answer, is_open: true }),
        store,
        folder: Some(Arc::clone(&first.folder)),
        ..Setup::default()
    };
    setup.settings.plan = Some(Plan::Pro);
    TestApp::with(setup).await
}

#[tokio::test]
async fn a_full_disk_is_said_and_counts_nothing() {
    let first = TestApp::on_sqlite().await;
    let client = first.sign_up_with_vehicle("ann").await;
    let app =
        again(&first, StoreOptions { max_connections: 1, max_pages: Some(1), ..StoreOptions::default() })
            .await;
    let client = client.at(app.address);

    // A few scans fit into the pages that are there.
    let mut saved = 0;
    let reply = loop {
        let reply = client.identify(&pictures::plain()).await;
        if reply.status != 200 {
            break reply;
        }
        saved += 1;
        assert!(saved < 100, "the disk is never full");
    };
    let sentence = reply.problem(503, "storage-full");
    let expected = "The server's disk is full. Nothing was saved; please free some space and try again.";
    assert_eq!(sentence, expected);
    assert!(!reply.header("retry-after").is_empty());
    assert_eq!(client.used().await, saved);
    let kept = client.get("/api/scans/recent?limit=100").await.json();
    assert_eq!(kept.as_array().unwrap().len() as u64, saved);
}

#[tokio::test]
async fn a_locked_database_is_said_and_counts_nothing() {
    let first = TestApp::on_sqlite().await;
    let client = first.sign_up_with_vehicle("ann").await;
    let app =
        again(&first, StoreOptions { wait: Duration::from_millis(500), ..StoreOptions::default() }).await;
    let client = client.at(app.address);
    let mut holder = AnyConnection::connect(&app.database_url).await.unwrap();
    sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut holder).await.unwrap();

    let reply = client.identify(&pictures::plain()).await;
    let sentence = reply.problem(503, "busy");
    let expected = "The database is busy. Nothing was saved; please try again in a few seconds.";
    assert_eq!(sentence, expected);
    assert!(!reply.header("retry-after").is_empty());
    assert_eq!(client.used().await, 0);

    sqlx::raw_sql("ROLLBACK").execute(&mut holder).await.unwrap();
    client.identify(&pictures::plain()).await.expect_status(200);
    assert_eq!(client.used().await, 1);
}

#[tokio::test]
async fn accounts_sessions_vehicles_and_scans_outlive_the_server() {
    let first = TestApp::with_stand_in(|_| {}).await;
    let client = first.sign_up_with_vehicle("ann").await;
    client.identify(&pictures::plain()).await.expect_status(200);
    let paths = ["/api/auth/user", "/api/vehicles", "/api/scans/recent"];
    let mut before = Vec::new();
    for path in paths {
        before.push(client.get(path).await.expect_status(200).json());
    }
    first.use_cases.close().await;

    let app = TestApp::with(Setup { folder: Some(Arc::clone(&first.folder)), ..Setup::default() }).await;
    let client = client.at(app.address);
    for (path, before) in paths.iter().zip(before) {
        assert_eq!(client.get(path).await.expect_status(200).json(), before, "{path}");
    }
    assert_eq!(client.used().await, 1);
}
