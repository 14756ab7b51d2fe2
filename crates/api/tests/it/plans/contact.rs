//! Messages to support.

use serde_json::{Value, json};
use sqlx::{AnyConnection, Connection, Row};

use crate::smtp_server::{Manners, SmtpServer};
use crate::{Client, Reply, TestApp};

async fn start() -> (TestApp, SmtpServer) {
    TestApp::with_mails(Manners::default(), |settings| {
        "help@parts.example".clone_into(&mut settings.server.support_email);
    })
    .await
}

fn message() -> Value {
    json!({ "name": "Ann Lee", "email": "Ann@Example.com", "subject": "Scans", "message": "It rattles.\nWhy?" })
}

async fn send(client: &Client, change: Value) -> Reply {
    let mut body = message();
    for (name, value) in change.as_object().unwrap() {
        body[name] = value.clone();
    }
    client.post("/api/contact", &body).await
}

/// Of each kept message, the oldest first: why it was trapped, and whether it has an account.
async fn kept(app: &TestApp) -> Vec<(Option<String>, bool)> {
    let mut connection = AnyConnection::connect(&app.database_url).await.unwrap();
    let rows = sqlx::query("SELECT trapped_by, user_id FROM contact_message ORDER BY message_id")
        .fetch_all(&mut connection)
        .await
        .unwrap();
    rows.iter()
        .map(|row| (row.get("trapped_by"), row.get::<Option<String>, _>("user_id").is_some()))
        .collect()
}

#[tokio::test]
async fn a_message_is_kept_and_mailed_with_whom_to_answer() {
    let (app, mails) = start().await;
    let reply = send(&app.client(), json!({})).await;
    assert_eq!(reply.expect_status(202).text, "");
    let mail = mails.next().await;
    assert_eq!(mail.to, ["help@parts.example"]);
    assert_eq!(mail.after("Subject: "), "[Partsight] Scans");
    assert_eq!(mail.after("Reply-To: "), "ann@example.com");
    assert_eq!([mail.after("Account: "), mail.after("Plan: ")], ["none", "none"]);
    assert!(mail.text.contains("It rattles.\nWhy?"), "{}", mail.text);

    let bob = app.sign_up("bob").await;
    mails.next().await;
    send(&bob, json!({ "subject": null })).await.expect_status(202);
    let mail = mails.next().await;
    assert_ne!(mail.after("Account: "), "none");
    assert_eq!([mail.after("Subject: "), mail.after("Plan: ")], ["[Partsight] A question", "Basic"]);
    assert_eq!(kept(&app).await, [(None, false), (None, true)]);
}

#[tokio::test]
async fn the_mail_names_the_plan_that_includes_quicker_support() {
    let (app, mails) = TestApp::with_mails(Manners::default(), |settings| {
        settings.server.plan = Some(partsight_domain::Plan::Business);
    })
    .await;
    let ann = app.sign_up("ann").await;
    mails.next().await;
    send(&ann, json!({})).await.expect_status(202);
    let mail = mails.next().await;
    assert_eq!([mail.after("Subject: "), mail.after("Plan: ")], ["[Partsight] [Business] Scans", "Business"]);
}

#[tokio::test]
async fn what_is_missing_or_does_not_fit_is_refused() {
    let app = TestApp::with_stand_in(|_| {}).await;
    let client = app.client();
    for field in ["name", "email", "message"] {
        let reply = send(&client, json!({ field: " " })).await;
        assert_eq!(reply.invalid(field), "Name, email, and message are required.");
    }
    for (field, value) in [
        ("email", json!("ann")),
        ("subject", json!("a\r\nBcc: everybody@example.com")),
        ("name", json!("x".repeat(101))),
        ("message", json!("x".repeat(5001))),
    ] {
        send(&client, json!({ field: value })).await.invalid(field);
    }
    client.post("/api/contact", &json!([])).await.problem(422, "invalid");
    assert_eq!(kept(&app).await, []);
}

#[tokio::test]
async fn spam_is_answered_like_any_message_kept_and_not_mailed() {
    let (app, mails) = start().await;
    let client = app.client();
    for trap in [
        json!({ "website": "https://spam.example" }),
        json!({ "elapsedMs": 300 }),
        json!({ "message": "buy https://spam.example ".repeat(6) }),
    ] {
        assert_eq!(send(&client, trap).await.expect_status(202).text, "");
    }
    send(&client, json!({ "website": "", "elapsedMs": 60_000, "subject": "Real" })).await.expect_status(202);
    // The first mail is the last message: none was sent before.
    assert_eq!(mails.next().await.after("Subject: "), "[Partsight] Real");
    let trapped: Vec<_> = kept(&app).await.into_iter().map(|(trap, _)| trap.unwrap_or_default()).collect();
    assert_eq!(trapped, ["hidden-field", "too-fast", "links", ""]);
}

#[tokio::test]
async fn no_time_of_writing_refuses_a_message() {
    let app = TestApp::with_stand_in(|_| {}).await;
    let client = app.client();
    for elapsed in [json!(1_u64 << 32), json!(60_000.5), json!(-1), json!("long"), Value::Null] {
        send(&client, json!({ "elapsedMs": elapsed })).await.expect_status(202);
    }
    let trapped: Vec<_> = kept(&app).await.into_iter().map(|(trap, _)| trap).collect();
    assert_eq!(trapped, [None, None, None, None, None]);
}

#[tokio::test]
async fn an_address_can_send_five_at_once() {
    let app = TestApp::with_stand_in(|_| {}).await;
    let client = app.client();
    for _ in 0..5 {
        send(&client, json!({})).await.expect_status(202);
    }
    let refused = send(&client, json!({})).await;
    refused.problem(429, "too-many-attempts");
    assert!(refused.header("retry-after").parse::<u32>().is_ok_and(|seconds| (1..=601).contains(&seconds)));
    assert_eq!(kept(&app).await.len(), 5);
    app.advance(jiff::SignedDuration::from_mins(10));
    send(&client, json!({})).await.expect_status(202);
}
