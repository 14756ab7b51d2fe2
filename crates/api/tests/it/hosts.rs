use reqwest::Method;

use crate::client::send;
use crate::{Reply, TestApp};

async fn asked(app: &TestApp, path: &str, host: &str) -> Reply {
    send(app.client().request(Method::GET, path).header("host", host)).await
}

#[tokio::test]
async fn a_server_with_a_public_address_answers_to_its_name_alone() {
    let app = TestApp::with_stand_in(|settings| {
        settings.server.public_url = Some("https://parts.example.com".to_owned());
    })
    .await;
    for path in ["/", "/api/settings", "/health", "/metrics"] {
        let refusal = asked(&app, path, "evil.example").await.problem(421, "wrong-host");
        assert!(refusal.contains("https://parts.example.com"), "{refusal}");
    }
    asked(&app, "/api/settings", "parts.example.com").await.expect_status(200);
    asked(&app, "/api/settings", "parts.example.com:443").await.expect_status(200);
    asked(&app, "/health", "10.0.0.7:8080").await.expect_status(200);
}

#[tokio::test]
async fn a_server_for_this_machine_answers_to_no_name_of_another_site() {
    let app = TestApp::with_stand_in(|_| {}).await;
    for host in ["localhost", "127.0.0.1:8080", "[::1]:8080", "192.168.1.5:8080"] {
        asked(&app, "/api/settings", host).await.expect_status(200);
    }
    let refusal = asked(&app, "/api/settings", "evil.example").await.problem(421, "wrong-host");
    assert!(refusal.contains("`public_url`"), "{refusal}");
}

#[tokio::test]
async fn a_server_for_a_network_answers_to_every_name() {
    let listen = "0.0.0.0:8080".parse().unwrap();
    let app = TestApp::with_stand_in(|settings| settings.server.listen = listen).await;
    for host in ["partsight.local", "192.168.1.5:8080", "workshop-pc"] {
        asked(&app, "/api/settings", host).await.expect_status(200);
    }
}
