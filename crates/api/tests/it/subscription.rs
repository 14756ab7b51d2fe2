use partsight_domain::Plan;
use serde_json::json;

use crate::TestApp;
use crate::client::assert_reply_snapshot;

#[tokio::test]
async fn a_new_account_is_free_with_two_scans() {
    let app = TestApp::start().await;
    let client = app.sign_up("ann").await;
    assert_reply_snapshot!("subscription_free", client.get("/api/subscription/status").await);
    let limits = client.get("/api/scans/limits").await;
    assert_eq!(limits.expect_status(200).json(), json!({ "limit": 2, "used": 0, "remaining": 2 }));
}

#[tokio::test]
async fn the_plan_of_the_server_holds_for_every_account() {
    for (plan, name) in [(Plan::Pro, "Pro"), (Plan::Business, "Business")] {
        let app = TestApp::with_settings(|settings| settings.plan = Some(plan)).await;
        let client = app.sign_up("ann").await;
        let status = client.get("/api/subscription/status").await.expect_status(200).json();
        assert_eq!((&status["plan"], &status["scansRemaining"]), (&json!(name), &json!(null)));
        let limits = client.get("/api/scans/limits").await;
        assert_eq!(limits.json(), json!({ "limit": 999, "used": 0, "remaining": 999 }));
        assert_eq!(client.get("/api/auth/user").await.json()["planType"], plan.as_str());
    }
}
