//! The worker of a server, which claims and saves photographs in groups.

use std::sync::Arc;

use jiff::SignedDuration;
use partsight_domain::Plan;
use serde_json::{Value, json};

use super::jobs::{batch, new_batch, photos, start, upload, work};
use crate::engine::Behaviour;
use crate::{Client, Engines, Setup, TestApp, pictures};

/// A server for a shop on the data of `app`, if that is given, with one worker for batches.
async fn server(app: Option<&TestApp>, is_open: bool) -> TestApp {
    let engines = Engines { count: 1, behaviour: Behaviour::Answer, is_open };
    let mut setup =
        Setup { engines: Some(engines), folder: app.map(|app| Arc::clone(&app.folder)), ..Setup::default() };
    setup.settings.server.plan = Some(Plan::Business);
    setup.settings.model.batch_workers = 1;
    TestApp::with(setup).await
}

/// A running batch of so many photographs, each of something else.
pub(crate) async fn started(client: &Client, n: u32) -> String {
    let id = new_batch(client).await;
    let keys: Vec<String> = (0..n).map(|number| number.to_string()).collect();
    let files: Vec<(&str, Vec<u8>)> =
        keys.iter().zip(1..).map(|(key, seed)| (key.as_str(), pictures::blocks(seed, 0))).collect();
    upload(client, &id, photos(&files)).await.expect_status(200);
    start(client, &id).await.expect_status(200);
    id
}

async fn n_in_history(client: &Client) -> usize {
    client.get("/api/scans/recent?limit=100").await.json().as_array().unwrap().len()
}

pub(crate) async fn done(client: &Client, id: &str) -> Value {
    client.get_until(&format!("/api/batches/{id}"), |batch| batch["state"] == "done").await
}

#[tokio::test]
async fn each_photograph_of_a_group_is_answered_and_counted_once() {
    let app = server(None, true).await;
    let ann = app.sign_up("ann").await;
    let id = new_batch(&ann).await;
    let mut files: Vec<(String, Vec<u8>)> =
        (1..=10).map(|seed| (seed.to_string(), pictures::blocks(seed, 0))).collect();
    files.insert(4, ("broken".to_owned(), b"GIF89a".to_vec()));
    let files: Vec<(&str, Vec<u8>)> =
        files.iter().map(|(key, bytes)| (key.as_str(), bytes.clone())).collect();
    upload(&ann, &id, photos(&files)).await.expect_status(200);
    start(&ann, &id).await.expect_status(200);
    let finished = tokio::select! {
        never = app.use_cases.batches.run() => match never {},
        finished = done(&ann, &id) => finished,
    };
    let counts = &finished["counts"];
    assert_eq!((&counts["answered"], &counts["failed"]), (&json!(10), &json!(1)), "{counts}");
    assert_eq!((ann.used().await, n_in_history(&ann).await), (10, 10));
}

#[tokio::test]
async fn what_a_killed_server_had_claimed_is_taken_up_and_answered_once() {
    let app = server(None, true).await;
    let ann = app.sign_up("ann").await;
    let id = started(&ann, 5).await;
    // It has all of them when it is killed: one is in its engine, which never answers.
    let other = server(Some(&app), false).await;
    tokio::select! {
        never = other.use_cases.batches.run() => match never {},
        () = other.gate().wait_for_images(1) => {}
    }
    work(&app).await;
    assert_eq!(batch(&ann, &id).await["counts"]["running"], 5, "they are still the other one's");
    app.advance(SignedDuration::from_secs(61));
    work(&app).await;
    let finished = batch(&ann, &id).await;
    assert_eq!((&finished["state"], &finished["counts"]["answered"]), (&json!("done"), &json!(5)));
    assert_eq!((ann.used().await, n_in_history(&ann).await), (5, 5));
    // Nobody waits for what its engine says now.
    other.gate().open();
}

#[tokio::test]
async fn a_server_that_stops_saves_what_it_answered_and_gives_the_rest_back() {
    let app = server(None, true).await;
    let ann = app.sign_up("ann").await;
    let id = started(&ann, 6).await;
    let other = server(Some(&app), true).await;
    let stopping = async {
        // Its one worker has answered two by then.
        other.gate().wait_for_images(3).await;
        other.use_cases.close().await;
    };
    tokio::select! {
        never = other.use_cases.batches.run() => match never {},
        () = stopping => {}
    }
    let counts = batch(&ann, &id).await["counts"].clone();
    assert_eq!(counts["running"], 0, "{counts}");
    assert!(counts["answered"].as_u64() >= Some(2), "{counts}");
    // At once, and not when a lease is over.
    work(&app).await;
    let finished = batch(&ann, &id).await;
    assert_eq!((&finished["state"], &finished["counts"]["answered"]), (&json!("done"), &json!(6)));
    assert_eq!((ann.used().await, n_in_history(&ann).await), (6, 6));
}

#[tokio::test]
async fn what_is_in_work_is_given_back_where_the_workers_end_before_the_program_does() {
    let app = server(None, true).await;
    let ann = app.sign_up("ann").await;
    let id = started(&ann, 3).await;
    // As `partsight mcp`, whose client hangs up.
    let other = server(Some(&app), false).await;
    tokio::select! {
        never = other.use_cases.batches.run() => match never {},
        () = other.gate().wait_for_images(1) => {}
    }
    // Lets the tasks of the workers end, which were aborted.
    tokio::task::yield_now().await;
    other.gate().open();
    other.use_cases.close().await;
    assert_eq!(batch(&ann, &id).await["counts"]["waiting"], 3);
}

#[tokio::test]
async fn of_a_group_that_is_cancelled_nothing_more_is_looked_at_or_saved() {
    let app = server(None, false).await;
    let ann = app.sign_up("ann").await;
    let id = started(&ann, 4).await;
    let cancelling = async {
        // The first is in the engine, and the others are claimed.
        app.gate().wait_for_images(1).await;
        ann.post_bare(&format!("/api/batches/{id}/cancel")).await.expect_status(200);
        let next = started(&ann, 1).await;
        app.gate().open();
        done(&ann, &next).await
    };
    let finished = tokio::select! {
        never = app.use_cases.batches.run() => match never {},
        finished = cancelling => finished,
    };
    assert_eq!(finished["counts"]["answered"], 1);
    assert_eq!(batch(&ann, &id).await["counts"]["cancelled"], 4);
    assert_eq!((app.gate().images(), ann.used().await, n_in_history(&ann).await), (2, 1, 1));
}

#[tokio::test]
async fn a_photograph_that_takes_servers_along_is_tried_four_times() {
    let app = server(None, true).await;
    let ann = app.sign_up("ann").await;
    let id = started(&ann, 1).await;
    // As servers that are gone leave it behind.
    app.execute("UPDATE batch_item SET attempts = 4").await;
    work(&app).await;
    let counts = batch(&ann, &id).await["counts"].clone();
    assert_eq!((&counts["failed"], app.gate().images()), (&json!(1), 0), "{counts}");
    ann.post_bare(&format!("/api/batches/{id}/retry")).await.expect_status(200);
    app.execute("UPDATE batch_item SET attempts = 3").await;
    work(&app).await;
    assert_eq!(batch(&ann, &id).await["counts"]["answered"], 1);
}
