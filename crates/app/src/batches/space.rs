//! Whether batches wait because the disk is full, which cannot be written into the database then.

use std::sync::atomic::{AtomicBool, Ordering};

use partsight_domain::{Batch, BatchState, messages};

/// Whether the last claim of this server, or the last answers that it could not save, failed because the disk is full.
#[derive(Debug, Default)]
pub(super) struct Space {
    is_missing: AtomicBool,
}

impl Space {
    /// Notes whether something could not be written because the disk is full.
    pub(super) fn note(&self, is_missing: bool) {
        self.is_missing.store(is_missing, Ordering::Relaxed);
    }

    /// The batch with the reason why it waits, if it runs and there is no space.
    pub(super) fn explained(&self, batch: Batch) -> Batch {
        if batch.state != BatchState::Running || !self.is_missing.load(Ordering::Relaxed) {
            return batch;
        }
        Batch { reason: Some(messages::BATCH_WAITS_FOR_SPACE.to_owned()), ..batch }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use partsight_domain::{BatchCounts, BatchId, ScanSource, UserId};
    use uuid::Uuid;

    use super::*;

    fn reason(space: &Space, state: BatchState) -> Option<String> {
        let batch = Batch {
            id: BatchId(Uuid::now_v7()),
            user_id: UserId(Uuid::now_v7()),
            name: "Returns".to_owned(),
            vehicle_id: None,
            source: ScanSource::Web,
            reads_text: false,
            state,
            reason: None,
            created_at: Timestamp::UNIX_EPOCH,
            counts: BatchCounts::default(),
        };
        space.explained(batch).reason
    }

    #[test]
    fn a_running_batch_says_that_it_waits_for_space_until_a_claim_can_be_written() {
        let space = Space::default();
        assert_eq!(reason(&space, BatchState::Running), None);
        space.note(true);
        assert_eq!(reason(&space, BatchState::Running).as_deref(), Some(messages::BATCH_WAITS_FOR_SPACE));
        assert_eq!(reason(&space, BatchState::Done), None);
        space.note(false);
        assert_eq!(reason(&space, BatchState::Running), None);
    }
}
