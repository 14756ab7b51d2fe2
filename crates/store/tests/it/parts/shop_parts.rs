use std::collections::{BTreeSet, HashMap};

use partsight_domain::{
    Category, FitmentSource, NewShopPart, PartFitment, PartFitments, PartLabel, PartPrice, ReferenceId,
    ScanPhoto, ShopPart, ShopPartId, TaughtPartType, TenantId, User, folded_number,
};
use partsight_store::{Error, ShopPartRefusal, StoredReference, TypeDeletion};
use uuid::Uuid;

use crate::teaching::part_references::reference;
use crate::{TestStore, at, on_each_database};

on_each_database![
    a_part_is_found_as_it_was_saved_by_its_tenant_alone,
    a_number_of_a_brand_is_there_once_until_it_is_deleted,
    a_change_of_what_was_changed_meanwhile_is_refused_whole,
    a_shop_has_no_more_parts_than_it_may,
    a_part_has_only_photos_of_its_type_and_shop,
    a_part_gets_no_type_that_was_deleted_meanwhile,
    a_part_comes_back_only_while_its_type_is_there,
    of_a_part_and_the_deletion_of_its_type_at_once_one_is_refused,
    a_deleted_part_comes_back_until_it_is_purged,
    an_index_hears_what_the_parts_of_a_photo_fit,
    photos_are_taught_to_a_part_that_is_as_it_was_read,
    the_parts_that_photos_show_are_found_with_those_photos,
    the_newest_parts_of_some_types_are_read_as_texts,
    a_part_is_found_by_what_its_number_folds_to,
];

const MOST: u32 = 100;

fn part(user: &User, number: &str) -> ShopPart {
    ShopPart {
        id: ShopPartId(Uuid::now_v7()),
        tenant_id: user.tenant_id,
        details: NewShopPart {
            label: PartLabel::new("spark-plug").unwrap(),
            name: Some("Zündkerze 🔥".to_owned()),
            number: number.to_owned(),
            brand: Some("NGK".to_owned()),
            price: Some(PartPrice::new(1250, "EUR").unwrap()),
            notes: Some("one\ntwo".to_owned()),
            fitments: vec![PartFitment {
                make: "Honda".to_owned(),
                model: Some("Civic".to_owned()),
                first_year: Some(2012),
                last_year: None,
                note: None,
                fits: true,
                source: FitmentSource::Aces,
            }],
            photos: vec![],
        },
        created_at: at(1),
        updated_at: at(1),
        revision: 1,
    }
}

async fn save(
    db: &TestStore,
    user: &User,
    added: &[ShopPart],
    changed: &[ShopPart],
) -> Result<(), ShopPartRefusal> {
    db.store.save_shop_parts(user.tenant_id, user.id, added, changed, &[], MOST).await.unwrap()
}

async fn all(db: &TestStore, user: &User) -> Vec<ShopPart> {
    db.store.list_shop_parts(user.tenant_id, None, None, MOST).await.unwrap()
}

async fn a_part_is_found_as_it_was_saved_by_its_tenant_alone(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let saved = part(&ann, "ILZKR7B-11S");
    save(db, &ann, std::slice::from_ref(&saved), &[]).await.unwrap();
    assert_eq!(all(db, &ann).await, std::slice::from_ref(&saved));
    assert_eq!(db.store.find_shop_part(ann.tenant_id, saved.id).await.unwrap(), Some(saved.clone()));
    let texts = db.store.list_shop_part_texts(ann.tenant_id).await.unwrap();
    assert_eq!((texts.len(), texts[0].number.as_str(), texts[0].id), (1, "ILZKR7B-11S", saved.id));
    let rim = PartLabel::new("rim").unwrap();
    assert_eq!(db.store.list_shop_parts(ann.tenant_id, Some(&rim), None, MOST).await.unwrap(), []);

    assert_eq!(all(db, &bob).await, []);
    assert_eq!(db.store.find_shop_part(bob.tenant_id, saved.id).await.unwrap(), None);
    assert_eq!(db.store.list_shop_part_texts(bob.tenant_id).await.unwrap(), []);
    assert_eq!(save(db, &bob, &[], std::slice::from_ref(&saved)).await, Err(ShopPartRefusal::Changed));
    assert!(!db.store.delete_shop_part(bob.tenant_id, saved.id, at(2)).await.unwrap());
    assert_eq!(restore(db, &bob, saved.id, MOST).await.unwrap(), Ok(false));

    let bare =
        NewShopPart { name: None, brand: None, price: None, notes: None, fitments: vec![], ..saved.details };
    let changed = ShopPart { details: bare, updated_at: at(5), ..saved };
    save(db, &ann, &[], std::slice::from_ref(&changed)).await.unwrap();
    assert_eq!(all(db, &ann).await, [ShopPart { revision: 2, ..changed }]);
}

async fn a_part_is_found_by_what_its_number_folds_to(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let numbers = ["IL-ZKR7B 11S", "A|1", "--", "Ö-0815", "O123", "AKÜ-60"];
    let mut parts: Vec<ShopPart> = numbers.iter().map(|number| part(&ann, number)).collect();
    // A bar in the brand does not move where the number ends.
    parts[4].details.brand = Some("Ä|L".to_owned());
    // Nor does a letter that is two in lower case.
    parts[5].details.brand = Some("İNCİ".to_owned());
    save(db, &ann, &parts, &[]).await.unwrap();
    for (at, read) in ["11ZKR7811S", "a1", "--", "Ö-O8I5", "0i23", "akü 6O"].into_iter().enumerate() {
        let wanted = [folded_number(read), "nothing".to_owned()];
        let found = db.store.find_shop_parts_by_number(ann.tenant_id, &wanted).await.unwrap();
        let found: Vec<_> = found.into_iter().map(|part| part.number).collect();
        assert_eq!(found, [numbers[at]], "{read}");
        assert_eq!(db.store.find_shop_parts_by_number(bob.tenant_id, &wanted).await.unwrap(), [], "{read}");
    }
    db.store.delete_shop_part(ann.tenant_id, parts[0].id, at(2)).await.unwrap();
    let wanted = [folded_number(numbers[0])];
    assert_eq!(db.store.find_shop_parts_by_number(ann.tenant_id, &wanted).await.unwrap(), []);
    assert_eq!(db.store.find_shop_parts_by_number(ann.tenant_id, &[]).await.unwrap(), []);
}

async fn a_number_of_a_brand_is_there_once_until_it_is_deleted(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let first = part(&ann, "A-1");
    save(db, &ann, std::slice::from_ref(&first), &[]).await.unwrap();
    save(db, &bob, &[part(&bob, "A-1")], &[]).await.unwrap();
    let again = [part(&ann, "B-1"), part(&ann, "a 1")];
    let result = db.store.save_shop_parts(ann.tenant_id, ann.id, &again, &[], &[], MOST).await;
    assert!(matches!(result, Err(Error::Constraint(_))), "{result:?}");
    assert_eq!(all(db, &ann).await.len(), 1, "all or nothing");

    assert!(db.store.delete_shop_part(ann.tenant_id, first.id, at(2)).await.unwrap());
    save(db, &ann, &[part(&ann, "A-1")], &[]).await.unwrap();
    let result = restore(db, &ann, first.id, MOST).await;
    assert!(matches!(result, Err(Error::Constraint(_))), "{result:?}");
}

async fn a_change_of_what_was_changed_meanwhile_is_refused_whole(db: &TestStore) {
    let ann = db.user("ann").await;
    let (first, second) = (part(&ann, "1"), part(&ann, "2"));
    save(db, &ann, &[first.clone(), second.clone()], &[]).await.unwrap();
    save(db, &ann, &[], std::slice::from_ref(&second)).await.unwrap();
    let renamed = ShopPart { details: NewShopPart { name: None, ..first.details.clone() }, ..first };
    assert_eq!(save(db, &ann, &[part(&ann, "3")], &[renamed, second]).await, Err(ShopPartRefusal::Changed));
    let kept = all(db, &ann).await;
    assert!(kept.len() == 2 && kept.iter().all(|part| part.details.name.is_some()), "{kept:?}");
}

async fn a_shop_has_no_more_parts_than_it_may(db: &TestStore) {
    let ann = db.user("ann").await;
    let first = part(&ann, "1");
    save(db, &ann, std::slice::from_ref(&first), &[]).await.unwrap();
    let two = [part(&ann, "2"), part(&ann, "3")];
    let limited = db.store.save_shop_parts(ann.tenant_id, ann.id, &two, &[], &[], 2).await.unwrap();
    assert_eq!(limited, Err(ShopPartRefusal::Full));
    db.store.save_shop_parts(ann.tenant_id, ann.id, &two[..1], &[], &[], 2).await.unwrap().unwrap();
    // A deleted one counts no more, until it comes back.
    db.store.delete_shop_part(ann.tenant_id, first.id, at(2)).await.unwrap();
    db.store.save_shop_parts(ann.tenant_id, ann.id, &two[1..], &[], &[], 2).await.unwrap().unwrap();
    let restored = restore(db, &ann, first.id, 2).await.unwrap();
    assert_eq!(restored, Err(ShopPartRefusal::Full));
}

async fn teach(db: &TestStore, user: &User, owner: Option<TenantId>, label: &str) -> ReferenceId {
    let reference = reference(owner, label);
    let id = reference.id;
    db.store.save_references(None, None, &[(reference, vec![])], &[], Some(user.id), None).await.unwrap();
    id
}

async fn a_part_has_only_photos_of_its_type_and_shop(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let own = teach(db, &ann, Some(ann.tenant_id), "spark-plug").await;
    let shared = teach(db, &ann, None, "spark-plug").await;
    let others = teach(db, &bob, Some(bob.tenant_id), "spark-plug").await;
    let of_rim = teach(db, &ann, Some(ann.tenant_id), "rim").await;
    let with = |photos: &[ReferenceId], number: &str| {
        let part = part(&ann, number);
        ShopPart { details: NewShopPart { photos: photos.to_vec(), ..part.details }, ..part }
    };
    for bad in [others, of_rim, ReferenceId(Uuid::now_v7())] {
        let refused = save(db, &ann, &[with(&[own, bad], "1")], &[]).await;
        assert_eq!(refused, Err(ShopPartRefusal::PhotoMissing));
    }
    let saved = with(&[own, shared], "1");
    save(db, &ann, &[saved.clone(), with(&[], "2")], &[]).await.unwrap();
    assert_eq!(all(db, &ann).await[1], saved);
    // A photo that is deleted is shown no more, and one that is purged goes.
    db.store.set_reference_deleted(Some(ann.tenant_id), own, Some(at(3))).await.unwrap();
    let photos = |found: Option<ShopPart>| found.unwrap().details.photos;
    assert_eq!(photos(db.store.find_shop_part(ann.tenant_id, saved.id).await.unwrap()), [shared]);
    // It comes back to its part, also if the part was edited meanwhile.
    let edited = with(&[shared], "1");
    let edited = ShopPart { id: saved.id, ..edited };
    save(db, &ann, &[], &[edited]).await.unwrap();
    db.store.set_reference_deleted(Some(ann.tenant_id), own, None).await.unwrap();
    assert_eq!(photos(db.store.find_shop_part(ann.tenant_id, saved.id).await.unwrap()).len(), 2);
    db.store.set_reference_deleted(Some(ann.tenant_id), own, Some(at(4))).await.unwrap();
    db.store.purge_references(at(9)).await.unwrap();
    assert_eq!(photos(db.store.find_shop_part(ann.tenant_id, saved.id).await.unwrap()), [shared]);
}

/// Restores a part whose type is one that people may have taught.
async fn restore(
    db: &TestStore,
    user: &User,
    id: ShopPartId,
    most: u32,
) -> Result<Result<bool, ShopPartRefusal>, Error> {
    db.store.restore_shop_part(user.tenant_id, user.id, id, most, |_| true).await
}

/// Teaches a type, `None` for all tenants, without photographs.
async fn teach_type(db: &TestStore, owner: Option<TenantId>, label: &PartLabel) {
    let part_type = TaughtPartType {
        tenant_id: owner,
        label: label.clone(),
        name: "EGR valve".to_owned(),
        category: Category::Engine,
        created_at: at(1),
        deleted_at: None,
    };
    assert!(db.store.save_references(Some(&part_type), None, &[], &[], None, None).await.unwrap());
}

fn of_type(part: ShopPart, label: &PartLabel) -> ShopPart {
    ShopPart { details: NewShopPart { label: label.clone(), ..part.details }, ..part }
}

async fn a_part_gets_no_type_that_was_deleted_meanwhile(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let label = PartLabel::new("egr-valve").unwrap();
    let save = async |added: &[ShopPart], changed: &[ShopPart]| {
        let taught = [label.clone()];
        db.store.save_shop_parts(ann.tenant_id, ann.id, added, changed, &taught, MOST).await.unwrap()
    };
    let plug = part(&ann, "1");
    self::save(db, &ann, std::slice::from_ref(&plug), &[]).await.unwrap();
    let (new, changed) = ([of_type(part(&ann, "2"), &label)], [of_type(plug.clone(), &label)]);
    // Somebody else's is none of hers.
    teach_type(db, Some(bob.tenant_id), &label).await;
    assert_eq!(save(&new, &[]).await, Err(ShopPartRefusal::TypeMissing));
    teach_type(db, Some(ann.tenant_id), &label).await;
    let delete =
        db.store.delete_taught_type(&[Some(ann.tenant_id)], &[ann.tenant_id], &label, at(5)).await.unwrap();
    assert_eq!(delete, TypeDeletion::Deleted);
    assert_eq!(save(&new, &[]).await, Err(ShopPartRefusal::TypeMissing));
    assert_eq!(save(&[], &changed).await, Err(ShopPartRefusal::TypeMissing));
    assert_eq!(all(db, &ann).await, [plug], "nothing was saved");
    assert!(db.store.restore_taught_type(&[Some(ann.tenant_id)], &label, at(5)).await.unwrap());
    assert_eq!(save(&new, &changed).await, Ok(()));
}

async fn a_part_comes_back_only_while_its_type_is_there(db: &TestStore) {
    let ann = db.user("ann").await;
    let label = PartLabel::new("egr-valve").unwrap();
    teach_type(db, Some(ann.tenant_id), &label).await;
    let part = of_type(part(&ann, "1"), &label);
    save(db, &ann, std::slice::from_ref(&part), &[]).await.unwrap();
    assert!(db.store.delete_shop_part(ann.tenant_id, part.id, at(4)).await.unwrap());
    let owners = [Some(ann.tenant_id)];
    let deleted = db.store.delete_taught_type(&owners, &[ann.tenant_id], &label, at(5)).await.unwrap();
    assert_eq!(deleted, TypeDeletion::Deleted);
    assert_eq!(restore(db, &ann, part.id, MOST).await.unwrap(), Err(ShopPartRefusal::TypeDeleted));
    assert_eq!(all(db, &ann).await, [], "nothing came back");
    assert!(db.store.restore_taught_type(&owners, &label, at(5)).await.unwrap());
    assert_eq!(restore(db, &ann, part.id, MOST).await.unwrap(), Ok(true));

    // Where the catalogue has the type by now, the taught one is not needed.
    assert!(db.store.delete_shop_part(ann.tenant_id, part.id, at(6)).await.unwrap());
    db.store.delete_taught_type(&owners, &[ann.tenant_id], &label, at(7)).await.unwrap();
    let restored = db.store.restore_shop_part(ann.tenant_id, ann.id, part.id, MOST, |_| false).await;
    assert_eq!(restored.unwrap(), Ok(true));
}

async fn of_a_part_and_the_deletion_of_its_type_at_once_one_is_refused(db: &TestStore) {
    let ann = db.user("ann").await;
    for round in 0..20 {
        let label = PartLabel::new(&format!("valve-{round}")).unwrap();
        // One that all share, whose deletion does not lock the shop.
        teach_type(db, None, &label).await;
        let (added, taught) = ([of_type(part(&ann, &format!("{round}")), &label)], [label.clone()]);
        let (saved, deleted) = tokio::join!(
            db.store.save_shop_parts(ann.tenant_id, ann.id, &added, &[], &taught, MOST),
            db.store.delete_taught_type(&[None], &[], &label, at(5)),
        );
        let expected = match deleted.unwrap() {
            TypeDeletion::Deleted => Err(ShopPartRefusal::TypeMissing),
            other => {
                assert_eq!(other, TypeDeletion::InUse);
                Ok(())
            }
        };
        assert_eq!(saved.unwrap(), expected, "round {round}");
    }
}

async fn a_deleted_part_comes_back_until_it_is_purged(db: &TestStore) {
    let ann = db.user("ann").await;
    let part = part(&ann, "1");
    save(db, &ann, std::slice::from_ref(&part), &[]).await.unwrap();
    assert_eq!(restore(db, &ann, part.id, MOST).await.unwrap(), Ok(false));
    assert!(db.store.delete_shop_part(ann.tenant_id, part.id, at(5)).await.unwrap());
    assert!(!db.store.delete_shop_part(ann.tenant_id, part.id, at(6)).await.unwrap());
    assert_eq!(all(db, &ann).await, []);
    assert_eq!(db.store.find_shop_part(ann.tenant_id, part.id).await.unwrap(), None);
    assert_eq!(db.store.purge_shop_parts(at(5)).await.unwrap(), 0);
    assert_eq!(restore(db, &ann, part.id, MOST).await.unwrap(), Ok(true));
    assert_eq!(all(db, &ann).await.len(), 1);
    db.store.delete_shop_part(ann.tenant_id, part.id, at(5)).await.unwrap();
    assert_eq!(db.store.purge_shop_parts(at(6)).await.unwrap(), 1);
    assert_eq!(restore(db, &ann, part.id, MOST).await.unwrap(), Ok(false));
}

/// The photographs that changed after `seen`, each with what is said of its parts, in no order; moves `seen` on.
async fn told(db: &TestStore, seen: &mut i64) -> Vec<(ReferenceId, Vec<PartFitments>)> {
    let changed = db.store.list_changed_references("aaaa", *seen, 100).await.unwrap();
    let (Some(first), Some(last)) = (changed.first(), changed.last()) else { return Vec::new() };
    let mut parts =
        db.store.list_fitments_of_references("aaaa", first.revision, last.revision).await.unwrap();
    *seen = last.revision;
    // What is put right by ids is told the same, in no order.
    let ids: Vec<ReferenceId> = changed.iter().map(|reference| reference.id).collect();
    let by_id = db.store.list_fitments_by_id(&ids).await.unwrap();
    for id in &ids {
        let texts = |parts: &HashMap<ReferenceId, Vec<PartFitments>>| -> BTreeSet<String> {
            parts.get(id).into_iter().flatten().map(|part| format!("{part:?}")).collect()
        };
        assert_eq!(texts(&by_id), texts(&parts));
    }
    changed.iter().map(|reference| (reference.id, parts.remove(&reference.id).unwrap_or_default())).collect()
}

async fn an_index_hears_what_the_parts_of_a_photo_fit(db: &TestStore) {
    let ann = db.user("ann").await;
    let own = teach(db, &ann, Some(ann.tenant_id), "spark-plug").await;
    let shared = teach(db, &ann, None, "spark-plug").await;
    let mut seen = 0;
    assert_eq!(told(db, &mut seen).await, [(own, vec![]), (shared, vec![])]);

    let with = |number: &str, fitments: &[PartFitment], photos: &[ReferenceId]| {
        let part = part(&ann, number);
        let (photos, fitments) = (photos.to_vec(), fitments.to_vec());
        ShopPart { details: NewShopPart { photos, fitments, ..part.details }, ..part }
    };
    let civic = part(&ann, "x").details.fitments;
    let silent = with("3", &[], &[]);
    let fitting = with("1", &civic, &[own, shared]);
    save(db, &ann, &[fitting.clone(), silent], &[]).await.unwrap();
    // What all share is said to fit nothing: each shop may say something else.
    assert_eq!(told(db, &mut seen).await, [(own, vec![PartFitments::new(&civic)])]);
    // A photograph may show several parts.
    let other = with("2", &[], &[own]);
    save(db, &ann, std::slice::from_ref(&other), &[]).await.unwrap();
    let (_, parts) = told(db, &mut seen).await.remove(0);
    assert_eq!(parts.len(), 2);
    assert!(parts.contains(&PartFitments::new(&civic)) && parts.contains(&PartFitments::default()));

    db.store.delete_shop_part(ann.tenant_id, other.id, at(3)).await.unwrap();
    assert_eq!(told(db, &mut seen).await, [(own, vec![PartFitments::new(&civic)])]);
    restore(db, &ann, other.id, MOST).await.unwrap().unwrap();
    assert_eq!(told(db, &mut seen).await[0].1.len(), 2);
    db.store.delete_shop_part(ann.tenant_id, other.id, at(3)).await.unwrap();

    let excluded = vec![PartFitment { fits: false, ..civic[0].clone() }];
    let details = NewShopPart { fitments: excluded.clone(), ..fitting.details.clone() };
    save(db, &ann, &[], &[ShopPart { details, ..fitting.clone() }]).await.unwrap();
    assert_eq!(told(db, &mut seen).await, [(own, vec![PartFitments::new(&excluded)])]);
    // Its photographs are untied.
    let details = NewShopPart { photos: vec![], ..fitting.details.clone() };
    save(db, &ann, &[], &[ShopPart { details, revision: 2, ..fitting }]).await.unwrap();
    assert_eq!(told(db, &mut seen).await, [(own, vec![])]);
    // Parts without photographs are no news.
    save(db, &ann, &[with("4", &civic, &[])], &[]).await.unwrap();
    assert_eq!(told(db, &mut seen).await, []);
}

async fn photos_are_taught_to_a_part_that_is_as_it_was_read(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let first = part(&ann, "1");
    save(db, &ann, std::slice::from_ref(&first), &[]).await.unwrap();
    let rows = || [(reference(Some(ann.tenant_id), "spark-plug"), vec![])];
    let teach = async |part: &ShopPart, rows: &[(StoredReference, Vec<ScanPhoto>)]| {
        db.store.save_references(None, Some(part), rows, &[], Some(ann.id), None).await.unwrap()
    };
    let taught = rows();
    assert!(teach(&first, &taught).await);
    let found = db.store.find_shop_part(ann.tenant_id, first.id).await.unwrap().unwrap();
    assert_eq!((found.details.photos.as_slice(), found.revision), ([taught[0].0.id].as_slice(), 2));
    assert_eq!(found.updated_at, at(2));

    // Changed meanwhile, somebody else's, deleted: nothing is saved.
    assert!(!teach(&first, &rows()).await);
    assert!(!teach(&ShopPart { tenant_id: bob.tenant_id, ..found.clone() }, &rows()).await);
    db.store.delete_shop_part(ann.tenant_id, first.id, at(3)).await.unwrap();
    assert!(!teach(&ShopPart { revision: 3, ..found }, &rows()).await);
    assert_eq!(db.store.list_references(ann.tenant_id, None).await.unwrap().len(), 1);
}

async fn the_parts_that_photos_show_are_found_with_those_photos(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let (one, two) = (
        teach(db, &ann, Some(ann.tenant_id), "spark-plug").await,
        teach(db, &ann, Some(ann.tenant_id), "spark-plug").await,
    );
    let with = |number: &str, photos: &[ReferenceId]| {
        let part = part(&ann, number);
        ShopPart { details: NewShopPart { photos: photos.to_vec(), ..part.details }, ..part }
    };
    let parts = [with("1", &[one, two]), with("2", &[one]), with("3", &[two]), with("4", &[])];
    save(db, &ann, &parts, &[]).await.unwrap();
    db.store.delete_shop_part(ann.tenant_id, parts[1].id, at(3)).await.unwrap();
    let shown = async |user: &User, photos: &[ReferenceId]| {
        let found = db.store.list_shop_parts_shown(user.tenant_id, photos).await.unwrap();
        found.into_iter().map(|part| (part.details.number, part.details.photos)).collect::<Vec<_>>()
    };
    assert_eq!(shown(&ann, &[one]).await, [("1".to_owned(), vec![one])]);
    assert_eq!(
        shown(&ann, &[one, two]).await,
        [("1".to_owned(), vec![one, two]), ("3".to_owned(), vec![two])]
    );
    assert_eq!(shown(&ann, &[]).await, []);
    assert_eq!(shown(&bob, &[one, two]).await, []);
}

async fn the_newest_parts_of_some_types_are_read_as_texts(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let label = |text: &str| PartLabel::new(text).unwrap();
    let of_type = |text: &str, number: &str| {
        let part = part(&ann, number);
        ShopPart { details: NewShopPart { label: label(text), ..part.details }, ..part }
    };
    let added = ["1", "2", "3"].map(|number| of_type("spark-plug", number));
    let others = [of_type("rim", "17x7"), of_type("radio", "R1")];
    save(db, &ann, &[added.as_slice(), others.as_slice()].concat(), &[]).await.unwrap();
    assert!(db.store.delete_shop_part(ann.tenant_id, added[2].id, at(3)).await.unwrap());
    save(db, &bob, &[part(&bob, "4")], &[]).await.unwrap();

    let numbers = async |labels: &[PartLabel], most: u32| {
        let found = db.store.list_newest_shop_part_texts(ann.tenant_id, labels, most).await.unwrap();
        found.into_iter().map(|part| part.number).collect::<Vec<_>>()
    };
    let both = [label("spark-plug"), label("rim")];
    assert_eq!(numbers(&both, 3).await, ["17x7", "2", "1"]);
    assert_eq!(numbers(&both, 1).await, ["17x7", "2"], "the newest of each type");
    assert_eq!(numbers(&[label("piston")], 3).await, Vec::<String>::new());
    assert_eq!(numbers(&[], 3).await, Vec::<String>::new());
    let found = db.store.list_newest_shop_part_texts(ann.tenant_id, &both[..1], 1).await.unwrap();
    assert_eq!((found[0].id, found[0].notes.as_deref()), (added[1].id, Some("one\ntwo")));
}
