use partsight_domain::{
    ApiKey, ApiKeyId, ApiScope, MAX_API_KEYS, NewApiKey, ScanSource, ScanUsage, SessionId, UNLIMITED_SCANS,
    UsageDays, UsagePath, User,
};
use partsight_store::{ApiKeyRow, Error, NewScan};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::scanning::scans::scan;
use crate::{TestStore, at, new_scan, on_each_database};

on_each_database![
    a_user_has_so_many_keys_and_no_more,
    an_ended_session_makes_no_key,
    a_revoked_key_goes_with_the_next_one_unless_it_was_used,
    a_key_is_noted_and_revoked_by_its_owner_only,
    scans_are_counted_by_day_source_and_path,
    scans_without_an_answer_that_arrive_together_are_each_counted,
    a_scan_that_is_not_saved_is_not_counted,
    two_scans_at_once_are_both_counted,
];

pub(crate) async fn key(db: &TestStore, user: &User, name: &str) -> Option<ApiKey> {
    make(db, user, name, None).await.unwrap()
}

async fn make(
    db: &TestStore,
    user: &User,
    name: &str,
    session_id: Option<SessionId>,
) -> Result<Option<ApiKey>, Error> {
    let details =
        NewApiKey { name: name.to_owned(), scopes: vec![ApiScope::Scan], expires_at: Some(at(100)) };
    let token = format!("secret of {name}");
    let row = ApiKeyRow {
        id: ApiKeyId(Uuid::now_v7()),
        details: &details,
        prefix: "ps_live_abcdef",
        token_sha256: &token,
        created_at: at(1),
        session_id,
    };
    db.store.create_api_key(user, &row).await
}

async fn a_user_has_so_many_keys_and_no_more(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    for n in 1..MAX_API_KEYS {
        assert!(key(db, &ann, &n.to_string()).await.is_some(), "{n}");
    }
    let (first, second) = tokio::join!(key(db, &ann, "one"), key(db, &ann, "other"));
    assert!(first.is_some() != second.is_some());
    assert!(key(db, &bob, "till").await.is_some());
    let last = first.or(second).unwrap();
    db.store.revoke_api_key(ann.id, last.id, at(2)).await.unwrap();
    assert!(key(db, &ann, "again").await.is_some());
}

async fn an_ended_session_makes_no_key(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let session = db.session_of(&ann).await;
    assert!(make(db, &ann, "till", Some(session)).await.unwrap().is_some());
    let of_another = make(db, &bob, "till", Some(session)).await;
    assert!(matches!(of_another, Err(Error::SessionEnded)), "{of_another:?}");
    db.store.change_password(ann.id, "another", None, true, &[], at(2)).await.unwrap();
    let late = make(db, &ann, "late", Some(session)).await;
    assert!(matches!(late, Err(Error::SessionEnded)), "{late:?}");
    assert_eq!(db.store.list_api_keys(ann.id).await.unwrap(), []);
}

async fn a_revoked_key_goes_with_the_next_one_unless_it_was_used(db: &TestStore) {
    let ann = db.user("ann").await;
    let (used, unused) = (key(db, &ann, "used").await.unwrap(), key(db, &ann, "unused").await.unwrap());
    let usage = usage(ScanSource::Key(used.id), UsagePath::Local, 0);
    db.store.count_scan(ann.id, &usage, at(1)).await.unwrap();
    for key in [&used, &unused] {
        assert!(db.store.revoke_api_key(ann.id, key.id, at(2)).await.unwrap());
    }
    key(db, &ann, "next").await.unwrap();
    let late = self::usage(ScanSource::Key(unused.id), UsagePath::Local, 0);
    db.store.count_scan(ann.id, &late, at(3)).await.unwrap();
    let day = "2027-01-15".parse().unwrap();
    let listed = db.store.list_usage(ann.id, UsageDays { from: day, to: day }).await.unwrap();
    let name_of = |key: &ApiKey| {
        let row = listed.iter().find(|row| row.source == ScanSource::Key(key.id));
        row.unwrap().key_name.as_deref()
    };
    assert_eq!((name_of(&used), name_of(&unused)), (Some("used"), None));
}

async fn a_key_is_noted_and_revoked_by_its_owner_only(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let made = key(db, &ann, "till").await.unwrap();
    db.store.touch_api_key(bob.id, made.id, at(3)).await.unwrap();
    assert!(!db.store.revoke_api_key(bob.id, made.id, at(3)).await.unwrap());
    assert_eq!(db.store.list_api_keys(ann.id).await.unwrap()[0].last_used_at, None);
    db.store.touch_api_key(ann.id, made.id, at(4)).await.unwrap();
    assert_eq!(db.store.list_api_keys(ann.id).await.unwrap()[0].last_used_at, Some(at(4)));
}

fn usage(source: ScanSource, path: UsagePath, cost_micros: u64) -> ScanUsage {
    ScanUsage { source, path, cost_micros }
}

/// All that was counted for a user: source, path, scans and cost.
async fn counted(db: &TestStore, user: &User) -> Vec<(ScanSource, UsagePath, u64, u64)> {
    let days = UsageDays::new(Some("2027-01-01"), Some("2027-02-01"), "2027-01-15".parse().unwrap()).unwrap();
    let rows = db.store.list_usage(user.id, days).await.unwrap();
    rows.iter().map(|row| (row.source, row.path, row.n_scans, row.cost_micros)).collect()
}

async fn scans_without_an_answer_that_arrive_together_are_each_counted(db: &TestStore) {
    let (ann, bob, eve) = (db.user("ann").await, db.user("bob").await, db.user("eve").await);
    assert!(db.store.delete_user(eve.id, eve.tenant_id).await.unwrap());
    let usage = usage(ScanSource::Web, UsagePath::NotAPart, 0);
    let mut calls = JoinSet::new();
    for number in 0..60 {
        let (store, user_id) = (db.store.clone(), [ann.id, bob.id, eve.id][number % 3]);
        calls.spawn(async move { store.count_scan(user_id, &usage, at(2)).await });
    }
    // The scans of the deleted account fail, in whichever call counts them.
    while calls.join_next().await.is_some() {}
    db.store.count_scan(bob.id, &usage, at(3)).await.unwrap();
    assert_eq!(counted(db, &ann).await, [(ScanSource::Web, UsagePath::NotAPart, 20, 0)]);
    assert_eq!(counted(db, &bob).await, [(ScanSource::Web, UsagePath::NotAPart, 21, 0)]);
}

async fn scans_are_counted_by_day_source_and_path(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let till = key(db, &ann, "till").await.unwrap();
    let by_key = usage(ScanSource::Key(till.id), UsagePath::Llm, 1_500);
    let web = usage(ScanSource::Web, UsagePath::Local, 0);
    for (second, usage) in [(0, web), (1, web), (2, by_key), (3, by_key)] {
        let scan = scan(at(second), None);
        db.store
            .save_scan(ann.tenant_id, ann.id, &NewScan { usage: &usage, ..new_scan(&scan, UNLIMITED_SCANS) })
            .await
            .unwrap();
    }
    db.store.count_scan(ann.id, &usage(ScanSource::Web, UsagePath::NotAPart, 0), at(4)).await.unwrap();
    let mut rows = counted(db, &ann).await;
    rows.sort_by_key(|row| row.1);
    assert_eq!(
        rows,
        [
            (ScanSource::Web, UsagePath::Local, 2, 0),
            (ScanSource::Key(till.id), UsagePath::Llm, 2, 3_000),
            (ScanSource::Web, UsagePath::NotAPart, 1, 0),
        ]
    );
    assert_eq!(counted(db, &bob).await, []);
    // Clearing the history and revoking the key change nothing of it, not even the key's name.
    db.store.clear_history(ann.tenant_id).await.unwrap();
    db.store.erase_cleared_history(ann.tenant_id).await.unwrap();
    db.store.revoke_api_key(ann.id, till.id, at(5)).await.unwrap();
    let day = "2027-01-15".parse().unwrap();
    let rows = db.store.list_usage(ann.id, UsageDays { from: day, to: day }).await.unwrap();
    assert_eq!(rows.len(), 3);
    assert!(rows.iter().any(|row| row.key_name.as_deref() == Some("till")));
    let before = UsageDays { from: "2027-01-01".parse().unwrap(), to: "2027-01-14".parse().unwrap() };
    assert_eq!(db.store.list_usage(ann.id, before).await.unwrap(), []);
}

async fn a_scan_that_is_not_saved_is_not_counted(db: &TestStore) {
    let ann = db.user("ann").await;
    let web = usage(ScanSource::Web, UsagePath::Local, 0);
    let refused = db
        .store
        .save_scan(ann.tenant_id, ann.id, &NewScan { usage: &web, ..new_scan(&scan(at(0), None), 0) })
        .await;
    assert!(matches!(refused, Err(Error::LimitReached { limit: 0 })), "{refused:?}");
    assert_eq!(counted(db, &ann).await, []);
}

async fn two_scans_at_once_are_both_counted(db: &TestStore) {
    let ann = db.user("ann").await;
    let web = usage(ScanSource::Web, UsagePath::Local, 0);
    let scans = [scan(at(0), None), scan(at(1), None)];
    let [one, other] =
        scans.each_ref().map(|scan| NewScan { usage: &web, ..new_scan(scan, UNLIMITED_SCANS) });
    let save = |new| db.store.save_scan(ann.tenant_id, ann.id, new);
    let (first, second) = tokio::join!(save(&one), save(&other));
    first.unwrap();
    second.unwrap();
    assert_eq!(counted(db, &ann).await, [(ScanSource::Web, UsagePath::Local, 2, 0)]);
}
