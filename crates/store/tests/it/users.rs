use partsight_domain::{Plan, UserId};
use partsight_store::Error;
use uuid::Uuid;

use crate::{TestStore, at, new_session, new_user, on_each_database};

on_each_database![
    a_user_is_found_by_e_mail_with_what_was_stored,
    an_unknown_e_mail_finds_nobody,
    an_e_mail_can_have_one_account_only,
    a_user_is_added_with_their_first_session_or_not_at_all,
    two_sign_ups_at_once_make_one_account,
    accepting_the_terms_again_keeps_the_first_moment,
    a_new_user_has_used_no_scan,
];

async fn a_user_is_found_by_e_mail_with_what_was_stored(db: &TestStore) {
    let id = UserId(Uuid::now_v7());
    let created =
        db.store.create_user(id, &new_user("ann"), "$argon2id$x", &new_session(at(7))).await.unwrap();
    let found = db.store.find_user_by_email("ann@example.com").await.unwrap().unwrap();
    assert_eq!(found.user, created);
    assert_eq!(found.password_hash, "$argon2id$x");
    assert_eq!((created.id, created.plan, created.created_at), (id, Plan::Basic, at(7)));
    assert_eq!((created.first_name.as_str(), created.last_name.as_str()), ("Ann", "Lee"));
    assert_eq!(created.terms_accepted_at, None);
}

async fn an_unknown_e_mail_finds_nobody(db: &TestStore) {
    db.user("ann").await;
    assert!(db.store.find_user_by_email("bob@example.com").await.unwrap().is_none());
}

async fn an_e_mail_can_have_one_account_only(db: &TestStore) {
    let ann = db.user("ann").await;
    let second =
        db.store.create_user(UserId(Uuid::now_v7()), &new_user("ann"), "other", &new_session(at(1))).await;
    let Err(Error::Constraint { constraint }) = second else { panic!("{second:?}") };
    assert!(constraint.contains("email"), "{constraint}");
    assert_eq!(db.store.find_user_by_email("ann@example.com").await.unwrap().unwrap().user, ann);
}

async fn a_user_is_added_with_their_first_session_or_not_at_all(db: &TestStore) {
    let session = new_session(at(0));
    let ann = db.store.create_user(UserId(Uuid::now_v7()), &new_user("ann"), "hash", &session).await.unwrap();
    assert_eq!(db.store.find_session_user(&session.token_sha256, at(1)).await.unwrap(), Some(ann));

    // The same secret again: the session cannot be saved, and so neither can its user.
    db.store.create_user(UserId(Uuid::now_v7()), &new_user("bob"), "hash", &session).await.unwrap_err();
    assert!(db.store.find_user_by_email("bob@example.com").await.unwrap().is_none());
}

async fn two_sign_ups_at_once_make_one_account(db: &TestStore) {
    let new = new_user("ann");
    let (hers, his) = (new_session(at(0)), new_session(at(0)));
    let sign_up = |session| db.store.create_user(UserId(Uuid::now_v7()), &new, "hash", session);
    let (first, second) = tokio::join!(sign_up(&hers), sign_up(&his));
    assert!(first.is_ok() != second.is_ok(), "{first:?} {second:?}");
    assert!(matches!(first.and(second), Err(Error::Constraint { .. })));
}

async fn accepting_the_terms_again_keeps_the_first_moment(db: &TestStore) {
    let ann = db.user("ann").await;
    let bob = db.user("bob").await;
    assert_eq!(db.store.accept_terms(ann.id, at(1)).await.unwrap().terms_accepted_at, Some(at(1)));
    assert_eq!(db.store.accept_terms(ann.id, at(2)).await.unwrap().terms_accepted_at, Some(at(1)));
    let bob = db.store.find_user_by_email(&bob.email).await.unwrap().unwrap();
    assert_eq!(bob.user.terms_accepted_at, None);
}

async fn a_new_user_has_used_no_scan(db: &TestStore) {
    let ann = db.user("ann").await;
    assert_eq!(db.store.scans_used(ann.id).await.unwrap(), 0);
}
