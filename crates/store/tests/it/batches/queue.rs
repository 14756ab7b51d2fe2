use std::num::NonZeroU32;

use jiff::Timestamp;
use partsight_domain::{
    BatchId, BatchItemId, BatchItemState, BatchSort, BatchState, Quota, ScanSource, UNLIMITED_SCANS, User,
};
use partsight_store::{
    ClaimedItem, Error, ItemAdded, ItemEnd, ItemFilter, ItemLease, ItemOutcome, ItemResult, NewBatch,
    NewBatchItem, NewScan, ScanFeatures, ScanFilter,
};
use uuid::Uuid;

use crate::scanning::scans::scan;
use crate::{TestStore, at, new_scan, on_each_database};

on_each_database![
    a_photograph_is_one_item_by_its_key_and_scanned_once_by_its_bytes,
    what_a_batch_has_is_known_without_adding_it,
    of_many_workers_each_photograph_is_one_s,
    what_a_dead_worker_had_is_taken_over_and_its_answer_refused,
    a_lease_that_is_renewed_is_not_taken_over,
    an_answer_is_saved_with_its_item_and_its_photograph_goes,
    an_answer_beyond_the_allowance_leaves_the_item_as_it_was,
    what_is_cancelled_is_not_saved,
    a_stopped_batch_waits_and_goes_on,
    what_failed_is_tried_again_and_a_batch_of_answers_is_done,
    tenants_take_turns_and_the_batches_of_each,
    a_batch_is_its_tenant_s_alone_and_goes_with_its_items,
    items_are_listed_by_doubt_and_filtered,
    the_last_two_photographs_end_at_once_and_the_batch_is_done,
    a_batch_is_cancelled_while_it_stops_and_while_it_answers,
];

pub(crate) const WORKERS: [Uuid; 2] = [Uuid::from_u128(1), Uuid::from_u128(2)];

async fn batch(db: &TestStore, user: &User) -> BatchId {
    let id = BatchId(Uuid::now_v7());
    let new = NewBatch {
        id,
        user_id: user.id,
        name: "Returns",
        vehicle_id: None,
        source: ScanSource::Web,
        reads_text: true,
    };
    db.store.create_batch(user.tenant_id, &new, at(0)).await.unwrap();
    id
}

pub(super) async fn add(db: &TestStore, user: &User, batch: BatchId, key: &str, bytes: &[u8]) -> ItemAdded {
    let sha256 = digest(bytes);
    let new = photograph(key, &sha256, bytes);
    db.store.add_batch_items(user.tenant_id, batch, &[new], at(0)).await.unwrap()[0].0
}

/// A stand-in: the real digest is of no interest here.
fn digest(bytes: &[u8]) -> String {
    format!("{bytes:?}")
}

fn photograph<'a>(key: &'a str, sha256: &'a str, bytes: &'a [u8]) -> NewBatchItem<'a> {
    let id = BatchItemId(Uuid::now_v7());
    NewBatchItem { id, key, name: key, sha256, captured_at: None, photo: Ok(bytes) }
}

/// A running batch with so many photographs.
pub(crate) async fn running(db: &TestStore, user: &User, n: u8) -> BatchId {
    let id = batch(db, user).await;
    for number in 0..n {
        add(db, user, id, &number.to_string(), &[number]).await;
    }
    assert!(db.store.start_batch(user.tenant_id, id).await.unwrap());
    id
}

pub(super) async fn claim_some(db: &TestStore, worker: Uuid, most: u32, now: Timestamp) -> Vec<ClaimedItem> {
    let (most, until) = (NonZeroU32::new(most).unwrap(), now + jiff::SignedDuration::from_secs(60));
    db.store.claim_batch_items(worker, most, now, until).await.unwrap()
}

pub(crate) async fn claim(db: &TestStore, worker: Uuid, now: Timestamp) -> Option<ClaimedItem> {
    claim_some(db, worker, 1, now).await.pop()
}

/// The photograph of an item; `None` if it is not held.
async fn photo_of(db: &TestStore, item: &ClaimedItem) -> Option<Vec<u8>> {
    let ItemLease { item_id, batch } = item.lease;
    let mut photos = db.store.find_held_photos(&batch, &[item_id]).await.unwrap();
    photos.remove(&item_id).map(|photo| photo.expect("it is not answered yet"))
}

pub(super) async fn answer(db: &TestStore, item: &ClaimedItem) -> Result<(), Error> {
    answer_with(db, item, None).await
}

/// Answers an item, and keeps what the model saw.
pub(super) async fn answer_with(
    db: &TestStore,
    item: &ClaimedItem,
    features: Option<&ScanFeatures>,
) -> Result<(), Error> {
    let scan = scan(at(5), None);
    let result = ItemResult::Answer(NewScan { features, ..new_scan(&scan, UNLIMITED_SCANS) });
    let end = ItemEnd { item_id: item.lease.item_id, result };
    let were_held = db.store.end_batch_items(&item.lease.batch, &[end], at(5)).await?;
    if were_held == [true] { Ok(()) } else { Err(Error::LeaseLost) }
}

/// Ends an item without an answer; whether it was held.
pub(super) async fn end(db: &TestStore, item: &ClaimedItem, outcome: &ItemOutcome) -> bool {
    let result = ItemResult::NoAnswer { outcome, usage: None };
    let end = ItemEnd { item_id: item.lease.item_id, result };
    db.store.end_batch_items(&item.lease.batch, &[end], at(6)).await.unwrap() == [true]
}

pub(super) async fn n_scans(db: &TestStore, user: &User) -> u64 {
    db.store.count_scans(user.tenant_id, &ScanFilter::default()).await.unwrap()
}

pub(super) async fn n_in(db: &TestStore, user: &User, batch: BatchId, state: BatchItemState) -> u64 {
    db.store.find_batch(user.tenant_id, batch).await.unwrap().unwrap().counts.of(state)
}

pub(super) async fn state(db: &TestStore, user: &User, batch: BatchId) -> BatchState {
    db.store.find_batch(user.tenant_id, batch).await.unwrap().unwrap().state
}

async fn a_photograph_is_one_item_by_its_key_and_scanned_once_by_its_bytes(db: &TestStore) {
    let ann = db.user("ann").await;
    let id = batch(db, &ann).await;
    let ItemAdded::New(first) = add(db, &ann, id, "a", b"x").await else { panic!("it is new") };
    assert_eq!(add(db, &ann, id, "a", b"x").await, ItemAdded::Known(first));
    let twin = add(db, &ann, id, "b", b"x").await;
    assert!(matches!(twin, ItemAdded::Duplicate(_, original) if original == first), "{twin:?}");
    assert!(matches!(add(db, &ann, id, "c", b"y").await, ItemAdded::New(_)));
    // Another photograph of the same key, such as one of the same name in another zip, is not lost.
    let ItemAdded::New(namesake) = add(db, &ann, id, "a", b"w").await else { panic!("it is new") };
    assert_eq!(add(db, &ann, id, "a", b"w").await, ItemAdded::Known(namesake));
    assert_eq!(add(db, &ann, id, "a", b"x").await, ItemAdded::Known(first));
    assert_eq!(n_in(db, &ann, id, BatchItemState::Waiting).await, 3);
    assert_eq!(n_in(db, &ann, id, BatchItemState::Duplicate).await, 1);
    assert_eq!(db.store.count_kept(ann.tenant_id, Quota::PictureBytes).await.unwrap(), 3);
    db.store.cancel_batch(ann.tenant_id, id).await.unwrap();
    assert_eq!(add(db, &ann, id, "d", b"z").await, ItemAdded::Closed);
}

async fn what_a_batch_has_is_known_without_adding_it(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let (id, other) = (batch(db, &ann).await, batch(db, &ann).await);
    for (key, bytes) in [("a", b"x"), ("a", b"w"), ("b", b"x")] {
        add(db, &ann, id, key, bytes).await;
    }
    let is_known = async |user: &User, id, key: &str, bytes: &[u8]| {
        let sha256 = digest(bytes);
        db.store.has_batch_item(user.tenant_id, id, &photograph(key, &sha256, bytes)).await.unwrap()
    };
    for (key, bytes) in [("a", b"x"), ("a", b"w"), ("b", b"x")] {
        assert!(is_known(&ann, id, key, bytes).await, "{key}");
        assert!(!is_known(&ann, other, key, bytes).await, "{key}");
        assert!(!is_known(&bob, id, key, bytes).await, "{key}");
    }
    for (key, bytes) in [("a", b"y"), ("c", b"x")] {
        assert!(!is_known(&ann, id, key, bytes).await, "{key}");
    }
    assert_eq!(n_in(db, &ann, id, BatchItemState::Waiting).await, 2);
}

async fn of_many_workers_each_photograph_is_one_s(db: &TestStore) {
    let ann = db.user("ann").await;
    let id = running(db, &ann, 12).await;
    let mut workers = tokio::task::JoinSet::new();
    for number in 0..6 {
        let (store, worker) = (db.store.clone(), Uuid::from_u128(number));
        workers.spawn(async move {
            let mut mine = Vec::new();
            while store.has_batch_work(at(1)).await.unwrap() {
                let most = NonZeroU32::new(2).unwrap();
                let claimed = store.claim_batch_items(worker, most, at(1), at(61)).await.unwrap();
                mine.extend(claimed.into_iter().map(|item| item.lease.item_id));
            }
            mine
        });
    }
    let mut all: Vec<BatchItemId> = workers.join_all().await.into_iter().flatten().collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!((all.len(), n_in(db, &ann, id, BatchItemState::Running).await), (12, 12));
}

async fn what_a_dead_worker_had_is_taken_over_and_its_answer_refused(db: &TestStore) {
    let ann = db.user("ann").await;
    let id = running(db, &ann, 1).await;
    let [dead, other] = WORKERS;
    let lost = claim(db, dead, at(1)).await.unwrap();
    assert_eq!((lost.attempts, lost.n_bytes, photo_of(db, &lost).await), (1, 1, Some(vec![0])));
    assert_eq!(claim(db, other, at(60)).await, None);
    let taken = claim(db, other, at(61)).await.unwrap();
    assert_eq!((taken.lease.item_id, taken.attempts), (lost.lease.item_id, 2));
    // It was not dead after all, but slow.
    assert!(matches!(answer(db, &lost).await, Err(Error::LeaseLost)));
    assert!(!end(db, &lost, &ItemOutcome::NotAPart(String::new())).await);
    assert_eq!(photo_of(db, &lost).await, None);
    assert!(!db.store.holds_batch_item(&lost.lease).await.unwrap());
    assert!(db.store.holds_batch_item(&taken.lease).await.unwrap());
    assert_eq!((n_scans(db, &ann).await, db.store.scans_used(ann.id).await.unwrap()), (0, 0));
    answer(db, &taken).await.unwrap();
    assert!(matches!(answer(db, &taken).await, Err(Error::LeaseLost)));
    assert_eq!((n_scans(db, &ann).await, db.store.scans_used(ann.id).await.unwrap()), (1, 1));
    assert_eq!(state(db, &ann, id).await, BatchState::Done);
}

async fn a_lease_that_is_renewed_is_not_taken_over(db: &TestStore) {
    let ann = db.user("ann").await;
    running(db, &ann, 1).await;
    let [slow, other] = WORKERS;
    let held = claim(db, slow, at(1)).await.unwrap();
    let ids = [held.lease.item_id];
    assert_eq!(db.store.renew_batch_leases(other, &ids, at(200)).await.unwrap(), 0, "it is not theirs");
    assert_eq!(db.store.renew_batch_leases(slow, &[], at(200)).await.unwrap(), 0);
    assert_eq!(db.store.renew_batch_leases(slow, &ids, at(200)).await.unwrap(), 1);
    assert_eq!(claim(db, other, at(100)).await, None);
    // Given back, the try does not count.
    assert_eq!(db.store.release_batch_items(other, &ids).await.unwrap(), 0);
    assert_eq!(db.store.release_batch_items(slow, &ids).await.unwrap(), 1);
    let next = claim(db, other, at(100)).await.unwrap();
    assert_eq!((next.lease.item_id, next.attempts), (held.lease.item_id, 1));
    assert_eq!(db.store.release_batch_leases(slow).await.unwrap(), 0);
    assert_eq!(db.store.release_batch_leases(other).await.unwrap(), 1);
    assert_eq!(claim(db, slow, at(100)).await.unwrap().attempts, 1);
}

async fn an_answer_is_saved_with_its_item_and_its_photograph_goes(db: &TestStore) {
    let ann = db.user("ann").await;
    let id = running(db, &ann, 2).await;
    let item = claim(db, WORKERS[0], at(1)).await.unwrap();
    answer(db, &item).await.unwrap();
    let items = db.store.list_batch_items(ann.tenant_id, id, &ItemFilter::default(), 9).await.unwrap();
    assert_eq!(items.iter().map(|item| item.state.as_str()).collect::<Vec<_>>(), ["answered", "waiting"]);
    let scan = db.store.find_scan(ann.tenant_id, items[0].scan_id.unwrap()).await.unwrap();
    assert!(scan.is_some() && items[0].doubt > 0);
    assert_eq!(db.store.count_kept(ann.tenant_id, Quota::PictureBytes).await.unwrap(), 1);
    assert_eq!(state(db, &ann, id).await, BatchState::Running);
    // The history can go without the batch.
    db.store.clear_history(ann.tenant_id).await.unwrap();
    db.store.erase_cleared_history(ann.tenant_id).await.unwrap();
    let items = db.store.list_batch_items(ann.tenant_id, id, &ItemFilter::default(), 9).await.unwrap();
    assert_eq!((items[0].state, items[0].scan_id), (BatchItemState::Answered, None));
}

async fn an_answer_beyond_the_allowance_leaves_the_item_as_it_was(db: &TestStore) {
    let ann = db.user("ann").await;
    let id = running(db, &ann, 1).await;
    let item = claim(db, WORKERS[0], at(1)).await.unwrap();
    let scan = scan(at(5), None);
    let result = ItemResult::Answer(new_scan(&scan, 0));
    let end = ItemEnd { item_id: item.lease.item_id, result };
    let saved = db.store.end_batch_items(&item.lease.batch, &[end], at(5)).await;
    assert!(matches!(saved, Err(Error::LimitReached { limit: 0 })), "{saved:?}");
    assert_eq!(n_scans(db, &ann).await, 0);
    assert_eq!(n_in(db, &ann, id, BatchItemState::Running).await, 1);
}

async fn what_is_cancelled_is_not_saved(db: &TestStore) {
    let ann = db.user("ann").await;
    let id = running(db, &ann, 3).await;
    let item = claim(db, WORKERS[0], at(1)).await.unwrap();
    assert!(db.store.cancel_batch(ann.tenant_id, id).await.unwrap());
    assert!(matches!(answer(db, &item).await, Err(Error::LeaseLost)));
    assert_eq!(claim(db, WORKERS[1], at(100)).await, None);
    assert_eq!((n_in(db, &ann, id, BatchItemState::Cancelled).await, n_scans(db, &ann).await), (3, 0));
    assert!(!db.store.start_batch(ann.tenant_id, id).await.unwrap());
    // Tried again, it goes on.
    assert_eq!(db.store.retry_batch(ann.tenant_id, id).await.unwrap(), 3);
    assert!(claim(db, WORKERS[1], at(100)).await.is_some());
}

async fn a_stopped_batch_waits_and_goes_on(db: &TestStore) {
    let ann = db.user("ann").await;
    let id = running(db, &ann, 2).await;
    let item = claim(db, WORKERS[0], at(1)).await.unwrap();
    let stop = ItemOutcome::StopBatch("Used up.".to_owned());
    assert!(end(db, &item, &stop).await);
    let batch = db.store.find_batch(ann.tenant_id, id).await.unwrap().unwrap();
    assert_eq!((batch.state, batch.reason.as_deref()), (BatchState::Stopped, Some("Used up.")));
    assert_eq!(claim(db, WORKERS[0], at(2)).await, None);
    assert!(db.store.start_batch(ann.tenant_id, id).await.unwrap());
    assert_eq!(claim(db, WORKERS[0], at(2)).await.unwrap().attempts, 1);
}

async fn what_failed_is_tried_again_and_a_batch_of_answers_is_done(db: &TestStore) {
    let ann = db.user("ann").await;
    let id = running(db, &ann, 1).await;
    for (outcome, attempts) in [
        (ItemOutcome::TryAgain { counts: false }, 1),
        (ItemOutcome::TryAgain { counts: true }, 1),
        (ItemOutcome::Failed("Broken.".to_owned()), 2),
    ] {
        let item = claim(db, WORKERS[0], at(1)).await.unwrap();
        assert_eq!(item.attempts, attempts, "{outcome:?}");
        assert!(end(db, &item, &outcome).await);
    }
    assert_eq!(state(db, &ann, id).await, BatchState::Done);
    // Started once more while nothing waits, it would be finished once more.
    assert!(db.store.start_batch(ann.tenant_id, id).await.unwrap());
    assert_eq!(state(db, &ann, id).await, BatchState::Done);
    let items = db.store.list_batch_items(ann.tenant_id, id, &ItemFilter::default(), 9).await.unwrap();
    assert_eq!(items[0].problem.as_deref(), Some("Broken."));
    assert_eq!(db.store.retry_batch(ann.tenant_id, id).await.unwrap(), 1);
    let item = claim(db, WORKERS[0], at(1)).await.unwrap();
    assert_eq!((item.attempts, photo_of(db, &item).await), (1, Some(vec![0])));
    answer(db, &item).await.unwrap();
    assert_eq!(state(db, &ann, id).await, BatchState::Done);
    // More photographs let it go on.
    add(db, &ann, id, "more", b"more").await;
    assert_eq!(state(db, &ann, id).await, BatchState::Running);
    assert_eq!(db.store.finish_batches(at(6)).await.unwrap(), 0);
}

async fn tenants_take_turns_and_the_batches_of_each(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    for n in [4, 4, 1] {
        running(db, &ann, n).await;
    }
    running(db, &bob, 8).await;
    let mut second = 0;
    let mut n_of_bob = async |most| {
        second += 1;
        let claimed = claim_some(db, WORKERS[0], most, at(second)).await;
        claimed.iter().filter(|item| item.lease.batch.user_id == bob.id).count()
    };
    assert_eq!(n_of_bob(6).await, 3, "half, however many batches somebody else has");
    let mut n_alone = 0;
    for _ in 0..4 {
        n_alone += n_of_bob(1).await;
    }
    assert_eq!(n_alone, 2, "one by one as well");
}

async fn a_batch_is_its_tenant_s_alone_and_goes_with_its_items(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let id = running(db, &ann, 2).await;
    assert!(db.store.find_batch(bob.tenant_id, id).await.unwrap().is_none());
    assert!(db.store.list_batches(bob.tenant_id).await.unwrap().is_empty());
    assert_eq!(add(db, &bob, id, "his", b"his").await, ItemAdded::Closed);
    let theirs = db.store.list_batch_items(bob.tenant_id, id, &ItemFilter::default(), 9).await.unwrap();
    assert!(theirs.is_empty());
    assert!(!db.store.cancel_batch(bob.tenant_id, id).await.unwrap());
    assert!(!db.store.start_batch(bob.tenant_id, id).await.unwrap());
    assert_eq!(db.store.retry_batch(bob.tenant_id, id).await.unwrap(), 0);
    assert!(!db.store.delete_batch(bob.tenant_id, id).await.unwrap());
    assert_eq!(db.store.list_batches(ann.tenant_id).await.unwrap()[0].counts.total(), 2);
    let held = claim(db, WORKERS[0], at(1)).await.unwrap();
    assert!(db.store.delete_batch(ann.tenant_id, id).await.unwrap());
    assert!(!db.store.delete_batch(ann.tenant_id, id).await.unwrap());
    // Out of sight and of work at once; its rows are erased afterwards.
    assert!(db.store.find_batch(ann.tenant_id, id).await.unwrap().is_none());
    assert!(db.store.list_batches(ann.tenant_id).await.unwrap().is_empty());
    assert_eq!(claim(db, WORKERS[1], at(1)).await, None);
    assert!(matches!(answer(db, &held).await, Err(Error::LeaseLost)));
    assert_eq!(db.store.erase_deleted_tenants().await.unwrap(), 1);
    assert_eq!(db.store.count_kept(ann.tenant_id, Quota::PictureBytes).await.unwrap(), 0);
    // So do those of an account that goes.
    let id = running(db, &bob, 2).await;
    db.store.delete_user(bob.id, bob.tenant_id).await.unwrap();
    assert!(db.store.find_batch(bob.tenant_id, id).await.unwrap().is_none());
    assert_eq!(claim(db, WORKERS[0], at(9)).await, None);
}

async fn items_are_listed_by_doubt_and_filtered(db: &TestStore) {
    let ann = db.user("ann").await;
    let id = running(db, &ann, 4).await;
    for outcome in [ItemOutcome::Failed("a".to_owned()), ItemOutcome::NotAPart("b".to_owned())] {
        let item = claim(db, WORKERS[0], at(1)).await.unwrap();
        assert!(end(db, &item, &outcome).await);
    }
    let item = claim(db, WORKERS[0], at(1)).await.unwrap();
    answer(db, &item).await.unwrap();
    let names = async |filter: ItemFilter| -> Vec<String> {
        let items = db.store.list_batch_items(ann.tenant_id, id, &filter, 9).await.unwrap();
        items.into_iter().map(|item| item.name).collect()
    };
    let by_doubt = ItemFilter { sort: BatchSort::Doubt, ..ItemFilter::default() };
    assert_eq!(names(by_doubt.clone()).await, ["0", "1", "2", "3"]);
    let mut paged = Vec::new();
    let mut filter = by_doubt;
    while let [item] = &db.store.list_batch_items(ann.tenant_id, id, &filter, 1).await.unwrap()[..] {
        filter.after = Some(item.position());
        paged.push(item.name.clone());
    }
    assert_eq!(paged, ["0", "1", "2", "3"]);
    let label = |text: &str| Some(partsight_domain::PartLabel::new(text).unwrap());
    let verdict = Some(partsight_domain::Verdict::Identified);
    let cases = [
        (ItemFilter { state: Some(BatchItemState::Failed), ..ItemFilter::default() }, vec!["0"]),
        (ItemFilter { verdict, ..ItemFilter::default() }, vec!["2"]),
        (ItemFilter { label: label("brake-rotor"), ..ItemFilter::default() }, vec!["2"]),
        (ItemFilter { label: label("rim"), ..ItemFilter::default() }, vec![]),
    ];
    for (filter, expected) in cases {
        assert_eq!(names(filter.clone()).await, expected, "{filter:?}");
    }
}

async fn the_last_two_photographs_end_at_once_and_the_batch_is_done(db: &TestStore) {
    let ann = db.user("ann").await;
    for _ in 0..20 {
        let id = running(db, &ann, 2).await;
        let one = claim(db, WORKERS[0], at(1)).await.unwrap();
        let other = claim(db, WORKERS[1], at(1)).await.unwrap();
        let shows_none = ItemOutcome::NotAPart("No part.".to_owned());
        let (first, second) = tokio::join!(end(db, &one, &shows_none), end(db, &other, &shows_none));
        assert!(first && second);
        assert_eq!(state(db, &ann, id).await, BatchState::Done, "nobody has to come and look");
    }
    let events = db.store.list_events(ann.tenant_id, 0, 100).await.unwrap();
    assert_eq!(events.len(), 20, "each is told once");
}

async fn a_batch_is_cancelled_while_it_stops_and_while_it_answers(db: &TestStore) {
    let ann = db.user("ann").await;
    for _ in 0..20 {
        let id = running(db, &ann, 3).await;
        let stops = claim(db, WORKERS[0], at(1)).await.unwrap();
        let answers = claim(db, WORKERS[1], at(1)).await.unwrap();
        let reason = ItemOutcome::StopBatch("No more scans.".to_owned());
        let (_, answered, cancelled) = tokio::join!(
            end(db, &stops, &reason),
            answer(db, &answers),
            db.store.cancel_batch(ann.tenant_id, id),
        );
        assert!(matches!(answered, Ok(()) | Err(Error::LeaseLost)), "{answered:?}");
        assert!(cancelled.unwrap());
        assert_eq!(state(db, &ann, id).await, BatchState::Cancelled);
    }
}
