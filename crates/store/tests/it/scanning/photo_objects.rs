use partsight_domain::{PhotoSize, Quota, Scan, ScanPhoto, UNLIMITED_SCANS, User};
use partsight_store::{KeptPhoto, NewScan, PhotoObject, PhotoToMove};

use super::scans::scan;
use crate::{TestStore, at, new_scan, on_each_database};

on_each_database![
    a_moved_photograph_is_found_by_its_object_and_only_by_its_tenant,
    a_photograph_is_claimed_by_one_server_at_a_time_and_keeps_its_key,
    an_object_loses_its_scan_with_the_scan_and_only_then_may_be_deleted,
    an_object_that_was_not_finished_is_deleted_after_a_while,
    a_photograph_that_goes_while_it_is_moved_leaves_only_an_object_to_delete,
    a_photograph_goes_to_the_storage_that_is_set_now,
    an_account_is_deleted_with_the_claim_on_its_objects,
];

const BUCKET: &str = "s3://shop/partsight";

fn photo(bytes: &[u8]) -> ScanPhoto {
    ScanPhoto { size: PhotoSize::Full, media_type: "image/jpeg".to_owned(), bytes: bytes.to_vec() }
}

pub(crate) async fn save(db: &TestStore, user: &User, bytes: &[u8]) -> Scan {
    let scan = scan(at(0), None);
    let photos = [photo(bytes)];
    db.store
        .save_scan(user.tenant_id, user.id, &NewScan { photos: &photos, ..new_scan(&scan, UNLIMITED_SCANS) })
        .await
        .unwrap();
    scan
}

/// Claims at a second, leaving out what was tried in the ten seconds before.
async fn claim(db: &TestStore, storage: &str, key: &str, second: i64) -> Option<PhotoToMove> {
    db.store.claim_photo_to_move(storage, key, at(second), at(second - 10)).await.unwrap()
}

async fn moved(db: &TestStore, user: &User, key: &str, second: i64) -> Scan {
    let scan = save(db, user, b"a photograph").await;
    let claimed = claim(db, BUCKET, key, second).await.unwrap();
    assert!(db.store.finish_moving_photo(claimed.scan_id, &claimed.key).await.unwrap());
    scan
}

async fn to_delete(db: &TestStore, second: i64) -> Vec<String> {
    db.store.list_photo_objects_to_delete(BUCKET, at(second - 10), 9).await.unwrap()
}

async fn a_moved_photograph_is_found_by_its_object_and_only_by_its_tenant(db: &TestStore) {
    let (ann, ben) = (db.user("ann").await, db.user("ben").await);
    let hers = save(db, &ann, b"a photograph").await;
    let claimed = claim(db, BUCKET, "aa/1", 0).await.unwrap();
    assert_eq!(
        claimed,
        PhotoToMove { scan_id: hers.id, key: "aa/1".to_owned(), bytes: b"a photograph".to_vec() }
    );
    let find =
        async |user: &User| db.store.find_scan_photo(user.tenant_id, hers.id, PhotoSize::Full).await.unwrap();
    assert_eq!(find(&ann).await, Some(KeptPhoto::Here(photo(b"a photograph"))), "until it is written");
    assert!(db.store.finish_moving_photo(hers.id, "aa/1").await.unwrap());
    let object = PhotoObject { storage: BUCKET.to_owned(), key: "aa/1".to_owned(), n_bytes: 12 };
    assert_eq!(find(&ann).await, Some(KeptPhoto::Outside { media_type: "image/jpeg".to_owned(), object }));
    assert_eq!(find(&ben).await, None);
    assert_eq!(claim(db, BUCKET, "aa/2", 99).await, None, "it is moved");
    assert!(!db.store.finish_moving_photo(hers.id, "aa/1").await.unwrap());
    assert_eq!(db.store.count_kept(ann.tenant_id, Quota::PictureBytes).await.unwrap(), 12);
}

async fn a_photograph_is_claimed_by_one_server_at_a_time_and_keeps_its_key(db: &TestStore) {
    let ann = db.user("ann").await;
    save(db, &ann, b"1").await;
    assert_eq!(claim(db, BUCKET, "aa/1", 0).await.unwrap().key, "aa/1");
    assert_eq!(claim(db, BUCKET, "aa/2", 10).await, None, "another server may be at it");
    // So that an attempt that failed leaves no second object.
    assert_eq!(claim(db, BUCKET, "aa/3", 11).await.unwrap().key, "aa/1");
}

async fn an_object_loses_its_scan_with_the_scan_and_only_then_may_be_deleted(db: &TestStore) {
    let ann = db.user("ann").await;
    let scan = moved(db, &ann, "aa/1", 0).await;
    assert_eq!(to_delete(db, 99).await, [""; 0]);
    db.store.forget_photo_object("aa/1").await.unwrap();
    assert!(db.store.delete_scan(ann.tenant_id, scan.id).await.unwrap());
    assert_eq!(db.store.list_storages_to_tidy(at(-10)).await.unwrap(), [BUCKET]);
    assert_eq!(to_delete(db, 0).await, ["aa/1"], "at once, because it was complete");
    db.store.forget_photo_object("aa/1").await.unwrap();
    assert_eq!(to_delete(db, 99).await, [""; 0]);
    // Pictures that are no longer kept go in another way.
    moved(db, &ann, "aa/2", 20).await;
    assert_eq!(db.store.delete_scan_photos(PhotoSize::Full, at(1)).await.unwrap(), 1);
    assert_eq!(to_delete(db, 20).await, ["aa/2"]);
}

async fn an_object_that_was_not_finished_is_deleted_after_a_while(db: &TestStore) {
    let ann = db.user("ann").await;
    let scan = save(db, &ann, b"1").await;
    claim(db, BUCKET, "aa/1", 0).await.unwrap();
    db.store.delete_scan(ann.tenant_id, scan.id).await.unwrap();
    assert_eq!(to_delete(db, 10).await, [""; 0], "it may still be being written");
    assert_eq!(to_delete(db, 11).await, ["aa/1"]);
}

async fn a_photograph_that_goes_while_it_is_moved_leaves_only_an_object_to_delete(db: &TestStore) {
    let ann = db.user("ann").await;
    let scan = save(db, &ann, b"1").await;
    let claimed = claim(db, BUCKET, "aa/1", 0).await.unwrap();
    db.store.clear_history(ann.tenant_id).await.unwrap();
    db.store.erase_cleared_history(ann.tenant_id).await.unwrap();
    assert!(!db.store.finish_moving_photo(scan.id, &claimed.key).await.unwrap());
    assert_eq!(to_delete(db, 11).await, ["aa/1"]);
}

async fn a_photograph_goes_to_the_storage_that_is_set_now(db: &TestStore) {
    let ann = db.user("ann").await;
    let scan = save(db, &ann, b"1").await;
    claim(db, BUCKET, "aa/1", 0).await.unwrap();
    let claimed = claim(db, "/photographs", "bb/1", 1).await.unwrap();
    assert!(db.store.finish_moving_photo(scan.id, &claimed.key).await.unwrap());
    assert!(!db.store.finish_moving_photo(scan.id, "aa/1").await.unwrap(), "the first one is too late");
    assert_eq!(to_delete(db, 11).await, ["aa/1"]);
}

async fn an_account_is_deleted_with_the_claim_on_its_objects(db: &TestStore) {
    let ann = db.user("ann").await;
    moved(db, &ann, "aa/1", 0).await;
    db.store.delete_user(ann.id, ann.tenant_id).await.unwrap();
    assert_eq!(to_delete(db, 0).await, ["aa/1"]);
}
