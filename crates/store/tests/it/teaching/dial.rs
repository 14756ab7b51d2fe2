//! How many wrong answers a tenant accepts.

use partsight_domain::ErrorRate;

use crate::{TestStore, at, on_each_database};

on_each_database![a_choice_is_kept_changed_and_taken_back_for_its_tenant_alone,];

async fn a_choice_is_kept_changed_and_taken_back_for_its_tenant_alone(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await.tenant_id, db.user("bob").await.tenant_id);
    assert_eq!(db.store.dial_choice(ann).await.unwrap(), None);
    for choice in [100, 1000, 100].map(ErrorRate::from_hundredths) {
        db.store.set_dial_choice(ann, choice, at(0)).await.unwrap();
        assert_eq!(db.store.dial_choice(ann).await.unwrap(), choice);
    }
    assert_eq!(db.store.dial_choice(bob).await.unwrap(), None);
    db.store.set_dial_choice(bob, None, at(1)).await.unwrap();
    assert_eq!(db.store.dial_choice(ann).await.unwrap(), ErrorRate::from_hundredths(100));
    db.store.set_dial_choice(ann, None, at(1)).await.unwrap();
    assert_eq!(db.store.dial_choice(ann).await.unwrap(), None);
}
