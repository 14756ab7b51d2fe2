//! A line of text on a photograph, and the numbers in it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::brands::brand_in;
use super::text_kind::{TextKind, numbers_of};
use crate::{compact_number, folded_number};

/// Numbers of one scan that are looked up.
const MAX_NUMBERS: usize = 80;

/// One line of text on a photograph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadLine {
    /// What was read.
    pub text: String,
    /// What it says by the word of a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected: Option<String>,
    /// What kind of text it is.
    pub kind: TextKind,
    /// How surely its characters were read, in 0..=1. Not calibrated.
    pub confidence: f32,
    /// On which photograph of the scan, from 0.
    pub photo: usize,
    /// Its top left as one reads it, then top right, bottom right and bottom left: x and y as shares of the width and
    /// height of the upright photograph, in 0..=1.
    pub corners: [[f32; 2]; 4],
}

impl ReadLine {
    /// What was read, on which photograph and where.
    pub fn new(text: String, confidence: f32, photo: usize, corners: [[f32; 2]; 4]) -> Self {
        Self { kind: TextKind::of(&text), text, corrected: None, confidence, photo, corners }
    }

    /// What it says: as corrected, else as read.
    pub fn says(&self) -> &str {
        self.corrected.as_deref().unwrap_or(&self.text)
    }

    /// The maker whose name is in it, as the maker writes it.
    pub fn brand(&self) -> Option<&'static str> {
        brand_in(self.says())
    }

    /// The part number in it: the first word that is one, else the longest of neighbours that are one together.
    pub fn number(&self) -> Option<String> {
        let numbers = numbers_of(self.says());
        let word = numbers.iter().find(|number| !number.contains(' ')).cloned();
        word.or_else(|| numbers.into_iter().max_by_key(String::len))
    }
}

/// A text on a part that may be a part number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadNumber {
    /// As it stands on the part.
    pub text: String,
    /// As [`folded_number`] writes it.
    pub folded: String,
}

/// The numbers in these lines, each once: at most 80.
pub fn numbers_in(lines: &[ReadLine]) -> Vec<ReadNumber> {
    let mut known = BTreeSet::new();
    lines
        .iter()
        .flat_map(|line| numbers_of(line.says()))
        .filter(|text| known.insert(compact_number(text)))
        .map(|text| ReadNumber { folded: folded_number(&text), text })
        .take(MAX_NUMBERS)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [[f32; 2]; 4] = [[0.1, 0.1], [0.4, 0.1], [0.4, 0.2], [0.1, 0.2]];

    fn line(text: &str) -> ReadLine {
        ReadLine::new(text.to_owned(), 0.9, 0, CORNERS)
    }

    #[test]
    fn the_number_of_a_line_is_a_word_or_its_groups_together() {
        for (text, expected) in [
            ("BOSCH 0258006537000 LS6537", Some("0258006537000")),
            ("0 986 479 R51", Some("0 986 479 R51")),
            ("PART No.:SP96051", Some("SP96051")),
            ("BRAKE PADS", None),
        ] {
            assert_eq!(line(text).number().as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn each_number_is_looked_up_once_and_a_page_of_them_has_a_bound() {
        let lines = [line("SP96051"), line("sp-96051"), line("BRAKE PADS"), line(&"7".repeat(200))];
        let texts: Vec<String> = numbers_in(&lines).into_iter().map(|number| number.text).collect();
        assert_eq!(texts, ["SP96051"]);
        let page: Vec<ReadLine> = (0..500).map(|n| line(&format!("A{n:05} B{n:05} C{n:05}"))).collect();
        assert_eq!(numbers_in(&page).len(), MAX_NUMBERS);
    }
}
