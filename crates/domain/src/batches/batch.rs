use jiff::Timestamp;

use super::BatchItemState;
use crate::text::required_text;
use crate::{BatchId, InvalidInput, ScanSource, UserId, VehicleId, messages};

/// Photographs in one batch.
pub const MAX_BATCH_PHOTOS: u64 = 50_000;
/// Batches of one account: far more than a shop was seen to keep.
pub const MAX_OPEN_BATCHES: u64 = 1_000;
/// Characters in the name of a batch.
const BATCH_NAME_MAX_CHARS: usize = 100;

named! {
    /// What a batch is doing.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum BatchState {
        /// It takes photographs and waits to be started.
        Open = "open",
        /// Its photographs are being answered; it takes more meanwhile.
        Running = "running",
        /// Every photograph has its answer, or the reason why it has none.
        Done = "done",
        /// It cannot go on, and says why; started again, it does.
        Stopped = "stopped",
        /// Somebody ended it.
        Cancelled = "cancelled",
    }
}

impl BatchState {
    /// What it is after photographs came to it: one that was through goes on, and a cancelled one takes none.
    pub fn after_more_photos(self) -> Option<Self> {
        match self {
            Self::Open | Self::Running | Self::Stopped => Some(self),
            // It was started once, so that more photographs need no second start.
            Self::Done => Some(Self::Running),
            Self::Cancelled => None,
        }
    }

    /// Whether it can be started: for the first time, or to go on.
    pub fn can_start(self) -> bool {
        matches!(self, Self::Open | Self::Stopped | Self::Running | Self::Done)
    }
}

/// How many items of a batch are in each state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BatchCounts([u64; BatchItemState::ALL.len()]);

impl BatchCounts {
    /// Sets the number of one state.
    pub fn set(&mut self, state: BatchItemState, n: u64) {
        // Variants are numbered from 0 in the order of `ALL`.
        self.0[state as usize] = n;
    }

    /// The number of one state.
    pub fn of(&self, state: BatchItemState) -> u64 {
        self.0[state as usize]
    }

    /// All items.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }
}

/// Many photographs as one job.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// Id of the batch.
    pub id: BatchId,
    /// Whose scans its answers are.
    pub user_id: UserId,
    /// As people call it.
    pub name: String,
    /// The vehicle of all its parts, where one was named.
    pub vehicle_id: Option<VehicleId>,
    /// Where it was asked for.
    pub source: ScanSource,
    /// Whether the text on its photographs is read before each is answered.
    pub reads_text: bool,
    /// What it is doing.
    pub state: BatchState,
    /// Why it stopped, as people read it.
    pub reason: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// How far it is.
    pub counts: BatchCounts,
}

/// The name of a batch out of what somebody typed.
///
/// # Errors
/// For one that is empty or too long.
pub fn batch_name(text: &str) -> Result<String, InvalidInput> {
    required_text("name", "The name", text, BATCH_NAME_MAX_CHARS, messages::BATCH_NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_batch_can_do_follows_its_state() {
        use BatchState::{Cancelled, Done, Open, Running, Stopped};
        let cases = [
            (Open, Some(Open), true),
            (Running, Some(Running), true),
            (Done, Some(Running), true),
            (Stopped, Some(Stopped), true),
            (Cancelled, None, false),
        ];
        assert_eq!(cases.map(|(state, ..)| state), BatchState::ALL);
        for (state, after_more, can_start) in cases {
            assert_eq!((state.after_more_photos(), state.can_start()), (after_more, can_start), "{state}");
        }
    }

    #[test]
    fn counts_add_up() {
        let mut counts = BatchCounts::default();
        counts.set(BatchItemState::Waiting, 3);
        counts.set(BatchItemState::Failed, 2);
        assert_eq!((counts.total(), counts.of(BatchItemState::Failed)), (5, 2));
        assert_eq!(counts.of(BatchItemState::Answered), 0);
    }

    #[test]
    fn a_name_is_one_line_of_at_most_a_hundred_characters() {
        assert_eq!(batch_name("  Pallet 7 "), Ok("Pallet 7".to_owned()));
        for (wrong, part) in [
            ("", "a name of at most 100 characters"),
            ("  ", "a name of at most 100 characters"),
            ("a\nb", "control character"),
            ("a\u{202e}b", "control character"),
            ("x".repeat(101).as_str(), "101 characters"),
        ] {
            let error = batch_name(wrong).unwrap_err();
            assert_eq!(error.field, "name", "{wrong:?}");
            assert!(error.message.contains(part), "{wrong:?}: {}", error.message);
        }
    }
}
