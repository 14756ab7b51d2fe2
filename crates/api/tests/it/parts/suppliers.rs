//! Suppliers elsewhere beside price lists and retailers: merged, kept for a while, and never in the way.

use std::time::Duration;

use jiff::SignedDuration;
use partsight_app::{Secret, Settings};
use partsight_domain::{Plan, ServiceUrl};
use partsight_test_support::PATIENCE;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::client::assert_reply_snapshot;
use crate::fair_share::wait_until;
use crate::fake_ebay::{CLIENT_ID, CLIENT_SECRET, FakeEbay, SERVICE_TOKEN, Says, item, service_offer};
use crate::parts::price_lists::upload;
use crate::{Client, TestApp};

const ROTORS: &str = "/api/parts/brake-rotor/ai-suppliers";

fn set_ebay(settings: &mut Settings, url: String) {
    settings.suppliers.ebay_client_id = Some(CLIENT_ID.to_owned());
    settings.suppliers.ebay_client_secret = Some(Secret::new(CLIENT_SECRET));
    settings.suppliers.ebay_url = ServiceUrl::new(url);
}

fn set_service(settings: &mut Settings, url: String) {
    settings.suppliers.service_url = Some(ServiceUrl::new(url));
    settings.suppliers.service_token = Some(Secret::new(SERVICE_TOKEN));
}

/// A server that asks eBay, and Ann with a 2015 Honda Civic.
async fn with_ebay(ebay: &FakeEbay) -> (TestApp, Client) {
    // As long as may be: nobody is to be timed out by a busy machine.
    with_ebay_within(ebay, 30).await
}

async fn with_ebay_within(ebay: &FakeEbay, seconds: u32) -> (TestApp, Client) {
    let app = TestApp::with_stand_in(|settings| {
        settings.suppliers.timeout_seconds = seconds;
        set_ebay(settings, ebay.base_url());
    })
    .await;
    let ann = app.sign_up_with_vehicle("ann").await;
    (app, ann)
}

async fn ask(client: &Client) -> Value {
    client.get(ROTORS).await.expect_status(200).json()
}

fn priced(body: &Value) -> Vec<(String, f64)> {
    let suppliers = body["suppliers"].as_array().unwrap().iter();
    let priced = suppliers.filter(|supplier| supplier["price"].is_number());
    priced
        .map(|supplier| {
            (supplier["source"].as_str().unwrap().to_owned(), supplier["price"].as_f64().unwrap())
        })
        .collect()
}

#[tokio::test]
async fn all_sources_are_one_list_in_which_each_says_where_it_is_from() {
    let ebay = FakeEbay::saying(Says::Items(vec![item(1, "45.90"), item(2, "39.00")])).await;
    let offers = vec![service_offer("45251-TBA", "41.10"), service_offer("45251 TBA", "41.10")];
    let service = FakeEbay::saying(Says::Items(offers)).await;
    let app = TestApp::with_stand_in(|settings| {
        settings.server.plan = Some(Plan::Business);
        set_ebay(settings, ebay.base_url());
        set_service(settings, service.service_url());
    })
    .await;
    let ann = app.sign_up_with_vehicle("ann").await;
    // The service said the same of this part an hour ago; the list is newer.
    upload(&ann, &[("supplier", "Lee wholesale")], "sku,part,price\n45251TBA,Brake Rotor,42\n")
        .await
        .expect_status(201);
    let body = ask(&ann).await;
    let best: Vec<bool> = body["suppliers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|supplier| supplier["isBestPrice"].as_bool().unwrap())
        .collect();
    assert_eq!(best.iter().filter(|best| **best).count(), 1);
    assert!(best[0]);
    assert_reply_snapshot!("suppliers_merged", ann.get(ROTORS).await);
}

#[tokio::test]
async fn answers_are_kept_by_part_and_vehicle_for_the_time_that_is_set() {
    let ebay = FakeEbay::saying(Says::Items(vec![item(1, "45.90")])).await;
    let (app, ann) = with_ebay(&ebay).await;
    let first = ask(&ann).await;
    assert_eq!(first["sources"][0]["cached"], false);
    assert_eq!(first["sources"][0]["answered"], true);
    ebay.say(Says::Items(vec![item(1, "50.00")]));
    app.advance(SignedDuration::from_mins(59));
    let again = ask(&ann).await;
    assert_eq!(again["sources"][0]["cached"], true);
    assert_eq!(again["suppliers"], first["suppliers"], "with the time of then");
    assert_eq!(ebay.offer_searches().len(), 1);
    // Another vehicle is another question.
    let jazz = ann.add_vehicle("Jazz").await;
    let body = ann.get(&format!("{ROTORS}?vehicleId={jazz}")).await.json();
    assert_eq!(priced(&body), [("ebay".to_owned(), 50.0)]);
    app.advance(SignedDuration::from_mins(2));
    assert_eq!(priced(&ask(&ann).await), [("ebay".to_owned(), 50.0)]);
    assert_eq!(ebay.offer_searches().len(), 3);
    app.advance(SignedDuration::from_hours(25));
    assert_eq!(app.use_cases.parts.purge_supplier_answers().await.unwrap(), 2);
}

#[tokio::test]
async fn only_what_ebay_says_to_fit_is_said_to_fit() {
    let ebay = FakeEbay::saying(Says::Items(vec![item(1, "45.90")])).await;
    let (_app, ann) = with_ebay(&ebay).await;
    assert_eq!(ask(&ann).await["suppliers"][0]["fits"], true);
    let mut possible = item(1, "45.90");
    possible["compatibilityMatch"] = "POSSIBLE".into();
    ebay.say(Says::Items(vec![possible]));
    ebay.behave(|manners| manners.knows_vehicles = false);
    let jazz = ann.add_vehicle("Jazz").await;
    let body = ann.get(&format!("{ROTORS}?vehicleId={jazz}")).await.json();
    assert_eq!(body["suppliers"][0]["source"], "ebay");
    assert_eq!(body["suppliers"][0]["fits"], Value::Null);
}

#[tokio::test]
async fn a_source_that_fails_costs_its_own_offers_alone() {
    let late = Says::After(2 * PATIENCE, Box::new(Says::Items(Vec::new())));
    let cases = [
        (Says::Status(500, Vec::new()), "server-error"),
        (Says::Status(429, vec![("retry-after", "60".to_owned())]), "rate-limited"),
        (Says::Bytes(b"<html>".to_vec()), "answer-invalid"),
        (Says::Bytes(vec![b'['; 10_000_000]), "answer-too-large"),
        (late, "timed-out"),
    ];
    for (says, failure) in cases {
        let ebay = FakeEbay::saying(says).await;
        let (_app, ann) = with_ebay_within(&ebay, if failure == "timed-out" { 1 } else { 30 }).await;
        let body = timeout(PATIENCE, ask(&ann)).await.expect(failure);
        let source = &body["sources"][0];
        assert_eq!((&source["source"], &source["failure"]), (&json!("ebay"), &json!(failure)));
        assert_eq!((&source["answered"], &source["asOf"]), (&json!(false), &Value::Null));
        assert!(priced(&body).is_empty() && !body["suppliers"].as_array().unwrap().is_empty());
    }
}

#[tokio::test]
async fn what_a_source_said_before_is_shown_with_its_time_while_it_fails() {
    let ebay = FakeEbay::saying(Says::Items(vec![item(1, "45.90")])).await;
    let (app, ann) = with_ebay(&ebay).await;
    let first = ask(&ann).await;
    ebay.say(Says::Status(500, Vec::new()));
    app.advance(SignedDuration::from_hours(3));
    for failure in ["server-error", "server-error", "server-error", "circuit-open"] {
        let body = ask(&ann).await;
        assert_eq!(body["suppliers"], first["suppliers"]);
        let source = &body["sources"][0];
        assert_eq!((&source["failure"], &source["cached"]), (&json!(failure), &json!(true)));
        assert_eq!(source["asOf"], first["sources"][0]["asOf"]);
    }
    let metrics = app.client().get("/metrics").await.text;
    for line in [
        "partsight_supplier_questions_total{source=\"ebay\",outcome=\"answered\"} 1",
        "partsight_supplier_questions_total{source=\"ebay\",outcome=\"failed\"} 4",
        "partsight_supplier_failures_total{source=\"ebay\",reason=\"circuit-open\"} 1",
        "partsight_supplier_circuit_open{source=\"ebay\"} 1",
    ] {
        assert!(metrics.lines().any(|found| found == line), "{line}\n{metrics}");
    }
    // Yesterday's prices are not shown at all.
    app.advance(SignedDuration::from_hours(22));
    assert!(priced(&ask(&ann).await).is_empty());
}

#[tokio::test]
async fn sources_that_do_not_answer_keep_nobody_from_reading() {
    let ebay = FakeEbay::saying(Says::After(2 * PATIENCE, Box::new(Says::Items(Vec::new())))).await;
    let (_app, ann) = with_ebay(&ebay).await;
    let mut asking = JoinSet::new();
    for number in 0..4 {
        let ann = ann.clone();
        asking.spawn(async move { ann.get(&format!("{ROTORS}?partNumber=A{number}")).await });
    }
    wait_until(|| ebay.searches().len() == 4).await;
    // As many as an account may read at a time.
    ann.get("/api/vehicles").await.expect_status(200);
    assert!(asking.try_join_next().is_none());
}

#[tokio::test]
async fn whoever_waited_for_a_source_waits_for_a_turn_to_read_on() {
    let patience = Duration::from_millis(500);
    let ebay = FakeEbay::saying(Says::After(patience, Box::new(Says::Items(vec![item(1, "45.90")])))).await;
    let (app, ann) = with_ebay(&ebay).await;
    let mut asking = JoinSet::new();
    asking.spawn(async move { ask(&ann).await });
    wait_until(|| !ebay.searches().is_empty()).await;
    let reading = app.take_read_turns("ann").await;
    sleep(2 * patience).await;
    assert!(asking.try_join_next().is_none());
    drop(reading);
    assert_eq!(priced(&asking.join_next().await.unwrap().unwrap()).len(), 1);
}

#[tokio::test]
async fn one_person_does_not_use_up_the_questions_of_all() {
    let ebay = FakeEbay::saying(Says::Items(Vec::new())).await;
    let (app, ann) = with_ebay(&ebay).await;
    for number in 0..60 {
        ann.get(&format!("{ROTORS}?partNumber=A{number}")).await.expect_status(200);
    }
    let body = ann.get(&format!("{ROTORS}?partNumber=B1")).await.expect_status(200).json();
    assert_eq!(body["sources"][0]["failure"], "too-many-questions");
    assert_eq!(ebay.searches().len(), 60);
    let bob = app.sign_up("bob").await;
    assert_eq!(ask(&bob).await["sources"][0]["failure"], Value::Null);
}

#[tokio::test]
async fn nothing_personal_is_asked_for() {
    let ebay = FakeEbay::saying(Says::Items(Vec::new())).await;
    let service = FakeEbay::saying(Says::Items(Vec::new())).await;
    let app = TestApp::with_stand_in(|settings| {
        set_ebay(settings, ebay.base_url());
        set_service(settings, service.service_url());
    })
    .await;
    let ann = app.sign_up_with_vehicle("ann").await;
    ask(&ann).await;
    let asked = format!("{:?} {:?}", ebay.searches(), service.service_questions());
    assert!(asked.contains("Honda"));
    for personal in ["ann", "example.com", "Lee", "partsight_session"] {
        assert!(!asked.contains(personal), "{personal}: {asked}");
    }
}

#[tokio::test]
async fn nobody_is_contacted_unless_a_setting_names_them() {
    let ebay = FakeEbay::saying(Says::Items(vec![item(1, "45.90")])).await;
    // Without its client, an address alone names nobody.
    let app =
        TestApp::with_stand_in(|settings| settings.suppliers.ebay_url = ServiceUrl::new(ebay.base_url()))
            .await;
    let ann = app.sign_up_with_vehicle("ann").await;
    assert_eq!(ask(&ann).await["sources"], json!([]));
    assert_eq!((ebay.n_tokens(), ebay.searches().len()), (0, 0));
}

#[tokio::test]
async fn suppliers_are_asked_by_what_the_number_says() {
    let service = FakeEbay::saying(Says::Items(vec![service_offer("45251-TBA", "41.10")])).await;
    let url = format!("{}&e={{engine}}", service.service_url());
    let app = TestApp::with_stand_in(|settings| set_service(settings, url)).await;
    let ann = app.sign_up("ann").await;
    let numbered = json!({
        "make": "honda", "model": "Accord V6 Coupe", "year": 2003, "vinNumber": "1HGCM82633A004352",
    });
    // Without a number, or with one of another car, it is what its owner typed.
    let of_another = json!({
        "make": "Ford", "model": "Focus", "year": 2012, "engine": "2.0L", "vinNumber": "1HGCM82633A004352",
    });
    for vehicle in [numbered, of_another] {
        let saved = ann.post("/api/vehicles", &vehicle).await.expect_status(201).json();
        let path = format!("{ROTORS}?vehicleId={}", saved["id"].as_str().unwrap());
        ann.get(&path).await.expect_status(200);
    }
    let asked: Vec<String> = service.service_questions().into_iter().map(|(url, _)| url).collect();
    assert!(asked[0].ends_with("&v=2003-Honda-Accord&e=3.0L%206-cyl"), "{asked:?}");
    assert!(asked[1].ends_with("&v=2012-Ford-Focus&e=2.0L"), "{asked:?}");
}
