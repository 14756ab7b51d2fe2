//! The parts on the photographs of scans: whose they are, and with what they go.

use partsight_domain::{Candidate, PartLabel, RegionBox, ScanRegion, ScanRegions, UNLIMITED_SCANS, Verdict};

use super::scans::scan;
use crate::{TestStore, at, new_scan, on_each_database};

on_each_database![regions_are_kept_with_their_scan_and_go_with_it];

fn regions(n: usize) -> ScanRegions {
    let region = |index: usize| ScanRegion {
        area: RegionBox::new([0.1 * index as f32, 0.25, 0.1, 0.5], 1).unwrap(),
        verdict: Verdict::NotSure,
        best: Candidate { label: PartLabel::new("rim").unwrap(), confidence: 0.5 },
        known_score: 0.75,
        alternatives: vec![Candidate { label: PartLabel::new("hub-cap").unwrap(), confidence: 0.25 }],
        label: (index == 1).then(|| PartLabel::new("brake-rotor").unwrap()),
    };
    ScanRegions { regions: (0..n).map(region).collect(), changed_at: at(3) }
}

async fn regions_are_kept_with_their_scan_and_go_with_it(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let scan = scan(at(0), None);
    db.store.save_scan(ann.tenant_id, ann.id, &new_scan(&scan, UNLIMITED_SCANS)).await.unwrap();
    assert_eq!(db.store.find_regions(ann.tenant_id, scan.id).await.unwrap(), None);
    assert!(db.store.save_regions(ann.tenant_id, scan.id, &regions(1)).await.unwrap());
    assert!(db.store.save_regions(ann.tenant_id, scan.id, &regions(3)).await.unwrap());
    assert_eq!(db.store.find_regions(ann.tenant_id, scan.id).await.unwrap(), Some(regions(3)));
    assert_eq!(db.store.list_regions(ann.tenant_id).await.unwrap(), [(scan.id, regions(3))]);

    assert!(!db.store.save_regions(bob.tenant_id, scan.id, &regions(0)).await.unwrap());
    assert_eq!(db.store.find_regions(bob.tenant_id, scan.id).await.unwrap(), None);
    assert_eq!(db.store.list_regions(bob.tenant_id).await.unwrap(), []);

    assert!(db.store.delete_scan(ann.tenant_id, scan.id).await.unwrap());
    assert_eq!(db.store.find_regions(ann.tenant_id, scan.id).await.unwrap(), None);
    assert!(!db.store.save_regions(ann.tenant_id, scan.id, &regions(1)).await.unwrap());
}
