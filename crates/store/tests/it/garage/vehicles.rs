use partsight_domain::{User, VehicleId};
use uuid::Uuid;

use crate::{TestStore, on_each_database};

on_each_database![
    pieces_lead_from_the_default_through_all_others,
    two_first_vehicles_at_once_leave_one_default,
    defaults_set_at_once_leave_one_default,
    deleting_the_default_makes_the_first_added_the_default,
    deleting_another_vehicle_leaves_the_default,
    deletions_and_defaults_at_once_leave_one_default,
];

async fn defaults(db: &TestStore, user: &User) -> Vec<VehicleId> {
    let vehicles = db.store.list_vehicles(user.tenant_id).await.unwrap();
    vehicles.iter().filter(|vehicle| vehicle.is_default).map(|vehicle| vehicle.id).collect()
}

async fn pieces_lead_from_the_default_through_all_others(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let mut ids = Vec::new();
    for model in ["Civic", "Accord", "Jazz", "Legend"] {
        ids.push(db.vehicle(&ann, model).await.id);
        db.vehicle(&bob, model).await;
    }
    db.store.set_default_vehicle(ann.tenant_id, ids[2]).await.unwrap();
    let piece = async |after, limit| -> Vec<VehicleId> {
        let listed = db.store.list_vehicles_after(ann.tenant_id, after, limit).await.unwrap();
        listed.into_iter().map(|vehicle| vehicle.id).collect()
    };
    assert_eq!(piece(None, 2).await, [ids[2], ids[0]]);
    db.store.delete_vehicle(ann.tenant_id, ids[0]).await.unwrap();
    assert_eq!(piece(Some(ids[0]), 2).await, [ids[1], ids[3]]);
    assert_eq!(piece(Some(ids[1]), 2).await, [ids[3]]);
    assert_eq!(piece(Some(VehicleId(Uuid::nil())), 1).await, [ids[1]]);
}

async fn two_first_vehicles_at_once_leave_one_default(db: &TestStore) {
    for round in 0..5 {
        let user = db.user(&format!("user-{round}")).await;
        let (first, second) = tokio::join!(db.vehicle(&user, "Civic"), db.vehicle(&user, "Accord"));
        assert!(first.is_default != second.is_default, "round {round}");
        assert_eq!(defaults(db, &user).await.len(), 1, "round {round}");
    }
}

async fn defaults_set_at_once_leave_one_default(db: &TestStore) {
    let ann = db.user("ann").await;
    let mut vehicles = Vec::new();
    for model in ["Civic", "Accord", "Jazz", "CR-V"] {
        vehicles.push(db.vehicle(&ann, model).await);
    }
    let mut calls = tokio::task::JoinSet::new();
    for vehicle in vehicles.iter().cycle().take(16) {
        let (store, tenant_id, id) = (db.store.clone(), ann.tenant_id, vehicle.id);
        calls.spawn(async move { store.set_default_vehicle(tenant_id, id).await });
    }
    for result in calls.join_all().await {
        assert!(result.unwrap().is_some());
    }
    assert_eq!(defaults(db, &ann).await.len(), 1);
}

async fn deleting_the_default_makes_the_first_added_the_default(db: &TestStore) {
    let ann = db.user("ann").await;
    let mut vehicles = Vec::new();
    for model in ["Civic", "Accord", "Jazz"] {
        vehicles.push(db.vehicle(&ann, model).await);
    }
    db.store.set_default_vehicle(ann.tenant_id, vehicles[2].id).await.unwrap();
    let deleted = db.store.delete_vehicle(ann.tenant_id, vehicles[2].id).await.unwrap().unwrap();
    assert_eq!(deleted.default.map(|vehicle| (vehicle.id, vehicle.is_default)), Some((vehicles[0].id, true)));
    assert_eq!((deleted.n_oil_changes, deleted.n_repairs, deleted.n_maintenance_items), (0, 0, 0));
    assert_eq!((deleted.n_odometer_readings, deleted.had_own_oil), (0, false));
    assert_eq!(defaults(db, &ann).await, [vehicles[0].id]);
    assert_eq!(db.store.find_vehicle(ann.tenant_id, vehicles[2].id).await.unwrap(), None);
}

async fn deleting_another_vehicle_leaves_the_default(db: &TestStore) {
    let ann = db.user("ann").await;
    let (civic, accord) = (db.vehicle(&ann, "Civic").await, db.vehicle(&ann, "Accord").await);
    let deleted = db.store.delete_vehicle(ann.tenant_id, accord.id).await.unwrap().unwrap();
    assert_eq!(deleted.default.map(|vehicle| vehicle.id), Some(civic.id));
    assert_eq!(defaults(db, &ann).await, [civic.id]);
}

async fn deletions_and_defaults_at_once_leave_one_default(db: &TestStore) {
    let ann = db.user("ann").await;
    let mut vehicles = Vec::new();
    for index in 0..8 {
        vehicles.push(db.vehicle(&ann, &format!("Model {index}")).await);
    }
    let mut calls = tokio::task::JoinSet::new();
    for (index, vehicle) in vehicles.iter().enumerate() {
        let (store, tenant_id, id) = (db.store.clone(), ann.tenant_id, vehicle.id);
        calls.spawn(async move {
            if index % 2 == 0 {
                store.delete_vehicle(tenant_id, id).await.map(|_| ())
            } else {
                store.set_default_vehicle(tenant_id, id).await.map(|_| ())
            }
        });
    }
    for result in calls.join_all().await {
        result.unwrap();
    }
    assert_eq!(db.store.list_vehicles(ann.tenant_id).await.unwrap().len(), 4);
    assert_eq!(defaults(db, &ann).await.len(), 1);
}
