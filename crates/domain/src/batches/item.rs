use std::fmt;
use std::str::FromStr;

use jiff::civil::DateTime;

use crate::text::without_unwanted;
use crate::{BatchItemId, InvalidInput, ScanId, Verdict, messages};

/// Characters in what a client names an item, and in the name of its file.
pub const ITEM_KEY_MAX_CHARS: usize = 1_024;
/// How often a photograph is tried where the machine failed and not the photograph.
pub const MAX_ITEM_ATTEMPTS: u32 = 3;

/// What a client names an item or its file, as it is kept: without what controls a terminal, ends a line or turns the direction
/// of reading. It is shown, and stands in tables that other programs open.
pub fn kept_item_name(text: &str) -> String {
    without_unwanted(text)
}

/// Doubts of items that nothing says anything of yet, that show no part, and that have no answer.
const NO_DOUBT: i64 = 0;
const DOUBT_NOT_A_PART: i64 = 3_000;
const DOUBT_FAILED: i64 = 4_000;
/// What an answer that is not sure has on top of its missing confidence.
// More than a sure answer's missing confidence can be, so that the two never mix.
const DOUBT_NOT_SURE: i64 = 1_001;

named! {
    /// How far a photograph of a batch is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum BatchItemState {
        /// Its turn has not come.
        Waiting = "waiting",
        /// A worker has it.
        Running = "running",
        /// It has an answer, which is a scan.
        Answered = "answered",
        /// It shows no part that is known.
        NotAPart = "not-a-part",
        /// It has no answer, and says why.
        Failed = "failed",
        /// The same photograph came before, byte for byte, and is not scanned again.
        Duplicate = "duplicate",
        /// Its batch was cancelled before its turn.
        Cancelled = "cancelled",
    }
}

impl BatchItemState {
    /// How doubtful an item is by its state alone; [`doubt_of`] says it of an answer.
    pub fn doubt(self) -> i64 {
        match self {
            Self::Failed => DOUBT_FAILED,
            Self::NotAPart => DOUBT_NOT_A_PART,
            // An answered item has the doubt of its answer; the others are nothing that a person could settle.
            Self::Waiting | Self::Running | Self::Answered | Self::Duplicate | Self::Cancelled => NO_DOUBT,
        }
    }
}

/// How doubtful an answer is, 1 to 2,002: one that is not sure always more than one that is, and among equals the less
/// probable one.
pub fn doubt_of(verdict: Verdict, confidence: f32) -> i64 {
    // In thousandths and whole numbers, because rows are sorted by it.
    let missing = (1.0 - f64::from(confidence).clamp(0.0, 1.0)) * 1_000.0;
    let base = if verdict == Verdict::NotSure { DOUBT_NOT_SURE } else { 0 };
    // At least 1, so that every answer stands before what has none yet.
    base + missing.round() as i64 + 1
}

named! {
    /// Who put an item into its group, or set it apart.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum GroupedBy {
        /// Names, times and likeness proposed it.
        Proposal = "proposal",
        /// A person said so, and no proposal changes it.
        Person = "person",
    }
}

/// A photograph of a batch, with its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchItem {
    /// Id of the item.
    pub id: BatchItemId,
    /// What its client names it.
    pub key: String,
    /// The name of its file.
    pub name: String,
    /// How far it is.
    pub state: BatchItemState,
    /// The item with the same bytes, for a duplicate.
    pub duplicate_of: Option<BatchItemId>,
    /// Why it has no answer, as people read it.
    pub problem: Option<String>,
    /// Its answer; none also where the scan was deleted since.
    pub scan_id: Option<ScanId>,
    /// What it is sorted by: of the first one of a group, in a list of items, the doubt of their common answer.
    pub doubt: i64,
    /// The first photograph of the item that it shows, which is itself for the first one; `None` for one alone.
    pub group_id: Option<BatchItemId>,
    /// Who said so; `None` where nobody said anything.
    pub grouped_by: Option<GroupedBy>,
    /// When it was taken by the camera's clock, where its file says so.
    pub captured_at: Option<DateTime>,
    /// Whether a person took it out of the list.
    pub is_discarded: bool,
}

impl BatchItem {
    /// Where it stands in the list.
    pub fn position(&self) -> ItemPosition {
        ItemPosition { doubt: self.doubt, id: self.id }
    }
}

named! {
    /// In which order items are listed.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum BatchSort {
        /// As they were sent.
        #[default]
        Sent = "sent",
        /// The most doubtful first.
        Doubt = "doubt",
    }
}

/// A place in the list of the items of a batch, as `doubt.id` on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemPosition {
    /// How doubtful the item there is.
    pub doubt: i64,
    /// Id of the item there.
    pub id: BatchItemId,
}

impl fmt::Display for ItemPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.doubt, self.id)
    }
}

impl FromStr for ItemPosition {
    type Err = InvalidInput;

    fn from_str(text: &str) -> Result<Self, InvalidInput> {
        let parse = || {
            let (doubt, id) = text.split_once('.')?;
            Some(Self { doubt: doubt.parse().ok()?, id: id.parse().ok()? })
        };
        parse().ok_or_else(|| InvalidInput::new("cursor", messages::BATCH_CURSOR))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_is_more_doubtful_than_what_shows_no_part_and_that_than_any_answer() {
        assert!(BatchItemState::Failed.doubt() > BatchItemState::NotAPart.doubt());
        // The least sure of all answers.
        assert!(BatchItemState::NotAPart.doubt() > DOUBT_NOT_SURE + 1_001);
        assert_eq!(BatchItemState::Waiting.doubt(), 0);
    }

    #[test]
    fn an_answer_is_the_more_doubtful_the_less_probable_it_is_and_most_where_it_is_not_sure() {
        let doubts = [(Verdict::Identified, 1.0), (Verdict::Identified, 0.9), (Verdict::NotSure, 0.95)]
            .map(|(verdict, confidence)| doubt_of(verdict, confidence));
        assert_eq!(doubts, [1, 101, DOUBT_NOT_SURE + 51]);
    }

    #[test]
    fn a_place_in_the_list_is_read_as_it_is_written() {
        let place = ItemPosition { doubt: 17, id: "0190a0a0-0000-7000-8000-000000000000".parse().unwrap() };
        assert_eq!(place.to_string().parse(), Ok(place));
        for wrong in ["", "17", "17.x", "x.0190a0a0-0000-7000-8000-000000000000"] {
            assert_eq!(wrong.parse::<ItemPosition>().unwrap_err().field, "cursor", "{wrong:?}");
        }
    }
}
