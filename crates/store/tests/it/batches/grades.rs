use partsight_domain::{
    BatchId, BatchItemId, EmailAddress, FeedbackKind, PersonName, ScanGrade, ScanId, UNLIMITED_SCANS, User,
    UserId,
};
use partsight_store::{GradeRange, Identity, ItemFilter, NewExternalUser};
use uuid::Uuid;

use super::queue::{WORKERS, answer, claim, running};
use crate::scanning::feedback::said;
use crate::scanning::scans::scan;
use crate::{TestStore, at, new_scan, new_session, on_each_database};

on_each_database![
    a_shop_counts_grades_by_who_gave_them,
    an_item_counts_as_one_part_after_its_batch_is_deleted,
    an_item_counts_by_a_photograph_that_shows_a_part,
];

fn grade(name: &str) -> ScanGrade {
    ScanGrade { grade: name.to_owned(), damage: Vec::new(), note: String::new(), graded_at: at(2) }
}

/// Somebody whose sign-in provider knows no name of theirs.
async fn nameless(db: &TestStore) -> User {
    let new = NewExternalUser {
        email: EmailAddress::new("eve@example.com").unwrap(),
        first_name: PersonName::default(),
        last_name: PersonName::default(),
    };
    let identity = Identity { issuer: "https://id.example".to_owned(), subject: "1".to_owned() };
    let id = UserId(Uuid::now_v7());
    db.store.create_external_user(id, &new, &identity, &new_session(at(0))).await.unwrap()
}

async fn a_shop_counts_grades_by_who_gave_them(db: &TestStore) {
    let (ann, eve) = (db.user("ann").await, nameless(db).await);
    let shop = ann.tenant_id;
    let mut scans = Vec::new();
    for user in [&ann, &ann, &eve] {
        let scan = scan(at(1), None);
        db.store.save_scan(user.tenant_id, user.id, &new_scan(&scan, UNLIMITED_SCANS)).await.unwrap();
        let grade = grade("A");
        assert!(db.store.set_scan_grade(user.tenant_id, scan.id, user.id, shop, &grade).await.unwrap());
        scans.push(scan);
    }
    let range = GradeRange { from: at(0), until: at(3), offset_millis: 0 };
    let totals = db.store.count_grades(shop, true, range).await.unwrap();
    let by_person: Vec<_> = totals.iter().map(|total| (total.person.as_deref(), total.n)).collect();
    assert_eq!(by_person, [(Some("eve@example.com"), 1), (Some("Ann Lee"), 2)]);
    // The moment at which the range ends is not in it.
    let before = GradeRange { until: at(2), ..range };
    assert_eq!(db.store.count_grades(shop, true, before).await.unwrap(), []);
    // What shows no part, as somebody said, is no graded part.
    let no_part = said(FeedbackKind::NotAPart, None, 3);
    db.store.set_feedback(shop, scans[0].id, ann.id, shop, &no_part).await.unwrap();
    let totals = db.store.count_grades(shop, true, range).await.unwrap();
    assert_eq!(totals.iter().map(|total| total.n).collect::<Vec<_>>(), [1, 1]);
}

/// The graded scans of a batch of so many photographs, of which the first are joined as one item.
async fn graded(db: &TestStore, ann: &User, n_photos: u8, n_joined: usize) -> (BatchId, Vec<ScanId>) {
    let batch = running(db, ann, n_photos).await;
    while let Some(item) = claim(db, WORKERS[0], at(1)).await {
        answer(db, &item).await.unwrap();
    }
    let items = db.store.list_batch_items(ann.tenant_id, batch, &ItemFilter::default(), 20).await.unwrap();
    let ids: Vec<BatchItemId> = items.iter().take(n_joined).map(|item| item.id).collect();
    db.store.join_batch_items(ann.tenant_id, batch, &ids, n_joined).await.unwrap();
    let scans: Vec<ScanId> = items.iter().filter_map(|item| item.scan_id).collect();
    for &id in &scans {
        let (tenant_id, grade) = (ann.tenant_id, grade("A"));
        assert!(db.store.set_scan_grade(tenant_id, id, ann.id, tenant_id, &grade).await.unwrap());
    }
    (batch, scans)
}

async fn n_graded(db: &TestStore, ann: &User) -> u64 {
    let range = GradeRange { from: at(0), until: at(3), offset_millis: 0 };
    let totals = db.store.count_grades(ann.tenant_id, true, range).await.unwrap();
    totals.iter().map(|total| total.n).sum()
}

async fn an_item_counts_as_one_part_after_its_batch_is_deleted(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let (batch, scans) = graded(db, &ann, 4, 3).await;
    assert_eq!(n_graded(db, &ann).await, 2);
    // One that was discarded is an entry of the list of discarded ones.
    let items = db.store.list_batch_items(ann.tenant_id, batch, &ItemFilter::default(), 1).await.unwrap();
    db.store.discard_batch_items(ann.tenant_id, batch, &[items[0].id], true).await.unwrap();
    let counted = n_graded(db, &ann).await;
    assert!(!db.store.delete_batch(bob.tenant_id, batch).await.unwrap());
    assert!(db.store.delete_batch(ann.tenant_id, batch).await.unwrap());
    assert_eq!(n_graded(db, &ann).await, counted);
    // Graded anew, it is still one of its item.
    let (tenant_id, anew) = (ann.tenant_id, grade("B"));
    assert!(db.store.set_scan_grade(tenant_id, scans[2], ann.id, tenant_id, &anew).await.unwrap());
    assert_eq!(n_graded(db, &ann).await, counted);
}

async fn an_item_counts_by_a_photograph_that_shows_a_part(db: &TestStore) {
    let ann = db.user("ann").await;
    let (batch, scans) = graded(db, &ann, 3, 3).await;
    let no_part = said(FeedbackKind::NotAPart, None, 3);
    db.store.set_feedback(ann.tenant_id, scans[0], ann.id, ann.tenant_id, &no_part).await.unwrap();
    assert_eq!(n_graded(db, &ann).await, 1);
    assert!(db.store.delete_batch(ann.tenant_id, batch).await.unwrap());
    assert_eq!(n_graded(db, &ann).await, 1);
}
