use jiff::Timestamp;
use partsight_domain::{
    Candidate, Category, CategoryGuess, JudgingReceipt, PartLabel, Receipt, Scan, ScanAllowance, ScanId,
    StageTimings, UNLIMITED_SCANS, User, Vehicle, VehicleId, Verdict, VerdictThresholds,
};
use partsight_store::{Error, ScanFilter};
use uuid::Uuid;

use crate::{TestStore, at, new_scan, on_each_database};

on_each_database![
    a_scan_is_read_as_it_was_saved,
    a_scan_keeps_the_category_that_it_was_rolled_up_to,
    saving_returns_the_allowance_after_it,
    scans_at_once_never_exceed_the_allowance,
    scans_are_saved_together_or_not_at_all,
    a_refused_scan_leaves_nothing,
    an_unlimited_plan_still_counts,
    a_scan_for_an_unknown_vehicle_is_kept_without_it,
    a_scan_for_a_vehicle_of_another_user_is_kept_without_it,
    scans_of_one_moment_come_in_the_order_of_their_ids,
    the_list_holds_at_most_what_was_asked,
    scans_of_another_user_are_out_of_reach,
    a_scan_and_the_scans_of_its_vehicle_are_deleted_at_once,
    scans_of_a_vehicle_that_are_made_while_its_history_is_cleared_stay,
    an_account_that_has_gone_is_allowed_no_scan,
];

pub(crate) fn scan(moment: Timestamp, vehicle: Option<&Vehicle>) -> Scan {
    let candidate = |label, confidence| Candidate { label: PartLabel::new(label).unwrap(), confidence };
    Scan {
        id: ScanId(Uuid::now_v7()),
        vehicle_id: vehicle.map(|vehicle| vehicle.id),
        vehicle: vehicle.map(|vehicle| vehicle.details.name.clone()),
        verdict: Verdict::Identified,
        best: candidate("brake-rotor", 0.875),
        known_score: 0.75,
        alternatives: vec![candidate("rim", 0.1), candidate("clutch-plate", 0.01)],
        category: None,
        receipt: Receipt {
            candidate_set: None,
            model: "test".to_owned(),
            model_version: "1.0.0".to_owned(),
            model_sha256: "00".repeat(32),
            provider: "CPU".to_owned(),
            thresholds: VerdictThresholds {
                not_a_part_below: 0.1,
                identified_known_score: 0.5,
                identified_confidence: 0.7,
                category_confidence: Some(0.7),
            },
            feedback_temperature: None,
            timings_ms: StageTimings { decode: 1.5, ..StageTimings::default() },
            photo_left_machine: false,
            vehicle_doubts: Vec::new(),
            photos: Vec::new(),
            lacks_taught_parts: true,
            leaves_text_unread: true,
            judging: JudgingReceipt::default(),
        },
        scanned_at: moment,
        has_thumbnail: false,
        has_whole_photo: false,
        feedback: None,
    }
}

async fn save(db: &TestStore, user: &User, scan: &Scan) -> ScanAllowance {
    db.store.save_scan(user.tenant_id, user.id, &new_scan(scan, UNLIMITED_SCANS)).await.unwrap()
}

async fn list(db: &TestStore, user: &User) -> Vec<Scan> {
    db.store.list_scans(user.tenant_id, &ScanFilter::default(), 100).await.unwrap()
}

fn of_vehicle(id: VehicleId) -> ScanFilter {
    ScanFilter { vehicle_id: Some(id), ..ScanFilter::default() }
}

async fn a_scan_is_read_as_it_was_saved(db: &TestStore) {
    let ann = db.user("ann").await;
    let with_vehicle = scan(at(2), Some(&db.vehicle(&ann, "Civic").await));
    let without = Scan { verdict: Verdict::NotSure, alternatives: Vec::new(), ..scan(at(1), None) };
    save(db, &ann, &with_vehicle).await;
    save(db, &ann, &without).await;
    assert_eq!(list(db, &ann).await, [with_vehicle, without]);
}

async fn a_scan_keeps_the_category_that_it_was_rolled_up_to(db: &TestStore) {
    let ann = db.user("ann").await;
    for (second, category) in (0..).zip(Category::ALL) {
        let guess = CategoryGuess { category, confidence: 0.8125 };
        let tied = Scan { verdict: Verdict::NotSure, category: Some(guess), ..scan(at(second), None) };
        save(db, &ann, &tied).await;
        assert_eq!(list(db, &ann).await.first(), Some(&tied));
    }
}

async fn saving_returns_the_allowance_after_it(db: &TestStore) {
    let ann = db.user("ann").await;
    let allowance =
        db.store.save_scan(ann.tenant_id, ann.id, &new_scan(&scan(at(0), None), 2)).await.unwrap();
    assert_eq!(allowance, ScanAllowance { limit: 2, used: 1 });
    assert_eq!(db.store.scans_used(ann.id).await.unwrap(), 1);
}

async fn scans_at_once_never_exceed_the_allowance(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let (store, ann, scan) = (db.store.clone(), ann.clone(), scan(at(0), None));
        calls.spawn(async move { store.save_scan(ann.tenant_id, ann.id, &new_scan(&scan, 2)).await });
    }
    let (saved, refused): (Vec<_>, Vec<_>) = calls.join_all().await.into_iter().partition(Result::is_ok);
    assert_eq!(saved.len(), 2);
    for error in refused {
        assert!(matches!(error, Err(Error::LimitReached { limit: 2 })), "{error:?}");
    }
    assert_eq!(db.store.scans_used(ann.id).await.unwrap(), 2);
    assert_eq!(list(db, &ann).await.len(), 2);
    assert_eq!(db.store.scans_used(bob.id).await.unwrap(), 0);
}

async fn scans_are_saved_together_or_not_at_all(db: &TestStore) {
    let ann = db.user("ann").await;
    let scans = [scan(at(1), None), scan(at(2), None), scan(at(3), None)];
    let new: Vec<_> = scans.iter().map(|scan| new_scan(scan, 2)).collect();
    let refused = db.store.save_scans(ann.tenant_id, ann.id, &new).await;
    assert!(matches!(refused, Err(Error::LimitReached { limit: 2 })), "{refused:?}");
    assert_eq!((list(db, &ann).await, db.store.scans_used(ann.id).await.unwrap()), (Vec::new(), 0));

    let allowance = db.store.save_scans(ann.tenant_id, ann.id, &new[..2]).await.unwrap();
    assert_eq!(allowance, ScanAllowance { limit: 2, used: 2 });
    let [first, second, _] = scans;
    let events = db.store.list_events(ann.tenant_id, 0, 100).await.unwrap();
    let told: Vec<_> = events.iter().map(|event| event.data["scanId"].as_str().unwrap()).collect();
    assert_eq!(told, [first.id.to_string(), second.id.to_string()]);
    assert_eq!(list(db, &ann).await, [second, first]);
}

async fn a_refused_scan_leaves_nothing(db: &TestStore) {
    let ann = db.user("ann").await;
    let refused = db.store.save_scan(ann.tenant_id, ann.id, &new_scan(&scan(at(0), None), 0)).await;
    assert!(matches!(refused, Err(Error::LimitReached { limit: 0 })), "{refused:?}");
    // The same id twice breaks the key after the count was raised: both must go back.
    let twice = scan(at(0), None);
    save(db, &ann, &twice).await;
    db.store.save_scan(ann.tenant_id, ann.id, &new_scan(&twice, UNLIMITED_SCANS)).await.unwrap_err();
    assert_eq!(db.store.scans_used(ann.id).await.unwrap(), 1);
    assert_eq!(list(db, &ann).await, [twice]);
}

async fn an_unlimited_plan_still_counts(db: &TestStore) {
    let ann = db.user("ann").await;
    db.execute("UPDATE app_user SET scans_used = 998").await;
    for used in [999, 1000, 1001] {
        let allowance = save(db, &ann, &scan(at(0), None)).await;
        assert_eq!(allowance, ScanAllowance { limit: UNLIMITED_SCANS, used });
    }
}

async fn a_scan_for_an_unknown_vehicle_is_kept_without_it(db: &TestStore) {
    let ann = db.user("ann").await;
    let mut unknown = db.vehicle(&ann, "Civic").await;
    unknown.id = VehicleId(Uuid::now_v7());
    let scan = scan(at(0), Some(&unknown));
    save(db, &ann, &scan).await;
    assert_eq!(list(db, &ann).await, [Scan { vehicle_id: None, ..scan }]);
}

async fn a_scan_for_a_vehicle_of_another_user_is_kept_without_it(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let his = db.vehicle(&bob, "Civic").await;
    let scan = scan(at(0), Some(&his));
    save(db, &ann, &scan).await;
    assert_eq!(list(db, &ann).await, [Scan { vehicle_id: None, ..scan }]);
    assert_eq!(db.store.list_scans(bob.tenant_id, &of_vehicle(his.id), 100).await.unwrap(), []);
}

async fn scans_of_one_moment_come_in_the_order_of_their_ids(db: &TestStore) {
    let ann = db.user("ann").await;
    let mut scans: Vec<_> = (0..5).map(|_| scan(at(0), None)).collect();
    for scan in &scans {
        save(db, &ann, scan).await;
    }
    scans.sort_by_key(|scan| std::cmp::Reverse(scan.id));
    assert_eq!(list(db, &ann).await, scans);
}

async fn the_list_holds_at_most_what_was_asked(db: &TestStore) {
    let ann = db.user("ann").await;
    for second in 0..4 {
        save(db, &ann, &scan(at(second), None)).await;
    }
    for (limit, expected) in [(0, 0), (3, 3), (4, 4), (u32::MAX, 4)] {
        let listed = db.store.list_scans(ann.tenant_id, &ScanFilter::default(), limit).await.unwrap();
        assert_eq!(listed.len(), expected, "limit {limit}");
    }
}

async fn scans_of_another_user_are_out_of_reach(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let civic = db.vehicle(&ann, "Civic").await;
    let hers = scan(at(0), Some(&civic));
    save(db, &ann, &hers).await;
    assert_eq!(list(db, &bob).await, []);
    assert_eq!(db.store.list_scans(bob.tenant_id, &of_vehicle(civic.id), 100).await.unwrap(), []);
    db.store.clear_history(bob.tenant_id).await.unwrap();
    assert_eq!(db.store.erase_cleared_history(bob.tenant_id).await.unwrap(), 0);
    assert_eq!(db.store.delete_scans_of_vehicle(bob.tenant_id, civic.id, at(9)).await.unwrap(), 0);
    assert_eq!(list(db, &ann).await, [hers]);
}

async fn a_scan_and_the_scans_of_its_vehicle_are_deleted_at_once(db: &TestStore) {
    let ann = db.user("ann").await;
    let civic = db.vehicle(&ann, "Civic").await;
    for second in 0..20 {
        let scan = scan(at(second), Some(&civic));
        save(db, &ann, &scan).await;
        let (one, all) = tokio::join!(
            db.store.delete_scan(ann.tenant_id, scan.id),
            db.store.delete_scans_of_vehicle(ann.tenant_id, civic.id, at(20)),
        );
        assert_eq!(u64::from(one.unwrap()) + all.unwrap(), 1, "it is deleted once");
        assert!(list(db, &ann).await.is_empty());
    }
    assert_eq!(db.store.list_events(ann.tenant_id, 0, 100).await.unwrap(), [], "and so are the events");
}

async fn scans_of_a_vehicle_that_are_made_while_its_history_is_cleared_stay(db: &TestStore) {
    let ann = db.user("ann").await;
    let (civic, jazz) = (db.vehicle(&ann, "Civic").await, db.vehicle(&ann, "Jazz").await);
    assert_eq!(db.store.newest_scan_of_vehicle(ann.tenant_id, civic.id).await.unwrap(), None);
    for (second, vehicle) in [(1, &civic), (2, &civic), (3, &jazz)] {
        save(db, &ann, &scan(at(second), Some(vehicle))).await;
    }
    let until = db.store.newest_scan_of_vehicle(ann.tenant_id, civic.id).await.unwrap().unwrap();
    assert_eq!(until, at(2));
    save(db, &ann, &scan(at(4), Some(&civic))).await;
    assert_eq!(db.store.delete_scans_of_vehicle(ann.tenant_id, civic.id, until).await.unwrap(), 2);
    let left: Vec<_> = list(db, &ann).await.iter().map(|scan| scan.scanned_at).collect();
    assert_eq!(left, [at(4), at(3)]);
}

async fn an_account_that_has_gone_is_allowed_no_scan(db: &TestStore) {
    let ann = db.user("ann").await;
    assert!(db.store.delete_user(ann.id, ann.tenant_id).await.unwrap());
    let scan = scan(at(1), None);
    let saved = db.store.save_scan(ann.tenant_id, ann.id, &new_scan(&scan, UNLIMITED_SCANS)).await;
    assert!(matches!(saved, Err(Error::LimitReached { .. })), "{saved:?}");
}
