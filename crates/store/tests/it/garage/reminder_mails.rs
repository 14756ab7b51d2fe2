use jiff::SignedDuration;
use partsight_domain::DigestChoice;
use tokio::task::JoinSet;

use crate::{TestStore, at, on_each_database};

on_each_database![
    an_account_is_looked_at_by_one_server_and_again_later,
    a_mail_is_claimed_once,
    mails_end_by_their_secret,
];

async fn an_account_is_looked_at_by_one_server_and_again_later(db: &TestStore) {
    let (ann, _bob) = (db.user("ann").await, db.user("bob").await);
    let hour = SignedDuration::from_hours(1);
    // Nobody has a vehicle.
    assert_eq!(db.store.claim_reminder_check(None, at(0) - hour, at(0)).await.unwrap(), None);
    db.vehicle(&ann, "Civic").await;
    let mut servers = JoinSet::new();
    for _ in 0..2 {
        let store = db.store.clone();
        servers.spawn(async move { store.claim_reminder_check(None, at(0) - hour, at(0)).await.unwrap() });
    }
    let found: Vec<_> = servers.join_all().await.into_iter().flatten().collect();
    assert_eq!(found, [(ann.tenant_id, ann.id)]);
    assert_eq!(db.store.claim_reminder_check(Some(ann.tenant_id), at(1), at(9)).await.unwrap(), None);
    assert_eq!(db.store.claim_reminder_check(None, at(3000) - hour, at(3000)).await.unwrap(), None);
    let again = db.store.claim_reminder_check(None, at(3600) - hour, at(3600)).await.unwrap();
    assert_eq!(again, Some((ann.tenant_id, ann.id)));
    // The clock was ahead for a while.
    assert!(db.store.claim_reminder_check(None, at(900_000) - hour, at(900_000)).await.unwrap().is_some());
    let back = db.store.claim_reminder_check(None, at(7200) - hour, at(7200)).await.unwrap();
    assert_eq!(back, Some((ann.tenant_id, ann.id)));
    assert_eq!(db.store.claim_reminder_check(None, at(7200) - hour, at(7200)).await.unwrap(), None);
}

async fn a_mail_is_claimed_once(db: &TestStore) {
    let ann = db.user("ann").await;
    let choice = DigestChoice::new("daily", 9, 1).unwrap();
    db.store.save_reminder_digest(ann.id, choice, at(10), "secret").await.unwrap();
    assert!(db.store.due_reminder_digest(at(9)).await.unwrap().is_none());
    let due = db.store.due_reminder_digest(at(10)).await.unwrap().unwrap();
    assert_eq!((due.user_id, due.choice, due.mailed.len()), (ann.id, choice, 0));
    assert!(db.store.move_reminder_digest(ann.id, due.next_at, at(100)).await.unwrap());
    assert!(!db.store.move_reminder_digest(ann.id, due.next_at, at(100)).await.unwrap());
    db.store.note_reminders_mailed(ann.id, &["oil".to_owned()]).await.unwrap();
    // Another choice keeps the secret that earlier mails have, and what they told.
    let weekly = DigestChoice::new("weekly", 0, 7).unwrap();
    db.store.save_reminder_digest(ann.id, weekly, at(200), "other").await.unwrap();
    let found = db.store.find_reminder_digest(ann.id).await.unwrap().unwrap();
    assert_eq!((found.choice, found.next_at, found.unsubscribe_token.as_str()), (weekly, at(200), "secret"));
    assert_eq!(found.mailed, ["oil"]);
}

async fn mails_end_by_their_secret(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let choice = DigestChoice::new("daily", 9, 1).unwrap();
    for (user, token) in [(&ann, "a"), (&bob, "b")] {
        db.store.save_reminder_digest(user.id, choice, at(10), token).await.unwrap();
    }
    assert!(db.store.unsubscribe_reminder_digest("a").await.unwrap());
    assert!(!db.store.unsubscribe_reminder_digest("a").await.unwrap());
    assert!(db.store.find_reminder_digest(ann.id).await.unwrap().is_none());
    assert!(db.store.delete_reminder_digest(bob.id).await.unwrap());
    assert!(!db.store.delete_reminder_digest(bob.id).await.unwrap());
}
