//! The worker of a server: it claims photographs of all batches and answers them as scans.
//!
//! People at a screen come first: a photograph of a batch is begun only while nobody waits, and while anybody else is
//! being answered only one at a time.

use std::convert::Infallible;
use std::sync::atomic::Ordering;
use std::time::Duration;

use jiff::SignedDuration;
use partsight_domain::{MAX_ITEM_ATTEMPTS, messages};
use partsight_store::{ClaimedItem, ItemOutcome};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::batches::Batches;
use crate::error::sentence;
use crate::{Error, ReadText, Result, ScanRequest, work_loop};

/// How long a claim on a photograph holds unless it is renewed: a server that dies holds it up for this long.
const LEASE: SignedDuration = SignedDuration::from_secs(60);
/// How often the worker renews its claims.
const RENEWAL: Duration = Duration::from_secs(15);
/// How long one photograph may take, the judge included.
const LIMIT: Duration = Duration::from_mins(3);
/// How soon a worker that lets people go first looks again.
const YIELD: Duration = Duration::from_millis(20);

/// One photograph that is being answered, counted until it is dropped.
struct Running<'b>(&'b Batches);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.n_running.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Batches {
    /// Answers photographs of batches for as long as the server runs.
    pub async fn run(&self) -> Infallible {
        let mut workers = JoinSet::new();
        // Each claims by itself, so that a photograph that takes long holds no other up.
        for number in 0..self.n_workers {
            let batches = self.clone();
            workers.spawn(async move { batches.work(number).await });
        }
        loop {
            sleep(RENEWAL).await;
            // An idle server writes nothing.
            if self.n_running.load(Ordering::Relaxed) > 0
                && let Err(error) = self.store.renew_batch_leases(self.worker, self.clock.now() + LEASE).await
            {
                tracing::warn!(%error, "the photographs in work could not be held");
            }
            if let Err(error) = self.store.finish_batches(self.clock.now()).await {
                tracing::warn!(%error, "batches could not be marked as done");
            }
        }
    }

    async fn work(&self, number: usize) -> Infallible {
        let next = move || async move {
            while !self.may_begin(number) {
                sleep(YIELD).await;
            }
            self.answer_next().await
        };
        work_loop::work(next, &self.work_came, "the next photograph of a batch could not be answered").await
    }

    fn may_begin(&self, number: usize) -> bool {
        // The two counters are read one after the other, so that ours can be the larger one for a moment.
        let n_others = self.identifier.n_in_flight().saturating_sub(self.n_running.load(Ordering::Relaxed));
        may_begin(number, n_others, self.identifier.n_waiting())
    }

    /// Claims a photograph and answers it; false where none is to be claimed.
    ///
    /// # Errors
    /// Those of the store. What is wrong with a photograph is its outcome.
    pub async fn answer_next(&self) -> Result<bool> {
        let now = self.clock.now();
        // Asked without a write transaction, of which SQLite has one at a time: every idle worker asks every
        // two seconds.
        if self.is_closing.load(Ordering::Relaxed) || !self.store.has_batch_work(now).await? {
            return Ok(false);
        }
        // Another worker, or another server, was quicker.
        let Some(item) = self.store.claim_batch_item(self.worker, now, now + LEASE).await? else {
            return Ok(false);
        };
        self.n_running.fetch_add(1, Ordering::Relaxed);
        let _running = Running(self);
        let (lease, attempts) = (item.lease, item.attempts);
        let result = if attempts > MAX_ITEM_ATTEMPTS {
            // Nobody noted how the tries before ended: the servers that made them are gone, perhaps because of it.
            Err(Error::internal("the tries of an item took servers along"))
        } else {
            timeout(LIMIT, self.answer(item)).await.unwrap_or(Err(Error::TooLong))
        };
        if let Some(outcome) = outcome(result, attempts) {
            let is_again = matches!(outcome, ItemOutcome::TryAgain { .. });
            // Through its lease: if another server has claimed it meanwhile, this changes nothing.
            self.store.end_batch_item(&lease, &outcome, self.clock.now()).await?;
            if is_again {
                // The machine has too much to do, or something is wrong with it: not at once.
                sleep(YIELD * 10).await;
            }
        }
        Ok(true)
    }

    async fn answer(&self, item: ClaimedItem) -> Result<()> {
        let Some(photo) = item.photo else {
            return Err(Error::internal("the photograph of an item is missing"));
        };
        let Some(stored) = self.store.find_user(item.user_id).await? else {
            return Err(Error::internal("the owner of a batch is missing"));
        };
        let request = ScanRequest {
            photos: vec![photo],
            vehicle_id: item.vehicle_id,
            source: item.source,
            // Text takes longer than the answer, and the turns that nobody wants are too few for thousands.
            read: ReadText::Never,
            several: false,
        };
        self.scanning.scan_item(&stored.user, request, &item.lease).await?;
        Ok(())
    }

    /// Gives the photographs in work back, for another server or the next start.
    pub(crate) async fn give_back(&self) {
        // First, or a worker would claim anew what is given back.
        self.is_closing.store(true, Ordering::Relaxed);
        if self.n_running.load(Ordering::Relaxed) > 0
            && let Err(error) = self.store.release_batch_leases(self.worker).await
        {
            tracing::warn!(%error, "the photographs in work could not be given back");
        }
    }
}

/// Whether worker `number`, from 0, may begin a photograph: none while somebody waits, and only the first while somebody
/// else is being answered.
fn may_begin(number: usize, n_others: usize, n_waiting: usize) -> bool {
    n_waiting == 0 && (n_others == 0 || number == 0)
}

/// What comes of an item by the outcome of its scan; `None` where nothing is left to be noted.
fn outcome(result: Result<()>, attempts: u32) -> Option<ItemOutcome> {
    let error = match result {
        Ok(()) => return None,
        Err(error) => error,
    };
    Some(match error {
        // Somebody else has it, or it was cancelled.
        Error::Conflict { .. } => return None,
        Error::NotIdentified => ItemOutcome::NotAPart(messages::NOT_IDENTIFIED.to_owned()),
        Error::Photo { source } => ItemOutcome::Failed(sentence(&source.to_string())),
        Error::PhotoQuarantined { .. } => ItemOutcome::Failed(messages::PHOTO_QUARANTINED.to_owned()),
        Error::Invalid(invalid) => ItemOutcome::Failed(invalid.message),
        Error::NotFound { entity } => {
            ItemOutcome::Failed(entity.not_found_message().unwrap_or(messages::INTERNAL).to_owned())
        }
        // Every other photograph of the batch would fail for the same reason, so the batch waits for a
        // person.
        Error::LimitReached { .. } => ItemOutcome::StopBatch(messages::SCAN_LIMIT_EXCEEDED.to_owned()),
        Error::QuotaReached { quota, plan } => ItemOutcome::StopBatch(quota.sentence(plan)),
        Error::StorageFull { .. } => ItemOutcome::StopBatch(messages::STORAGE_FULL.to_owned()),
        // None of these says anything about the photograph, so none counts as a try.
        Error::Busy
        | Error::Overloaded { .. }
        // Once the taught parts are there, it may be one of them.
        | Error::NotIdentifiedAmongLearnt
        | Error::CallRunning
        | Error::DatabaseBusy { .. }
        | Error::PhotoWorkUsedUp { .. }
        | Error::ShuttingDown => ItemOutcome::TryAgain { counts: false },
        _ if attempts < MAX_ITEM_ATTEMPTS => ItemOutcome::TryAgain { counts: true },
        _ => ItemOutcome::Failed(messages::BATCH_TRIED_OFTEN.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use partsight_domain::InvalidInput;

    use super::*;

    #[test]
    fn people_at_a_screen_come_first() {
        let cases = [
            ("nobody is here", 0, 0, [true, true]),
            ("somebody is being answered", 1, 0, [true, false]),
            ("somebody waits", 1, 1, [false, false]),
        ];
        for (name, n_others, n_waiting, expected) in cases {
            assert_eq!([0, 1].map(|number| may_begin(number, n_others, n_waiting)), expected, "{name}");
        }
    }

    #[test]
    fn an_item_ends_by_what_its_scan_says() {
        let failed = |text: &str| Some(ItemOutcome::Failed(text.to_owned()));
        let again = |counts| Some(ItemOutcome::TryAgain { counts });
        let cases: [(&str, Result<()>, u32, Option<ItemOutcome>); 9] = [
            ("answered", Ok(()), 1, None),
            ("taken over", Err(Error::Conflict { field: "batch", message: "" }), 1, None),
            (
                "no part",
                Err(Error::NotIdentified),
                1,
                Some(ItemOutcome::NotAPart(messages::NOT_IDENTIFIED.to_owned())),
            ),
            ("wrong", Err(InvalidInput::new("image", "Too small.").into()), 1, failed("Too small.")),
            (
                "used up",
                Err(Error::LimitReached { limit: 2 }),
                1,
                Some(ItemOutcome::StopBatch(messages::SCAN_LIMIT_EXCEEDED.to_owned())),
            ),
            ("busy, however often", Err(Error::Busy), 100, again(false)),
            ("the machine failed", Err(Error::internal("broken")), 1, again(true)),
            ("and again", Err(Error::TooLong), 2, again(true)),
            ("and for good", Err(Error::internal("broken")), 3, failed(messages::BATCH_TRIED_OFTEN)),
        ];
        for (name, result, attempts, expected) in cases {
            assert_eq!(outcome(result, attempts), expected, "{name}");
        }
    }
}
