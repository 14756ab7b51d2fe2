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

#[tokio::test]
async fn people_can_read_and_try_the_calls_on_a_page_of_ours() {
    let app = TestApp::start().await;
    let client = app.client();
    let page = client.get("/api/docs").await;
    assert!(page.expect_status(200).header("content-type").starts_with("text/html"));
    // The page holds no script of its own: the policy for all pages would block it.
    assert!(page.header("content-security-policy").starts_with("default-src 'self'"));
    assert!(
        !page.text.contains("<script>") && !page.text.contains("http://") && !page.text.contains("https://")
    );
    for (file, media_type) in [("page.js", "text/javascript"), ("page.css", "text/css")] {
        assert!(page.text.contains(&format!("/api/docs/{file}")));
        let reply = client.get(&format!("/api/docs/{file}")).await;
        assert!(reply.expect_status(200).header("content-type").starts_with(media_type));
    }
}

#[test]
fn the_document_lists_every_error_and_describes_the_key_of_calls_that_make_something() {
    let document = serde_json::to_value(partsight_api::openapi()).unwrap();
    let description = document["info"]["description"].as_str().unwrap();
    for code in partsight_api::ErrorCode::ALL {
        let row = format!("| {} | `{}` |", code.status().as_u16(), code.as_str());
        assert!(description.contains(&row), "{row}");
    }
    let parameters = document["paths"]["/api/vehicles"]["post"]["parameters"].as_array().unwrap();
    assert!(parameters.iter().any(|parameter| parameter["name"] == "Idempotency-Key"));
}
