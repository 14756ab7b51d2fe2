use jiff::Timestamp;
use partsight_domain::{CrossReference, CrossReferenceListId, CrossRelation, User, folded_number};
use partsight_store::PublishList;
use uuid::Uuid;

use crate::{TestStore, at, on_each_database};

on_each_database![
    a_list_is_seen_once_it_is_published_and_by_its_tenant_alone,
    lists_and_rows_are_limited_and_what_was_given_up_is_purged,
    rows_are_found_by_what_either_number_folds_to,
];

const LIMITS: (u64, u64) = (50, 1000);

fn row(number: u32, one: &str, other: &str) -> CrossReference {
    CrossReference {
        row: number,
        number: one.to_owned(),
        brand: Some("Bosch".to_owned()),
        relation: CrossRelation::Replaces,
        other_number: other.to_owned(),
        other_brand: None,
    }
}

async fn save(
    db: &TestStore,
    user: &User,
    name: &str,
    rows: &[CrossReference],
    now: Timestamp,
) -> CrossReferenceListId {
    let id = CrossReferenceListId(Uuid::now_v7());
    db.store.create_cross_reference_list(user.tenant_id, id, name, user.id, now).await.unwrap();
    assert!(db.store.add_cross_references(user.tenant_id, id, rows).await.unwrap());
    id
}

async fn publish(
    db: &TestStore,
    user: &User,
    name: &str,
    rows: &[CrossReference],
    now: Timestamp,
) -> CrossReferenceListId {
    let id = save(db, user, name, rows, now).await;
    let published = db.store.publish_list(user.tenant_id, id, LIMITS, now).await.unwrap();
    assert!(matches!(published, PublishList::Published { .. }), "{published:?}");
    id
}

async fn found(db: &TestStore, user: &User, number: &str) -> Vec<CrossReference> {
    db.store.find_cross_references(user.tenant_id, &[folded_number(number)]).await.unwrap()
}

async fn a_list_is_seen_once_it_is_published_and_by_its_tenant_alone(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let rows = [row(2, "A-1", "B-1")];
    let id = save(db, &ann, "OE", &rows, at(1)).await;
    assert_eq!(found(db, &ann, "A1").await, []);
    let foreign = db.store.publish_list(bob.tenant_id, id, LIMITS, at(2)).await.unwrap();
    assert_eq!(foreign, PublishList::Missing);
    assert!(!db.store.add_cross_references(bob.tenant_id, id, &[row(3, "x1", "y1")]).await.unwrap());
    db.store.discard_list(bob.tenant_id, id).await.unwrap();

    let published = db.store.publish_list(ann.tenant_id, id, LIMITS, at(2)).await.unwrap();
    assert_eq!(published, PublishList::Published { has_replaced: false });
    let lists = db.store.list_cross_reference_lists(ann.tenant_id).await.unwrap();
    assert_eq!((lists[0].id, lists[0].n_items, lists[0].published_at), (id, 1, at(2)));
    assert_eq!((found(db, &ann, "A1").await, found(db, &bob, "A1").await), (rows.to_vec(), vec![]));
    assert!(!db.store.set_list_deleted(bob.tenant_id, id, Some(at(3))).await.unwrap());
    // What is in force takes no further rows, and cannot be given up.
    assert!(!db.store.add_cross_references(ann.tenant_id, id, &[row(3, "x1", "y1")]).await.unwrap());
    db.store.discard_list(ann.tenant_id, id).await.unwrap();
    assert_eq!(found(db, &ann, "A1").await.len(), 1);
}

async fn lists_and_rows_are_limited_and_what_was_given_up_is_purged(db: &TestStore) {
    let ann = db.user("ann").await;
    let rows: Vec<CrossReference> =
        (2..603).map(|number| row(number, &format!("A{number}"), &format!("B{number}"))).collect();
    publish(db, &ann, "One", &rows, at(1)).await;
    let two = save(db, &ann, "Two", &rows, at(2)).await;
    let try_with = async |limits| db.store.publish_list(ann.tenant_id, two, limits, at(3)).await.unwrap();
    assert_eq!(try_with((50, 1201)).await, PublishList::TooManyRows);
    assert_eq!(try_with((1, 5000)).await, PublishList::TooManyLists);
    assert_eq!(db.store.purge_lists::<CrossReferenceListId>(at(2), at(2)).await.unwrap(), 0);
    assert_eq!(db.store.purge_lists::<CrossReferenceListId>(at(2), at(3)).await.unwrap(), 1);
    assert_eq!(try_with((50, 5000)).await, PublishList::Missing);
    assert_eq!(db.store.list_cross_reference_lists(ann.tenant_id).await.unwrap().len(), 1);
}

async fn rows_are_found_by_what_either_number_folds_to(db: &TestStore) {
    let ann = db.user("ann").await;
    let rows = [row(2, "SP 96051", "X-1"), row(3, "K-12", "5P96O51"), row(4, "K-13", "SP96052")];
    publish(db, &ann, "OE", &rows, at(1)).await;
    let numbers: Vec<u32> = found(db, &ann, "sp-96051").await.into_iter().map(|row| row.row).collect();
    assert_eq!(numbers, [2, 3]);
    assert_eq!(db.store.find_cross_references(ann.tenant_id, &[]).await.unwrap(), []);
}
