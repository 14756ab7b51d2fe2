//! What is no call: the pages of the web app, and wrong addresses.

use reqwest::Method;

use partsight_app::{Secret, Settings};

use crate::TestApp;
use crate::client::send;

#[tokio::test]
async fn an_unknown_call_is_not_found() {
    let app = TestApp::start().await;
    for path in ["/api", "/api/", "/api/nothing", "/api/vehicles/", "/api/openapi"] {
        for method in [Method::GET, Method::POST, Method::DELETE] {
            let reply = send(app.client().request(method, path)).await;
            let sentence = reply.problem(404, "not-found");
            let expected = "There is no such call. The list of calls is at /api/openapi.json.";
            assert_eq!(sentence, expected, "{path}");
        }
    }
}

#[tokio::test]
async fn a_wrong_method_is_refused_with_the_right_ones() {
    let app = TestApp::start().await;
    let cases = [
        (Method::DELETE, "/api/vehicles", ["GET", "POST"].as_slice()),
        (Method::GET, "/api/identify", &["POST"]),
        (Method::POST, "/health", &["GET"]),
        (Method::POST, "/history", &["GET"]),
        (Method::PUT, "/", &["GET"]),
    ];
    for (method, path, expected) in cases {
        let reply = send(app.client().request(method, path)).await;
        reply.problem(405, "method-not-allowed");
        let allowed: Vec<_> = reply.header("allow").split(',').map(str::trim).collect();
        for method in expected {
            assert!(allowed.contains(method), "{path}: {allowed:?}");
        }
    }
}

#[tokio::test]
async fn every_page_is_the_web_app_or_says_that_it_is_missing() {
    let app = TestApp::start().await;
    for path in ["/", "/history", "/parts/brake?part=brake-rotor", "/shop/taught/my.part", "/catalog/my.part"]
    {
        let reply = app.client().get(path).await;
        assert!(reply.header("content-type").starts_with("text/html"), "{path}: {:?}", reply.headers);
        match reply.status {
            200 => assert!(reply.text.contains("<script"), "{path}: {}", reply.text),
            404 => assert!(reply.text.contains("built without the web app"), "{path}: {}", reply.text),
            status => panic!("{path}: {status}"),
        }
    }
}

#[tokio::test]
async fn a_path_without_a_page_is_not_found_on_a_page() {
    let app = TestApp::start().await;
    for path in ["/nothing", "/vehicles", "/parts/brake/rotor", "/apiary", "/../../etc/passwd"] {
        let reply = app.client().get(path).await;
        assert_eq!(reply.status, 404, "{path}");
        assert!(reply.header("content-type").starts_with("text/html"), "{path}: {:?}", reply.headers);
        assert!(!reply.text.is_empty(), "{path}");
    }
}

#[tokio::test]
async fn a_missing_file_is_not_answered_with_a_page() {
    let app = TestApp::start().await;
    for path in ["/foo.png", "/history/logo.svg", "/.env", "/wp-login.php"] {
        let reply = app.client().get(path).await;
        assert_eq!((reply.status, reply.text.as_str()), (404, ""), "{path}");
    }
}

#[tokio::test]
async fn a_script_of_an_earlier_build_is_not_answered_with_a_page() {
    let app = TestApp::start().await;
    let reply = app.client().get("/assets/index-0000.js").await;
    assert_eq!((reply.status, reply.text.as_str()), (404, ""));
}

#[tokio::test]
async fn every_answer_keeps_pages_to_their_own_scripts() {
    let app = TestApp::start().await;
    for path in ["/", "/health", "/api/nothing", "/api/vehicles"] {
        let reply = app.client().get(path).await;
        assert_eq!(reply.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(reply.header("x-frame-options"), "DENY", "{path}");
        assert_eq!(reply.header("referrer-policy"), "same-origin", "{path}");
        let policy = reply.header("content-security-policy");
        // WebAssembly runs the model in the browser; no text becomes a program.
        let scripts = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval';";
        assert!(policy.starts_with(scripts) && !policy.contains("'unsafe-eval'"), "{policy}");
        assert!(!reply.header("x-request-id").is_empty(), "{path}");
    }
}

fn sell_plans(settings: &mut Settings) {
    let price = |name: &str| Some(format!("price_{name}"));
    settings.payments.secret_key = Some(Secret::new("sk_test_1"));
    settings.payments.publishable_key = Some("pk_test_1".to_owned());
    settings.payments.webhook_secret = Some(Secret::new("whsec_1"));
    settings.payments.price_pro_month = price("a");
    settings.payments.price_pro_year = price("b");
    settings.payments.price_business_month = price("c");
    settings.payments.price_business_year = price("d");
}

#[tokio::test]
async fn only_the_checkout_of_a_server_with_payments_may_load_the_payment_provider() {
    let policy =
        async |app: &TestApp, path| app.client().get(path).await.header("content-security-policy").to_owned();
    let without = TestApp::start().await;
    let with = TestApp::with_settings(sell_plans).await;
    assert!(!policy(&without, "/subscribe").await.contains("stripe"));
    for path in ["/", "/pricing", "/manage-subscription", "/subscribe/more", "/api/settings"] {
        assert!(!policy(&with, path).await.contains("stripe"), "{path}");
    }
    let checkout = policy(&with, "/subscribe?plan=pro").await;
    for part in [
        "default-src 'self';",
        "script-src 'self' https://js.stripe.com https://*.js.stripe.com;",
        "frame-src https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com;",
        "connect-src 'self' https://api.stripe.com;",
        "object-src 'none';",
        "frame-ancestors 'none'",
    ] {
        assert!(checkout.contains(part), "{part}: {checkout}");
    }
    assert!(!checkout.contains("unsafe-eval"), "{checkout}");
}
