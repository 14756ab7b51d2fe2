use partsight_domain::{
    CalibrationFigures, FeedbackDoubt, FeedbackKind, LearningChoice, PartLabel, ReferenceId, RefitOutcome,
    Scan, ScanFeedback, ScanId, TenantCalibration, TenantId, UNLIMITED_SCANS, User,
};
use partsight_store::{FeedbackCounts, NewScan, ReplacedFeedback, ScanFeatures};
use uuid::Uuid;

use super::scans::scan;
use crate::teaching::part_references::teach;
use crate::{TestStore, at, new_scan, on_each_database};

on_each_database![
    what_the_model_saw_is_kept_with_its_scan,
    feedback_is_kept_changed_and_forgotten_with_its_scan,
    a_reference_is_named_by_the_feedback_that_made_it_alone,
    scans_whose_parts_are_known_are_found_newest_first,
    a_choice_and_a_calibration_are_kept_for_their_tenant,
    tenants_with_new_feedback_are_found_unless_they_forbid_it,
    feedback_that_was_given_for_a_shop_is_the_shops,
];

fn label(name: &str) -> PartLabel {
    PartLabel::new(name).unwrap()
}

pub(crate) fn features(model: &str) -> ScanFeatures {
    ScanFeatures {
        model_sha256: model.to_owned(),
        embedding: vec![0.6, -0.8],
        fingerprint: vec![7; 30],
        logits: vec![2.5, -1.0],
        known: 1.25,
        log_probabilities: vec![-0.25, -2.0, -3.5],
        taught_labels: vec![label("egr-valve")],
    }
}

pub(crate) fn said(kind: FeedbackKind, name: Option<&str>, second: i64) -> ScanFeedback {
    ScanFeedback { kind, label: name.map(label), reference_id: None, changed_at: at(second) }
}

async fn saved(db: &TestStore, user: &User, features: Option<&ScanFeatures>) -> Scan {
    let scan = scan(at(0), None);
    let new = NewScan { features, ..new_scan(&scan, UNLIMITED_SCANS) };
    db.store.save_scan(user.tenant_id, user.id, &new).await.unwrap();
    scan
}

async fn what_the_model_saw_is_kept_with_its_scan(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let scan = saved(db, &ann, Some(&features("m"))).await;
    let found = async |tenant: TenantId| db.store.find_scan_features(tenant, scan.id).await.unwrap();
    assert_eq!(found(ann.tenant_id).await, Some(features("m")));
    assert_eq!(found(bob.tenant_id).await, None);
    db.store.delete_scan(ann.tenant_id, scan.id).await.unwrap();
    assert_eq!(found(ann.tenant_id).await, None);
}

async fn feedback_is_kept_changed_and_forgotten_with_its_scan(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let scan = saved(db, &ann, None).await;
    let found = async || db.store.find_scan(ann.tenant_id, scan.id).await.unwrap().unwrap().feedback;
    assert_eq!(found().await, None);
    let right = said(FeedbackKind::Right, Some("brake-rotor"), 5);
    for (user, id) in [(&bob, scan.id), (&ann, ScanId(Uuid::now_v7()))] {
        let set = db.store.set_feedback(user.tenant_id, id, user.id, user.tenant_id, &right).await.unwrap();
        assert_eq!(set, None);
    }
    let set = db.store.set_feedback(ann.tenant_id, scan.id, ann.id, ann.tenant_id, &right).await.unwrap();
    assert!(set.is_some());
    assert_eq!(found().await, Some(right));
    let none = said(FeedbackKind::NotAPart, None, 6);
    let set = db.store.set_feedback(ann.tenant_id, scan.id, ann.id, ann.tenant_id, &none).await.unwrap();
    assert!(set.is_some());
    assert_eq!(found().await, Some(none));
    let counts = db.store.count_feedback(ann.tenant_id).await.unwrap();
    assert_eq!(counts, FeedbackCounts { not_a_part: 1, ..FeedbackCounts::default() });
    db.store.delete_feedback(bob.tenant_id, scan.id).await.unwrap();
    assert!(found().await.is_some());
    for _ in 0..2 {
        assert_eq!(db.store.delete_feedback(ann.tenant_id, scan.id).await.unwrap(), None);
        assert_eq!(found().await, None);
    }
}

async fn a_reference_is_named_by_the_feedback_that_made_it_alone(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let scan = saved(db, &ann, None).await;
    let say = async |user: &User, feedback: &ScanFeedback| {
        db.store.set_feedback(user.tenant_id, scan.id, user.id, user.tenant_id, feedback).await.unwrap()
    };
    let attach = async |user: &User, name: &str, id: ReferenceId| {
        db.store.attach_reference(user.tenant_id, scan.id, &label(name), id).await.unwrap()
    };
    let right = said(FeedbackKind::Right, Some("brake-rotor"), 5);
    assert_eq!(say(&bob, &right).await, None);
    assert_eq!(say(&ann, &right).await, Some(ReplacedFeedback::default()));
    let (first, second) = (teach(db, &ann, "brake-rotor").await, teach(db, &ann, "rim").await);
    // Of somebody else, of another part, and one too many.
    assert!(!attach(&bob, "brake-rotor", first.id).await);
    assert!(!attach(&ann, "rim", first.id).await);
    assert!(attach(&ann, "brake-rotor", first.id).await);
    assert!(!attach(&ann, "brake-rotor", second.id).await);
    assert_eq!(say(&ann, &right).await, Some(ReplacedFeedback { kept: Some(first.id), replaced: None }));
    let other = said(FeedbackKind::OtherPart, Some("rim"), 6);
    assert_eq!(say(&ann, &other).await, Some(ReplacedFeedback { kept: None, replaced: Some(first.id) }));
    assert!(attach(&ann, "rim", second.id).await);
    // One that brings its own takes the place of the earlier one.
    let own = ScanFeedback { reference_id: Some(first.id), ..other };
    let expected = ReplacedFeedback { kept: Some(first.id), replaced: Some(second.id) };
    assert_eq!(say(&ann, &own).await, Some(expected));
    assert_eq!(db.store.delete_feedback(ann.tenant_id, scan.id).await.unwrap(), Some(first.id));
}

async fn scans_whose_parts_are_known_are_found_newest_first(db: &TestStore) {
    let ann = db.user("ann").await;
    let said_of = [(Some("rim"), "m"), (Some("piston"), "m"), (None, "m"), (Some("rim"), "other")];
    for (second, (name, model)) in (0_i64..).zip(said_of) {
        let scan = saved(db, &ann, Some(&features(model))).await;
        let kind = if name.is_some() { FeedbackKind::OtherPart } else { FeedbackKind::NotAPart };
        let feedback = said(kind, name, second);
        db.store.set_feedback(ann.tenant_id, scan.id, ann.id, ann.tenant_id, &feedback).await.unwrap();
    }
    let known = db.store.list_known_scans(ann.tenant_id, "m", 10).await.unwrap();
    assert_eq!(known.iter().map(|scan| scan.label.as_str()).collect::<Vec<_>>(), ["piston", "rim"]);
    assert_eq!(known[0].log_probabilities, features("m").log_probabilities);
    assert_eq!(known[0].taught_labels, features("m").taught_labels);
    assert_eq!(db.store.list_known_scans(ann.tenant_id, "m", 1).await.unwrap().len(), 1);
}

fn calibration(second: i64) -> TenantCalibration {
    let figures = CalibrationFigures { log_loss: 0.5, ece: 0.125, identified: 40, identified_wrong: 3 };
    TenantCalibration {
        model_sha256: "m".to_owned(),
        temperature: Some(1.25),
        outcome: RefitOutcome::Changed,
        doubt: None,
        n: 60,
        before: Some(figures),
        after: None,
        attempted_at: at(second),
    }
}

async fn a_choice_and_a_calibration_are_kept_for_their_tenant(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await.tenant_id, db.user("bob").await.tenant_id);
    assert_eq!(db.store.learning_choice(ann).await.unwrap(), None);
    for (teach, refit) in [(true, false), (false, true)] {
        let choice = LearningChoice { confirmed_scans_teach: teach, refit_calibration: refit };
        db.store.set_learning_choice(ann, choice, at(0)).await.unwrap();
        assert_eq!(db.store.learning_choice(ann).await.unwrap(), Some(choice));
    }
    assert_eq!(db.store.learning_choice(bob).await.unwrap(), None);

    let without = TenantCalibration {
        temperature: None,
        outcome: RefitOutcome::Kept,
        doubt: Some(FeedbackDoubt::OutOfRange),
        ..calibration(1)
    };
    for calibration in [calibration(0), without] {
        assert!(db.store.set_tenant_calibration(ann, &calibration, false).await.unwrap());
        assert_eq!(db.store.tenant_calibration(ann).await.unwrap(), Some(calibration));
    }
    assert_eq!(db.store.tenant_calibration(bob).await.unwrap(), None);
    let choice = LearningChoice { confirmed_scans_teach: true, refit_calibration: true };
    db.store.set_learning_choice(ann, choice, at(1)).await.unwrap();
    for tenant in [ann, bob] {
        db.store.undo_tenant_calibration(tenant, at(2)).await.unwrap();
        let choice = db.store.learning_choice(tenant).await.unwrap();
        let teach = tenant == ann;
        assert_eq!(choice, Some(LearningChoice { confirmed_scans_teach: teach, refit_calibration: false }));
        assert_eq!(db.store.tenant_calibration(tenant).await.unwrap(), None);
    }
    // A fit that began before is not saved any more, unless somebody asked for it.
    assert!(!db.store.set_tenant_calibration(ann, &calibration(3), false).await.unwrap());
    assert_eq!(db.store.tenant_calibration(ann).await.unwrap(), None);
    assert!(db.store.set_tenant_calibration(ann, &calibration(3), true).await.unwrap());
    assert_eq!(db.store.tenant_calibration(ann).await.unwrap(), Some(calibration(3)));
}

async fn tenants_with_new_feedback_are_found_unless_they_forbid_it(db: &TestStore) {
    let ann = db.user("ann").await;
    let tenants = async || db.store.list_tenants_to_refit().await.unwrap();
    let scan = saved(db, &ann, None).await;
    assert!(tenants().await.is_empty());
    let right = said(FeedbackKind::Right, Some("rim"), 5);
    db.store.set_feedback(ann.tenant_id, scan.id, ann.id, ann.tenant_id, &right).await.unwrap();
    assert_eq!(tenants().await, [ann.tenant_id]);
    db.store.set_tenant_calibration(ann.tenant_id, &calibration(5), false).await.unwrap();
    assert!(tenants().await.is_empty());
    db.store.set_tenant_calibration(ann.tenant_id, &calibration(4), false).await.unwrap();
    assert_eq!(tenants().await, [ann.tenant_id]);
    let off = LearningChoice { refit_calibration: false, ..LearningChoice::default() };
    db.store.set_learning_choice(ann.tenant_id, off, at(6)).await.unwrap();
    assert!(tenants().await.is_empty());
}

async fn feedback_that_was_given_for_a_shop_is_the_shops(db: &TestStore) {
    let (ann, bob, shop) = (db.user("ann").await, db.user("bob").await, db.user("shop").await.tenant_id);
    let say = async |user: &User, learner: TenantId, second| {
        let scan = saved(db, user, Some(&features("m"))).await;
        let right = said(FeedbackKind::Right, Some("rim"), second);
        db.store.set_feedback(user.tenant_id, scan.id, user.id, learner, &right).await.unwrap();
        scan.id
    };
    let own = say(&ann, ann.tenant_id, 1).await;
    for user in [&ann, &bob] {
        say(user, shop, 2).await;
    }
    let known = async |learner| {
        let known = db.store.list_known_scans(learner, "m", 10).await.unwrap().len();
        assert_eq!(db.store.count_feedback(learner).await.unwrap().right, known as u64);
        known
    };
    assert_eq!([known(shop).await, known(ann.tenant_id).await, known(bob.tenant_id).await], [2, 1, 0]);
    let mut expected = [ann.tenant_id, shop];
    expected.sort_unstable_by_key(ToString::to_string);
    assert_eq!(db.store.list_tenants_to_refit().await.unwrap(), expected);

    // Said again elsewhere, it is that one's; and what a shop leaves behind is its author's.
    let again = said(FeedbackKind::Right, Some("rim"), 3);
    db.store.set_feedback(ann.tenant_id, own, ann.id, shop, &again).await.unwrap();
    assert_eq!([known(shop).await, known(ann.tenant_id).await], [3, 0]);
    db.execute(&format!("DELETE FROM tenant WHERE tenant_id = '{shop}'")).await;
    assert_eq!([known(shop).await, known(ann.tenant_id).await, known(bob.tenant_id).await], [0, 2, 1]);
}
