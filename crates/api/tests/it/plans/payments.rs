//! Plans that are bought, changed and ended, against a stand-in for Stripe.

use std::pin::pin;
use std::time::Duration;

use partsight_domain::Plan;
use serde_json::{Value, json};

use crate::client::assert_reply_snapshot;
use crate::fake_stripe::{Card, FakeStripe, Fault};
use crate::plans::company::{join, make};
use crate::{Client, Reply, TestApp};

const PRO: (&str, f64, &str) = ("pro", 4.99, "month");
const PRO_YEAR: (&str, f64, &str) = ("pro", 49.9, "year");
const BUSINESS: (&str, f64, &str) = ("business", 14.99, "month");

fn order((plan, price, interval): (&str, f64, &str)) -> Value {
    json!({ "plan": plan, "price": price, "interval": interval })
}

async fn buy(client: &Client, offer: (&str, f64, &str)) -> Reply {
    client.post("/api/create-subscription", &order(offer)).await
}

async fn change(client: &Client, offer: (&str, f64, &str)) -> Reply {
    client.post("/api/subscription/change", &order(offer)).await
}

fn secret(reply: &Reply) -> String {
    reply.expect_status(200).json()["clientSecret"].as_str().unwrap().to_owned()
}

/// Orders, pays and lets Stripe say so.
async fn subscribe(fake: &FakeStripe, app: &TestApp, client: &Client, offer: (&str, f64, &str)) {
    fake.confirm(&secret(&buy(client, offer).await)).unwrap();
    fake.deliver(app).await;
}

/// Plan, status, and whether the plan ends with its period.
async fn status(client: &Client) -> (String, String, bool) {
    let status = client.get("/api/subscription/status").await.expect_status(200).json();
    let text = |name: &str| status[name].as_str().unwrap().to_owned();
    (text("plan"), text("status"), status["cancelAtPeriodEnd"].as_bool().unwrap())
}

fn is(plan: &str, status: &str, ends: bool) -> (String, String, bool) {
    (plan.to_owned(), status.to_owned(), ends)
}

async fn limit(client: &Client) -> u64 {
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
    let fake = FakeStripe::start().await;
    let (app, ann) = fake.shop_with_ann().await;

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
    let fake = FakeStripe::start().await;
    let (_app, ann) = fake.shop_with_ann().await;
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
            let reply = ann.post(path, &body).await;
            reply.problem(422, "invalid");
            assert_eq!(reply.json()["field"], field, "{body}: {}", reply.text);
        }
    }
    assert_eq!(fake.writes(), []);
    // What the query string of the checkout page holds is text.
    let body = json!({ "plan": "pro", "price": "4.99", "interval": "month" });
    ann.post("/api/create-subscription", &body).await.expect_status(200);
}

#[tokio::test]
async fn ordering_again_takes_up_the_same_order() {
    let fake = FakeStripe::start().await;
    let (app, ann) = fake.shop_with_ann().await;
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
    let fake = FakeStripe::start().await;
    let (_app, ann) = fake.shop_with_ann().await;
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
async fn a_declined_card_leaves_everything_as_it_was() {
    let fake = FakeStripe::start().await;
    let (app, ann) = fake.shop_with_ann().await;
    let client_secret = secret(&buy(&ann, PRO).await);
    fake.set_card(Card::Declines);
    assert_eq!(fake.confirm(&client_secret), Err("Your card was declined.".to_owned()));
    fake.deliver(&app).await;
    assert_eq!(status(&ann).await, is("Free", "incomplete", false));
    // Another card, the same order.
    assert_eq!(secret(&buy(&ann, PRO).await), client_secret);
    fake.expire(&app);
    fake.deliver(&app).await;
    assert_eq!(status(&ann).await, is("Free", "incomplete_expired", false));

    fake.set_card(Card::Works);
    subscribe(&fake, &app, &ann, PRO).await;
    // A change that the card does not pay waits; the plan that is paid stays.
    for card in [Card::Declines, Card::NeedsConfirmation] {
        fake.set_card(card);
        let waiting = change(&ann, BUSINESS).await;
        assert_eq!(waiting.expect_status(200).json()["plan"], "pro");
        fake.deliver(&app).await;
        assert_eq!(status(&ann).await, is("Pro", "active", false));
        // Asking again takes up the same payment.
        assert_eq!(secret(&change(&ann, BUSINESS).await), secret(&waiting));
        if card == Card::NeedsConfirmation {
            fake.confirm(&secret(&waiting)).unwrap();
        }
    }
    fake.deliver(&app).await;
    assert_eq!(status(&ann).await, is("Business", "active", false));
}

#[tokio::test]
async fn a_plan_goes_when_stripe_gives_up() {
    let fake = FakeStripe::start().await;
    let (app, ann) = fake.shop_with_ann().await;
    subscribe(&fake, &app, &ann, BUSINESS).await;
    fake.set_card(Card::Declines);
    fake.end_period(&app);
    fake.give_up();
    fake.deliver(&app).await;
    assert_eq!(status(&ann).await, is("Free", "canceled", false));
    assert_eq!(limit(&ann).await, 2);
    change(&ann, PRO).await.problem(409, "conflict");
}

#[tokio::test]
async fn a_change_goes_down_and_to_another_interval() {
    let fake = FakeStripe::start().await;
    let (app, ann) = fake.shop_with_ann().await;
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
async fn a_provider_that_is_down_changes_nothing() {
    let fake = FakeStripe::start().await;
    let (app, ann) = fake.shop_with_ann().await;
    fake.set_fault(Fault::Down);
    let reply = buy(&ann, PRO).await;
    reply.problem(503, "payment-provider");
    assert_eq!(reply.header("retry-after"), "60");
    assert_eq!(status(&ann).await, is("Free", "active", false));

    // Done, but nobody heard of it: the next try is known as the same one.
    fake.set_fault(Fault::None);
    secret(&buy(&ann, PRO).await);
    let bob = app.sign_up("bob").await;
    fake.set_fault(Fault::LosesAnswer);
    buy(&bob, PRO).await.problem(503, "payment-provider");
    secret(&buy(&bob, PRO).await);
    assert_eq!(fake.customers(), 2);
    assert_eq!(fake.statuses(), ["incomplete", "incomplete"]);
}

#[tokio::test]
async fn nobody_waits_for_a_slow_provider_for_long() {
    let fake = FakeStripe::start().await;
    let (app, ann) = fake.shop_with_ann().await;
    secret(&buy(&ann, PRO).await);
    fake.set_fault(Fault::Silent);
    fake.advance(&app, 1);
    // Who looks at their plan sees what was last known, after three seconds; who orders is told, after ten.
    let mut order = pin!(buy(&ann, PRO));
    tokio::select! {
        seen = status(&ann) => assert_eq!(seen, is("Free", "incomplete", false)),
        ordered = &mut order => panic!("whoever looks waits for longer: {}", ordered.text),
    }
    order.await.problem(503, "payment-provider");
}

#[tokio::test]
async fn what_stripe_did_not_say_is_asked() {
    let fake = FakeStripe::start().await;
    let (app, ann) = fake.shop_with_ann().await;
    fake.confirm(&secret(&buy(&ann, PRO).await)).unwrap();
    // No event arrives. Just after the order nothing is asked yet.
    fake.take_events();
    fake.advance(&app, 1);
    assert_eq!(status(&ann).await, is("Pro", "active", false));
    fake.end_period(&app);
    fake.take_events();
    fake.advance(&app, 2);
    assert_eq!(status(&ann).await, is("Pro", "active", false));
    let end = ann.get("/api/subscription/status").await.json()["currentPeriodEnd"].as_i64().unwrap();
    assert!(end > 1_800_000_000 + 31 * 24 * 3600, "{end}");
}

#[tokio::test]
async fn a_price_that_differs_from_the_table_is_never_charged() {
    let fake = FakeStripe::start().await;
    let (_app, ann) = fake.shop_with_ann().await;
    fake.set_fault(Fault::OtherPrice);
    buy(&ann, PRO).await.problem(503, "payments-not-offered");
    assert_eq!(fake.statuses(), Vec::<String>::new());
}

#[tokio::test]
async fn a_price_that_is_archived_after_an_order_is_not_for_sale() {
    let fake = FakeStripe::start().await;
    let (app, ann) = fake.shop_with_ann().await;
    buy(&ann, PRO).await.expect_status(200);
    let bob = app.sign_up("bob").await;
    for fault in [Fault::ArchivedPrice, Fault::NoPrice] {
        fake.set_fault(fault);
        let sentence = buy(&bob, PRO).await.problem(503, "payments-not-offered");
        assert!(sentence.contains("temporarily unavailable"), "{fault:?}: {sentence}");
    }
    fake.set_fault(Fault::None);
    buy(&bob, PRO).await.expect_status(200);
}

#[tokio::test]
async fn a_deleted_account_pays_no_more() {
    let fake = FakeStripe::start().await;
    let (app, ann) = fake.shop_with_ann().await;
    subscribe(&fake, &app, &ann, PRO).await;
    let password = json!({ "password": "correct horse" });
    let delete =
        || crate::client::send(ann.request(reqwest::Method::DELETE, "/api/auth/user").json(&password));

    // While the subscription cannot be ended, the account stays.
    fake.set_fault(Fault::Down);
    delete().await.problem(503, "payment-provider");
    assert_eq!(status(&ann).await, is("Pro", "active", false));
    fake.set_fault(Fault::None);
    delete().await.expect_status(204);
    assert_eq!((fake.statuses(), fake.customers()), (vec!["canceled".to_owned()], 0));
    // The event of its end is about nobody.
    fake.deliver(&app).await;
    ann.get("/api/auth/user").await.expect_status(401);
}

#[tokio::test]
async fn what_is_left_of_a_period_counts_at_every_change() {
    let fake = FakeStripe::start().await;
    let (app, ann) = fake.shop_with_ann().await;
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

#[tokio::test]
async fn nobody_joins_while_the_owner_alone_deletes_the_account() {
    let fake = FakeStripe::start().await;
    let app = fake.shop().await;
    let (ann, bob) = (app.sign_up("ann").await, app.sign_up("bob").await);
    subscribe(&fake, &app, &ann, BUSINESS).await;
    let company = make(&ann).await;
    fake.set_fault(Fault::Silent);
    let password = json!({ "password": "correct horse" });
    let delete = crate::client::send(ann.request(reqwest::Method::DELETE, "/api/auth/user").json(&password));
    let n_before = fake.calls();
    let join = async {
        // From here on the provider is being asked.
        while fake.calls() == n_before {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let body = json!({ "userEmail": "bob@example.com", "userName": "Bob" });
        let joined = ann.post(&format!("{company}/members"), &body).await;
        fake.set_fault(Fault::None);
        joined
    };
    let (deleted, joined) = tokio::join!(delete, join);
    let sentence = joined.problem(409, "conflict");
    assert!(sentence.contains("being deleted"), "{sentence}");
    deleted.expect_status(204);
    assert_eq!((fake.statuses(), fake.customers()), (vec!["canceled".to_owned()], 0));
    ann.get("/api/auth/user").await.expect_status(401);
    assert_eq!(bob.get("/api/company").await.json(), Value::Null);
}

#[tokio::test]
async fn a_company_is_open_again_when_its_owner_could_not_be_deleted() {
    let fake = FakeStripe::start().await;
    let app = fake.shop().await;
    let (ann, bob) = (app.sign_up("ann").await, app.sign_up("bob").await);
    subscribe(&fake, &app, &ann, BUSINESS).await;
    let company = make(&ann).await;
    fake.set_fault(Fault::Down);
    let password = json!({ "password": "correct horse" });
    let delete =
        || crate::client::send(ann.request(reqwest::Method::DELETE, "/api/auth/user").json(&password));
    delete().await.problem(503, "payment-provider");
    fake.set_fault(Fault::None);
    join(&ann, &company, &bob, "member").await;
    // With somebody in it the account stays, and so does what is paid for.
    delete().await.problem(409, "conflict");
    assert_eq!((fake.statuses(), fake.customers()), (vec!["active".to_owned()], 1));
    assert_eq!(status(&ann).await, is("Business", "active", false));
}

#[tokio::test]
async fn a_customer_who_was_deleted_at_stripe_can_buy_again() {
    let fake = FakeStripe::start().await;
    let (app, ann) = fake.shop_with_ann().await;
    subscribe(&fake, &app, &ann, PRO).await;
    fake.delete_customers();
    fake.deliver(&app).await;
    assert_eq!(status(&ann).await, is("Free", "canceled", false));
    subscribe(&fake, &app, &ann, PRO).await;
    assert_eq!(status(&ann).await, is("Pro", "active", false));
    assert_eq!(fake.customers(), 1);
}
