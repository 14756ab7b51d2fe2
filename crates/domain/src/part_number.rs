//! Parsing and comparison of part numbers and brands.

use unicode_normalization::UnicodeNormalization;

use crate::InvalidInput;
use crate::text::{lower_case, optional_text};

/// Longest part number, in characters.
pub const PART_NUMBER_MAX_CHARS: usize = 60;
/// Longest brand, in characters.
pub const PART_BRAND_MAX_CHARS: usize = 60;

/// A part number as typed; a blank one is none.
///
/// # Errors
/// Names `number` and the limit.
pub fn part_number(text: Option<&str>) -> Result<Option<String>, InvalidInput> {
    optional_text("number", "The part number", text, PART_NUMBER_MAX_CHARS)
}

/// A brand as typed, in Unicode's normalization form C, so that no two brands look the same; a blank one is none.
///
/// # Errors
/// Names `brand` and the limit.
pub fn part_brand(text: Option<&str>) -> Result<Option<String>, InvalidInput> {
    optional_text("brand", "The brand", text.map(composed).as_deref(), PART_BRAND_MAX_CHARS)
}

/// `text` in Unicode's normalization form C, in which a letter with its combining marks is one character.
pub(crate) fn composed(text: &str) -> String {
    text.nfc().collect()
}

/// A part number in lower case without separators: `04E-905 601.B` is `04e905601b`. One of separators only is not
/// changed otherwise.
///
/// Characters that are only encoded differently, such as full-width digits or letters with combining marks, are
/// equal.
pub fn compact_number(number: &str) -> String {
    let lower = letters_and_digits(number).flat_map(char::to_lowercase);
    let compact: String = lower.filter(|character| character.is_alphanumeric()).collect();
    // Otherwise all numbers of separators only would be equal.
    if compact.is_empty() { lower_case(number) } else { compact }
}

/// The letters and digits of a number in Unicode's normalization form KC, in which each is encoded in one way.
pub(crate) fn letters_and_digits(number: &str) -> impl Iterator<Item = char> {
    // Composed first, so that combining marks are not dropped as signs; filtered before form KC, which spells out the
    // sign `№` as `No`.
    number.nfc().filter(|character| character.is_alphanumeric()).nfkc()
}

/// Pairs of characters that OCR confuses, in lower case: the representative of both, the other, and the cost.
///
/// Costs are natural logarithms: 1 for a reading that is e times less probable. They rank possible meanings of a text;
/// pairs that look the same in print (`O` and `0`, `I` and `1`) cost less than those that differ in shape.
// Set by hand, not measured: see docs/decisions/0118-part-numbers.md.
const CONFUSABLE: [(char, char, f32); 7] = [
    ('0', 'o', 0.5),
    ('1', 'i', 0.5),
    ('1', 'l', 0.75),
    ('5', 's', 1.0),
    ('8', 'b', 1.0),
    ('2', 'z', 1.0),
    ('6', 'g', 1.2),
];
/// Maximum total cost of a number, because more confusions would match too many numbers.
const MOST_MISREADING: f32 = 3.0;

/// A part number as [`compact_number`] writes it, with one representative for confusable characters, so that numbers
/// that differ only by such confusions are equal. The database folds in the same way, in an index.
pub fn folded_number(number: &str) -> String {
    compact_number(number).chars().map(folded).collect()
}

fn folded(character: char) -> char {
    CONFUSABLE.iter().find(|(_, other, _)| *other == character).map_or(character, |(stands, ..)| *stands)
}

/// Cost of taking the text `read` for `number`: 0 if they are equal except for case and separators, more for each
/// confused character; `None` for different numbers.
pub fn misreading_cost(read: &str, number: &str) -> Option<f32> {
    let (read, number) = (compact_number(read), compact_number(number));
    // Only substitutions are considered, because insertions and deletions would match too many numbers.
    if read.is_empty() || read.chars().count() != number.chars().count() {
        return None;
    }
    let mut sum = 0.0;
    for (one, other) in read.chars().zip(number.chars()).filter(|(one, other)| one != other) {
        if folded(one) != folded(other) {
            return None;
        }
        // Two letters with the same representative are both confused with it.
        sum += confusion(one) + confusion(other);
        if sum > MOST_MISREADING {
            return None;
        }
    }
    Some(sum)
}

fn confusion(character: char) -> f32 {
    CONFUSABLE.iter().find(|(_, other, _)| *other == character).map_or(0.0, |(.., cost)| *cost)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brand_is_saved_in_one_normalization_form() {
        assert_eq!(part_brand(Some("Mu\u{308}ller")).unwrap().unwrap(), "M\u{fc}ller");
    }

    #[test]
    fn a_number_of_signs_alone_stays_as_it_is() {
        assert_eq!(compact_number("--"), "--");
        assert_eq!(compact_number("04E-905 601.B"), "04e905601b");
    }

    #[test]
    fn letters_of_all_alphabets_are_compared_in_lower_case() {
        for (number, compact) in
            [("İ-12", "i12"), ("ÖL-0815", "öl0815"), ("АВ 12", "ав12"), ("ΣΑ-1", "σα1"), ("Ł/7", "ł7")]
        {
            assert_eq!(compact_number(number), compact);
        }
        assert_eq!(misreading_cost("İ258", "i258"), Some(0.0));
    }

    #[test]
    fn numbers_that_are_only_encoded_differently_are_equal() {
        for (one, other) in [("U\u{308}-1", "Ü-1"), ("ＱＱ１２３", "QQ123"), ("4５-ａ", "45a"), ("№ 7", "7")]
        {
            assert_eq!(compact_number(one), compact_number(other), "{one}");
        }
        assert_ne!(compact_number("U-1"), compact_number("Ü-1"));
    }

    #[test]
    fn numbers_that_only_confusable_characters_part_fold_to_one_text() {
        for (one, other) in [("O258-IL5S8B", "0258 11558 8"), ("FZ1440", "f21440"), ("6G-2Z", "g6 z2")] {
            assert_eq!(folded_number(one), folded_number(other), "{one}");
        }
        assert_ne!(folded_number("FS1440-35R"), folded_number("F51440-36R"));
        assert_eq!(folded_number(&"0".repeat(200)).len(), 200);
    }

    #[test]
    fn a_misreading_costs_what_was_confused() {
        for (name, read, number, expected) in [
            ("the same", "ls6537", "LS 65-37", Some(0.0)),
            ("zero for O", "0258", "O258", Some(0.5)),
            ("I for L, both taken for 1", "I258", "L258", Some(1.25)),
            ("five for S", "F51440-35R", "FS1440-35R", Some(1.0)),
            ("too many", "SSSS", "5555", None),
            ("another digit", "1258", "1259", None),
            ("one more character", "1258", "12580", None),
            ("nothing", "", "", None),
            ("another script", "АВ12", "AB12", None),
        ] {
            assert_eq!(misreading_cost(read, number), expected, "{name}");
        }
    }
}
