use jiff::SignedDuration;
use partsight_domain::Plan;
use serde_json::{Value, json};

use crate::client::assert_reply_snapshot;
use crate::{Client, TestApp, pictures};

const UNKNOWN: &str = "0190a0a0-0000-7000-8000-000000000000";

/// A server without limits, and a client that has made `n` scans, a second apart.
async fn with_scans(plan: Plan, n: usize) -> (TestApp, Client) {
    let (app, client) = TestApp::ready_to_scan_on(plan).await;
    for _ in 0..n {
        client.identify(&pictures::plain()).await.expect_status(200);
        app.advance(SignedDuration::from_secs(1));
    }
    (app, client)
}

async fn recent(client: &Client, query: &str) -> Vec<Value> {
    let reply = client.get(&format!("/api/scans/recent{query}")).await;
    reply.expect_status(200).json().as_array().unwrap().clone()
}

#[tokio::test]
async fn a_scan_of_the_history_has_all_that_its_answer_had() {
    let (_app, client) = TestApp::ready_to_scan().await;
    let answer = client.identify(&pictures::plain()).await.expect_status(200).json();
    let reply = client.get("/api/scans/recent").await;
    assert_reply_snapshot!("recent", reply);
    let scan = &reply.json()[0];
    for field in
        ["id", "identification", "alternatives", "rolledUp", "suppliers", "vehicle", "scannedAt", "verdict"]
    {
        assert_eq!(scan[field], answer[field], "{field}");
    }
    assert_eq!((&scan["part"], &scan["receipt"]), (&answer["identifiedPart"], &answer["receipt"]));
    assert_eq!(scan["timingsMs"], answer["timingsMs"]);
}

#[tokio::test]
async fn three_scans_are_shown_unless_asked_for_more() {
    let (_app, client) = with_scans(Plan::Pro, 7).await;
    for (query, expected) in [("", 3), ("?limit=1", 1), ("?limit=0", 0), ("?limit=6", 6), ("?limit=1000", 7)]
    {
        assert_eq!(recent(&client, query).await.len(), expected, "{query}");
    }
}

#[tokio::test]
async fn the_newest_scan_comes_first() {
    let (_app, client) = with_scans(Plan::Pro, 3).await;
    let times: Vec<_> =
        recent(&client, "").await.iter().map(|scan| scan["scannedAt"].as_str().unwrap().to_owned()).collect();
    assert_eq!(times, ["2027-01-15T08:00:02.000Z", "2027-01-15T08:00:01.000Z", "2027-01-15T08:00:00.000Z"]);
}

#[tokio::test]
async fn basic_sees_the_last_five() {
    let (app, _) = with_scans(Plan::Pro, 0).await;
    let client = app.sign_up_with_vehicle("bob").await;
    for _ in 0..7 {
        client.identify(&pictures::plain()).await.expect_status(200);
    }
    let basic = TestApp::with(crate::Setup {
        folder: Some(std::sync::Arc::clone(&app.folder)),
        ..crate::Setup::default()
    })
    .await;
    let basic_client = client.at(basic.address);
    assert_eq!(recent(&basic_client, "?limit=100").await.len(), 5);
    assert_eq!(recent(&client, "?limit=100").await.len(), 7);

    // Five in all, and not five of each vehicle.
    let civic = client.get("/api/vehicles/default").await.json()["id"].as_str().unwrap().to_owned();
    let accord = client.add_vehicle("Accord").await;
    client.put(&format!("/api/vehicles/{accord}/default")).await.expect_status(200);
    app.advance(SignedDuration::from_secs(1));
    client.identify(&pictures::plain()).await.expect_status(200);
    for (vehicle, expected) in [(&civic, 4), (&accord, 1)] {
        let query = format!("?limit=100&vehicleId={vehicle}");
        assert_eq!(recent(&basic_client, &query).await.len(), expected, "{query}");
    }
    assert_eq!(recent(&client, &format!("?limit=100&vehicleId={civic}")).await.len(), 7);
}

#[tokio::test]
async fn a_vehicle_filters_the_history() {
    let (_app, client) = with_scans(Plan::Pro, 1).await;
    let civic = client.get("/api/vehicles/default").await.json()["id"].as_str().unwrap().to_owned();
    let accord = client.add_vehicle("Accord").await;
    assert_eq!(recent(&client, &format!("?vehicleId={civic}")).await.len(), 1);
    assert_eq!(recent(&client, &format!("?vehicleId={accord}")).await.len(), 0);
}

#[tokio::test]
async fn the_history_of_an_unknown_or_foreign_vehicle_is_not_found() {
    let (app, client) = with_scans(Plan::Pro, 1).await;
    let his = app.sign_up("bob").await.add_vehicle("Accord").await;
    for id in [UNKNOWN, &his, "1"] {
        for reply in [
            client.get(&format!("/api/scans/recent?vehicleId={id}")).await,
            client.delete(&format!("/api/scans?vehicleId={id}")).await,
        ] {
            assert_eq!(
                reply.problem(404, "not-found"),
                "This vehicle does not exist. Please choose another one.",
                "{id}"
            );
        }
    }
    assert_eq!(recent(&client, "").await.len(), 1);
}

#[tokio::test]
async fn clearing_the_history_gives_no_scan_back() {
    let (_app, client) = with_scans(Plan::Basic, 2).await;
    client.delete("/api/scans").await.expect_status(204);
    assert_eq!(recent(&client, "").await, Vec::<Value>::new());
    let limits = client.get("/api/scans/limits").await.json();
    assert_eq!(limits, json!({ "limit": 2, "used": 2, "remaining": 0 }));
    client.identify(&pictures::plain()).await.problem(429, "limit-reached");
}

#[tokio::test]
async fn clearing_the_history_of_a_vehicle_leaves_the_rest() {
    let (_app, client) = with_scans(Plan::Pro, 2).await;
    let accord = client.add_vehicle("Accord").await;
    client.delete(&format!("/api/scans?vehicleId={accord}")).await.expect_status(204);
    assert_eq!(recent(&client, "").await.len(), 2);
    let civic = client.get("/api/vehicles/default").await.json()["id"].as_str().unwrap().to_owned();
    // Passed over, it would clear the history of all.
    let misspelt = client.delete(&format!("/api/scans?vehicleID={accord}")).await;
    assert!(misspelt.problem(422, "invalid").contains("Did you mean `vehicleId`?"), "{}", misspelt.text);
    assert_eq!(recent(&client, "").await.len(), 2);
    client.delete(&format!("/api/scans?vehicleId={civic}")).await.expect_status(204);
    assert_eq!(recent(&client, "").await.len(), 0);
}

#[tokio::test]
async fn the_history_of_somebody_else_is_neither_shown_nor_cleared() {
    let (app, ann) = with_scans(Plan::Pro, 1).await;
    let bob = app.sign_up("bob").await;
    assert_eq!(recent(&bob, "").await, Vec::<Value>::new());
    bob.delete("/api/scans").await.expect_status(204);
    assert_eq!(recent(&ann, "").await.len(), 1);
}

#[tokio::test]
async fn a_scan_of_a_part_that_the_catalogue_no_longer_has_is_listed_by_its_label() {
    let (app, client) = with_scans(Plan::Pro, 2).await;
    app.execute("UPDATE scan SET label = 'flux-capacitor' WHERE scan_id = (SELECT MIN(scan_id) FROM scan)")
        .await;
    let scans = recent(&client, "").await;
    assert_eq!(scans.len(), 2);
    // The older of two.
    let (part, identification) = (&scans[1]["part"], &scans[1]["identification"]);
    assert_eq!(
        (&part["name"], &identification["partName"]),
        (&json!("flux-capacitor"), &json!("flux-capacitor"))
    );
    assert_eq!((&part["category"], &part["position"]), (&Value::Null, &Value::Null));
    assert_eq!(identification["category"], Value::Null);
}

#[tokio::test]
async fn a_limit_that_is_no_number_is_refused() {
    let (_app, client) = with_scans(Plan::Pro, 0).await;
    for limit in ["x", "-1", "99999999999"] {
        let reply = client.get(&format!("/api/scans/recent?limit={limit}")).await;
        let sentence = reply.problem(422, "invalid");
        assert!(sentence.contains("limit"), "{sentence}");
    }
}
