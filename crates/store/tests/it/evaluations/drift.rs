use partsight_domain::{UNLIMITED_SCANS, User};
use partsight_store::{NewScan, RawScanScores, ScanFeatures, ScanSpan};

use crate::scanning::feedback::features;
use crate::scanning::scans::scan;
use crate::{TestStore, at, new_scan, on_each_database};

on_each_database![
    the_newest_scans_of_a_while_are_found_by_tenant_and_of_all,
    scans_of_another_model_are_left_out_of_the_newest,
];

/// A scan at this second, with the second as its first logit and the first number of its embedding.
async fn scanned(db: &TestStore, user: &User, second: i64, model: &str) {
    let scan = scan(at(second), None);
    let number = second as f32;
    let features =
        ScanFeatures { logits: vec![number, -1.0], embedding: vec![number, 0.5], ..features(model) };
    let new = NewScan { features: Some(&features), ..new_scan(&scan, UNLIMITED_SCANS) };
    db.store.save_scan(user.tenant_id, user.id, &new).await.unwrap();
}

fn span(user: Option<&User>, from: i64, before: i64) -> ScanSpan<'static> {
    ScanSpan {
        tenant_id: user.map(|user| user.tenant_id),
        model_sha256: "m",
        from: at(from),
        before: at(before),
        limit: 10,
    }
}

/// Their seconds.
fn seconds(found: &[RawScanScores]) -> Vec<f32> {
    found.iter().map(|scores| scores.logits[0]).collect()
}

async fn the_newest_scans_of_a_while_are_found_by_tenant_and_of_all(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    for (user, second) in [(&ann, 10), (&ann, 20), (&ann, 30), (&bob, 25)] {
        scanned(db, user, second, "m").await;
    }
    let found = db.store.list_scan_scores(span(Some(&ann), 10, 30)).await.unwrap();
    assert_eq!(seconds(&found), [20.0, 10.0], "the first moment counts and the last does not");
    assert_eq!(found[0], RawScanScores { logits: vec![20.0, -1.0], known: 1.25 });
    let all = db.store.list_scan_scores(span(None, 0, 100)).await.unwrap();
    assert_eq!(seconds(&all), [30.0, 25.0, 20.0, 10.0]);
    let newest = ScanSpan { limit: 2, ..span(None, 0, 100) };
    assert_eq!(db.store.list_scan_embeddings(newest).await.unwrap(), [[30.0, 0.5], [25.0, 0.5]]);
    let of_bob = db.store.list_scan_embeddings(span(Some(&bob), 0, 100)).await.unwrap();
    assert_eq!(of_bob, [[25.0, 0.5]]);
}

async fn scans_of_another_model_are_left_out_of_the_newest(db: &TestStore) {
    let ann = db.user("ann").await;
    for (second, model) in [(1, "m"), (2, "other"), (3, "m")] {
        scanned(db, &ann, second, model).await;
    }
    let two = ScanSpan { limit: 2, ..span(Some(&ann), 0, 100) };
    assert_eq!(seconds(&db.store.list_scan_scores(two).await.unwrap()), [3.0]);
}
