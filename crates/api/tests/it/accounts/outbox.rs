//! Mails that were promised, and what becomes of them if a server is killed or the mail server does not take them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;
use serde_json::json;
use sqlx::{AnyConnection, Connection};
use tokio::time::sleep;

use crate::TestApp;
use crate::accounts::mailed_links::verify;
use crate::engine::Behaviour;
use crate::smtp_server::{Manners, SmtpServer};
use crate::test_app::{Engines, Place, Setup};

/// A server with this mail server, on the data in `folder` if there is one.
async fn start(mails: &SmtpServer, folder: Option<&Arc<Place>>) -> TestApp {
    let engines = Engines { count: 1, behaviour: Behaviour::Answer, is_open: true };
    let mut setup = Setup { engines: Some(engines), folder: folder.cloned(), ..Setup::default() };
    setup.settings.mail.smtp_url = Some(partsight_app::Secret::new(mails.url()));
    TestApp::with(setup).await
}

#[tokio::test]
async fn a_mail_of_a_server_that_was_killed_is_sent_by_the_next_one() {
    let silent = SmtpServer::start(Manners { is_silent: true, ..Manners::default() }).await;
    let killed = start(&silent, None).await;
    // The first mail is under way for ever, the second waits behind it.
    killed.sign_up("ann").await;
    killed.sign_up("bob").await;
    let folder = Arc::clone(&killed.folder);
    while !killed.waiting_mails().await[0].2 {
        sleep(Duration::from_millis(20)).await;
    }
    drop(killed);

    let mails = SmtpServer::start(Manners::default()).await;
    let app = start(&mails, Some(&folder)).await;
    let mail = mails.next().await;
    assert_eq!(mail.to, ["bob@example.com"]);
    verify(&app, &mail.after("#verify-email=")).await.expect_status(204);
    while app.waiting_mails().await.len() > 1 {
        sleep(Duration::from_millis(20)).await;
    }
    // The other one may still be sent by the server that holds it.
    assert_eq!(app.waiting_mails().await, [("ann@example.com".to_owned(), 1, true)]);
    app.advance(SignedDuration::from_mins(2));
    let mail = mails.next().await;
    assert_eq!(mail.to, ["ann@example.com"]);
    verify(&app, &mail.after("#verify-email=")).await.expect_status(204);
    app.mails_were_tried(9).await;
    assert_eq!(app.waiting_mails().await, []);
}

#[tokio::test]
async fn a_waiting_mail_holds_no_secret() {
    let silent = SmtpServer::start(Manners { is_silent: true, ..Manners::default() }).await;
    let app = start(&silent, None).await;
    app.sign_up("ann").await;
    let body = json!({ "email": "ann@example.com" });
    app.client().post("/api/auth/forgot-password", &body).await.expect_status(202);
    let mut connection = AnyConnection::connect(&app.database_url).await.unwrap();
    let query = "SELECT body FROM outgoing_mail";
    let texts: Vec<String> = sqlx::query_scalar(query).fetch_all(&mut connection).await.unwrap();
    assert_eq!(texts.len(), 2);
    for text in texts {
        let (_, rest) = text.split_once("/profile#").unwrap();
        let (_, secret) = rest.lines().next().unwrap().split_once('=').unwrap();
        assert_eq!(secret, "\u{1a}");
    }
}

#[tokio::test]
async fn two_servers_send_each_mail_once() {
    let mails = SmtpServer::start(Manners::default()).await;
    let one = start(&mails, None).await;
    let _other = start(&mails, Some(&one.folder)).await;
    for number in 0..10 {
        one.sign_up(&format!("user{number}")).await;
    }
    let mut recipients = BTreeSet::new();
    for _ in 0..10 {
        recipients.extend(mails.next().await.to);
    }
    one.mails_were_tried(9).await;
    assert_eq!((recipients.len(), mails.attempts()), (10, 10));
    assert!(mails.is_empty().await);
}

#[tokio::test]
async fn a_mail_that_is_refused_for_now_is_tried_for_a_day_and_holds_up_nobody() {
    let manners = Manners { busy_prefix: Some("busy"), ..Manners::default() };
    let mails = SmtpServer::start(manners).await;
    let app = start(&mails, None).await;
    app.sign_up("busy").await;
    app.sign_up("ann").await;
    assert_eq!(mails.next().await.to, ["ann@example.com"]);
    for attempt in 1..10 {
        app.mails_were_tried(attempt).await;
        assert_eq!(app.waiting_mails().await, [("busy@example.com".to_owned(), attempt, false)]);
        app.advance(SignedDuration::from_hours(8));
    }
    app.mails_were_tried(11).await;
    assert_eq!(app.waiting_mails().await, []);
    assert_eq!(mails.attempts(), 11);
}

#[tokio::test]
async fn a_mail_that_is_refused_for_good_is_not_tried_again() {
    let manners = Manners { unknown_prefix: Some("nobody"), ..Manners::default() };
    let mails = SmtpServer::start(manners).await;
    let app = start(&mails, None).await;
    app.sign_up("nobody").await;
    app.mails_were_tried(2).await;
    assert_eq!((app.waiting_mails().await, mails.attempts()), (vec![], 1));
}
