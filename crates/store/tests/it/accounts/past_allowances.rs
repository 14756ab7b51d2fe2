use partsight_domain::User;

use crate::{TestStore, at, on_each_database};

on_each_database![a_new_account_goes_on_with_what_is_remembered_until_it_is_forgotten];

/// Deletes Ann, who had used so many scans, and makes her account again.
async fn ann_again(db: &TestStore, ann: &User, used: u32) -> User {
    db.execute(&format!("UPDATE app_user SET scans_used = {used} WHERE user_id = '{}'", ann.id)).await;
    db.store.remember_scans_used(ann.id, "mark of ann", at(100)).await.unwrap();
    assert!(db.store.delete_user(ann.id, ann.tenant_id).await.unwrap());
    db.user("ann").await
}

async fn a_new_account_goes_on_with_what_is_remembered_until_it_is_forgotten(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let used = async |user: &User| db.store.scans_used(user.id).await.unwrap();
    let ann = ann_again(db, &ann, 1).await;
    db.store.count_remembered_scans(bob.id, "mark of bob", at(5)).await.unwrap();
    db.store.count_remembered_scans(ann.id, "mark of ann", at(5)).await.unwrap();
    assert_eq!((used(&ann).await, used(&bob).await), (1, 0));
    // The later count replaces the earlier one, which is part of it.
    let ann = ann_again(db, &ann, 2).await;
    db.store.count_remembered_scans(ann.id, "mark of ann", at(99)).await.unwrap();
    assert_eq!(used(&ann).await, 2);

    // Of somebody who used none nothing is kept.
    db.store.remember_scans_used(bob.id, "mark of bob", at(100)).await.unwrap();
    assert_eq!(db.store.forget_scans_used(at(99)).await.unwrap(), 0);
    let late = ann_again(db, &ann, 2).await;
    db.store.count_remembered_scans(late.id, "mark of ann", at(100)).await.unwrap();
    assert_eq!(used(&late).await, 0, "what is to be forgotten counts no more");
    assert_eq!(db.store.forget_scans_used(at(100)).await.unwrap(), 1);
}
