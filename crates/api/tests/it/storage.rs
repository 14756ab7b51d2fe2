//! A database that cannot write, seen from outside; and one that is opened again.

use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;
use partsight_app::StoreOptions;
use partsight_domain::Plan;
use partsight_test_support::PATIENCE;
use reqwest::Method;
use reqwest::multipart::Form;
use sqlx::{AnyConnection, Connection};
use tokio::time::timeout;

use crate::batches::jobs::{new_batch, photos, start, upload};
use crate::client::send;
use crate::engine::Behaviour;
use crate::{Engines, Setup, TestApp, pictures};

/// How long a server waits for a lock that a test holds: long enough for a slow disk, and waited out.
const LOCK_WAIT: Duration = Duration::from_secs(2);

/// A second server over the data of the first, with a stand-in engine and no limit on scans.
async fn again(first: &TestApp, store: StoreOptions) -> TestApp {
    again_with(first, store, true).await
}

/// As [`again`]; its engine answers only after the gate opens, unless `is_open`.
async fn again_with(first: &TestApp, store: StoreOptions, is_open: bool) -> TestApp {
    let mut setup = Setup {
        engines: Some(Engines { count: 1, behaviour: Behaviour::Answer, is_open }),
        store,
        folder: Some(Arc::clone(&first.folder)),
        ..Setup::default()
    };
    setup.settings.server.plan = Some(Plan::Pro);
    TestApp::with(setup).await
}

#[tokio::test]
async fn a_full_disk_is_said_and_counts_nothing() {
    let first = TestApp::on_sqlite().await;
    let client = first.sign_up_with_vehicle("ann").await;
    let full = StoreOptions { max_connections: 1, max_pages: Some(1), ..Setup::default().store };
    let app = again(&first, full).await;
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
    client.get("/health").await.problem(503, "storage-full");
    let kept = client.get("/api/scans/recent?limit=100").await.json();
    assert_eq!(kept.as_array().unwrap().len() as u64, saved);
}

#[tokio::test]
async fn a_batch_says_that_the_disk_is_full_and_counts_what_it_answered() {
    const PHOTOS: u32 = 40;
    let first = TestApp::on_sqlite().await;
    let client = first.sign_up_with_vehicle("ann").await;
    let id = new_batch(&client).await;
    let keys: Vec<String> = (0..PHOTOS).map(|at| at.to_string()).collect();
    let files: Vec<_> =
        keys.iter().zip(0..).map(|(key, at)| (key.as_str(), pictures::blocks(at, 0))).collect();
    upload(&client, &id, photos(&files)).await.expect_status(200);
    start(&client, &id).await.expect_status(200);

    let full = StoreOptions { max_connections: 1, max_pages: Some(1), ..Setup::default().store };
    let app = again(&first, full).await;
    let (batches, client) = (app.use_cases.batches.clone(), client.at(app.address));
    let path = format!("/api/batches/{id}");
    let said = tokio::select! {
        never = batches.run() => match never {},
        said = client.get_until(&path, |batch| !batch["reason"].is_null()) => said,
    };
    // Whether it stops or waits depends on whether its state still fits into the pages that are there.
    assert!(said["reason"].as_str().unwrap().starts_with("The server's disk is full."), "{said}");
    let n_answered = said["counts"]["answered"].as_u64().unwrap();
    assert!(n_answered < PHOTOS.into(), "{said}");
    assert_eq!(client.used().await, n_answered);
}

#[tokio::test]
async fn a_locked_database_is_said_and_counts_nothing() {
    let first = TestApp::on_sqlite().await;
    let client = first.sign_up_with_vehicle("ann").await;
    let app = again(&first, StoreOptions { wait: LOCK_WAIT, ..StoreOptions::default() }).await;
    let client = client.at(app.address);
    let mut holder = AnyConnection::connect(&app.database_url).await.unwrap();
    sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut holder).await.unwrap();

    let reply = client.identify(&pictures::plain()).await;
    let sentence = reply.problem(503, "busy");
    let expected = "The database does not answer at the moment. Please try again in a few seconds.";
    assert_eq!(sentence, expected);
    assert!(!reply.header("retry-after").is_empty());
    assert_eq!(client.used().await, 0);

    sqlx::raw_sql("ROLLBACK").execute(&mut holder).await.unwrap();
    client.identify(&pictures::plain()).await.expect_status(200);
    assert_eq!(client.used().await, 1);
}

#[tokio::test]
async fn a_read_waits_for_nobody_who_writes() {
    let app = TestApp::on_sqlite().await;
    let client = app.sign_up("ann").await;
    // The next call notes that the session was used, for which the server would wait a minute.
    app.advance(SignedDuration::from_mins(10));
    let mut holder = AnyConnection::connect(&app.database_url).await.unwrap();
    sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut holder).await.unwrap();
    let answer = timeout(Duration::from_secs(50), client.get("/api/vehicles")).await;
    answer.expect("the read waits for the lock, which is held until it is answered").expect_status(200);
    sqlx::raw_sql("ROLLBACK").execute(&mut holder).await.unwrap();
}

#[tokio::test]
async fn a_scan_that_could_not_be_saved_can_be_sent_again_under_its_key() {
    let first = TestApp::on_sqlite().await;
    let client = first.sign_up_with_vehicle("ann").await;
    let store = StoreOptions { wait: LOCK_WAIT, ..StoreOptions::default() };
    let app = again_with(&first, store, false).await;
    let client = client.at(app.address);
    let photo = pictures::plain();
    let scan = async || {
        let form = Form::new().part("image", crate::client::file(&photo, "image/jpeg"));
        let request = client.request(Method::POST, "/api/identify").header("Idempotency-Key", "k");
        send(request.multipart(form)).await
    };
    let mut holder = AnyConnection::connect(&app.database_url).await.unwrap();
    // Locked after the key was claimed, so that the scan can neither be saved nor its key be given up.
    let lock = async {
        app.gate().wait_for_images(1).await;
        sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut holder).await.unwrap();
        app.gate().open();
    };
    let (reply, ()) = tokio::join!(scan(), lock);
    reply.problem(503, "busy");
    sqlx::raw_sql("ROLLBACK").execute(&mut holder).await.unwrap();
    let given_up = async {
        loop {
            let reply = scan().await;
            if reply.status == 200 {
                break;
            }
            reply.problem(409, "conflict");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    timeout(PATIENCE, given_up).await.expect("the key is given up");
    assert_eq!(client.used().await, 1);
}

#[tokio::test]
async fn accounts_sessions_vehicles_and_scans_outlive_the_server() {
    let (first, client) = TestApp::ready_to_scan().await;
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
