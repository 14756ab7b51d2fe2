//! The photographs that this server holds, from their claim until their outcome is saved.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use partsight_domain::{BatchId, BatchItemId, User};
use partsight_store::{ClaimedItem, HeldBatch, Store};
use tokio::sync::futures::Notified;
use tokio::sync::{Notify, OnceCell};

use crate::scanning::conditions::Ground;
use crate::{Error, Result};

/// Photographs of a batch that are read together, because a query takes longer than reading a small photograph.
const READ_TOGETHER: usize = 8;
/// They have at most so many bytes together, unless a single one has more: they stay in memory until their turn.
const READ_BYTES: u64 = 4 * 1024 * 1024;

/// The user of a batch, and what its answers have in common.
pub(super) struct Owner {
    pub(super) user: User,
    pub(super) ground: Ground,
}

/// How often each photograph is held: a photograph that was released or cancelled may be claimed again before its
/// earlier claim is dropped.
type Held = Arc<Mutex<BTreeMap<BatchItemId, usize>>>;

/// A photograph that this server holds until this is dropped.
pub(super) struct HeldItem {
    pub(super) item: ClaimedItem,
    /// Read once for the photographs of a batch that were claimed together.
    pub(super) owner: Arc<OnceCell<Owner>>,
    group: Arc<ReadGroup>,
    claimed_at: Instant,
    all: Held,
}

/// Photographs of one batch that are read together.
struct ReadGroup {
    batch: HeldBatch,
    items: Vec<BatchItemId>,
    read: OnceCell<ReadPhotos>,
}

struct ReadPhotos {
    /// Those that nobody has taken yet.
    photos: Mutex<BTreeMap<BatchItemId, Option<Vec<u8>>>>,
    reference_revision: i64,
}

impl HeldItem {
    /// The photograph, and the revision of the taught parts when it was read. To be called once.
    ///
    /// # Errors
    /// [`Error::Conflict`] if the item was no longer held then, and those of the store.
    pub(super) async fn read(&self, store: &Store) -> Result<(Vec<u8>, i64)> {
        let read = self.group.read.get_or_try_init(|| self.group.read_from(store)).await?;
        let photo = lock(&read.photos).remove(&self.item.lease.item_id);
        let photo = photo.ok_or(partsight_store::Error::LeaseLost)?;
        let photo = photo.ok_or_else(|| Error::internal("the photograph of an item is missing"))?;
        Ok((photo, read.reference_revision))
    }
}

impl ReadGroup {
    async fn read_from(&self, store: &Store) -> Result<ReadPhotos> {
        // The revision first: what is taught from now on may be missing, but nothing that was taught before.
        let reference_revision = store.reference_revision().await?;
        let photos = Mutex::new(store.find_held_photos(&self.batch, &self.items).await?);
        Ok(ReadPhotos { photos, reference_revision })
    }
}

/// Divides claimed photographs into groups that are read together.
fn read_groups(items: &[ClaimedItem]) -> Vec<Arc<ReadGroup>> {
    let mut groups: Vec<(HeldBatch, Vec<BatchItemId>)> = Vec::new();
    let mut n_bytes = 0;
    for item in items {
        n_bytes += item.n_bytes;
        match groups.last_mut() {
            Some((batch, items))
                if *batch == item.lease.batch && items.len() < READ_TOGETHER && n_bytes <= READ_BYTES =>
            {
                items.push(item.lease.item_id);
            }
            _ => {
                n_bytes = item.n_bytes;
                groups.push((item.lease.batch, vec![item.lease.item_id]));
            }
        }
    }
    let shared = groups.into_iter().flat_map(|(batch, items)| {
        let n = items.len();
        std::iter::repeat_n(Arc::new(ReadGroup { batch, items, read: OnceCell::new() }), n)
    });
    shared.collect()
}

impl Drop for HeldItem {
    fn drop(&mut self) {
        let id = self.item.lease.item_id;
        let mut all = lock(&self.all);
        let n_others = all.get(&id).map_or(0, |n| n.saturating_sub(1));
        if n_others == 0 {
            all.remove(&id);
        } else {
            all.insert(id, n_others);
        }
    }
}

/// The photographs that this server holds.
#[derive(Default)]
pub(super) struct Claims {
    /// All of them: waiting, in work, or ended and not saved yet.
    all: Held,
    /// Those not yet begun, in the order of their claims.
    waiting: Mutex<VecDeque<HeldItem>>,
    /// Notified when photographs are added.
    came: Notify,
    /// Notified when fewer than `few` are waiting.
    taken: Notify,
    few: AtomicUsize,
}

impl Claims {
    /// Holds photographs claimed at `now`. An earlier claim on one of them has expired, and is not begun any more.
    pub(super) fn hold(&self, items: Vec<ClaimedItem>, now: Instant) -> Vec<HeldItem> {
        let ids: HashSet<BatchItemId> = items.iter().map(|item| item.lease.item_id).collect();
        lock(&self.waiting).retain(|earlier| !ids.contains(&earlier.item.lease.item_id));
        let mut all = lock(&self.all);
        for id in ids {
            *all.entry(id).or_default() += 1;
        }
        drop(all);
        let mut owners: BTreeMap<BatchId, Arc<OnceCell<Owner>>> = BTreeMap::new();
        let groups = read_groups(&items);
        items
            .into_iter()
            .zip(groups)
            .map(|(item, group)| {
                let owner = Arc::clone(owners.entry(item.lease.batch.batch_id).or_default());
                HeldItem { item, owner, group, claimed_at: now, all: Arc::clone(&self.all) }
            })
            .collect()
    }

    /// Adds held photographs to the queue of the workers.
    pub(super) fn add(&self, items: Vec<HeldItem>) {
        lock(&self.waiting).extend(items);
        self.came.notify_waiters();
    }

    /// Takes the next photograph to begin.
    pub(super) fn take(&self) -> Option<HeldItem> {
        let mut waiting = lock(&self.waiting);
        let next = waiting.pop_front();
        let n_left = waiting.len();
        drop(waiting);
        // Not at every photograph: a task that is woken to find enough costs time of the cores.
        if n_left < self.few.load(Ordering::Relaxed) {
            self.taken.notify_one();
        }
        next
    }

    /// Completes when more are added after this call.
    pub(super) fn came(&self) -> Notified<'_> {
        self.came.notified()
    }

    /// Waits until fewer than `n` are waiting.
    pub(super) async fn until_fewer_than(&self, n: usize) {
        // Before the lock, so that whoever takes one after the check sees it.
        self.few.store(n, Ordering::Relaxed);
        while lock(&self.waiting).len() >= n {
            self.taken.notified().await;
        }
    }

    /// Takes out those of a batch that ended, some of which may have been read already.
    pub(super) fn forget(&self, batch: BatchId) {
        lock(&self.waiting).retain(|held| held.item.lease.batch.batch_id != batch);
        self.taken.notify_one();
    }

    /// Takes out those that have waited for at least `age`.
    pub(super) fn take_old(&self, age: Duration, now: Instant) -> Vec<HeldItem> {
        let mut waiting = lock(&self.waiting);
        let all = std::mem::take(&mut *waiting);
        let (old, young): (VecDeque<_>, VecDeque<_>) =
            all.into_iter().partition(|held| now.saturating_duration_since(held.claimed_at) >= age);
        *waiting = young;
        old.into()
    }

    /// The ids of all photographs that this server holds.
    pub(super) fn ids(&self) -> Vec<BatchItemId> {
        lock(&self.all).keys().copied().collect()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A poisoned lock is safe to use: each change is a single operation.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use partsight_domain::{ScanSource, TenantId, UserId};
    use partsight_store::ItemLease;
    use uuid::Uuid;

    use super::*;

    fn item(number: u128, batch: u128) -> ClaimedItem {
        let batch = HeldBatch {
            batch_id: BatchId(Uuid::from_u128(batch)),
            tenant_id: TenantId(Uuid::nil()),
            user_id: UserId(Uuid::nil()),
            worker: Uuid::nil(),
        };
        let lease = ItemLease { item_id: BatchItemId(Uuid::from_u128(number)), batch };
        let source = ScanSource::Web;
        ClaimedItem { lease, vehicle_id: None, source, reads_text: false, attempts: 1, n_bytes: 1 << 20 }
    }

    fn numbers(ids: &[BatchItemId]) -> Vec<u128> {
        ids.iter().map(|id| id.0.as_u128()).collect()
    }

    #[test]
    fn what_is_claimed_is_held_until_it_is_dropped() {
        let (claims, now) = (Claims::default(), Instant::now());
        let held = claims.hold(vec![item(1, 1), item(2, 1), item(3, 2)], now);
        assert!(Arc::ptr_eq(&held[0].owner, &held[1].owner), "one owner is read once");
        assert!(!Arc::ptr_eq(&held[0].owner, &held[2].owner));
        claims.add(held);
        let first = claims.take().unwrap();
        assert_eq!(first.item.lease.item_id.0.as_u128(), 1, "in the order of the claim");
        assert_eq!(numbers(&claims.ids()), [1, 2, 3]);
        drop(first);
        assert_eq!(numbers(&claims.ids()), [2, 3]);
    }

    #[test]
    fn photographs_of_a_batch_are_read_together_while_they_are_small_and_few() {
        let sized = |number, batch, n_bytes| ClaimedItem { n_bytes, ..item(number, batch) };
        let lengths = |items: &[ClaimedItem]| {
            let mut groups = read_groups(items);
            assert_eq!(groups.len(), items.len());
            groups.dedup_by(|a, b| Arc::ptr_eq(a, b));
            groups.iter().map(|group| group.items.len()).collect::<Vec<_>>()
        };
        let small: Vec<_> = (0..20).map(|number| sized(number, u128::from(number >= 10), 1000)).collect();
        assert_eq!(lengths(&small), [8, 2, 8, 2]);
        let large: Vec<_> = (0..6).map(|number| item(number, 1)).collect();
        assert_eq!(lengths(&large), [4, 2]);
        let mixed = [sized(1, 1, 10), sized(2, 1, 2 * READ_BYTES), sized(3, 1, 10)];
        assert_eq!(lengths(&mixed), [1, 1, 1]);
        assert!(lengths(&[]).is_empty());
    }

    #[test]
    fn what_is_claimed_again_is_held_once_more_and_begun_once() {
        let (claims, now) = (Claims::default(), Instant::now());
        claims.add(claims.hold(vec![item(1, 1), item(2, 1)], now));
        let in_work = claims.take().unwrap();
        // Cancelled and tried again.
        claims.add(claims.hold(vec![item(1, 1), item(2, 1)], now));
        drop(in_work);
        assert_eq!(numbers(&claims.ids()), [1, 2]);
        let begun: Vec<u128> =
            std::iter::from_fn(|| claims.take()).map(|held| held.item.lease.item_id.0.as_u128()).collect();
        assert_eq!(begun, [1, 2]);
        assert!(claims.ids().is_empty());
    }

    #[test]
    fn what_nobody_begins_is_taken_out_when_it_is_old() {
        let (claims, start) = (Claims::default(), Instant::now());
        let age = Duration::from_secs(15);
        claims.add(claims.hold(vec![item(1, 1)], start));
        claims.add(claims.hold(vec![item(2, 1)], start + age));
        assert!(claims.take_old(age, start).is_empty());
        let old = claims.take_old(age, start + age);
        assert_eq!((old.len(), old[0].item.lease.item_id.0.as_u128()), (1, 1));
        assert_eq!(numbers(&claims.ids()), [1, 2], "it is held until it is given back");
        drop(old);
        assert_eq!(claims.take().unwrap().item.lease.item_id.0.as_u128(), 2);
    }

    #[tokio::test]
    async fn more_is_claimed_when_little_is_left() {
        let claims = Claims::default();
        claims.add(claims.hold((1..=3).map(|number| item(number, 1)).collect(), Instant::now()));
        let few = claims.until_fewer_than(2);
        tokio::pin!(few);
        for is_enough in [false, false, true] {
            let is_over = tokio::select! {
                biased;
                () = &mut few => true,
                () = std::future::ready(()) => false,
            };
            assert_eq!(is_over, is_enough);
            drop(claims.take());
        }
    }
}
