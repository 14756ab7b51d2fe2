//! Notifications of what is due, against a push service and browsers that read what arrives.

use jiff::SignedDuration;
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::send;
use crate::push_service::{Browser, PushService};
use crate::recorder::PASSWORD;
use crate::{Client, TestApp};

const PUSH: &str = "/api/reminders/push";

/// A server that sends notifications, also to this machine, a push service, and Ann, who has a vehicle.
async fn ready() -> (TestApp, Client, PushService) {
    let app = TestApp::with_stand_in(|settings| {
        settings.push.enabled = true;
        settings.webhooks.private_addresses = true;
        settings.mail.from = Some("us@example.com".to_owned());
    })
    .await;
    let ann = app.sign_up_with_vehicle("ann").await;
    (app, ann, PushService::start().await)
}

async fn subscribe(client: &Client, browser: &Browser) -> Value {
    client.put_json(PUSH, &browser.form()).await.expect_status(200).json()
}

async fn ids(client: &Client) -> Vec<String> {
    let status = client.get(PUSH).await.expect_status(200).json();
    let subscriptions = status["subscriptions"].as_array().unwrap();
    subscriptions.iter().map(|subscription| subscription["id"].as_str().unwrap().to_owned()).collect()
}

/// Logs an oil change of half a year ago, and lets the server tell what is due.
async fn let_oil_be_due(app: &TestApp, client: &Client) {
    let vehicle = client.get("/api/vehicles/default").await.json()["id"].clone();
    let body = json!({ "vehicleId": vehicle, "mileage": 1000, "changeDate": "2026-07-20" });
    client.post("/api/oil-changes", &body).await.expect_status(201);
    tell(app).await;
    send_all(app).await;
}

async fn tell(app: &TestApp) {
    app.use_cases.garage.check_reminders().await.unwrap();
}

async fn send_all(app: &TestApp) {
    while app.use_cases.garage.send_next_push().await.unwrap() {}
}

#[tokio::test]
async fn what_is_due_arrives_once_in_each_browser_and_only_there_it_can_be_read() {
    let (app, ann, service) = ready().await;
    let (phone, laptop) = (service.browser("phone"), service.browser("laptop"));
    let status = ann.get(PUSH).await.expect_status(200).json();
    let key = status["publicKey"].as_str().unwrap();
    assert_eq!(status["subscriptions"], json!([]));
    assert_eq!(subscribe(&ann, &phone).await["id"], phone.id());
    subscribe(&ann, &laptop).await;
    // The same browser once more is no other one.
    subscribe(&ann, &laptop).await;
    assert_eq!(ids(&ann).await.len(), 2);

    let_oil_be_due(&app, &ann).await;
    let mut arrived = service.arrived();
    arrived.sort_by(|one, other| one.name.cmp(&other.name));
    assert_eq!(arrived.len(), 2, "{arrived:?}");
    let said = laptop.read(&arrived[0], key);
    assert_eq!(said, phone.read(&arrived[1], key));
    assert_eq!((&said["title"], &said["path"]), (&json!("Oil change due"), &json!("/vehicle")));
    let text = said["text"].as_str().unwrap();
    assert!(text.starts_with("Oil change for your 2015 Honda Civic: due on "), "{text}");
    assert_eq!(arrived[0].headers["ttl"], "259200");

    // What was told is not told again.
    app.advance(SignedDuration::from_hours(5));
    tell(&app).await;
    send_all(&app).await;
    assert_eq!(service.arrived().len(), 2);
}

#[tokio::test]
async fn nobody_hears_of_the_vehicles_of_others() {
    let (app, ann, service) = ready().await;
    let bob = app.sign_up("bob").await;
    let (hers, his) = (service.browser("hers"), service.browser("his"));
    subscribe(&ann, &hers).await;
    subscribe(&bob, &his).await;
    // Hers is like what nobody has, and like what is no id at all.
    for path in [hers.path(), format!("{PUSH}/{}", "0".repeat(64)), format!("{PUSH}/1")] {
        bob.delete(&path).await.problem(404, "not-found");
    }
    assert_eq!((ids(&ann).await, ids(&bob).await), (vec![hers.id()], vec![his.id()]));
    let_oil_be_due(&app, &ann).await;
    let names: Vec<String> = service.arrived().into_iter().map(|message| message.name).collect();
    assert_eq!(names, ["hers"]);
}

#[tokio::test]
async fn a_browser_is_of_whoever_switched_it_on_last() {
    let (app, ann, service) = ready().await;
    let (shared, eve) = (service.browser("shared"), app.sign_up("eve").await);
    subscribe(&ann, &shared).await;
    // Who merely knows the address is not that browser.
    eve.put_json(PUSH, &service.browser("shared").form()).await.expect_status(200);
    assert_eq!(ids(&ann).await, [shared.id()]);
    subscribe(&eve, &shared).await;
    assert_eq!((ids(&ann).await.len(), ids(&eve).await), (0, vec![shared.id()]));
    let_oil_be_due(&app, &ann).await;
    assert!(service.arrived().is_empty());
}

#[tokio::test]
async fn a_browser_that_is_gone_is_forgotten() {
    for status in [404, 410] {
        let (app, ann, service) = ready().await;
        subscribe(&ann, &service.browser("phone")).await;
        service.answer(status, &[]);
        let_oil_be_due(&app, &ann).await;
        assert_eq!(ids(&ann).await.len(), 0, "{status}");
        app.advance(SignedDuration::from_hours(1));
        send_all(&app).await;
        assert_eq!(service.arrived().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn what_is_not_taken_for_now_is_sent_later_and_not_for_ever() {
    let (app, ann, service) = ready().await;
    let phone = service.browser("phone");
    subscribe(&ann, &phone).await;
    service.answer(429, &[("retry-after", "120")]);
    let_oil_be_due(&app, &ann).await;
    assert_eq!(service.arrived().len(), 1);
    app.advance(SignedDuration::from_secs(119));
    send_all(&app).await;
    assert_eq!(service.arrived().len(), 1, "the push service asked for two minutes");
    service.answer(503, &[]);
    for _ in 0..40 {
        app.advance(SignedDuration::from_hours(1));
        send_all(&app).await;
    }
    assert_eq!(service.arrived().len(), 10);
    // The message is given up, not the browser.
    assert_eq!(ids(&ann).await, [phone.id()]);
}

#[tokio::test]
async fn what_is_refused_or_led_elsewhere_is_given_up() {
    for status in [302, 400, 403, 413] {
        let (app, ann, service) = ready().await;
        subscribe(&ann, &service.browser("phone")).await;
        service.answer(status, &[("location", "/push/elsewhere")]);
        let_oil_be_due(&app, &ann).await;
        app.advance(SignedDuration::from_hours(10));
        send_all(&app).await;
        let names: Vec<String> = service.arrived().into_iter().map(|message| message.name).collect();
        assert_eq!(names, ["phone"], "{status}");
        assert_eq!(ids(&ann).await.len(), 1, "{status}");
    }
}

#[tokio::test]
async fn what_waits_too_long_is_not_sent_any_more() {
    let (app, ann, service) = ready().await;
    subscribe(&ann, &service.browser("phone")).await;
    service.answer(503, &[]);
    let_oil_be_due(&app, &ann).await;
    // As where no server ran for days.
    app.advance(SignedDuration::from_hours(49));
    send_all(&app).await;
    assert_eq!(service.arrived().len(), 1);
}

#[tokio::test]
async fn notifications_end_with_the_switch_the_session_and_the_account() {
    for end in ["switch", "sign-out", "elsewhere", "everywhere", "account"] {
        let (app, ann, service) = ready().await;
        let browser = service.browser("phone");
        let phone = app.client();
        phone.sign_in("ann", PASSWORD).await.expect_status(200);
        subscribe(&phone, &browser).await;
        // One message waits already.
        service.answer(503, &[]);
        let_oil_be_due(&app, &ann).await;
        assert_eq!(service.arrived().len(), 1, "{end}");
        match end {
            "switch" => {
                phone.delete(&browser.path()).await.expect_status(204);
                phone.delete(&browser.path()).await.problem(404, "not-found");
            }
            "sign-out" => {
                phone.get("/api/logout").await;
            }
            "elsewhere" => {
                let sessions = ann.get("/api/auth/sessions").await.json();
                let session =
                    sessions.as_array().unwrap().iter().find(|session| session["isCurrent"] == false);
                let path = format!("/api/auth/sessions/{}", session.unwrap()["id"].as_str().unwrap());
                ann.delete(&path).await.expect_status(204);
            }
            "everywhere" => {
                ann.post_bare("/api/auth/sign-out-everywhere").await.expect_status(204);
            }
            _ => {
                let confirmation = json!({ "password": PASSWORD });
                send(ann.request(Method::DELETE, "/api/auth/user").json(&confirmation))
                    .await
                    .expect_status(204);
            }
        }
        app.advance(SignedDuration::from_hours(1));
        tell(&app).await;
        send_all(&app).await;
        assert_eq!(service.arrived().len(), 1, "{end}");
        if ["switch", "sign-out", "elsewhere"].contains(&end) {
            assert_eq!(ids(&ann).await.len(), 0, "{end}");
        }
    }
}

#[tokio::test]
async fn a_session_that_runs_out_ends_no_reminders() {
    let (app, ann, service) = ready().await;
    subscribe(&ann, &service.browser("phone")).await;
    app.advance(SignedDuration::from_hours(24 * 60));
    ann.get(PUSH).await.problem(401, "not-signed-in");
    let again = app.client();
    again.sign_in("ann", PASSWORD).await.expect_status(200);
    assert_eq!(ids(&again).await.len(), 1);
    let_oil_be_due(&app, &again).await;
    assert_eq!(service.arrived().len(), 1);
}

#[tokio::test]
async fn an_account_has_20_browsers_at_most_and_the_oldest_goes() {
    let (app, ann, service) = ready().await;
    let browsers: Vec<Browser> = (0..22).map(|number| service.browser(&number.to_string())).collect();
    for browser in &browsers {
        subscribe(&ann, browser).await;
        app.advance(SignedDuration::from_secs(1));
    }
    let newest: Vec<String> = browsers.iter().skip(2).rev().map(Browser::id).collect();
    assert_eq!(ids(&ann).await, newest);
}

#[tokio::test]
async fn the_export_names_browsers_and_no_secret_of_them() {
    let (_app, ann, service) = ready().await;
    let browser = service.browser("phone");
    let subscription = subscribe(&ann, &browser).await;
    let export = ann.get("/api/auth/user/export").await;
    assert_eq!(export.json()["pushSubscriptions"], json!([subscription]));
    let form = browser.form();
    for secret in ["endpoint", "auth", "p256dh"] {
        let secret = form[secret].as_str().unwrap();
        assert!(!export.text.contains(secret) && !subscription.to_string().contains(secret), "{secret}");
    }
}

#[tokio::test]
async fn an_address_inside_or_without_encryption_and_broken_keys_are_refused() {
    let app = TestApp::with_stand_in(|settings| settings.push.enabled = true).await;
    let (ann, service) = (app.sign_up("ann").await, PushService::start().await);
    let form = |change: &[(&str, Value)]| {
        let mut form = service.browser("phone").form();
        form["endpoint"] = json!("https://push.example.net/phone");
        for (field, value) in change {
            form[field] = value.clone();
        }
        form
    };
    ann.put_json(PUSH, &form(&[])).await.expect_status(200);
    let long = format!("https://push.example.net/{}", "x".repeat(2000));
    for (field, value, named) in [
        ("endpoint", "http://push.example.net/phone", "endpoint"),
        ("endpoint", "https://127.0.0.1/phone", "endpoint"),
        ("endpoint", "https://10.0.0.1/phone", "endpoint"),
        ("endpoint", "https://169.254.169.254/latest", "endpoint"),
        ("endpoint", long.as_str(), "endpoint"),
        ("endpoint", "phone", "endpoint"),
        ("p256dh", "AAAA", "p256dh"),
        ("p256dh", "", "p256dh"),
        ("auth", "AAAA", "p256dh"),
    ] {
        ann.put_json(PUSH, &form(&[(field, json!(value))])).await.invalid(named);
    }
    assert_eq!(ids(&ann).await.len(), 1);
    assert!(service.arrived().is_empty());
}

#[tokio::test]
async fn without_the_setting_there_are_none() {
    let app = TestApp::with_stand_in(|settings| settings.webhooks.private_addresses = true).await;
    let (ann, service) = (app.sign_up_with_vehicle("ann").await, PushService::start().await);
    let status = ann.get(PUSH).await.expect_status(200).json();
    assert_eq!(status, json!({ "publicKey": null, "subscriptions": [] }));
    ann.put_json(PUSH, &service.browser("phone").form()).await.problem(403, "forbidden");
    let_oil_be_due(&app, &ann).await;
    assert!(service.arrived().is_empty());
}
