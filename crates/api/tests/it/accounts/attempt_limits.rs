//! How often one may try.

use jiff::SignedDuration;
use reqwest::Method;
use serde_json::json;

use crate::TestApp;
use crate::client::send;

/// Tries a wrong password until it is refused for trying, at most 100 times; how often it was looked at.
async fn guesses(app: &TestApp, name: &str, forwarded_for: Option<&str>) -> usize {
    let client = app.client();
    let body = json!({ "email": format!("{name}@example.com"), "password": "wrong horse" });
    for n_guesses in 0..100 {
        let mut request = client.request(Method::POST, "/api/auth/login").json(&body);
        if let Some(address) = forwarded_for {
            request = request.header("x-forwarded-for", address);
        }
        let reply = send(request).await;
        if reply.status != 401 {
            let sentence = reply.problem(429, "too-many-attempts");
            assert_eq!(sentence, "Too many attempts. Please wait a few minutes and try again.");
            let seconds: u64 = reply.header("retry-after").parse().unwrap();
            assert!((1..=91).contains(&seconds), "{seconds}");
            return n_guesses;
        }
        reply.problem(401, "sign-in-failed");
    }
    100
}

#[tokio::test]
async fn guessing_a_password_is_slowed_down_and_the_limit_ends() {
    let app = TestApp::with_stand_in(|settings| settings.accounts.sign_in_attempts = 3).await;
    app.sign_up("ann").await;
    app.sign_up("bob").await;
    assert_eq!(guesses(&app, "ann", None).await, 3);
    // Also the right password has to wait: else the limit would say which one it is.
    app.client().sign_in("ann", "correct horse").await.problem(429, "too-many-attempts");
    // Somebody else is not kept out.
    app.client().sign_in("bob", "correct horse").await.expect_status(200);
    app.advance(SignedDuration::from_secs(90));
    app.client().sign_in("ann", "correct horse").await.expect_status(200);
}

#[tokio::test]
async fn an_unknown_e_mail_is_slowed_down_alike() {
    let app = TestApp::with_stand_in(|settings| settings.accounts.sign_in_attempts = 3).await;
    app.sign_up("ann").await;
    assert_eq!(guesses(&app, "nobody", None).await, guesses(&app, "ann", None).await);
}

#[tokio::test]
async fn signing_in_rightly_is_never_too_often() {
    let app = TestApp::with_stand_in(|settings| settings.accounts.sign_in_attempts = 2).await;
    app.sign_up("ann").await;
    for _ in 0..12 {
        app.client().sign_in("ann", "correct horse").await.expect_status(200);
    }
}

#[tokio::test]
async fn one_address_cannot_try_all_accounts() {
    let app = TestApp::with_stand_in(|settings| settings.accounts.sign_in_attempts = 2).await;
    let mut looked_at = 0;
    for number in 0..10 {
        looked_at += guesses(&app, &format!("user{number}"), None).await;
    }
    // Five times the attempts of one account.
    assert_eq!(looked_at, 10);
}

#[tokio::test]
async fn a_made_up_address_gets_no_attempts_of_its_own() {
    let app = TestApp::with_stand_in(|settings| settings.accounts.sign_in_attempts = 2).await;
    assert_eq!(guesses(&app, "ann", Some("198.51.100.1")).await, 2);
    assert_eq!(guesses(&app, "ann", Some("198.51.100.2")).await, 0);
}

#[tokio::test]
async fn behind_a_proxy_each_client_counts_for_itself() {
    let app = TestApp::with_stand_in(|settings| {
        settings.accounts.sign_in_attempts = 2;
        settings.server.trusted_proxies = "127.0.0.1".to_owned().try_into().unwrap();
    })
    .await;
    assert_eq!(guesses(&app, "ann", Some("198.51.100.1")).await, 2);
    // What the client itself wrote into the header stands before what the proxy appended.
    assert_eq!(guesses(&app, "ann", Some("203.0.113.9, 198.51.100.1")).await, 0);
    assert_eq!(guesses(&app, "ann", Some("198.51.100.2")).await, 2);
}

#[tokio::test]
async fn the_limit_can_be_turned_off() {
    let app = TestApp::with_stand_in(|settings| settings.accounts.sign_in_attempts = 0).await;
    for _ in 0..20 {
        app.client().sign_in("ann", "wrong horse").await.problem(401, "sign-in-failed");
    }
}

#[tokio::test]
async fn sign_ups_and_asked_for_mails_from_one_address_are_counted() {
    let app = TestApp::with_stand_in(|settings| settings.accounts.sign_in_attempts = 1).await;
    let ask = async |number: usize| {
        let body = json!({ "email": format!("user{number}@example.com") });
        app.client().post("/api/auth/forgot-password", &body).await
    };
    for number in 0..20 {
        ask(number).await.expect_status(202);
    }
    ask(20).await.problem(429, "too-many-attempts");
    app.client().sign_up("ann").await.problem(429, "too-many-attempts");
    app.advance(SignedDuration::from_secs(18));
    app.sign_up("ann").await;
}
