use jiff::{SignedDuration, Timestamp};
use partsight_domain::{
    DeliveryPage, DeliveryState, EventId, EventKind, NewEvent, NewWebhook, UNLIMITED_SCANS, User, WebhookId,
};
use partsight_store::{ClaimedDelivery, FailedTry, FailureRecord, WebhookRow};
use serde_json::json;
use sqlx::{AnyConnection, AssertSqlSafe, Connection};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::scanning::readings::until_one_waits;
use crate::scanning::scans::scan;
use crate::{TestStore, at, new_scan, on_each_database};

on_each_database![
    an_event_is_saved_with_its_scan_and_goes_with_it,
    a_scan_that_is_refused_tells_nothing,
    events_are_numbered_in_the_order_of_their_commits,
    an_event_is_delivered_to_those_who_want_it,
    of_many_servers_each_delivery_is_one_s,
    whoever_has_many_slow_endpoints_leaves_places_to_others,
    what_a_dead_server_had_is_delivered_again,
    an_endpoint_that_fails_rests_and_is_switched_off_in_the_end,
    a_delivery_under_way_is_settled_by_its_answer_when_its_endpoint_is_switched_off,
    time_without_a_try_is_no_failure,
    an_endpoint_that_is_gone_is_switched_off_at_once,
    a_failure_at_an_endpoint_that_was_switched_off_meanwhile_counts_no_more,
    what_is_dead_can_be_sent_again,
    old_events_go_when_nobody_waits_for_them,
    an_endpoint_is_its_tenant_s_alone,
    two_deliveries_that_fail_at_once_switch_an_endpoint_off,
];

const SERVERS: [Uuid; 2] = [Uuid::from_u128(1), Uuid::from_u128(2)];
const PAGE: DeliveryPage = DeliveryPage { limit: 10, before: None };

pub(crate) async fn webhook(db: &TestStore, user: &User, events: &[&str]) -> WebhookId {
    let events: Vec<String> = events.iter().map(ToString::to_string).collect();
    let details = NewWebhook::new("https://example.com/hooks", &events).unwrap();
    let id = WebhookId(Uuid::now_v7());
    let row = WebhookRow { id, details: &details, secret: "whsec_eA==", created_at: at(0), is_enabled: true };
    assert!(db.store.create_webhook(user.tenant_id, &row, 10).await.unwrap());
    id
}

/// Something happens in the account of `user`: a reminder.
pub(crate) async fn remind(db: &TestStore, user: &User, name: &str) {
    let event = NewEvent { kind: EventKind::ReminderDue, subject_id: None, data: json!({ "name": name }) };
    assert_eq!(
        db.store.tell_reminders(user.tenant_id, &[(name.to_owned(), event)], |_| None, at(1)).await.unwrap(),
        1
    );
}

async fn claim(db: &TestStore, server: Uuid, now: Timestamp) -> Option<ClaimedDelivery> {
    db.store.claim_webhook_delivery(server, now, now + SignedDuration::from_secs(60)).await.unwrap()
}

pub(crate) fn failed(next_at: Option<Timestamp>, now: Timestamp) -> FailedTry<'static> {
    FailedTry {
        status: Some(500),
        problem: "No.",
        next_at,
        rest_until: now + SignedDuration::from_secs(5),
        quiet_since: now - SignedDuration::from_hours(24),
        patience_since: now - SignedDuration::from_hours(72),
        is_exhausted: next_at.is_none(),
        disabled: "Off.",
    }
}

/// Lets a delivery fail once a day from `start` on for three days; returns the time after that.
async fn fail_for_days(db: &TestStore, start: Timestamp) -> Timestamp {
    let mut now = start;
    while now <= start + SignedDuration::from_hours(72) {
        let claimed = claim(db, SERVERS[0], now).await.unwrap();
        let next = now + SignedDuration::from_secs(1);
        let recorded = db.store.webhook_failed(&claimed.lease, &failed(Some(next), now), now).await.unwrap();
        assert_eq!(recorded, FailureRecord::Saved, "it has tries left");
        now += SignedDuration::from_hours(24);
    }
    now
}

async fn numbers(db: &TestStore, user: &User) -> Vec<u64> {
    let events = db.store.list_events(user.tenant_id, 0, 100).await.unwrap();
    events.iter().map(|event| event.number).collect()
}

async fn an_event_is_saved_with_its_scan_and_goes_with_it(db: &TestStore) {
    let ann = db.user("ann").await;
    for second in [5, 6] {
        let scan = scan(at(second), None);
        db.store.save_scan(ann.tenant_id, ann.id, &new_scan(&scan, UNLIMITED_SCANS)).await.unwrap();
    }
    let events = db.store.list_events(ann.tenant_id, 0, 100).await.unwrap();
    assert_eq!(events.iter().map(|event| event.number).collect::<Vec<_>>(), [1, 2]);
    let (first, second) = (&events[0], &events[1]);
    assert_eq!((first.kind, first.occurred_at), (EventKind::ScanAnswered, at(5)));
    assert_ne!(first.id, second.id);
    let id = first.data["scanId"].as_str().unwrap().parse().unwrap();
    assert!(db.store.delete_scan(ann.tenant_id, id).await.unwrap());
    assert_eq!(numbers(db, &ann).await, [2]);
    db.store.clear_history(ann.tenant_id).await.unwrap();
    db.store.erase_cleared_history(ann.tenant_id).await.unwrap();
    assert!(numbers(db, &ann).await.is_empty());
    // The numbers go on.
    assert_eq!(db.store.last_event_number(ann.tenant_id).await.unwrap(), 2);
}

/// On PostgreSQL only: SQLite has one writer.
#[tokio::test]
async fn no_event_tells_of_a_scan_that_is_deleted_while_it_is_told_of() {
    let Some(db) = TestStore::postgres().await else { return };
    let ann = db.user("ann").await;
    let scan = scan(at(5), None);
    db.store.save_scan(ann.tenant_id, ann.id, &new_scan(&scan, UNLIMITED_SCANS)).await.unwrap();
    // As a reading that amends the answer.
    let mut other = AnyConnection::connect(&db.url).await.unwrap();
    let amend = format!(
        "BEGIN; UPDATE scan SET label = 'rim'; \
         INSERT INTO account_event (event_id, tenant_id, number, kind, subject_id, data, occurred_at) \
         VALUES ('0190a0a0-0000-7000-8000-000000000000', '{}', 2, 'scan.answered', '{}', '{{}}', 1)",
        ann.tenant_id, scan.id
    );
    sqlx::raw_sql(AssertSqlSafe(amend)).execute(&mut other).await.unwrap();
    let amending = async {
        until_one_waits(&mut other).await;
        sqlx::raw_sql("COMMIT").execute(&mut other).await.unwrap();
        other.close().await.unwrap();
    };
    assert!(tokio::join!(db.store.delete_scan(ann.tenant_id, scan.id), amending).0.unwrap());
    assert!(numbers(&db, &ann).await.is_empty());
}

async fn a_scan_that_is_refused_tells_nothing(db: &TestStore) {
    let ann = db.user("ann").await;
    webhook(db, &ann, &["scan.answered"]).await;
    let scan = scan(at(5), None);
    db.store.save_scan(ann.tenant_id, ann.id, &new_scan(&scan, 0)).await.unwrap_err();
    assert!(numbers(db, &ann).await.is_empty());
    assert!(!db.store.has_webhook_work(at(9)).await.unwrap());
}

async fn events_are_numbered_in_the_order_of_their_commits(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    remind(db, &bob, "other").await;
    let mut tellers = JoinSet::new();
    for number in 0..8 {
        let (store, tenant_id) = (db.store.clone(), ann.tenant_id);
        tellers.spawn(async move {
            let event = NewEvent { kind: EventKind::ReminderDue, subject_id: None, data: json!({}) };
            store.tell_reminders(tenant_id, &[(number.to_string(), event)], |_| None, at(1)).await.unwrap();
        });
    }
    tellers.join_all().await;
    assert_eq!(numbers(db, &ann).await, (1..=8).collect::<Vec<_>>());
    let after = db.store.list_events(ann.tenant_id, 5, 2).await.unwrap();
    assert_eq!(after.iter().map(|event| event.number).collect::<Vec<_>>(), [6, 7]);
    // What was told is not told again.
    let event = NewEvent { kind: EventKind::ReminderDue, subject_id: None, data: json!({}) };
    let again =
        db.store.tell_reminders(ann.tenant_id, &[("3".to_owned(), event)], |_| None, at(2)).await.unwrap();
    assert_eq!((again, db.store.last_event_number(ann.tenant_id).await.unwrap()), (0, 8));
}

async fn an_event_is_delivered_to_those_who_want_it(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let wanted = webhook(db, &ann, &["scan.answered", "reminder.due"]).await;
    webhook(db, &ann, &["batch.finished"]).await;
    webhook(db, &bob, &["reminder.due"]).await;
    let off = webhook(db, &ann, &["reminder.due"]).await;
    let details = NewWebhook::new("https://example.com", &["reminder.due".to_owned()]).unwrap();
    assert!(db.store.update_webhook(ann.tenant_id, off, &details, false).await.unwrap());
    remind(db, &ann, "oil").await;
    let claimed = claim(db, SERVERS[0], at(2)).await.unwrap();
    assert_eq!((claimed.lease.webhook_id, claimed.attempts, claimed.n_failures), (wanted, 1, 0));
    assert_eq!(claimed.event.data, json!({ "name": "oil" }));
    assert_eq!(claimed.secret, "whsec_eA==");
    assert!(db.store.webhook_delivered(&claimed.lease, 204, at(3)).await.unwrap());
    assert!(claim(db, SERVERS[0], at(1000)).await.is_none());
    let list = db.store.list_webhook_deliveries(ann.tenant_id, wanted, None, PAGE).await.unwrap();
    assert_eq!((list[0].state, list[0].last_status), (DeliveryState::Delivered, Some(204)));
    assert_eq!((list[0].next_at, list[0].tried_at), (None, Some(at(3))));
}

async fn of_many_servers_each_delivery_is_one_s(db: &TestStore) {
    let ann = db.user("ann").await;
    webhook(db, &ann, &["reminder.due"]).await;
    for number in 0..6 {
        remind(db, &ann, &number.to_string()).await;
    }
    let mut servers = JoinSet::new();
    for server in SERVERS {
        let store = db.store.clone();
        servers.spawn(async move {
            let mut made = Vec::new();
            while store.has_webhook_work(at(2)).await.unwrap() {
                let Some(claimed) = store.claim_webhook_delivery(server, at(2), at(60)).await.unwrap() else {
                    continue;
                };
                assert!(store.webhook_delivered(&claimed.lease, 200, at(2)).await.unwrap());
                made.push(claimed.lease.event_id);
            }
            made
        });
    }
    let mut made: Vec<EventId> = servers.join_all().await.concat();
    made.sort();
    let n = made.len();
    made.dedup();
    assert_eq!((n, made.len()), (6, 6));
}

async fn whoever_has_many_slow_endpoints_leaves_places_to_others(db: &TestStore) {
    let (ann, bob, eve) = (db.user("ann").await, db.user("bob").await, db.user("eve").await);
    for _ in 0..10 {
        webhook(db, &ann, &["reminder.due"]).await;
    }
    for user in [&bob, &eve] {
        webhook(db, user, &["reminder.due"]).await;
    }
    for name in ["oil", "tires", "brakes"] {
        remind(db, &ann, name).await;
        remind(db, &bob, name).await;
    }
    let mut under_way = Vec::new();
    while let Some(claimed) = claim(db, SERVERS[0], at(2)).await {
        under_way.push(claimed.tenant_id);
    }
    let n_of = |user: &User| under_way.iter().filter(|tenant_id| **tenant_id == user.tenant_id).count();
    assert_eq!((n_of(&ann), n_of(&bob)), (8, 2));
    // Of two who wait, the one with less under way comes first, however many endpoints the other one has.
    let first: Vec<_> = under_way.iter().take(4).collect();
    assert_eq!(first.iter().filter(|tenant_id| ***tenant_id == bob.tenant_id).count(), 2);
    remind(db, &eve, "oil").await;
    assert_eq!(claim(db, SERVERS[0], at(3)).await.unwrap().tenant_id, eve.tenant_id);
}

async fn what_a_dead_server_had_is_delivered_again(db: &TestStore) {
    let ann = db.user("ann").await;
    webhook(db, &ann, &["reminder.due"]).await;
    remind(db, &ann, "oil").await;
    let lost = claim(db, SERVERS[0], at(2)).await.unwrap();
    assert!(claim(db, SERVERS[1], at(61)).await.is_none());
    let again = claim(db, SERVERS[1], at(62)).await.unwrap();
    // The same event by the same id, and the receiver is told that it is a repeat.
    assert_eq!((again.event.id, again.attempts), (lost.event.id, 2));
    assert!(!db.store.webhook_delivered(&lost.lease, 200, at(63)).await.unwrap());
    let recorded = db.store.webhook_failed(&lost.lease, &failed(None, at(63)), at(63)).await.unwrap();
    assert_eq!(recorded, FailureRecord::NotHeld);
    // One that ends gives back what it has, and the try does not count.
    assert_eq!(db.store.release_webhook_leases(SERVERS[1]).await.unwrap(), 1);
    assert_eq!(claim(db, SERVERS[0], at(64)).await.unwrap().attempts, 2);
}

async fn an_endpoint_that_fails_rests_and_is_switched_off_in_the_end(db: &TestStore) {
    let ann = db.user("ann").await;
    let id = webhook(db, &ann, &["reminder.due"]).await;
    remind(db, &ann, "oil").await;
    remind(db, &ann, "tires").await;
    let first = claim(db, SERVERS[0], at(2)).await.unwrap();
    let recorded = db.store.webhook_failed(&first.lease, &failed(Some(at(30)), at(2)), at(2)).await.unwrap();
    assert_eq!(recorded, FailureRecord::Saved);
    // The other one waits as well: the endpoint is away.
    assert!(claim(db, SERVERS[0], at(6)).await.is_none());
    let second = claim(db, SERVERS[0], at(7)).await.unwrap();
    assert_eq!(second.n_failures, 1);
    assert_ne!(second.event.id, first.event.id);
    let found = db.store.find_webhook(ann.tenant_id, id).await.unwrap().unwrap().0;
    assert_eq!((found.failing_since, found.is_enabled, found.n_waiting), (Some(at(2)), true, 2));
    let later = fail_for_days(db, at(100)).await;
    let last = claim(db, SERVERS[0], later).await.unwrap();
    let recorded = db.store.webhook_failed(&last.lease, &failed(None, later), later).await.unwrap();
    assert_eq!(recorded, FailureRecord::Disabled);
    let found = db.store.find_webhook(ann.tenant_id, id).await.unwrap().unwrap().0;
    assert_eq!((found.is_enabled, found.n_waiting, found.n_dead), (false, 0, 2));
    let deliveries = db.store.list_webhook_deliveries(ann.tenant_id, id, None, PAGE).await.unwrap();
    let mut problems: Vec<_> = deliveries.iter().filter_map(|dead| dead.problem.as_deref()).collect();
    problems.sort_unstable();
    assert_eq!(problems, ["No.", "Off."]);
    // While it is off it shows that it was switched off, also when its address is corrected and tested.
    let details = NewWebhook::new("https://example.com", &["reminder.due".to_owned()]).unwrap();
    assert!(db.store.update_webhook(ann.tenant_id, id, &details, false).await.unwrap());
    db.store.forget_webhook_failures(ann.tenant_id, id).await.unwrap();
    let corrected = db.store.find_webhook(ann.tenant_id, id).await.unwrap().unwrap().0;
    assert!(found.failing_since.is_some() && corrected.failing_since == found.failing_since);
    // Switched on again it begins anew.
    assert!(db.store.update_webhook(ann.tenant_id, id, &details, true).await.unwrap());
    assert_eq!(db.store.resend_webhook(ann.tenant_id, id, None, later).await.unwrap(), 2);
    let found = db.store.find_webhook(ann.tenant_id, id).await.unwrap().unwrap().0;
    assert_eq!((found.failing_since, found.n_waiting, found.n_dead), (None, 2, 0));
    assert_eq!(claim(db, SERVERS[0], later).await.unwrap().attempts, 1);
}

async fn a_delivery_under_way_is_settled_by_its_answer_when_its_endpoint_is_switched_off(db: &TestStore) {
    let ann = db.user("ann").await;
    let id = webhook(db, &ann, &["reminder.due"]).await;
    for name in ["oil", "tires", "brakes"] {
        remind(db, &ann, name).await;
    }
    let later = fail_for_days(db, at(2)).await;
    let fails = claim(db, SERVERS[0], later).await.unwrap();
    let arrives = claim(db, SERVERS[1], later).await.unwrap();
    let recorded = db.store.webhook_failed(&fails.lease, &failed(None, later), later).await.unwrap();
    assert_eq!(recorded, FailureRecord::Disabled);
    let found = db.store.find_webhook(ann.tenant_id, id).await.unwrap().unwrap().0;
    assert_eq!((found.is_enabled, found.n_waiting, found.n_dead), (false, 1, 2));
    assert!(db.store.webhook_delivered(&arrives.lease, 200, later).await.unwrap());
    let delivered = Some(DeliveryState::Delivered);
    let list = db.store.list_webhook_deliveries(ann.tenant_id, id, delivered, PAGE).await.unwrap();
    assert_eq!(list.iter().map(|made| made.event.id).collect::<Vec<_>>(), [arrives.event.id]);
    let found = db.store.find_webhook(ann.tenant_id, id).await.unwrap().unwrap().0;
    assert_eq!((found.is_enabled, found.n_waiting, found.n_dead), (false, 0, 2));
}

async fn time_without_a_try_is_no_failure(db: &TestStore) {
    let ann = db.user("ann").await;
    let id = webhook(db, &ann, &["reminder.due"]).await;
    remind(db, &ann, "oil").await;
    let first = claim(db, SERVERS[0], at(2)).await.unwrap();
    db.store.webhook_failed(&first.lease, &failed(None, at(2)), at(2)).await.unwrap();
    for name in ["tires", "brakes"] {
        remind(db, &ann, name).await;
    }
    let later = at(2) + SignedDuration::from_hours(5 * 24);
    let next = claim(db, SERVERS[0], later).await.unwrap();
    // Even its last one.
    let recorded = db.store.webhook_failed(&next.lease, &failed(None, later), later).await.unwrap();
    assert_eq!(recorded, FailureRecord::Saved);
    let found = db.store.find_webhook(ann.tenant_id, id).await.unwrap().unwrap().0;
    assert_eq!((found.failing_since, found.is_enabled, found.n_waiting), (Some(later), true, 1));
    // Nor is the time in which the plan has ended.
    let mut now = later;
    for _ in 0..4 {
        now += SignedDuration::from_hours(23);
        let held = claim(db, SERVERS[0], now).await.unwrap();
        let until = now + SignedDuration::from_mins(10);
        assert!(db.store.postpone_webhook(&held.lease, "No plan.", until).await.unwrap());
    }
    now += SignedDuration::from_hours(1);
    let last = claim(db, SERVERS[0], now).await.unwrap();
    let recorded = db.store.webhook_failed(&last.lease, &failed(None, now), now).await.unwrap();
    assert_eq!(recorded, FailureRecord::Saved);
}

async fn an_endpoint_that_is_gone_is_switched_off_at_once(db: &TestStore) {
    let ann = db.user("ann").await;
    let id = webhook(db, &ann, &["reminder.due"]).await;
    for name in ["oil", "tires"] {
        remind(db, &ann, name).await;
    }
    let claimed = claim(db, SERVERS[0], at(2)).await.unwrap();
    let gone = FailedTry { patience_since: Timestamp::MAX, ..failed(None, at(2)) };
    let recorded = db.store.webhook_failed(&claimed.lease, &gone, at(2)).await.unwrap();
    assert_eq!(recorded, FailureRecord::Disabled);
    let found = db.store.find_webhook(ann.tenant_id, id).await.unwrap().unwrap().0;
    assert_eq!((found.is_enabled, found.n_waiting, found.n_dead), (false, 0, 2));
}

async fn a_failure_at_an_endpoint_that_was_switched_off_meanwhile_counts_no_more(db: &TestStore) {
    let ann = db.user("ann").await;
    let details = NewWebhook::new("https://example.com", &["reminder.due".to_owned()]).unwrap();
    let gone = FailedTry { patience_since: Timestamp::MAX, ..failed(None, at(2)) };
    // By itself, and by its owner, in whose case what waits goes out once it is on again.
    for (is_gone, expected) in [(true, (Some(at(2)), 0, 2)), (false, (None, 1, 1))] {
        let id = webhook(db, &ann, &["reminder.due"]).await;
        for name in ["oil", "tires"] {
            remind(db, &ann, &format!("{name} {is_gone}")).await;
        }
        let first = claim(db, SERVERS[0], at(2)).await.unwrap();
        let slow = claim(db, SERVERS[1], at(2)).await.unwrap();
        if is_gone {
            db.store.webhook_failed(&first.lease, &gone, at(2)).await.unwrap();
        } else {
            db.store.webhook_failed(&first.lease, &failed(None, at(2)), at(2)).await.unwrap();
            assert!(db.store.update_webhook(ann.tenant_id, id, &details, false).await.unwrap());
        }
        let recorded =
            db.store.webhook_failed(&slow.lease, &failed(Some(at(30)), at(3)), at(3)).await.unwrap();
        assert_eq!(recorded, FailureRecord::Saved);
        let found = db.store.find_webhook(ann.tenant_id, id).await.unwrap().unwrap().0;
        assert_eq!((found.failing_since, found.n_waiting, found.n_dead), expected, "{is_gone}");
        assert!(!found.is_enabled && claim(db, SERVERS[0], at(100)).await.is_none());
        assert!(db.store.delete_webhook(ann.tenant_id, id).await.unwrap());
    }
}

async fn what_is_dead_can_be_sent_again(db: &TestStore) {
    let ann = db.user("ann").await;
    let id = webhook(db, &ann, &["reminder.due"]).await;
    remind(db, &ann, "oil").await;
    let claimed = claim(db, SERVERS[0], at(2)).await.unwrap();
    // What is being made is not made at the same time once more.
    let event = claimed.event.id;
    assert_eq!(db.store.resend_webhook(ann.tenant_id, id, Some(event), at(2)).await.unwrap(), 0);
    db.store.webhook_failed(&claimed.lease, &failed(None, at(2)), at(2)).await.unwrap();
    let dead = Some(DeliveryState::Dead);
    let list = db.store.list_webhook_deliveries(ann.tenant_id, id, dead, PAGE).await.unwrap();
    assert_eq!((list.len(), list[0].problem.as_deref(), list[0].last_status), (1, Some("No."), Some(500)));
    assert!(claim(db, SERVERS[0], at(10_000)).await.is_none());
    assert_eq!(db.store.resend_webhook(ann.tenant_id, id, Some(event), at(3)).await.unwrap(), 1);
    let again = claim(db, SERVERS[0], at(3)).await.unwrap();
    assert_eq!(again.event.id, event);
    assert!(db.store.webhook_delivered(&again.lease, 200, at(4)).await.unwrap());
    assert!(db.store.list_webhook_deliveries(ann.tenant_id, id, dead, PAGE).await.unwrap().is_empty());
}

async fn old_events_go_when_nobody_waits_for_them(db: &TestStore) {
    let ann = db.user("ann").await;
    remind(db, &ann, "before").await;
    webhook(db, &ann, &["reminder.due"]).await;
    remind(db, &ann, "oil").await;
    assert_eq!(db.store.purge_events(at(0), Timestamp::MIN).await.unwrap(), 0);
    assert_eq!(db.store.purge_events(at(100), Timestamp::MIN).await.unwrap(), 1);
    assert_eq!(numbers(db, &ann).await, [2]);
    assert_eq!(db.store.purge_events(at(100), at(100)).await.unwrap(), 1);
    assert!(!db.store.has_webhook_work(at(100)).await.unwrap());
}

async fn an_endpoint_is_its_tenant_s_alone(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let id = webhook(db, &ann, &["reminder.due"]).await;
    let details = NewWebhook::new("https://example.org", &["reminder.due".to_owned()]).unwrap();
    assert!(db.store.find_webhook(bob.tenant_id, id).await.unwrap().is_none());
    assert!(!db.store.update_webhook(bob.tenant_id, id, &details, false).await.unwrap());
    assert!(!db.store.set_webhook_secret(bob.tenant_id, id, "whsec_eQ==").await.unwrap());
    assert!(!db.store.delete_webhook(bob.tenant_id, id).await.unwrap());
    let row = WebhookRow {
        id: WebhookId(Uuid::now_v7()),
        details: &details,
        secret: "",
        created_at: at(0),
        is_enabled: true,
    };
    assert!(!db.store.create_webhook(ann.tenant_id, &row, 1).await.unwrap());
    assert_eq!(db.store.list_webhooks(ann.tenant_id).await.unwrap().len(), 1);
    assert!(db.store.delete_webhook(ann.tenant_id, id).await.unwrap());
}

async fn two_deliveries_that_fail_at_once_switch_an_endpoint_off(db: &TestStore) {
    let ann = db.user("ann").await;
    for round in 0..20 {
        let id = webhook(db, &ann, &["reminder.due"]).await;
        for name in ["first", "one", "other"] {
            remind(db, &ann, &format!("{name} {round}")).await;
        }
        let later = fail_for_days(db, at(2)).await;
        let one = claim(db, SERVERS[0], later).await.unwrap();
        let other = claim(db, SERVERS[1], later).await.unwrap();
        let no_answer = failed(None, later);
        let (first, second) = tokio::join!(
            db.store.webhook_failed(&one.lease, &no_answer, later),
            db.store.webhook_failed(&other.lease, &no_answer, later),
        );
        let recorded = [first.unwrap(), second.unwrap()];
        assert!(!recorded.contains(&FailureRecord::NotHeld), "each is settled by its own answer");
        assert!(recorded.contains(&FailureRecord::Saved), "it is disabled once");
        let found = db.store.find_webhook(ann.tenant_id, id).await.unwrap().unwrap().0;
        assert_eq!((found.is_enabled, found.n_waiting, found.n_dead), (false, 0, 3));
        assert!(db.store.delete_webhook(ann.tenant_id, id).await.unwrap());
    }
}
