//! What a tenant keeps is counted.

use partsight_domain::{Plan, Quota, User, Vehicle, VehicleId};
use partsight_store::{Error, ImportRecords, RecordBatch};
use uuid::Uuid;

use crate::{TestStore, at, new_vehicle, on_each_database};

on_each_database![
    what_is_kept_is_counted_for_its_tenant_alone,
    writes_at_once_do_not_exceed_a_quota,
    an_import_into_a_full_garage_saves_nothing,
];

async fn what_is_kept_is_counted_for_its_tenant_alone(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    for quota in Quota::ALL {
        assert_eq!(db.store.count_kept(ann.tenant_id, quota).await.unwrap(), 0, "{quota:?}");
    }
    add_vehicles(db, &ann, 3).await;
    assert_eq!(db.store.count_kept(ann.tenant_id, Quota::Vehicles).await.unwrap(), 3);
    assert_eq!(db.store.count_kept(bob.tenant_id, Quota::Vehicles).await.unwrap(), 0);
}

async fn add_vehicles(db: &TestStore, user: &User, n: i64) {
    for n in 0..n {
        let id = VehicleId(Uuid::now_v7());
        let new = new_vehicle("Civic");
        db.store.create_vehicle(user.tenant_id, id, &new, Plan::Business, at(n)).await.unwrap();
    }
}

async fn writes_at_once_do_not_exceed_a_quota(db: &TestStore) {
    let ann = db.user("ann").await;
    add_vehicles(db, &ann, 198).await;
    let new = new_vehicle("Civic");
    let add = || db.store.create_vehicle(ann.tenant_id, VehicleId(Uuid::now_v7()), &new, Plan::Basic, at(0));
    let saved = tokio::join!(add(), add(), add(), add(), add(), add());
    let saved: [Result<Vehicle, Error>; 6] = saved.into();
    let n_saved = saved.iter().filter(|saved| saved.is_ok()).count();
    assert_eq!(n_saved, 2, "{saved:?}");
    let is_refused =
        |error: &Error| matches!(error, Error::QuotaReached { quota: Quota::Vehicles, plan: Plan::Basic });
    assert!(saved.iter().filter_map(|saved| saved.as_ref().err()).all(is_refused), "{saved:?}");
    assert_eq!(db.store.count_kept(ann.tenant_id, Quota::Vehicles).await.unwrap(), 200);
}

async fn an_import_into_a_full_garage_saves_nothing(db: &TestStore) {
    let ann = db.user("ann").await;
    add_vehicles(db, &ann, 198).await;
    let batch = || RecordBatch::Vehicles(vec![(VehicleId(Uuid::now_v7()), new_vehicle("Civic"))]);
    let (first, second) = (batch(), batch());
    let seen = db.store.mark_records(ann.tenant_id, first.kind()).await.unwrap();
    let saved = db.store.import_records(ann.tenant_id, &first, &seen, Plan::Basic, at(0)).await.unwrap();
    assert_eq!(saved, ImportRecords::Saved);
    add_vehicles(db, &ann, 1).await;
    let seen = db.store.mark_records(ann.tenant_id, second.kind()).await.unwrap();
    let refused = db.store.import_records(ann.tenant_id, &second, &seen, Plan::Basic, at(0)).await;
    assert!(matches!(refused, Err(Error::QuotaReached { quota: Quota::Vehicles, .. })), "{refused:?}");
    assert_eq!(db.store.count_kept(ann.tenant_id, Quota::Vehicles).await.unwrap(), 200);
}
