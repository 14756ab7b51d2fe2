//! Refusals that belong to no one call.

use reqwest::Method;
use serde_json::json;

use crate::TestApp;
use crate::client::{assert_reply_snapshot, send};

#[tokio::test]
async fn broken_json_is_refused_with_the_place() {
    let (_app, client) = TestApp::with_ann().await;
    let request = client
        .request(Method::POST, "/api/vehicles")
        .header("content-type", "application/json")
        .body("{\"make\": \"Honda\",");
    let reply = send(request).await;
    let sentence = reply.problem(422, "invalid");
    assert!(sentence.contains("line 1 column 17"), "{sentence}");
}

#[tokio::test]
async fn a_json_value_of_the_wrong_kind_is_refused_with_its_field() {
    let (_app, client) = TestApp::with_ann().await;
    let body = json!({ "make": "Honda", "model": "Civic", "year": "MMXV" });
    let reply = client.post("/api/vehicles", &body).await;
    assert_reply_snapshot!("wrong_kind_of_value", reply);
    reply.problem(422, "invalid");
}

#[tokio::test]
async fn a_body_that_is_not_said_to_be_json_is_refused() {
    let app = TestApp::start().await;
    for content_type in ["text/plain", "application/x-www-form-urlencoded", ""] {
        let request = app
            .client()
            .request(Method::POST, "/api/auth/login")
            .header("content-type", content_type)
            .body("{}");
        let sentence = send(request).await.problem(415, "unsupported-media-type");
        assert!(sentence.contains("Content-Type: application/json"), "{sentence}");
    }
}

#[tokio::test]
async fn a_body_larger_than_any_form_is_refused() {
    let app = TestApp::start().await;
    let body = json!({ "email": "a".repeat(300 * 1024), "password": "correct horse" });
    app.client().post("/api/auth/login", &body).await.problem(413, "too-large");
}

#[tokio::test]
async fn an_address_that_is_not_text_is_refused() {
    let (_app, client) = TestApp::with_ann().await;
    client.put("/api/vehicles/%ff/default").await.problem(404, "not-found");
    client.get("/api/parts/%ff/ai-suppliers").await.problem(404, "not-found");
}

#[tokio::test]
async fn each_answer_has_a_request_id_of_its_own() {
    let app = TestApp::start().await;
    let (first, second) = (app.client().get("/health").await, app.client().get("/health").await);
    assert_ne!(first.header("x-request-id"), second.header("x-request-id"));
}
