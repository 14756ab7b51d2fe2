//! What is proved by mail: the address, and who may choose a new password.

use std::time::Duration;

use jiff::SignedDuration;
use serde_json::{Value, json};
use sqlx::{AnyConnection, Connection};
use tokio::time::timeout;

use crate::client::assert_reply_snapshot;
use crate::smtp_server::{Manners, SmtpServer};
use crate::ways_in::WaysIn;
use crate::{Client, Reply, TestApp};

/// A server that sends its mails to a real mail server.
async fn start() -> (TestApp, SmtpServer) {
    TestApp::with_mails(Manners::default(), |settings| {
        settings.server.public_url = Some("http://parts.example.com/".to_owned());
    })
    .await
}

/// Asks for a new password and gives the secret of the link that comes.
async fn forgot(app: &TestApp, mails: &SmtpServer, name: &str) -> String {
    let body = json!({ "email": format!("{name}@example.com") });
    app.client().post("/api/auth/forgot-password", &body).await.expect_status(202);
    let mail = mails.next().await;
    assert_eq!(mail.to, [format!("{name}@example.com")]);
    mail.after("http://parts.example.com/profile#reset-password=")
}

async fn reset(app: &TestApp, token: &str, password: &str) -> Reply {
    let body = json!({ "token": token, "password": password });
    app.client().post("/api/auth/reset-password", &body).await
}

async fn is_verified(client: &Client) -> Value {
    client.get("/api/auth/user").await.expect_status(200).json()["emailVerified"].clone()
}

/// Confirms the address of a mail with the secret of its link.
pub(crate) async fn verify(app: &TestApp, token: &str) -> Reply {
    app.client().post("/api/auth/verify", &json!({ "token": token })).await
}

#[tokio::test]
async fn a_new_account_gets_a_link_that_proves_its_address_once() {
    let (app, mails) = start().await;
    let client = app.sign_up("ann").await;
    assert_eq!(is_verified(&client).await, false);
    let mail = mails.next().await;
    assert_eq!(
        (mail.to.as_slice(), mail.from.as_str()),
        (&["ann@example.com".to_owned()][..], "support@partsight.example")
    );
    let token = mail.after("http://parts.example.com/profile#verify-email=");
    // A program that looks at mails follows their links, and proves nothing by that.
    let scanner = app.client();
    scanner.get("/profile").await;
    scanner.get(&format!("/api/auth/verify?token={token}")).await.expect_status(405);
    assert_eq!(is_verified(&client).await, false);
    // Whoever reads the mail, signed in or not.
    verify(&app, &token).await.expect_status(204);
    assert_eq!(is_verified(&client).await, true);
    let again = verify(&app, &token).await.problem(422, "invalid");
    assert_eq!(again, "This link is no longer valid. Please ask for a new one.");
    assert_eq!(is_verified(&client).await, true);
}

#[tokio::test]
async fn a_link_that_is_too_old_or_made_up_proves_nothing() {
    let (app, mails) = start().await;
    let client = app.sign_up("ann").await;
    let token = mails.next().await.after("#verify-email=");
    app.advance(SignedDuration::from_hours(24));
    for token in [token.as_str(), "", "00", "%00", "' OR 1=1 --", &"x".repeat(5000)] {
        verify(&app, token).await.problem(422, "invalid");
    }
    app.client().post("/api/auth/verify", &json!({})).await.problem(422, "invalid");
    assert_eq!(is_verified(&client).await, false);
}

#[tokio::test]
async fn the_link_is_mailed_again_until_the_address_is_proved() {
    let (app, mails) = start().await;
    let client = app.sign_up("ann").await;
    mails.next().await;
    client.post("/api/auth/resend-verification", &Value::Null).await.expect_status(202);
    let token = mails.next().await.after("#verify-email=");
    verify(&app, &token).await.expect_status(204);
    client.post("/api/auth/resend-verification", &Value::Null).await.expect_status(202);
    // The next mail is another one: none was sent.
    forgot(&app, &mails, "ann").await;
    app.client().post("/api/auth/resend-verification", &Value::Null).await.problem(401, "not-signed-in");

    let bob = app.sign_up("bob").await;
    for _ in 0..2 {
        bob.post("/api/auth/resend-verification", &Value::Null).await.expect_status(202);
    }
    let refused = bob.post("/api/auth/resend-verification", &Value::Null).await;
    refused.problem(429, "too-many-attempts");
}

#[tokio::test]
async fn who_forgot_a_password_is_answered_before_anybody_is_looked_for() {
    let silent = Manners { is_silent: true, ..Manners::default() };
    let (app, _mails) = TestApp::with_mails(silent, |_| {}).await;
    // This mail keeps the others waiting.
    app.sign_up("ann").await;
    for name in ["ann", "nobody"] {
        let body = json!({ "email": format!("{name}@example.com") });
        let reply = app.client().post("/api/auth/forgot-password", &body).await;
        assert_eq!((reply.expect_status(202).text.as_str(), reply.header("set-cookie")), ("", ""));
    }
    let waiting = app.waiting_mails().await;
    let recipients: Vec<&str> = waiting.iter().map(|(recipient, ..)| recipient.as_str()).collect();
    assert_eq!(recipients, ["ann@example.com", "ann@example.com", "nobody@example.com"]);
    let mut connection = AnyConnection::connect(&app.database_url).await.unwrap();
    let query =
        "SELECT COUNT(*) FROM outgoing_mail WHERE link_purpose = 'reset-password' AND user_id IS NULL";
    let n_unknown: i64 = sqlx::query_scalar(query).fetch_one(&mut connection).await.unwrap();
    let query = "SELECT COUNT(*) FROM mailed_link WHERE purpose = 'reset-password'";
    let n_links: i64 = sqlx::query_scalar(query).fetch_one(&mut connection).await.unwrap();
    assert_eq!((n_unknown, n_links), (2, 0), "the same row for both, and no link yet");
}

#[tokio::test]
async fn a_new_password_is_not_one_of_those_that_are_tried_first() {
    let (app, mails) = start().await;
    let sentence = "This password is one of the first that people try. Please choose another, such as three words that \
                    have nothing to do with each other.";
    let sign_up = async |password: &str| {
        let body = json!({ "email": "ann.lee@example.com", "password": password });
        app.client().post("/api/auth/signup", &body).await
    };
    for common in ["123456", "Password1", "annlee99", "partsight"] {
        let refused = sign_up(common).await;
        assert_eq!(refused.invalid("password"), sentence, "{common}");
    }
    sign_up("correct horse").await.expect_status(201);
    mails.next().await;
    let ann = app.sign_up("ann").await;
    mails.next().await;
    let change = json!({ "currentPassword": "correct horse", "newPassword": "qwerty123" });
    let refused = ann.put_json("/api/auth/password", &change).await;
    assert_eq!(
        (refused.problem(422, "invalid"), &refused.json()["field"]),
        (sentence.to_owned(), &json!("newPassword"))
    );
    let token = forgot(&app, &mails, "ann").await;
    let refused = reset(&app, &token, "iloveyou").await;
    assert_eq!(
        (refused.problem(422, "invalid"), &refused.json()["field"]),
        (sentence.to_owned(), &json!("password"))
    );
    // The link is not used up by it.
    reset(&app, &token, "battery staple").await.expect_status(204);
}

#[tokio::test]
async fn a_forgotten_password_is_replaced_by_mail_and_all_sessions_end() {
    let (app, mails) = start().await;
    let (phone, other) = (app.sign_up("ann").await, app.sign_up("bob").await);
    for _ in 0..2 {
        mails.next().await;
    }
    let desk = app.client();
    desk.sign_in("ann", "correct horse").await.expect_status(200);
    let token = forgot(&app, &mails, "ann").await;
    assert_eq!(token.len(), 64, "{token}");
    let reply = reset(&app, &token, "battery staple").await;
    assert_eq!((reply.expect_status(204).text.as_str(), reply.header("set-cookie")), ("", ""));
    for client in [&phone, &desk] {
        client.get("/api/auth/user").await.problem(401, "not-signed-in");
    }
    other.get("/api/auth/user").await.expect_status(200);
    app.client().sign_in("ann", "correct horse").await.problem(401, "sign-in-failed");
    let client = app.client();
    client.sign_in("ann", "battery staple").await.expect_status(200);
    // Whoever reads the mail owns the address.
    assert_eq!(is_verified(&client).await, true);
    let notice = mails.next().await;
    assert_eq!(notice.after("Subject: "), "Your password was changed");
    assert!(!notice.text.contains(&token) && !notice.text.contains("battery"), "{}", notice.text);
}

#[tokio::test]
async fn a_reset_shuts_out_whoever_signed_up_with_an_address_of_somebody_else() {
    let (app, mails) = start().await;
    let intruder = app.sign_up("ann").await;
    mails.next().await;
    let ways_in = WaysIn::leave(&app, &intruder).await;
    assert_eq!(ways_in.statuses().await, (200, 200));
    let webhook = json!({ "url": "https://hooks.example.com/", "events": ["scan.answered"] });
    intruder.post("/api/webhooks", &webhook).await.expect_status(201);
    let token = forgot(&app, &mails, "ann").await;
    reset(&app, &token, "battery staple").await.expect_status(204);
    assert_eq!(ways_in.statuses().await, (401, 404));
    mails.next().await;

    // Now that the address is proved, a new password leaves the owner's own keys alone.
    let owner = app.client();
    owner.sign_in("ann", "battery staple").await.expect_status(200);
    assert_eq!(owner.get("/api/webhooks").await.json(), json!([]));
    let ways_in = WaysIn::leave(&app, &owner).await;
    let token = forgot(&app, &mails, "ann").await;
    reset(&app, &token, "correct horse").await.expect_status(204);
    assert_eq!(ways_in.statuses().await, (200, 200));
    assert!(mails.next().await.text.contains("A new password does not end API keys"));

    // Unless the owner says so, whose account was stolen.
    let token = forgot(&app, &mails, "ann").await;
    let body = json!({ "token": token, "password": "battery staple", "endKeys": true });
    app.client().post("/api/auth/reset-password", &body).await.expect_status(204);
    assert_eq!(ways_in.statuses().await, (401, 404));
    assert!(mails.next().await.text.contains("API keys and the calendar address were ended too."));
}

#[tokio::test]
async fn a_reset_link_opens_once_and_for_an_hour() {
    let (app, mails) = start().await;
    app.sign_up("ann").await;
    mails.next().await;
    let token = forgot(&app, &mails, "ann").await;
    // A password that does not fit leaves the link open.
    let short = reset(&app, &token, "12345").await;
    assert_eq!(short.problem(422, "invalid"), "Password must be at least 6 characters");
    reset(&app, &token, "battery staple").await.expect_status(204);
    let again = reset(&app, &token, "evil password").await;
    assert_reply_snapshot!("reset_link_used", again);
    mails.next().await;

    let token = forgot(&app, &mails, "ann").await;
    app.advance(SignedDuration::from_hours(1));
    let late = reset(&app, &token, "evil password").await;
    assert_eq!(late.problem(422, "invalid"), "This link is no longer valid. Please ask for a new one.");
    app.client().sign_in("ann", "battery staple").await.expect_status(200);
}

#[tokio::test]
async fn links_are_good_for_their_own_purpose_only() {
    let (app, mails) = start().await;
    app.sign_up("ann").await;
    let link = mails.next().await.after("#verify-email=");
    reset(&app, &link, "evil password").await.problem(422, "invalid");
    let token = forgot(&app, &mails, "ann").await;
    verify(&app, &token).await.problem(422, "invalid");
    reset(&app, &token, "battery staple").await.expect_status(204);
}

#[tokio::test]
async fn an_unknown_address_gets_the_same_answer_and_no_mail() {
    let (app, mails) = start().await;
    app.sign_up("ann").await;
    mails.next().await;
    let ask = async |email: &str| {
        let reply = app.client().post("/api/auth/forgot-password", &json!({ "email": email })).await;
        let mut headers = reply.headers.clone();
        for name in ["date", "x-request-id", "server-timing"] {
            headers.remove(name);
        }
        (reply.status, reply.text, headers)
    };
    let unknown = ask("bob@example.com").await;
    assert_eq!(unknown, ask(" Ann@Example.com ").await);
    assert_eq!(unknown.0, 202);
    assert_eq!(mails.next().await.to, ["ann@example.com"]);
    app.mails_were_tried(1).await;
    assert!(mails.is_empty().await);
    let no_address = app.client().post("/api/auth/forgot-password", &json!({ "email": "ann" })).await;
    no_address.problem(422, "invalid");
    app.client().post("/api/auth/forgot-password", &json!({})).await.problem(422, "invalid");
    app.client().post("/api/auth/forgot-password", &json!({ "email": 5 })).await.problem(422, "invalid");
}

#[tokio::test]
async fn a_mailbox_is_not_flooded_and_nobody_is_told() {
    let (app, mails) = start().await;
    app.sign_up("ann").await;
    app.sign_up("bob").await;
    for _ in 0..2 {
        mails.next().await;
    }
    let body = json!({ "email": "ann@example.com" });
    for _ in 0..10 {
        app.client().post("/api/auth/forgot-password", &body).await.expect_status(202);
    }
    // The link that confirms the address is counted by itself: nobody can keep her from it by asking for this one.
    for _ in 0..3 {
        assert_eq!(mails.next().await.to, ["ann@example.com"]);
    }
    forgot(&app, &mails, "bob").await;
    app.advance(SignedDuration::from_mins(20));
    forgot(&app, &mails, "ann").await;
}

#[tokio::test]
async fn a_silent_mail_server_keeps_nobody_waiting() {
    let silent = Manners { is_silent: true, ..Manners::default() };
    let (app, mails) = TestApp::with_mails(silent, |_| {}).await;
    // Each connection alone would take as long as the mail server's patience, 20 s.
    let asking = async {
        for n in 0..10 {
            app.sign_up(&format!("ann{n}")).await;
        }
        let body = json!({ "email": "ann0@example.com" });
        app.client().post("/api/auth/forgot-password", &body).await.expect_status(202);
    };
    timeout(Duration::from_mins(3), asking).await.expect("nobody waits for the mail server");
    assert_eq!(mails.attempts(), 0);
}

#[tokio::test]
async fn without_a_mail_server_mails_are_files_in_the_data_folder() {
    let app = TestApp::with_stand_in(|_| {}).await;
    app.sign_up("ann").await;
    let folder = app.folder.path().join("mail");
    app.mails_were_tried(1).await;
    let files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    let text = std::fs::read_to_string(&files[0]).unwrap();
    assert!(text.contains("http://localhost:8080/profile#verify-email="), "{text}");
}
