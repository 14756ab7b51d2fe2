//! The VIN decoder elsewhere, played by a server of the tests that answers as vPIC does.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::get;
use axum::{Json, Router};
use partsight_domain::ServiceUrl;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::TestApp;
use crate::recorder::{Record, listen};

const ACCORD: &str = "1HGCM82633A004352";
/// The fake fails for it.
const DOWN: &str = "1HGCM82643A004352";
/// The fake answers in another form.
const NONSENSE: &str = "1HGCM82653A004352";
/// The fake answers with more than anybody wants to read.
const ENDLESS: &str = "1HGCM82663A004352";

struct Peer {
    address: String,
    n_questions: Arc<AtomicUsize>,
    _record: Record,
    _server: JoinSet<()>,
}

impl Peer {
    async fn start() -> Self {
        let n_questions = Arc::new(AtomicUsize::new(0));
        let router = Router::new()
            .route("/api/vehicles/DecodeVinValues/{vin}", get(decode))
            .with_state(n_questions.clone());
        let (recorder, record) = listen().await;
        let address = format!("http://{}/api", record.address);
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(recorder, router).await.unwrap() });
        Self { address, n_questions, _record: record, _server: server }
    }

    fn n_questions(&self) -> usize {
        self.n_questions.load(Ordering::SeqCst)
    }
}

async fn decode(
    State(n_questions): State<Arc<AtomicUsize>>,
    Path(vin): Path<String>,
) -> (StatusCode, Json<Value>) {
    n_questions.fetch_add(1, Ordering::SeqCst);
    if vin == DOWN {
        return (StatusCode::INTERNAL_SERVER_ERROR, Json(json!({ "Message": "Error" })));
    }
    let results = match vin.as_str() {
        NONSENSE => json!("<html>"),
        ENDLESS => json!([{ "Make": "x".repeat(1024 * 1024) }]),
        _ => json!([{
            "Make": "HONDA", "Model": "Accord", "ModelYear": "2003", "Trim": "EX-V6", "BodyClass": "Coupe",
            "DisplacementL": "2.998832712", "EngineCylinders": "6", "FuelTypePrimary": "Gasoline",
            "DriveType": "", "TransmissionStyle": "Automatic", "ErrorCode": "0",
            "ErrorText": "0 - VIN decoded clean. Check Digit (9th position) is correct",
        }]),
    };
    let answer = json!({
        "Count": 1, "Message": "Results returned successfully", "SearchCriteria": format!("VIN:{vin}"),
        "Results": results,
    });
    (StatusCode::OK, Json(answer))
}

async fn app(fake: &Peer) -> TestApp {
    TestApp::with_settings(|settings| {
        settings.vehicles.vin_decoder_url = Some(ServiceUrl::new(&fake.address));
    })
    .await
}

fn path(vin: &str) -> String {
    format!("/api/vehicles/vin/{vin}/decoder")
}

#[tokio::test]
async fn the_decoder_states_the_model() {
    let fake = Peer::start().await;
    let app = app(&fake).await;
    assert_eq!(app.client().get("/api/settings").await.json()["vinDecoder"], true);
    let client = app.sign_up("ann").await;
    let answer = client.get(&path("1hgcm82633a004352")).await.expect_status(200).json();
    assert_eq!(
        answer,
        json!({
            "make": "HONDA", "model": "Accord", "modelYear": 2003, "trim": "EX-V6", "body": "Coupe",
            "displacement": "2.998832712", "cylinders": 6, "fuelType": "Gasoline", "drivetrain": null,
            "transmission": "Automatic", "remark": null,
        })
    );
    client.get(&path(ACCORD)).await.expect_status(200);
    assert_eq!(fake.n_questions(), 1, "the second answer is the remembered first");
}

#[tokio::test]
async fn nothing_leaves_without_the_setting_or_for_what_is_no_number() {
    let fake = Peer::start().await;
    let off = TestApp::start().await;
    assert_eq!(off.client().get("/api/settings").await.json()["vinDecoder"], false);
    let detail = off.sign_up("ann").await.get(&path(ACCORD)).await.problem(404, "not-found");
    assert!(detail.contains("vin_decoder_url"), "{detail}");
    let app = app(&fake).await;
    app.client().get(&path(ACCORD)).await.problem(401, "not-signed-in");
    let client = app.sign_up("ann").await;
    client.get(&path("1HGCM82633AO04352")).await.problem(422, "invalid");
    client.get(&path("1HGCM82633A00%2F52")).await.problem(422, "invalid");
    assert_eq!(fake.n_questions(), 0);
}

#[tokio::test]
async fn a_decoder_that_fails_is_said_and_the_number_is_still_decoded_here() {
    let fake = Peer::start().await;
    let app = app(&fake).await;
    let client = app.sign_up("ann").await;
    for vin in [DOWN, NONSENSE, ENDLESS] {
        let reply = client.get(&path(vin)).await;
        assert!(reply.problem(503, "service-down").starts_with("The VIN decoder does not answer"), "{vin}");
        assert_eq!(reply.header("retry-after"), "60");
    }
    client.get(&format!("/api/vehicles/vin/{DOWN}")).await.expect_status(200);
}

#[tokio::test]
async fn one_person_asks_twenty_times_at_once() {
    let fake = Peer::start().await;
    let app = app(&fake).await;
    let (ann, bob) = (app.sign_up("ann").await, app.sign_up("bob").await);
    for serial in 0..20 {
        ann.get(&path(&format!("1HGCM82633A0{serial:05}"))).await.expect_status(200);
    }
    ann.get(&path("1HGCM82633A099999")).await.problem(429, "too-many-attempts");
    bob.get(&path("1HGCM82633A099999")).await.expect_status(200);
}
