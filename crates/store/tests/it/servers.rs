use std::num::NonZeroU32;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use partsight_store::{FailedTry, FailureRecord, Store, StoreOptions};
use tokio::time::sleep;
use uuid::Uuid;

use crate::batches::queue::running;
use crate::evaluations::waiting;
use crate::garage::push;
use crate::scanning::photo_objects;
use crate::{MINUTE, TestStore, at, events, new_mail, patient};

/// How far the clocks of the two servers differ, in seconds.
const AHEAD: i64 = 600;

/// Which of the queues have something for a server at this time of its clock: it takes one of each that it can.
async fn take(store: &Store, server: u128, now: Timestamp) -> Vec<&'static str> {
    let (server, until, hour) = (Uuid::from_u128(server), now + MINUTE, SignedDuration::from_hours(1));
    let one = NonZeroU32::MIN;
    [
        ("mail", store.claim_mail(server, now, until).await.unwrap().is_some()),
        ("webhook", store.claim_webhook_delivery(server, now, until).await.unwrap().is_some()),
        ("push", store.claim_push_message(server, now, now - hour, until).await.unwrap().is_some()),
        ("batch", !store.claim_batch_items(server, one, now, until).await.unwrap().is_empty()),
        ("evaluation", store.claim_evaluation(server, now, until).await.unwrap().is_some()),
        (
            "photograph",
            store.claim_photo_to_move("s3://shop", "aa/1", now, now - MINUTE).await.unwrap().is_some(),
        ),
    ]
    .into_iter()
    .filter_map(|(queue, has_one)| has_one.then_some(queue))
    .collect()
}

#[tokio::test]
async fn a_server_whose_clock_is_ahead_leaves_others_what_they_hold() {
    let Some(db) = TestStore::postgres().await else { return };
    let ahead = Store::open_with(&db.url, &patient()).await.unwrap();
    for (store, second) in [(&db.store, 0), (&ahead, AHEAD)] {
        store.compare_clocks(|| at(second)).await.unwrap();
    }
    let difference = (db.store.database_ahead() - ahead.database_ahead()).as_secs();
    assert!((AHEAD - 60..=AHEAD).contains(&difference), "{difference}");
    let ann = db.user("ann").await;
    push::subscribe(&db, &ann, 1).await;
    events::webhook(&db, &ann, &["reminder.due"]).await;
    push::remind(&db, &ann, "oil").await;
    db.store.queue_mail(Some(ann.id), &new_mail("ann@example.com"), at(1)).await.unwrap();
    running(&db, &ann, 1).await;
    waiting(&db, &ann).await;
    photo_objects::save(&db, &ann, b"a photograph").await;
    let all = ["mail", "webhook", "push", "batch", "evaluation", "photograph"];
    assert_eq!(take(&db.store, 1, at(1)).await, all);
    assert!(take(&ahead, 2, at(AHEAD + 2)).await.is_empty());
    let payment = db.store.claim_billing(ann.id, "one", at(1)).await.unwrap();
    assert!(payment.is_some() && ahead.claim_billing(ann.id, "two", at(AHEAD + 2)).await.unwrap().is_none());
    // When the leases have ended, it takes over, and is left what it holds in the same way.
    assert_eq!(take(&ahead, 2, at(AHEAD + 120)).await, all);
    assert!(take(&db.store, 1, at(121)).await.is_empty());
}

#[tokio::test]
async fn what_a_server_whose_clock_is_ahead_puts_off_is_due_for_all_at_the_same_moment() {
    let Some(db) = TestStore::postgres().await else { return };
    let ahead = Store::open_with(&db.url, &patient()).await.unwrap();
    for (store, second) in [(&db.store, 0), (&ahead, AHEAD)] {
        store.compare_clocks(|| at(second)).await.unwrap();
    }
    let ann = db.user("ann").await;
    push::subscribe(&db, &ann, 1).await;
    events::webhook(&db, &ann, &["reminder.due"]).await;
    push::remind(&db, &ann, "oil").await;
    // What it writes itself is due at once.
    ahead.queue_mail(Some(ann.id), &new_mail("ann@example.com"), at(AHEAD + 1)).await.unwrap();
    let (worker, now) = (Uuid::from_u128(1), at(AHEAD + 120));
    let mail = ahead.claim_mail(worker, now, now + MINUTE).await.unwrap().unwrap();
    let webhook = ahead.claim_webhook_delivery(worker, now, now + MINUTE).await.unwrap().unwrap();
    let hour = SignedDuration::from_hours(1);
    let message = ahead.claim_push_message(worker, now, now - hour, now + MINUTE).await.unwrap().unwrap();
    let next = at(AHEAD + 240);
    assert!(ahead.postpone_mail(&mail.lease, next).await.unwrap());
    assert!(ahead.postpone_push_message(&message.lease, next).await.unwrap());
    let failed = FailedTry { rest_until: next, ..events::failed(Some(next), now) };
    assert_eq!(ahead.webhook_failed(&webhook.lease, &failed, now).await.unwrap(), FailureRecord::Saved);
    // The two comparisons of clocks are a moment apart.
    assert!(take(&db.store, 2, at(180)).await.is_empty());
    assert_eq!(take(&db.store, 2, at(300)).await, ["mail", "webhook", "push"]);
}

#[tokio::test]
async fn an_sqlite_file_has_the_clock_of_its_machine() {
    let db = TestStore::sqlite().await;
    assert_eq!(db.store.compare_clocks(|| at(AHEAD)).await.unwrap(), SignedDuration::ZERO);
}

#[tokio::test]
async fn servers_see_each_other_s_names() {
    let Some(db) = TestStore::postgres().await else { return };
    let named = StoreOptions { session_name: Some("it's one".to_owned()), ..patient() };
    let name_in_address = if db.url.contains('?') { "&" } else { "?" };
    let url = format!("{}{name_in_address}application_name=parts", db.url);
    let one = Store::open_with(&db.url, &named).await.unwrap();
    let other = Store::open_with(&url, &named).await.unwrap();
    // Connections are opened when they are needed.
    one.ping().await.unwrap();
    other.ping().await.unwrap();
    let mut seen = db.store.session_names().await.unwrap();
    seen.sort_unstable();
    assert_eq!(seen, ["it's one", "parts it's one"]);
    // Who has ended is seen no more, as soon as PostgreSQL has noticed.
    one.close().await;
    other.close().await;
    while !db.store.session_names().await.unwrap().is_empty() {
        sleep(Duration::from_millis(10)).await;
    }
    assert!(TestStore::sqlite().await.store.session_names().await.unwrap().is_empty());
}
