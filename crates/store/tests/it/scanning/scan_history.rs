use partsight_domain::{
    FeedbackKind, PartLabel, PhotoSize, Scan, ScanFeedback, ScanId, ScanPhoto, UNLIMITED_SCANS, User,
    Vehicle, VehicleName,
};
use partsight_store::{NewScan, ScanFilter};

use super::scans::scan;
use crate::{TestStore, at, new_scan, on_each_database};

on_each_database![
    pages_follow_each_other_without_gap_or_overlap,
    a_page_goes_on_where_the_deleted_scan_was,
    parts_and_vehicles_filter_the_list_and_the_count,
    hostile_texts_find_nothing,
    only_the_newest_are_listed_where_more_are_hidden,
    the_scanned_vehicles_are_named_once,
    a_scan_that_cannot_be_counted_leaves_no_picture,
    old_pictures_go_and_their_scans_stay,
];

async fn save(db: &TestStore, user: &User, scan: &Scan, photos: &[ScanPhoto]) {
    db.store
        .save_scan(user.tenant_id, user.id, &NewScan { photos, ..new_scan(scan, UNLIMITED_SCANS) })
        .await
        .unwrap();
}

fn part(label: &str) -> PartLabel {
    PartLabel::new(label).unwrap()
}

fn scan_of(label: &str, second: i64, vehicle: Option<&Vehicle>) -> Scan {
    let mut scan = scan(at(second), vehicle);
    scan.best.label = part(label);
    scan
}

fn thumbnail(bytes: &[u8]) -> ScanPhoto {
    ScanPhoto { size: PhotoSize::Thumbnail, media_type: "image/jpeg".to_owned(), bytes: bytes.to_vec() }
}

fn ids(scans: &[Scan]) -> Vec<ScanId> {
    scans.iter().map(|scan| scan.id).collect()
}

async fn pages_follow_each_other_without_gap_or_overlap(db: &TestStore) {
    let ann = db.user("ann").await;
    let mut scans = Vec::new();
    // Several of one moment, so that the ids must decide.
    for second in [0, 1, 1, 1, 1, 2, 3] {
        let scan = scan(at(second), None);
        save(db, &ann, &scan, &[]).await;
        scans.push(scan);
    }
    scans.sort_by_key(|scan| std::cmp::Reverse(scan.position()));
    let mut filter = ScanFilter::default();
    let mut paged = Vec::new();
    loop {
        let page = db.store.list_scans(ann.tenant_id, &filter, 2).await.unwrap();
        let Some(last) = page.last() else { break };
        filter.before = Some(last.position());
        paged.extend(page);
    }
    assert_eq!(ids(&paged), ids(&scans));
}

async fn a_page_goes_on_where_the_deleted_scan_was(db: &TestStore) {
    let ann = db.user("ann").await;
    let scans = [3, 2, 1].map(|second| scan(at(second), None));
    for scan in &scans {
        save(db, &ann, scan, &[]).await;
    }
    db.store.delete_scan(ann.tenant_id, scans[1].id).await.unwrap();
    let filter = ScanFilter { before: Some(scans[1].position()), ..ScanFilter::default() };
    assert_eq!(ids(&db.store.list_scans(ann.tenant_id, &filter, 9).await.unwrap()), [scans[2].id]);
}

async fn parts_and_vehicles_filter_the_list_and_the_count(db: &TestStore) {
    let ann = db.user("ann").await;
    let (civic, accord) = (db.vehicle(&ann, "Civic").await, db.vehicle(&ann, "Accord").await);
    let scans = [
        scan_of("brake-rotor", 5, Some(&civic)),
        scan_of("spark-plug", 4, Some(&civic)),
        scan_of("brake-rotor", 3, Some(&accord)),
        scan_of("rim", 2, None),
    ];
    for scan in &scans {
        save(db, &ann, scan, &[]).await;
    }
    let found = |filter: ScanFilter| {
        let (scans, db, tenant_id) = (&scans, &db, ann.tenant_id);
        async move {
            let found = db.store.list_scans(tenant_id, &filter, 9).await.unwrap();
            assert_eq!(db.store.count_scans(tenant_id, &filter).await.unwrap(), found.len() as u64);
            found
                .iter()
                .map(|scan| scans.iter().position(|saved| saved.id == scan.id).unwrap())
                .collect::<Vec<_>>()
        }
    };
    let all = ScanFilter::default;
    assert_eq!(found(all()).await, [0, 1, 2, 3]);
    assert_eq!(found(ScanFilter { vehicle_id: Some(civic.id), ..all() }).await, [0, 1]);
    let brakes = Some(vec![part("brake-rotor"), part("brake-caliper")]);
    assert_eq!(found(ScanFilter { labels: brakes.clone(), ..all() }).await, [0, 2]);
    assert_eq!(found(ScanFilter { labels: Some(Vec::new()), ..all() }).await, [] as [usize; 0]);
    let accord_name = accord.details.name.clone();
    let accords = vec![accord_name.clone()];
    let rim_or_accord = (vec![part("rim")], accords.clone());
    let accord = (Vec::new(), accords);
    assert_eq!(found(ScanFilter { words: vec![rim_or_accord.clone()], ..all() }).await, [2, 3]);
    let among_brakes = ScanFilter { words: vec![rim_or_accord.clone()], labels: brakes, ..all() };
    assert_eq!(found(among_brakes).await, [2]);
    assert_eq!(found(ScanFilter { words: vec![accord.clone()], ..all() }).await, [2]);
    assert_eq!(found(ScanFilter { words: vec![rim_or_accord, accord], ..all() }).await, [2]);
    let nothing = (Vec::new(), Vec::new());
    assert_eq!(found(ScanFilter { words: vec![nothing], ..all() }).await, [] as [usize; 0]);

    // A corrected scan is found by what it was corrected to, and no longer by its answer.
    let shoe = ScanFeedback {
        kind: FeedbackKind::OtherPart,
        label: Some(part("brake-shoe")),
        reference_id: None,
        changed_at: at(1),
    };
    db.store.set_feedback(ann.tenant_id, scans[0].id, ann.id, ann.tenant_id, &shoe).await.unwrap();
    assert_eq!(found(ScanFilter { labels: Some(vec![part("brake-shoe")]), ..all() }).await, [0]);
    assert_eq!(found(ScanFilter { labels: Some(vec![part("brake-rotor")]), ..all() }).await, [2]);

    // One that somebody called no part is found by its vehicle alone.
    let no_part = ScanFeedback { kind: FeedbackKind::NotAPart, label: None, ..shoe };
    db.store.set_feedback(ann.tenant_id, scans[2].id, ann.id, ann.tenant_id, &no_part).await.unwrap();
    let rotor = vec![part("brake-rotor")];
    assert_eq!(found(ScanFilter { labels: Some(rotor.clone()), ..all() }).await, [] as [usize; 0]);
    let word = (rotor, Vec::new());
    assert_eq!(found(ScanFilter { words: vec![word.clone()], ..all() }).await, [] as [usize; 0]);
    let word = (word.0, vec![accord_name]);
    assert_eq!(found(ScanFilter { words: vec![word], ..all() }).await, [2]);
}

async fn hostile_texts_find_nothing(db: &TestStore) {
    let ann = db.user("ann").await;
    save(db, &ann, &scan(at(0), Some(&db.vehicle(&ann, "Civic").await)), &[]).await;
    for model in ["' OR 1=1 --", "%", "_", "Civic'", "\u{200f}Civic", "🚗"] {
        let vehicle = VehicleName::new(2015, "Honda", model).unwrap();
        let filter = ScanFilter { words: vec![(Vec::new(), vec![vehicle])], ..ScanFilter::default() };
        assert_eq!(db.store.count_scans(ann.tenant_id, &filter).await.unwrap(), 0, "{model}");
    }
}

async fn only_the_newest_are_listed_where_more_are_hidden(db: &TestStore) {
    let ann = db.user("ann").await;
    let civic = db.vehicle(&ann, "Civic").await;
    let scans = [6, 5, 4, 3, 2, 1].map(|second| scan(at(second), (second % 2 == 0).then_some(&civic)));
    for scan in &scans {
        save(db, &ann, scan, &[]).await;
    }
    let newest = ScanFilter { among_newest: Some(3), ..ScanFilter::default() };
    let listed = db.store.list_scans(ann.tenant_id, &newest, 100).await.unwrap();
    assert_eq!(ids(&listed), ids(&scans[..3]));
    // A filter looks among them; it brings back none of the hidden.
    let of_civic = ScanFilter { vehicle_id: Some(civic.id), ..newest };
    let listed = db.store.list_scans(ann.tenant_id, &of_civic, 100).await.unwrap();
    assert_eq!(ids(&listed), [scans[0].id, scans[2].id]);
}

async fn the_scanned_vehicles_are_named_once(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let civic = db.vehicle(&ann, "Civic").await;
    for second in 0..3 {
        save(db, &ann, &scan(at(second), Some(&civic)), &[]).await;
    }
    save(db, &ann, &scan(at(4), None), &[]).await;
    let names = db.store.list_scanned_vehicles(ann.tenant_id).await.unwrap();
    assert_eq!(names, [civic.details.name]);
    assert_eq!(db.store.list_scanned_vehicles(bob.tenant_id).await.unwrap(), []);
}

async fn a_scan_that_cannot_be_counted_leaves_no_picture(db: &TestStore) {
    let ann = db.user("ann").await;
    let refused = scan(at(0), None);
    db.store
        .save_scan(ann.tenant_id, ann.id, &NewScan { photos: &[thumbnail(&[1])], ..new_scan(&refused, 0) })
        .await
        .unwrap_err();
    assert_eq!(
        db.store.find_scan_photo(ann.tenant_id, refused.id, PhotoSize::Thumbnail).await.unwrap(),
        None
    );
}

async fn old_pictures_go_and_their_scans_stay(db: &TestStore) {
    let ann = db.user("ann").await;
    let (old, new) = (scan(at(0), None), scan(at(10), None));
    for scan in [&old, &new] {
        save(db, &ann, scan, &[thumbnail(&[1])]).await;
    }
    assert_eq!(db.store.delete_scan_photos(PhotoSize::Full, at(99)).await.unwrap(), 0);
    assert_eq!(db.store.delete_scan_photos(PhotoSize::Thumbnail, at(10)).await.unwrap(), 1);
    let listed = db.store.list_scans(ann.tenant_id, &ScanFilter::default(), 9).await.unwrap();
    assert_eq!(listed.iter().map(|scan| scan.has_thumbnail).collect::<Vec<_>>(), [true, false]);
}
