use partsight_domain::{PartLabel, TenantId, User};

use super::companies::{company, join};
use crate::scanning::scans::scan;
use crate::teaching::part_references::teach;
use crate::{TestStore, at, new_scan, on_each_database};

on_each_database![
    whoever_leaves_a_company_keeps_the_names_of_what_they_scanned,
    a_name_of_ones_own_stays_when_a_company_with_the_same_label_is_left,
];

async fn scan_of(db: &TestStore, user: &User, label: &str) {
    let mut scan = scan(at(3), None);
    scan.best.label = PartLabel::new(label).unwrap();
    db.store.save_scan(user.tenant_id, user.id, &new_scan(&scan, 9)).await.unwrap();
}

/// The labels and names of a tenant's part types, and whether each is deleted.
async fn types(db: &TestStore, tenant_id: TenantId) -> Vec<(String, String, bool)> {
    let types = db.store.list_taught_types(tenant_id).await.unwrap().into_iter();
    types.map(|one| (one.label.to_string(), one.name, one.deleted_at.is_some())).collect()
}

fn kept(label: &str) -> (String, String, bool) {
    (label.to_owned(), format!("The {label}"), true)
}

async fn whoever_leaves_a_company_keeps_the_names_of_what_they_scanned(db: &TestStore) {
    let (ann, bob, carol) = (db.user("ann").await, db.user("bob").await, db.user("carol").await);
    let (company, place) = company(db, &ann).await;
    join(db, &place, "bob").await;
    join(db, &place, "carol").await;
    let shop = User { tenant_id: company.tenant_id, ..ann.clone() };
    for label in ["egr-valve", "door-handle", "roof-rail"] {
        teach(db, &shop, label).await;
    }
    scan_of(db, &ann, "roof-rail").await;
    scan_of(db, &bob, "egr-valve").await;
    // Twice, and beside a part that the program knows.
    for label in ["door-handle", "door-handle", "brake-rotor"] {
        scan_of(db, &carol, label).await;
    }

    assert!(db.store.remove_company_member(company.id, bob.id).await.unwrap());
    assert_eq!(types(db, bob.tenant_id).await, [kept("egr-valve")]);
    assert_eq!(types(db, carol.tenant_id).await, [], "she is still in it");
    let valve = PartLabel::new("egr-valve").unwrap();
    let restored = db.store.restore_taught_type(&[Some(bob.tenant_id)], &valve, at(0)).await.unwrap();
    assert!(!restored, "a name without photographs is no part that scans find");
    // An owner does not leave, and keeps nothing by trying.
    assert!(!db.store.remove_company_member(company.id, ann.id).await.unwrap());
    assert_eq!(types(db, ann.tenant_id).await, []);

    assert!(db.store.delete_company(ann.id, company.id).await.unwrap().is_some());
    assert_eq!(types(db, carol.tenant_id).await, [kept("door-handle")]);
    assert_eq!(types(db, ann.tenant_id).await, [kept("roof-rail")]);
}

async fn a_name_of_ones_own_stays_when_a_company_with_the_same_label_is_left(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let (company, place) = company(db, &ann).await;
    join(db, &place, "bob").await;
    teach(db, &User { tenant_id: company.tenant_id, ..ann.clone() }, "egr-valve").await;
    teach(db, &bob, "egr-valve").await;
    scan_of(db, &bob, "egr-valve").await;
    assert!(db.store.remove_company_member(company.id, bob.id).await.unwrap());
    let own = ("egr-valve".to_owned(), "The egr-valve".to_owned(), false);
    assert_eq!(types(db, bob.tenant_id).await, [own]);
}
