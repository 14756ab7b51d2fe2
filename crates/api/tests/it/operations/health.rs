use serde_json::json;

use crate::TestApp;

#[tokio::test]
async fn health_names_program_and_model_without_a_sign_in() {
    let app = TestApp::start().await;
    let body = app.client().get("/health").await.expect_status(200).json();
    assert_eq!((&body["status"], &body["version"]), (&json!("ok"), &json!(env!("CARGO_PKG_VERSION"))));
    assert!(body["model"].as_str().unwrap().starts_with("partsight-50 "), "{body}");
}

#[tokio::test]
async fn health_fails_once_the_database_is_gone() {
    let app = TestApp::with_stand_in(|_| {}).await;
    app.use_cases.close().await;
    app.client().get("/health").await.problem(503, "busy");
}
