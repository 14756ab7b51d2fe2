//! How long a photograph of a batch waits for the judge.

use std::pin::Pin;
use std::time::{Duration, Instant};

use partsight_store::{ItemLease, Store};

use crate::clock::Clock;
use crate::judging::asking::Patience;

/// After this it is answered without the judge. Each worker has one photograph, so this is longer than two dozen of them
/// take one after the other with a judge that answers one question at a time within its usual 20 seconds.
pub(super) const LONGEST_WAIT: Duration = Duration::from_mins(10);

/// The patience of a photograph whose answer was begun.
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
            // What was cancelled, or given back when the server stops, is held no more. A database that does not answer
            // says nothing of it.
            waited < LONGEST_WAIT && !matches!(self.store.holds_batch_item(&self.lease).await, Ok(false))
        })
    }
}
