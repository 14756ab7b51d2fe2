//! Another name for a taught part, deleting it, and bringing it back.

use jiff::SignedDuration;
use partsight_domain::{Plan, messages};
use reqwest::Method;
use serde_json::{Value, json};

use super::taught_parts::{add, checks, flower, form, identified, new_type, references, teach};
use crate::client::send;
use crate::{Client, Reply, TestApp, pictures};

const VALVE: &str = "/api/catalog/types/flux-valve";

async fn taught_valve(client: &Client) -> Value {
    teach(client, new_type("Flux valve", &[flower(0), flower(18)])).await.expect_status(201).json()
}

async fn change(client: &Client, path: &str, name: &str, category: &str) -> Reply {
    client.put_json(path, &json!({ "name": name, "category": category })).await
}

async fn restore(client: &Client) -> Reply {
    send(client.request(Method::POST, "/api/catalog/types/flux-valve/restore")).await
}

#[tokio::test]
async fn a_taught_part_gets_another_name_and_category() {
    let (app, client) = TestApp::with_vehicle_on(Plan::Pro).await;
    let taught = taught_valve(&client).await;
    assert_eq!(taught["isOwn"], true);
    client.identify(&flower(9)).await.expect_status(200);

    let changed = change(&client, VALVE, " Flux valve, 2.0 TDI ", "exhaust").await.expect_status(200).json();
    assert_eq!((&changed["id"], &changed["name"]), (&json!("flux-valve"), &json!("Flux valve, 2.0 TDI")));
    assert_eq!(changed["category"], "exhaust");
    assert_eq!(references(&changed), references(&taught));
    // Scans of before and after.
    let scan = client.identify(&flower(9)).await.expect_status(200).json();
    assert_eq!(scan["identification"]["partName"], "Flux valve, 2.0 TDI");
    assert_eq!(scan["identification"]["category"], "exhaust");
    let kept = client.get("/api/scans/recent").await.json();
    assert_eq!(kept[1]["part"]["name"], "Flux valve, 2.0 TDI");

    change(&client, VALVE, "brake  ROTOR", "exhaust").await.problem(409, "conflict");
    change(&client, VALVE, "", "exhaust").await.problem(422, "invalid");
    change(&client, VALVE, "Valve", "kitchen").await.problem(422, "invalid");
    // Its own name in other letters.
    change(&client, VALVE, "flux VALVE, 2.0 tdi", "engine").await.expect_status(200);
    change(&client, "/api/catalog/types/brake-rotor", "Disc", "brake").await.problem(404, "not-found");
    let stranger = app.sign_up_with_vehicle("bob").await;
    change(&stranger, VALVE, "Mine", "engine").await.problem(404, "not-found");
}

#[tokio::test]
async fn a_deleted_part_is_not_found_until_it_is_restored() {
    let (_app, client) = TestApp::with_vehicle_on(Plan::Pro).await;
    let taught = taught_valve(&client).await;
    let scan = client.identify(&flower(9)).await.expect_status(200).json();
    let scan = format!("/api/scans/{}", scan["id"].as_str().unwrap());
    restore(&client).await.problem(404, "not-found");

    client.delete(VALVE).await.expect_status(204);
    client.delete(VALVE).await.problem(404, "not-found");
    client.get(VALVE).await.problem(404, "not-found");
    assert_eq!(client.get("/api/catalog/types").await.json(), json!([]));
    assert_eq!(identified(&client, &flower(9)).await, "not-identified");
    add(&client, "flux-valve", form(&[flower(30)])).await.problem(404, "not-found");
    let photo = format!("/api/catalog/references/{}/restore", references(&taught)[0]);
    send(client.request(Method::POST, &photo)).await.problem(404, "not-found");
    let rotor = client.identify(&pictures::golden("brake-rotor")).await.expect_status(200).json();
    let feedback = format!("/api/scans/{}/feedback", rotor["id"].as_str().unwrap());
    let other = json!({ "answer": "other-part", "label": "flux-valve" });
    client.post(&feedback, &other).await.problem(422, "invalid");
    // What was said of it before still names it.
    let before = client.get(&scan).await.expect_status(200).json();
    assert_eq!(before["identification"]["partName"], "Flux valve");
    assert_eq!(client.get("/api/scans?q=flux").await.json()["scans"].as_array().unwrap().len(), 1);

    assert_eq!(restore(&client).await.expect_status(200).json(), taught);
    restore(&client).await.problem(404, "not-found");
    assert_eq!(identified(&client, &flower(9)).await, "flux-valve");
}

#[tokio::test]
async fn the_name_of_a_deleted_part_is_free_for_another() {
    let (_app, client) = TestApp::with_vehicle_on(Plan::Pro).await;
    let first = taught_valve(&client).await;
    client.delete(VALVE).await.expect_status(204);
    let second = teach(&client, new_type("Flux Valve", &[checks(0)])).await.expect_status(201).json();
    assert_eq!((&second["id"], &second["name"]), (&first["id"], &json!("Flux Valve")));
    assert_eq!(references(&second).len(), 1);
    restore(&client).await.problem(404, "not-found");

    // A name that another part has by now.
    client.delete(VALVE).await.expect_status(204);
    let other = teach(&client, new_type("Spring", &[flower(0)])).await.expect_status(201).json();
    let path = format!("/api/catalog/types/{}", other["id"].as_str().unwrap());
    change(&client, &path, "Flux valve", "engine").await.expect_status(200);
    restore(&client).await.problem(409, "conflict");
}

#[tokio::test]
async fn a_part_type_with_parts_of_the_shop_is_not_deleted() {
    let (_app, client) = TestApp::with_vehicle_on(Plan::Pro).await;
    taught_valve(&client).await;
    let part = json!({ "label": "flux-valve", "number": "03L131512" });
    let part = client.post("/api/catalog/parts", &part).await.expect_status(201).json();
    client.delete(VALVE).await.problem(409, "conflict");
    assert_eq!(identified(&client, &flower(9)).await, "flux-valve");
    let path = format!("/api/catalog/parts/{}", part["id"].as_str().unwrap());
    client.delete(&path).await.expect_status(204);
    client.delete(VALVE).await.expect_status(204);

    // The part comes back after its type only, which it would be left without.
    let bring_back = || send(client.request(Method::POST, &format!("{path}/restore")));
    let refused = bring_back().await.problem(409, "conflict");
    assert_eq!(refused, messages::SHOP_PART_TYPE_DELETED);
    restore(&client).await.expect_status(200);
    bring_back().await.expect_status(200);
    let changed = json!({ "label": "flux-valve", "number": "03L131512", "notes": "Shelf 3" });
    client.put_json(&path, &changed).await.expect_status(200);
    client.delete(&path).await.expect_status(204);
    client.delete(VALVE).await.expect_status(204);
    let other = json!({ "label": "flux-valve", "number": "03L131513" });
    client.post("/api/catalog/parts", &other).await.problem(422, "invalid");
}

#[tokio::test]
async fn two_parts_never_have_one_name() {
    let (_app, client) = TestApp::with_vehicle_on(Plan::Pro).await;
    taught_valve(&client).await;
    change(&client, VALVE, "Bevel gear", "engine").await.expect_status(200);
    teach(&client, new_type("bevel-gear", &[checks(0)])).await.problem(409, "conflict");
    // Its first name is free, and its label is not.
    let second = teach(&client, new_type("Flux valve", &[checks(0)])).await.expect_status(201).json();
    assert_eq!((&second["id"], &second["name"]), (&json!("flux-valve-2"), &json!("Flux valve")));
    // What people also call a part of the catalogue is no name of it.
    let third = new_type("Brake disc", &[pictures::golden("rim")]).text("acceptCollision", "true");
    let third = teach(&client, third).await;
    let third = format!("/api/catalog/types/{}", third.expect_status(201).json()["id"].as_str().unwrap());
    client.delete(&third).await.expect_status(204);
    send(client.request(Method::POST, &format!("{third}/restore"))).await.expect_status(200);
}

#[tokio::test]
async fn what_is_said_of_a_scan_follows_its_part() {
    let (app, client) = TestApp::with_vehicle_on(Plan::Pro).await;
    let choice = json!({ "confirmedScansTeach": true, "refitCalibration": false });
    client.put_json("/api/learning", &choice).await.expect_status(200);
    taught_valve(&client).await;
    let scan = client.identify(&flower(9)).await.expect_status(200).json();
    let feedback = format!("/api/scans/{}/feedback", scan["id"].as_str().unwrap());
    let right = json!({ "answer": "right" });
    client.post(&feedback, &right).await.expect_status(200);
    let of_valve = async || references(&client.get(VALVE).await.expect_status(200).json()).len();
    assert_eq!(of_valve().await, 3);

    // Taken back while its part is deleted, it does not come back with it.
    client.delete(VALVE).await.expect_status(204);
    app.advance(SignedDuration::from_secs(1));
    client.delete(&feedback).await.expect_status(204);
    restore(&client).await.expect_status(200);
    assert_eq!(of_valve().await, 2);

    // Said again, it is a photograph of the part; of a deleted part it is said all the same.
    client.delete(VALVE).await.expect_status(204);
    let said = client.post(&feedback, &right).await.expect_status(200).json();
    assert!(said["notTaught"].is_string(), "{said}");
    restore(&client).await.expect_status(200);
    client.post(&feedback, &right).await.expect_status(200);
    assert_eq!(of_valve().await, 3);

    // What was said before is said again while its part is deleted: its photograph comes back with it.
    client.delete(VALVE).await.expect_status(204);
    app.advance(SignedDuration::from_secs(1));
    client.post(&feedback, &right).await.expect_status(200);
    restore(&client).await.expect_status(200);
    assert_eq!(of_valve().await, 3);
}

#[tokio::test]
async fn a_part_that_was_renamed_and_deleted_keeps_its_scans_and_comes_back() {
    let (_app, client) = TestApp::with_vehicle_on(Plan::Pro).await;
    taught_valve(&client).await;
    let scan = client.identify(&flower(9)).await.expect_status(200).json();
    change(&client, VALVE, "Whirl gear", "exhaust").await.expect_status(200);
    client.delete(VALVE).await.expect_status(204);
    let other = teach(&client, new_type("Flux valve", &[checks(0)])).await.expect_status(201).json();
    assert_eq!(other["id"], "flux-valve-2");
    let scan = client.get(&format!("/api/scans/{}", scan["id"].as_str().unwrap())).await.json();
    assert_eq!(scan["identification"]["partName"], "Whirl gear");
    assert_eq!(restore(&client).await.expect_status(200).json()["name"], "Whirl gear");
}
