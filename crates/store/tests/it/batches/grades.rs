use partsight_domain::{EmailAddress, FeedbackKind, PersonName, ScanGrade, UNLIMITED_SCANS, User, UserId};
use partsight_store::{GradeRange, Identity, NewExternalUser};
use uuid::Uuid;

use crate::scanning::feedback::said;
use crate::scanning::scans::scan;
use crate::{TestStore, at, new_scan, new_session, on_each_database};

on_each_database![a_shop_counts_grades_by_who_gave_them];

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
        let grade =
            ScanGrade { grade: "A".to_owned(), damage: Vec::new(), note: String::new(), graded_at: at(2) };
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
