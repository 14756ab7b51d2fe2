//! A barcode or matrix code on a part or its box: symbology, fields, and the numbers in it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::code_field::CodeField;
use super::gs1;
use super::text_kind::{NumberOfLine, TextKind, numbers_of};
use crate::PART_NUMBER_MAX_CHARS;

/// Maximum of characters stored of a code: a longer text is no number.
const TEXT_MAX_CHARS: usize = 500;
/// Digits of a GTIN in its longest form.
const GTIN_DIGITS: usize = 14;
/// Digits of the forms of a GTIN: EAN-13, UPC-A, EAN-8 and the longest.
const GTIN_LENGTHS: [usize; 4] = [13, 12, 8, GTIN_DIGITS];
/// Separator of the fields of a message by ISO/IEC 15434, format 06.
const FIELD_SEPARATOR: char = '\u{1d}';
/// Header of such a message: `[)>`, RS, `06`, GS; and its trailer: RS, EOT.
const MESSAGE_HEADER: &str = "[)>\u{1e}06\u{1d}";
const MESSAGE_TRAILER: [char; 2] = ['\u{1e}', '\u{4}'];
/// Data identifiers on labels of parts (ANSI MH10.8.2), the longest first. Labels with one code per field begin with
/// them without a header (AIAG B-10).
const DATA_IDENTIFIERS: [(&str, &str); 13] = [
    ("10V", "Machine or tool"),
    ("30P", "Supplier part number"),
    ("30T", "Lot"),
    ("16D", "Production date"),
    ("1P", "Supplier part number"),
    ("1T", "Lot"),
    ("2P", "Revision"),
    ("4L", "Country of origin"),
    ("P", "Part number"),
    ("Q", "Quantity"),
    ("S", "Serial number"),
    ("T", "Lot"),
    ("V", "Supplier"),
];
/// Identifiers of fields with a number by which a part may be ordered: GS1 and data identifiers.
const PART_FIELDS: [&str; 9] = ["241", "240", "8010", "8013", "P", "1P", "30P", "01", "02"];

named! {
    /// How a code is drawn.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum CodeSymbology {
        /// EAN-13.
        #[serde(rename = "ean-13")]
        Ean13 = "ean-13",
        /// EAN-8.
        #[serde(rename = "ean-8")]
        Ean8 = "ean-8",
        /// UPC-A.
        #[serde(rename = "upc-a")]
        UpcA = "upc-a",
        /// UPC-E.
        #[serde(rename = "upc-e")]
        UpcE = "upc-e",
        /// Code 39.
        #[serde(rename = "code-39")]
        Code39 = "code-39",
        /// Code 128.
        #[serde(rename = "code-128")]
        Code128 = "code-128",
        /// Interleaved 2 of 5.
        #[serde(rename = "itf")]
        Itf = "itf",
        /// QR Code.
        #[serde(rename = "qr-code")]
        QrCode = "qr-code",
        /// Data Matrix.
        #[serde(rename = "data-matrix")]
        DataMatrix = "data-matrix",
    }
}

/// Symbology and fields of a code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartCode {
    /// How it is drawn.
    pub symbology: CodeSymbology,
    /// Its fields, where it has any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<CodeField>,
}

impl PartCode {
    /// Parses the content of a code. Also returns its text for people: fields of GS1 and ISO/IEC 15434 with their
    /// identifiers in brackets. `None` for a code without text.
    pub fn new(symbology: CodeSymbology, is_gs1: bool, content: &str) -> Option<(Self, String)> {
        let fields = message_fields(content).or_else(|| is_gs1.then(|| gs1::fields(content)).flatten());
        let text = match &fields {
            Some(fields) => fields.iter().flat_map(|field| ["(", &field.id, ")", &field.value]).collect(),
            None => {
                content.split(char::is_control).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
            }
        };
        // Truncated, because a code may have thousands of characters, which the receipt would store.
        let text: String = text.trim().chars().take(TEXT_MAX_CHARS).collect();
        (!text.is_empty()).then(|| (Self { symbology, fields: fields.unwrap_or_default() }, text))
    }

    /// The VIN in a code with this text. On door jambs of imported vehicles an `I` often precedes it.
    pub fn vin(&self, text: &str) -> Option<String> {
        let bare = text.trim().trim_matches('*');
        // As it is, without a leading `I`, and up to the first separator, because labels append other data.
        let candidates =
            [Some(bare), bare.strip_prefix('I')].into_iter().chain([bare.split([',', ' ', ';']).next()]);
        candidates.flatten().find(|text| TextKind::of(text) == TextKind::Vin).map(str::to_owned)
    }

    /// The numbers in a code with this text that may identify a part, the most specific first.
    pub fn numbers(&self, text: &str) -> Vec<NumberOfLine> {
        let mut numbers = Vec::new();
        for id in PART_FIELDS {
            for field in self.fields.iter().filter(|field| field.id == id) {
                numbers.extend(if matches!(id, "01" | "02") {
                    gtins(&field.value).into_iter().map(whole).collect()
                } else {
                    vec![whole(field.value.clone())]
                });
            }
        }
        // The fields define each number, so that the text is not searched for others.
        if !self.fields.is_empty() {
            return numbers;
        }
        let is_retail =
            matches!(self.symbology, CodeSymbology::Ean13 | CodeSymbology::Ean8 | CodeSymbology::UpcA);
        // The GTIN of a box of several, with 14 digits, is encoded as ITF.
        if is_retail || (self.symbology == CodeSymbology::Itf && is_gtin(text)) {
            return gtins(text).into_iter().map(whole).collect();
        }
        if self.symbology == CodeSymbology::UpcE {
            let expanded = upc_a(text).into_iter().flat_map(|digits| gtins(&digits));
            return std::iter::once(text.to_owned()).chain(expanded).map(whole).collect();
        }
        let with_identifier = ["30P", "1P", "P"].iter().find_map(|id| text.strip_prefix(id));
        numbers.extend(
            with_identifier.filter(|number| has_digits(number)).map(|number| whole(number.to_owned())),
        );
        if text.chars().count() <= PART_NUMBER_MAX_CHARS && has_digits(text) && !is_address(text) {
            numbers.push(whole(text.to_owned()));
        }
        numbers.extend(numbers_of(text));
        let mut known = BTreeSet::new();
        numbers.retain(|number| known.insert(number.text.clone()));
        numbers
    }
}

/// A number that a code holds by itself, not as words among others.
fn whole(text: String) -> NumberOfLine {
    NumberOfLine { text, words: 0..usize::MAX, is_fragment: false }
}

/// The fields of a message by ISO/IEC 15434 with data identifiers.
fn message_fields(content: &str) -> Option<Vec<CodeField>> {
    let body = content.strip_prefix(MESSAGE_HEADER)?.trim_end_matches(MESSAGE_TRAILER);
    let field = |text: &str| {
        let (id, title) = DATA_IDENTIFIERS.iter().find(|(id, _)| text.starts_with(id))?;
        let value = text[id.len()..].trim();
        let is_shown = !value.is_empty() && !value.chars().any(char::is_control);
        is_shown.then(|| CodeField {
            id: (*id).to_owned(),
            title: (*title).to_owned(),
            value: value.to_owned(),
        })
    };
    // Unknown fields are skipped, so that the part number is not lost.
    let fields: Vec<CodeField> = body.split(FIELD_SEPARATOR).filter_map(field).collect();
    (!fields.is_empty()).then_some(fields)
}

/// A GTIN in the forms in which shops store it: as it is, and with more or fewer leading zeros in the lengths of
/// EAN-13, UPC-A, EAN-8 and the longest form.
fn gtins(digits: &str) -> Vec<String> {
    let mut forms = vec![digits.to_owned()];
    let padded = format!("{digits:0>GTIN_DIGITS$}");
    for n_digits in GTIN_LENGTHS {
        let shorter = padded.len().checked_sub(n_digits).and_then(|n_zeros| padded.split_at_checked(n_zeros));
        if let Some((zeros, rest)) = shorter
            && zeros.bytes().all(|byte| byte == b'0')
            && rest != digits
        {
            forms.push(rest.to_owned());
        }
    }
    forms
}

/// The UPC-A of a UPC-E, both with number system and check digit; `None` for another text.
///
/// Source: ISO/IEC 15420, UPC-E.
fn upc_a(upc_e: &str) -> Option<String> {
    let is_digits = upc_e.len() == 8 && upc_e.bytes().all(|byte| byte.is_ascii_digit());
    let upc_e = Some(upc_e).filter(|_| is_digits)?;
    let (system, digits, check) = (&upc_e[..1], &upc_e[1..7], &upc_e[7..]);
    // The last of the six digits says which zeros were left out.
    let expanded = match &digits[5..] {
        last @ ("0" | "1" | "2") => format!("{}{last}0000{}", &digits[..2], &digits[2..5]),
        "3" => format!("{}00000{}", &digits[..3], &digits[3..5]),
        "4" => format!("{}00000{}", &digits[..4], &digits[4..5]),
        last => format!("{}0000{last}", &digits[..5]),
    };
    Some(format!("{system}{expanded}{check}"))
}

fn is_gtin(text: &str) -> bool {
    text.len() == GTIN_DIGITS && text.bytes().all(|byte| byte.is_ascii_digit()) && gs1::has_check_digit(text)
}

/// At least three letters and digits, one of them a digit.
fn has_digits(text: &str) -> bool {
    text.chars().filter(char::is_ascii_alphanumeric).count() >= 3
        && text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether a text is a URL, which is shown but contains no part number.
fn is_address(text: &str) -> bool {
    text.contains("://") || text.to_ascii_lowercase().contains("www.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use CodeSymbology::{Code39, Code128, DataMatrix, Ean8, Ean13, Itf, QrCode, UpcA, UpcE};

    fn code(symbology: CodeSymbology, is_gs1: bool, content: &str) -> (PartCode, String) {
        PartCode::new(symbology, is_gs1, content).unwrap()
    }

    #[test]
    fn the_numbers_of_a_code_are_what_a_part_is_ordered_by() {
        let message = "[)>\u{1e}06\u{1d}P12345-AB\u{1d}Q10\u{1d}1PSUP-9\u{1d}18VX\u{1e}\u{4}";
        for (name, symbology, is_gs1, content, text, expected) in [
            ("EAN", Ean13, false, "4006381333931", "4006381333931", vec!["4006381333931"]),
            (
                "UPC",
                UpcA,
                false,
                "036000291452",
                "036000291452",
                vec!["036000291452", "0036000291452", "00036000291452"],
            ),
            (
                "EAN-8",
                Ean8,
                false,
                "96385074",
                "96385074",
                vec!["96385074", "0000096385074", "000096385074", "00000096385074"],
            ),
            (
                "EAN-8 in a field",
                Code128,
                true,
                "0100000096385074",
                "(01)00000096385074",
                vec!["00000096385074", "0000096385074", "000096385074", "96385074"],
            ),
            (
                "UPC-E",
                UpcE,
                false,
                "01234565",
                "01234565",
                vec!["01234565", "012345000065", "0012345000065", "00012345000065"],
            ),
            ("GTIN of a box", Itf, false, "10036000291459", "10036000291459", vec!["10036000291459"]),
            ("ITF of digits", Itf, false, "123456", "123456", vec!["123456"]),
            ("Code 39", Code39, false, "0 986 479 R51", "0 986 479 R51", vec!["0 986 479 R51"]),
            ("label of one field", Code39, false, "P12345-AB", "P12345-AB", vec!["12345-AB", "P12345-AB"]),
            ("message", DataMatrix, false, message, "(P)12345-AB(Q)10(1P)SUP-9", vec!["12345-AB", "SUP-9"]),
            (
                "GS1",
                Code128,
                true,
                "010950600013435210L1\u{1d}241AB-12",
                "(01)09506000134352(10)L1(241)AB-12",
                vec!["AB-12", "09506000134352", "9506000134352"],
            ),
            ("broken GS1", Code128, true, "0109506000134353", "0109506000134353", vec!["0109506000134353"]),
            ("address", QrCode, false, "https://a.example/12345", "https://a.example/12345", vec![]),
            ("words", QrCode, false, "Hello\nworld", "Hello world", vec![]),
        ] {
            let (code, found) = code(symbology, is_gs1, content);
            assert_eq!(found, text, "{name}");
            let numbers: Vec<String> = code.numbers(&found).into_iter().map(|number| number.text).collect();
            assert!(numbers.iter().take(expected.len()).eq(expected.iter()), "{name}: {numbers:?}");
            assert!(!expected.is_empty() || numbers.is_empty(), "{name}: {numbers:?}");
        }
    }

    #[test]
    fn a_upc_e_is_expanded_by_its_last_digit() {
        for (upc_e, expected) in [
            ("01234505", "012000003455"),
            ("01234514", "012100003454"),
            ("01234523", "012200003453"),
            ("01234531", "012300000451"),
            ("01234543", "012340000053"),
            ("01234558", "012345000058"),
            ("01234596", "012345000096"),
        ] {
            assert!(gs1::has_check_digit(expected), "{expected}");
            assert_eq!(upc_a(upc_e).as_deref(), Some(expected), "{upc_e}");
        }
        for other in ["", "1234565", "0123456A", "ÄÄÄÄ"] {
            assert_eq!(upc_a(other), None, "{other}");
        }
    }

    #[test]
    fn a_code_on_a_door_jamb_holds_the_vin() {
        for (content, expected) in [
            ("1HGCM82633A004352", Some("1HGCM82633A004352")),
            ("I1HGCM82633A004352", Some("1HGCM82633A004352")),
            ("1HGCM82633A004352,ACCORD,2003", Some("1HGCM82633A004352")),
            ("1HGCM82633A00435", None),
            ("https://a.example/1HGCM82633A004352", None),
        ] {
            let (code, text) = code(Code39, false, content);
            assert_eq!(code.vin(&text).as_deref(), expected, "{content}");
        }
    }

    #[test]
    fn nothing_to_show_is_no_code_and_a_page_is_cut() {
        assert_eq!(PartCode::new(QrCode, false, "\u{1d}\u{1e} "), None);
        let (_, text) = code(QrCode, false, &"x".repeat(4_000));
        assert_eq!(text.len(), TEXT_MAX_CHARS);
    }
}
