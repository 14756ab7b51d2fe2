//! What a tenant keeps is counted.

use partsight_domain::Quota;

use crate::{TestStore, at, new_vehicle, on_each_database};

on_each_database![what_is_kept_is_counted_for_its_tenant_alone];

async fn what_is_kept_is_counted_for_its_tenant_alone(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    for quota in Quota::ALL {
        assert_eq!(db.store.count_kept(ann.tenant_id, quota).await.unwrap(), 0, "{quota:?}");
    }
    for n in 0..3 {
        let id = partsight_domain::VehicleId(uuid::Uuid::now_v7());
        db.store.create_vehicle(ann.tenant_id, id, &new_vehicle("Civic"), at(n)).await.unwrap();
    }
    assert_eq!(db.store.count_kept(ann.tenant_id, Quota::Vehicles).await.unwrap(), 3);
    assert_eq!(db.store.count_kept(bob.tenant_id, Quota::Vehicles).await.unwrap(), 0);
}
