use jiff::civil::date;
use partsight_domain::{Recall, SafetyRecords, VehicleName};
use partsight_store::KeptSafetyRecords;

use crate::{TestStore, at, on_each_database};

on_each_database![safety_records_are_kept_by_tenant_and_name, only_the_last_asked_vehicles_are_kept];

fn kept(vehicle: &VehicleName, campaign: &str, second: i64) -> KeptSafetyRecords {
    let recall = Recall {
        campaign: campaign.to_owned(),
        reported_on: Some(date(2020, 5, 28)),
        component: "FUEL SYSTEM, GASOLINE".to_owned(),
        summary: Some("\u{201e}It\u{201c} may fail.".to_owned()),
        consequence: None,
        remedy: None,
        is_do_not_drive: true,
        is_park_outside: false,
    };
    let records = SafetyRecords::new(vehicle.clone(), vec![recall], Vec::new(), 0);
    KeptSafetyRecords { records, fetched_at: at(second) }
}

async fn safety_records_are_kept_by_tenant_and_name(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await.tenant_id, db.user("bob").await.tenant_id);
    let accord: VehicleName = "2003 Honda Accord".parse().unwrap();
    for (campaign, second) in [("19V182000", 5), ("20V314000", 9)] {
        db.store.keep_safety_records(ann, &kept(&accord, campaign, second)).await.unwrap();
    }
    let shouted: VehicleName = "2003 HONDA ACCORD".parse().unwrap();
    let found = db.store.find_safety_records(ann, &shouted).await.unwrap();
    assert_eq!(found, Some(kept(&accord, "20V314000", 9)), "the last answer in place of the first");
    assert_eq!(db.store.find_safety_records(bob, &accord).await.unwrap(), None);
    let other: VehicleName = "2004 Honda Accord".parse().unwrap();
    assert_eq!(db.store.find_safety_records(ann, &other).await.unwrap(), None);
}

async fn only_the_last_asked_vehicles_are_kept(db: &TestStore) {
    let ann = db.user("ann").await.tenant_id;
    let name = |n: i64| -> VehicleName { format!("2003 Honda Model{n}").parse().unwrap() };
    for n in 0..301 {
        db.store.keep_safety_records(ann, &kept(&name(n), "19V182000", n)).await.unwrap();
    }
    assert_eq!(db.store.find_safety_records(ann, &name(0)).await.unwrap(), None);
    assert!(db.store.find_safety_records(ann, &name(1)).await.unwrap().is_some());
}
