//! The model as browsers get it.

use partsight_inference::{Model, sha256};
use reqwest::Method;
use serde_json::json;

use crate::TestApp;

#[tokio::test]
async fn a_browser_gets_the_facts_and_the_file_of_the_model() {
    let app = TestApp::start().await;
    let client = app.client();
    let facts = client.get("/api/model").await.expect_status(200).json();
    assert_eq!((&facts["name"], &facts["input"]["name"]), (&json!("partsight-50"), &json!("image")));
    assert_eq!(facts["resize"]["mode"], "squash");
    assert_eq!(facts["resize"]["filter"], "bilinear");
    let model = Model::embedded().unwrap();
    assert_eq!(facts["secondLook"].is_null(), model.manifest().second_look.is_none(), "{facts}");
    assert_eq!(facts["classes"].as_array().unwrap().len(), 50);
    let rotor = json!({ "label": "brake-rotor", "name": "Brake Rotor" });
    assert!(facts["classes"].as_array().unwrap().contains(&rotor), "{facts}");
    let reply = client.request(Method::GET, facts["url"].as_str().unwrap()).send().await.unwrap();
    assert_eq!(reply.status(), 200);
    assert_eq!(reply.headers()["cache-control"], "public, max-age=31536000, immutable");
    let file = reply.bytes().await.unwrap();
    assert_eq!(
        (json!(sha256(&file)), json!(file.len())),
        (facts["sha256"].clone(), facts["sizeBytes"].clone())
    );
}

#[tokio::test]
async fn another_file_and_a_model_without_files_are_not_there() {
    let app = TestApp::start().await;
    app.client().get(&format!("/api/model/{}", "0".repeat(64))).await.problem(404, "not-found");
    let stand_in = TestApp::with_stand_in(|_| {}).await;
    stand_in.client().get("/api/model").await.problem(404, "not-found");
}
