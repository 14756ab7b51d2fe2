//! What is acknowledged around a full disk. SQLite ends a transaction by itself when a page cannot be had, which a
//! limit on its pages brings about without a file system of its own.

use partsight_domain::{Scan, UNLIMITED_SCANS, User};
use partsight_store::{Error, Store, StoreOptions};

use crate::{TestStore, at, new_scan, patient};

/// A store over the same file that has no page left to grow by. Ann has scans in it, which make room when they go.
async fn full(db: &TestStore, ann: &User) -> Store {
    for second in 0..10 {
        save(&db.store, ann, &large_scan(second), UNLIMITED_SCANS).await.unwrap();
    }
    let options = StoreOptions {
        max_connections: 1,
        // SQLite takes a limit under the present size as "no page more".
        max_pages: Some(1),
        ..patient()
    };
    Store::open_with(&db.url, &options).await.unwrap()
}

/// A scan that takes more than a page.
fn large_scan(second: i64) -> Scan {
    let mut scan = crate::scanning::scans::scan(at(second), None);
    scan.receipt.model = "x".repeat(8192);
    scan
}

async fn save(store: &Store, user: &User, scan: &Scan, limit: u32) -> Result<(), Error> {
    store.save_scan(user.tenant_id, user.id, &new_scan(scan, limit)).await.map(|_| ())
}

/// Saves scans until there is no room.
async fn fill(store: &Store, user: &User) -> Vec<Scan> {
    let mut saved = Vec::new();
    loop {
        assert!(saved.len() < 100, "the disk is never full");
        let scan = large_scan(i64::try_from(saved.len()).unwrap());
        match save(store, user, &scan, UNLIMITED_SCANS).await {
            Ok(()) => saved.push(scan),
            Err(Error::Full(_)) => return saved,
            Err(other) => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn what_is_acknowledged_after_a_full_disk_is_there_for_everybody() {
    let db = TestStore::sqlite().await;
    let ann = db.user("ann").await;
    let store = full(&db, &ann).await;
    // Twice, since the first full disk and the second leave a connection in different states.
    for _ in 0..2 {
        fill(&store, &ann).await;
        store.clear_history(ann.tenant_id).await.unwrap();
        store.erase_cleared_history(ann.tenant_id).await.unwrap();
        // One that is rolled back on purpose, then one that is saved.
        let refused = save(&store, &ann, &large_scan(50), 0).await.unwrap_err();
        assert!(matches!(refused, Error::LimitReached { .. }), "{refused:?}");
        let scan = large_scan(51);
        save(&store, &ann, &scan, UNLIMITED_SCANS).await.unwrap();

        let everybody = Store::open(&db.url).await.unwrap();
        assert_eq!(everybody.find_scan(ann.tenant_id, scan.id).await.unwrap(), Some(scan));
    }
}

#[tokio::test]
async fn a_full_disk_leaves_no_lock_behind() {
    let db = TestStore::sqlite().await;
    let ann = db.user("ann").await;
    let store = full(&db, &ann).await;
    for second in 0..3 {
        fill(&store, &ann).await;
        let refused = save(&store, &ann, &large_scan(50), 0).await.unwrap_err();
        // Refused before anything is written, so that a full disk does not stand in for the reason.
        assert!(matches!(refused, Error::LimitReached { .. }), "{refused:?}");
        // Another process, whose limit is another.
        let other = Store::open_with(&db.url, &patient()).await.unwrap();
        save(&other, &ann, &crate::scanning::scans::scan(at(second), None), UNLIMITED_SCANS).await.unwrap();
        store.clear_history(ann.tenant_id).await.unwrap();
        store.erase_cleared_history(ann.tenant_id).await.unwrap();
    }
}

#[tokio::test]
async fn a_probe_tells_a_full_disk_from_one_with_room() {
    let db = TestStore::sqlite().await;
    let ann = db.user("ann").await;
    let store = full(&db, &ann).await;
    fill(&store, &ann).await;
    let error = store.check_writes().await.unwrap_err();
    assert!(matches!(error, Error::Full(_)), "{error:?}");
    store.ping().await.unwrap();
    store.clear_history(ann.tenant_id).await.unwrap();
    store.erase_cleared_history(ann.tenant_id).await.unwrap();
    store.check_writes().await.unwrap();
}
