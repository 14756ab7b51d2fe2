use std::fmt;
use std::str::FromStr;

use jiff::civil::DateTime;

use crate::text::without_unwanted;
use crate::{BatchItemId, InvalidInput, ScanId, Verdict, messages};

/// Maximum of bytes in the key of an item. In bytes, because an index of PostgreSQL takes 2,704 of them in an entry: 1,024
/// Chinese characters have more.
pub const ITEM_KEY_MAX_BYTES: usize = 1_024;
/// Maximum of characters in the file name of an item; a longer one is cut off.
pub const ITEM_NAME_MAX_CHARS: usize = 1_024;
/// Maximum of attempts if the server fails, and not the photograph.
pub const MAX_ITEM_ATTEMPTS: u32 = 3;

/// A key or file name from a client, as stored: without control characters, line breaks and bidirectional controls,
/// because it is shown and exported to other programs.
pub fn kept_item_name(text: &str) -> String {
    without_unwanted(text)
}

/// Doubt of items that wait or that a person cannot resolve, of those that show no part, and of failed ones.
const NO_DOUBT: i64 = 0;
const DOUBT_NOT_A_PART: i64 = 3_000;
const DOUBT_FAILED: i64 = 4_000;
/// Added to the missing confidence of an answer that is not sure.
// Above the maximum of a sure answer, so that the two ranges do not overlap.
const DOUBT_NOT_SURE: i64 = 1_001;

named! {
    /// State of a photograph of a batch.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum BatchItemState {
        /// It is queued.
        Waiting = "waiting",
        /// A worker is processing it.
        Running = "running",
        /// It was answered as a scan.
        Answered = "answered",
        /// It shows no known part.
        NotAPart = "not-a-part",
        /// It failed for the given reason.
        Failed = "failed",
        /// It is a byte-identical copy of an earlier photograph, and is not scanned again.
        Duplicate = "duplicate",
        /// Its batch was cancelled before it was answered.
        Cancelled = "cancelled",
    }
}

impl BatchItemState {
    /// The doubt of an item by its state; for an answer see [`doubt_of`].
    pub fn doubt(self) -> i64 {
        match self {
            Self::Failed => DOUBT_FAILED,
            Self::NotAPart => DOUBT_NOT_A_PART,
            // An answered item gets the doubt of its answer; a person cannot resolve the others.
            Self::Waiting | Self::Running | Self::Answered | Self::Duplicate | Self::Cancelled => NO_DOUBT,
        }
    }
}

/// The doubt of an answer, 1 to 2,002: an answer that is not sure has more than any sure one; within both kinds,
/// less confidence means more doubt.
pub fn doubt_of(verdict: Verdict, confidence: f32) -> i64 {
    // In whole thousandths, because rows are sorted by it.
    let missing = (1.0 - f64::from(confidence).clamp(0.0, 1.0)) * 1_000.0;
    let base = if verdict == Verdict::NotSure { DOUBT_NOT_SURE } else { 0 };
    // At least 1, so that every answer ranks above items without one.
    base + missing.round() as i64 + 1
}

named! {
    /// Who decided on the group of an item.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum GroupedBy {
        /// The server proposed it by names, times and embeddings.
        Proposal = "proposal",
        /// A person; proposals do not change it.
        Person = "person",
    }
}

/// A photograph of a batch, with its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchItem {
    /// Id of the item.
    pub id: BatchItemId,
    /// The client's key for it.
    pub key: String,
    /// The name of its file.
    pub name: String,
    /// State of the item.
    pub state: BatchItemState,
    /// The item with the same bytes, for a duplicate.
    pub duplicate_of: Option<BatchItemId>,
    /// Why it has no answer, as a sentence.
    pub problem: Option<String>,
    /// Its answer; `None` without one, or if the scan was deleted.
    pub scan_id: Option<ScanId>,
    /// Doubt, by which items can be sorted; in a grouped list, the first member of a group has the doubt of the
    /// pooled answer.
    pub doubt: i64,
    /// Its group: the id of the first member, which may be itself; `None` for a single photograph.
    pub group_id: Option<BatchItemId>,
    /// Who decided on its group; `None` if it was never decided.
    pub grouped_by: Option<GroupedBy>,
    /// When it was taken, by the camera's clock, if its file states it.
    pub captured_at: Option<DateTime>,
    /// Whether a person discarded it.
    pub is_discarded: bool,
}

impl BatchItem {
    /// Its position in the list.
    pub fn position(&self) -> ItemPosition {
        ItemPosition { doubt: self.doubt, id: self.id }
    }
}

named! {
    /// Sort order of items.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum BatchSort {
        /// In the order of upload.
        #[default]
        Sent = "sent",
        /// The most doubtful first.
        Doubt = "doubt",
    }
}

/// A position in the list of items of a batch, written `doubt.id`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemPosition {
    /// Doubt of the item.
    pub doubt: i64,
    /// Id of the item.
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
        // Above the least sure answer.
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
