//! Marked pairs of look-alikes: whose they are, and with what they go.

use partsight_domain::{LookAlike, LookAlikePair, PartLabel, ReferenceId, TenantId, User};

use super::part_references::{part_type, reference};
use crate::{TestStore, at, on_each_database};

on_each_database![
    a_pair_is_marked_once_and_unmarked_by_its_owner_alone,
    a_pair_is_marked_with_the_photographs_or_not_at_all,
    a_pair_goes_with_its_tenant_and_with_the_last_photograph_of_a_taught_part,
    labels_with_photographs_are_those_that_a_tenant_may_see,
];

fn label(text: &str) -> PartLabel {
    PartLabel::new(text).unwrap()
}

fn pair(one: &str, other: &str) -> LookAlikePair {
    LookAlikePair::new(label(one), label(other)).unwrap()
}

pub(crate) fn mark(owner: Option<TenantId>, one: &str, other: &str) -> LookAlike {
    LookAlike { tenant_id: owner, pair: pair(one, other), created_at: at(2) }
}

/// Teaches a new part type with one photograph that looks like another part.
async fn teach(db: &TestStore, user: &User, text: &str, other: &str) -> ReferenceId {
    let owner = user.tenant_id;
    let reference = reference(Some(owner), text);
    let id = reference.id;
    let marks = [mark(Some(owner), text, other)];
    let part_type = part_type(Some(owner), text);
    let saved = db
        .store
        .save_references(Some(&part_type), None, &[(reference, vec![])], &marks, Some(user.id), None)
        .await;
    assert!(saved.unwrap());
    id
}

async fn pairs(db: &TestStore, tenant_id: TenantId) -> Vec<LookAlikePair> {
    let found = db.store.list_look_alikes(tenant_id).await.unwrap();
    found.into_iter().map(|found| found.pair).collect()
}

async fn a_pair_is_marked_once_and_unmarked_by_its_owner_alone(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let own = mark(Some(ann.tenant_id), "rim", "egr-valve");
    assert!(db.store.mark_look_alike(&own, Some(ann.id)).await.unwrap());
    let again = mark(Some(ann.tenant_id), "egr-valve", "rim");
    assert!(!db.store.mark_look_alike(&again, Some(ann.id)).await.unwrap(), "in whatever order");
    assert_eq!(db.store.list_look_alikes(ann.tenant_id).await.unwrap(), [own]);
    assert_eq!(pairs(db, bob.tenant_id).await, []);
    let rim = pair("rim", "egr-valve");
    for other in [Some(bob.tenant_id), None] {
        assert!(!db.store.unmark_look_alike(other, &rim).await.unwrap());
    }

    // What all share is everybody's, and taken back by nobody alone.
    assert!(db.store.mark_look_alike(&mark(None, "brake-pad", "brake-shoe"), None).await.unwrap());
    assert!(!db.store.mark_look_alike(&mark(None, "brake-pad", "brake-shoe"), None).await.unwrap());
    let shared = pair("brake-shoe", "brake-pad");
    assert_eq!(pairs(db, bob.tenant_id).await, std::slice::from_ref(&shared));
    assert_eq!(pairs(db, ann.tenant_id).await, [shared.clone(), rim.clone()], "by labels");
    assert!(!db.store.unmark_look_alike(Some(bob.tenant_id), &shared).await.unwrap());
    assert!(db.store.unmark_look_alike(None, &shared).await.unwrap());
    assert!(db.store.unmark_look_alike(Some(ann.tenant_id), &rim).await.unwrap());
    assert!(!db.store.unmark_look_alike(Some(ann.tenant_id), &rim).await.unwrap());
    assert_eq!(pairs(db, ann.tenant_id).await, []);
}

async fn a_pair_is_marked_with_the_photographs_or_not_at_all(db: &TestStore) {
    let ann = db.user("ann").await;
    teach(db, &ann, "egr-valve", "rim").await;
    assert_eq!(pairs(db, ann.tenant_id).await, [pair("rim", "egr-valve")]);
    // The type is there already, so nothing of this is saved.
    let rows = [(reference(Some(ann.tenant_id), "egr-valve"), vec![])];
    let marks = [mark(Some(ann.tenant_id), "egr-valve", "piston")];
    let part_type = part_type(Some(ann.tenant_id), "egr-valve");
    let saved = db.store.save_references(Some(&part_type), None, &rows, &marks, Some(ann.id), None).await;
    saved.unwrap_err();
    // A mark that is there is no error.
    let marks = [mark(Some(ann.tenant_id), "rim", "egr-valve")];
    assert!(db.store.save_references(None, None, &rows, &marks, Some(ann.id), None).await.unwrap());
    assert_eq!(pairs(db, ann.tenant_id).await, [pair("rim", "egr-valve")]);
}

async fn a_pair_goes_with_its_tenant_and_with_the_last_photograph_of_a_taught_part(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let owner = Some(ann.tenant_id);
    let valve = teach(db, &ann, "egr-valve", "rim").await;
    teach(db, &bob, "egr-valve", "rim").await;
    // Of a shipped type: it is known without photographs.
    let rim = reference(owner, "rim");
    let rows = [(rim.clone(), vec![])];
    db.store.save_references(None, None, &rows, &[mark(owner, "rim", "hub-cap")], None, None).await.unwrap();
    for id in [valve, rim.id] {
        assert!(db.store.set_reference_deleted(owner, id, Some(at(3))).await.unwrap());
    }
    let both = [pair("rim", "egr-valve"), pair("rim", "hub-cap")];
    assert_eq!(db.store.purge_references(at(3)).await.unwrap(), 0);
    assert_eq!(pairs(db, ann.tenant_id).await, both, "they can still be brought back");
    assert_eq!(db.store.purge_references(at(4)).await.unwrap(), 2);
    assert_eq!(pairs(db, ann.tenant_id).await, both[1..]);
    assert_eq!(pairs(db, bob.tenant_id).await, both[..1], "another tenant's part of this name");

    assert!(db.store.delete_user(bob.id, bob.tenant_id).await.unwrap());
    assert_eq!(pairs(db, bob.tenant_id).await, []);
}

async fn labels_with_photographs_are_those_that_a_tenant_may_see(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let valve = teach(db, &ann, "egr-valve", "rim").await;
    let shared = [(reference(None, "spring"), vec![]), (reference(None, "spring"), vec![])];
    db.store.save_references(None, None, &shared, &[], None, None).await.unwrap();
    let labels = async |user: &User| {
        let mut found = db.store.list_referenced_labels(user.tenant_id).await.unwrap();
        found.sort_unstable();
        found
    };
    assert_eq!(labels(&ann).await, [label("egr-valve"), label("spring")]);
    assert_eq!(labels(&bob).await, [label("spring")]);
    assert!(db.store.set_reference_deleted(Some(ann.tenant_id), valve, Some(at(3))).await.unwrap());
    assert_eq!(labels(&ann).await, [label("spring")]);
}
