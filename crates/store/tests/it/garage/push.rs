use jiff::{SignedDuration, Timestamp};
use partsight_domain::{EventKind, NewEvent, PushSubscription, PushSubscriptionId, SessionId, User};
use partsight_store::{ClaimedPush, Error, PushSubscriptionRow};
use serde_json::json;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::{TestStore, at, new_session, on_each_database};

on_each_database![
    servers_share_the_key_that_was_kept_first,
    a_browser_is_kept_once_and_the_oldest_goes,
    a_browser_is_of_whoever_knows_its_secret,
    a_message_is_written_with_what_it_tells_for_each_browser_of_the_tenant,
    a_message_is_claimed_by_one_server_and_again_when_that_one_is_gone,
    a_person_with_many_slow_browsers_leaves_places_to_others,
    a_message_that_is_too_old_is_not_claimed_and_purged,
    the_end_of_a_session_ends_its_notifications,
];

fn id(number: u32) -> PushSubscriptionId {
    format!("{number:064x}").parse().unwrap()
}

/// Subscribes a browser in a session of `user`.
async fn save(
    db: &TestStore,
    user: &User,
    session_id: SessionId,
    (number, auth, second): (u32, &str, i64),
    limit: u32,
) -> Result<(), Error> {
    let row = PushSubscriptionRow {
        id: &id(number),
        endpoint: "https://push.example.net/1",
        p256dh: "key",
        auth,
        session_id,
        browser: "Firefox on Linux",
        created_at: at(second),
    };
    db.store.save_push_subscription(user, row, limit).await
}

pub(crate) async fn subscribe(db: &TestStore, user: &User, number: u32) {
    save(db, user, db.session_of(user).await, (number, "secret", 0), 20).await.unwrap();
}

async fn ids(db: &TestStore, user: &User) -> Vec<PushSubscriptionId> {
    let found: Vec<PushSubscription> = db.store.list_push_subscriptions(user.id).await.unwrap();
    found.into_iter().map(|subscription| subscription.id).collect()
}

/// Something is newly due for `user`.
pub(crate) async fn remind(db: &TestStore, user: &User, name: &str) {
    let event = NewEvent { kind: EventKind::ReminderDue, subject_id: None, data: json!({}) };
    let message = |new: &[usize]| (!new.is_empty()).then(|| name.to_owned());
    db.store.tell_reminders(user.tenant_id, &[(name.to_owned(), event)], message, at(1)).await.unwrap();
}

/// What a server of this number claims, of messages of the last hour.
async fn claim(db: &TestStore, server: u128, now: Timestamp) -> Option<ClaimedPush> {
    let (since, until) = (now - SignedDuration::from_hours(1), now + SignedDuration::from_secs(60));
    let has_work = db.store.has_push_work(now, since).await.unwrap();
    let claimed = db.store.claim_push_message(Uuid::from_u128(server), now, since, until).await.unwrap();
    assert_eq!(claimed.is_some(), has_work);
    claimed
}

async fn servers_share_the_key_that_was_kept_first(db: &TestStore) {
    assert_eq!(db.store.find_server_key("vapid").await.unwrap(), None);
    let mut servers = JoinSet::new();
    for server in 0..4_u8 {
        let store = db.store.clone();
        servers.spawn(async move { store.keep_server_key("vapid", &[server; 32], at(0)).await.unwrap() });
    }
    let kept = servers.join_all().await;
    assert_eq!(db.store.find_server_key("vapid").await.unwrap().as_ref(), Some(&kept[0]));
    assert!(kept.iter().all(|key| *key == kept[0]), "{kept:?}");
    assert_eq!(db.store.keep_server_key("other", &[9], at(0)).await.unwrap(), [9]);
}

async fn a_browser_is_kept_once_and_the_oldest_goes(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    subscribe(db, &bob, 1).await;
    let session = db.session_of(&ann).await;
    let save = async |browser| save(db, &ann, session, browser, 3).await.unwrap();
    for number in 2..5 {
        save((number, "a", i64::from(number))).await;
    }
    // The oldest one again is the newest then.
    save((2, "b", 6)).await;
    assert_eq!(ids(db, &ann).await, [id(2), id(4), id(3)]);
    save((9, "a", 7)).await;
    assert_eq!(ids(db, &ann).await, [id(9), id(2), id(4)]);
    // One with a clock that is behind stays as well: it was just switched on.
    save((8, "a", 0)).await;
    assert_eq!(ids(db, &ann).await, [id(9), id(2), id(8)]);
    assert_eq!(ids(db, &bob).await, [id(1)]);
    assert!(!db.store.delete_push_subscription(bob.id, &id(9)).await.unwrap());
    assert!(db.store.delete_push_subscription(ann.id, &id(9)).await.unwrap());
    assert!(!db.store.delete_push_subscription(ann.id, &id(9)).await.unwrap());
}

async fn a_browser_is_of_whoever_knows_its_secret(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    subscribe(db, &ann, 1).await;
    save(db, &bob, db.session_of(&bob).await, (1, "guess", 0), 20).await.unwrap();
    assert_eq!(ids(db, &ann).await, [id(1)]);
    subscribe(db, &bob, 1).await;
    assert_eq!((ids(db, &ann).await.len(), ids(db, &bob).await.len()), (0, 1));
}

/// Two people who change the same browsers at one moment can wait for each other. PostgreSQL undoes one of them, as this
/// trigger does with the first try.
#[tokio::test]
async fn a_browser_whose_saving_gave_way_to_another_one_is_saved_all_the_same() {
    let Some(db) = TestStore::postgres().await else { return };
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    subscribe(&db, &ann, 1).await;
    db.execute(
        "CREATE SEQUENCE tries; \
         CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             IF nextval('tries') <= 1 THEN \
                 RAISE EXCEPTION 'deadlock detected' USING ERRCODE = 'deadlock_detected'; \
             END IF; \
             RETURN OLD; \
         END $$; \
         CREATE TRIGGER lose BEFORE DELETE ON push_subscription FOR EACH ROW EXECUTE FUNCTION lose()",
    )
    .await;
    subscribe(&db, &bob, 1).await;
    assert_eq!((ids(&db, &ann).await, ids(&db, &bob).await), (vec![], vec![id(1)]));
}

async fn a_message_is_written_with_what_it_tells_for_each_browser_of_the_tenant(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    for (user, number) in [(&ann, 1), (&ann, 2), (&bob, 3)] {
        subscribe(db, user, number).await;
    }
    remind(db, &ann, "oil").await;
    // Told before, so that there is nothing new.
    remind(db, &ann, "oil").await;
    let one = claim(db, 1, at(1)).await.unwrap();
    let other = claim(db, 1, at(1)).await.unwrap();
    assert!(claim(db, 1, at(1)).await.is_none());
    assert_eq!((one.user_id, other.user_id), (ann.id, ann.id));
    let mut numbers = [one.subscription_id.clone(), other.subscription_id];
    numbers.sort_by(|one, other| one.as_str().cmp(other.as_str()));
    assert_eq!(numbers, [id(1), id(2)]);
    assert_eq!((one.endpoint.as_str(), one.p256dh.as_str()), ("https://push.example.net/1", "key"));
    assert_eq!((one.auth.as_str(), one.body.as_str(), one.attempts), ("secret", "oil", 1));
    // With the browser its messages go.
    assert!(db.store.delete_push_subscription(ann.id, &one.subscription_id).await.unwrap());
    assert!(!db.store.finish_push_message(&one.lease).await.unwrap());
}

async fn a_message_is_claimed_by_one_server_and_again_when_that_one_is_gone(db: &TestStore) {
    let ann = db.user("ann").await;
    subscribe(db, &ann, 1).await;
    remind(db, &ann, "oil").await;
    let mut servers = JoinSet::new();
    for server in 0..4 {
        let store = db.store.clone();
        let worker = Uuid::from_u128(server);
        servers.spawn(async move { store.claim_push_message(worker, at(1), at(0), at(61)).await.unwrap() });
    }
    let claims: Vec<ClaimedPush> = servers.join_all().await.into_iter().flatten().collect();
    assert_eq!(claims.len(), 1);
    let first = claims[0].lease;
    assert!(claim(db, 7, at(60)).await.is_none());
    let second = claim(db, 7, at(61)).await.unwrap();
    assert_eq!(second.attempts, 2);
    // The first one is late.
    assert!(!db.store.postpone_push_message(&first, at(62)).await.unwrap());
    assert!(!db.store.finish_push_message(&first).await.unwrap());
    assert_eq!(db.store.release_push_leases(second.lease.worker).await.unwrap(), 1);
    let third = claim(db, 8, at(62)).await.unwrap();
    assert_eq!(third.attempts, 2, "what was given back was no try");
    assert!(db.store.postpone_push_message(&third.lease, at(100)).await.unwrap());
    assert!(claim(db, 8, at(99)).await.is_none());
    let last = claim(db, 8, at(100)).await.unwrap();
    assert!(db.store.finish_push_message(&last.lease).await.unwrap());
    assert!(claim(db, 8, at(1000)).await.is_none());
}

async fn a_person_with_many_slow_browsers_leaves_places_to_others(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    for number in 0..10 {
        subscribe(db, &ann, number).await;
    }
    remind(db, &ann, "oil").await;
    subscribe(db, &bob, 1).await;
    remind(db, &bob, "oil").await;
    let mut under_way = Vec::new();
    while let Some(claimed) = claim(db, 1, at(2)).await {
        under_way.push(claimed);
    }
    let n_of = |user: &User| under_way.iter().filter(|claimed| claimed.user_id == user.id).count();
    assert_eq!((n_of(&ann), n_of(&bob)), (8, 1));
    let of_ann = under_way.iter().find(|claimed| claimed.user_id == ann.id).unwrap();
    assert!(db.store.finish_push_message(&of_ann.lease).await.unwrap());
    assert_eq!(claim(db, 1, at(3)).await.unwrap().user_id, ann.id);
}

async fn a_message_that_is_too_old_is_not_claimed_and_purged(db: &TestStore) {
    let ann = db.user("ann").await;
    subscribe(db, &ann, 1).await;
    remind(db, &ann, "oil").await;
    // It was made at second 1.
    assert!(claim(db, 1, at(3601)).await.is_none());
    assert_eq!(db.store.purge_push_messages(at(1)).await.unwrap(), 0);
    assert_eq!(db.store.purge_push_messages(at(2)).await.unwrap(), 1);
    assert!(claim(db, 1, at(2)).await.is_none());
}

async fn the_end_of_a_session_ends_its_notifications(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let sessions = [new_session(at(0)), new_session(at(0)), new_session(at(0))];
    for (number, session) in (1..).zip(&sessions) {
        db.store.create_session(ann.id, session).await.unwrap();
        save(db, &ann, session.id, (number, "secret", 0), 20).await.unwrap();
    }
    subscribe(db, &bob, 9).await;
    let of_another = save(db, &bob, sessions[0].id, (8, "secret", 0), 20).await;
    assert!(matches!(of_another, Err(Error::SessionEnded)), "{of_another:?}");
    db.store.delete_session(&sessions[0].token_sha256).await.unwrap();
    let mut left = ids(db, &ann).await;
    left.sort_by(|one, other| one.as_str().cmp(other.as_str()));
    assert_eq!(left, [id(2), id(3)]);
    assert!(!db.store.delete_session_of(bob.id, sessions[1].id).await.unwrap());
    assert_eq!(ids(db, &ann).await.len(), 2);
    assert!(db.store.delete_session_of(ann.id, sessions[1].id).await.unwrap());
    assert_eq!(ids(db, &ann).await, [id(3)]);
    db.store.change_password(ann.id, "$argon2id$other", None, false, &[], at(9)).await.unwrap();
    assert_eq!((ids(db, &ann).await.len(), ids(db, &bob).await.len()), (0, 1));
    for session in &sessions {
        let late = save(db, &ann, session.id, (7, "secret", 9), 20).await;
        assert!(matches!(late, Err(Error::SessionEnded)), "{late:?}");
    }
}
