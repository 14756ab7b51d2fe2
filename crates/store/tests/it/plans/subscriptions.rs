use jiff::SignedDuration;
use partsight_domain::{
    BillingInterval, CancellationRequestId, CancellationState, Plan, Subscription, SubscriptionStatus, User,
};
use partsight_store::{BillingRecord, PaymentEventRow};
use uuid::Uuid;

use crate::{TestStore, at, on_each_database};

on_each_database![
    one_change_of_a_subscription_runs_at_a_time,
    a_change_whose_server_died_holds_for_two_minutes,
    an_unsettled_change_is_continued_by_the_next_one,
    a_claim_that_ran_out_does_not_end_its_successor,
    a_subscription_is_kept_as_the_provider_said_it,
    the_plan_follows_the_subscription,
    an_answer_that_was_overtaken_is_not_saved,
    an_event_is_noted_with_what_it_led_to,
    events_of_last_month_are_forgotten,
    a_customer_is_one_user,
    one_cancellation_of_a_user_is_open_at_a_time,
    what_somebody_paid_for_goes_with_their_account,
    the_provider_tells_of_an_end_while_the_account_is_deleted,
];

/// A user with a customer id.
async fn customer(db: &TestStore, name: &str) -> (User, BillingRecord) {
    let user = db.user(name).await;
    let claim = db.store.claim_billing(user.id, "attempt", at(0)).await.unwrap().unwrap();
    db.store.set_customer(user.id, &format!("cus_{name}")).await.unwrap();
    db.store.release_billing(&claim, true).await.unwrap();
    let record = record(db, &user).await;
    (user, record)
}

async fn record(db: &TestStore, user: &User) -> BillingRecord {
    db.store.find_billing(user.id).await.unwrap().unwrap()
}

async fn plan(db: &TestStore, user: &User) -> Plan {
    db.store.find_user(user.id).await.unwrap().unwrap().user.plan
}

fn subscription(status: SubscriptionStatus, plan: Plan) -> Subscription {
    Subscription {
        provider_id: "sub_1".to_owned(),
        status,
        plan,
        interval: BillingInterval::Year,
        price_id: "price_1".to_owned(),
        current_period_end: at(1000),
        cancel_at_period_end: true,
    }
}

async fn one_change_of_a_subscription_runs_at_a_time(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let (first, second) = tokio::join!(
        db.store.claim_billing(ann.id, "one", at(0)),
        db.store.claim_billing(ann.id, "two", at(0)),
    );
    let claims: Vec<_> = [first.unwrap(), second.unwrap()].into_iter().flatten().collect();
    assert_eq!(claims.len(), 1, "{claims:?}");
    assert!(db.store.claim_billing(bob.id, "three", at(0)).await.unwrap().is_some());
    db.store.release_billing(&claims[0], true).await.unwrap();
    let next = db.store.claim_billing(ann.id, "four", at(0)).await.unwrap().unwrap();
    assert_eq!(next.attempt_id, "four");
}

async fn a_change_whose_server_died_holds_for_two_minutes(db: &TestStore) {
    let ann = db.user("ann").await;
    db.store.claim_billing(ann.id, "one", at(0)).await.unwrap().unwrap();
    assert_eq!(db.store.claim_billing(ann.id, "two", at(119)).await.unwrap(), None);
    let next = db.store.claim_billing(ann.id, "two", at(120)).await.unwrap().unwrap();
    // Nobody knows what the first one did: the provider must know the second one as the same.
    assert_eq!(next.attempt_id, "one");
    // One that a clock a week ahead dated holds nobody for a week; what differs by seconds still holds.
    let week = SignedDuration::from_hours(7 * 24);
    db.store.claim_billing(ann.id, "three", at(120) + week).await.unwrap().unwrap();
    assert!(db.store.claim_billing(ann.id, "four", at(130)).await.unwrap().is_some());
    assert_eq!(db.store.claim_billing(ann.id, "five", at(125)).await.unwrap(), None);
}

async fn an_unsettled_change_is_continued_by_the_next_one(db: &TestStore) {
    let ann = db.user("ann").await;
    let claim = db.store.claim_billing(ann.id, "one", at(0)).await.unwrap().unwrap();
    db.store.release_billing(&claim, false).await.unwrap();
    let next = db.store.claim_billing(ann.id, "two", at(1)).await.unwrap().unwrap();
    assert_eq!(next.attempt_id, "one");
}

async fn a_claim_that_ran_out_does_not_end_its_successor(db: &TestStore) {
    let ann = db.user("ann").await;
    let first = db.store.claim_billing(ann.id, "one", at(0)).await.unwrap().unwrap();
    db.store.claim_billing(ann.id, "two", at(200)).await.unwrap().unwrap();
    db.store.release_billing(&first, true).await.unwrap();
    assert_eq!(db.store.claim_billing(ann.id, "three", at(201)).await.unwrap(), None);
}

async fn a_subscription_is_kept_as_the_provider_said_it(db: &TestStore) {
    let (ann, before) = customer(db, "ann").await;
    assert_eq!((before.customer_id.as_deref(), &before.subscription), (Some("cus_ann"), &None));
    let active = subscription(SubscriptionStatus::Active, Plan::Pro);
    assert!(db.store.save_subscription(&before, Some(&active), None, at(5)).await.unwrap());
    let after = record(db, &ann).await;
    assert_eq!((after.subscription.clone(), after.checked_at), (Some(active), Some(at(5))));
    assert!(db.store.save_subscription(&after, None, None, at(6)).await.unwrap());
    assert_eq!(record(db, &ann).await.subscription, None);
}

async fn the_plan_follows_the_subscription(db: &TestStore) {
    let (ann, _) = customer(db, "ann").await;
    let bob = db.user("bob").await;
    for (status, paid, expected) in [
        (SubscriptionStatus::Incomplete, Plan::Pro, Plan::Basic),
        (SubscriptionStatus::Active, Plan::Pro, Plan::Pro),
        (SubscriptionStatus::Active, Plan::Business, Plan::Business),
        (SubscriptionStatus::PastDue, Plan::Business, Plan::Business),
        (SubscriptionStatus::Canceled, Plan::Business, Plan::Basic),
    ] {
        let before = record(db, &ann).await;
        let next = subscription(status, paid);
        assert!(db.store.save_subscription(&before, Some(&next), None, at(0)).await.unwrap());
        assert_eq!(plan(db, &ann).await, expected, "{status:?}");
    }
    assert_eq!(plan(db, &bob).await, Plan::Basic);
}

async fn an_answer_that_was_overtaken_is_not_saved(db: &TestStore) {
    let (ann, old) = customer(db, "ann").await;
    let ended = subscription(SubscriptionStatus::Canceled, Plan::Pro);
    assert!(db.store.save_subscription(&old, Some(&ended), None, at(1)).await.unwrap());
    let active = subscription(SubscriptionStatus::Active, Plan::Pro);
    let event = PaymentEventRow { id: "evt_1", kind: "x", created_at: at(0) };
    assert!(!db.store.save_subscription(&old, Some(&active), Some(&event), at(2)).await.unwrap());
    assert_eq!(record(db, &ann).await.subscription, Some(ended));
    assert_eq!(plan(db, &ann).await, Plan::Basic);
    assert!(!db.store.is_payment_event_known("evt_1").await.unwrap());
}

async fn an_event_is_noted_with_what_it_led_to(db: &TestStore) {
    let (ann, _) = customer(db, "ann").await;
    let active = subscription(SubscriptionStatus::Active, Plan::Pro);
    let event = PaymentEventRow { id: "evt_1", kind: "invoice.paid", created_at: at(0) };
    for _ in 0..2 {
        let before = record(db, &ann).await;
        assert!(db.store.save_subscription(&before, Some(&active), Some(&event), at(1)).await.unwrap());
    }
    assert!(db.store.is_payment_event_known("evt_1").await.unwrap());
    assert!(!db.store.is_payment_event_known("evt_2").await.unwrap());
}

async fn events_of_last_month_are_forgotten(db: &TestStore) {
    let (ann, _) = customer(db, "ann").await;
    let active = subscription(SubscriptionStatus::Active, Plan::Pro);
    for (id, day) in [("evt_1", 0), ("evt_2", 29), ("evt_3", 31)] {
        let now = at(0) + SignedDuration::from_hours(24 * day);
        let event = PaymentEventRow { id, kind: "invoice.paid", created_at: now };
        let before = record(db, &ann).await;
        assert!(db.store.save_subscription(&before, Some(&active), Some(&event), now).await.unwrap());
    }
    for (id, expected) in [("evt_1", false), ("evt_2", true), ("evt_3", true)] {
        assert_eq!(db.store.is_payment_event_known(id).await.unwrap(), expected, "{id}");
    }
}

async fn a_customer_is_one_user(db: &TestStore) {
    let (ann, _) = customer(db, "ann").await;
    let (bob, _) = customer(db, "bob").await;
    let found = db.store.find_billing_by_customer("cus_bob").await.unwrap().unwrap();
    assert_eq!(found.user_id, bob.id);
    assert_eq!(db.store.find_billing_by_customer("cus_eve").await.unwrap(), None);
    assert!(db.store.set_customer(bob.id, "cus_ann").await.is_err());
    assert_eq!(record(db, &ann).await.customer_id.as_deref(), Some("cus_ann"));
}

async fn one_cancellation_of_a_user_is_open_at_a_time(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let ids: Vec<_> = (0..4).map(|_| CancellationRequestId(Uuid::now_v7())).collect();
    let (first, second) = tokio::join!(
        db.store.request_cancellation(ids[0], ann.id, &[], at(0)),
        db.store.request_cancellation(ids[1], ann.id, &[], at(0)),
    );
    assert_eq!(u8::from(first.unwrap()) + u8::from(second.unwrap()), 1);
    assert!(db.store.request_cancellation(ids[2], bob.id, &[], at(1)).await.unwrap());
    let open = db.store.find_open_cancellation(ann.id).await.unwrap().unwrap();
    assert_eq!((open.email.as_str(), open.requested_at), ("ann@example.com", at(0)));

    let close = CancellationState::Approved;
    assert!(db.store.close_cancellation(ann.id, close, &[], at(2)).await.unwrap());
    assert!(!db.store.close_cancellation(ann.id, close, &[], at(3)).await.unwrap());
    assert_eq!(db.store.find_open_cancellation(ann.id).await.unwrap(), None);
    assert_eq!(db.store.find_cancellation(open.id).await.unwrap().unwrap().state, close);
    assert!(db.store.request_cancellation(ids[3], ann.id, &[], at(4)).await.unwrap());
    assert_eq!(db.store.list_cancellations_of(ann.id).await.unwrap().len(), 2);
    let states: Vec<_> =
        db.store.list_cancellations().await.unwrap().into_iter().map(|request| request.state).collect();
    assert_eq!(states, [close, CancellationState::Open, CancellationState::Open]);
}

async fn what_somebody_paid_for_goes_with_their_account(db: &TestStore) {
    let (ann, _) = customer(db, "ann").await;
    let id = CancellationRequestId(Uuid::now_v7());
    assert!(db.store.request_cancellation(id, ann.id, &[], at(0)).await.unwrap());
    db.store.delete_user(ann.id, ann.tenant_id).await.unwrap();
    assert_eq!(db.store.find_billing(ann.id).await.unwrap(), None);
    assert_eq!(db.store.find_billing_by_customer("cus_ann").await.unwrap(), None);
    assert_eq!(db.store.list_cancellations().await.unwrap(), []);
}

async fn the_provider_tells_of_an_end_while_the_account_is_deleted(db: &TestStore) {
    let ended = subscription(SubscriptionStatus::Canceled, Plan::Pro);
    for round in 0..20 {
        let (ann, before) = customer(db, &format!("ann{round}")).await;
        let (saved, deleted) = tokio::join!(
            db.store.save_subscription(&before, Some(&ended), None, at(1)),
            db.store.delete_user(ann.id, ann.tenant_id),
        );
        assert!(deleted.unwrap(), "the account goes");
        // Saved before, or there was nothing left to save.
        saved.unwrap();
        assert_eq!(db.store.find_billing(ann.id).await.unwrap(), None);
    }
}
