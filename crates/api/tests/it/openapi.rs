use crate::TestApp;

#[test]
fn the_document_is_as_reviewed() {
    insta::assert_json_snapshot!("openapi", partsight_api::openapi());
}

#[tokio::test]
async fn the_server_answers_with_the_document() {
    let app = TestApp::start().await;
    let reply = app.client().get("/api/openapi.json").await;
    assert_eq!(reply.expect_status(200).json(), serde_json::to_value(partsight_api::openapi()).unwrap());
}
