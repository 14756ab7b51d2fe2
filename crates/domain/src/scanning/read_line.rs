//! A line of text or a code on a photograph, and the numbers in it.

use std::collections::HashMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::brands::brand_in;
use super::code::PartCode;
use super::text_kind::{NumberOfLine, TextKind, numbers_of};
use crate::{compact_number, folded_number};

/// Maximum of numbers per scan that are looked up.
const MAX_NUMBERS: usize = 80;

/// One line of text on a photograph, or one code.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadLine {
    /// What was read.
    pub text: String,
    /// A person's correction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected: Option<String>,
    /// What kind of text it is.
    pub kind: TextKind,
    /// Confidence of the reading, in 0..=1. Not calibrated.
    pub confidence: f32,
    /// Index of the photograph in the scan, from 0.
    pub photo: usize,
    /// Its top left as one reads it, then top right, bottom right and bottom left: x and y as shares of the width and
    /// height of the upright photograph, in 0..=1.
    pub corners: [[f32; 2]; 4],
    /// Symbology and fields, for a code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<PartCode>,
}

impl ReadLine {
    /// What was read, on which photograph and where.
    pub fn new(text: String, confidence: f32, photo: usize, corners: [[f32; 2]; 4]) -> Self {
        Self { kind: TextKind::of(&text), text, corrected: None, confidence, photo, corners, code: None }
    }

    /// A code with its text, photograph and position. Its check digits or error correction confirm it.
    pub fn of_code(code: PartCode, text: String, photo: usize, corners: [[f32; 2]; 4]) -> Self {
        let vin = code.vin(&text);
        // A code with a VIN is shown and used as one, without the text around it.
        let kind = if vin.is_some() { TextKind::Vin } else { TextKind::Barcode };
        let text = vin.unwrap_or(text);
        Self { text, corrected: None, kind, confidence: 1.0, photo, corners, code: Some(code) }
    }

    /// The corrected text, or the recognised one without a correction.
    pub fn says(&self) -> &str {
        self.corrected.as_deref().unwrap_or(&self.text)
    }

    /// The brand named in it, in the brand's own spelling.
    pub fn brand(&self) -> Option<&'static str> {
        brand_in(self.says())
    }

    /// Updates the kind by the current text.
    pub(super) fn update_kind(&mut self) {
        let is_code = self.code.is_some() && self.corrected.is_none();
        self.kind = match TextKind::of(self.says()) {
            TextKind::Vin => TextKind::Vin,
            // Only until a person corrects it, which makes it plain text.
            _ if is_code => TextKind::Barcode,
            kind => kind,
        };
    }

    /// The texts in it that may be part numbers; those of a code sorted by specificity.
    fn numbers(&self) -> Vec<NumberOfLine> {
        match &self.code {
            // A VIN identifies a vehicle and no part.
            Some(_) if self.kind == TextKind::Vin => Vec::new(),
            Some(code) if self.corrected.is_none() => code.numbers(&self.text),
            _ => numbers_of(self.says()),
        }
    }

    /// The part number in it: the first of a code; else the first word that is one, or the longest one of several
    /// words.
    pub fn number(&self) -> Option<String> {
        let numbers = self.numbers().into_iter().map(|number| number.text);
        if self.code.is_some() {
            return numbers.into_iter().next();
        }
        let numbers: Vec<String> = numbers.collect();
        let word = numbers.iter().find(|number| !number.contains(' ')).cloned();
        word.or_else(|| numbers.into_iter().max_by_key(String::len))
    }
}

/// A text on a part that may be a part number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadNumber {
    /// The text as printed.
    pub text: String,
    /// As [`folded_number`] writes it.
    pub folded: String,
    /// Where it stands; nowhere for a number that was not read.
    places: Vec<Place>,
}

/// A place of a number on a photograph.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    /// Index of its line.
    line: usize,
    /// Its words in that line.
    words: Range<usize>,
    is_fragment: bool,
}

impl ReadNumber {
    /// A number that stands nowhere on a photograph.
    pub fn new(text: String) -> Self {
        Self { folded: folded_number(&text), text, places: Vec::new() }
    }

    /// Whether it only stands where it may be part of a longer number.
    pub(super) fn is_fragment(&self) -> bool {
        !self.places.is_empty() && self.places.iter().all(|place| place.is_fragment)
    }

    /// Whether it only stands within one of these longer numbers.
    pub(super) fn is_within(&self, longer: &[&Self]) -> bool {
        let is_covered = |place: &Place| {
            longer.iter().flat_map(|longer| &longer.places).any(|other| {
                other.line == place.line
                    && other.words.len() > place.words.len()
                    && other.words.start <= place.words.start
                    && place.words.end <= other.words.end
            })
        };
        !self.places.is_empty() && self.places.iter().all(is_covered)
    }
}

/// The numbers in these lines, without duplicates: at most 80.
pub fn numbers_in<'l>(lines: impl IntoIterator<Item = &'l ReadLine>) -> Vec<ReadNumber> {
    let mut numbers: Vec<ReadNumber> = Vec::new();
    // By the compact form, so that two spellings of a number count once.
    let mut known: HashMap<String, usize> = HashMap::new();
    for (line, read) in lines.into_iter().enumerate() {
        for NumberOfLine { text, words, is_fragment } in read.numbers() {
            let at = *known.entry(compact_number(&text)).or_insert(numbers.len());
            if at == numbers.len() {
                numbers.push(ReadNumber::new(text));
            }
            numbers[at].places.push(Place { line, words, is_fragment });
        }
    }
    numbers.truncate(MAX_NUMBERS);
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CodeSymbology;

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
    fn a_code_says_its_number_until_somebody_corrects_it() {
        let (code, text) = PartCode::new(CodeSymbology::Code39, false, "P12345-AB").unwrap();
        let mut line = ReadLine::of_code(code, text, 0, CORNERS);
        assert_eq!((line.kind, line.number().as_deref()), (TextKind::Barcode, Some("12345-AB")));
        line.corrected = Some("SP96051".to_owned());
        line.update_kind();
        assert_eq!((line.kind, line.number().as_deref()), (TextKind::PartNumber, Some("SP96051")));
        line.corrected = None;
        line.update_kind();
        assert_eq!(line.kind, TextKind::Barcode);
        let (code, text) = PartCode::new(CodeSymbology::DataMatrix, false, "I1HGCM82633A004352").unwrap();
        let line = ReadLine::of_code(code, text, 0, CORNERS);
        assert_eq!((line.kind, line.says(), line.number()), (TextKind::Vin, "1HGCM82633A004352", None));
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
