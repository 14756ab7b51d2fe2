use partsight_domain::{EmailAddress, LinkPurpose};

use crate::{TestStore, at, on_each_database};

const HOUR: i64 = 3600;

on_each_database![
    a_link_is_good_for_its_purpose_and_its_time_only,
    a_reset_sets_the_password_and_ends_all_sessions_once,
    a_reset_ends_what_was_made_before_the_address_was_proved,
    two_that_use_a_link_at_once_do_not_both_succeed,
];

async fn link(db: &TestStore, name: &str, purpose: LinkPurpose, token: &str) -> bool {
    let email = EmailAddress::new(&format!("{name}@example.com")).unwrap();
    db.mailed_link(&email, purpose, token, at(0)).await
}

async fn a_link_is_good_for_its_purpose_and_its_time_only(db: &TestStore) {
    db.user("ann").await;
    link(db, "ann", LinkPurpose::VerifyEmail, "verify").await;
    link(db, "ann", LinkPurpose::ResetPassword, "reset").await;
    assert!(!db.store.verify_email("reset", at(1)).await.unwrap());
    assert!(db.store.reset_password("verify", "hash", false, &[], at(1)).await.unwrap().is_none());
    let is_open = async |purpose, token, second| {
        db.store.find_email_of_link(token, purpose, at(second)).await.unwrap().is_some()
    };
    assert!(is_open(LinkPurpose::ResetPassword, "reset", HOUR - 1).await);
    assert!(!is_open(LinkPurpose::ResetPassword, "reset", HOUR).await);
    assert!(!is_open(LinkPurpose::ResetPassword, "verify", 1).await);
    assert!(is_open(LinkPurpose::VerifyEmail, "verify", 24 * HOUR - 1).await);
    assert!(!is_open(LinkPurpose::VerifyEmail, "verify", 24 * HOUR).await);
    assert!(db.store.reset_password("reset", "hash", false, &[], at(HOUR)).await.unwrap().is_none());
    assert!(!db.store.verify_email("verify", at(24 * HOUR)).await.unwrap());
}

async fn a_reset_sets_the_password_and_ends_all_sessions_once(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    link(db, "ann", LinkPurpose::ResetPassword, "one").await;
    link(db, "ann", LinkPurpose::ResetPassword, "two").await;
    assert_eq!(db.store.reset_password("one", "new hash", false, &[], at(5)).await.unwrap(), Some(ann.id));
    // The other link would let whoever has it undo this.
    for token in ["one", "two"] {
        assert_eq!(db.store.reset_password(token, "evil hash", false, &[], at(6)).await.unwrap(), None);
    }
    let stored = db.store.find_user(ann.id).await.unwrap().unwrap();
    assert_eq!(stored.password_hash.as_deref(), Some("new hash"));
    assert_eq!(stored.user.email_verified_at, Some(at(5)));
    assert_eq!(db.store.list_sessions(ann.id, at(6), at(-9)).await.unwrap(), []);
    assert_eq!(db.store.list_sessions(bob.id, at(6), at(-9)).await.unwrap().len(), 1);
}

async fn a_reset_ends_what_was_made_before_the_address_was_proved(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    link(db, "bob", LinkPurpose::VerifyEmail, "proof").await;
    assert!(db.store.verify_email("proof", at(1)).await.unwrap());
    for (user, name) in [(&ann, "ann"), (&bob, "bob")] {
        db.leave_ways_in(user).await;
        link(db, name, LinkPurpose::ResetPassword, name).await;
        assert_eq!(
            db.store.reset_password(name, "new hash", false, &[], at(5)).await.unwrap(),
            Some(user.id)
        );
    }
    assert_eq!(db.ways_in(&ann).await, (false, false));
    // Bob forgot his password, and the till of his shop goes on.
    assert_eq!(db.ways_in(&bob).await, (true, true));
    link(db, "bob", LinkPurpose::ResetPassword, "stolen").await;
    assert_eq!(db.store.reset_password("stolen", "new hash", true, &[], at(6)).await.unwrap(), Some(bob.id));
    assert_eq!(db.ways_in(&bob).await, (false, false));
}

async fn two_that_use_a_link_at_once_do_not_both_succeed(db: &TestStore) {
    db.user("ann").await;
    link(db, "ann", LinkPurpose::ResetPassword, "token").await;
    let (first, second) = tokio::join!(
        db.store.reset_password("token", "first", false, &[], at(1)),
        db.store.reset_password("token", "second", false, &[], at(1))
    );
    assert!(first.unwrap().is_some() != second.unwrap().is_some());
}
