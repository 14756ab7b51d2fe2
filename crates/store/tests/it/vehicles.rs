use partsight_domain::{NewVehicle, User, VehicleId, VehicleName};
use uuid::Uuid;

use crate::{TestStore, at, new_vehicle, on_each_database};

on_each_database![
    a_vehicle_is_found_as_it_was_saved,
    the_first_vehicle_becomes_the_default,
    the_default_comes_first_and_then_the_order_of_adding,
    setting_a_default_takes_it_from_the_old_one,
    two_first_vehicles_at_once_leave_one_default,
    defaults_set_at_once_leave_one_default,
    an_unknown_vehicle_cannot_be_the_default,
    a_vehicle_of_another_user_is_no_vehicle,
    each_user_has_a_default_of_their_own,
];

async fn defaults(db: &TestStore, user: &User) -> Vec<VehicleId> {
    let vehicles = db.store.list_vehicles(user.id).await.unwrap();
    vehicles.iter().filter(|vehicle| vehicle.is_default).map(|vehicle| vehicle.id).collect()
}

async fn a_vehicle_is_found_as_it_was_saved(db: &TestStore) {
    let ann = db.user("ann").await;
    let name = VehicleName::new(1969, "Citroën", "DS 21 Pallas").unwrap();
    let new = NewVehicle::new(name, Some("2.2 L"), Some("manual"), Some("1hgbh41jxmn109186"), Some("日本-1"));
    let new = new.unwrap();
    let id = VehicleId(Uuid::now_v7());
    let saved = db.store.create_vehicle(ann.id, id, &new, at(3)).await.unwrap();
    assert_eq!((saved.id, &saved.details, saved.created_at), (id, &new, at(3)));
    assert_eq!(db.store.find_vehicle(ann.id, id).await.unwrap(), Some(saved));
}

async fn the_first_vehicle_becomes_the_default(db: &TestStore) {
    let ann = db.user("ann").await;
    assert_eq!(db.store.find_default_vehicle(ann.id).await.unwrap(), None);
    let first = db.vehicle(&ann, "Civic").await;
    let second = db.vehicle(&ann, "Accord").await;
    assert!(first.is_default && !second.is_default);
    assert_eq!(db.store.find_default_vehicle(ann.id).await.unwrap(), Some(first));
}

async fn the_default_comes_first_and_then_the_order_of_adding(db: &TestStore) {
    let ann = db.user("ann").await;
    let mut ids = Vec::new();
    for (second, model) in ["Civic", "Accord", "Jazz"].into_iter().enumerate() {
        let id = VehicleId(Uuid::now_v7());
        let moment = at(i64::try_from(second).unwrap());
        db.store.create_vehicle(ann.id, id, &new_vehicle(model), moment).await.unwrap();
        ids.push(id);
    }
    db.store.set_default_vehicle(ann.id, ids[2]).await.unwrap();
    let listed: Vec<_> =
        db.store.list_vehicles(ann.id).await.unwrap().into_iter().map(|vehicle| vehicle.id).collect();
    assert_eq!(listed, [ids[2], ids[0], ids[1]]);
}

async fn setting_a_default_takes_it_from_the_old_one(db: &TestStore) {
    let ann = db.user("ann").await;
    db.vehicle(&ann, "Civic").await;
    let accord = db.vehicle(&ann, "Accord").await;
    let set = db.store.set_default_vehicle(ann.id, accord.id).await.unwrap().unwrap();
    assert!(set.is_default);
    assert_eq!(defaults(db, &ann).await, [accord.id]);
    // Twice is the same as once.
    db.store.set_default_vehicle(ann.id, accord.id).await.unwrap().unwrap();
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
        let (store, user_id, id) = (db.store.clone(), ann.id, vehicle.id);
        calls.spawn(async move { store.set_default_vehicle(user_id, id).await });
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
    assert_eq!(db.store.set_default_vehicle(ann.id, unknown).await.unwrap(), None);
    assert_eq!(defaults(db, &ann).await, [civic.id]);
}

async fn a_vehicle_of_another_user_is_no_vehicle(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let hers = db.vehicle(&ann, "Civic").await;
    let his = db.vehicle(&bob, "Accord").await;
    assert_eq!(db.store.find_vehicle(bob.id, hers.id).await.unwrap(), None);
    assert_eq!(db.store.set_default_vehicle(bob.id, hers.id).await.unwrap(), None);
    assert_eq!(db.store.list_vehicles(bob.id).await.unwrap(), [his]);
    assert_eq!(defaults(db, &ann).await, [hers.id]);
}

async fn each_user_has_a_default_of_their_own(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let hers = db.vehicle(&ann, "Civic").await;
    let his = db.vehicle(&bob, "Civic").await;
    assert_eq!(defaults(db, &ann).await, [hers.id]);
    assert_eq!(defaults(db, &bob).await, [his.id]);
}
