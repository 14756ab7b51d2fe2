use std::time::Duration;

use partsight_domain::{Company, CompanyId, MemberId, Quota, TenantId, UNLIMITED_SCANS, User};
use partsight_store::{Error, ScanFilter};
use partsight_test_support::PATIENCE;
use sqlx::{AnyConnection, Connection};
use tokio::time::timeout;
use uuid::Uuid;

use crate::plans::companies::company;
use crate::scanning::scans::scan;
use crate::{TestStore, at, new_scan, on_each_database};

on_each_database![
    an_account_is_gone_before_its_rows_are_erased,
    an_interrupted_erasure_is_continued,
    others_write_while_the_scans_of_an_account_are_erased,
    others_write_while_a_history_is_cleared,
    a_cleared_history_is_out_of_sight_before_it_is_erased,
    the_references_of_an_account_are_erased_in_slices_with_their_tombstones,
];

/// Adds many scans, those of one batch.
async fn many_scans(db: &TestStore, user: &User, n: u32) {
    let (tenant, id) = (user.tenant_id, user.id);
    let numbers =
        format!("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {n}) SELECT");
    db.execute(&format!(
        "INSERT INTO scan (scan_id, tenant_id, user_id, verdict, label, confidence, known_score, alternatives, \
                           receipt, scanned_at) \
         {numbers} 'scan-' || i, '{tenant}', '{id}', 'identified', 'rim', 0.9, 0.9, '[]', '{{}}', i FROM n; \
         INSERT INTO batch (batch_id, tenant_id, user_id, name, source, state, created_at, served_at) \
         VALUES ('batch', '{tenant}', '{id}', 'pallet', 'web', 'done', 1, 1); \
         INSERT INTO batch_item (batch_item_id, batch_id, tenant_id, client_key, name, sha256, state, scan_id) \
         SELECT 'item-' || scan_id, 'batch', tenant_id, scan_id, scan_id, scan_id, 'answered', scan_id FROM scan \
         WHERE tenant_id = '{tenant}'"
    ))
    .await;
}

async fn an_account_is_gone_before_its_rows_are_erased(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let (first, _) = company(db, &ann).await;
    db.vehicle(&ann, "Civic").await;
    db.leave_ways_in(&ann).await;
    assert!(db.store.mark_user_deleted(ann.id, ann.tenant_id).await.unwrap());

    assert_eq!(db.ways_in(&ann).await, (false, false));
    assert_eq!(db.store.list_sessions(ann.id, at(1), at(-9)).await.unwrap(), []);
    assert!(db.store.find_user_by_email(&ann.email).await.unwrap().is_none());
    assert_eq!(db.store.find_company_of(ann.id).await.unwrap(), None);
    assert_eq!(db.store.list_users().await.unwrap(), [bob]);
    assert_eq!(db.store.claim_reminder_check(None, at(1), at(2)).await.unwrap(), None);
    let again = Company { id: CompanyId(Uuid::now_v7()), tenant_id: TenantId(Uuid::now_v7()), ..first };
    let made = db.store.create_company(&again, &ann, MemberId(Uuid::now_v7())).await;
    assert!(matches!(made, Err(Error::AccountClosing)), "{made:?}");
    // The e-mail is free again.
    db.user("ann").await;
}

async fn an_interrupted_erasure_is_continued(db: &TestStore) {
    let ann = db.user("ann").await;
    let kept = scan(at(1), None);
    let bob = db.user("bob").await;
    db.store.save_scan(bob.tenant_id, bob.id, &new_scan(&kept, UNLIMITED_SCANS)).await.unwrap();
    db.vehicle(&ann, "Civic").await;
    many_scans(db, &ann, 1200).await;
    assert!(db.store.mark_user_deleted(ann.id, ann.tenant_id).await.unwrap());
    // Some of the rows went, and then the server.
    db.execute(&format!("DELETE FROM scan WHERE tenant_id = '{}' AND scanned_at < 700", ann.tenant_id)).await;

    assert_eq!(db.store.erase_deleted_tenants().await.unwrap(), 1);
    assert!(db.store.find_user(ann.id).await.unwrap().is_none());
    assert_eq!(db.store.list_vehicles(ann.tenant_id).await.unwrap(), []);
    let left = async |user: &User| {
        db.store.list_scans(user.tenant_id, &ScanFilter::default(), 100).await.unwrap().len()
    };
    assert_eq!((left(&ann).await, left(&bob).await), (0, 1));
    assert_eq!(db.store.erase_deleted_tenants().await.unwrap(), 0);
}

/// On PostgreSQL only: SQLite has one server.
#[tokio::test]
async fn two_servers_erase_an_account_without_waiting_for_each_other() {
    let Some(db) = TestStore::postgres().await else { return };
    let ann = db.user("ann").await;
    many_scans(&db, &ann, 2000).await;
    db.store.mark_user_deleted(ann.id, ann.tenant_id).await.unwrap();
    // The other one, in the middle of its slice: the rows that come first.
    let mut other = AnyConnection::connect(&db.url).await.unwrap();
    let slice = "BEGIN; DELETE FROM batch_item WHERE scan_id IN (SELECT scan_id FROM scan WHERE scanned_at <= 500); \
                 DELETE FROM scan WHERE scanned_at <= 500";
    sqlx::raw_sql(slice).execute(&mut other).await.unwrap();

    let erasing = db.store.erase_deleted_tenants();
    let ending = async {
        let only_its_own = async {
            while db.store.count_scans(ann.tenant_id, &ScanFilter::default()).await.unwrap() > 500 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        timeout(PATIENCE, only_its_own).await.expect("the rest is erased meanwhile");
        sqlx::raw_sql("COMMIT").execute(&mut other).await.unwrap();
        other.close().await.unwrap();
    };
    assert_eq!(tokio::join!(erasing, ending).0.unwrap(), 1);
    assert!(db.store.find_user(ann.id).await.unwrap().is_none());
}

async fn others_write_while_the_scans_of_an_account_are_erased(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    many_scans(db, &ann, 4000).await;
    let n_written = db
        .delete_while(&ann, async |second| {
            db.store.accept_terms(bob.id, "one", at(second)).await.unwrap();
        })
        .await;
    assert!(n_written >= 10, "{n_written} writes in sixteen slices");
    assert!(db.store.find_user(ann.id).await.unwrap().is_none());
}

async fn others_write_while_a_history_is_cleared(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    many_scans(db, &ann, 4000).await;
    db.store.clear_history(ann.tenant_id).await.unwrap();
    let clearing = async || assert_eq!(db.store.erase_cleared_history(ann.tenant_id).await.unwrap(), 4000);
    let writing = async |second| {
        db.store.accept_terms(bob.id, "one", at(second)).await.unwrap();
    };
    let n_written = db.write_during(clearing, writing).await;
    assert!(n_written >= 4, "{n_written} writes in eight slices");
    assert_eq!(db.store.count_kept(ann.tenant_id, Quota::Scans).await.unwrap(), 0);
}

async fn a_cleared_history_is_out_of_sight_before_it_is_erased(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let (old, older, hers) = (scan(at(2), None), scan(at(1), None), scan(at(1), None));
    for (user, scan) in [(&ann, &old), (&ann, &older), (&bob, &hers)] {
        db.store.save_scan(user.tenant_id, user.id, &new_scan(scan, UNLIMITED_SCANS)).await.unwrap();
    }
    let listed = async |user: &User, filter: &ScanFilter| {
        let scans = db.store.list_scans(user.tenant_id, filter, 9).await.unwrap();
        assert_eq!(db.store.count_scans(user.tenant_id, filter).await.unwrap(), scans.len() as u64);
        scans.iter().map(|scan| scan.id).collect::<Vec<_>>()
    };
    let all = ScanFilter::default();
    db.store.clear_history(ann.tenant_id).await.unwrap();
    assert_eq!((listed(&ann, &all).await, listed(&bob, &all).await), (Vec::new(), vec![hers.id]));
    assert_eq!(db.store.find_scan(ann.tenant_id, old.id).await.unwrap(), None);
    // Scans that are made meanwhile stay, and so do their events; also by a server whose clock is behind.
    let (new, behind) = (scan(at(3), None), scan(at(1), None));
    for scan in [&new, &behind] {
        db.store.save_scan(ann.tenant_id, ann.id, &new_scan(scan, UNLIMITED_SCANS)).await.unwrap();
    }
    let made = vec![new.id, behind.id];
    let newest = ScanFilter { among_newest: Some(2), ..ScanFilter::default() };
    assert_eq!((&listed(&ann, &all).await, &listed(&ann, &newest).await), (&made, &made));

    // The server went, and another one continues.
    assert_eq!(db.store.erase_cleared_histories().await.unwrap(), 1);
    assert_eq!(db.store.erase_cleared_histories().await.unwrap(), 0);
    assert_eq!(db.store.count_kept(ann.tenant_id, Quota::Scans).await.unwrap(), 2);
    let events = db.store.list_events(ann.tenant_id, 0, 9).await.unwrap();
    assert_eq!(events.iter().map(|event| event.number).collect::<Vec<_>>(), [3, 4]);
    assert_eq!((listed(&ann, &all).await, listed(&bob, &all).await), (made, vec![hers.id]));
}

async fn the_references_of_an_account_are_erased_in_slices_with_their_tombstones(db: &TestStore) {
    let ann = db.user("ann").await;
    db.execute(&format!(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200) \
         INSERT INTO part_reference (part_reference_id, tenant_id, label, kind, model_sha256, embedding, fingerprint, \
                                     created_at, revision) \
         SELECT 'reference-' || i, '{}', 'rim', 'enrolled', 'model', CAST('e' AS BYTEA), CAST('f' AS BYTEA), 1, 0 FROM n",
        ann.tenant_id
    ))
    .await;
    assert!(db.store.delete_user(ann.id, ann.tenant_id).await.unwrap());
    let mut connection = AnyConnection::connect(&db.url).await.unwrap();
    let query = "SELECT COUNT(*) FROM forgotten_reference GROUP BY revision ORDER BY revision";
    let tombstones: Vec<i64> = sqlx::query_scalar(query).fetch_all(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    assert_eq!(tombstones, [500, 500, 200]);
}
