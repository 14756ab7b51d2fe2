//! Classifies text on a part: part number, brand, VIN, size, content of a code, or words.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::brands::brand_in;
use crate::{PART_NUMBER_MAX_CHARS, compact_number};

named! {
    /// What a line of text on a part is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum TextKind {
        /// A number by which a part may be ordered.
        PartNumber = "part-number",
        /// The name of a brand.
        Brand = "brand",
        /// A vehicle identification number (ISO 3779).
        Vin = "vin",
        /// A measure: of a tyre, a thread, a voltage.
        Size = "size",
        /// The content of a barcode or matrix code.
        Barcode = "barcode",
        /// Anything else.
        Word = "word",
    }
}

/// Units of measures, in upper case.
const UNITS: [&str; 25] = [
    "V", "W", "A", "AH", "CCA", "MA", "MM", "CM", "M", "IN", "L", "ML", "CC", "PSI", "KPA", "BAR", "NM",
    "RPM", "HP", "KW", "OHM", "KG", "G", "HZ", "\"",
];
/// Standards and quality classes that stand beside a measure of oil or a battery, in upper case.
const STANDARDS: [&str; 11] = ["SAE", "API", "EN", "DIN", "JIS", "IEC", "SJ", "SL", "SM", "SN", "SP"];
/// What may stand before and after the dimensions of a tyre: its kind of vehicle, and its load.
const TYRE_KINDS: [&str; 3] = ["P", "LT", "ST"];
const TYRE_LOADS: [&str; 3] = ["XL", "LT", "C"];
/// Characters of a VIN.
const VIN_CHARS: usize = 17;
/// Number of its last characters that must be digits.
const VIN_SERIAL_DIGITS: usize = 4;
/// Maximum of groups in which a part number is printed.
const MOST_GROUPS: usize = 5;
/// Maximum of letters of a group without a digit: a longer one is a word.
const LETTERS_OF_GROUP: usize = 3;
/// Minimum of letters and digits of a word that is a number by itself: groups of one number are shorter.
const CHARS_OF_WHOLE: usize = 6;
/// Words beside a number that are no group of it, in upper case.
const NO_GROUPS: [&str; 15] =
    ["NO", "NR", "PN", "OE", "OEM", "OES", "REF", "ART", "CAT", "SKU", "TYP", "MOD", "MFG", "FOR", "USA"];
/// Maximum of words of a line that are checked.
const MOST_WORDS: usize = 16;

impl TextKind {
    /// Classifies `text` by its letters and digits.
    pub fn of(text: &str) -> Self {
        let words = words(text);
        // From the most specific form to the least, because a VIN or a size would also pass as a part number.
        if is_vin(text) {
            Self::Vin
        } else if is_measure(&words) {
            Self::Size
        } else if !numbers_of(text).is_empty() {
            Self::PartNumber
        } else if brand_in(text).is_some() {
            Self::Brand
        } else {
            Self::Word
        }
    }
}

/// A text of a line that may be a part number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberOfLine {
    /// As printed.
    pub text: String,
    /// Its words, counted from the start of the line.
    pub words: Range<usize>,
    /// Whether a group stands beside it that may belong to the same number: `905 115` of `06A 905 115 D`.
    pub is_fragment: bool,
}

/// The texts of a line that may be part numbers: single words, and consecutive words that are groups of one number. At
/// most a few for each word, to limit the cost of a page of small print.
pub fn numbers_of(text: &str) -> Vec<NumberOfLine> {
    let mut numbers = Vec::new();
    // Digits in a URL are no part number.
    let lower = text.to_ascii_lowercase();
    if lower.contains("www.") || lower.contains("http") {
        return numbers;
    }
    let words = words(text);
    let is_short: Vec<bool> = words.iter().map(|word| is_short_group(word)).collect();
    for first in 0..words.len() {
        for n_groups in 1..=MOST_GROUPS.min(words.len() - first) {
            let groups = &words[first..first + n_groups];
            // A longer sequence would contain the same word, so that it is no number either.
            if n_groups > 1 && !groups.iter().all(|group| is_group(group)) {
                break;
            }
            let number = groups.join(" ");
            if is_number(&number) && !is_measure(groups) {
                let span = first..first + n_groups;
                numbers.push(NumberOfLine {
                    text: number,
                    is_fragment: is_fragment(&is_short, &span),
                    words: span,
                });
            }
        }
    }
    numbers
}

/// The words of a line without surrounding punctuation.
fn words(text: &str) -> Vec<&str> {
    let parts = text.split(|c: char| c.is_whitespace() || ":,;|()[]#*=".contains(c));
    let words = parts.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '"'));
    words.filter(|word| !word.is_empty()).take(MOST_WORDS).collect()
}

/// Whether a word can be a group of a number.
fn is_group(word: &str) -> bool {
    word.chars().any(|c| c.is_ascii_digit())
        || (word.chars().count() <= LETTERS_OF_GROUP && word.chars().all(|c| c.is_ascii_uppercase()))
}

/// Whether a number goes on before or after the words `span` of a line, given which words are short groups.
fn is_fragment(is_short: &[bool], span: &Range<usize>) -> bool {
    let are_both_short = |at: usize| is_short.get(at..at + 2) == Some(&[true, true]);
    (span.start > 0 && are_both_short(span.start - 1)) || are_both_short(span.end - 1)
}

/// Whether a word is a group and can only be part of a number: no maker, measure, name of a number or whole number.
fn is_short_group(word: &str) -> bool {
    is_group(word)
        && compact_number(word).chars().count() < CHARS_OF_WHOLE
        && !NO_GROUPS.contains(&word)
        // `06A` is no six amperes.
        && (word.starts_with('0') || !is_measure(&[word]))
        && (word.bytes().any(|byte| byte.is_ascii_digit()) || brand_in(word).is_none())
}

/// Whether a text has the form of a part number: enough digits for its letters, and no date or e-mail address.
fn is_number(text: &str) -> bool {
    // E-mail addresses often contain digits, and dates have the form of grouped numbers.
    if text.contains('@') || is_date(text) {
        return false;
    }
    let key = compact_number(text);
    let n_chars = key.chars().count();
    let n_digits = key.chars().filter(char::is_ascii_digit).count();
    match n_chars - n_digits {
        _ if n_chars > PART_NUMBER_MAX_CHARS => false,
        // Four digits may be a year.
        0 => n_digits >= 5,
        _ => (n_chars >= 4 && n_digits >= 3) || (n_chars >= 5 && n_digits >= 2),
    }
}

/// Three groups of digits, two of them short.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split(['.', '-', '/']).collect();
    let is_digits =
        |part: &&str| (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    parts.len() == 3
        && parts.iter().all(is_digits)
        && parts.iter().filter(|part| part.len() <= 2).count() >= 2
}

/// Whether all words are measures, such as `12V 60 Ah`, or what stands beside them, such as `SAE` and the `95H` of a
/// tyre; false for no words.
fn is_measure(words: &[&str]) -> bool {
    let upper: Vec<String> = words.iter().map(|word| word.to_uppercase()).collect();
    let mut at = 0;
    let mut has_size = false;
    while at < upper.len() {
        let unit_follows = upper.get(at + 1).is_some_and(|next| UNITS.contains(&next.as_str()));
        if is_tyre(&upper[at]) {
            at += 1 + upper[at + 1..].iter().take_while(|word| is_of_tyre(word)).count();
            has_size = true;
        } else if is_size(&upper[at]) {
            at += 1;
            has_size = true;
        } else if unit_follows && is_plain(&upper[at]) {
            at += 2;
            has_size = true;
        } else if STANDARDS.contains(&upper[at].as_str()) {
            at += 1;
        } else {
            return false;
        }
    }
    has_size
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a word in upper case is the dimensions of a tyre: `205/55`, `P215/65R15`, `225/45ZR17XL`, `31X10.50R15LT`.
fn is_tyre(word: &str) -> bool {
    let word = TYRE_KINDS.iter().find_map(|kind| word.strip_prefix(kind)).unwrap_or(word);
    if let Some((width, rest)) = word.split_once('/') {
        let Some((aspect, rim)) = rest.split_at_checked(2) else { return false };
        let rim = rim.trim_start_matches(['Z', 'R', '-']);
        return width.len() == 3 && is_digits(width) && is_digits(aspect) && (rim.is_empty() || is_rim(rim));
    }
    // In inches: outer diameter, width and rim.
    word.split_once('X').is_some_and(|(diameter, rest)| {
        diameter.len() == 2
            && is_digits(diameter)
            && rest.split_once(['R', '-']).is_some_and(|(width, rim)| is_plain(width) && is_rim(rim))
    })
}

/// Whether a text is a rim in inches, with or without the load of the tyre: `16`, `15LT`.
fn is_rim(text: &str) -> bool {
    text.split_at_checked(2)
        .is_some_and(|(rim, load)| is_digits(rim) && (load.is_empty() || TYRE_LOADS.contains(&load)))
}

/// Whether a word in upper case belongs to the dimensions of a tyre before it: `R16`, `XL`, or load and speed, as `95H`
/// and `121/118S`.
fn is_of_tyre(word: &str) -> bool {
    let is_load = |load: &str| (2..=3).contains(&load.len()) && is_digits(load);
    let rim = word.strip_prefix("ZR").or_else(|| word.strip_prefix('R'));
    let loads = word.strip_suffix(|c: char| c.is_ascii_uppercase());
    TYRE_LOADS.contains(&word)
        || rim.is_some_and(is_rim)
        || loads.is_some_and(|loads| loads.splitn(2, '/').all(is_load))
}

/// Whether a word in upper case is a measure with its unit, a thread, a viscosity, or dimensions joined by `X`.
fn is_size(word: &str) -> bool {
    if let Some((cold, hot)) = word.split_once('W')
        && !hot.is_empty()
    {
        let hot = hot.trim_start_matches('-');
        return cold.len() <= 2 && is_digits(cold) && hot.len() == 2 && is_digits(hot);
    }
    let (thread, lengths) = word.strip_prefix('M').map_or((false, word), |lengths| (true, lengths));
    let lengths: Vec<&str> = lengths.split('X').collect();
    let Some((last, first)) = lengths.split_last() else { return false };
    let is_last = is_plain(last) || is_with_unit(last);
    match (thread, first) {
        (true, []) => last.len() <= 2 && is_digits(last),
        (false, []) => is_with_unit(last),
        _ => is_last && first.iter().all(|length| is_plain(length)),
    }
}

/// A number of at most five digits, with or without a fraction.
fn is_plain(text: &str) -> bool {
    let n_digits = text.bytes().filter(u8::is_ascii_digit).count();
    (1..=5).contains(&n_digits)
        && text.starts_with(|c: char| c.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

fn is_with_unit(text: &str) -> bool {
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '"');
    is_plain(number) && UNITS.contains(&&text[number.len()..])
}

/// Seventeen characters without `I`, `O` and `Q`, letters and digits, the last four digits.
fn is_vin(text: &str) -> bool {
    let text = text.trim().trim_matches('*');
    let is_char = |c: char| c.is_ascii_digit() || (c.is_ascii_uppercase() && !"IOQ".contains(c));
    text.len() == VIN_CHARS
        && text.chars().all(is_char)
        && text.chars().any(|c| c.is_ascii_uppercase())
        && text.bytes().rev().take(VIN_SERIAL_DIGITS).all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_a_text_is_seen_from_its_letters_and_digits() {
        for (text, expected) in [
            ("BOSCH 0258006537000 LS6537", TextKind::PartNumber),
            ("PART No.:SP96051", TextKind::PartNumber),
            ("AISIN 8B14", TextKind::PartNumber),
            ("0 986 479 R51", TextKind::PartNumber),
            ("04E 905 601 B", TextKind::PartNumber),
            ("FS1440-35R", TextKind::PartNumber),
            ("NGK", TextKind::Brand),
            ("AC Delco", TextKind::Brand),
            ("Magneti-Marelli", TextKind::Brand),
            ("1HGCM82633A004352", TextKind::Vin),
            ("1HGCM82633A00435O", TextKind::PartNumber),
            ("205/55R16", TextKind::Size),
            ("M14X1.25", TextKind::Size),
            ("12V 60 Ah", TextKind::Size),
            ("5W-30", TextKind::Size),
            ("10x20.5mm", TextKind::Size),
            ("P215/65R15", TextKind::Size),
            ("P215/65R15 95H", TextKind::Size),
            ("LT265/70R17", TextKind::Size),
            ("205/55R16 91H", TextKind::Size),
            ("205/55 R16 91H", TextKind::Size),
            ("225/45ZR17 94Y", TextKind::Size),
            ("225/45R17XL", TextKind::Size),
            ("LT265/70R17 121/118S", TextKind::Size),
            ("31X10.50R15LT", TextKind::Size),
            ("SAE 5W-30", TextKind::Size),
            ("API SN 5W-30", TextKind::Size),
            ("850 CCA", TextKind::Size),
            ("12V 70AH 640CCA", TextKind::Size),
            ("12V 60Ah 540A EN", TextKind::Size),
            ("95H", TextKind::Word),
            ("1234/65R15", TextKind::PartNumber),
            ("XP215/65R15", TextKind::PartNumber),
            ("205/55R16 12345", TextKind::PartNumber),
            ("31X10.50R15LT-7", TextKind::PartNumber),
            ("EN 12345", TextKind::PartNumber),
            ("SAE 12345", TextKind::PartNumber),
            ("BRAKE PADS", TextKind::Word),
            ("MADE IN JAPAN", TextKind::Word),
            ("2015", TextKind::Word),
            ("12/05/2014", TextKind::Word),
            ("32/905501", TextKind::PartNumber),
            ("12.05.2014", TextKind::Word),
            ("www.parts4you123.example", TextKind::Word),
            ("ТОРМОЗ 45", TextKind::Word),
            ("\u{1F697}", TextKind::Word),
            ("--", TextKind::Word),
            ("", TextKind::Word),
        ] {
            assert_eq!(TextKind::of(text), expected, "{text}");
        }
    }

    #[test]
    fn groups_of_one_number_are_tried_together() {
        assert!(texts("0 986 479 R51").contains(&"0 986 479 R51".to_owned()));
        assert_eq!(texts("BOSCH 0258006537000 LS6537")[0], "0258006537000");
        assert_eq!(texts("PART No.:SP96051"), ["SP96051"]);
    }

    fn texts(line: &str) -> Vec<String> {
        numbers_of(line).into_iter().map(|number| number.text).collect()
    }

    #[test]
    fn a_number_that_goes_on_is_a_fragment() {
        for (line, expected) in [
            ("06A 905 115 D", vec!["06A 905 115 D"]),
            ("0 986 479 R51", vec!["0 986 479 R51"]),
            ("22448 8H315", vec!["22448 8H315"]),
            ("BOSCH 0258006537000 LS6537", vec!["0258006537000", "0258006537000 LS6537", "LS6537"]),
            ("BOSCH 06A 905 115 D 12V", vec!["06A 905 115 D", "06A 905 115 D 12V"]),
            ("NGK 12345", vec!["NGK 12345", "12345"]),
            ("NO. 12345", vec!["NO 12345", "12345"]),
            ("12345 12V", vec!["12345", "12345 12V"]),
            ("SP96051", vec!["SP96051"]),
        ] {
            let whole = numbers_of(line).into_iter().filter(|number| !number.is_fragment);
            let whole: Vec<String> = whole.map(|number| number.text).collect();
            let mut sorted = whole.clone();
            sorted.sort();
            let mut expected: Vec<String> = expected.into_iter().map(str::to_owned).collect();
            expected.sort();
            assert_eq!(sorted, expected, "{line}: {whole:?}");
        }
        assert_eq!(numbers_of("06A 905 115 D")[0].words, 0..2);
    }

    #[test]
    fn long_texts_stay_cheap_and_are_no_numbers() {
        assert_eq!(numbers_of(&"8".repeat(200)), []);
        assert!(numbers_of(&"A12345 ".repeat(500)).len() <= MOST_WORDS * MOST_GROUPS);
    }
}
