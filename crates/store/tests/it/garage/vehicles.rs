use partsight_domain::{NewVehicle, Plan, User, VehicleId, VehicleName};
use uuid::Uuid;

use crate::{TestStore, at, new_vehicle, on_each_database};

on_each_database![
    a_vehicle_is_found_as_it_was_saved,
    the_first_vehicle_becomes_the_default,
    the_default_comes_first_and_then_the_order_of_adding,
    pieces_lead_from_the_default_through_all_others,
    setting_a_default_takes_it_from_the_old_one,
    two_first_vehicles_at_once_leave_one_default,
    defaults_set_at_once_leave_one_default,
    an_unknown_vehicle_cannot_be_the_default,
    a_vehicle_of_another_user_is_no_vehicle,
    an_edited_vehicle_has_the_new_details_and_keeps_its_place,
    deleting_the_default_makes_the_first_added_the_default,
    deleting_another_vehicle_leaves_the_default,
    deleting_the_last_vehicle_leaves_none,
    a_vehicle_of_another_user_cannot_be_edited_or_deleted,
    deletions_and_defaults_at_once_leave_one_default,
];

async fn defaults(db: &TestStore, user: &User) -> Vec<VehicleId> {
    let vehicles = db.store.list_vehicles(user.tenant_id).await.unwrap();
    vehicles.iter().filter(|vehicle| vehicle.is_default).map(|vehicle| vehicle.id).collect()
}

async fn a_vehicle_is_found_as_it_was_saved(db: &TestStore) {
    let ann = db.user("ann").await;
    let name = VehicleName::new(1969, "Citroën", "DS 21 Pallas").unwrap();
    let new = NewVehicle::new(name, Some("2.2 L"), Some("manual"), Some("1hgbh41jxmn109186"), Some("日本-1"));
    let new = new.unwrap();
    let id = VehicleId(Uuid::now_v7());
    let saved = db.store.create_vehicle(ann.tenant_id, id, &new, Plan::Business, at(3)).await.unwrap();
    assert_eq!((saved.id, &saved.details, saved.created_at), (id, &new, at(3)));
    assert_eq!(db.store.find_vehicle(ann.tenant_id, id).await.unwrap(), Some(saved));
}

async fn the_first_vehicle_becomes_the_default(db: &TestStore) {
    let ann = db.user("ann").await;
    assert_eq!(db.store.find_default_vehicle(ann.tenant_id).await.unwrap(), None);
    let first = db.vehicle(&ann, "Civic").await;
    let second = db.vehicle(&ann, "Accord").await;
    assert!(first.is_default && !second.is_default);
    assert_eq!(db.store.find_default_vehicle(ann.tenant_id).await.unwrap(), Some(first));
}

async fn the_default_comes_first_and_then_the_order_of_adding(db: &TestStore) {
    let ann = db.user("ann").await;
    let mut ids = Vec::new();
    for (second, model) in ["Civic", "Accord", "Jazz"].into_iter().enumerate() {
        let id = VehicleId(Uuid::now_v7());
        let moment = at(i64::try_from(second).unwrap());
        db.store
            .create_vehicle(ann.tenant_id, id, &new_vehicle(model), Plan::Business, moment)
            .await
            .unwrap();
        ids.push(id);
    }
    db.store.set_default_vehicle(ann.tenant_id, ids[2]).await.unwrap();
    let listed: Vec<_> =
        db.store.list_vehicles(ann.tenant_id).await.unwrap().into_iter().map(|vehicle| vehicle.id).collect();
    assert_eq!(listed, [ids[2], ids[0], ids[1]]);
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

async fn setting_a_default_takes_it_from_the_old_one(db: &TestStore) {
    let ann = db.user("ann").await;
    db.vehicle(&ann, "Civic").await;
    let accord = db.vehicle(&ann, "Accord").await;
    let set = db.store.set_default_vehicle(ann.tenant_id, accord.id).await.unwrap().unwrap();
    assert!(set.is_default);
    assert_eq!(defaults(db, &ann).await, [accord.id]);
    // Twice is the same as once.
    db.store.set_default_vehicle(ann.tenant_id, accord.id).await.unwrap().unwrap();
    assert_eq!(defaults(db, &ann).await, [accord.id]);
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

async fn an_unknown_vehicle_cannot_be_the_default(db: &TestStore) {
    let ann = db.user("ann").await;
    let civic = db.vehicle(&ann, "Civic").await;
    let unknown = VehicleId(Uuid::now_v7());
    assert_eq!(db.store.set_default_vehicle(ann.tenant_id, unknown).await.unwrap(), None);
    assert_eq!(defaults(db, &ann).await, [civic.id]);
}

async fn a_vehicle_of_another_user_is_no_vehicle(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let hers = db.vehicle(&ann, "Civic").await;
    let his = db.vehicle(&bob, "Accord").await;
    assert_eq!(db.store.find_vehicle(bob.tenant_id, hers.id).await.unwrap(), None);
    assert_eq!(db.store.set_default_vehicle(bob.tenant_id, hers.id).await.unwrap(), None);
    assert_eq!(db.store.list_vehicles(bob.tenant_id).await.unwrap(), [his]);
    assert_eq!(defaults(db, &ann).await, [hers.id]);
}

async fn an_edited_vehicle_has_the_new_details_and_keeps_its_place(db: &TestStore) {
    let ann = db.user("ann").await;
    let civic = db.vehicle(&ann, "Civic").await;
    let name = VehicleName::new(1969, "Citroën", "DS 🚗").unwrap();
    let details = NewVehicle::new(name, Some("2.2 L"), None, Some("vf7"), Some("אבג")).unwrap();
    let edited = db.store.update_vehicle(ann.tenant_id, civic.id, &details).await.unwrap().unwrap();
    assert_eq!((edited.id, edited.is_default, edited.created_at), (civic.id, true, civic.created_at));
    assert_eq!(edited.details, details);
    assert_eq!(db.store.find_vehicle(ann.tenant_id, civic.id).await.unwrap(), Some(edited));
    let unknown = VehicleId(Uuid::now_v7());
    assert_eq!(db.store.update_vehicle(ann.tenant_id, unknown, &details).await.unwrap(), None);
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

async fn deleting_the_last_vehicle_leaves_none(db: &TestStore) {
    let ann = db.user("ann").await;
    let civic = db.vehicle(&ann, "Civic").await;
    assert_eq!(db.store.delete_vehicle(ann.tenant_id, civic.id).await.unwrap().unwrap().default, None);
    assert_eq!(db.store.delete_vehicle(ann.tenant_id, civic.id).await.unwrap(), None);
    assert!(db.vehicle(&ann, "Accord").await.is_default);
}

async fn a_vehicle_of_another_user_cannot_be_edited_or_deleted(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let hers = db.vehicle(&ann, "Civic").await;
    let other = new_vehicle("Accord");
    assert_eq!(db.store.update_vehicle(bob.tenant_id, hers.id, &other).await.unwrap(), None);
    assert_eq!(db.store.delete_vehicle(bob.tenant_id, hers.id).await.unwrap(), None);
    assert_eq!(db.store.find_vehicle(ann.tenant_id, hers.id).await.unwrap(), Some(hers));
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
