//! Webhooks from their registration to what arrives, against receivers that listen.

use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::post;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures_util::stream;
use jiff::SignedDuration;
use partsight_domain::{EmailAddress, Plan};
use serde_json::{Value, json};
use sqlx::{AnyConnection, Connection};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::{Client, TestApp, pictures};

/// A message as it arrived.
#[derive(Debug, Clone)]
pub(super) struct Arrived {
    headers: HeaderMap,
    body: String,
}

impl Arrived {
    pub(super) fn header(&self, name: &str) -> &str {
        self.headers[name].to_str().unwrap()
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// How a receiver answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    Takes,
    Fails,
    Gone,
    Redirects,
    /// An answer without an end.
    Babbles,
    /// No answer until the manner is another one.
    Waits,
}

#[derive(Clone)]
pub(super) struct Receiver {
    arrived: Arc<Mutex<Vec<Arrived>>>,
    manner: watch::Sender<Manner>,
    pub(super) url: String,
    _server: Arc<JoinSet<()>>,
}

impl Receiver {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hooks", listener.local_addr().unwrap());
        let (arrived, manner) = (Arc::default(), watch::Sender::new(Manner::Takes));
        let state = (Arc::clone(&arrived), manner.clone());
        let router = Router::new().route("/hooks", post(take)).with_state(state);
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { arrived, manner, url, _server: Arc::new(server) }
    }

    pub(super) fn answer(&self, manner: Manner) {
        self.manner.send_replace(manner);
    }

    pub(super) fn arrived(&self) -> Vec<Arrived> {
        self.arrived.lock().unwrap().clone()
    }
}

type Shared = (Arc<Mutex<Vec<Arrived>>>, watch::Sender<Manner>);

async fn take(State((arrived, manner)): State<Shared>, headers: HeaderMap, body: Bytes) -> Response {
    let body = String::from_utf8(body.to_vec()).unwrap();
    arrived.lock().unwrap().push(Arrived { headers, body });
    let manner = *manner.subscribe().wait_for(|manner| *manner != Manner::Waits).await.unwrap();
    match manner {
        Manner::Waits => unreachable!(),
        Manner::Takes => StatusCode::NO_CONTENT.into_response(),
        Manner::Fails => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        Manner::Gone => StatusCode::GONE.into_response(),
        Manner::Redirects => Redirect::temporary("http://127.0.0.1:1/").into_response(),
        Manner::Babbles => {
            let endless = stream::repeat_with(|| Ok::<_, std::io::Error>(Bytes::from_static(&[b'x'; 4096])));
            Body::from_stream(endless).into_response()
        }
    }
}

/// A server on which everybody has Business and receivers may be on this machine, and Ann, who has a vehicle.
pub(super) async fn ready() -> (TestApp, Client, Receiver) {
    let app = TestApp::with_stand_in(|settings| {
        settings.server.plan = Some(Plan::Business);
        settings.webhooks.private_addresses = true;
    })
    .await;
    let ann = app.sign_up_with_vehicle("ann").await;
    (app, ann, Receiver::start().await)
}

pub(super) async fn add(client: &Client, url: &str, events: &[&str]) -> Value {
    let form = json!({ "url": url, "events": events });
    client.post("/api/webhooks", &form).await.expect_status(201).json()
}

pub(super) fn path(webhook: &Value) -> String {
    format!("/api/webhooks/{}", webhook["id"].as_str().unwrap())
}

/// Gives Ann a plan of her own.
async fn give_plan(app: &TestApp, plan: Plan) {
    let admin = app.admin(|_| {}).await;
    admin.set_plan(&EmailAddress::new("ann@example.com").unwrap(), plan).await.unwrap();
    admin.close().await;
}

/// Lets the server make all deliveries that are due.
pub(super) async fn deliver(app: &TestApp) {
    while app.use_cases.events.deliver_next().await.unwrap() {}
}

/// What a receiver with a library of its own would compute, from nothing but the documents.
fn expected_signature(secret: &str, message: &Arrived) -> String {
    let key = STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap();
    let text =
        format!("{}.{}.{}", message.header("webhook-id"), message.header("webhook-timestamp"), message.body);
    let mut inner = [0x36_u8; 64];
    let mut outer = [0x5c_u8; 64];
    for (at, byte) in key.iter().enumerate() {
        inner[at] ^= byte;
        outer[at] ^= byte;
    }
    let hash = |parts: [&[u8]; 2]| {
        use sha2::{Digest, Sha256};
        let mut hash = Sha256::new();
        for part in parts {
            hash.update(part);
        }
        hash.finalize().to_vec()
    };
    // HMAC as RFC 2104 defines it, for a key that is no longer than a block.
    let mac = hash([&outer, &hash([&inner, text.as_bytes()])]);
    format!("v1,{}", STANDARD.encode(mac))
}

#[tokio::test]
async fn a_scan_is_told_signed_and_once() {
    let (app, ann, receiver) = ready().await;
    let webhook = add(&ann, &receiver.url, &["scan.answered"]).await;
    let secret = webhook["secret"].as_str().unwrap();
    assert!(secret.starts_with("whsec_"), "{webhook}");
    assert!(!ann.get("/api/webhooks").await.text.contains(secret));
    let scan = ann.identify(&pictures::plain()).await.expect_status(200).json();
    // Nothing leaves within the scan itself.
    assert_eq!(receiver.arrived().len(), 0);
    deliver(&app).await;
    let arrived = receiver.arrived();
    assert_eq!(arrived.len(), 1);
    let (message, body) = (&arrived[0], arrived[0].json());
    assert_eq!((&body["type"], &body["data"]["scanId"]), (&json!("scan.answered"), &scan["id"]));
    assert_eq!(body["data"]["verdict"], scan["verdict"]);
    assert_eq!(body["timestamp"], "2027-01-15T08:00:00.000Z");
    assert_eq!(
        (message.header("webhook-id"), message.header("partsight-attempt")),
        (body["id"].as_str().unwrap(), "1")
    );
    assert_eq!(message.header("webhook-timestamp"), "1800000000");
    assert_eq!(message.header("webhook-signature"), expected_signature(secret, message));
    assert_eq!(message.header("content-type"), "application/json");
    deliver(&app).await;
    assert_eq!(receiver.arrived().len(), 1);
    let list = ann.get(&format!("{}/deliveries", path(&webhook))).await.expect_status(200).json();
    assert_eq!((&list[0]["state"], &list[0]["status"]), (&json!("delivered"), &json!(204)));
}

#[tokio::test]
async fn deliveries_are_listed_in_pages() {
    let (_app, ann, receiver) = ready().await;
    let webhook = add(&ann, &receiver.url, &["scan.answered"]).await;
    for _ in 0..3 {
        ann.identify(&pictures::plain()).await.expect_status(200);
    }
    let list = format!("{}/deliveries", path(&webhook));
    let all = ann.get(&list).await;
    assert_eq!(all.header("x-next-cursor"), "");
    let all = all.expect_status(200).json();
    let first = ann.get(&format!("{list}?state=waiting&limit=2")).await;
    let cursor = first.header("x-next-cursor").to_owned();
    let link = format!("<{list}?before={cursor}&limit=2&state=waiting>; rel=\"next\"");
    assert_eq!(first.header("link"), link);
    let second = ann.get(&format!("{list}?state=waiting&limit=2&before={cursor}")).await;
    assert_eq!(second.header("x-next-cursor"), "");
    let walked = [first, second].map(|page| page.json().as_array().unwrap().clone()).concat();
    assert_eq!((walked.len(), &json!(walked)), (3, &all));
    let off = json!({ "url": receiver.url, "events": ["scan.answered"], "enabled": false });
    ann.put_json(&path(&webhook), &off).await.expect_status(200);
    assert_eq!(ann.get(&list).await.json()[0]["nextAt"], Value::Null, "nothing is planned while it is off");
    for (query, field) in [("limit=0", "limit"), ("limit=201", "limit"), ("before=x", "before")] {
        let refused = ann.get(&format!("{list}?{query}")).await;
        assert_eq!(refused.expect_status(422).json()["field"], field);
    }
}

#[tokio::test]
async fn what_fails_is_tried_again_by_the_same_id_until_it_is_dead_and_can_be_sent_again() {
    let (app, ann, receiver) = ready().await;
    let webhook = add(&ann, &receiver.url, &["scan.answered"]).await;
    receiver.answer(Manner::Fails);
    ann.identify(&pictures::plain()).await.expect_status(200);
    for n_tries in 1..=10 {
        deliver(&app).await;
        assert_eq!(receiver.arrived().len(), n_tries);
        app.advance(SignedDuration::from_hours(8));
    }
    deliver(&app).await;
    let arrived = receiver.arrived();
    assert_eq!(arrived.len(), 10);
    assert!(arrived.iter().all(|message| message.header("webhook-id") == arrived[0].header("webhook-id")));
    assert_eq!(arrived[9].header("partsight-attempt"), "10");
    let state = ann.get(&path(&webhook)).await.expect_status(200).json();
    assert_eq!((&state["dead"], &state["waiting"], &state["enabled"]), (&json!(1), &json!(0), &json!(true)));
    assert!(state["failingSince"].is_string(), "{state}");
    let deliveries = format!("{}/deliveries", path(&webhook));
    let dead = ann.get(&format!("{deliveries}?state=dead")).await.expect_status(200).json();
    assert_eq!((&dead[0]["status"], &dead[0]["attempts"]), (&json!(500), &json!(10)));
    assert!(dead[0]["problem"].as_str().unwrap().contains("2xx"), "{dead}");
    ann.get(&format!("{deliveries}?state=lost")).await.problem(422, "invalid");
    receiver.answer(Manner::Takes);
    let again = ann.post_bare(&format!("{deliveries}/retry")).await.expect_status(200).json();
    assert_eq!(again, json!({ "count": 1 }));
    deliver(&app).await;
    assert_eq!(receiver.arrived().len(), 11);
    // The receiver sees that it is no first try.
    assert_eq!(receiver.arrived()[10].header("partsight-attempt"), "11");
    let event = dead[0]["eventId"].as_str().unwrap();
    ann.post_bare(&format!("{deliveries}/{event}/retry")).await.expect_status(204);
    deliver(&app).await;
    assert_eq!(receiver.arrived()[11].header("webhook-id"), event);
    let state = ann.get(&path(&webhook)).await.json();
    assert_eq!((&state["dead"], &state["failingSince"]), (&json!(0), &Value::Null));
}

#[tokio::test]
async fn an_endpoint_is_disabled_after_days_of_failures_and_not_of_silence() {
    let (app, ann, receiver) = ready().await;
    let webhook = add(&ann, &receiver.url, &["scan.answered"]).await;
    receiver.answer(Manner::Fails);
    let scan = async || {
        ann.identify(&pictures::plain()).await.expect_status(200);
    };
    let state = async || {
        let state = ann.get(&path(&webhook)).await.expect_status(200).json();
        ["enabled", "waiting", "dead"].map(|name| state[name].clone())
    };
    let hours = async |n: usize| {
        for _ in 0..n {
            deliver(&app).await;
            app.advance(SignedDuration::from_hours(1));
        }
    };
    scan().await;
    hours(48).await;
    assert_eq!(state().await, [json!(true), json!(0), json!(1)]);
    app.advance(SignedDuration::from_hours(4 * 24));
    scan().await;
    scan().await;
    hours(1).await;
    assert_eq!(state().await, [json!(true), json!(2), json!(1)]);
    hours(48).await;
    assert_eq!(state().await, [json!(true), json!(0), json!(3)]);
    assert_eq!(receiver.arrived().len(), 30, "each has its ten tries");
    scan().await;
    hours(20).await;
    scan().await;
    hours(8).await;
    assert_eq!(
        state().await,
        [json!(true), json!(2), json!(3)],
        "after three days they still have tries left"
    );
    hours(12).await;
    assert_eq!(state().await, [json!(false), json!(0), json!(5)]);
    let list = ann.get(&format!("{}/deliveries", path(&webhook))).await.expect_status(200).json();
    assert!(list[0]["problem"].as_str().unwrap().contains("disabled"), "{list}");
}

#[tokio::test]
async fn a_stopping_server_saves_what_came_of_the_deliveries_that_it_is_making() {
    let (app, ann, receiver) = ready().await;
    add(&ann, &receiver.url, &["scan.answered"]).await;
    receiver.answer(Manner::Waits);
    ann.identify(&pictures::plain()).await.expect_status(200);
    let events = Arc::clone(&app.use_cases.events);
    let mut sending = JoinSet::new();
    sending.spawn(async move { match events.run().await {} });
    while receiver.arrived().is_empty() {
        tokio::task::yield_now().await;
    }
    let mut closing = pin!(app.use_cases.close());
    assert!(timeout(Duration::from_millis(500), &mut closing).await.is_err(), "it waits for the answer");
    receiver.answer(Manner::Takes);
    closing.await;
    let mut connection = AnyConnection::connect(&app.database_url).await.unwrap();
    let state: String =
        sqlx::query_scalar("SELECT state FROM webhook_delivery").fetch_one(&mut connection).await.unwrap();
    assert_eq!(state, "delivered");
    connection.close().await.unwrap();
}

#[tokio::test]
async fn an_endpoint_that_answers_gone_is_disabled_at_once() {
    let (app, ann, receiver) = ready().await;
    let webhook = add(&ann, &receiver.url, &["scan.answered"]).await;
    receiver.answer(Manner::Gone);
    for _ in 0..2 {
        ann.identify(&pictures::plain()).await.expect_status(200);
    }
    deliver(&app).await;
    assert_eq!(receiver.arrived().len(), 1);
    let state = ann.get(&path(&webhook)).await.expect_status(200).json();
    assert_eq!((&state["enabled"], &state["waiting"], &state["dead"]), (&json!(false), &json!(0), &json!(2)));
    let list = ann.get(&format!("{}/deliveries", path(&webhook))).await.expect_status(200).json();
    for delivery in list.as_array().unwrap() {
        assert!(delivery["problem"].as_str().unwrap().contains("410 (Gone)"), "{list}");
    }
}

#[tokio::test]
async fn a_receiver_that_redirects_or_answers_without_end_is_left() {
    let (app, ann, receiver) = ready().await;
    let webhook = add(&ann, &receiver.url, &["scan.answered"]).await;
    receiver.answer(Manner::Redirects);
    ann.identify(&pictures::plain()).await.expect_status(200);
    deliver(&app).await;
    let deliveries = format!("{}/deliveries", path(&webhook));
    let list = ann.get(&deliveries).await.json();
    assert_eq!((&list[0]["state"], &list[0]["status"]), (&json!("waiting"), &json!(307)));
    assert!(list[0]["problem"].as_str().unwrap().contains("redirects"), "{list}");
    receiver.answer(Manner::Babbles);
    app.advance(SignedDuration::from_mins(1));
    timeout(Duration::from_secs(9), deliver(&app)).await.expect("it is not read to its end");
    let list = ann.get(&deliveries).await.json();
    assert_eq!((&list[0]["state"], &list[0]["status"]), (&json!("delivered"), &json!(200)));
}

#[tokio::test]
async fn a_test_says_what_comes_of_it_and_leaves_nothing_behind() {
    let (app, ann, receiver) = ready().await;
    let webhook = add(&ann, &receiver.url, &["batch.finished"]).await;
    let test = format!("{}/test", path(&webhook));
    let report = ann.post_bare(&test).await.expect_status(200).json();
    assert_eq!((&report["delivered"], &report["status"]), (&json!(true), &json!(204)));
    let arrived = receiver.arrived();
    assert_eq!(arrived[0].json()["type"], "webhook.test");
    let secret = webhook["secret"].as_str().unwrap();
    assert_eq!(arrived[0].header("webhook-signature"), expected_signature(secret, &arrived[0]));
    // With another secret the next one is signed another way.
    let renewed = ann.post_bare(&format!("{}/secret", path(&webhook))).await.expect_status(201).json();
    let secret = renewed["secret"].as_str().unwrap();
    receiver.answer(Manner::Fails);
    let report = ann.post_bare(&test).await.expect_status(200).json();
    assert_eq!((&report["delivered"], &report["status"]), (&json!(false), &json!(500)));
    let arrived = receiver.arrived();
    assert_eq!(arrived[1].header("webhook-signature"), expected_signature(secret, &arrived[1]));
    assert_eq!(ann.get(&format!("{}/deliveries", path(&webhook))).await.json(), json!([]));
    for _ in 2..10 {
        ann.post_bare(&test).await.expect_status(200);
    }
    ann.post_bare(&test).await.problem(429, "too-many-attempts");
    assert!(!app.use_cases.events.deliver_next().await.unwrap());
}

#[tokio::test]
async fn a_test_that_arrives_lets_what_waits_go_at_once() {
    let (app, ann, receiver) = ready().await;
    let webhook = add(&ann, &receiver.url, &["scan.answered"]).await;
    receiver.answer(Manner::Fails);
    for _ in 0..2 {
        ann.identify(&pictures::plain()).await.expect_status(200);
    }
    deliver(&app).await;
    receiver.answer(Manner::Takes);
    deliver(&app).await;
    assert_eq!(receiver.arrived().len(), 1, "after a failure the endpoint is left alone");
    ann.post_bare(&format!("{}/test", path(&webhook))).await.expect_status(200);
    deliver(&app).await;
    let arrived = receiver.arrived();
    let kinds: Vec<_> = arrived.iter().map(|message| message.json()["type"].clone()).collect();
    assert_eq!(kinds, ["scan.answered", "webhook.test", "scan.answered"]);
    assert_eq!(ann.get(&path(&webhook)).await.json()["failingSince"], Value::Null);
}

#[tokio::test]
async fn an_address_inside_is_refused_before_and_behind_its_name() {
    let (_app, ann) = TestApp::ready_to_scan_on(Plan::Business).await;
    let form = |url: &str| json!({ "url": url, "events": ["scan.answered"] });
    for url in [
        "http://shop.example.com/",
        "https://127.0.0.1/",
        "https://[::1]:8080/",
        "https://10.0.0.1/",
        "https://169.254.169.254/latest/meta-data",
        "https://0x7f000001/",
        "https://ann:secret@example.com/",
        "",
    ] {
        ann.post("/api/webhooks", &form(url)).await.problem(422, "invalid");
    }
    let long = form(&format!("https://shop.example.com/{}", "x".repeat(2_000)));
    let sentence = ann.post("/api/webhooks", &long).await.problem(422, "invalid");
    assert!(sentence.contains("2,000 bytes"), "{sentence}");
    // What a name leads to is seen when something is sent.
    let webhook = ann.post("/api/webhooks", &form("https://localhost:1/")).await.expect_status(201).json();
    let report = ann.post_bare(&format!("{}/test", path(&webhook))).await.expect_status(200).json();
    assert_eq!((&report["delivered"], &report["status"]), (&json!(false), &Value::Null));
    assert!(report["problem"].as_str().unwrap().contains("private network"), "{report}");
}

#[tokio::test]
async fn without_business_nothing_is_sent_until_it_is_there_again() {
    // Each account has a plan of its own here.
    let app = TestApp::with_stand_in(|settings| settings.webhooks.private_addresses = true).await;
    let ann = app.sign_up_with_vehicle("ann").await;
    let receiver = Receiver::start().await;
    give_plan(&app, Plan::Business).await;
    let webhook = add(&ann, &receiver.url, &["scan.answered"]).await;
    assert_eq!(webhook["paused"], Value::Null);
    ann.identify(&pictures::plain()).await.expect_status(200);
    give_plan(&app, Plan::Basic).await;
    deliver(&app).await;
    assert_eq!(receiver.arrived().len(), 0);
    let state = ann.get(&path(&webhook)).await.expect_status(200).json();
    let why = state["paused"].as_str().unwrap();
    assert!(why.contains("Business plan, which has ended"), "{why}");
    assert_eq!((&state["enabled"], &state["waiting"], &state["dead"]), (&json!(true), &json!(1), &json!(0)));
    let it = ann.get(&format!("{}/deliveries", path(&webhook))).await.expect_status(200).json()[0].clone();
    assert_eq!([&it["attempts"], &it["problem"], &it["nextAt"]], [&json!(0), &json!(why), &Value::Null]);
    give_plan(&app, Plan::Business).await;
    app.advance(SignedDuration::from_mins(11));
    deliver(&app).await;
    let arrived = receiver.arrived();
    assert_eq!(arrived.len(), 1);
    assert_eq!(arrived[0].header("partsight-attempt"), "1", "what was not sent was no try");
    assert_eq!(ann.get(&path(&webhook)).await.json()["paused"], Value::Null);
}

#[tokio::test]
async fn nothing_is_sent_where_nothing_may_leave() {
    let app = TestApp::with_stand_in(|settings| {
        settings.server.plan = Some(Plan::Business);
        settings.server.zero_egress = true;
    })
    .await;
    let ann = app.sign_up("ann").await;
    let form = json!({ "url": "https://example.com/", "events": ["scan.answered"] });
    let detail = ann.post("/api/webhooks", &form).await.problem(403, "forbidden");
    assert!(detail.contains("no other machine"), "{detail}");
    assert!(!app.use_cases.events.deliver_next().await.unwrap());
}

#[tokio::test]
async fn webhooks_are_part_of_business_and_at_most_ten() {
    let (_app, ann) = TestApp::stand_in_with_ann().await;
    let form = json!({ "url": "https://example.com/", "events": ["scan.answered"] });
    ann.post("/api/webhooks", &form).await.problem(403, "forbidden");
    let (_app, bob, receiver) = ready().await;
    let mut last = Value::Null;
    for _ in 0..10 {
        last = add(&bob, &receiver.url, &["scan.answered"]).await;
    }
    bob.post("/api/webhooks", &json!({ "url": receiver.url, "events": ["scan.answered"] }))
        .await
        .problem(409, "conflict");
    let off = json!({ "url": receiver.url, "events": ["reminder.due"], "enabled": false });
    let changed = bob.put_json(&path(&last), &off).await.expect_status(200).json();
    assert_eq!((&changed["enabled"], &changed["events"]), (&json!(false), &json!(["reminder.due"])));
    bob.delete(&path(&last)).await.expect_status(204);
    bob.get(&path(&last)).await.problem(404, "not-found");
    let export = bob.get("/api/auth/user/export").await;
    assert_eq!(export.expect_status(200).json()["webhooks"].as_array().unwrap().len(), 9);
    assert!(!export.text.contains("whsec_"), "no secret leaves with the export");
}
