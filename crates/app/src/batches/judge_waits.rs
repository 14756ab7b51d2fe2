//! How long a photograph of a batch waits for the judge.

use std::pin::Pin;
use std::time::{Duration, Instant};

use partsight_store::{ItemLease, Store};

use crate::clock::Clock;
use crate::judging::asking::Patience;

/// After this wait a photograph is answered without the judge. Each worker has one photograph; with a judge that takes
/// one question at a time, for 20 seconds each, this is enough for two dozen workers.
pub(super) const LONGEST_WAIT: Duration = Duration::from_mins(10);

/// The wait of one photograph, from the start of its answer.
pub(super) struct JudgeWait<'w> {
    store: &'w Store,
    clock: &'w Clock,
    lease: ItemLease,
    begun: Instant,
}

impl<'w> JudgeWait<'w> {
    pub(super) fn new(store: &'w Store, clock: &'w Clock, lease: ItemLease) -> Self {
        Self { store, clock, lease, begun: clock.steady() }
    }
}

impl Patience for JudgeWait<'_> {
    fn lasts(&self) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
        Box::pin(async {
            let waited = self.clock.steady().saturating_duration_since(self.begun);
            // A photograph that was cancelled, or released on shutdown, is no longer held. A failed query does not end
            // the wait.
            waited < LONGEST_WAIT && !matches!(self.store.holds_batch_item(&self.lease).await, Ok(false))
        })
    }
}
