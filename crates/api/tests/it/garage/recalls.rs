//! Recalls and complaints, asked of a server of the tests that answers in the form of NHTSA's.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::routing::get;
use axum::{Json, Router};
use jiff::SignedDuration;
use partsight_domain::ServiceUrl;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::recorder::{Record, listen};
use crate::{Client, TestApp};

#[derive(Default)]
struct Said {
    n_questions: AtomicUsize,
    is_down: AtomicBool,
    queries: Mutex<Vec<String>>,
}

struct Peer {
    address: String,
    said: Arc<Said>,
    _record: Record,
    _server: JoinSet<()>,
}

impl Peer {
    async fn start() -> Self {
        let said = Arc::new(Said::default());
        let router = Router::new()
            .route("/recalls/recallsByVehicle", get(recalls))
            .route("/complaints/complaintsByVehicle", get(complaints))
            .with_state(said.clone());
        let (recorder, record) = listen().await;
        let address = format!("http://{}", record.address);
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(recorder, router).await.unwrap() });
        Self { address, said, _record: record, _server: server }
    }

    fn n_questions(&self) -> usize {
        self.said.n_questions.load(Ordering::SeqCst)
    }

    fn set_down(&self, is_down: bool) {
        self.said.is_down.store(is_down, Ordering::SeqCst);
    }
}

type Answer = (StatusCode, Json<Value>);

fn answer(said: &Said, query: Option<String>, full: Value, empty: Value) -> Answer {
    said.n_questions.fetch_add(1, Ordering::SeqCst);
    let query = query.unwrap_or_default();
    let is_known = query == "make=Honda&model=Accord&modelYear=2003" || query.contains("model=Civic");
    said.queries.lock().unwrap().push(query);
    if said.is_down.load(Ordering::SeqCst) {
        return (StatusCode::SERVICE_UNAVAILABLE, Json(json!("down")));
    }
    // As the service answers for a model that it does not know.
    if is_known { (StatusCode::OK, Json(full)) } else { (StatusCode::BAD_REQUEST, Json(empty)) }
}

async fn recalls(State(said): State<Arc<Said>>, RawQuery(query): RawQuery) -> Answer {
    let recall = |number: &str, day: &str, component: &str, summary: &str| {
        json!({
            "Manufacturer": "Honda (American Honda Motor Co.)", "NHTSACampaignNumber": number, "parkIt": false,
            "parkOutSide": component.contains("FUEL"), "overTheAirUpdate": false, "ReportReceivedDate": day,
            "Component": component, "Summary": summary, "Consequence": "It may fail.\u{7}",
            "Remedy": "Dealers will replace it, free of charge.", "Notes": "", "ModelYear": "2003", "Make": "HONDA",
            "Model": "ACCORD",
        })
    };
    let full = json!({ "Count": 3, "Message": "Results returned successfully", "results": [
        recall("04V256000", "26/05/2004", "POWER TRAIN:AUTOMATIC TRANSMISSION", "The transmission may lock."),
        recall("19V182000", "07/03/2019", "AIR BAGS:FRONTAL:DRIVER SIDE:INFLATOR MODULE", "It may rupture."),
        recall("20V314000", "28/05/2020", "FUEL SYSTEM, GASOLINE:DELIVERY:FUEL PUMP", "The fuel pump may fail."),
    ] });
    answer(&said, query, full, json!({ "Count": 0, "Message": "No results found", "results": [] }))
}

async fn complaints(State(said): State<Arc<Said>>, RawQuery(query): RawQuery) -> Answer {
    let full = json!({ "count": 2, "message": "Results returned successfully", "results": [
        { "odiNumber": 10_057_123, "manufacturer": "Honda", "crash": false, "fire": false, "numberOfInjuries": 0,
          "numberOfDeaths": 0, "dateOfIncident": "01/02/2004", "dateComplaintFiled": "02/28/2004",
          "vin": "1HGCM82633A", "components": "AIR BAGS,FUEL SYSTEM, GASOLINE", "summary": "The lamp is on.",
          "products": [{ "type": "Vehicle", "productYear": "2003", "productMake": "HONDA" }] },
        { "odiNumber": 11_184_030, "crash": true, "dateComplaintFiled": "03/01/2019", "components": "AIR BAGS",
          "summary": null },
    ] });
    answer(&said, query, full, json!({ "count": 0, "message": "No results", "results": [] }))
}

async fn app(peer: &Peer) -> TestApp {
    TestApp::with_settings(|settings| settings.vehicles.recalls_url = Some(ServiceUrl::new(&peer.address)))
        .await
}

async fn add_vehicle(client: &Client, vehicle: &Value) -> String {
    let saved = client.post("/api/vehicles", vehicle).await.expect_status(201).json();
    saved["id"].as_str().unwrap().to_owned()
}

fn accord() -> Value {
    // The owner writes the model in their own way; the number says what NHTSA calls it.
    json!({ "make": "honda", "model": "Accord V6 Coupe", "year": 2003, "vinNumber": "1HGCM82633A004352" })
}

#[tokio::test]
async fn recalls_are_asked_for_by_the_name_of_the_vin_and_kept_for_a_week() {
    let peer = Peer::start().await;
    let app = app(&peer).await;
    assert_eq!(app.client().get("/api/settings").await.json()["recalls"], true);
    let client = app.sign_up("ann").await;
    let id = add_vehicle(&client, &accord()).await;
    let path = format!("/api/vehicles/{id}/recalls");
    let said = client.get(&path).await.expect_status(200).json();
    assert_eq!(said["state"], "current");
    assert_eq!(said["askedFor"], json!({ "year": 2003, "make": "Honda", "model": "Accord" }));
    assert_eq!(
        said["recalls"][0],
        json!({
            "campaign": "20V314000", "reportedOn": "2020-05-28",
            "component": "FUEL SYSTEM, GASOLINE:DELIVERY:FUEL PUMP", "summary": "The fuel pump may fail.",
            "consequence": "It may fail.", "remedy": "Dealers will replace it, free of charge.",
            "doNotDrive": false, "parkOutside": true,
        })
    );
    assert_eq!(said["recalls"][1]["reportedOn"], "2019-03-07");
    assert_eq!(said["complaintCount"], 2);
    assert_eq!(
        said["complaintsByComponent"],
        json!([{ "component": "AIR BAGS", "count": 2 }, { "component": "FUEL SYSTEM, GASOLINE", "count": 1 }])
    );
    assert_eq!(
        said["complaints"][1],
        json!({
            "number": 10_057_123, "filedOn": "2004-02-28", "components": "AIR BAGS,FUEL SYSTEM, GASOLINE",
            "summary": "The lamp is on.", "crash": false, "fire": false,
        })
    );
    let queries = peer.said.queries.lock().unwrap().clone();
    assert!(queries.iter().all(|query| query == "make=Honda&model=Accord&modelYear=2003"), "{queries:?}");
    client.get(&path).await.expect_status(200);
    app.advance(SignedDuration::from_hours(6 * 24));
    client.get(&path).await.expect_status(200);
    assert_eq!(peer.n_questions(), 2, "one question each");
    app.advance(SignedDuration::from_hours(25));
    client.get(&path).await.expect_status(200);
    assert_eq!(peer.n_questions(), 4);
}

#[tokio::test]
async fn a_service_that_is_away_costs_nothing_but_its_news() {
    let peer = Peer::start().await;
    let app = app(&peer).await;
    let client = app.sign_up("ann").await;
    let id = add_vehicle(&client, &accord()).await;
    let path = format!("/api/vehicles/{id}/recalls");
    peer.set_down(true);
    let away = client.get(&path).await.expect_status(200).json();
    assert_eq!((&away["state"], &away["fetchedAt"]), (&json!("away"), &Value::Null));
    assert_eq!((&away["recalls"], &away["complaintCount"]), (&json!([]), &Value::Null));
    peer.set_down(false);
    let current = client.get(&path).await.expect_status(200).json();
    assert_eq!(current["state"], "current");
    peer.set_down(true);
    app.advance(SignedDuration::from_hours(8 * 24));
    let old = client.get(&path).await.expect_status(200).json();
    assert_eq!((&old["state"], &old["fetchedAt"]), (&json!("old"), &current["fetchedAt"]));
    assert_eq!(old["recalls"], current["recalls"]);
    // After three failures in a row it is left alone.
    for _ in 0..3 {
        client.get(&path).await.expect_status(200);
    }
    peer.set_down(false);
    let left_alone = client.get(&path).await.expect_status(200).json();
    assert_eq!(left_alone["state"], "old", "although it would answer");
}

#[tokio::test]
async fn a_part_has_the_recalls_that_name_it() {
    let peer = Peer::start().await;
    let app = app(&peer).await;
    let client = app.sign_up("ann").await;
    let no_vehicle = client.get("/api/parts/fuel-pump/recalls").await.problem(422, "invalid");
    assert_eq!(no_vehicle, "Please choose the vehicle whose recalls you want to see.");
    let id = add_vehicle(&client, &accord()).await;
    for (part, campaigns) in [
        ("fuel-pump", vec!["20V314000"]),
        ("transmission", vec!["04V256000"]),
        // A longer name of another part, and one that none names.
        ("high-pressure-fuel-pump", vec![]),
        ("brake-caliper", vec![]),
    ] {
        let said = client.get(&format!("/api/parts/{part}/recalls?vehicleId={id}")).await.json();
        let found: Vec<&str> =
            said["recalls"].as_array().unwrap().iter().map(|r| r["campaign"].as_str().unwrap()).collect();
        assert_eq!(found, campaigns, "{part}");
        assert_eq!((&said["state"], &said["vehicleRecallCount"]), (&json!("current"), &json!(3)));
    }
    client.get("/api/parts/no-such-part/recalls").await.problem(404, "not-found");
    assert_eq!(peer.n_questions(), 2, "one question each");
}

#[tokio::test]
async fn nothing_leaves_without_the_setting_and_an_unknown_model_has_no_recalls() {
    let peer = Peer::start().await;
    let (off, ann, id) = TestApp::with_vehicle().await;
    assert_eq!(off.client().get("/api/settings").await.json()["recalls"], false);
    let said = ann.get(&format!("/api/vehicles/{id}/recalls")).await.expect_status(200).json();
    assert_eq!((&said["state"], &said["complaintCount"]), (&json!("off"), &Value::Null));
    let app = app(&peer).await;
    let bob = app.sign_up("bob").await;
    let unknown = add_vehicle(&bob, &json!({ "make": "Honda", "model": "Beat", "year": 1991 })).await;
    let said = bob.get(&format!("/api/vehicles/{unknown}/recalls")).await.expect_status(200).json();
    assert_eq!((&said["state"], &said["complaintCount"]), (&json!("current"), &json!(0)));
    assert_eq!(said["recalls"], json!([]));
    bob.get(&format!("/api/vehicles/{id}/recalls")).await.problem(404, "not-found");
    app.client().get(&format!("/api/vehicles/{unknown}/recalls")).await.problem(401, "not-signed-in");
}
