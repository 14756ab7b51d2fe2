use partsight_domain::{Category, LookAlike, LookAlikePair, PartLabel, TaughtPartType, TenantId};
use partsight_store::{Error, StoredReference, TypeDeletion};

use super::part_references::{part_type, reference, teach};
use crate::{TestStore, at, on_each_database};

on_each_database![
    a_type_is_renamed_by_its_tenant_and_its_references_follow_its_category,
    a_deleted_type_takes_its_references_along_and_brings_them_back,
    a_deleted_type_leaves_its_label_to_a_new_one,
    a_shared_type_goes_with_what_tenants_added_to_it,
    one_who_deleted_a_type_of_their_own_adds_to_the_shared_one,
    a_reference_that_is_deleted_after_its_type_does_not_come_back_with_it,
    the_marks_of_a_deleted_type_are_not_those_of_a_new_one,
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

async fn delete(db: &TestStore, tenant_id: TenantId, label: &PartLabel, moment: i64) -> TypeDeletion {
    let owners = [Some(tenant_id)];
    db.store.delete_taught_type(&owners, &[tenant_id], label, at(moment)).await.unwrap()
}

async fn a_type_is_renamed_by_its_tenant_and_its_references_follow_its_category(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    teach(db, &ann, "egr-valve").await;
    let (valve, new) = (label("egr-valve"), "EGR valve, 2.0 TDI");
    let change = async |tenant_id, category| {
        db.store.change_taught_type(&[Some(tenant_id)], &valve, new, category).await.unwrap()
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
    db.store.save_references(None, None, &[(second.clone(), vec![])], &[], Some(ann.id), None).await.unwrap();
    teach(db, &ann, "door-handle").await;
    teach(db, &bob, "egr-valve").await;
    // One that was deleted by itself stays so.
    assert!(db.store.set_reference_deleted(Some(ann.tenant_id), first.id, Some(at(3))).await.unwrap());

    let valve = label("egr-valve");
    let delete = async |moment| delete(db, ann.tenant_id, &valve, moment).await;
    let restore =
        async |since| db.store.restore_taught_type(&[Some(ann.tenant_id)], &valve, at(since)).await.unwrap();
    assert!(!restore(0).await, "it is not deleted");
    assert_eq!(delete(5).await, TypeDeletion::Deleted);
    assert_eq!(delete(6).await, TypeDeletion::Missing, "it is deleted");
    let deleted: Vec<_> = types(db, ann.tenant_id).await.into_iter().map(|one| one.deleted_at).collect();
    assert_eq!(deleted, [None, Some(at(5))]);
    let labels: Vec<_> = kept(db, ann.tenant_id).await.into_iter().map(|one| one.label).collect();
    assert_eq!(labels, [label("door-handle")]);
    assert_eq!(kept(db, bob.tenant_id).await.len(), 1);

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
    assert_eq!(delete(db, ann.tenant_id, &valve, 5).await, TypeDeletion::Deleted);
    let new = TaughtPartType { created_at: at(7), ..part_type(Some(ann.tenant_id), "egr-valve") };
    let again = reference(Some(ann.tenant_id), "egr-valve");
    let rows = [(again.clone(), vec![])];
    assert!(db.store.save_references(Some(&new), None, &rows, &[], Some(ann.id), None).await.unwrap());
    assert_eq!(types(db, ann.tenant_id).await, std::slice::from_ref(&new));
    let ids: Vec<_> = kept(db, ann.tenant_id).await.into_iter().map(|one| one.id).collect();
    assert_eq!(ids, [again.id], "those of the old one stay deleted");
    let result = db.store.save_references(Some(&new), None, &rows, &[], Some(ann.id), None).await;
    assert!(matches!(result, Err(Error::Constraint(_))), "{result:?}");
}

async fn a_shared_type_goes_with_what_tenants_added_to_it(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let shared = reference(None, "spring");
    let rows = [(shared.clone(), vec![])];
    db.store.save_references(Some(&part_type(None, "spring")), None, &rows, &[], None, None).await.unwrap();
    // Ann adds a photograph to it; Bob has a type of his own by that label.
    let added = [(reference(Some(ann.tenant_id), "spring"), vec![])];
    db.store.save_references(None, None, &added, &[], Some(ann.id), None).await.unwrap();
    teach(db, &bob, "spring").await;
    let spring = label("spring");
    assert_eq!(delete(db, ann.tenant_id, &spring, 4).await, TypeDeletion::Missing);
    assert!(db.store.change_taught_type(&[None], &spring, "Valve spring", Category::Exhaust).await.unwrap());
    let categories: Vec<_> = kept(db, ann.tenant_id).await.into_iter().map(|one| one.category).collect();
    assert_eq!(categories, [Some(Category::Exhaust); 2]);
    let delete = async || db.store.delete_taught_type(&[None], &[], &spring, at(5)).await.unwrap();
    assert_eq!(delete().await, TypeDeletion::Deleted);
    assert!(kept(db, ann.tenant_id).await.is_empty());
    assert_eq!(kept(db, bob.tenant_id).await.len(), 1);
    assert_eq!(kept(db, bob.tenant_id).await[0].category, Some(Category::Engine));
    assert!(db.store.restore_taught_type(&[None], &spring, at(5)).await.unwrap());
    assert_eq!(kept(db, ann.tenant_id).await.len(), 2);
    assert_eq!(types(db, ann.tenant_id).await[0].name, "Valve spring");
}

async fn one_who_deleted_a_type_of_their_own_adds_to_the_shared_one(db: &TestStore) {
    let ann = db.user("ann").await;
    teach(db, &ann, "spring").await;
    assert_eq!(delete(db, ann.tenant_id, &label("spring"), 5).await, TypeDeletion::Deleted);
    db.store.save_references(Some(&part_type(None, "spring")), None, &[], &[], None, None).await.unwrap();
    let added = [(reference(Some(ann.tenant_id), "spring"), vec![])];
    assert!(db.store.save_references(None, None, &added, &[], Some(ann.id), None).await.unwrap());
    assert_eq!(kept(db, ann.tenant_id).await.len(), 1);
}

async fn a_reference_that_is_deleted_after_its_type_does_not_come_back_with_it(db: &TestStore) {
    let ann = db.user("ann").await;
    let taught = teach(db, &ann, "egr-valve").await;
    let valve = label("egr-valve");
    assert_eq!(delete(db, ann.tenant_id, &valve, 5).await, TypeDeletion::Deleted);
    assert!(db.store.set_reference_deleted(Some(ann.tenant_id), taught.id, Some(at(6))).await.unwrap());
    assert!(db.store.restore_taught_type(&[Some(ann.tenant_id)], &valve, at(5)).await.unwrap());
    assert!(kept(db, ann.tenant_id).await.is_empty());
}

async fn nothing_is_added_to_a_deleted_type(db: &TestStore) {
    let ann = db.user("ann").await;
    teach(db, &ann, "egr-valve").await;
    assert_eq!(delete(db, ann.tenant_id, &label("egr-valve"), 5).await, TypeDeletion::Deleted);
    let late = [(reference(Some(ann.tenant_id), "egr-valve"), vec![])];
    assert!(!db.store.save_references(None, None, &late, &[], Some(ann.id), None).await.unwrap());
    assert!(kept(db, ann.tenant_id).await.is_empty());
}

async fn the_marks_of_a_deleted_type_are_not_those_of_a_new_one(db: &TestStore) {
    let ann = db.user("ann").await;
    teach(db, &ann, "egr-valve").await;
    let owner = Some(ann.tenant_id);
    let pair = LookAlikePair::new(label("egr-valve"), label("rim")).unwrap();
    let mark = LookAlike { tenant_id: owner, pair, created_at: at(2) };
    assert!(db.store.mark_look_alike(&mark, Some(ann.id)).await.unwrap());
    assert_eq!(delete(db, ann.tenant_id, &label("egr-valve"), 5).await, TypeDeletion::Deleted);
    let new = part_type(owner, "egr-valve");
    db.store.save_references(Some(&new), None, &[], &[], Some(ann.id), None).await.unwrap();
    assert_eq!(db.store.list_look_alikes(ann.tenant_id).await.unwrap(), []);
}
