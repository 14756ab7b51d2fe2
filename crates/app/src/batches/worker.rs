//! The worker of a server: it claims photographs of all batches and answers them as scans.
//!
//! Scans of people have priority: a photograph of a batch is begun only while no such scan waits, and while one is
//! being answered, batches run one photograph at a time at a limited rate.
//!
//! Photographs are claimed in groups (`claims.rs`), answered one by one, and saved in groups (`saving.rs`), so that no
//! worker waits for the disk.

use std::convert::Infallible;
use std::num::NonZeroU32;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use jiff::SignedDuration;
use partsight_domain::{BatchItemId, MAX_ITEM_ATTEMPTS};
use partsight_store::ItemOutcome;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::batches::Batches;
use crate::batches::claims::{HeldItem, Owner};
use crate::batches::judge_waits::{JudgeWait, LONGEST_WAIT};
use crate::batches::outcome::outcome;
use crate::batches::saving::{End, EndedItem, Room};
use crate::scanning::item_answers::{ItemAnswer, usage_without_answer};
use crate::scanning::scans::Waits;
use crate::{Error, ReadText, Result, ScanRequest, work_loop};

/// How long a claim is valid unless it is renewed: a crashed server delays its photographs by this long.
const LEASE: SignedDuration = SignedDuration::from_secs(60);
/// How often the worker renews its claims.
const RENEWAL: Duration = Duration::from_secs(15);
/// How long one photograph may take, including the judge and the wait for it.
const LIMIT: Duration = LONGEST_WAIT.saturating_add(Duration::from_mins(3));
/// How often a photograph is claimed if no attempt ever ended, because the servers crashed: one more than its attempts,
/// because the first server may have crashed before it began the photograph.
const MOST_CLAIMS: u32 = MAX_ITEM_ATTEMPTS + 1;
/// How soon a worker that yields to people's scans checks again.
const YIELD: Duration = Duration::from_millis(20);
/// Pause between two photographs while people's scans are being answered: longer than most scans take, so that most of
/// them share the cores with no photograph of a batch.
const PACE: Duration = Duration::from_millis(50);

impl Batches {
    /// Answers photographs of batches while the server runs.
    pub async fn run(&self) -> Infallible {
        let mut workers = JoinSet::new();
        let batches = self.clone();
        workers.spawn(async move { batches.claim_ahead().await });
        // Each worker takes photographs by itself, so that a slow one does not delay the others.
        for number in 0..self.n_workers {
            let batches = self.clone();
            workers.spawn(async move { batches.work(number).await });
        }
        loop {
            sleep(RENEWAL).await;
            self.give_back_old().await;
            let held = self.claims.ids();
            // An idle server does not write.
            if !held.is_empty()
                && let Err(error) =
                    self.store.renew_batch_leases(self.worker, &held, self.clock.now() + LEASE).await
            {
                tracing::warn!(%error, "the photographs in work could not be held");
            }
            if let Err(error) = self.store.finish_batches(self.clock.now()).await {
                tracing::warn!(%error, "batches could not be marked as done");
            }
        }
    }

    /// Claims photographs before the last claimed one is begun, so that no worker waits for a claim.
    async fn claim_ahead(&self) -> Infallible {
        let next = move || async move {
            self.claims.until_fewer_than(self.claim_size.refill()).await;
            // While this server yields, others may be idle: it claims nothing.
            while !self.may_begin(0, true) {
                sleep(YIELD).await;
            }
            self.claim_more().await
        };
        work_loop::work(next, &self.work_came, "photographs of batches could not be claimed").await
    }

    /// Claims photographs for the workers; false if there are none.
    async fn claim_more(&self) -> Result<bool> {
        let wanted = self.claim_size.next(self.clock.steady());
        let claimed = self.claim(wanted).await;
        self.space.note(matches!(claimed, Err(Error::StorageFull(_))));
        let claimed = claimed?;
        self.claim_size.claimed(wanted, claimed.len(), self.clock.steady());
        let were_any = !claimed.is_empty();
        self.claims.add(claimed);
        Ok(were_any)
    }

    async fn work(&self, number: usize) -> Infallible {
        let mut begun: Option<Instant> = None;
        loop {
            let room = self.ended.room().await;
            // Created before the check, so that photographs added in between are noticed.
            let came = self.claims.came();
            let now = self.clock.steady();
            let is_rested = begun.is_none_or(|begun| now.saturating_duration_since(begun) >= PACE);
            if !self.may_begin(number, is_rested) {
                sleep(YIELD).await;
                continue;
            }
            match self.claims.take() {
                Some(held) => {
                    begun = Some(now);
                    self.work_on(held, room).await;
                }
                None => came.await,
            }
        }
    }

    fn may_begin(&self, number: usize, is_rested: bool) -> bool {
        let n_others = self.identifier.n_in_flight_beside_batches();
        let n_waiting = self.identifier.n_waiting();
        !self.is_closing.load(Ordering::Relaxed) && may_begin(number, is_rested, n_others, n_waiting)
    }

    /// Claims a photograph, answers it and saves the answer; false if there is none. For tests: the worker itself
    /// claims in groups.
    ///
    /// # Errors
    /// Those of the store. An error of the photograph is its outcome.
    pub async fn answer_next(&self) -> Result<bool> {
        let Some(held) = self.claim(NonZeroU32::MIN).await?.pop() else { return Ok(false) };
        let room = self.ended.room().await;
        self.work_on(held, room).await;
        self.save_ended().await;
        Ok(true)
    }

    /// Claims at most `most` photographs; none if other servers were faster.
    async fn claim(&self, most: NonZeroU32) -> Result<Vec<HeldItem>> {
        let now = self.clock.now();
        // Checked without a write transaction, of which SQLite allows one at a time: an idle server checks every two
        // seconds.
        if self.is_closing.load(Ordering::Relaxed) || !self.store.has_batch_work(now).await? {
            return Ok(Vec::new());
        }
        let claimed = self.store.claim_batch_items(self.worker, most, now, now + LEASE).await?;
        let ids: Vec<BatchItemId> = claimed.iter().map(|item| item.lease.item_id).collect();
        let held = self.claims.hold(claimed, self.clock.steady());
        if self.is_closing.load(Ordering::Relaxed) {
            // Shutdown has released the earlier claims already, but not these.
            self.release(&ids).await;
            return Ok(Vec::new());
        }
        Ok(held)
    }

    /// Answers a photograph and queues its outcome for saving.
    async fn work_on(&self, held: HeldItem, room: Room) {
        let (attempts, source) = (held.item.attempts, held.item.source);
        let result = if attempts > MOST_CLAIMS {
            // No earlier attempt has an outcome: the servers crashed, perhaps because of this photograph.
            Err(Error::internal("servers ended while they answered this item"))
        } else {
            timeout(LIMIT, self.answer(&held)).await.unwrap_or(Err(Error::TooLong))
        };
        let end = match result {
            Ok(answer) => End::Answer(Box::new(answer)),
            Err(error) => {
                let usage = usage_without_answer(source, &error);
                let Some(outcome) = outcome(error, attempts) else { return };
                End::NoAnswer(outcome, usage)
            }
        };
        let is_again = matches!(end, End::NoAnswer(ItemOutcome::TryAgain { .. }, _));
        let stops_batch = matches!(end, End::NoAnswer(ItemOutcome::StopBatch(_), _));
        self.save_soon(EndedItem::new(held, end, room));
        if stops_batch {
            // Saved at once, so that no more of its photographs are claimed.
            self.save_ended().await;
        } else if is_again {
            // The machine is overloaded or faulty: back off.
            sleep(YIELD * 10).await;
        }
    }

    async fn answer(&self, held: &HeldItem) -> Result<ItemAnswer> {
        let item = &held.item;
        // Only now, so that few photographs are in memory, and one that was cancelled earlier is not answered.
        let (photo, reference_revision) = held.read(&self.store).await?;
        let Owner { user, ground } = held.owner.get_or_try_init(|| self.owner_of(held)).await?;
        if !self.accounts.has_unlimited_scans(user) {
            // Unsaved answers are not counted yet, so that the allowance could be exceeded.
            self.save_ended().await;
        }
        let frees = photo.len() as u64;
        let request = ScanRequest {
            photos: vec![photo],
            vehicle_id: item.vehicle_id,
            source: item.source,
            // Only on request, because reading takes many times as long as the answer.
            read: if item.reads_text { ReadText::First } else { ReadText::Never },
            several: false,
        };
        let batch = item.lease.batch.batch_id;
        let taught_parts =
            |lacks_taught_parts| self.taught_waits.waits(batch, lacks_taught_parts, self.clock.steady());
        let judge_wait = JudgeWait::new(&self.store, &self.clock, item.lease);
        let reference_revision = Some(reference_revision);
        let waits =
            Waits { taught_parts: &taught_parts, judge: Some(&judge_wait), frees, reference_revision };
        self.scanning.answer_item(user, request, ground, &waits).await
    }

    async fn owner_of(&self, held: &HeldItem) -> Result<Owner> {
        let Some(stored) = self.store.find_user(held.item.lease.batch.user_id).await? else {
            return Err(Error::internal("the owner of a batch is missing"));
        };
        let ground = self.scanning.ground_of_batch(&stored.user, held.item.vehicle_id).await?;
        Ok(Owner { user: stored.user, ground })
    }

    /// Releases photographs that were not begun between two renewals, for servers that may be idle.
    async fn give_back_old(&self) {
        let old = self.claims.take_old(RENEWAL, self.clock.steady());
        let ids: Vec<BatchItemId> = old.iter().map(|held| held.item.lease.item_id).collect();
        self.release(&ids).await;
    }

    async fn release(&self, ids: &[BatchItemId]) {
        if !ids.is_empty()
            && let Err(error) = self.store.release_batch_items(self.worker, ids).await
        {
            tracing::warn!(%error, "photographs of batches could not be given back");
        }
    }

    /// On shutdown: saves all outcomes and releases the other photographs for another server or the next start.
    pub(crate) async fn give_back(&self) {
        // First, or a worker would claim again what is released.
        self.is_closing.store(true, Ordering::Relaxed);
        self.save_ended().await;
        self.ended.end_wait();
        // By the server's id instead of by the held ids, because workers that have ended hold nothing any more.
        if let Err(error) = self.store.release_batch_leases(self.worker).await {
            tracing::warn!(%error, "the photographs of batches could not be given back");
        }
    }
}

/// Whether worker `number`, from 0, may begin a photograph: none while a person's scan waits; while one is being
/// answered only worker 0, after a pause (`is_rested`).
fn may_begin(number: usize, is_rested: bool, n_others: usize, n_waiting: usize) -> bool {
    n_waiting == 0 && (n_others == 0 || (number == 0 && is_rested))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_at_a_screen_come_first() {
        let cases = [
            ("nobody is here", 0, 0, [true, true, true]),
            ("somebody is being answered", 1, 0, [false, true, false]),
            ("somebody waits", 1, 1, [false, false, false]),
        ];
        for (name, n_others, n_waiting, expected) in cases {
            let found = [(0, false), (0, true), (1, true)]
                .map(|(number, is_rested)| may_begin(number, is_rested, n_others, n_waiting));
            assert_eq!(found, expected, "{name}");
        }
    }
}
