use jiff::Timestamp;

use super::BatchItemState;
use crate::text::required_text;
use crate::{BatchId, InvalidInput, ScanSource, UserId, VehicleId, messages};

/// Maximum of photographs in a batch.
pub const MAX_BATCH_PHOTOS: u64 = 50_000;
/// Maximum of batches per account: far more than we have seen a shop keep.
pub const MAX_OPEN_BATCHES: u64 = 1_000;
/// Longest name of a batch, in characters.
const BATCH_NAME_MAX_CHARS: usize = 100;

named! {
    /// State of a batch.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum BatchState {
        /// It accepts photographs and is not started yet.
        Open = "open",
        /// Its photographs are being answered; it accepts more.
        Running = "running",
        /// Every photograph has an answer, or a reason why it has none.
        Done = "done",
        /// It stopped for the given reason; it can be started again.
        Stopped = "stopped",
        /// It was cancelled.
        Cancelled = "cancelled",
    }
}

impl BatchState {
    /// The state after photographs are added; `None` if the state accepts none.
    pub fn after_more_photos(self) -> Option<Self> {
        match self {
            Self::Open | Self::Running | Self::Stopped => Some(self),
            // It was started already, so it continues without another start.
            Self::Done => Some(Self::Running),
            Self::Cancelled => None,
        }
    }

    /// Whether it can be started or continued.
    pub fn can_start(self) -> bool {
        matches!(self, Self::Open | Self::Stopped | Self::Running | Self::Done)
    }
}

/// Number of items of a batch by state.
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

    /// Number of all items.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }
}

/// Many photographs as one job.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// Id of the batch.
    pub id: BatchId,
    /// The owner of its scans.
    pub user_id: UserId,
    /// Name of the batch.
    pub name: String,
    /// The vehicle of all its parts, if any.
    pub vehicle_id: Option<VehicleId>,
    /// Where it was created.
    pub source: ScanSource,
    /// Whether the text on its photographs is read before each is answered.
    pub reads_text: bool,
    /// State of the batch.
    pub state: BatchState,
    /// Why it stopped, as a sentence.
    pub reason: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// Number of its items by state.
    pub counts: BatchCounts,
}

/// Validates the name of a batch.
///
/// # Errors
/// If it is empty or too long.
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
