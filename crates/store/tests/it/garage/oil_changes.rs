use jiff::civil::{Date, date};
use partsight_domain::{
    Cost, LastDone, Mileage, NewOilChange, OIL_CHANGE, OilChangeId, Plan, RecordCursor, RecordPage, User,
    Vehicle, VehicleId,
};
use uuid::Uuid;

use crate::{TestStore, at, on_each_database};

on_each_database![
    oil_changes_come_newest_first_page_by_page,
    the_latest_oil_change_of_each_vehicle_is_found,
    an_oil_change_of_another_user_is_no_oil_change,
    logging_an_oil_change_ends_its_snooze,
];

pub(crate) fn oil_change(vehicle: &Vehicle, on: Date, miles: i64) -> NewOilChange {
    NewOilChange {
        vehicle_id: vehicle.id,
        mileage: Mileage::new(miles).unwrap(),
        oil_type: Some("0W-20".to_owned()),
        oil_brand: None,
        filter_brand: Some("Fïlter 🛢️".to_owned()),
        notes: Some("two\nlines ملاحظة".to_owned()),
        cost: Cost::from_cents(4999),
        change_date: on,
    }
}

async fn log(db: &TestStore, user: &User, vehicle: &Vehicle, on: Date, miles: i64) -> OilChangeId {
    let id = OilChangeId(Uuid::now_v7());
    let new = oil_change(vehicle, on, miles);
    db.store.create_oil_change(user.tenant_id, id, &new, Plan::Business, at(3)).await.unwrap().unwrap().id
}

fn page(limit: u32, before: Option<RecordCursor>) -> RecordPage {
    RecordPage { limit, before }
}

async fn oil_changes_come_newest_first_page_by_page(db: &TestStore) {
    let ann = db.user("ann").await;
    let (civic, accord) = (db.vehicle(&ann, "Civic").await, db.vehicle(&ann, "Accord").await);
    let first = log(db, &ann, &civic, date(2025, 3, 5), 1).await;
    let second = log(db, &ann, &civic, date(2025, 3, 5), 2).await;
    let newest = log(db, &ann, &accord, date(2025, 6, 1), 3).await;
    let oldest = log(db, &ann, &civic, date(1999, 12, 31), 4).await;
    let mut seen = Vec::new();
    let mut before = None;
    loop {
        let list = db.store.list_oil_changes(ann.tenant_id, None, page(1, before)).await.unwrap();
        let Some(change) = list.last() else { break };
        before = Some(RecordCursor { on: change.details.change_date, id: change.id.0 });
        seen.push(change.id);
    }
    assert_eq!(seen, [newest, second, first, oldest]);
    let of_civic = db.store.list_oil_changes(ann.tenant_id, Some(civic.id), page(50, None)).await.unwrap();
    assert_eq!(of_civic.iter().map(|change| change.id).collect::<Vec<_>>(), [second, first, oldest]);
    let exported = db.store.export_oil_changes(ann.tenant_id).await.unwrap();
    assert_eq!(exported.iter().map(|change| change.id).collect::<Vec<_>>(), [oldest, first, second, newest]);
}

async fn the_latest_oil_change_of_each_vehicle_is_found(db: &TestStore) {
    let ann = db.user("ann").await;
    let (civic, accord) = (db.vehicle(&ann, "Civic").await, db.vehicle(&ann, "Accord").await);
    db.vehicle(&ann, "Jazz").await;
    log(db, &ann, &civic, date(2025, 3, 5), 50_000).await;
    // Twice on one day: the higher mileage is the later one.
    log(db, &ann, &civic, date(2025, 6, 5), 55_000).await;
    log(db, &ann, &civic, date(2025, 6, 5), 54_990).await;
    log(db, &ann, &accord, date(2024, 1, 1), 7).await;
    // An appointment counts when its day has come.
    log(db, &ann, &accord, date(2025, 7, 2), 8).await;
    let mut latest = db.store.latest_oil_changes(ann.tenant_id, date(2025, 7, 1)).await.unwrap();
    latest.sort();
    let last = |on, miles| LastDone { on, mileage: Mileage::new(miles) };
    let mut expected: Vec<(VehicleId, LastDone)> =
        vec![(civic.id, last(date(2025, 6, 5), 55_000)), (accord.id, last(date(2024, 1, 1), 7))];
    expected.sort();
    assert_eq!(latest, expected);
}

async fn an_oil_change_of_another_user_is_no_oil_change(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let (hers, his) = (db.vehicle(&ann, "Civic").await, db.vehicle(&bob, "Accord").await);
    let id = log(db, &ann, &hers, date(2025, 3, 5), 52_000).await;
    let store = &db.store;
    assert_eq!(store.find_oil_change(bob.tenant_id, id).await.unwrap(), None);
    assert_eq!(store.list_oil_changes(bob.tenant_id, None, page(50, None)).await.unwrap(), []);
    assert_eq!(store.list_oil_changes(bob.tenant_id, Some(hers.id), page(50, None)).await.unwrap(), []);
    assert_eq!(store.export_oil_changes(bob.tenant_id).await.unwrap(), []);
    assert_eq!(store.latest_oil_changes(bob.tenant_id, date(2030, 1, 1)).await.unwrap(), []);
    let on_his = oil_change(&his, date(2025, 3, 6), 1);
    assert_eq!(store.update_oil_change(bob.tenant_id, id, &on_his).await.unwrap(), None);
    assert!(!store.delete_oil_change(bob.tenant_id, id).await.unwrap());
    // Neither onto a vehicle of somebody else, new or moved.
    let on_hers = oil_change(&hers, date(2025, 3, 6), 1);
    let new_id = OilChangeId(Uuid::now_v7());
    assert_eq!(
        store.create_oil_change(bob.tenant_id, new_id, &on_hers, Plan::Business, at(0)).await.unwrap(),
        None
    );
    assert_eq!(store.update_oil_change(ann.tenant_id, id, &on_his).await.unwrap(), None);
    assert!(store.find_oil_change(ann.tenant_id, id).await.unwrap().is_some());
}

async fn logging_an_oil_change_ends_its_snooze(db: &TestStore) {
    let ann = db.user("ann").await;
    let civic = db.vehicle(&ann, "Civic").await;
    let item = OIL_CHANGE.parse().unwrap();
    let until = Some(date(2027, 3, 1));
    assert!(
        db.store
            .snooze_maintenance_item(ann.tenant_id, civic.id, &item, until, Plan::Business)
            .await
            .unwrap()
    );
    log(db, &ann, &civic, date(2027, 1, 15), 52_000).await;
    let items = db.store.list_maintenance_items(ann.tenant_id, civic.id).await.unwrap();
    assert_eq!(items[0].snoozed_until, None);
}
