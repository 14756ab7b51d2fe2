//! Another name for a taught part, deleting it, and bringing it back.

use partsight_domain::Plan;
use reqwest::Method;
use serde_json::{Value, json};

use super::taught_parts::{add, checks, flower, form, identified, new_type, references, teach};
use crate::client::send;
use crate::{Client, Reply, TestApp};

const VALVE: &str = "/api/catalog/types/egr-valve";

async fn start() -> TestApp {
    TestApp::with_settings(|settings| settings.server.plan = Some(Plan::Pro)).await
}

async fn taught_valve(client: &Client) -> Value {
    teach(client, new_type("EGR valve", &[flower(0), flower(18)])).await.expect_status(201).json()
}

async fn change(client: &Client, path: &str, name: &str, category: &str) -> Reply {
    client.put_json(path, &json!({ "name": name, "category": category })).await
}

async fn restore(client: &Client) -> Reply {
    send(client.request(Method::POST, "/api/catalog/types/egr-valve/restore")).await
}

#[tokio::test]
async fn a_taught_part_gets_another_name_and_category() {
    let app = start().await;
    let client = app.sign_up_with_vehicle("ann").await;
    let taught = taught_valve(&client).await;
    assert_eq!(taught["isOwn"], true);
    client.identify(&flower(9)).await.expect_status(200);

    let changed = change(&client, VALVE, " EGR valve, 2.0 TDI ", "exhaust").await.expect_status(200).json();
    assert_eq!((&changed["id"], &changed["name"]), (&json!("egr-valve"), &json!("EGR valve, 2.0 TDI")));
    assert_eq!(changed["category"], "exhaust");
    assert_eq!(references(&changed), references(&taught));
    // Scans of before and after.
    let scan = client.identify(&flower(9)).await.expect_status(200).json();
    assert_eq!(scan["identification"]["partName"], "EGR valve, 2.0 TDI");
    assert_eq!(scan["identification"]["category"], "exhaust");
    let kept = client.get("/api/scans/recent").await.json();
    assert_eq!(kept[1]["part"]["name"], "EGR valve, 2.0 TDI");

    change(&client, VALVE, "brake  ROTOR", "exhaust").await.problem(409, "conflict");
    change(&client, VALVE, "", "exhaust").await.problem(422, "invalid-input");
    change(&client, VALVE, "Valve", "kitchen").await.problem(422, "invalid-input");
    // Its own name in other letters.
    change(&client, VALVE, "egr VALVE, 2.0 tdi", "engine").await.expect_status(200);
    change(&client, "/api/catalog/types/brake-rotor", "Disc", "brakes").await.problem(404, "not-found");
    let stranger = app.sign_up_with_vehicle("bob").await;
    change(&stranger, VALVE, "Mine", "engine").await.problem(404, "not-found");
}

#[tokio::test]
async fn a_deleted_part_is_not_found_until_it_is_restored() {
    let app = start().await;
    let client = app.sign_up_with_vehicle("ann").await;
    let taught = taught_valve(&client).await;
    let scan = client.identify(&flower(9)).await.expect_status(200).json();
    let scan = format!("/api/scans/{}", scan["id"].as_str().unwrap());
    restore(&client).await.problem(404, "not-found");

    client.delete(VALVE).await.expect_status(204);
    client.delete(VALVE).await.problem(404, "not-found");
    client.get(VALVE).await.problem(404, "not-found");
    assert_eq!(client.get("/api/catalog/types").await.json(), json!([]));
    assert_eq!(identified(&client, &flower(9)).await, "not-identified");
    add(&client, "egr-valve", form(&[flower(30)])).await.problem(404, "not-found");
    let photo = format!("/api/catalog/references/{}/restore", references(&taught)[0]);
    send(client.request(Method::POST, &photo)).await.problem(404, "not-found");
    let feedback = json!({ "answer": "other-part", "label": "egr-valve" });
    client.post(&format!("{scan}/feedback"), &feedback).await.problem(422, "invalid-input");
    // What was said of it before still names it.
    let before = client.get(&scan).await.expect_status(200).json();
    assert_eq!(before["identification"]["partName"], "EGR valve");
    assert_eq!(client.get("/api/scans?q=egr").await.json()["scans"].as_array().unwrap().len(), 1);

    assert_eq!(restore(&client).await.expect_status(200).json(), taught);
    restore(&client).await.problem(404, "not-found");
    assert_eq!(identified(&client, &flower(9)).await, "egr-valve");
}

#[tokio::test]
async fn the_name_of_a_deleted_part_is_free_for_another() {
    let app = start().await;
    let client = app.sign_up_with_vehicle("ann").await;
    let first = taught_valve(&client).await;
    client.delete(VALVE).await.expect_status(204);
    let second = teach(&client, new_type("EGR Valve", &[checks(0)])).await.expect_status(201).json();
    assert_eq!((&second["id"], &second["name"]), (&first["id"], &json!("EGR Valve")));
    assert_eq!(references(&second).len(), 1);
    restore(&client).await.problem(404, "not-found");

    // A name that another part has by now.
    client.delete(VALVE).await.expect_status(204);
    let other = teach(&client, new_type("Spring", &[flower(0)])).await.expect_status(201).json();
    let path = format!("/api/catalog/types/{}", other["id"].as_str().unwrap());
    change(&client, &path, "EGR valve", "engine").await.expect_status(200);
    restore(&client).await.problem(409, "conflict");
}

#[tokio::test]
async fn a_part_type_with_parts_of_the_shop_is_not_deleted() {
    let app = start().await;
    let client = app.sign_up_with_vehicle("ann").await;
    taught_valve(&client).await;
    let part = json!({ "label": "egr-valve", "number": "03L131512" });
    let part = client.post("/api/catalog/parts", &part).await.expect_status(201).json();
    client.delete(VALVE).await.problem(409, "conflict");
    assert_eq!(identified(&client, &flower(9)).await, "egr-valve");
    client.delete(&format!("/api/catalog/parts/{}", part["id"].as_str().unwrap())).await.expect_status(204);
    client.delete(VALVE).await.expect_status(204);
}
