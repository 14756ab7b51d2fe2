use partsight_app::Secret;
use serde_json::json;

use crate::TestApp;

#[tokio::test]
async fn pages_are_told_the_settings_without_a_sign_in() {
    let app = TestApp::with_stand_in(|settings| {
        settings.server.support_email = "help@parts.example".to_owned();
        settings.server.legal_entity = " Parts Ltd ".to_owned();
        settings.photos.max_bytes = 5000;
    })
    .await;
    let reply = app.client().get("/api/settings").await;
    let expected = json!({
        "supportEmail": "help@parts.example", "legalEntity": "Parts Ltd", "externalSignIn": false, "mail": false,
        "payments": false, "stripePublishableKey": null, "vinDecoder": false, "recalls": false,
        "zeroEgress": false, "batchFolders": false, "maxPhotoBytes": 5000,
    });
    assert_eq!(reply.expect_status(200).json(), expected);
}

#[tokio::test]
async fn pages_are_told_whether_mails_are_sent() {
    let app = TestApp::with_stand_in(|settings| {
        settings.mail.smtp_url = Some(Secret::new("smtp://127.0.0.1:9"));
    })
    .await;
    assert_eq!(app.client().get("/api/settings").await.json()["mail"], true);
}

#[tokio::test]
async fn pages_are_told_that_nothing_leaves_the_server() {
    let app = TestApp::with_stand_in(|settings| settings.server.zero_egress = true).await;
    assert_eq!(app.client().get("/api/settings").await.json()["zeroEgress"], true);
}
