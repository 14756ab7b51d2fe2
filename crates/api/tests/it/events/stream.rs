//! The stream of events.

use std::time::Duration;

use jiff::SignedDuration;
use partsight_domain::Plan;
use reqwest::{Method, Response};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::batches::jobs::{new_batch, photos, upload};
use crate::{Client, TestApp, pictures};

async fn watch(client: &Client, last: Option<&str>) -> Response {
    let mut request = client.request(Method::GET, "/api/events");
    if let Some(last) = last {
        request = request.header("Last-Event-ID", last);
    }
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 200);
    let headers = response.headers();
    assert_eq!(headers["content-type"], "text/event-stream");
    assert_eq!(headers["x-accel-buffering"], "no", "a proxy hands each event on at once");
    assert_eq!(headers["cache-control"], "no-store");
    response
}

/// The next `n` events of a stream: name, id and data.
async fn next(response: &mut Response, n: usize) -> Vec<(String, String, Value)> {
    let mut text = String::new();
    let read = async {
        while text.matches("\n\n").count() < n {
            text.push_str(std::str::from_utf8(&response.chunk().await.unwrap().unwrap()).unwrap());
        }
    };
    timeout(Duration::from_secs(20), read).await.expect("events come");
    let field = |block: &str, name: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_default().trim_start().to_owned()
    };
    let blocks = text.split("\n\n").filter(|block| block.contains("data:"));
    blocks
        .map(|block| {
            let data = serde_json::from_str(&field(block, "data:")).unwrap();
            (field(block, "event:"), field(block, "id:"), data)
        })
        .collect()
}

#[tokio::test]
async fn a_stream_tells_what_happens_and_goes_on_where_it_ended() {
    let (app, ann) = TestApp::ready_to_scan_on(Plan::Business).await;
    let mut stream = watch(&ann, None).await;
    assert_eq!(next(&mut stream, 1).await, [("ready".to_owned(), "0".to_owned(), json!({}))]);
    let scan = ann.identify(&pictures::plain()).await.expect_status(200).json();
    let told = next(&mut stream, 1).await;
    assert_eq!((told[0].0.as_str(), told[0].1.as_str()), ("scan.answered", "1"));
    assert_eq!(told[0].2["data"]["scanId"], scan["id"]);
    drop(stream);
    // A batch, and one photograph of it that is none.
    let batch = new_batch(&ann).await;
    let files = [("a", pictures::blocks(1, 0)), ("broken", b"GIF89a".to_vec())];
    upload(&ann, &batch, photos(&files)).await.expect_status(200);
    ann.post_bare(&format!("/api/batches/{batch}/start")).await.expect_status(200);
    while app.use_cases.batches.answer_next().await.unwrap() {}
    let mut stream = watch(&ann, Some("1")).await;
    let told = next(&mut stream, 4).await;
    let mut kinds: Vec<&str> = told.iter().map(|(kind, ..)| kind.as_str()).collect();
    assert_eq!(kinds.remove(0), "ready");
    assert_eq!(*kinds.last().unwrap(), "batch.finished");
    kinds.sort_unstable();
    assert_eq!(kinds, ["batch.finished", "batch.item-failed", "scan.answered"]);
    let of = |kind: &str| &told.iter().find(|event| event.0 == kind).unwrap().2["data"];
    assert_eq!(of("batch.finished")["batchId"], json!(batch));
    let counts = ann.get(&format!("/api/batches/{batch}")).await.json()["counts"].clone();
    assert_eq!(of("batch.finished")["counts"], counts);
    assert_eq!(
        (&counts["answered"], &counts["failed"], &counts["notAPart"]),
        (&json!(1), &json!(1), &json!(0))
    );
    assert_eq!(of("batch.item-failed")["key"], "broken");
    assert_eq!(of("scan.answered")["batchId"], json!(batch));
    // A client that can set no header says it in the address.
    let mut stream = ann.request(Method::GET, "/api/events?after=3").send().await.unwrap();
    assert_eq!(next(&mut stream, 2).await[1].1, "4");
    // A number from before an older backup was restored: what happens from now on is told.
    let mut stream = watch(&ann, Some("99")).await;
    assert_eq!(next(&mut stream, 1).await[0].1, "4");
    ann.identify(&pictures::plain()).await.expect_status(200);
    assert_eq!(next(&mut stream, 1).await[0].1, "5");
    for wrong in ["x", "-1", "1.5"] {
        ann.get(&format!("/api/events?after={wrong}")).await.problem(422, "invalid");
    }
}

#[tokio::test]
async fn what_is_due_is_told_once_and_nobody_hears_of_others() {
    let (app, ann) = TestApp::ready_to_scan_on(Plan::Business).await;
    let vehicle = ann.get("/api/vehicles/default").await.json()["id"].clone();
    // Six months ago.
    let body = json!({ "vehicleId": vehicle, "mileage": 1000, "changeDate": "2026-07-20" });
    ann.post("/api/oil-changes", &body).await.expect_status(201);
    app.use_cases.garage.check_reminders().await.unwrap();
    app.advance(SignedDuration::from_hours(5));
    app.use_cases.garage.check_reminders().await.unwrap();
    let mut stream = watch(&ann, Some("0")).await;
    let told = next(&mut stream, 2).await;
    assert_eq!((told[1].0.as_str(), told[1].1.as_str()), ("reminder.due", "1"));
    let data = &told[1].2["data"];
    assert_eq!((&data["vehicleId"], &data["item"]), (&vehicle, &json!("engine-oil")));
    assert!(data["message"].as_str().unwrap().contains("Oil change"), "{data}");
    drop(stream);
    ann.identify(&pictures::plain()).await.expect_status(200);
    // Looked at twice, it was told once: the next event is the scan.
    let told = next(&mut watch(&ann, Some("1")).await, 2).await;
    assert_eq!((told[1].0.as_str(), told[1].1.as_str()), ("scan.answered", "2"));
    let bob = app.sign_up("bob").await;
    assert_eq!(next(&mut watch(&bob, Some("0")).await, 1).await.len(), 1);
}
