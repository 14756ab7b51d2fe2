//! What an account may keep.

use jiff::SignedDuration;
use partsight_domain::{Plan, Quota};
use reqwest::Method;
use serde_json::json;
use tokio::task::JoinSet;

use crate::client::send;
use crate::pictures::golden;
use crate::{Client, Reply, TestApp};

const FULL: &str = "The Basic plan keeps at most 200 vehicles. Please delete some first, or upgrade to Pro.";

fn vehicles_csv(models: std::ops::Range<u64>) -> String {
    models.fold("Make,Model,Year\n".to_owned(), |file, n| format!("{file}Honda,Model {n},2015\n"))
}

async fn import(client: &Client, file: String) -> Reply {
    send(client.request(Method::POST, "/api/import/vehicles").header("content-type", "text/csv").body(file))
        .await
}

#[tokio::test]
async fn a_full_garage_takes_no_vehicle_until_one_is_deleted() {
    let (app, client) = TestApp::with_ann().await;
    let limit = Quota::Vehicles.limit(Plan::Basic);
    // Nothing of a file that would go over the limit is saved.
    assert_eq!(import(&client, vehicles_csv(0..limit + 1)).await.problem(409, "conflict"), FULL);
    assert_eq!(client.get("/api/vehicles").await.json(), json!([]));

    import(&client, vehicles_csv(0..limit)).await.expect_status(200);
    let accord = json!({ "make": "Honda", "model": "Accord", "year": 2015 });
    let refused = client.post("/api/vehicles", &accord).await;
    assert_eq!(refused.json()["field"], "vehicles");
    assert_eq!(refused.problem(409, "conflict"), FULL);
    // Somebody else's garage is not full.
    app.sign_up("bob").await.post("/api/vehicles", &accord).await.expect_status(201);

    let id = client.get("/api/vehicles").await.json()[0]["id"].as_str().unwrap().to_owned();
    client.delete(&format!("/api/vehicles/{id}")).await.expect_status(200);
    client.post("/api/vehicles", &accord).await.expect_status(201);
}

#[tokio::test]
async fn vehicles_added_at_once_do_not_exceed_the_limit() {
    let (_app, client) = TestApp::with_ann().await;
    import(&client, vehicles_csv(0..195)).await.expect_status(200);
    let accord = json!({ "make": "Honda", "model": "Accord", "year": 2015 });
    let mut adding = JoinSet::new();
    for _ in 0..20 {
        let call = client.request(Method::POST, "/api/vehicles").json(&accord);
        adding.spawn(async move { send(call).await.status });
    }
    let statuses = adding.join_all().await;
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 5, "{statuses:?}");
    assert_eq!(client.get("/api/vehicles").await.json().as_array().unwrap().len(), 200);
}

#[tokio::test]
async fn a_scan_of_an_account_with_full_pictures_is_answered_and_kept_without_one() {
    let app = TestApp::on_sqlite().await;
    let client = app.sign_up_with_vehicle("ann").await;
    client.identify(&golden("brake-rotor")).await.expect_status(200);
    app.execute("UPDATE scan_photo SET bytes = zeroblob(200000000)").await;
    // The count of before holds for an hour.
    app.advance(SignedDuration::from_hours(1));
    client.identify(&golden("brake-rotor")).await.expect_status(200);
    let scans = client.get("/api/scans/recent").await.json();
    let pictures: Vec<bool> =
        scans.as_array().unwrap().iter().map(|scan| scan["thumbnailUrl"].is_string()).collect();
    // The newest first.
    assert_eq!(pictures, [false, true], "{scans}");
}

#[tokio::test]
async fn what_a_full_account_has_set_for_an_item_can_still_be_changed() {
    let app = TestApp::on_sqlite().await;
    let client = app.sign_up_with_vehicle("ann").await;
    let vehicle = client.get("/api/vehicles").await.json()[0]["id"].as_str().unwrap().to_owned();
    let path = |item: &str| format!("/api/vehicles/{vehicle}/maintenance/{item}");
    let every = |months: u32| json!({ "intervalMonths": months });
    client.put_json(&path("engine-oil"), &every(6)).await.expect_status(200);
    app.execute(
        "WITH RECURSIVE counted (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM counted WHERE n < 2000) \
         INSERT INTO maintenance_item (tenant_id, vehicle_id, item) \
         SELECT tenant_id, vehicle_id, 'own-' || n FROM counted, vehicle",
    )
    .await;
    client.put_json(&path("engine-oil"), &every(12)).await.expect_status(200);
    let refused = client.put_json(&path("brake-fluid"), &every(24)).await;
    assert_eq!(refused.json()["field"], "maintenanceItems");
    refused.problem(409, "conflict");
}
