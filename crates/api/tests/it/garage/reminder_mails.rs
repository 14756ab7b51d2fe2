//! Mails of what is due.

use jiff::SignedDuration;
use reqwest::Method;
use serde_json::{Value, json};

use crate::accounts::mailed_links::verify;
use crate::client::send;
use crate::smtp_server::{Manners, SmtpServer};
use crate::{Client, TestApp};

const MAILS: &str = "/api/reminders/mails";

async fn start(manners: Manners) -> (TestApp, SmtpServer, Client) {
    let (app, mails) = TestApp::with_mails(manners, |settings| {
        settings.server.public_url = Some("https://parts.example.com".to_owned());
    })
    .await;
    let ann = app.sign_up("ann").await;
    (app, mails, ann)
}

/// Ann with a proved address, a vehicle and an oil change that is due.
async fn with_something_due(manners: Manners) -> (TestApp, SmtpServer, Client) {
    let (app, mails, ann) = start(manners).await;
    let token = mails.next().await.after("https://parts.example.com/profile#verify-email=");
    verify(&app, &token).await.expect_status(204);
    log_oil(&ann, "2026-07-20").await;
    (app, mails, ann)
}

async fn log_oil(client: &Client, day: &str) {
    let vehicle = client.add_vehicle("Civic").await;
    let body = json!({ "vehicleId": vehicle, "mileage": 1000, "changeDate": day });
    client.post("/api/oil-changes", &body).await.expect_status(201);
}

async fn choose(client: &Client, rhythm: &str, hour: u8) -> Value {
    let body = json!({ "rhythm": rhythm, "hourUtc": hour });
    client.put_json(MAILS, &body).await.expect_status(200).json()
}

async fn send_due(app: &TestApp) {
    while app.use_cases.garage.send_next_digest().await.unwrap() {}
}

#[tokio::test]
async fn a_daily_mail_comes_when_something_is_new_and_ends_with_one_click() {
    let (app, mails, ann) = with_something_due(Manners::default()).await;
    let status = ann.get(MAILS).await.expect_status(200).json();
    let none = json!({
        "rhythm": null, "hourUtc": null, "weekdayUtc": null, "nextAt": null, "sendsMails": true, "emailVerified": true,
    });
    assert_eq!(status, none);
    let chosen = choose(&ann, "daily", 9).await;
    assert_eq!((&chosen["rhythm"], &chosen["nextAt"]), (&json!("daily"), &json!("2027-01-15T09:00:00.000Z")));
    send_due(&app).await;
    assert!(mails.is_empty().await);
    app.advance(SignedDuration::from_hours(1));
    send_due(&app).await;
    let mail = mails.next().await;
    assert_eq!(mail.to, ["ann@example.com"]);
    assert!(mail.text.contains("Oil change for your 2015 Honda Civic"), "{}", mail.text);
    let path = mail.after("List-Unsubscribe: <https://parts.example.com");
    let path = path.trim_end_matches('>');
    assert!(mail.text.contains("List-Unsubscribe-Post: List-Unsubscribe=One-Click"), "{}", mail.text);
    // The next day nothing is new.
    app.advance(SignedDuration::from_hours(24));
    send_due(&app).await;
    assert!(mails.is_empty().await);
    log_oil(&ann, "2026-07-01").await;
    app.advance(SignedDuration::from_hours(24));
    send_due(&app).await;
    assert!(mails.next().await.text.contains("things are due"));
    // A mail program has no session, and sends a form (RFC 8058).
    let nobody = app.client();
    let one_click = nobody
        .request(Method::POST, path)
        .header("Content-Type", "application/x-www-form-urlencoded")
        // Some send it from a page of their own.
        .header("Origin", "https://mail.example.net")
        .body("List-Unsubscribe=One-Click");
    send(one_click).await.expect_status(204);
    nobody.post_bare(path).await.expect_status(204);
    assert_eq!(ann.get(MAILS).await.json()["rhythm"], Value::Null);
    // One that follows the link is asked first.
    let led = nobody.get(path).await;
    led.expect_status(303);
    assert!(led.header("location").starts_with("/unsubscribe#"), "{}", led.header("location"));
}

#[tokio::test]
async fn a_mail_tells_equal_vehicles_apart() {
    let (app, mails, ann) = with_something_due(Manners::default()).await;
    log_oil(&ann, "2026-07-21").await;
    let vehicles = ann.get("/api/vehicles").await.json();
    for (vehicle, plate) in vehicles.as_array().unwrap().iter().zip(["AAA 111", "BBB 222"]) {
        let body = json!({ "make": "Honda", "model": "Civic", "year": 2015, "licensePlate": plate });
        let path = format!("/api/vehicles/{}", vehicle["id"].as_str().unwrap());
        ann.put_json(&path, &body).await.expect_status(200);
    }
    choose(&ann, "daily", 9).await;
    app.advance(SignedDuration::from_hours(1));
    send_due(&app).await;
    let mail = mails.next().await;
    for plate in ["AAA 111", "BBB 222"] {
        assert!(mail.text.contains(&format!("for your {plate}, 2015 Honda Civic is")), "{}", mail.text);
    }
    // The bell names them alike.
    let alerts = ann.get("/api/alerts").await.json();
    assert!(alerts[0]["vehicleName"].as_str().unwrap().ends_with(", 2015 Honda Civic"), "{alerts}");
}

#[tokio::test]
async fn a_weekly_mail_comes_on_its_day_while_anything_is_due() {
    let (app, mails, ann) = with_something_due(Manners::default()).await;
    assert_eq!(choose(&ann, "weekly", 7).await["nextAt"], "2027-01-18T07:00:00.000Z");
    // Seven on Monday morning in Tokyo.
    let monday = json!({ "rhythm": "weekly", "hourUtc": 22, "weekdayUtc": null });
    let monday = ann.put_json(MAILS, &monday).await.expect_status(200).json();
    assert_eq!(monday["weekdayUtc"], 1);
    let tokyo = json!({ "rhythm": "weekly", "hourUtc": 22, "weekdayUtc": 7 });
    let chosen = ann.put_json(MAILS, &tokyo).await.expect_status(200).json();
    assert_eq!((&chosen["weekdayUtc"], &chosen["nextAt"]), (&json!(7), &json!("2027-01-17T22:00:00.000Z")));
    app.advance(SignedDuration::from_hours(3 * 24));
    send_due(&app).await;
    mails.next().await;
    send_due(&app).await;
    assert!(mails.is_empty().await, "once a week");
    app.advance(SignedDuration::from_hours(7 * 24));
    send_due(&app).await;
    mails.next().await;
    ann.delete(MAILS).await.expect_status(204);
    app.advance(SignedDuration::from_hours(7 * 24));
    send_due(&app).await;
    assert!(mails.is_empty().await);
}

#[tokio::test]
async fn a_mail_of_the_far_east_speaks_of_the_day_that_has_begun_there() {
    let (app, mails, ann) = with_something_due(Manners::default()).await;
    // Due in three months.
    log_oil(&ann, "2026-10-20").await;
    app.advance(SignedDuration::from_hours(4 * 24));
    // Seven in the morning of the 20th, in Tokyo.
    assert_eq!(choose(&ann, "daily", 22).await["nextAt"], "2027-01-19T22:00:00.000Z");
    app.advance(SignedDuration::from_hours(24));
    send_due(&app).await;
    let text = mails.next().await.text;
    assert!(text.contains("is due today"), "{text}");
}

#[tokio::test]
async fn an_address_that_is_not_proved_gets_no_mail() {
    let (app, mails, ann) = start(Manners::default()).await;
    mails.next().await;
    log_oil(&ann, "2026-07-20").await;
    assert_eq!(choose(&ann, "daily", 9).await["emailVerified"], false);
    app.advance(SignedDuration::from_hours(24));
    send_due(&app).await;
    assert!(mails.is_empty().await);
}

#[tokio::test]
async fn without_a_mail_server_nothing_is_sent_and_the_answer_says_so() {
    let (app, ann) = TestApp::stand_in_with_ann().await;
    log_oil(&ann, "2026-07-20").await;
    assert_eq!(choose(&ann, "daily", 9).await["sendsMails"], false);
    app.advance(SignedDuration::from_hours(24));
    assert!(!app.use_cases.garage.send_next_digest().await.unwrap());
    for (rhythm, hour, day) in [("hourly", 9, 1), ("daily", 24, 1), ("weekly", 9, 8)] {
        let body = json!({ "rhythm": rhythm, "hourUtc": hour, "weekdayUtc": day });
        ann.put_json(MAILS, &body).await.problem(422, "invalid");
    }
}
