//! A clock of the machine that is a week ahead for a while, and is set back.

use jiff::SignedDuration;
use reqwest::Method;
use serde_json::json;

use crate::TestApp;
use crate::client::send;
use crate::plans::company::{add, link_token, make, start};

const WEEK: SignedDuration = SignedDuration::from_hours(7 * 24);

#[tokio::test]
async fn who_tried_too_often_by_a_wrong_clock_waits_no_longer_than_else() {
    let app = TestApp::with_stand_in(|settings| settings.accounts.sign_in_attempts = 3).await;
    app.sign_up("ann").await;
    app.set_clock_ahead(WEEK);
    for _ in 0..3 {
        app.client().sign_in("ann", "wrong horse").await.problem(401, "sign-in-failed");
    }
    app.set_clock_ahead(-WEEK);
    let refused = app.client().sign_in("ann", "correct horse").await;
    refused.problem(429, "too-many-attempts");
    // The next whole second after the 90 that an attempt takes to come back.
    assert_eq!(refused.header("retry-after"), "91");
    app.advance(SignedDuration::from_secs(90));
    app.client().sign_in("ann", "correct horse").await.expect_status(200);
}

#[tokio::test]
async fn a_clock_that_jumps_gives_nobody_more_attempts() {
    let app = TestApp::with_stand_in(|settings| settings.accounts.sign_in_attempts = 3).await;
    app.sign_up("ann").await;
    for _ in 0..3 {
        app.client().sign_in("ann", "wrong horse").await.problem(401, "sign-in-failed");
    }
    app.set_clock_ahead(WEEK);
    app.client().sign_in("ann", "wrong horse").await.problem(429, "too-many-attempts");
}

#[tokio::test]
async fn a_call_is_done_once_though_the_clock_jumps_ahead_and_back() {
    let (app, ann) = TestApp::stand_in_with_ann().await;
    let create = async |key: &str| {
        let call = ann.request(Method::POST, "/api/vehicles").header("idempotency-key", key);
        let vehicle = json!({ "make": "Honda", "model": "Civic", "year": 2019 });
        send(call.json(&vehicle)).await.expect_status(201).json()["id"].clone()
    };
    let made = create("before").await;
    app.set_clock_ahead(WEEK);
    // Each call forgets old ones.
    let meanwhile = create("meanwhile").await;
    assert_eq!(create("before").await, made);
    app.set_clock_ahead(-WEEK);
    assert_eq!((create("before").await, create("meanwhile").await), (made.clone(), meanwhile));
    // A day that passes ends a key all the same.
    app.advance(SignedDuration::from_hours(25));
    assert_ne!(create("before").await, made);
}

#[tokio::test]
async fn what_is_kept_survives_a_week_ahead_and_back() {
    let (app, ann) = start().await;
    let bob = app.sign_up("bob").await;
    let company = make(&ann).await;
    let before = add(&ann, &company, "bob", "member").await;
    app.set_clock_ahead(WEEK);
    // Sessions go on, and so does what is begun meanwhile.
    let name = json!({ "name": "Lee & Sons" });
    ann.put_json(&company, &name).await.expect_status(200);
    let vehicle = json!({ "make": "Honda", "model": "Civic", "year": 2019 });
    let create = || {
        let call = ann.request(Method::POST, "/api/vehicles").header("idempotency-key", "once");
        send(call.json(&vehicle))
    };
    let made = create().await.expect_status(201).json();
    app.set_clock_ahead(-WEEK);
    for client in [&ann, &bob] {
        client.get("/api/auth/user").await.expect_status(200);
    }
    assert_eq!(create().await.expect_status(201).json()["id"], made["id"]);
    let yes = json!({ "token": link_token(&before) });
    bob.post("/api/company/invitations/accept", &yes).await.expect_status(200);
}
