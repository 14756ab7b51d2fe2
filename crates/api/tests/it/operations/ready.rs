//! Whether the server says when it can do its work, and what becomes of photographs over which an engine was lost.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::engine::STALL_LIMIT;
use crate::scanning::several_photos::form_of;
use crate::{TestApp, pictures};

/// The check of this name in an answer of `/ready`.
fn check<'b>(body: &'b Value, name: &str) -> &'b Value {
    let checks = body["checks"].as_array().unwrap();
    checks.iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("no `{name}` in {body}"))
}

/// Says that whatever an engine holds has been there for too long.
fn give_up_engines(app: &TestApp) {
    app.use_cases.recognition.check_engines(Instant::now() + STALL_LIMIT + Duration::from_secs(1));
}

#[tokio::test]
async fn a_server_that_works_is_ready_without_a_sign_in() {
    let app = TestApp::start().await;
    let reply = app.client().get("/ready").await;
    let body = reply.expect_status(200).json();
    assert_eq!((&body["status"], reply.header("cache-control")), (&json!("ready"), "no-store"), "{body}");
    let names: Vec<_> = body["checks"].as_array().unwrap().iter().map(|check| &check["name"]).collect();
    assert_eq!(names, ["engines", "canary", "database", "disk"]);
    for name in ["engines", "canary", "database", "disk"] {
        let check = check(&body, name);
        assert_eq!(check["ok"], true, "{body}");
        assert!(check["milliseconds"].as_f64().unwrap() >= 0.0, "{body}");
    }
}

#[tokio::test]
async fn a_model_that_sees_something_else_is_not_ready() {
    let app = TestApp::with_stand_in(|_| {}).await;
    let body = app.client().get("/ready").await.expect_status(503).json();
    assert_eq!(body["status"], "not-ready");
    let canary = check(&body, "canary");
    assert_eq!(canary["ok"], false, "{body}");
    assert!(canary["detail"].as_str().unwrap().ends_with("in a photograph of `rim`."), "{body}");
    assert_eq!(check(&body, "engines")["ok"], true, "{body}");
}

#[tokio::test]
async fn a_server_whose_database_is_gone_is_up_and_not_ready() {
    let app = TestApp::with_stand_in(|_| {}).await;
    app.use_cases.close().await;
    let body = app.client().get("/ready").await.expect_status(503).json();
    let database = check(&body, "database");
    let expected = "The database does not answer at the moment. Please try again in a few seconds.";
    assert_eq!((&database["ok"], &database["detail"]), (&json!(false), &json!(expected)), "{body}");
    assert_eq!(check(&body, "engines")["detail"], "0 of 1 engines run.", "{body}");
}

#[tokio::test]
async fn that_the_model_of_a_stopping_server_answers_no_more_is_no_fault() {
    let app = TestApp::with_stand_in(|_| {}).await;
    let operations = &app.use_cases.operations;
    operations.run_canary().await.unwrap_err();
    operations.begin_draining();
    app.use_cases.close().await;
    operations.run_canary().await.unwrap();
}

#[tokio::test]
async fn those_who_ask_at_once_are_answered_by_one_look() {
    let app = TestApp::stalled(1, |_| {}).await;
    let mut probes = JoinSet::new();
    for _ in 0..20 {
        let client = app.client();
        probes.spawn(async move { client.get("/ready").await.status });
    }
    app.wait_for_running(20).await;
    app.gate().wait_for_images(1).await;
    app.gate().open();
    assert_eq!(probes.join_all().await, [503; 20]);
    assert_eq!(app.gate().images(), 1);
}

#[tokio::test]
async fn a_photo_that_stalled_an_engine_is_not_tried_again_and_others_are() {
    let app = TestApp::stalled(1, |_| {}).await;
    let client = app.sign_up_with_vehicle("ann").await;
    let mut scans = JoinSet::new();
    let sender = client.clone();
    scans.spawn(async move { sender.identify(&pictures::plain()).await });
    app.gate().wait_for_images(1).await;
    give_up_engines(&app);
    let reply = scans.join_next().await.unwrap().unwrap();
    let sentence = reply.problem(503, "busy");
    let expected = "The recognition failed on this photo and is being restarted. Nothing was counted; please try \
                    again, or with another photo.";
    assert_eq!(sentence, expected);
    assert_eq!(reply.header("retry-after"), "5");

    app.gate().open();
    let sentence = client.identify(&pictures::plain()).await.problem(422, "invalid");
    let expected = "This photo made the recognition fail before, so it is not tried again for a day. Please send \
                    another photo of the part.";
    assert_eq!(sentence, expected);
    client.identify(&pictures::blocks(1, 0)).await.expect_status(200);
    assert_eq!(client.used().await, 1);
    let several = client.identify_form(form_of(&[pictures::blocks(2, 0), pictures::plain()])).await;
    assert_eq!(several.problem(422, "invalid"), format!("Photo 2 of 2: {expected}"));
    let metrics = client.get("/metrics").await.text;
    for line in ["partsight_quarantined_photographs 1", "partsight_inference_engine_restarts_total 1"] {
        assert!(metrics.lines().any(|found| found == line), "{line}\n{metrics}");
    }
}

#[tokio::test]
async fn a_server_that_goes_through_engines_is_not_ready() {
    let app = TestApp::stalled(1, |_| {}).await;
    let client = app.sign_up_with_vehicle("ann").await;
    for seed in 1..=3 {
        let mut scans = JoinSet::new();
        let sender = client.clone();
        scans.spawn(async move { sender.identify(&pictures::blocks(seed, 0)).await });
        app.gate().wait_for_images(seed as usize).await;
        give_up_engines(&app);
        scans.join_next().await.unwrap().unwrap().problem(503, "busy");
    }
    app.gate().open();
    let body = client.get("/ready").await.expect_status(503).json();
    let engines = check(&body, "engines");
    let expected = "3 engines were replaced in the last ten minutes.";
    assert_eq!((&engines["ok"], &engines["detail"]), (&json!(false), &json!(expected)), "{body}");
}

#[tokio::test]
async fn every_call_says_how_long_it_took() {
    let (app, client) = TestApp::ready_to_scan().await;
    let scan = client.identify(&pictures::plain()).await;
    for reply in [client.get("/api/vehicles").await, app.client().get("/api/vehicles").await, scan] {
        let values = reply.headers.get_all("server-timing").iter();
        let total: Vec<f64> = values
            .filter_map(|value| value.to_str().unwrap().strip_prefix("total;dur="))
            .map(|millis| millis.parse().unwrap())
            .collect();
        assert!(matches!(total[..], [millis] if millis > 0.0), "{:?}", reply.headers);
    }
    let metrics = client.get("/metrics").await.text;
    for (route, status, n) in [("/api/vehicles", "2xx", 1), ("/api/vehicles", "4xx", 1)] {
        let line = format!(
            "partsight_http_request_duration_seconds_count{{method=\"GET\",route=\"{route}\",status=\"{status}\"}} {n}"
        );
        assert!(metrics.lines().any(|found| found == line), "{line}\n{metrics}");
    }
}
