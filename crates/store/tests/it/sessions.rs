use partsight_domain::{SessionId, User, UserId};
use partsight_store::{Error, NewSession};
use uuid::Uuid;

use crate::{TestStore, at, on_each_database};

on_each_database![
    a_session_leads_to_its_user,
    an_unknown_secret_leads_to_nobody,
    a_session_ends_at_the_moment_it_expires,
    a_new_session_forgets_the_expired_ones_and_keeps_the_rest,
    ending_a_session_leaves_the_other_ones,
    ending_an_unknown_session_is_no_error,
    a_secret_opens_one_session_only,
    a_session_of_an_unknown_user_is_refused,
];

/// Opens a session at `now` that expires at `expires`.
async fn open(db: &TestStore, user: &User, secret: &str, now: i64, expires: i64) -> Result<(), Error> {
    let session = NewSession {
        id: SessionId(Uuid::now_v7()),
        token_sha256: secret.to_owned(),
        created_at: at(now),
        expires_at: at(expires),
    };
    db.store.create_session(user.id, &session).await
}

async fn a_session_leads_to_its_user(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    open(db, &ann, "a", 0, 10).await.unwrap();
    open(db, &bob, "b", 0, 10).await.unwrap();
    assert_eq!(db.store.find_session_user("a", at(1)).await.unwrap(), Some(ann));
    assert_eq!(db.store.find_session_user("b", at(1)).await.unwrap(), Some(bob));
}

async fn an_unknown_secret_leads_to_nobody(db: &TestStore) {
    let ann = db.user("ann").await;
    open(db, &ann, "a", 0, 10).await.unwrap();
    for secret in ["", "A", "a'", "' OR 1=1 --"] {
        assert_eq!(db.store.find_session_user(secret, at(1)).await.unwrap(), None, "{secret}");
    }
}

async fn a_session_ends_at_the_moment_it_expires(db: &TestStore) {
    let ann = db.user("ann").await;
    open(db, &ann, "a", 0, 10).await.unwrap();
    assert!(db.store.find_session_user("a", at(9)).await.unwrap().is_some());
    assert!(db.store.find_session_user("a", at(10)).await.unwrap().is_none());
}

async fn a_new_session_forgets_the_expired_ones_and_keeps_the_rest(db: &TestStore) {
    let ann = db.user("ann").await;
    open(db, &ann, "old", 0, 10).await.unwrap();
    open(db, &ann, "young", 0, 30).await.unwrap();
    open(db, &ann, "new", 20, 40).await.unwrap();
    // Asked as of an earlier moment, at which only deleted rows are missing.
    assert!(db.store.find_session_user("old", at(5)).await.unwrap().is_none());
    assert!(db.store.find_session_user("young", at(5)).await.unwrap().is_some());
    assert!(db.store.find_session_user("new", at(5)).await.unwrap().is_some());
}

async fn ending_a_session_leaves_the_other_ones(db: &TestStore) {
    let ann = db.user("ann").await;
    open(db, &ann, "phone", 0, 10).await.unwrap();
    open(db, &ann, "desk", 0, 10).await.unwrap();
    db.store.delete_session("phone").await.unwrap();
    assert!(db.store.find_session_user("phone", at(1)).await.unwrap().is_none());
    assert!(db.store.find_session_user("desk", at(1)).await.unwrap().is_some());
}

async fn ending_an_unknown_session_is_no_error(db: &TestStore) {
    db.store.delete_session("unknown").await.unwrap();
}

async fn a_secret_opens_one_session_only(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    open(db, &ann, "a", 0, 10).await.unwrap();
    assert!(matches!(open(db, &bob, "a", 0, 10).await, Err(Error::Constraint { .. })));
    assert_eq!(db.store.find_session_user("a", at(1)).await.unwrap(), Some(ann));
}

async fn a_session_of_an_unknown_user_is_refused(db: &TestStore) {
    let mut nobody = db.user("ann").await;
    nobody.id = UserId(Uuid::now_v7());
    assert!(open(db, &nobody, "a", 0, 10).await.is_err());
}
