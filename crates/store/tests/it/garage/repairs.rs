use jiff::civil::{Date, date};
use partsight_domain::{
    Cost, Mileage, NewRepair, OdometerReading, PartLabel, Plan, RecordCursor, RecordPage, RepairId, User,
    Vehicle, VehicleId,
};
use partsight_store::{ImportRecords, RecordBatch};
use uuid::Uuid;

use super::oil_changes::oil_change;
use crate::{TestStore, at, new_vehicle, on_each_database};

on_each_database![
    repairs_come_newest_first_page_by_page,
    a_repair_is_edited_and_deleted,
    a_repair_of_another_user_is_no_repair,
    readings_come_from_records_and_from_between,
    a_batch_is_saved_whole_or_not_at_all,
    of_two_imports_at_once_the_second_sees_the_first,
    many_records_are_imported_at_once,
];

pub(crate) fn repair(vehicle: &Vehicle, on: Date, miles: i64) -> NewRepair {
    NewRepair {
        vehicle_id: vehicle.id,
        mileage: Mileage::new(miles).unwrap(),
        part_replaced: "Lichtmaschine 🔋".to_owned(),
        part_label: Some(PartLabel::new("alternator").unwrap()),
        part_number: Some("AL-130".to_owned()),
        part_brand: None,
        notes: None,
        cost: Cost::from_cents(34_950),
        repair_date: on,
        maintenance_item: None,
    }
}

async fn log(db: &TestStore, user: &User, vehicle: &Vehicle, on: Date, miles: i64) -> RepairId {
    let id = RepairId(Uuid::now_v7());
    let new = repair(vehicle, on, miles);
    db.store.create_repair(user.tenant_id, id, &new, Plan::Business, at(3)).await.unwrap().unwrap().id
}

const ALL: RecordPage = RecordPage { limit: 50, before: None };

async fn repairs_come_newest_first_page_by_page(db: &TestStore) {
    let ann = db.user("ann").await;
    let (civic, accord) = (db.vehicle(&ann, "Civic").await, db.vehicle(&ann, "Accord").await);
    let older = log(db, &ann, &civic, date(2025, 3, 5), 1).await;
    let newer = log(db, &ann, &accord, date(2025, 3, 5), 2).await;
    let newest = log(db, &ann, &civic, date(2026, 1, 1), 3).await;
    let two = RecordPage { limit: 2, before: None };
    let page = db.store.list_repairs(ann.tenant_id, None, two).await.unwrap();
    assert_eq!(page.iter().map(|repair| repair.id).collect::<Vec<_>>(), [newest, newer]);
    let cursor = RecordCursor { on: page[1].details.repair_date, id: page[1].id.0 };
    let next = RecordPage { limit: 2, before: Some(cursor) };
    let page = db.store.list_repairs(ann.tenant_id, None, next).await.unwrap();
    assert_eq!(page.iter().map(|repair| repair.id).collect::<Vec<_>>(), [older]);
    let of_accord = db.store.list_repairs(ann.tenant_id, Some(accord.id), ALL).await.unwrap();
    assert_eq!(of_accord.iter().map(|repair| repair.id).collect::<Vec<_>>(), [newer]);
}

async fn a_repair_is_edited_and_deleted(db: &TestStore) {
    let ann = db.user("ann").await;
    let (civic, accord) = (db.vehicle(&ann, "Civic").await, db.vehicle(&ann, "Accord").await);
    let id = log(db, &ann, &civic, date(2025, 3, 5), 52_000).await;
    let new = NewRepair {
        notes: Some("ok".to_owned()),
        part_brand: Some("Bosch".to_owned()),
        part_number: None,
        cost: None,
        ..repair(&accord, date(2024, 1, 1), 9)
    };
    let edited = db.store.update_repair(ann.tenant_id, id, &new).await.unwrap().unwrap();
    assert_eq!((&edited.details, &edited.vehicle), (&new, &accord.details.name));
    assert!(db.store.delete_repair(ann.tenant_id, id).await.unwrap());
    assert!(!db.store.delete_repair(ann.tenant_id, id).await.unwrap());
}

async fn a_repair_of_another_user_is_no_repair(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let (hers, his) = (db.vehicle(&ann, "Civic").await, db.vehicle(&bob, "Accord").await);
    let id = log(db, &ann, &hers, date(2025, 3, 5), 52_000).await;
    let store = &db.store;
    assert_eq!(store.find_repair(bob.tenant_id, id).await.unwrap(), None);
    assert_eq!(store.list_repairs(bob.tenant_id, Some(hers.id), ALL).await.unwrap(), []);
    let on_his = repair(&his, date(2025, 3, 6), 1);
    let on_hers = repair(&hers, date(2025, 3, 6), 1);
    assert_eq!(store.update_repair(bob.tenant_id, id, &on_his).await.unwrap(), None);
    assert_eq!(store.update_repair(ann.tenant_id, id, &on_his).await.unwrap(), None);
    assert!(!store.delete_repair(bob.tenant_id, id).await.unwrap());
    let new_id = RepairId(Uuid::now_v7());
    assert_eq!(
        store.create_repair(bob.tenant_id, new_id, &on_hers, Plan::Business, at(0)).await.unwrap(),
        None
    );
    assert_eq!(store.export_repairs(bob.tenant_id).await.unwrap(), []);
}

async fn readings_come_from_records_and_from_between(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let civic = db.vehicle(&ann, "Civic").await;
    let store = &db.store;
    let change = oil_change(&civic, date(2026, 1, 1), 1000);
    let id = partsight_domain::OilChangeId(Uuid::now_v7());
    store.create_oil_change(ann.tenant_id, id, &change, Plan::Business, at(0)).await.unwrap().unwrap();
    log(db, &ann, &civic, date(2026, 2, 1), 2000).await;
    let read = |miles| OdometerReading { on: date(2026, 3, 1), mileage: Mileage::new(miles).unwrap() };
    let between = read(3000);
    // The last of a day counts: one before it was mistyped. The same reading twice is one.
    for reading in [read(300_000), between, between] {
        assert!(store.add_odometer_reading(ann.tenant_id, civic.id, reading, Plan::Business).await.unwrap());
    }
    assert!(!store.add_odometer_reading(bob.tenant_id, civic.id, between, Plan::Business).await.unwrap());
    let since = |day| async move {
        let mut readings = store.list_odometer_readings(ann.tenant_id, civic.id, day).await.unwrap();
        readings.sort_unstable();
        readings.iter().map(|reading| reading.mileage.get()).collect::<Vec<_>>()
    };
    assert_eq!(since(Date::ZERO).await, [1000, 2000, 3000]);
    assert_eq!(since(date(2026, 2, 1)).await, [2000, 3000]);
    let all = store.list_all_odometer_readings(ann.tenant_id, Date::ZERO).await.unwrap();
    assert!(all.len() == 3 && all.iter().all(|(id, _)| *id == civic.id));
    // Those of records are not among those that were noted.
    assert_eq!(store.list_noted_readings(ann.tenant_id, civic.id).await.unwrap(), [between]);
    assert_eq!(store.list_noted_readings(bob.tenant_id, civic.id).await.unwrap(), []);
    assert!(!store.delete_odometer_reading(bob.tenant_id, civic.id, between).await.unwrap());
    assert!(!store.delete_odometer_reading(ann.tenant_id, civic.id, read(300_000)).await.unwrap());
    assert!(store.delete_odometer_reading(ann.tenant_id, civic.id, between).await.unwrap());
    assert_eq!(since(Date::ZERO).await, [1000, 2000]);
    assert_eq!(store.list_all_odometer_readings(bob.tenant_id, Date::ZERO).await.unwrap(), []);
}

/// Imports a batch that was compared with what is there now.
async fn import(db: &TestStore, user: &User, batch: &RecordBatch) -> ImportRecords {
    let seen = db.store.mark_records(user.tenant_id, batch.kind()).await.unwrap();
    db.store.import_records(user.tenant_id, batch, &seen, Plan::Business, at(0)).await.unwrap()
}

async fn a_batch_is_saved_whole_or_not_at_all(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let (hers, his) = (db.vehicle(&ann, "Civic").await, db.vehicle(&bob, "Accord").await);
    let batch = |vehicle: &Vehicle| {
        RecordBatch::Repairs(vec![
            (RepairId(Uuid::now_v7()), repair(&hers, date(2025, 1, 1), 1)),
            (RepairId(Uuid::now_v7()), repair(vehicle, date(2025, 1, 2), 2)),
        ])
    };
    assert_eq!(import(db, &ann, &batch(&his)).await, ImportRecords::VehicleGone);
    assert_eq!(db.store.export_repairs(ann.tenant_id).await.unwrap(), []);
    assert_eq!(import(db, &ann, &batch(&hers)).await, ImportRecords::Saved);
    assert_eq!(db.store.export_repairs(ann.tenant_id).await.unwrap().len(), 2);
}

async fn of_two_imports_at_once_the_second_sees_the_first(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let (hers, his) = (db.vehicle(&ann, "Civic").await, db.vehicle(&bob, "Accord").await);
    let batch = |vehicle: &Vehicle| {
        RecordBatch::Repairs(vec![(RepairId(Uuid::now_v7()), repair(vehicle, date(2025, 1, 1), 1))])
    };
    let (first, second, other) = (batch(&hers), batch(&hers), batch(&his));
    let seen = db.store.mark_records(ann.tenant_id, first.kind()).await.unwrap();
    // What somebody else imports changes nothing for her.
    assert_eq!(import(db, &bob, &other).await, ImportRecords::Saved);
    let (one, two) = tokio::join!(
        db.store.import_records(ann.tenant_id, &first, &seen, Plan::Business, at(0)),
        db.store.import_records(ann.tenant_id, &second, &seen, Plan::Business, at(0)),
    );
    let mut results = [one.unwrap(), two.unwrap()];
    results.sort_unstable_by_key(|result| *result != ImportRecords::Saved);
    assert_eq!(results, [ImportRecords::Saved, ImportRecords::Changed]);
    // One deleted and another made is as many, and not the same.
    let seen = db.store.mark_records(ann.tenant_id, first.kind()).await.unwrap();
    let there = db.store.export_repairs(ann.tenant_id).await.unwrap();
    assert!(db.store.delete_repair(ann.tenant_id, there[0].id).await.unwrap());
    log(db, &ann, &hers, date(2026, 2, 1), 2000).await;
    let late =
        db.store.import_records(ann.tenant_id, &batch(&hers), &seen, Plan::Business, at(0)).await.unwrap();
    assert_eq!(late, ImportRecords::Changed);
}

async fn many_records_are_imported_at_once(db: &TestStore) {
    let ann = db.user("ann").await;
    let ids: Vec<VehicleId> = (0..3).map(|_| VehicleId(Uuid::now_v7())).collect();
    let new = ids.iter().map(|id| (*id, new_vehicle("Civic"))).collect();
    assert_eq!(import(db, &ann, &RecordBatch::Vehicles(new)).await, ImportRecords::Saved);
    let vehicles = db.store.list_vehicles(ann.tenant_id).await.unwrap();
    assert_eq!(vehicles.iter().filter(|vehicle| vehicle.is_default).count(), 1);
    let readings = (0..300)
        .map(|n| (ids[0], OdometerReading { on: date(2025, 1, 1), mileage: Mileage::new(n % 200).unwrap() }));
    let batch = RecordBatch::Readings(readings.collect());
    assert_eq!(import(db, &ann, &batch).await, ImportRecords::Saved);
    let all = db.store.list_all_odometer_readings(ann.tenant_id, Date::ZERO).await.unwrap();
    assert_eq!(all.len(), 200);
}
