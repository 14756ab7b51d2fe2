//! Wishes that a subscription ends, and who sees to them.

use serde_json::{Value, json};

use crate::client::assert_reply_snapshot;
use crate::fake_stripe::{FakeStripe, Fault};
use crate::smtp_server::Manners;
use crate::{Client, Reply, TestApp};

async fn request(client: &Client) -> Reply {
    client.post("/api/subscription/request-cancellation", &json!({})).await
}

async fn subscribe(fake: &FakeStripe, app: &TestApp, client: &Client) {
    let body = json!({ "plan": "pro", "price": 4.99, "interval": "month" });
    let reply = client.post("/api/create-subscription", &body).await.expect_status(200).json();
    fake.confirm(reply["clientSecret"].as_str().unwrap()).unwrap();
    fake.deliver(app).await;
}

async fn status(client: &Client, field: &str) -> Value {
    client.get("/api/subscription/status").await.expect_status(200).json()[field].clone()
}

#[tokio::test]
async fn wishes_that_are_withdrawn_again_and_again_send_few_mails() {
    let fake = FakeStripe::start().await;
    let app = TestApp::with_stand_in(|settings| {
        fake.set_up(settings);
        settings.accounts.sign_in_attempts = 2;
    })
    .await;
    let ann = app.sign_up("ann").await;
    subscribe(&fake, &app, &ann).await;
    let order = json!({ "plan": "pro", "price": 4.99, "interval": "month" });
    for _ in 0..3 {
        ann.post("/api/create-subscription", &order).await;
    }
    ann.post("/api/create-subscription", &order).await.expect_status(429);
    // Four at once, apart from orders; asking for what is asked for already is not one.
    for _ in 0..2 {
        for _ in 0..5 {
            request(&ann).await.expect_status(200);
        }
        ann.delete("/api/subscription/request-cancellation").await.expect_status(204);
    }
    request(&ann).await.expect_status(429);
}

#[tokio::test]
async fn a_cancellation_is_mailed_to_both_sides_and_approved() {
    let fake = FakeStripe::start().await;
    let (app, mails) = TestApp::with_mails(Manners::default(), |settings| {
        fake.set_up(settings);
        settings.server.support_email = "help@parts.example".to_owned();
    })
    .await;
    let ann = app.sign_up("ann").await;
    assert_eq!(mails.next().await.to, ["ann@example.com"]);
    request(&ann).await.problem(409, "conflict");
    subscribe(&fake, &app, &ann).await;

    let requested = request(&ann).await;
    assert_reply_snapshot!("cancellation_requested", requested);
    let id = requested.json()["id"].as_str().unwrap().to_owned();
    let mut both = [mails.next().await, mails.next().await];
    both.sort_by(|a, b| a.to.cmp(&b.to));
    assert_eq!([&both[0].to[0], &both[1].to[0]], ["ann@example.com", "help@parts.example"]);
    assert!(both[0].text.contains("February 14, 2027"), "{}", both[0].text);
    let command = format!("partsight admin cancellations approve {id}");
    assert!(both[1].text.contains(&command) && both[1].text.contains("ann@example.com"), "{}", both[1].text);
    assert_eq!(status(&ann, "cancellationRequested").await, true);
    assert_eq!(status(&ann, "cancelAtPeriodEnd").await, false);
    // Asking again is the same wish.
    assert_eq!(request(&ann).await.json()["id"], id.as_str());

    let admin = app
        .admin(|settings| {
            fake.set_up(settings);
            settings.mail.smtp_url = Some(partsight_app::Secret::new(mails.url()));
        })
        .await;
    let parsed = id.parse().unwrap();
    fake.set_fault(Fault::Down);
    assert!(admin.approve_cancellation(parsed).await.is_err());
    fake.set_fault(Fault::None);
    assert!(admin.approve_cancellation(parsed).await.unwrap().unwrap().cancel_at_period_end);
    let confirmation = mails.next().await;
    assert_eq!(confirmation.to, ["ann@example.com"]);
    assert!(confirmation.text.contains("You keep it until February 14, 2027"), "{}", confirmation.text);
    assert!(
        confirmation.text.contains("reactivate it on the page Manage Subscription."),
        "{}",
        confirmation.text
    );
    assert!(admin.approve_cancellation(parsed).await.is_err());
    assert_eq!(status(&ann, "cancelAtPeriodEnd").await, true);
    assert_eq!(status(&ann, "cancellationRequested").await, false);
    assert_eq!(status(&ann, "plan").await, "Pro");
    request(&ann).await.problem(409, "conflict");
}

#[tokio::test]
async fn a_cancellation_request_is_taken_back() {
    const PATH: &str = "/api/subscription/request-cancellation";
    let (fake, app, ann) = FakeStripe::with_ann().await;
    ann.delete(PATH).await.problem(409, "conflict");
    subscribe(&fake, &app, &ann).await;
    let id = request(&ann).await.expect_status(200).json()["id"].as_str().unwrap().parse().unwrap();
    app.sign_up("bob").await.delete(PATH).await.problem(409, "conflict");
    assert_eq!(ann.delete(PATH).await.expect_status(204).text, "");
    assert_eq!(status(&ann, "cancellationRequested").await, false);
    ann.delete(PATH).await.problem(409, "conflict");
    // Whoever has the mail about it cannot approve it any more.
    let admin = app.admin(|settings| fake.set_up(settings)).await;
    assert!(admin.approve_cancellation(id).await.is_err());
    assert_eq!(status(&ann, "cancelAtPeriodEnd").await, false);
    // A new request is a new one.
    assert_ne!(request(&ann).await.expect_status(200).json()["id"], id.to_string());
}

#[tokio::test]
async fn a_wish_for_what_has_ended_meanwhile_is_closed() {
    let (fake, app, ann) = FakeStripe::with_ann().await;
    subscribe(&fake, &app, &ann).await;
    let id = request(&ann).await.expect_status(200).json()["id"].as_str().unwrap().parse().unwrap();
    fake.give_up();
    let admin = app.admin(|settings| fake.set_up(settings)).await;
    assert_eq!(admin.approve_cancellation(id).await.unwrap(), None);
    assert_eq!(status(&ann, "cancellationRequested").await, false);
}

#[tokio::test]
async fn whoever_runs_the_server_ends_what_is_paid_for_with_the_account() {
    let (fake, app, ann) = FakeStripe::with_ann().await;
    subscribe(&fake, &app, &ann).await;
    let email = partsight_domain::EmailAddress::new("ann@example.com").unwrap();
    // Without the keys of the provider nothing could be ended, so the account stays.
    let admin = app.admin(|_| {}).await;
    assert!(admin.delete(&email).await.is_err());
    let admin = app.admin(|settings| fake.set_up(settings)).await;
    admin.delete(&email).await.unwrap();
    assert_eq!(fake.statuses(), ["canceled"]);
    ann.get("/api/auth/user").await.expect_status(401);
}

#[tokio::test]
async fn a_subscription_that_gives_no_plan_any_more_can_still_be_cancelled() {
    for stopped in ["unpaid", "paused"] {
        let fake = FakeStripe::start().await;
        let app = fake.shop().await;
        let ann = app.sign_up("ann").await;
        assert_eq!(status(&ann, "canCancel").await, false);
        let body = json!({ "plan": "pro", "price": 4.99, "interval": "month" });
        ann.post("/api/create-subscription", &body).await.expect_status(200);
        fake.deliver(&app).await;
        // What was never paid for ends by itself.
        assert_eq!(status(&ann, "canCancel").await, false);
        request(&ann).await.problem(409, "conflict");

        subscribe(&fake, &app, &ann).await;
        fake.set_status(stopped);
        fake.deliver(&app).await;
        assert_eq!(
            (status(&ann, "status").await, status(&ann, "plan").await),
            (json!(stopped), json!("Free"))
        );
        assert_eq!(
            (status(&ann, "canManage").await, status(&ann, "canCancel").await),
            (json!(false), json!(true))
        );
        let id = request(&ann).await.expect_status(200).json()["id"].as_str().unwrap().parse().unwrap();
        let admin = app.admin(|settings| fake.set_up(settings)).await;
        let approved = admin.approve_cancellation(id).await.unwrap().unwrap();
        assert!(approved.cancel_at_period_end, "{stopped}");
        assert_eq!(status(&ann, "cancelAtPeriodEnd").await, true, "{stopped}");
        request(&ann).await.problem(409, "conflict");
        // Taken back, and asked for again.
        ann.post("/api/subscription/reactivate", &json!({})).await.expect_status(200);
        assert_eq!(status(&ann, "cancelAtPeriodEnd").await, false, "{stopped}");
        let id = request(&ann).await.expect_status(200).json()["id"].as_str().unwrap().parse().unwrap();
        admin.approve_cancellation(id).await.unwrap().unwrap();
        fake.take_events();
        fake.end_period(&app);
        fake.deliver(&app).await;
        assert_eq!(
            (status(&ann, "status").await, fake.statuses()),
            (json!("canceled"), vec!["canceled".to_owned()])
        );
    }
}

#[tokio::test]
async fn a_request_ends_with_its_subscription_and_with_a_change_of_plan() {
    let (fake, app, ann) = FakeStripe::with_ann().await;
    subscribe(&fake, &app, &ann).await;
    let id = request(&ann).await.expect_status(200).json()["id"].as_str().unwrap().parse().unwrap();
    fake.give_up();
    fake.deliver(&app).await;
    assert_eq!(status(&ann, "plan").await, "Free");

    subscribe(&fake, &app, &ann).await;
    assert_eq!(status(&ann, "cancellationRequested").await, false);
    let admin = app.admin(|settings| fake.set_up(settings)).await;
    assert!(admin.approve_cancellation(id).await.is_err(), "it was of the subscription before");

    let id = request(&ann).await.expect_status(200).json()["id"].as_str().unwrap().parse().unwrap();
    let business = json!({ "plan": "business", "price": 14.99, "interval": "month" });
    ann.post("/api/subscription/change", &business).await.expect_status(200);
    fake.deliver(&app).await;
    assert_eq!(status(&ann, "cancellationRequested").await, false);
    assert!(admin.approve_cancellation(id).await.is_err());
    assert_eq!(status(&ann, "cancelAtPeriodEnd").await, false);
}
