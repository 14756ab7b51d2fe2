use partsight_domain::{EmailAddress, LinkPurpose, UserId};
use partsight_store::{Error, SessionRenewal};
use uuid::Uuid;

use crate::{TestStore, at, new_session, new_user, on_each_database};

on_each_database![
    a_user_is_added_with_their_first_session_or_not_at_all,
    two_sign_ups_at_once_make_one_account,
    accepting_the_terms_again_keeps_the_first_moment_of_a_version,
    a_user_without_a_session_has_an_account_like_others,
    a_new_password_ends_sessions_and_reset_links,
    deleting_a_user_leaves_a_shared_tenant,
    a_user_is_deleted_with_their_own_tenant_only,
];

async fn a_user_is_added_with_their_first_session_or_not_at_all(db: &TestStore) {
    let session = new_session(at(0));
    let ann =
        db.store.create_user(UserId(Uuid::now_v7()), &new_user("ann"), "hash", &session, &[]).await.unwrap();
    assert_eq!(db.session_user(&session.token_sha256, at(1)).await, Some(ann));

    // The same secret again: the session cannot be saved, and so neither can its user.
    db.store.create_user(UserId(Uuid::now_v7()), &new_user("bob"), "hash", &session, &[]).await.unwrap_err();
    assert!(db.store.find_user_by_email("bob@example.com").await.unwrap().is_none());
}

async fn two_sign_ups_at_once_make_one_account(db: &TestStore) {
    let new = new_user("ann");
    let (hers, his) = (new_session(at(0)), new_session(at(0)));
    let sign_up = |session| db.store.create_user(UserId(Uuid::now_v7()), &new, "hash", session, &[]);
    let (first, second) = tokio::join!(sign_up(&hers), sign_up(&his));
    assert!(first.is_ok() != second.is_ok(), "{first:?} {second:?}");
    assert!(matches!(first.and(second), Err(Error::Constraint(_))));
}

async fn accepting_the_terms_again_keeps_the_first_moment_of_a_version(db: &TestStore) {
    let ann = db.user("ann").await;
    let bob = db.user("bob").await;
    for (version, second, expected) in [("one", 1, 1), ("one", 2, 1), ("two", 3, 3), ("two", 4, 3)] {
        let accepted = db.store.accept_terms(ann.id, version, at(second)).await.unwrap();
        assert_eq!(accepted.terms_accepted_at, Some(at(expected)), "{version} {second}");
        assert_eq!(accepted.terms_version.as_deref(), Some(version));
    }
    let bob = db.store.find_user_by_email(&bob.email).await.unwrap().unwrap();
    assert_eq!((bob.user.terms_accepted_at, bob.user.terms_version), (None, None));
}

async fn a_user_without_a_session_has_an_account_like_others(db: &TestStore) {
    let id = UserId(Uuid::now_v7());
    let ann = db.store.create_user_without_session(id, &new_user("ann"), "hash", at(5)).await.unwrap();
    assert_eq!(db.store.find_user(id).await.unwrap().unwrap().user, ann);
    assert_eq!(db.store.list_sessions(id, at(6), at(0)).await.unwrap(), []);
    let bob = db.user("bob").await;
    assert_eq!(db.store.list_users().await.unwrap(), [bob, ann]);
}

async fn a_new_password_ends_sessions_and_reset_links(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let email = EmailAddress::new("ann@example.com").unwrap();
    for (purpose, token) in [(LinkPurpose::ResetPassword, "reset"), (LinkPurpose::VerifyEmail, "verify")] {
        assert!(db.mailed_link(&email, purpose, token, at(1)).await);
    }
    let session = new_session(at(2));
    let of_call = db.session_of(&ann).await;
    let renewed = |of_call| Some(SessionRenewal { of_call, next: &session });
    db.store.change_password(ann.id, "new hash", renewed(of_call), false, &[], at(9)).await.unwrap();
    let stored = db.store.find_user(ann.id).await.unwrap().unwrap();
    assert_eq!(stored.password_hash.as_deref(), Some("new hash"));
    let open: Vec<_> =
        db.store.list_sessions(ann.id, at(3), at(-9)).await.unwrap().iter().map(|open| open.id).collect();
    assert_eq!(open, [session.id]);
    // Whoever was locked out by it cannot set another one with a call that began earlier.
    let late = db.store.change_password(ann.id, "late", renewed(of_call), true, &[], at(9)).await;
    assert!(matches!(late, Err(Error::SessionEnded)), "{late:?}");
    assert_eq!(db.store.find_user(ann.id).await.unwrap().unwrap().password_hash, stored.password_hash);
    let is_open =
        async |purpose, token| db.store.find_email_of_link(token, purpose, at(3)).await.unwrap().is_some();
    assert!(!is_open(LinkPurpose::ResetPassword, "reset").await);
    assert!(is_open(LinkPurpose::VerifyEmail, "verify").await);
    assert_eq!(db.store.list_sessions(bob.id, at(3), at(-9)).await.unwrap().len(), 1);
    let untouched = db.store.find_user(bob.id).await.unwrap().unwrap();
    assert_eq!(untouched.password_hash.as_deref(), Some("$argon2id$of-"));
}

async fn deleting_a_user_leaves_a_shared_tenant(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let vehicle = db.vehicle(&ann, "Civic").await;
    db.execute(&format!("UPDATE app_user SET tenant_id = '{}' WHERE user_id = '{}'", ann.tenant_id, bob.id))
        .await;
    assert!(!db.store.delete_user(ann.id, ann.tenant_id).await.unwrap());
    assert_eq!(db.store.list_vehicles(ann.tenant_id).await.unwrap(), [vehicle]);
    assert!(db.store.find_user(bob.id).await.unwrap().is_some());
}

async fn a_user_is_deleted_with_their_own_tenant_only(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    assert!(!db.store.delete_user(ann.id, bob.tenant_id).await.unwrap());
    assert!(db.store.find_user(ann.id).await.unwrap().is_some());
    assert!(db.store.find_user(bob.id).await.unwrap().is_some());
}
