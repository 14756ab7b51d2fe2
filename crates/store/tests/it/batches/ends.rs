//! Items that are claimed and end together.

use jiff::SignedDuration;
use partsight_domain::{
    BatchId, BatchItemState, BatchState, Quota, Scan, ScanSource, ScanUsage, UNLIMITED_SCANS, UsageDays,
    UsagePath, User,
};
use partsight_store::{ClaimedItem, Error, ItemEnd, ItemOutcome, ItemResult, NewScan};
use uuid::Uuid;

use super::queue::{WORKERS, answer, claim, claim_some, end, n_in, n_scans, running, state};
use crate::events::webhook;
use crate::scanning::feedback::features;
use crate::scanning::scans::scan;
use crate::{TestStore, at, new_scan, on_each_database};

on_each_database![
    a_group_is_saved_and_counted_and_told_of_each,
    of_a_group_one_that_was_lost_is_left_out,
    of_two_ends_of_one_photograph_the_first_counts,
    a_group_beyond_the_allowance_ends_one_by_one,
    two_groups_of_a_batch_end_at_once_and_it_is_done,
    a_group_is_cancelled_or_saved_as_a_whole,
    of_several_batches_each_has_its_share_of_a_claim,
    what_was_lost_is_claimed_one_by_one,
];

/// So many answers, each a second after the other.
fn scans(n: usize) -> Vec<Scan> {
    (0..n).map(|second| scan(at(5 + i64::try_from(second).unwrap()), None)).collect()
}

fn answers<'a>(items: &[ClaimedItem], scans: &'a [Scan], limit: u32) -> Vec<ItemEnd<'a>> {
    let result = |scan| ItemResult::Answer(new_scan(scan, limit));
    items
        .iter()
        .zip(scans)
        .map(|(item, scan)| ItemEnd { item_id: item.lease.item_id, result: result(scan) })
        .collect()
}

async fn end_all(
    db: &TestStore,
    items: &[ClaimedItem],
    scans: &[Scan],
    limit: u32,
) -> Result<Vec<bool>, Error> {
    db.store.end_batch_items(&items[0].lease.batch, &answers(items, scans, limit), at(20)).await
}

async fn counted(db: &TestStore, user: &User) -> Vec<(UsagePath, u64)> {
    let days = UsageDays::new(Some("2027-01-01"), Some("2027-02-01"), "2027-01-15".parse().unwrap()).unwrap();
    let rows = db.store.list_usage(user.id, days).await.unwrap();
    rows.iter().map(|row| (row.path, row.n_scans)).collect()
}

async fn a_group_is_saved_and_counted_and_told_of_each(db: &TestStore) {
    let ann = db.user("ann").await;
    webhook(db, &ann, &["scan.answered", "batch.finished"]).await;
    let id = running(db, &ann, 5).await;
    let items = claim_some(db, WORKERS[0], 5, at(1)).await;
    assert_eq!(items.len(), 5);
    let scans = scans(3);
    let seen = features("m");
    let mut ends = answers(&items, &scans, UNLIMITED_SCANS);
    let with_features = NewScan { features: Some(&seen), ..new_scan(&scans[0], UNLIMITED_SCANS) };
    ends[0].result = ItemResult::Answer(with_features);
    let (none, broken) =
        (ItemOutcome::NotAPart("No part.".to_owned()), ItemOutcome::Failed("Broken.".to_owned()));
    let without = |path| Some(ScanUsage { source: ScanSource::Web, path, cost_micros: 0 });
    for (item, outcome, path) in
        [(&items[3], &none, UsagePath::NotAPart), (&items[4], &broken, UsagePath::Error)]
    {
        let result = ItemResult::NoAnswer { outcome, usage: without(path) };
        ends.push(ItemEnd { item_id: item.lease.item_id, result });
    }
    let were_held = db.store.end_batch_items(&items[0].lease.batch, &ends, at(20)).await.unwrap();
    assert_eq!(were_held, [true; 5]);

    assert_eq!(state(db, &ann, id).await, BatchState::Done);
    assert_eq!(n_in(db, &ann, id, BatchItemState::Answered).await, 3);
    assert_eq!((n_scans(db, &ann).await, db.store.scans_used(ann.id).await.unwrap()), (3, 3));
    let mut usage = counted(db, &ann).await;
    usage.sort_unstable();
    let mut expected = [(UsagePath::Local, 3), (UsagePath::NotAPart, 1), (UsagePath::Error, 1)];
    expected.sort_unstable();
    assert_eq!(usage, expected);
    let kept = db.store.find_scan_features(ann.tenant_id, scans[0].id).await.unwrap();
    assert_eq!(kept.as_ref(), Some(&seen));
    assert_eq!(db.store.find_scan_features(ann.tenant_id, scans[1].id).await.unwrap(), None);
    // The photograph of what failed stays for another try.
    assert_eq!(db.store.count_kept(ann.tenant_id, Quota::PictureBytes).await.unwrap(), 1);

    let events = db.store.list_events(ann.tenant_id, 0, 100).await.unwrap();
    let told: Vec<_> =
        events.iter().map(|event| (event.number, event.kind.as_str(), event.occurred_at)).collect();
    let expected = [
        (1, "scan.answered", at(5)),
        (2, "scan.answered", at(6)),
        (3, "scan.answered", at(7)),
        (4, "batch.item-failed", at(20)),
        (5, "batch.finished", at(20)),
    ];
    assert_eq!(told, expected);
    assert_eq!(events[1].data["batchItemId"], items[1].lease.item_id.to_string());
    assert_eq!(events[3].data["problem"], "Broken.");
    // One delivery for each event that the endpoint wants.
    let (server, until) = (Uuid::from_u128(7), at(100));
    let mut delivered = Vec::new();
    while let Some(claimed) = db.store.claim_webhook_delivery(server, at(30), until).await.unwrap() {
        delivered.push(claimed.lease.event_id);
        assert!(db.store.webhook_delivered(&claimed.lease, 204, at(31)).await.unwrap());
    }
    delivered.sort_unstable();
    let mut wanted: Vec<_> = [0, 1, 2, 4].map(|place: usize| events[place].id).to_vec();
    wanted.sort_unstable();
    assert_eq!(delivered, wanted);
}

async fn of_a_group_one_that_was_lost_is_left_out(db: &TestStore) {
    let ann = db.user("ann").await;
    let id = running(db, &ann, 3).await;
    let [slow, other] = WORKERS;
    let items = claim_some(db, slow, 3, at(1)).await;
    let taken = claim(db, other, at(61)).await.unwrap();
    assert_eq!(taken.lease.item_id, items[0].lease.item_id);
    let scans = scans(3);
    assert_eq!(end_all(db, &items, &scans, UNLIMITED_SCANS).await.unwrap(), [false, true, true]);
    assert_eq!((n_scans(db, &ann).await, db.store.scans_used(ann.id).await.unwrap()), (2, 2));
    assert_eq!(db.store.find_scan(ann.tenant_id, scans[0].id).await.unwrap(), None);
    // Saved twice, none is there twice.
    let again = self::scans(3);
    assert_eq!(end_all(db, &items, &again, UNLIMITED_SCANS).await.unwrap(), [false; 3]);
    answer(db, &taken).await.unwrap();
    assert_eq!((n_scans(db, &ann).await, db.store.scans_used(ann.id).await.unwrap()), (3, 3));
    assert_eq!(counted(db, &ann).await, [(UsagePath::Local, 3)]);
    assert_eq!(db.store.last_event_number(ann.tenant_id).await.unwrap(), 4, "three answers and the end");
    assert_eq!(state(db, &ann, id).await, BatchState::Done);
}

async fn of_two_ends_of_one_photograph_the_first_counts(db: &TestStore) {
    let ann = db.user("ann").await;
    let id = running(db, &ann, 2).await;
    let mut items = claim_some(db, WORKERS[0], 2, at(1)).await;
    items.push(items[0].clone());
    assert_eq!(end_all(db, &items, &scans(3), UNLIMITED_SCANS).await.unwrap(), [true, true, false]);
    assert_eq!((n_scans(db, &ann).await, db.store.scans_used(ann.id).await.unwrap()), (2, 2));
    assert_eq!(state(db, &ann, id).await, BatchState::Done);
}

async fn a_group_beyond_the_allowance_ends_one_by_one(db: &TestStore) {
    let ann = db.user("ann").await;
    let id = running(db, &ann, 3).await;
    let items = claim_some(db, WORKERS[0], 3, at(1)).await;
    let scans = scans(3);
    let refused = end_all(db, &items, &scans, 2).await;
    assert!(matches!(refused, Err(Error::LimitReached { limit: 2 })), "{refused:?}");
    assert_eq!((n_scans(db, &ann).await, db.store.scans_used(ann.id).await.unwrap()), (0, 0));
    assert_eq!(n_in(db, &ann, id, BatchItemState::Running).await, 3);
    for place in 0..2 {
        let alone = place..=place;
        let saved = end_all(db, &items[alone.clone()], &scans[alone], 2).await;
        assert_eq!(saved.unwrap(), [true]);
    }
    let refused = end_all(db, &items[2..], &scans[2..], 2).await;
    assert!(matches!(refused, Err(Error::LimitReached { limit: 2 })), "{refused:?}");
    assert_eq!((n_scans(db, &ann).await, db.store.scans_used(ann.id).await.unwrap()), (2, 2));
}

async fn two_groups_of_a_batch_end_at_once_and_it_is_done(db: &TestStore) {
    let ann = db.user("ann").await;
    for _ in 0..10 {
        let id = running(db, &ann, 6).await;
        let one = claim_some(db, WORKERS[0], 3, at(1)).await;
        let other = claim_some(db, WORKERS[1], 3, at(1)).await;
        let (first, second) = (scans(3), scans(3));
        let (saved, also_saved) = tokio::join!(
            end_all(db, &one, &first, UNLIMITED_SCANS),
            end_all(db, &other, &second, UNLIMITED_SCANS),
        );
        assert_eq!((saved.unwrap(), also_saved.unwrap()), (vec![true; 3], vec![true; 3]));
        assert_eq!(state(db, &ann, id).await, BatchState::Done, "nobody has to come and look");
    }
    assert_eq!(
        db.store.last_event_number(ann.tenant_id).await.unwrap(),
        70,
        "six answers and one end of each"
    );
    assert_eq!(db.store.scans_used(ann.id).await.unwrap(), 60);
}

async fn a_group_is_cancelled_or_saved_as_a_whole(db: &TestStore) {
    let ann = db.user("ann").await;
    let mut n_saved = 0;
    for _ in 0..20 {
        let id = running(db, &ann, 4).await;
        let items = claim_some(db, WORKERS[0], 3, at(1)).await;
        let scans = scans(3);
        let (saved, cancelled) = tokio::join!(
            end_all(db, &items, &scans, UNLIMITED_SCANS),
            db.store.cancel_batch(ann.tenant_id, id),
        );
        assert!(cancelled.unwrap());
        let saved = saved.unwrap();
        assert!(saved == [true; 3] || saved == [false; 3], "{saved:?}");
        n_saved += saved.iter().filter(|saved| **saved).count();
        assert_eq!(state(db, &ann, id).await, BatchState::Cancelled);
    }
    assert_eq!(n_scans(db, &ann).await, n_saved as u64);
    assert_eq!(db.store.scans_used(ann.id).await.unwrap() as usize, n_saved);
}

async fn of_several_batches_each_has_its_share_of_a_claim(db: &TestStore) {
    let users = [db.user("ann").await, db.user("bob").await, db.user("eve").await];
    let mut batches: Vec<BatchId> = Vec::new();
    for (user, n) in users.iter().zip([9, 2, 9]) {
        batches.push(running(db, user, n).await);
    }
    let claimed_of = |items: &[ClaimedItem]| -> Vec<usize> {
        let of = |id: &BatchId| items.iter().filter(|item| item.lease.batch.batch_id == *id).count();
        batches.iter().map(of).collect()
    };
    // The tenth is for one of them, and not left where it is.
    assert_eq!(claimed_of(&claim_some(db, WORKERS[0], 10, at(1)).await), [4, 2, 3]);
    // Where a claim has no place for all of them, those come first that were served the longest ago.
    let mut served = vec![0; 3];
    for second in 2..=5 {
        for (sum, n) in served.iter_mut().zip(claimed_of(&claim_some(db, WORKERS[0], 1, at(second)).await)) {
            *sum += n;
        }
    }
    assert_eq!(served, [2, 0, 2]);
    // Each item in its order, with its owner and its try.
    let items = claim_some(db, WORKERS[1], 4, at(9)).await;
    assert!(items.iter().all(|item| item.attempts == 1 && item.lease.batch.worker == WORKERS[1]));
    assert!(items.iter().any(|item| item.lease.batch.user_id == users[0].id));
    let of_ann: Vec<_> = items.iter().filter(|item| item.lease.batch.user_id == users[0].id).collect();
    assert!(of_ann.is_sorted_by_key(|item| item.lease.item_id));
}

async fn what_was_lost_is_claimed_one_by_one(db: &TestStore) {
    let ann = db.user("ann").await;
    running(db, &ann, 4).await;
    let [dead, other] = WORKERS;
    let lost = claim_some(db, dead, 3, at(1)).await;
    let later = at(1) + SignedDuration::from_secs(60);
    let waiting = claim_some(db, other, 9, later).await;
    assert_eq!(waiting.len(), 1, "what nobody had comes first");
    for item in lost {
        let taken = claim_some(db, other, 9, later).await;
        assert_eq!(taken.len(), 1);
        assert_eq!((taken[0].lease.item_id, taken[0].attempts), (item.lease.item_id, 2));
    }
    assert!(claim_some(db, other, 9, later).await.is_empty());
    assert!(end(db, &waiting[0], &ItemOutcome::TryAgain { counts: false }).await);
    assert_eq!(claim_some(db, other, 9, later).await[0].attempts, 1);
}
