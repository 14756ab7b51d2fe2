use serde::{Deserialize, Serialize};

use super::plain_lines;

const MAX_LINES: usize = 6;
const LINE_MAX_CHARS: usize = 240;

/// A language model's notes on a part type for a vehicle. They do not answer whether a part fits, which stays unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FitmentNotes {
    /// What to know, such as variants of the vehicle that take different parts; at most 6 of 240 characters.
    pub notes: Vec<String>,
    /// What to compare on the part, such as a diameter; at most 6 of 240 characters.
    pub compare: Vec<String>,
}

impl FitmentNotes {
    /// The notes that keep the rules; `None` if none are left.
    pub fn checked(notes: &[String], compare: &[String]) -> Option<Self> {
        let lines = |texts| plain_lines(texts, LINE_MAX_CHARS, MAX_LINES);
        let (notes, compare) = (lines(notes), lines(compare));
        (!notes.is_empty() || !compare.is_empty()).then_some(Self { notes, compare })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_bounded_and_nothing_is_none() {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let long = "x".repeat(241);
        let notes =
            FitmentNotes::checked(&owned(&["Two engines.", &long]), &owned(&["Diameter."; 9])).unwrap();
        assert_eq!((notes.notes, notes.compare.len()), (owned(&["Two engines."]), 6));
        assert_eq!(FitmentNotes::checked(&owned(&[" "]), &owned(&[&long])), None);
    }
}
