//! Events of the payment provider, and what pretends to be one.

use serde_json::{Value, json};
use tracing::Level;

use crate::client::send;
use crate::fake_stripe::{FakeStripe, Fault, post_event, sign};
use crate::log_lines::LineCount;
use crate::{Client, TestApp};

async fn plan(client: &Client) -> String {
    let status = client.get("/api/subscription/status").await.expect_status(200).json();
    status["plan"].as_str().unwrap().to_owned()
}

/// Orders Pro and gives the secret of the payment.
async fn order(client: &Client) -> String {
    let body = json!({ "plan": "pro", "price": 4.99, "interval": "month" });
    let reply = client.post("/api/create-subscription", &body).await;
    reply.expect_status(200).json()["clientSecret"].as_str().unwrap().to_owned()
}

/// A shop with somebody who has paid for Pro.
async fn shop() -> (FakeStripe, TestApp, Client) {
    let (fake, app, ann) = FakeStripe::with_ann().await;
    fake.confirm(&order(&ann).await).unwrap();
    fake.deliver(&app).await;
    (fake, app, ann)
}

#[tokio::test]
async fn an_event_that_is_not_from_stripe_is_refused() {
    let (fake, app, ann) = FakeStripe::with_ann().await;
    fake.confirm(&order(&ann).await).unwrap();
    let event = fake.take_events().pop().unwrap().to_string();
    let now = 1_800_000_000;
    let good = fake.sign(&event);
    let other = event.replace("evt_", "evt_x");
    let cases = [
        ("no signature", event.as_str(), String::new()),
        ("nonsense", &event, "hello".to_owned()),
        ("no time", &event, "v1=00".to_owned()),
        ("another secret", &event, sign(&event, "whsec_other", now)),
        ("no secret", &event, sign(&event, "", now)),
        ("another body", &other, good.clone()),
        ("another time", &event, good.replace("t=1800000000", "t=1800000001")),
        ("too old", &event, sign(&event, "whsec_standin", now - 301)),
        ("too new", &event, sign(&event, "whsec_standin", now + 301)),
        ("a time that is none", &event, "t=-99999999999999999999,v1=00".to_owned()),
        ("an old scheme", &event, good.replace("v1=", "v0=")),
        ("no event", "{}", fake.sign("{}")),
        ("no JSON", "<x>", fake.sign("<x>")),
        ("nothing", "", fake.sign("")),
    ];
    for (what, payload, signature) in cases {
        let reply = post_event(&app, payload, &signature).await;
        assert_eq!((reply.status, &reply.json()["code"]), (400, &json!("event-refused")), "{what}");
    }
    assert_eq!(plan(&ann).await, "Free");
    // Almost too old, and without what a browser of ours would send.
    let signature = sign(&event, "whsec_standin", now - 300);
    post_event(&app, &event, &signature).await.expect_status(204);
    assert_eq!(plan(&ann).await, "Pro");
}

#[tokio::test]
async fn an_event_is_taken_from_anywhere_and_up_to_a_size() {
    let (fake, app, _) = shop().await;
    let event = json!({
        "id": "evt_1", "object": "event", "api_version": null, "created": 1_800_000_000, "livemode": false,
        "data": { "object": { "object": "balance" } }, "pending_webhooks": 0, "type": "balance.available",
    })
    .to_string();
    let request = app.client().request(reqwest::Method::POST, "/api/stripe/webhook");
    let request = request
        .header("Origin", "https://hooks.example.com")
        .header("Stripe-Signature", fake.sign(&event))
        .body(event);
    send(request).await.expect_status(204);

    let large = "x".repeat(600 * 1024);
    let reply = post_event(&app, &large, &fake.sign(&large)).await;
    let detail = reply.problem(413, "too-large");
    assert!(detail.contains("524288 bytes"), "{detail}");
}

#[tokio::test]
async fn an_event_that_only_we_can_read_is_no_error_in_the_log() {
    let (fake, app, _) = shop().await;
    // Of a version of the interface that the library was not made for.
    let event = json!({
        "id": "evt_2", "object": "event", "api_version": "2015-10-16", "created": 1_800_000_000,
        "livemode": false, "data": { "object": { "object": "invoice", "customer": "cus_unknown" } },
        "pending_webhooks": 0, "type": "invoice.paid",
    })
    .to_string();
    let errors = LineCount::of(Level::ERROR);
    let _logging = tracing::subscriber::set_default(errors.clone());
    post_event(&app, &event, &fake.sign(&event)).await.expect_status(204);
    assert_eq!(errors.n(), 0);
}

#[tokio::test]
async fn an_event_that_is_sent_again_does_nothing() {
    let (fake, app, ann) = shop().await;
    fake.end_period(&app);
    let renewal = fake.take_events().pop().unwrap();
    fake.deliver_event(&app, &renewal).await.expect_status(204);
    // Even when the provider could not be asked any more.
    fake.set_fault(Fault::Down);
    fake.deliver_event(&app, &renewal).await.expect_status(204);
    assert_eq!(plan(&ann).await, "Pro");
}

#[tokio::test]
async fn events_may_come_late_and_in_any_order() {
    let (fake, app, ann) = shop().await;
    fake.end_period(&app);
    fake.give_up();
    let mut events = fake.take_events();
    events.reverse();
    assert!(events.len() > 2, "{events:?}");
    for event in &events {
        fake.deliver_event(&app, event).await.expect_status(204);
        // The first one to come says that it has ended, and no older one takes that back.
        assert_eq!(plan(&ann).await, "Free");
    }
}

#[tokio::test]
async fn an_event_is_sent_again_when_the_provider_could_not_be_asked() {
    let (fake, app, ann) = FakeStripe::with_ann().await;
    fake.confirm(&order(&ann).await).unwrap();
    let paid = fake.take_events().pop().unwrap();
    fake.set_fault(Fault::Down);
    fake.deliver_event(&app, &paid).await.problem(503, "payment-provider");
    fake.set_fault(Fault::None);
    fake.deliver_event(&app, &paid).await.expect_status(204);
    assert_eq!(plan(&ann).await, "Pro");
}

#[tokio::test]
async fn events_at_once_lead_to_one_plan() {
    let (fake, app, ann) = FakeStripe::with_ann().await;
    fake.confirm(&order(&ann).await).unwrap();
    let events = fake.take_events();
    let [first, .., last] = events.as_slice() else { panic!("{events:?}") };
    let (one, two, three) = tokio::join!(
        fake.deliver_event(&app, first),
        fake.deliver_event(&app, last),
        fake.deliver_event(&app, last),
    );
    for reply in [one, two, three] {
        reply.expect_status(204);
    }
    assert_eq!(plan(&ann).await, "Pro");
}

#[tokio::test]
async fn what_is_about_somebody_or_something_else_is_taken_and_left() {
    let (fake, app, ann) = shop().await;
    let object = |customer: Value| {
        json!({
            "id": "evt_1", "object": "event", "api_version": "2019-01-01", "created": 1_800_000_000,
            "livemode": true, "data": { "object": { "id": "sub_9", "customer": customer } },
            "pending_webhooks": 0, "type": "customer.subscription.updated",
        })
    };
    // One of another version than the library's is read only once its signature holds.
    let forged = object(json!("cus_nobody")).to_string();
    for signature in
        [sign(&forged, "whsec_other", 1_800_000_000), sign(&forged, "whsec_standin", 1_700_000_000)]
    {
        post_event(&app, &forged, &signature).await.problem(400, "event-refused");
    }
    for customer in [json!("cus_nobody"), json!({ "id": "cus_nobody" }), json!(null), json!(7)] {
        fake.deliver_event(&app, &object(customer)).await.expect_status(204);
    }
    let mut unknown = object(json!("cus_nobody"));
    unknown["type"] = json!("something.that.comes.later");
    fake.deliver_event(&app, &unknown).await.expect_status(204);
    assert_eq!(plan(&ann).await, "Pro");

    // A second subscription of the same customer, to something that is not ours.
    fake.subscribe_elsewhere("price_elsewhere");
    fake.deliver(&app).await;
    assert_eq!(plan(&ann).await, "Pro");
}

#[tokio::test]
async fn a_price_that_is_not_ours_leaves_the_plan() {
    let (fake, app, ann) = shop().await;
    fake.set_price("price_elsewhere");
    fake.deliver(&app).await;
    assert_eq!(plan(&ann).await, "Pro");
    fake.set_price("price_business_year");
    fake.deliver(&app).await;
    assert_eq!(plan(&ann).await, "Business");
}

#[tokio::test]
async fn a_server_without_payments_takes_no_events() {
    let fake = FakeStripe::start().await;
    let app = TestApp::with_stand_in(|_| {}).await;
    let event = json!({ "id": "evt_1" }).to_string();
    let signature = fake.sign(&event);
    post_event(&app, &event, &signature).await.problem(503, "payments-not-offered");
}
