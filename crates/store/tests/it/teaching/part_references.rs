use partsight_domain::{
    Category, PartLabel, PhotoSize, ReferenceId, ReferenceKind, ScanPhoto, TaughtPartType, TenantId, User,
};
use partsight_store::{Error, StoredReference};
use uuid::Uuid;

use crate::{TestStore, at, on_each_database};

on_each_database![
    what_is_taught_is_found_by_its_tenant_alone,
    what_is_shared_is_seen_by_all_and_changed_by_no_tenant,
    one_owner_has_a_label_once,
    an_index_is_told_of_each_change_in_order,
    a_kept_index_is_compared_with_ids_and_revisions,
    a_deleted_reference_comes_back_until_it_is_purged,
    what_is_taught_goes_with_its_tenant,
    what_a_company_was_taught_is_forgotten_with_it_and_with_an_owner_alone,
    a_reference_that_is_taught_while_its_tenant_goes_is_forgotten_too,
    references_of_another_model_are_listed_with_their_best_picture,
];

const MODEL: &str = "aaaa";

pub(super) fn part_type(owner: Option<TenantId>, label: &str) -> TaughtPartType {
    TaughtPartType {
        tenant_id: owner,
        label: PartLabel::new(label).unwrap(),
        name: format!("The {label}"),
        category: Category::Engine,
        created_at: at(1),
        deleted_at: None,
    }
}

pub(crate) fn reference(owner: Option<TenantId>, label: &str) -> StoredReference {
    StoredReference {
        id: ReferenceId(Uuid::now_v7()),
        tenant_id: owner,
        label: PartLabel::new(label).unwrap(),
        category: Some(Category::Engine),
        kind: ReferenceKind::Enrolled,
        model_sha256: MODEL.to_owned(),
        embedding: vec![0.6, -0.8, 0.0],
        fingerprint: vec![7; 30],
        created_at: at(2),
        deleted_at: None,
        revision: 0,
    }
}

fn picture(size: PhotoSize) -> ScanPhoto {
    ScanPhoto { size, media_type: "image/jpeg".to_owned(), bytes: size.as_str().as_bytes().to_vec() }
}

pub(crate) async fn teach(db: &TestStore, user: &User, label: &str) -> StoredReference {
    let owner = Some(user.tenant_id);
    let reference = reference(owner, label);
    let rows = [(reference.clone(), vec![picture(PhotoSize::Thumbnail)])];
    db.store
        .save_references(Some(&part_type(owner, label)), None, &rows, &[], Some(user.id), None)
        .await
        .unwrap();
    reference
}

async fn what_is_taught_is_found_by_its_tenant_alone(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let taught = teach(db, &ann, "egr-valve").await;
    assert_eq!(
        db.store.list_taught_types(ann.tenant_id).await.unwrap(),
        [part_type(Some(ann.tenant_id), "egr-valve")]
    );
    let found = db.store.list_references(ann.tenant_id, Some(&taught.label)).await.unwrap();
    assert_eq!(found, [StoredReference { revision: 1, ..taught.clone() }]);
    let other = PartLabel::new("door-handle").unwrap();
    assert_eq!(db.store.list_references(ann.tenant_id, Some(&other)).await.unwrap(), []);
    let thumbnail = db.store.find_reference_thumbnail(ann.tenant_id, taught.id).await.unwrap();
    assert_eq!(thumbnail, Some(picture(PhotoSize::Thumbnail)));

    assert_eq!(db.store.list_taught_types(bob.tenant_id).await.unwrap(), []);
    assert_eq!(db.store.list_references(bob.tenant_id, None).await.unwrap(), []);
    assert_eq!(db.store.find_reference(bob.tenant_id, taught.id).await.unwrap(), None);
    let photo = db.store.find_reference_thumbnail(bob.tenant_id, taught.id).await.unwrap();
    assert_eq!(photo, None);
    assert!(!db.store.set_reference_deleted(Some(bob.tenant_id), taught.id, Some(at(3))).await.unwrap());
    assert!(!db.store.set_reference_deleted(None, taught.id, Some(at(3))).await.unwrap());
}

async fn what_is_shared_is_seen_by_all_and_changed_by_no_tenant(db: &TestStore) {
    let ann = db.user("ann").await;
    let shared = reference(None, "egr-valve");
    let rows = [(shared.clone(), vec![])];
    db.store
        .save_references(Some(&part_type(None, "egr-valve")), None, &rows, &[], None, None)
        .await
        .unwrap();
    teach(db, &ann, "door-handle").await;
    let types = db.store.list_taught_types(ann.tenant_id).await.unwrap();
    let labels: Vec<&str> = types.iter().map(|part_type| part_type.label.as_str()).collect();
    assert_eq!(labels, ["door-handle", "egr-valve"], "their own first");
    assert_eq!(types[1], part_type(None, "egr-valve"));
    assert!(db.store.find_reference(ann.tenant_id, shared.id).await.unwrap().is_some());
    assert!(!db.store.set_reference_deleted(Some(ann.tenant_id), shared.id, Some(at(3))).await.unwrap());
    assert!(db.store.set_reference_deleted(None, shared.id, Some(at(3))).await.unwrap());
}

async fn one_owner_has_a_label_once(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    teach(db, &ann, "egr-valve").await;
    teach(db, &bob, "egr-valve").await;
    let rows = [(reference(Some(ann.tenant_id), "egr-valve"), vec![])];
    let again = part_type(Some(ann.tenant_id), "egr-valve");
    let result = db.store.save_references(Some(&again), None, &rows, &[], Some(ann.id), None).await;
    assert!(matches!(result, Err(Error::Constraint(_))), "{result:?}");
    assert_eq!(db.store.list_references(ann.tenant_id, None).await.unwrap().len(), 1, "all or nothing");
    for _ in 0..2 {
        let shared =
            db.store.save_references(Some(&part_type(None, "spring")), None, &[], &[], None, None).await;
        if let Err(error) = shared {
            assert!(matches!(error, Error::Constraint(_)), "{error:?}");
            return;
        }
    }
    panic!("the shared types have a label twice");
}

async fn a_kept_index_is_compared_with_ids_and_revisions(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let (anns, bobs) = (teach(db, &ann, "egr-valve").await, teach(db, &bob, "door-handle").await);
    let shared = reference(None, "spring");
    let rows = [(shared.clone(), vec![])];
    db.store.save_references(Some(&part_type(None, "spring")), None, &rows, &[], None, None).await.unwrap();
    assert!(db.store.set_reference_deleted(Some(bob.tenant_id), bobs.id, Some(at(3))).await.unwrap());

    let mut kept = Vec::new();
    loop {
        let after = kept.last().map(|(id, _)| *id);
        let page = db.store.list_kept_references(MODEL, after, 1).await.unwrap();
        assert!(page.len() <= 1);
        if page.is_empty() {
            break;
        }
        kept.extend(page);
    }
    assert_eq!(kept, [(anns.id, 1), (shared.id, 3)], "in the order of ids, and none that is deleted");
    assert_eq!(db.store.list_kept_references("bbbb", None, 9).await.unwrap(), []);

    for (revision, n) in [(0, 3), (1, 2), (3, 1), (4, 0)] {
        assert_eq!(db.store.count_changed_references(MODEL, revision).await.unwrap(), n, "{revision}");
    }
    let found = db.store.list_references_by_id(MODEL, &[anns.id, bobs.id]).await.unwrap();
    let deleted: Vec<ReferenceId> =
        found.iter().filter(|row| row.deleted_at.is_some()).map(|row| row.id).collect();
    assert_eq!((found.len(), deleted), (2, vec![bobs.id]));
    assert_eq!(db.store.list_references_by_id(MODEL, &[]).await.unwrap(), []);
    assert!(db.store.list_fitments_by_id(&[anns.id]).await.unwrap().is_empty());

    let visible = async |user: &User, at_most| {
        db.store.count_visible_references(MODEL, user.tenant_id, at_most).await.unwrap()
    };
    assert_eq!((visible(&ann, 9).await, visible(&ann, 1).await, visible(&bob, 9).await), (2, 1, 1));
    assert!(db.store.set_reference_deleted(None, shared.id, Some(at(4))).await.unwrap());
    assert!(db.store.has_visible_references(ann.tenant_id).await.unwrap());
    assert!(!db.store.has_visible_references(bob.tenant_id).await.unwrap());
}

async fn an_index_is_told_of_each_change_in_order(db: &TestStore) {
    let ann = db.user("ann").await;
    assert_eq!(db.store.reference_revision().await.unwrap(), 0);
    let first = teach(db, &ann, "egr-valve").await;
    let others: Vec<_> = (0..3).map(|_| (reference(Some(ann.tenant_id), "egr-valve"), vec![])).collect();
    db.store.save_references(None, None, &others, &[], Some(ann.id), None).await.unwrap();
    assert_eq!(db.store.reference_revision().await.unwrap(), 2);
    assert_eq!(db.store.count_references(MODEL).await.unwrap(), 4);
    assert_eq!(db.store.count_references("bbbb").await.unwrap(), 0);

    // What was saved together comes together, however short the page.
    let changed = |after, limit| db.store.list_changed_references(MODEL, after, limit);
    assert_eq!(changed(0, 1).await.unwrap().len(), 1);
    assert_eq!(changed(1, 2).await.unwrap().len(), 3);
    assert_eq!(changed(0, 100).await.unwrap().len(), 4);
    assert_eq!(changed(2, 100).await.unwrap(), []);

    db.store.set_reference_deleted(Some(ann.tenant_id), first.id, Some(at(9))).await.unwrap();
    let change = changed(2, 100).await.unwrap();
    assert_eq!(change, [StoredReference { deleted_at: Some(at(9)), revision: 3, ..first }]);
    assert_eq!(db.store.count_references(MODEL).await.unwrap(), 3);
}

async fn a_deleted_reference_comes_back_until_it_is_purged(db: &TestStore) {
    let ann = db.user("ann").await;
    let taught = teach(db, &ann, "egr-valve").await;
    let owner = Some(ann.tenant_id);
    assert!(!db.store.set_reference_deleted(owner, taught.id, None).await.unwrap(), "it is not deleted");
    assert!(db.store.set_reference_deleted(owner, taught.id, Some(at(10))).await.unwrap());
    assert!(!db.store.set_reference_deleted(owner, taught.id, Some(at(11))).await.unwrap(), "it is");
    assert_eq!(db.store.purge_references(at(10)).await.unwrap(), 0);
    assert!(db.store.set_reference_deleted(owner, taught.id, None).await.unwrap());
    assert_eq!(db.store.purge_references(at(99)).await.unwrap(), 0);

    db.store.set_reference_deleted(owner, taught.id, Some(at(12))).await.unwrap();
    assert_eq!(db.store.purge_references(at(13)).await.unwrap(), 1);
    assert_eq!(db.store.find_reference(ann.tenant_id, taught.id).await.unwrap(), None);
    let photo = db.store.find_reference_thumbnail(ann.tenant_id, taught.id).await.unwrap();
    assert_eq!(photo, None);
    assert!(!db.store.set_reference_deleted(owner, taught.id, None).await.unwrap());
}

async fn what_is_taught_goes_with_its_tenant(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let gone = teach(db, &ann, "egr-valve").await;
    teach(db, &bob, "egr-valve").await;
    assert!(db.store.delete_user(ann.id, ann.tenant_id).await.unwrap());
    assert_eq!(db.store.count_references(MODEL).await.unwrap(), 1);
    assert_eq!(db.store.list_taught_types(ann.tenant_id).await.unwrap(), []);
    // An index that knew of both hears of it, and of nothing once it has.
    assert_eq!(db.store.reference_revision().await.unwrap(), 3);
    assert_eq!(db.store.list_forgotten_references(2).await.unwrap(), [gone.id]);
    assert_eq!(db.store.list_forgotten_references(3).await.unwrap(), []);
    // Who taught nothing leaves nothing behind.
    let carol = db.user("carol").await;
    assert!(db.store.delete_user(carol.id, carol.tenant_id).await.unwrap());
    assert_eq!(db.store.reference_revision().await.unwrap(), 3);
}

async fn what_a_company_was_taught_is_forgotten_with_it_and_with_an_owner_alone(db: &TestStore) {
    for is_account_deleted in [false, true] {
        let ann = db.user("ann").await;
        let taught = teach(db, &ann, "egr-valve").await;
        // It becomes the company's.
        let (company, _) = crate::plans::companies::company(db, &ann).await;
        let before = db.store.reference_revision().await.unwrap();
        if is_account_deleted {
            assert!(db.store.delete_user(ann.id, ann.tenant_id).await.unwrap());
        } else {
            assert!(db.store.delete_company(ann.id, company.id).await.unwrap().is_some());
        }
        assert_eq!(db.store.list_forgotten_references(before).await.unwrap(), [taught.id]);
        assert_eq!(db.store.count_references(MODEL).await.unwrap(), 0);
        if !is_account_deleted {
            assert!(db.store.delete_user(ann.id, ann.tenant_id).await.unwrap());
        }
    }
}

async fn a_reference_that_is_taught_while_its_tenant_goes_is_forgotten_too(db: &TestStore) {
    let ann = db.user("ann").await;
    let owner = Some(ann.tenant_id);
    let rows = [(reference(owner, "egr-valve"), vec![])];
    let teaching = db.store.save_references(None, None, &rows, &[], Some(ann.id), None);
    let deleting = db.store.delete_user(ann.id, ann.tenant_id);
    let (taught, deleted) = tokio::join!(teaching, deleting);
    assert!(deleted.unwrap());
    let forgotten = db.store.list_forgotten_references(0).await.unwrap();
    assert_eq!(forgotten.len(), usize::from(taught.is_ok()), "{taught:?}");
    assert_eq!(db.store.count_references(MODEL).await.unwrap(), 0);
}

async fn references_of_another_model_are_listed_with_their_best_picture(db: &TestStore) {
    let ann = db.user("ann").await;
    let owner = Some(ann.tenant_id);
    let rows = [
        (reference(owner, "egr-valve"), vec![picture(PhotoSize::Thumbnail), picture(PhotoSize::Full)]),
        (reference(owner, "egr-valve"), vec![picture(PhotoSize::Thumbnail)]),
        (reference(owner, "egr-valve"), vec![]),
    ];
    db.store.save_references(None, None, &rows, &[], Some(ann.id), None).await.unwrap();
    assert_eq!(db.store.list_references_of_other_models(MODEL, None, 9).await.unwrap(), []);

    let others = db.store.list_references_of_other_models("bbbb", None, 1).await.unwrap();
    assert_eq!(others.len(), 1);
    assert_eq!((others[0].0.id, others[0].1.size), (rows[0].0.id, PhotoSize::Full));
    let rest = db.store.list_references_of_other_models("bbbb", Some(rows[0].0.id), 9).await.unwrap();
    assert_eq!(rest.len(), 1, "one without a picture cannot be embedded again");
    assert_eq!((rest[0].0.id, rest[0].1.size), (rows[1].0.id, PhotoSize::Thumbnail));

    db.store.replace_embedding(rows[0].0.id, "bbbb", &[1.0, 0.0], &[9; 30]).await.unwrap();
    let changed = db.store.list_changed_references("bbbb", 0, 9).await.unwrap();
    assert_eq!(changed.len(), 1);
    assert_eq!((changed[0].id, changed[0].embedding.as_slice()), (rows[0].0.id, &[1.0, 0.0][..]));
    assert_eq!(db.store.count_references(MODEL).await.unwrap(), 2);
}
