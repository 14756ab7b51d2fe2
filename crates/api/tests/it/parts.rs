use crate::TestApp;
use crate::client::assert_reply_snapshot;

#[tokio::test]
async fn suppliers_lead_to_searches_for_the_default_vehicle() {
    let app = TestApp::start().await;
    let client = app.sign_up_with_vehicle("ann").await;
    assert_reply_snapshot!("suppliers", client.get("/api/parts/brake-rotor/ai-suppliers").await);
}

#[tokio::test]
async fn suppliers_are_named_without_a_vehicle_too() {
    let app = TestApp::start().await;
    let client = app.sign_up("ann").await;
    let reply = client.get("/api/parts/brake-rotor/ai-suppliers").await;
    let body = reply.expect_status(200).json();
    let suppliers = body["suppliers"].as_array().unwrap();
    assert!(!suppliers.is_empty());
    for supplier in suppliers {
        assert!(!supplier.to_string().contains("{vehicle}"), "{supplier}");
    }
}

#[tokio::test]
async fn an_unknown_part_is_not_found() {
    let app = TestApp::start().await;
    let client = app.sign_up("ann").await;
    for id in ["flux-capacitor", "Brake Rotor", "%20"] {
        let reply = client.get(&format!("/api/parts/{id}/ai-suppliers")).await;
        assert_eq!(reply.problem(404, "not-found"), "This part is not in the catalogue.", "{id}");
    }
}
