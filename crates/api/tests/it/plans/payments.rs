//! Plans that are bought, changed and ended, against a stand-in for Stripe.

use partsight_domain::Plan;
use serde_json::{Value, json};

use crate::client::assert_reply_snapshot;
use crate::fake_stripe::{Card, FakeStripe};
use crate::{Client, Reply, TestApp};

pub(super) const PRO: (&str, f64, &str) = ("pro", 4.99, "month");
const PRO_YEAR: (&str, f64, &str) = ("pro", 49.9, "year");
pub(super) const BUSINESS: (&str, f64, &str) = ("business", 14.99, "month");

fn order((plan, price, interval): (&str, f64, &str)) -> Value {
    json!({ "plan": plan, "price": price, "interval": interval })
}

pub(super) async fn buy(client: &Client, offer: (&str, f64, &str)) -> Reply {
    client.post("/api/create-subscription", &order(offer)).await
}

pub(super) async fn change(client: &Client, offer: (&str, f64, &str)) -> Reply {
    client.post("/api/subscription/change", &order(offer)).await
}

pub(super) fn secret(reply: &Reply) -> String {
    reply.expect_status(200).json()["clientSecret"].as_str().unwrap().to_owned()
}

/// Orders, pays and lets Stripe say so.
pub(super) async fn subscribe(fake: &FakeStripe, app: &TestApp, client: &Client, offer: (&str, f64, &str)) {
    fake.confirm(&secret(&buy(client, offer).await)).unwrap();
    fake.deliver(app).await;
}

/// Plan, status, and whether the plan ends with its period.
pub(super) async fn status(client: &Client) -> (String, String, bool) {
    let status = client.get("/api/subscription/status").await.expect_status(200).json();
    let text = |name: &str| status[name].as_str().unwrap().to_owned();
    (text("plan"), text("status"), status["cancelAtPeriodEnd"].as_bool().unwrap())
}

pub(super) fn is(plan: &str, status: &str, ends: bool) -> (String, String, bool) {
    (plan.to_owned(), status.to_owned(), ends)
}

pub(super) async fn limit(client: &Client) -> u64 {
    client.get("/api/scans/limits").await.json()["limit"].as_u64().unwrap()
}

#[tokio::test]
async fn the_plans_are_there_for_everybody() {
    let fake = FakeStripe::start().await;
    let shop = fake.shop().await;
    assert_reply_snapshot!("plans", shop.client().get("/api/plans").await);
    let settings = shop.client().get("/api/settings").await.json();
    assert_eq!(settings["payments"], true);
    assert_eq!(settings["stripePublishableKey"], "pk_test_51StandIn");

    for app in [
        TestApp::with_stand_in(|_| {}).await,
        TestApp::with_stand_in(|settings| {
            fake.set_up(settings);
            settings.server.plan = Some(Plan::Pro);
        })
        .await,
    ] {
        assert_eq!(app.client().get("/api/plans").await.json()["forSale"], false);
        let settings = app.client().get("/api/settings").await.json();
        assert_eq!((&settings["payments"], &settings["stripePublishableKey"]), (&json!(false), &json!(null)));
        let client = app.sign_up("ann").await;
        let detail = buy(&client, PRO).await.problem(503, "payments-not-offered");
        assert!(detail.contains("temporarily unavailable"), "{detail}");
    }
}

#[tokio::test]
async fn a_subscription_lives_from_order_to_lapse() {
    let (fake, app, ann) = FakeStripe::with_ann().await;

    // Ordered, and not paid yet.
    let ordered = buy(&ann, PRO).await;
    let client_secret = secret(&ordered);
    assert!(client_secret.starts_with("pi_"), "{client_secret}");
    fake.deliver(&app).await;
    assert_eq!(status(&ann).await, is("Free", "incomplete", false));
    let seen = ann.get("/api/subscription/status").await.json();
    assert_eq!(seen["ordered"], json!({ "plan": "Pro", "interval": "month" }), "what waits for its payment");
    assert_eq!(limit(&ann).await, 2);
    ann.post("/api/force-scan-reset", &json!({})).await.problem(403, "forbidden");

    // Paid.
    fake.confirm(&client_secret).unwrap();
    fake.deliver(&app).await;
    assert_eq!(status(&ann).await, is("Pro", "active", false));
    assert_reply_snapshot!("subscription_pro", ann.get("/api/subscription/status").await);
    assert_eq!(limit(&ann).await, 999);
    assert_eq!(ann.get("/api/auth/user").await.json()["planType"], "pro");
    let reset = ann.post("/api/force-scan-reset", &json!({})).await;
    assert_eq!(reset.expect_status(200).json(), json!({ "limit": 999, "used": 0, "remaining": 999 }));

    let export = ann.get("/api/auth/user/export").await.json();
    let billing = &export["billing"];
    assert_eq!(billing["subscription"]["plan"], "pro");
    assert!(billing["customerId"].as_str().unwrap().starts_with("cus_"), "{billing}");

    // Up.
    fake.advance(&app, 24);
    let changed = change(&ann, BUSINESS).await;
    assert_reply_snapshot!("subscription_changed", changed);
    assert_eq!(status(&ann).await, is("Business", "active", false));
    fake.deliver(&app).await;
    assert_eq!(status(&ann).await, is("Business", "active", false));

    // Renewed.
    let end = |status: &Reply| status.json()["currentPeriodEnd"].as_i64().unwrap();
    let before = end(&ann.get("/api/subscription/status").await);
    fake.end_period(&app);
    fake.deliver(&app).await;
    assert!(end(&ann.get("/api/subscription/status").await) > before);

    // Not paid: the plan stays while Stripe tries.
    fake.set_card(Card::Declines);
    fake.end_period(&app);
    fake.deliver(&app).await;
    assert_eq!(status(&ann).await, is("Business", "past_due", false));
    assert_eq!(limit(&ann).await, 999);
    change(&ann, PRO).await.problem(409, "conflict");

    // Paid after all, with what ordering the same plan again gives.
    fake.set_card(Card::Works);
    fake.confirm(&secret(&buy(&ann, BUSINESS).await)).unwrap();
    fake.deliver(&app).await;
    assert_eq!(status(&ann).await, is("Business", "active", false));

    // Cancelled, and reactivated.
    let id = ann.post("/api/subscription/request-cancellation", &json!({})).await;
    approve(&fake, &app, &id).await;
    assert_eq!(status(&ann).await, is("Business", "active", true));
    buy(&ann, PRO).await.problem(409, "conflict");
    change(&ann, PRO).await.problem(409, "conflict");
    let reactivated = ann.post("/api/subscription/reactivate", &json!({})).await;
    assert_reply_snapshot!("subscription_reactivated", reactivated);
    assert_eq!(status(&ann).await, is("Business", "active", false));
    ann.post("/api/subscription/reactivate", &json!({})).await.problem(409, "conflict");

    // Cancelled for good.
    let id = ann.post("/api/subscription/request-cancellation", &json!({})).await;
    approve(&fake, &app, &id).await;
    fake.end_period(&app);
    fake.deliver(&app).await;
    assert_eq!(status(&ann).await, is("Free", "canceled", false));
    assert_eq!(limit(&ann).await, 2);
    assert_eq!(ann.get("/api/auth/user").await.json()["planType"], "basic");
    assert_eq!(fake.statuses(), ["canceled"]);

    // And back again.
    subscribe(&fake, &app, &ann, PRO_YEAR).await;
    assert_eq!(status(&ann).await, is("Pro", "active", false));
    assert_eq!(fake.statuses(), ["canceled", "active"]);
    assert_eq!(fake.customers(), 1);
    let posts_without_key: Vec<_> =
        fake.writes().into_iter().filter(|(call, key)| call.starts_with("POST") && key.is_none()).collect();
    assert_eq!(posts_without_key, []);
}

/// Support approves a cancellation.
async fn approve(fake: &FakeStripe, app: &TestApp, requested: &Reply) {
    let id = requested.expect_status(200).json()["id"].as_str().unwrap().parse().unwrap();
    let admin = app.admin(|settings| fake.set_up(settings)).await;
    admin.approve_cancellation(id).await.unwrap().unwrap();
    fake.deliver(app).await;
}

#[tokio::test]
async fn an_order_that_does_not_fit_the_table_is_refused() {
    let (fake, _app, ann) = FakeStripe::with_ann().await;
    for (body, field) in [
        (json!({ "plan": "basic", "price": 0, "interval": "month" }), "plan"),
        (json!({ "plan": "gold", "price": 4.99, "interval": "month" }), "plan"),
        (json!({ "plan": "pro", "price": 0.01, "interval": "month" }), "price"),
        (json!({ "plan": "pro", "price": 4.99, "interval": "year" }), "price"),
        (json!({ "plan": "business", "price": "4.99", "interval": "month" }), "price"),
        (json!({ "plan": "pro", "price": "four", "interval": "month" }), "price"),
        (json!({ "plan": "pro", "price": null, "interval": "month" }), "price"),
        (json!({ "plan": "pro", "price": [4.99], "interval": "month" }), "price"),
        (json!({ "plan": "pro", "price": 4.99, "interval": "week" }), "interval"),
        (json!({ "plan": "pro", "interval": "month" }), "price"),
        (json!({}), "plan"),
        (json!([]), "body"),
    ] {
        for path in ["/api/create-subscription", "/api/subscription/change"] {
            ann.post(path, &body).await.invalid(field);
        }
    }
    assert_eq!(fake.writes(), []);
    // What the query string of the checkout page holds is text.
    let body = json!({ "plan": "pro", "price": "4.99", "interval": "month" });
    ann.post("/api/create-subscription", &body).await.expect_status(200);
}

#[tokio::test]
async fn ordering_again_takes_up_the_same_order() {
    let (fake, app, ann) = FakeStripe::with_ann().await;
    let first = secret(&buy(&ann, PRO).await);
    assert_eq!(secret(&buy(&ann, PRO).await), first);
    assert_eq!(fake.statuses(), ["incomplete"]);
    // Another plan takes the place of an order that was never paid.
    let second = secret(&buy(&ann, BUSINESS).await);
    assert_ne!(second, first);
    assert_eq!(fake.statuses(), ["canceled", "incomplete"]);
    assert!(fake.confirm(&first).is_err());
    fake.confirm(&second).unwrap();
    fake.deliver(&app).await;
    assert_eq!(status(&ann).await, is("Business", "active", false));
    // What is there already is not bought twice.
    buy(&ann, BUSINESS).await.problem(409, "conflict");
    // Another plan changes the subscription.
    let changed = buy(&ann, PRO).await;
    assert_eq!(changed.expect_status(200).json()["clientSecret"], Value::Null);
    assert_eq!(status(&ann).await, is("Pro", "active", false));
    assert_eq!(fake.statuses(), ["canceled", "active"]);
}

#[tokio::test]
async fn two_orders_at_once_are_one_subscription() {
    let (fake, _app, ann) = FakeStripe::with_ann().await;
    let (first, second, third) = tokio::join!(buy(&ann, PRO), buy(&ann, PRO), buy(&ann, PRO));
    let secrets = [&first, &second, &third].map(secret);
    assert!(secrets.iter().all(|secret| *secret == secrets[0]), "{secrets:?}");
    assert_eq!((fake.statuses(), fake.customers()), (vec!["incomplete".to_owned()], 1));
}

#[tokio::test]
async fn nobody_keeps_the_provider_busy_with_orders() {
    let fake = FakeStripe::start().await;
    let app = fake.shop().await;
    let (ann, bob) = (app.sign_up("ann").await, app.sign_up("bob").await);
    for offer in [PRO, PRO_YEAR].into_iter().cycle().take(20) {
        change(&ann, offer).await.problem(409, "conflict");
    }
    for refused in [buy(&ann, PRO).await, change(&ann, PRO).await] {
        refused.problem(429, "too-many-attempts");
        assert!(refused.header("retry-after").parse::<u32>().unwrap() <= 61);
    }
    buy(&bob, PRO).await.expect_status(200);
    app.advance(jiff::SignedDuration::from_mins(1));
    buy(&ann, PRO).await.expect_status(200);
}

#[tokio::test]
async fn a_change_goes_down_and_to_another_interval() {
    let (fake, app, ann) = FakeStripe::with_ann().await;
    change(&ann, PRO).await.problem(409, "conflict");
    subscribe(&fake, &app, &ann, BUSINESS).await;
    change(&ann, BUSINESS).await.problem(409, "conflict");
    for (offer, plan, interval) in
        [(PRO, "Pro", "month"), (PRO_YEAR, "Pro", "year"), (BUSINESS, "Business", "month")]
    {
        let changed = change(&ann, offer).await;
        assert_eq!(changed.expect_status(200).json()["clientSecret"], Value::Null, "{offer:?}");
        fake.deliver(&app).await;
        let status = ann.get("/api/subscription/status").await.json();
        assert_eq!((&status["plan"], &status["interval"]), (&json!(plan), &json!(interval)));
    }
    assert_eq!(fake.statuses(), ["active"]);
}

#[tokio::test]
async fn what_is_left_of_a_period_counts_at_every_change() {
    let (fake, app, ann) = FakeStripe::with_ann().await;
    subscribe(&fake, &app, &ann, PRO).await;
    assert_eq!(fake.charges(), [499]);
    // Half of the month of 30 days is left: half of Business, less half of Pro.
    fake.advance(&app, 15 * 24);
    change(&ann, BUSINESS).await.expect_status(200);
    fake.deliver(&app).await;
    assert_eq!(fake.charges(), [499, 749 - 249]);
    // Down: nothing is charged, and nothing is paid back in money.
    change(&ann, PRO).await.expect_status(200);
    fake.deliver(&app).await;
    assert_eq!(fake.charges(), [499, 500, 0]);
    // A year begins at once, less the half month of Pro.
    change(&ann, PRO_YEAR).await.expect_status(200);
    fake.deliver(&app).await;
    assert_eq!(fake.charges(), [499, 500, 0, 4990 - 249]);
    assert_eq!(status(&ann).await, is("Pro", "active", false));
    // The renewal costs what the table says.
    fake.end_period(&app);
    fake.deliver(&app).await;
    assert_eq!(fake.charges().last(), Some(&4990));
}
