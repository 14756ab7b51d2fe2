//! Payments that fail: cards that are declined, a Stripe that is down, slow or silent, and prices that are not as agreed.

use std::pin::pin;

use super::payments::{BUSINESS, PRO, buy, change, is, limit, secret, status, subscribe};
use crate::fake_stripe::{Card, FakeStripe, Fault};

#[tokio::test]
async fn a_declined_card_leaves_everything_as_it_was() {
    let (fake, app, ann) = FakeStripe::with_ann().await;
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
    let (fake, app, ann) = FakeStripe::with_ann().await;
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
async fn a_provider_that_is_down_changes_nothing() {
    let (fake, app, ann) = FakeStripe::with_ann().await;
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
    let (fake, app, ann) = FakeStripe::with_ann().await;
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
    let (fake, app, ann) = FakeStripe::with_ann().await;
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
    let (fake, _app, ann) = FakeStripe::with_ann().await;
    fake.set_fault(Fault::OtherPrice);
    buy(&ann, PRO).await.problem(503, "payments-not-offered");
    assert_eq!(fake.statuses(), Vec::<String>::new());
}

#[tokio::test]
async fn a_price_that_is_archived_after_an_order_is_not_for_sale() {
    let (fake, app, ann) = FakeStripe::with_ann().await;
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
async fn an_overdue_renewal_is_paid_after_its_price_has_left_the_settings() {
    let (fake, app, ann) = FakeStripe::with_ann().await;
    subscribe(&fake, &app, &ann, PRO).await;
    fake.set_price("price_elsewhere");
    fake.set_card(Card::Declines);
    fake.end_period(&app);
    fake.deliver(&app).await;
    assert_eq!(status(&ann).await, is("Pro", "past_due", false));
    buy(&ann, BUSINESS).await.problem(409, "conflict");

    fake.set_card(Card::Works);
    fake.confirm(&secret(&buy(&ann, PRO).await)).unwrap();
    fake.deliver(&app).await;
    assert_eq!(status(&ann).await, is("Pro", "active", false));
    assert_eq!(fake.statuses(), ["active"]);
}
