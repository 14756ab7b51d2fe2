use jiff::{SignedDuration, Timestamp};
use partsight_domain::{UNLIMITED_SCANS, User};
use partsight_store::{Claim, Error, IdempotentCall, NewScan, ScanFilter, StaleCalls};

use super::scans::scan;
use crate::{TestStore, at, new_scan, on_each_database};

on_each_database![
    a_call_runs_once_and_is_answered_the_same_again,
    keys_of_tenants_and_paths_do_not_meet,
    an_answer_is_forgotten_after_a_day,
    a_call_that_died_with_its_server_can_run_again,
    of_many_claims_at_once_one_runs,
    a_scan_answers_its_call_and_is_saved_once,
    a_scan_whose_claim_was_forgotten_still_answers_its_call,
    an_account_is_deleted_while_its_scan_is_saved,
];

fn call(key: &str, body: &str) -> IdempotentCall {
    IdempotentCall {
        path: "/api/vehicles".to_owned(),
        key: key.to_owned(),
        request_sha256: format!("hash of {body}"),
    }
}

/// Of a clock that shows `now` and has run evenly.
fn stale(now: Timestamp) -> StaleCalls {
    let minute = SignedDuration::from_mins(1);
    StaleCalls {
        answered_before: now - SignedDuration::from_hours(24),
        running_before: now - minute,
        running_after: now + minute,
    }
}

async fn claim_at(db: &TestStore, user: &User, call: &IdempotentCall, now: Timestamp) -> Claim {
    db.store.claim_call(user.tenant_id, call, now, stale(now)).await.unwrap()
}

async fn claim(db: &TestStore, user: &User, call: &IdempotentCall) -> Claim {
    claim_at(db, user, call, at(0)).await
}

async fn a_call_runs_once_and_is_answered_the_same_again(db: &TestStore) {
    let (ann, call) = (db.user("ann").await, call("k", "x"));
    assert_eq!(claim(db, &ann, &call).await, Claim::New);
    db.store.finish_call(ann.tenant_id, &call, 201, "{\"make\":\"Škoda 🚗\"}").await.unwrap();
    for _ in 0..2 {
        let answered = Claim::Answered { status: 201, body: "{\"make\":\"Škoda 🚗\"}".to_owned() };
        assert_eq!(claim(db, &ann, &call).await, answered);
    }
    // Releasing what has an answer changes nothing.
    db.store.release_call(ann.tenant_id, &call).await.unwrap();
    assert!(matches!(claim(db, &ann, &call).await, Claim::Answered { .. }));
}

async fn keys_of_tenants_and_paths_do_not_meet(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let vehicle = call("k", "x");
    let repair = IdempotentCall { path: "/api/repair-history".to_owned(), ..vehicle.clone() };
    for (user, call) in [(&ann, &vehicle), (&ann, &repair), (&bob, &vehicle), (&bob, &repair)] {
        assert_eq!(claim(db, user, call).await, Claim::New);
    }
}

async fn an_answer_is_forgotten_after_a_day(db: &TestStore) {
    let (ann, call) = (db.user("ann").await, call("k", "x"));
    claim(db, &ann, &call).await;
    db.store.finish_call(ann.tenant_id, &call, 201, "{}").await.unwrap();
    let day = SignedDuration::from_hours(24);
    let at_the_end = claim_at(db, &ann, &call, at(0) + day).await;
    assert!(matches!(at_the_end, Claim::Answered { .. }), "{at_the_end:?}");
    assert_eq!(claim_at(db, &ann, &call, at(1) + day).await, Claim::New);
}

async fn a_call_that_died_with_its_server_can_run_again(db: &TestStore) {
    let (ann, call) = (db.user("ann").await, call("k", "x"));
    claim(db, &ann, &call).await;
    assert_eq!(claim_at(db, &ann, &call, at(60)).await, Claim::Running);
    assert_eq!(claim_at(db, &ann, &call, at(61)).await, Claim::New);
    // So can one that a clock a week ahead dated.
    let week = SignedDuration::from_hours(7 * 24);
    assert_eq!(claim_at(db, &ann, &call, at(61) + week).await, Claim::New);
    assert_eq!(claim_at(db, &ann, &call, at(62)).await, Claim::New);
}

async fn of_many_claims_at_once_one_runs(db: &TestStore) {
    let ann = db.user("ann").await;
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..16 {
        let (store, ann) = (db.store.clone(), ann.clone());
        calls.spawn(async move {
            store.claim_call(ann.tenant_id, &call("k", "x"), at(0), stale(at(0))).await.unwrap()
        });
    }
    let claims = calls.join_all().await;
    assert_eq!(claims.iter().filter(|claim| **claim == Claim::New).count(), 1, "{claims:?}");
    assert_eq!(claims.iter().filter(|claim| **claim == Claim::Running).count(), 15, "{claims:?}");
}

async fn a_scan_answers_its_call_and_is_saved_once(db: &TestStore) {
    let (ann, call) = (db.user("ann").await, call("k", "x"));
    assert_eq!(claim(db, &ann, &call).await, Claim::New);
    let (one, other) = (scan(at(0), None), scan(at(1), None));
    let new = NewScan { call: Some(&call), ..new_scan(&one, UNLIMITED_SCANS) };
    db.store.save_scan(ann.tenant_id, ann.id, &new).await.unwrap();
    let answered = Claim::Answered { status: 200, body: one.id.to_string() };
    assert_eq!(claim(db, &ann, &call).await, answered);

    // A second run of the same call, begun while the first took longer than a claim holds.
    let again = NewScan { call: Some(&call), ..new_scan(&other, UNLIMITED_SCANS) };
    let refused = db.store.save_scan(ann.tenant_id, ann.id, &again).await;
    assert!(matches!(refused, Err(Error::CallAnswered)), "{refused:?}");
    // Nor is one that was to be saved with it.
    let further = scan(at(2), None);
    let refused =
        db.store.save_scans(ann.tenant_id, ann.id, &[new_scan(&further, UNLIMITED_SCANS), again]).await;
    assert!(matches!(refused, Err(Error::CallAnswered)), "{refused:?}");
    assert_eq!(db.store.scans_used(ann.id).await.unwrap(), 1);
    assert_eq!(db.store.count_scans(ann.tenant_id, &ScanFilter::default()).await.unwrap(), 1);
    assert_eq!(claim(db, &ann, &call).await, answered);
}

async fn a_scan_whose_claim_was_forgotten_still_answers_its_call(db: &TestStore) {
    let (ann, call) = (db.user("ann").await, call("k", "x"));
    let scan = scan(at(0), None);
    let new = NewScan { call: Some(&call), ..new_scan(&scan, 0) };
    // What is refused answers nothing.
    db.store.save_scan(ann.tenant_id, ann.id, &new).await.unwrap_err();
    let new = NewScan { limit: 1, ..new };
    db.store.save_scan(ann.tenant_id, ann.id, &new).await.unwrap();
    let answered = Claim::Answered { status: 200, body: scan.id.to_string() };
    assert_eq!(claim(db, &ann, &call).await, answered);
}

async fn an_account_is_deleted_while_its_scan_is_saved(db: &TestStore) {
    for round in 0..20 {
        let ann = db.user(&format!("ann{round}")).await;
        let (call, scan) = (call("k", "x"), scan(at(1), None));
        let new = NewScan { call: Some(&call), ..new_scan(&scan, UNLIMITED_SCANS) };
        let (saved, deleted) = tokio::join!(
            db.store.save_scan(ann.tenant_id, ann.id, &new),
            db.store.delete_user(ann.id, ann.tenant_id),
        );
        assert!(deleted.unwrap(), "the account goes");
        let is_done = matches!(saved, Ok(_) | Err(Error::LimitReached { .. }));
        assert!(is_done, "it came before, or found nobody: {saved:?}");
    }
}
