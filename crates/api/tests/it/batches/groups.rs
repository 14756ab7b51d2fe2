//! Photographs of one item, what is discarded, and the files that say so.

use image::ImageFormat;
use partsight_domain::Plan;
use serde_json::{Value, json};

use super::jobs::{batch, items, new_batch, photos, ready, start, upload, work};
use crate::{Client, TestApp, pictures};

/// A batch of answered photographs of these keys.
pub(super) async fn answered(app: &TestApp, client: &Client, keys: &[&str]) -> String {
    let id = new_batch(client).await;
    let files: Vec<_> = keys.iter().zip(1..).map(|(key, seed)| (*key, pictures::blocks(seed, 0))).collect();
    upload(client, &id, photos(&files)).await.expect_status(200);
    start(client, &id).await.expect_status(200);
    work(app).await;
    assert_eq!(batch(client, &id).await["state"], "done");
    id
}

pub(super) fn ids(items: &[Value]) -> Vec<&str> {
    items.iter().map(|item| item["id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn photographs_of_one_item_are_proposed_joined_and_split_and_answered_together() {
    let (app, ann) = ready().await;
    let id = answered(&app, &ann, &["pump-1", "rim", "pump-2", "hose"]).await;
    let groups = format!("/api/batches/{id}/groups");
    let proposed = ann.post_bare(&format!("{groups}/propose")).await.expect_status(200).json();
    assert_eq!(proposed["groups"], 1);
    let listed = items(&ann, &id, "?grouped=true").await;
    assert_eq!(listed.iter().map(|item| &item["key"]).collect::<Vec<_>>(), ["pump-1", "rim", "hose"]);
    let group = &listed[0]["group"];
    assert_eq!((&group["proposed"], group["photos"].as_array().unwrap().len()), (&json!(true), 2));
    // Two photographs that say the same say it together.
    let single = &listed[0]["scan"];
    assert_eq!(group["answer"]["label"], single["label"]);
    let confidences = [&group["answer"]["confidence"], &single["confidence"]].map(|c| c.as_f64().unwrap());
    assert!((confidences[0] - confidences[1]).abs() < 1e-3, "{group}");
    assert_eq!(listed[1]["group"], Value::Null);

    let all = items(&ann, &id, "").await;
    let id_of = |key: &str| all.iter().find(|item| item["key"] == key).unwrap()["id"].as_str().unwrap();
    let joined = json!({ "items": [id_of("pump-1"), id_of("hose")] });
    ann.post(&groups, &joined).await.expect_status(204);
    assert_eq!(items(&ann, &id, "?grouped=true").await.len(), 2);
    let table = ann.get(&format!("/api/batches/{id}/results")).await.text;
    assert_eq!(table.matches(id_of("pump-1")).count(), 4, "its own row and each of the item: {table}");
    let split = json!({ "items": [id_of("pump-2")] });
    ann.post(&format!("{groups}/split"), &split).await.expect_status(204);
    // What a person set apart is not proposed again.
    let again = ann.post_bare(&format!("{groups}/propose")).await.expect_status(200).json();
    assert_eq!((&again["groups"], items(&ann, &id, "?grouped=true").await.len()), (&json!(0), 3));
    let twice = json!({ "items": [id_of("rim"), id_of("rim")] });
    for wrong in [json!({ "items": [id_of("rim")] }), twice, json!({ "items": [] })] {
        let sentence = ann.post(&groups, &wrong).await.problem(422, "invalid");
        assert_eq!(sentence, "Please name 2 to 5 photos at a time.");
    }
    let missing = json!({ "items": [id_of("rim"), "0190a0a0-0000-7000-8000-000000000000"] });
    ann.post(&groups, &missing).await.problem(404, "not-found");
    ann.post(&format!("{groups}/split"), &missing).await.problem(404, "not-found");
    let bob = app.sign_up("bob").await;
    bob.post(&groups, &joined).await.problem(404, "not-found");
}

#[tokio::test]
async fn photographs_are_arranged_as_they_were_before() {
    let (app, ann) = ready().await;
    let id = answered(&app, &ann, &["pump-1", "rim", "pump-2", "hose-1", "bolt", "hose-2"]).await;
    let groups = format!("/api/batches/{id}/groups");
    let all = items(&ann, &id, "").await;
    let id_of = |key: &str| all.iter().find(|item| item["key"] == key).unwrap()["id"].clone();
    ann.post_bare(&format!("{groups}/propose")).await.expect_status(200);
    ann.post(&format!("{groups}/split"), &json!({ "items": [id_of("hose-1")] })).await.expect_status(204);
    // What somebody would see: the keys of each item, and who put them together or apart.
    let arranged = async || -> Vec<Value> {
        let listed = items(&ann, &id, "?grouped=true").await;
        let arrangement = |item: &Value| {
            json!([item["key"], item["group"]["photos"].as_array().map(Vec::len), item["groupedBy"]])
        };
        listed.iter().map(arrangement).collect()
    };
    let before = [
        json!(["pump-1", 2, "proposal"]),
        json!(["rim", null, null]),
        json!(["hose-1", null, "person"]),
        json!(["bolt", null, null]),
        json!(["hose-2", null, "person"]),
    ];
    assert_eq!(arranged().await, before);
    let joined = json!({ "items": [id_of("pump-1"), id_of("rim"), id_of("hose-1")] });
    ann.post(&groups, &joined).await.expect_status(204);
    assert_eq!(arranged().await.len(), 3);
    let undo = json!({ "items": [
        { "photos": [id_of("pump-1"), id_of("pump-2")], "groupedBy": "proposal" },
        { "photos": [id_of("rim")], "groupedBy": null },
        { "photos": [id_of("hose-1")], "groupedBy": "person" },
    ] });
    ann.put_json(&groups, &undo).await.expect_status(204);
    assert_eq!(arranged().await, before);
    // What was free before is proposed again.
    let bolt = json!({ "items": [id_of("rim"), id_of("bolt")] });
    ann.post(&groups, &bolt).await.expect_status(204);
    let twice =
        json!({ "items": [{ "photos": [id_of("rim")] }, { "photos": [id_of("rim"), id_of("bolt")] }] });
    let none = json!({ "items": [{ "photos": [] }] });
    let six = json!({ "items": [{ "photos": ids(&all) }] });
    let lonely = json!({ "items": [{ "photos": [id_of("rim"), id_of("bolt")], "groupedBy": null }] });
    for wrong in [twice, none, six, lonely, json!({ "items": [] })] {
        ann.put_json(&groups, &wrong).await.problem(422, "invalid");
    }
    let missing = json!({ "items": [{ "photos": ["0190a0a0-0000-7000-8000-000000000000"] }] });
    ann.put_json(&groups, &missing).await.problem(404, "not-found");
    let bob = app.sign_up("bob").await;
    bob.put_json(&groups, &undo).await.problem(404, "not-found");
}

#[tokio::test]
async fn an_item_of_more_photographs_than_a_scan_takes_is_refused() {
    let (app, ann) = ready().await;
    let id = answered(&app, &ann, &["a", "b", "c", "d", "e", "f"]).await;
    let all = items(&ann, &id, "").await;
    let reply = ann.post(&format!("/api/batches/{id}/groups"), &json!({ "items": ids(&all) })).await;
    reply.problem(422, "invalid");
    assert!(reply.json()["detail"].as_str().unwrap().contains("at most 5 photos"), "{}", reply.text);
}

#[tokio::test]
async fn photographs_are_found_by_the_number_in_their_names() {
    let (app, ann) = ready().await;
    let id = answered(&app, &ann, &["06A-105", "06B-105"]).await;
    let keys = async |number: &str| -> Vec<Value> {
        let listed = items(&ann, &id, &format!("?grouped=true&sort=doubt&number={number}")).await;
        listed.iter().map(|item| item["key"].clone()).collect()
    };
    assert_eq!(keys("06a%20105").await, ["06A-105"]);
    assert_eq!(keys("O6b1o5").await, ["06B-105"]);
    assert_eq!(keys("").await.len(), 2);
    for wrong in ["06", "--------", "06%25A"] {
        let reply = ann.get(&format!("/api/batches/{id}/items?number={wrong}")).await;
        if wrong == "06%25A" {
            // A percent sign is no wildcard: it is left out as any other separator.
            reply.expect_status(200);
        } else {
            reply.problem(422, "invalid");
        }
    }
}

#[tokio::test]
async fn past_scans_are_discarded_and_put_back() {
    let (app, ann) = ready().await;
    let id = answered(&app, &ann, &["a", "b"]).await;
    let scans: Vec<Value> =
        items(&ann, &id, "").await.iter().map(|item| item["scan"]["id"].clone()).collect();
    let listed = async |query: &str| {
        let page = ann.get(&format!("/api/scans{query}")).await.expect_status(200).json();
        page["scans"].as_array().unwrap().len()
    };
    let bob = app.sign_up("bob").await;
    let discard = |discarded: bool| json!({ "scans": [scans[0]], "discarded": discarded });
    // Of somebody else's scans none is touched.
    bob.post("/api/scans/discard", &discard(true)).await.expect_status(204);
    assert_eq!(listed("?discarded=true").await, 0);
    ann.post("/api/scans/discard", &discard(true)).await.expect_status(204);
    assert_eq!(
        (listed("?discarded=true").await, listed("?discarded=false").await, listed("").await),
        (1, 1, 2)
    );
    ann.post("/api/scans/discard", &discard(false)).await.expect_status(204);
    assert_eq!(listed("?discarded=false").await, 2);
    ann.post("/api/scans/discard", &json!({ "scans": [], "discarded": true })).await.problem(422, "invalid");
}

#[tokio::test]
async fn what_is_discarded_leaves_the_list_and_can_come_back() {
    let (app, ann) = ready().await;
    let id = answered(&app, &ann, &["a", "b"]).await;
    let all = items(&ann, &id, "").await;
    let discard = async |discarded: bool| {
        let body = json!({ "items": [all[0]["id"]], "discarded": discarded });
        ann.post(&format!("/api/batches/{id}/discard"), &body).await.expect_status(204);
    };
    discard(true).await;
    assert_eq!(items(&ann, &id, "?discarded=false").await.len(), 1);
    assert_eq!(items(&ann, &id, "?discarded=true").await[0]["discarded"], true);
    // Its scan is in the history all the same, and the file says that it was discarded.
    let scan = all[0]["scan"]["id"].as_str().unwrap();
    ann.get(&format!("/api/scans/{scan}")).await.expect_status(200);
    let lines = ann.get(&format!("/api/batches/{id}/results?format=jsonl")).await.text;
    let first: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!((&first["key"], &first["discarded"]), (&json!("a"), &json!(true)));
    discard(false).await;
    assert_eq!(items(&ann, &id, "?discarded=false").await.len(), 2);
}

#[tokio::test]
async fn results_come_as_a_sheet_with_pictures_and_as_parquet() {
    let (app, ann) = ready().await;
    let id = answered(&app, &ann, &["=1+1", "b"]).await;
    let sheet = ann.get(&format!("/api/batches/{id}/results?format=xlsx")).await;
    sheet.expect_status(200);
    assert!(sheet.header("content-type").contains("spreadsheetml"));
    assert!(sheet.header("content-disposition").contains("batch.xlsx"));
    // The names of a zip's entries stand in it as they are.
    assert!(sheet.text.starts_with("PK") && sheet.text.contains("xl/media/image2.jp"), "two pictures");
    let parquet = ann.get(&format!("/api/batches/{id}/results?format=parquet")).await;
    parquet.expect_status(200);
    assert!(parquet.text.starts_with("PAR1") && parquet.text.ends_with("PAR1"));
    assert!(parquet.text.contains("item_confidence") && parquet.text.contains("=1+1"));
}

#[tokio::test]
async fn a_pallet_that_is_sent_twice_is_told() {
    let (app, ann) = ready().await;
    answered(&app, &ann, &["a", "b"]).await;
    let id = new_batch(&ann).await;
    let files = [("x", pictures::blocks(1, 0)), ("y", pictures::blocks(9, 0))];
    let report = upload(&ann, &id, photos(&files)).await.expect_status(200).json();
    assert_eq!((&report["added"], &report["seenBefore"]), (&json!(2), &json!(1)));
    // The other person's photographs are nobody else's business.
    let bob = app.sign_up("bob").await;
    let id = new_batch(&bob).await;
    let report = upload(&bob, &id, photos(&files)).await.expect_status(200).json();
    assert_eq!(report["seenBefore"], 0);
}

#[tokio::test]
async fn a_part_is_taught_with_scans_of_it() {
    // The model that is shipped: the stand-in cannot be taught.
    let (app, ann) = TestApp::with_ann_on(Plan::Business).await;
    let id = new_batch(&ann).await;
    let mirrored = pictures::rotor(|rotor| rotor.fliph(), ImageFormat::Png);
    let files = [("a", pictures::golden("brake-rotor")), ("b", mirrored)];
    upload(&ann, &id, photos(&files)).await.expect_status(200);
    start(&ann, &id).await.expect_status(200);
    work(&app).await;
    let scans: Vec<Value> =
        items(&ann, &id, "").await.iter().map(|item| item["scan"]["id"].clone()).collect();
    let teach = "/api/catalog/types/from-scans";
    ann.post(teach, &json!({ "scans": scans, "name": "Turbo hose" })).await.problem(422, "invalid");
    ann.post(teach, &json!({ "scans": [], "label": "rim" })).await.problem(422, "invalid");
    // One that is named twice is the same one.
    let named: Vec<&Value> = scans.iter().chain(&scans).collect();
    let body = json!({ "scans": named, "label": "brake-rotor" });
    let reply = ann.post(teach, &body).await;
    reply.expect_status(200);
    let taught = reply.json();
    let n_taught = taught["taught"].as_array().unwrap().len();
    let n_refused = taught["refused"].as_array().unwrap().len();
    assert!(n_taught > 0 && n_taught + n_refused == 2, "{taught}");
    let label = taught["label"].as_str().unwrap();
    let part = ann.get(&format!("/api/catalog/types/{label}")).await.expect_status(200).json();
    assert_eq!(part["references"].as_array().unwrap().len(), n_taught);
    // What is said of those scans is that they show it; taken back, the photo of the part goes.
    let first = taught["taught"][0].as_str().unwrap();
    let scan = ann.get(&format!("/api/scans/{first}")).await.json();
    assert_eq!(scan["feedback"]["label"], *label);
    assert_eq!(
        ann.get("/api/scans?hasFeedback=true").await.json()["scans"].as_array().unwrap().len(),
        n_taught
    );
    ann.delete(&format!("/api/scans/{first}/feedback")).await.expect_status(204);
    let left = ann.get(&format!("/api/catalog/types/{label}")).await;
    let n_left = if left.status == 404 { 0 } else { left.json()["references"].as_array().unwrap().len() };
    assert_eq!(n_left, n_taught - 1);
    let bob = app.sign_up("bob").await;
    bob.post(teach, &json!({ "scans": scans, "label": "rim" })).await.problem(404, "not-found");
}
