//! How long photographs of a batch wait while the index of taught parts is unavailable.
//!
//! A person gets an answer without taught parts at once, and can scan again. Answers of a batch are final and not
//! urgent, so its photographs wait; but not forever, because the index may not come back.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use partsight_domain::BatchId;

/// After this wait the photographs of a batch are answered without taught parts, and their receipts say so.
const LONGEST: Duration = Duration::from_mins(15);
/// After this time the wait of a batch is forgotten, so that a batch that still runs waits once more.
const FORGOTTEN_AFTER: Duration = Duration::from_hours(24);

/// For each batch, since when its photographs have lacked taught parts on this server.
#[derive(Default)]
pub(super) struct TaughtWaits {
    since: Mutex<HashMap<BatchId, Instant>>,
}

impl TaughtWaits {
    /// Records at `now` whether an answer for a photograph lacks taught parts; returns whether the photograph waits.
    pub(super) fn waits(&self, batch: BatchId, lacks_taught_parts: bool, now: Instant) -> bool {
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        if !lacks_taught_parts {
            since.remove(&batch);
            return false;
        }
        since.retain(|_, since| now.saturating_duration_since(*since) < FORGOTTEN_AFTER);
        now.saturating_duration_since(*since.entry(batch).or_insert(now)) < LONGEST
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_batch_waits_for_a_while_and_anew_once_the_taught_parts_were_there() {
        let waits = TaughtWaits::default();
        let (one, other) = (BatchId(Uuid::nil()), BatchId(Uuid::max()));
        let start = Instant::now();
        let later = start + LONGEST;
        assert!(!waits.waits(one, false, start));
        assert!(waits.waits(one, true, start));
        assert!(waits.waits(one, true, start + Duration::from_mins(14)));
        assert!(!waits.waits(one, true, later));
        assert!(!waits.waits(one, true, later + Duration::from_hours(1)), "the rest does not wait again");
        assert!(waits.waits(other, true, later), "each batch for itself");
        assert!(!waits.waits(one, false, later));
        assert!(waits.waits(one, true, later));
        assert!(waits.waits(one, true, later + FORGOTTEN_AFTER));
    }
}
