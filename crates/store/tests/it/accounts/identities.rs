use partsight_domain::{EmailAddress, PersonName, SignInMethod, User, UserId};
use partsight_store::{Error, Identity, NewExternalUser, NewSession, SignInAttempt};
use uuid::Uuid;

use crate::{TestStore, at, new_session, on_each_database};

on_each_database![
    an_identity_leads_to_the_user_it_was_made_with,
    an_identity_has_one_user_only,
    linking_keeps_the_password_of_a_proved_address,
    linking_an_address_that_was_not_proved_shuts_out_whoever_made_the_account,
    an_attempt_to_sign_in_is_taken_once_and_in_time,
];

fn identity(subject: &str) -> Identity {
    Identity { issuer: "https://id.example".to_owned(), subject: subject.to_owned() }
}

async fn external_user(db: &TestStore, name: &str, identity: &Identity) -> Result<User, Error> {
    let new = NewExternalUser {
        email: EmailAddress::new(&format!("{name}@example.com")).unwrap(),
        first_name: PersonName::or_empty("Ann"),
        last_name: PersonName::or_empty(&"x".repeat(100)),
    };
    let session = NewSession { method: SignInMethod::Provider, ..new_session(at(3)) };
    db.store.create_external_user(UserId(Uuid::now_v7()), &new, identity, &session).await
}

async fn an_identity_leads_to_the_user_it_was_made_with(db: &TestStore) {
    let ann = external_user(db, "ann", &identity("1")).await.unwrap();
    assert_eq!((ann.has_password, ann.email_verified_at, ann.last_name.as_str()), (false, Some(at(3)), ""));
    assert_eq!(db.store.find_user_by_identity(&identity("1")).await.unwrap().as_ref(), Some(&ann));
    assert_eq!(db.store.list_identities(ann.id).await.unwrap(), ["https://id.example"]);
    assert!(db.store.find_user(ann.id).await.unwrap().unwrap().password_hash.is_none());
    let elsewhere = Identity { issuer: "https://other.example".to_owned(), ..identity("1") };
    assert_eq!(db.store.find_user_by_identity(&elsewhere).await.unwrap(), None);
}

async fn an_identity_has_one_user_only(db: &TestStore) {
    external_user(db, "ann", &identity("1")).await.unwrap();
    let second = external_user(db, "bob", &identity("1")).await;
    assert!(matches!(second, Err(Error::Constraint(_))), "{second:?}");
    // Nothing of it stays.
    assert!(db.store.find_user_by_email("bob@example.com").await.unwrap().is_none());
    let carl = db.user("carl").await;
    let stolen = db.store.link_identity(carl.id, &identity("1"), &new_session(at(4))).await;
    assert!(matches!(stolen, Err(Error::Constraint(_))), "{stolen:?}");
    assert!(db.store.find_user(carl.id).await.unwrap().unwrap().password_hash.is_some());
}

async fn linking_keeps_the_password_of_a_proved_address(db: &TestStore) {
    let ann = db.user("ann").await;
    let email = EmailAddress::new(&ann.email).unwrap();
    let purpose = partsight_domain::LinkPurpose::VerifyEmail;
    db.mailed_link(&email, purpose, "link", at(1)).await;
    assert!(db.store.verify_email("link", at(2)).await.unwrap());
    db.leave_ways_in(&ann).await;
    let linked = db.store.link_identity(ann.id, &identity("1"), &new_session(at(5))).await.unwrap();
    assert_eq!((linked.has_password, linked.email_verified_at), (true, Some(at(2))));
    assert_eq!(db.ways_in(&ann).await, (true, true));
    assert_eq!(db.store.list_sessions(ann.id, at(6), at(-9)).await.unwrap().len(), 2);
}

async fn linking_an_address_that_was_not_proved_shuts_out_whoever_made_the_account(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    db.leave_ways_in(&ann).await;
    db.leave_ways_in(&bob).await;
    let session = new_session(at(5));
    let linked = db.store.link_identity(ann.id, &identity("1"), &session).await.unwrap();
    assert_eq!((linked.has_password, linked.email_verified_at), (false, Some(at(5))));
    let open = db.store.list_sessions(ann.id, at(6), at(-9)).await.unwrap();
    assert_eq!(open.iter().map(|open| open.id).collect::<Vec<_>>(), [session.id]);
    assert_eq!(db.ways_in(&ann).await, (false, false));
    assert_eq!(db.ways_in(&bob).await, (true, true));
    assert!(db.store.find_user(bob.id).await.unwrap().unwrap().user.has_password);
    assert_eq!(db.store.list_sessions(bob.id, at(6), at(-9)).await.unwrap().len(), 1);
}

async fn an_attempt_to_sign_in_is_taken_once_and_in_time(db: &TestStore) {
    let attempt = SignInAttempt {
        state: "state".to_owned(),
        nonce: "nonce".to_owned(),
        pkce_verifier: "verifier".to_owned(),
        return_path: "/vehicle".to_owned(),
        expires_at: at(10),
    };
    for token in ["one", "two"] {
        db.store.save_sign_in_attempt(token, &attempt, at(0)).await.unwrap();
    }
    assert!(db.store.take_sign_in_attempt("three", at(1)).await.unwrap().is_none());
    assert!(db.store.take_sign_in_attempt("one", at(9)).await.unwrap() == Some(attempt.clone()));
    assert!(db.store.take_sign_in_attempt("one", at(9)).await.unwrap().is_none());
    assert!(db.store.take_sign_in_attempt("two", at(10)).await.unwrap().is_none());
    assert_eq!(format!("{attempt:?}"), "SignInAttempt { .. }");
}
