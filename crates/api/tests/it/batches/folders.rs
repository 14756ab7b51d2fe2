//! Photographs of a folder of the server.

use std::fs;

use partsight_domain::Plan;
use serde_json::json;

use super::jobs::{batch, items, new_batch, ready, start, work};
use crate::{TestApp, pictures};

#[tokio::test]
async fn a_folder_of_the_server_is_chosen_added_and_started() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("monday/shelf-7")).unwrap();
    for (path, seed) in [("monday/a.jpg", 1), ("monday/shelf-7/b.jpg", 2), ("tuesday.jpg", 3)] {
        fs::write(folder.path().join(path), pictures::blocks(seed, 0)).unwrap();
    }
    let app = TestApp::with_stand_in(|settings| {
        settings.server.plan = Some(Plan::Business);
        settings.model.batch_dir = Some(folder.path().to_owned());
    })
    .await;
    let ann = app.sign_up("ann").await;
    assert_eq!(ann.get("/api/settings").await.json()["batchFolders"], true);
    let root = ann.get("/api/batches/folders").await.expect_status(200).json();
    assert_eq!(root, json!({ "path": "", "folders": ["monday"], "photos": 3, "morePhotos": false }));
    let monday = ann.get("/api/batches/folders?path=monday").await.expect_status(200).json();
    assert_eq!(monday, json!({ "path": "monday", "folders": ["shelf-7"], "photos": 2, "morePhotos": false }));
    for wrong in ["..", "monday/..%2F..", "monday/a.jpg", "wednesday"] {
        ann.get(&format!("/api/batches/folders?path={wrong}")).await.problem(422, "invalid");
    }
    let id = new_batch(&ann).await;
    let add = format!("/api/batches/{id}/folder");
    let report = ann.post(&add, &json!({ "path": "monday" })).await.expect_status(200).json();
    assert_eq!((&report["added"], &report["known"]), (&json!(2), &json!(0)));
    let again = ann.post(&add, &json!({ "path": "" })).await.expect_status(200).json();
    assert_eq!((&again["added"], &again["known"]), (&json!(1), &json!(2)));
    start(&ann, &id).await.expect_status(200);
    work(&app).await;
    assert_eq!(batch(&ann, &id).await["state"], "done");
    let keys: Vec<_> = items(&ann, &id, "").await.iter().map(|item| item["key"].clone()).collect();
    assert_eq!(keys, ["monday/a.jpg", "monday/shelf-7/b.jpg", "tuesday.jpg"]);
    app.client().get("/api/batches/folders").await.problem(401, "not-signed-in");
}

#[tokio::test]
async fn without_the_setting_no_folder_is_shown() {
    let (_app, ann) = ready().await;
    assert_eq!(ann.get("/api/settings").await.json()["batchFolders"], false);
    let detail = ann.get("/api/batches/folders").await.problem(422, "invalid");
    assert!(detail.contains("opens no folder"), "{detail}");
}
