use partsight_domain::{Category, PartLabel, TaughtPartType, TenantId};
use partsight_store::{Error, StoredReference};

use super::part_references::{part_type, reference, teach};
use crate::{TestStore, at, on_each_database};

on_each_database![
    a_type_is_renamed_by_its_tenant_and_its_references_follow_its_category,
    a_deleted_type_takes_its_references_along_and_brings_them_back,
    a_deleted_type_leaves_its_label_to_a_new_one,
    a_shared_type_is_deleted_for_all,
    nothing_is_added_to_a_deleted_type,
];

fn label(text: &str) -> PartLabel {
    PartLabel::new(text).unwrap()
}

async fn types(db: &TestStore, tenant_id: TenantId) -> Vec<TaughtPartType> {
    db.store.list_taught_types(tenant_id).await.unwrap()
}

/// The ids of the references that are not deleted.
async fn kept(db: &TestStore, tenant_id: TenantId) -> Vec<StoredReference> {
    let all = db.store.list_references(tenant_id, None).await.unwrap();
    all.into_iter().filter(|reference| reference.deleted_at.is_none()).collect()
}

async fn a_type_is_renamed_by_its_tenant_and_its_references_follow_its_category(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    teach(db, &ann, "egr-valve").await;
    let (valve, new) = (label("egr-valve"), "EGR valve, 2.0 TDI");
    let change = async |tenant_id, category| {
        db.store.change_taught_type(Some(tenant_id), &valve, new, category).await.unwrap()
    };
    assert!(!change(bob.tenant_id, Category::Exhaust).await);
    assert!(change(ann.tenant_id, Category::Engine).await);
    assert_eq!(kept(db, ann.tenant_id).await[0].revision, 1, "what an index holds is as it was");
    assert!(change(ann.tenant_id, Category::Exhaust).await);
    let [changed] = types(db, ann.tenant_id).await.try_into().unwrap();
    let before = part_type(Some(ann.tenant_id), "egr-valve");
    assert_eq!(changed, TaughtPartType { name: new.to_owned(), category: Category::Exhaust, ..before });
    let [reference] = kept(db, ann.tenant_id).await.try_into().unwrap();
    assert_eq!(reference.category, Some(Category::Exhaust));
    let told = db.store.list_changed_references(&reference.model_sha256, 1, 9).await.unwrap();
    assert_eq!(told, [reference], "an index is told of the new category");
}

async fn a_deleted_type_takes_its_references_along_and_brings_them_back(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let first = teach(db, &ann, "egr-valve").await;
    let second = reference(Some(ann.tenant_id), "egr-valve");
    db.store.save_references(None, None, &[(second.clone(), vec![])], &[], Some(ann.id)).await.unwrap();
    teach(db, &ann, "door-handle").await;
    teach(db, &bob, "egr-valve").await;
    // One that was deleted by itself stays so.
    assert!(db.store.set_reference_deleted(Some(ann.tenant_id), first.id, Some(at(3))).await.unwrap());

    let valve = label("egr-valve");
    let delete =
        async |moment| db.store.delete_taught_type(Some(ann.tenant_id), &valve, at(moment)).await.unwrap();
    let restore =
        async |since| db.store.restore_taught_type(Some(ann.tenant_id), &valve, at(since)).await.unwrap();
    assert!(!restore(0).await, "it is not deleted");
    assert!(delete(5).await);
    assert!(!delete(6).await, "it is");
    let deleted: Vec<_> = types(db, ann.tenant_id).await.into_iter().map(|one| one.deleted_at).collect();
    assert_eq!(deleted, [None, Some(at(5))]);
    let labels: Vec<_> = kept(db, ann.tenant_id).await.into_iter().map(|one| one.label).collect();
    assert_eq!(labels, [label("door-handle")]);
    assert_eq!(kept(db, bob.tenant_id).await.len(), 1);
    assert!(!db.store.set_reference_deleted(Some(ann.tenant_id), second.id, None).await.unwrap());

    assert!(!restore(6).await, "too long ago");
    assert!(restore(5).await);
    assert!(types(db, ann.tenant_id).await.iter().all(|one| one.deleted_at.is_none()));
    let of_valve: Vec<_> = kept(db, ann.tenant_id)
        .await
        .into_iter()
        .filter(|one| one.label == valve)
        .map(|one| one.id)
        .collect();
    assert_eq!(of_valve, [second.id]);
    assert!(db.store.set_reference_deleted(Some(ann.tenant_id), first.id, None).await.unwrap());
}

async fn a_deleted_type_leaves_its_label_to_a_new_one(db: &TestStore) {
    let ann = db.user("ann").await;
    teach(db, &ann, "egr-valve").await;
    let valve = label("egr-valve");
    assert!(db.store.delete_taught_type(Some(ann.tenant_id), &valve, at(5)).await.unwrap());
    let new = TaughtPartType { created_at: at(7), ..part_type(Some(ann.tenant_id), "egr-valve") };
    let again = reference(Some(ann.tenant_id), "egr-valve");
    let rows = [(again.clone(), vec![])];
    assert!(db.store.save_references(Some(&new), None, &rows, &[], Some(ann.id)).await.unwrap());
    assert_eq!(types(db, ann.tenant_id).await, [new.clone()]);
    let ids: Vec<_> = kept(db, ann.tenant_id).await.into_iter().map(|one| one.id).collect();
    assert_eq!(ids, [again.id], "those of the old one stay deleted");
    let result = db.store.save_references(Some(&new), None, &rows, &[], Some(ann.id)).await;
    assert!(matches!(result, Err(Error::Constraint { .. })), "{result:?}");
}

async fn a_shared_type_is_deleted_for_all(db: &TestStore) {
    let ann = db.user("ann").await;
    let shared = reference(None, "spring");
    let rows = [(shared.clone(), vec![])];
    db.store.save_references(Some(&part_type(None, "spring")), None, &rows, &[], None).await.unwrap();
    let spring = label("spring");
    assert!(!db.store.delete_taught_type(Some(ann.tenant_id), &spring, at(5)).await.unwrap());
    assert!(db.store.change_taught_type(None, &spring, "Valve spring", Category::Engine).await.unwrap());
    assert!(db.store.delete_taught_type(None, &spring, at(5)).await.unwrap());
    assert!(kept(db, ann.tenant_id).await.is_empty());
    assert!(db.store.restore_taught_type(None, &spring, at(5)).await.unwrap());
    assert_eq!(kept(db, ann.tenant_id).await.len(), 1);
    assert_eq!(types(db, ann.tenant_id).await[0].name, "Valve spring");
}

async fn nothing_is_added_to_a_deleted_type(db: &TestStore) {
    let ann = db.user("ann").await;
    teach(db, &ann, "egr-valve").await;
    assert!(db.store.delete_taught_type(Some(ann.tenant_id), &label("egr-valve"), at(5)).await.unwrap());
    let late = [(reference(Some(ann.tenant_id), "egr-valve"), vec![])];
    assert!(!db.store.save_references(None, None, &late, &[], Some(ann.id)).await.unwrap());
    assert!(kept(db, ann.tenant_id).await.is_empty());
}
