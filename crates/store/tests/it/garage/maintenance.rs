use jiff::civil::date;
use partsight_domain::{
    Interval, ItemId, LastDone, MaintenanceItem, Mileage, NewMaintenance, NewRepair, OIL_CHANGE, OilChangeId,
    OwnerOil, Plan, RepairId, VehicleName,
};
use partsight_store::DoneRecord;
use uuid::Uuid;

use super::oil_changes::oil_change;
use super::repairs::repair;
use crate::{TestStore, at, on_each_database};

on_each_database![
    an_item_is_found_as_it_was_set_and_a_snooze_outlives_an_edit,
    what_was_done_leaves_a_record_and_ends_the_snooze,
    items_of_another_user_are_none,
    own_oil_values_are_kept_per_vehicle_and_found_by_name,
];

fn item(text: &str) -> ItemId {
    text.parse().unwrap()
}

fn set(months: i64) -> NewMaintenance {
    NewMaintenance {
        name: Some("Wax".to_owned()),
        interval: Interval::new(Some(months), None).unwrap(),
        last_done: Some(LastDone { on: date(2026, 5, 1), mileage: Mileage::new(12_000) }),
        is_enabled: true,
    }
}

fn oil() -> OwnerOil {
    OwnerOil::new(Some("0W-20"), Some(4.4), None).unwrap()
}

async fn an_item_is_found_as_it_was_set_and_a_snooze_outlives_an_edit(db: &TestStore) {
    let ann = db.user("ann").await;
    let civic = db.vehicle(&ann, "Civic").await;
    let store = &db.store;
    let wax = item("wax");
    assert!(
        store.save_maintenance_item(ann.tenant_id, civic.id, &wax, &set(6), Plan::Business).await.unwrap()
    );
    let until = Some(date(2027, 2, 1));
    assert!(
        store.snooze_maintenance_item(ann.tenant_id, civic.id, &wax, until, Plan::Business).await.unwrap()
    );
    let off = NewMaintenance { interval: None, last_done: None, name: None, is_enabled: false };
    assert!(store.save_maintenance_item(ann.tenant_id, civic.id, &wax, &off, Plan::Business).await.unwrap());
    let expected = MaintenanceItem {
        item: wax.clone(),
        name: None,
        interval: None,
        last_done: None,
        snoozed_until: until,
        is_enabled: false,
    };
    assert_eq!(store.list_maintenance_items(ann.tenant_id, civic.id).await.unwrap(), [expected]);
    assert!(
        store.save_maintenance_item(ann.tenant_id, civic.id, &wax, &set(9), Plan::Business).await.unwrap()
    );
    assert!(
        store.snooze_maintenance_item(ann.tenant_id, civic.id, &wax, None, Plan::Business).await.unwrap()
    );
    let all = store.list_all_maintenance_items(ann.tenant_id).await.unwrap();
    assert_eq!(
        (all[0].0, all[0].1.interval, all[0].1.last_done),
        (civic.id, set(9).interval, set(9).last_done)
    );
    assert_eq!(all[0].1.snoozed_until, None);
    assert!(store.delete_maintenance_item(ann.tenant_id, civic.id, &wax).await.unwrap());
    assert!(!store.delete_maintenance_item(ann.tenant_id, civic.id, &wax).await.unwrap());
}

async fn what_was_done_leaves_a_record_and_ends_the_snooze(db: &TestStore) {
    let ann = db.user("ann").await;
    let civic = db.vehicle(&ann, "Civic").await;
    let store = &db.store;
    let (oil, coolant) = (item(OIL_CHANGE), item("coolant"));
    let until = Some(date(2027, 2, 1));
    let change =
        |on, miles| DoneRecord::OilChange(OilChangeId(Uuid::now_v7()), oil_change(&civic, on, miles));
    let flush = |on| {
        let new = NewRepair { maintenance_item: Some(coolant.clone()), ..repair(&civic, on, 12_000) };
        DoneRecord::Repair(RepairId(Uuid::now_v7()), new)
    };
    for (id, records) in [
        (&oil, [change(date(2027, 1, 10), 20_000), change(date(2026, 1, 10), 10_000)]),
        (&coolant, [flush(date(2026, 5, 1)), flush(date(2026, 9, 1))]),
    ] {
        assert!(
            store.snooze_maintenance_item(ann.tenant_id, civic.id, id, until, Plan::Business).await.unwrap()
        );
        for record in &records {
            assert!(
                store
                    .record_maintenance_done(ann.tenant_id, civic.id, id, record, Plan::Business, at(0))
                    .await
                    .unwrap()
            );
        }
    }
    let items = store.list_maintenance_items(ann.tenant_id, civic.id).await.unwrap();
    assert!(items.iter().all(|item| (item.last_done, item.snoozed_until) == (None, None)), "{items:?}");
    assert_eq!(store.export_oil_changes(ann.tenant_id).await.unwrap().len(), 2);

    // The last time is that of the latest repair, and goes with it.
    let last = async |until| {
        let all = store.latest_repairs_of_items(ann.tenant_id, until).await.unwrap();
        all.into_iter().map(|(vehicle, (item, last))| (vehicle, item, last.on)).collect::<Vec<_>>()
    };
    assert_eq!(last(date(2027, 1, 1)).await, [(civic.id, coolant.clone(), date(2026, 9, 1))]);
    // One for a later day is an appointment.
    assert_eq!(last(date(2026, 8, 1)).await, [(civic.id, coolant.clone(), date(2026, 5, 1))]);
    let repairs = store.export_repairs(ann.tenant_id).await.unwrap();
    let newest = repairs.iter().max_by_key(|repair| repair.details.repair_date).unwrap();
    assert!(store.delete_repair(ann.tenant_id, newest.id).await.unwrap());
    assert_eq!(last(date(2027, 1, 1)).await, [(civic.id, coolant, date(2026, 5, 1))]);
}

async fn items_of_another_user_are_none(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let hers = db.vehicle(&ann, "Civic").await;
    let store = &db.store;
    let wax = item("wax");
    store.save_maintenance_item(ann.tenant_id, hers.id, &wax, &set(6), Plan::Business).await.unwrap();
    assert!(
        !store.save_maintenance_item(bob.tenant_id, hers.id, &wax, &set(9), Plan::Business).await.unwrap()
    );
    assert!(
        !store.snooze_maintenance_item(bob.tenant_id, hers.id, &wax, None, Plan::Business).await.unwrap()
    );
    assert!(!store.delete_maintenance_item(bob.tenant_id, hers.id, &wax).await.unwrap());
    let id = OilChangeId(Uuid::now_v7());
    let done = DoneRecord::OilChange(id, oil_change(&hers, date(2027, 1, 1), 1));
    assert!(
        !store
            .record_maintenance_done(bob.tenant_id, hers.id, &wax, &done, Plan::Business, at(0))
            .await
            .unwrap()
    );
    assert_eq!(store.list_maintenance_items(bob.tenant_id, hers.id).await.unwrap(), []);
    assert_eq!(store.list_all_maintenance_items(bob.tenant_id).await.unwrap(), []);
    let kept = store.list_maintenance_items(ann.tenant_id, hers.id).await.unwrap();
    assert_eq!((kept[0].interval, kept[0].last_done), (set(6).interval, set(6).last_done));
    assert!(!store.save_vehicle_oil(bob.tenant_id, hers.id, &oil()).await.unwrap());
    assert_eq!(store.find_vehicle_oil(ann.tenant_id, hers.id).await.unwrap(), None);
}

async fn own_oil_values_are_kept_per_vehicle_and_found_by_name(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let civic = db.vehicle(&ann, "Civic").await;
    let store = &db.store;
    assert!(store.save_vehicle_oil(ann.tenant_id, civic.id, &oil()).await.unwrap());
    assert_eq!(store.find_vehicle_oil(ann.tenant_id, civic.id).await.unwrap(), Some(oil()));
    let other = OwnerOil::new(None, None, Some("PH7317")).unwrap();
    assert!(store.save_vehicle_oil(ann.tenant_id, civic.id, &other).await.unwrap());
    let name = VehicleName::new(2015, "HONDA", "civic").unwrap();
    assert_eq!(store.find_owner_oil(ann.tenant_id, &name).await.unwrap(), Some(other));
    assert_eq!(store.find_owner_oil(bob.tenant_id, &name).await.unwrap(), None);
    let other_year = VehicleName::new(2016, "Honda", "Civic").unwrap();
    assert_eq!(store.find_owner_oil(ann.tenant_id, &other_year).await.unwrap(), None);
    assert_eq!(store.find_vehicle_oil(bob.tenant_id, civic.id).await.unwrap(), None);
    assert!(!store.delete_vehicle_oil(bob.tenant_id, civic.id).await.unwrap());
    assert!(store.delete_vehicle_oil(ann.tenant_id, civic.id).await.unwrap());
}
