use jiff::Timestamp;
use partsight_domain::{SessionId, SignInMethod, User, UserId};
use partsight_store::{Error, NewSession};
use uuid::Uuid;

use crate::{TestStore, at, new_session, on_each_database};

on_each_database![
    a_new_session_forgets_the_expired_ones_and_keeps_the_rest,
    a_secret_opens_one_session_only,
    a_session_of_an_unknown_user_is_refused,
    a_session_ends_when_it_is_not_used,
    sessions_are_listed_with_what_their_owner_knows_them_by,
    a_user_has_a_hundred_sessions_and_the_one_not_used_for_longest_goes,
    a_password_that_was_changed_meanwhile_opens_nothing,
];

/// Opens a session at `now` that expires at `expires`.
async fn open(db: &TestStore, user: &User, secret: &str, now: i64, expires: i64) -> Result<(), Error> {
    let session = NewSession {
        id: SessionId(Uuid::now_v7()),
        token_sha256: secret.to_owned(),
        created_at: at(now),
        expires_at: at(expires),
        browser: String::new(),
        method: SignInMethod::Provider,
    };
    db.store.create_session(user.id, &session).await
}

async fn a_new_session_forgets_the_expired_ones_and_keeps_the_rest(db: &TestStore) {
    let ann = db.user("ann").await;
    open(db, &ann, "old", 0, 10).await.unwrap();
    open(db, &ann, "young", 0, 30).await.unwrap();
    open(db, &ann, "new", 20, 40).await.unwrap();
    // Asked as of an earlier moment, at which only deleted rows are missing.
    assert!(db.session_user("old", at(5)).await.is_none());
    assert!(db.session_user("young", at(5)).await.is_some());
    assert!(db.session_user("new", at(5)).await.is_some());
}

async fn a_secret_opens_one_session_only(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    open(db, &ann, "a", 0, 10).await.unwrap();
    assert!(matches!(open(db, &bob, "a", 0, 10).await, Err(Error::Constraint(_))));
    assert_eq!(db.session_user("a", at(1)).await, Some(ann));
}

async fn a_session_of_an_unknown_user_is_refused(db: &TestStore) {
    let mut nobody = db.user("ann").await;
    nobody.id = UserId(Uuid::now_v7());
    assert!(open(db, &nobody, "a", 0, 10).await.is_err());
}

async fn a_session_ends_when_it_is_not_used(db: &TestStore) {
    let ann = db.user("ann").await;
    open(db, &ann, "a", 0, 100).await.unwrap();
    let found = async |idle_since| db.store.find_session("a", at(20), at(idle_since)).await.unwrap();
    assert!(found(-1).await.is_some());
    assert!(found(0).await.is_none());
    let id = found(-1).await.unwrap().session.id;
    db.store.touch_session(ann.id, id, at(10)).await.unwrap();
    assert_eq!(found(9).await.unwrap().session.last_seen_at, at(10));
    assert!(found(10).await.is_none());
    // Nobody else keeps it alive.
    db.store.touch_session(db.user("bob").await.id, id, at(50)).await.unwrap();
    assert!(found(10).await.is_none());
}

async fn sessions_are_listed_with_what_their_owner_knows_them_by(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    open(db, &ann, "expired", 1, 10).await.unwrap();
    open(db, &bob, "his", 3, 100).await.unwrap();
    open(db, &ann, "phone", 5, 100).await.unwrap();
    let listed = db.store.list_sessions(ann.id, at(10), at(-1)).await.unwrap();
    let seen: Vec<_> = listed
        .iter()
        .map(|session| (session.last_seen_at, session.browser.as_str(), session.method))
        .collect();
    let expected = [(at(5), "", SignInMethod::Provider), (at(0), "Firefox on Linux", SignInMethod::Password)];
    assert_eq!(seen, expected);
}

async fn a_user_has_a_hundred_sessions_and_the_one_not_used_for_longest_goes(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let first = db.session_of(&ann).await;
    for second in 1..100 {
        db.store.create_session(ann.id, &new_session(at(second))).await.unwrap();
    }
    let open = async |user: &User| {
        let open = db.store.list_sessions(user.id, at(1), Timestamp::MIN).await.unwrap();
        open.into_iter().map(|session| session.id).collect::<Vec<_>>()
    };
    assert_eq!(open(&ann).await.len(), 100);
    db.store.touch_session(ann.id, first, at(500)).await.unwrap();
    // By a server whose clock is behind.
    let last = new_session(at(0));
    db.store.create_session(ann.id, &last).await.unwrap();
    let left = open(&ann).await;
    assert_eq!((left.len(), left[0], left.contains(&last.id)), (100, first, true));
    assert_eq!(open(&bob).await.len(), 1);
}

async fn a_password_that_was_changed_meanwhile_opens_nothing(db: &TestStore) {
    let ann = db.user("ann").await;
    let hash = db.store.find_user(ann.id).await.unwrap().unwrap().password_hash.unwrap();
    let session = |secret: &str| NewSession {
        id: SessionId(Uuid::now_v7()),
        token_sha256: secret.to_owned(),
        created_at: at(1),
        expires_at: at(10),
        browser: String::new(),
        method: SignInMethod::Password,
    };
    assert!(db.store.create_password_session(ann.id, &hash, &session("in time")).await.unwrap());
    db.store.change_password(ann.id, "another", None, false, &[], at(9)).await.unwrap();
    assert!(!db.store.create_password_session(ann.id, &hash, &session("too late")).await.unwrap());
    assert!(db.store.create_password_session(ann.id, "another", &session("anew")).await.unwrap());
    for (secret, is_open) in [("in time", false), ("too late", false), ("anew", true)] {
        assert_eq!(db.session_user(secret, at(2)).await.is_some(), is_open, "{secret}");
    }
}
