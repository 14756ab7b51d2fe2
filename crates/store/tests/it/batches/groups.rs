use partsight_domain::{
    BatchId, BatchItem, BatchItemId, BatchSort, FeedbackKind, GroupedBy, PartLabel, ReadLine, Reading, User,
    Verdict, folded_number,
};
use partsight_store::{ArrangedItem, GroupDoubt, ItemFilter, ItemOutcome, Regrouped};

use super::queue::{WORKERS, add, answer, answer_with, claim, end, running};
use crate::scanning::feedback::said;
use crate::{TestStore, at, on_each_database};

on_each_database![
    photographs_are_joined_with_their_groups_and_split_again,
    what_a_person_said_is_not_proposed_otherwise,
    photographs_are_arranged_as_they_were_and_others_stay_together,
    one_entry_a_group_is_listed_and_what_is_discarded_is_left_out,
    a_group_whose_first_photograph_is_discarded_is_listed_by_the_next,
    groups_are_sorted_by_their_common_doubt_until_they_change,
    a_group_is_found_by_its_first_answer,
    photographs_are_found_by_a_number_on_them_or_in_their_names,
    groups_of_others_are_not_reached,
    embeddings_are_those_of_the_model_in_use,
];

const MOST: usize = 3;

async fn items(db: &TestStore, user: &User, batch: BatchId, filter: &ItemFilter) -> Vec<BatchItem> {
    db.store.list_batch_items(user.tenant_id, batch, filter, 20).await.unwrap()
}

async fn ids(db: &TestStore, user: &User, batch: BatchId) -> Vec<BatchItemId> {
    items(db, user, batch, &ItemFilter::default()).await.into_iter().map(|item| item.id).collect()
}

/// The groups of all items in order: the place of the first one of each, none for those alone.
async fn groups(db: &TestStore, user: &User, batch: BatchId) -> Vec<Option<usize>> {
    let items = items(db, user, batch, &ItemFilter::default()).await;
    let place = |group: BatchItemId| items.iter().position(|item| item.id == group).unwrap();
    items.iter().map(|item| item.group_id.map(place)).collect()
}

async fn photographs_are_joined_with_their_groups_and_split_again(db: &TestStore) {
    let ann = db.user("ann").await;
    let batch = running(db, &ann, 5).await;
    let id = ids(db, &ann, batch).await;
    let join = async |places: &[usize]| {
        let wanted: Vec<BatchItemId> = places.iter().map(|&place| id[place]).collect();
        db.store.join_batch_items(ann.tenant_id, batch, &wanted, MOST).await.unwrap()
    };
    assert_eq!(join(&[3, 1]).await, Regrouped::Done);
    assert_eq!(groups(db, &ann, batch).await, [None, Some(1), None, Some(1), None]);
    // The whole group comes along, and its first one changes.
    assert_eq!(join(&[3, 0]).await, Regrouped::Done);
    assert_eq!(groups(db, &ann, batch).await, [Some(0), Some(0), None, Some(0), None]);
    assert_eq!(join(&[2, 1]).await, Regrouped::TooMany);
    let missing = BatchItemId(uuid::Uuid::now_v7());
    let reply = db.store.join_batch_items(ann.tenant_id, batch, &[id[2], missing], MOST).await.unwrap();
    assert_eq!(reply, Regrouped::Missing);
    assert_eq!(groups(db, &ann, batch).await, [Some(0), Some(0), None, Some(0), None]);
    let split = async |place: usize| {
        assert!(db.store.split_batch_items(ann.tenant_id, batch, &[id[place]]).await.unwrap());
    };
    assert!(!db.store.split_batch_items(ann.tenant_id, batch, &[id[0], missing]).await.unwrap());
    assert_eq!(groups(db, &ann, batch).await, [Some(0), Some(0), None, Some(0), None]);
    split(0).await;
    assert_eq!(groups(db, &ann, batch).await, [None, Some(1), None, Some(1), None]);
    // One alone is no group.
    split(3).await;
    assert_eq!(groups(db, &ann, batch).await, [None; 5]);
}

async fn what_a_person_said_is_not_proposed_otherwise(db: &TestStore) {
    let ann = db.user("ann").await;
    let batch = running(db, &ann, 6).await;
    let id = ids(db, &ann, batch).await;
    db.store.join_batch_items(ann.tenant_id, batch, &id[..2], MOST).await.unwrap();
    assert!(db.store.split_batch_items(ann.tenant_id, batch, &id[..1]).await.unwrap());
    let proposed = [vec![id[1], id[2]], vec![id[3], id[4]], vec![id[4], id[5]]];
    assert_eq!(db.store.propose_batch_groups(ann.tenant_id, batch, &proposed).await.unwrap(), 1);
    assert_eq!(groups(db, &ann, batch).await, [None, None, None, Some(3), Some(3), None]);
    let by: Vec<_> = items(db, &ann, batch, &ItemFilter::default())
        .await
        .into_iter()
        .map(|item| item.grouped_by)
        .collect();
    let (person, proposal) = (Some(GroupedBy::Person), Some(GroupedBy::Proposal));
    assert_eq!(by, [person, person, None, proposal, proposal, None]);
}

async fn photographs_are_arranged_as_they_were_and_others_stay_together(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let batch = running(db, &ann, 5).await;
    let id = ids(db, &ann, batch).await;
    let (person, proposal) = (Some(GroupedBy::Person), Some(GroupedBy::Proposal));
    db.store.join_batch_items(ann.tenant_id, batch, &id, 5).await.unwrap();
    let item = |places: &[usize], by| ArrangedItem { photos: places.iter().map(|&at| id[at]).collect(), by };
    let wanted = [item(&[0], None), item(&[3, 1], proposal)];
    assert!(!db.store.arrange_batch_items(bob.tenant_id, batch, &wanted).await.unwrap());
    let missing = ArrangedItem { photos: vec![BatchItemId(uuid::Uuid::now_v7())], by: None };
    assert!(!db.store.arrange_batch_items(ann.tenant_id, batch, &[item(&[0], None), missing]).await.unwrap());
    assert_eq!(groups(db, &ann, batch).await, [Some(0); 5]);
    assert!(db.store.arrange_batch_items(ann.tenant_id, batch, &wanted).await.unwrap());
    assert_eq!(groups(db, &ann, batch).await, [None, Some(1), Some(2), Some(1), Some(2)]);
    let listed = items(db, &ann, batch, &ItemFilter::default()).await;
    let by: Vec<_> = listed.into_iter().map(|item| item.grouped_by).collect();
    assert_eq!(by, [None, proposal, person, proposal, person]);
}

async fn one_entry_a_group_is_listed_and_what_is_discarded_is_left_out(db: &TestStore) {
    let ann = db.user("ann").await;
    let batch = running(db, &ann, 4).await;
    let id = ids(db, &ann, batch).await;
    db.store.join_batch_items(ann.tenant_id, batch, &[id[1], id[2]], MOST).await.unwrap();
    let discard = async |is_discarded| {
        db.store.discard_batch_items(ann.tenant_id, batch, &id[3..], is_discarded).await.unwrap()
    };
    assert_eq!((discard(true).await, discard(true).await), (1, 0));
    let names = async |filter: ItemFilter| -> Vec<String> {
        items(db, &ann, batch, &filter).await.into_iter().map(|item| item.name).collect()
    };
    let of = |is_discarded| ItemFilter { is_discarded, ..ItemFilter::default() };
    assert_eq!(names(of(Some(true))).await, ["3"]);
    assert_eq!(names(ItemFilter { is_grouped: true, ..of(Some(false)) }).await, ["0", "1"]);
    assert_eq!(discard(false).await, 1);
    assert_eq!(names(of(Some(false))).await.len(), 4);
    let members = db.store.list_batch_group_items(ann.tenant_id, batch, &[id[1]]).await.unwrap();
    assert_eq!(members.into_iter().map(|item| item.id).collect::<Vec<_>>(), [id[1], id[2]]);
}

async fn a_group_whose_first_photograph_is_discarded_is_listed_by_the_next(db: &TestStore) {
    let ann = db.user("ann").await;
    let batch = running(db, &ann, 5).await;
    let id = ids(db, &ann, batch).await;
    db.store.join_batch_items(ann.tenant_id, batch, &id[1..4], MOST).await.unwrap();
    let doubts = [GroupDoubt { group: id[1], doubt: 7, n_answers: 0 }];
    db.store.set_group_doubts(ann.tenant_id, batch, &doubts).await.unwrap();
    db.store.discard_batch_items(ann.tenant_id, batch, &id[1..2], true).await.unwrap();
    let listed = async |is_discarded| {
        let filter =
            ItemFilter { is_grouped: true, is_discarded, sort: BatchSort::Doubt, ..ItemFilter::default() };
        let items = items(db, &ann, batch, &filter).await;
        items.into_iter().map(|item| (item.id, item.doubt)).collect::<Vec<_>>()
    };
    // By the doubt of the group, whichever of its photographs stands for it.
    assert_eq!(listed(Some(false)).await, [(id[2], 7), (id[0], 0), (id[4], 0)]);
    assert_eq!(listed(Some(true)).await, [(id[1], 7)]);
    assert_eq!(listed(None).await, [(id[1], 7), (id[0], 0), (id[4], 0)]);
    db.store.discard_batch_items(ann.tenant_id, batch, &id[2..4], true).await.unwrap();
    assert_eq!(listed(Some(false)).await, [(id[0], 0), (id[4], 0)]);
    assert_eq!(listed(Some(true)).await, [(id[1], 7)]);
}

async fn groups_are_sorted_by_their_common_doubt_until_they_change(db: &TestStore) {
    let ann = db.user("ann").await;
    let batch = running(db, &ann, 4).await;
    let id = ids(db, &ann, batch).await;
    let to_work_out = async || db.store.list_groups_without_doubt(ann.tenant_id, batch, 10).await.unwrap();
    assert_eq!(to_work_out().await, []);
    db.store.join_batch_items(ann.tenant_id, batch, &id[1..3], MOST).await.unwrap();
    assert_eq!(to_work_out().await, [id[1]]);
    let set = async |doubt, n_answers| {
        let doubts = [GroupDoubt { group: id[1], doubt, n_answers }];
        db.store.set_group_doubts(ann.tenant_id, batch, &doubts).await.unwrap();
    };
    // Of two answers that came meanwhile it knows nothing.
    set(7, 2).await;
    assert_eq!(to_work_out().await, [id[1]]);
    set(7, 0).await;
    assert_eq!(to_work_out().await, []);
    let by_doubt = ItemFilter { is_grouped: true, sort: BatchSort::Doubt, ..ItemFilter::default() };
    let listed = items(db, &ann, batch, &by_doubt).await;
    assert_eq!(
        listed.iter().map(|item| (item.id, item.doubt)).collect::<Vec<_>>(),
        [(id[1], 7), (id[0], 0), (id[3], 0)]
    );
    // The next page goes on behind it, and each photograph by itself has its own doubt.
    let after = ItemFilter { after: Some(listed[0].position()), ..by_doubt.clone() };
    assert_eq!(items(db, &ann, batch, &after).await.len(), 2);
    let alone = ItemFilter { is_grouped: false, ..by_doubt };
    assert!(items(db, &ann, batch, &alone).await.iter().all(|item| item.doubt == 0));
    // An answer to one of its photographs, and a photograph less, let it be worked out anew.
    let first = claim(db, WORKERS[0], at(1)).await.unwrap();
    answer(db, &first).await.unwrap();
    assert_eq!(to_work_out().await, [], "that one is in no group");
    let second = claim(db, WORKERS[0], at(1)).await.unwrap();
    answer(db, &second).await.unwrap();
    assert_eq!(to_work_out().await, [id[1]]);
    set(9, 1).await;
    db.store.join_batch_items(ann.tenant_id, batch, &[id[1], id[3]], MOST).await.unwrap();
    assert_eq!(to_work_out().await, [id[1]]);
    // Until then it has the doubt of its first photograph, so that it can be on two pages while answers come.
    set(1_000_000, 1).await;
    let listed = items(db, &ann, batch, &ItemFilter { after: None, ..after.clone() }).await;
    assert_eq!(listed[0].id, id[1]);
    let third = claim(db, WORKERS[0], at(1)).await.unwrap();
    answer(db, &third).await.unwrap();
    let after = ItemFilter { after: Some(listed[0].position()), ..after };
    assert!(items(db, &ann, batch, &after).await.iter().any(|item| item.id == id[1]));
}

async fn a_group_is_found_by_its_first_answer(db: &TestStore) {
    let ann = db.user("ann").await;
    let batch = running(db, &ann, 4).await;
    let id = ids(db, &ann, batch).await;
    let first = claim(db, WORKERS[0], at(1)).await.unwrap();
    assert!(end(db, &first, &ItemOutcome::NotAPart("No part.".to_owned())).await);
    while let Some(item) = claim(db, WORKERS[0], at(1)).await {
        answer(db, &item).await.unwrap();
    }
    db.store.join_batch_items(ann.tenant_id, batch, &id[..3], MOST).await.unwrap();
    let scan_id = items(db, &ann, batch, &ItemFilter::default()).await[1].scan_id.unwrap();
    let rim = said(FeedbackKind::OtherPart, Some("rim"), 6);
    db.store.set_feedback(ann.tenant_id, scan_id, ann.id, ann.tenant_id, &rim).await.unwrap();
    let found = async |filter: ItemFilter| -> Vec<String> {
        items(db, &ann, batch, &filter).await.into_iter().map(|item| item.name).collect()
    };
    let label = |name| Some(PartLabel::new(name).unwrap());
    let grouped = || ItemFilter { is_grouped: true, is_discarded: Some(false), ..ItemFilter::default() };
    assert_eq!(found(ItemFilter { verdict: Some(Verdict::Identified), ..grouped() }).await, ["0", "3"]);
    assert_eq!(found(ItemFilter { verdict: Some(Verdict::NotSure), ..grouped() }).await, [""; 0]);
    assert_eq!(found(ItemFilter { label: label("rim"), ..grouped() }).await, ["0"]);
    // Of its answers the first stands for it.
    assert_eq!(found(ItemFilter { label: label("brake-rotor"), ..grouped() }).await, ["3"]);
    // Each photograph by itself is found by its own.
    let alone = ItemFilter { label: label("brake-rotor"), ..ItemFilter::default() };
    assert_eq!(found(alone).await, ["2", "3"]);
}

async fn photographs_are_found_by_a_number_on_them_or_in_their_names(db: &TestStore) {
    let ann = db.user("ann").await;
    let batch = running(db, &ann, 3).await;
    let found = async |number: &str| -> Vec<String> {
        let filter = ItemFilter { folded_number: Some(folded_number(number)), ..ItemFilter::default() };
        items(db, &ann, batch, &filter).await.into_iter().map(|item| item.name).collect()
    };
    let item = claim(db, WORKERS[0], at(1)).await.unwrap();
    answer(db, &item).await.unwrap();
    assert_eq!(found("27060-0L022").await, [""; 0]);
    let lines = ["DENSO", "27060-OL022"].map(|text| ReadLine::new(text.to_owned(), 0.9, 0, [[0.0; 2]; 4]));
    let reading = Reading { lines: lines.into(), parts: Vec::new(), picture: None, read_at: at(2) };
    let scan_id = items(db, &ann, batch, &ItemFilter::default()).await[0].scan_id.unwrap();
    assert!(db.store.save_reading(ann.tenant_id, scan_id, &reading, None, at(9)).await.unwrap());
    // Whatever separates them, and whatever was read for the other.
    for number in ["27060-0L022", "27060 0l", "denso"] {
        assert_eq!(found(number).await, ["0"], "{number}");
    }
    // Not across two lines.
    assert_eq!(found("so2706").await, [""; 0]);
    add(db, &ann, batch, "shelf 7/06A-105_B.jpg", b"named").await;
    assert_eq!(found("06a 105 8").await, ["shelf 7/06A-105_B.jpg"]);
}

async fn groups_of_others_are_not_reached(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let batch = running(db, &ann, 2).await;
    let id = ids(db, &ann, batch).await;
    let join = db.store.join_batch_items(bob.tenant_id, batch, &id, MOST).await.unwrap();
    assert_eq!(join, Regrouped::Missing);
    let proposed = db.store.propose_batch_groups(bob.tenant_id, batch, std::slice::from_ref(&id)).await;
    assert_eq!(proposed.unwrap(), 0);
    assert_eq!(db.store.discard_batch_items(bob.tenant_id, batch, &id, true).await.unwrap(), 0);
    db.store.join_batch_items(ann.tenant_id, batch, &id, MOST).await.unwrap();
    assert!(!db.store.split_batch_items(bob.tenant_id, batch, &id).await.unwrap());
    assert_eq!(groups(db, &ann, batch).await, [Some(0), Some(0)]);
    assert_eq!(db.store.list_batch_group_items(bob.tenant_id, batch, &id).await.unwrap(), []);
}

async fn embeddings_are_those_of_the_model_in_use(db: &TestStore) {
    let ann = db.user("ann").await;
    let batch = running(db, &ann, 2).await;
    for model in ["m", "old"] {
        let item = claim(db, WORKERS[0], at(1)).await.unwrap();
        let features = crate::scanning::feedback::features(model);
        answer_with(db, &item, Some(&features)).await.unwrap();
    }
    let embeddings = db.store.list_batch_embeddings(ann.tenant_id, batch, "m").await.unwrap();
    let first = ids(db, &ann, batch).await[0];
    assert_eq!(embeddings, [(first, vec![0.6, -0.8])]);
    let scans: Vec<_> = items(db, &ann, batch, &ItemFilter::default())
        .await
        .into_iter()
        .filter_map(|item| item.scan_id)
        .collect();
    assert_eq!(db.store.list_scan_features(ann.tenant_id, &scans).await.unwrap().len(), 2);
    let bob = db.user("bob").await;
    assert_eq!(db.store.list_scan_features(bob.tenant_id, &scans).await.unwrap(), []);
    assert_eq!(db.store.list_batch_embeddings(bob.tenant_id, batch, "m").await.unwrap(), []);
}
