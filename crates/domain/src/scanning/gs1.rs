//! The fields of a GS1 code.
//!
//! Source: GS1 General Specifications, release 25: application identifiers in section 3.2, fields of predefined length
//! in figure 7.8.5-2, the check digit in section 7.9.1, the characters in figures 7.11-1 and 7.11-2.

use super::code_field::CodeField;

/// Separator after a field of variable length: FNC1, as scanners transmit it.
const SEPARATOR: char = '\u{1d}';

/// Definition of an application identifier.
struct Identifier {
    /// Its digits, without the one for the position of the decimal point.
    digits: &'static str,
    title: &'static str,
    /// Shortest and longest value, in characters.
    length: (usize, usize),
    content: Content,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    /// Characters of set 82.
    Text,
    /// Characters of set 39.
    CapitalText,
    Digits,
    /// Digits with a check digit, which is the last one, or the thirteenth of a longer number.
    Checked,
    /// `YYMMDD`; day 00 where only the month counts.
    Date,
    /// Six digits; the fourth digit of the identifier is the number of decimals.
    Measure,
}

const fn identifier(
    digits: &'static str,
    title: &'static str,
    length: (usize, usize),
    content: Content,
) -> Identifier {
    Identifier { digits, title, length, content }
}

/// Identifiers for trade items and logistics. A code with another one is kept as text.
const IDENTIFIERS: &[Identifier] = &[
    identifier("00", "SSCC", (18, 18), Content::Checked),
    identifier("01", "GTIN", (14, 14), Content::Checked),
    identifier("02", "Content", (14, 14), Content::Checked),
    identifier("10", "Batch or lot", (1, 20), Content::Text),
    identifier("11", "Production date", (6, 6), Content::Date),
    identifier("12", "Due date", (6, 6), Content::Date),
    identifier("13", "Packaging date", (6, 6), Content::Date),
    identifier("15", "Best before", (6, 6), Content::Date),
    identifier("16", "Sell by", (6, 6), Content::Date),
    identifier("17", "Expiry date", (6, 6), Content::Date),
    identifier("20", "Variant", (2, 2), Content::Digits),
    identifier("21", "Serial number", (1, 20), Content::Text),
    identifier("22", "Consumer product variant", (1, 20), Content::Text),
    identifier("240", "Additional product number", (1, 30), Content::Text),
    identifier("241", "Customer part number", (1, 30), Content::Text),
    identifier("242", "Made-to-order variant", (1, 6), Content::Digits),
    identifier("243", "Packaging component", (1, 20), Content::Text),
    identifier("250", "Secondary serial number", (1, 30), Content::Text),
    identifier("251", "Reference to source", (1, 30), Content::Text),
    identifier("254", "Location extension", (1, 20), Content::Text),
    identifier("30", "Variable count", (1, 8), Content::Digits),
    identifier("310", "Net weight, kg", (6, 6), Content::Measure),
    identifier("311", "Length, m", (6, 6), Content::Measure),
    identifier("312", "Width, m", (6, 6), Content::Measure),
    identifier("313", "Height, m", (6, 6), Content::Measure),
    identifier("315", "Net volume, l", (6, 6), Content::Measure),
    identifier("320", "Net weight, lb", (6, 6), Content::Measure),
    identifier("330", "Gross weight, kg", (6, 6), Content::Measure),
    identifier("340", "Gross weight, lb", (6, 6), Content::Measure),
    identifier("37", "Count", (1, 8), Content::Digits),
    identifier("400", "Order number", (1, 30), Content::Text),
    identifier("401", "Consignment", (1, 30), Content::Text),
    identifier("402", "Shipment", (17, 17), Content::Checked),
    identifier("403", "Route", (1, 30), Content::Text),
    identifier("410", "Ship to", (13, 13), Content::Checked),
    identifier("411", "Bill to", (13, 13), Content::Checked),
    identifier("412", "Purchased from", (13, 13), Content::Checked),
    identifier("413", "Ship for", (13, 13), Content::Checked),
    identifier("414", "Location", (13, 13), Content::Checked),
    identifier("415", "Pay to", (13, 13), Content::Checked),
    identifier("416", "Production location", (13, 13), Content::Checked),
    identifier("417", "Party", (13, 13), Content::Checked),
    identifier("420", "Ship to postal code", (1, 20), Content::Text),
    identifier("421", "Ship to country and postal code", (4, 12), Content::Text),
    identifier("422", "Country of origin", (3, 3), Content::Digits),
    identifier("426", "Country of full process", (3, 3), Content::Digits),
    identifier("7003", "Expiry date and time", (10, 10), Content::Digits),
    identifier("8003", "Returnable asset", (14, 30), Content::Text),
    identifier("8004", "Individual asset", (1, 30), Content::Text),
    identifier("8006", "Piece of a trade item", (18, 18), Content::Digits),
    identifier("8010", "Component or part", (1, 30), Content::CapitalText),
    identifier("8011", "Component serial number", (1, 12), Content::Digits),
    identifier("8012", "Software version", (1, 20), Content::Text),
    identifier("8013", "Model number", (1, 25), Content::Text),
    identifier("8020", "Payment slip", (1, 25), Content::Text),
    identifier("8200", "Address of more", (1, 70), Content::Text),
    identifier("90", "Internal", (1, 30), Content::Text),
    identifier("91", "Internal", (1, 90), Content::Text),
    identifier("92", "Internal", (1, 90), Content::Text),
    identifier("93", "Internal", (1, 90), Content::Text),
    identifier("94", "Internal", (1, 90), Content::Text),
    identifier("95", "Internal", (1, 90), Content::Text),
    identifier("96", "Internal", (1, 90), Content::Text),
    identifier("97", "Internal", (1, 90), Content::Text),
    identifier("98", "Internal", (1, 90), Content::Text),
    identifier("99", "Internal", (1, 90), Content::Text),
];

/// Parses the fields of a GS1 element string, in order; `None` for an invalid one or an unknown identifier, because
/// half of a code is worse than all of it as text.
pub(super) fn fields(text: &str) -> Option<Vec<CodeField>> {
    // Some scanners transmit the leading FNC1, and some printers add one at the end.
    let mut rest = text.trim_matches(SEPARATOR);
    let mut fields = Vec::new();
    while !rest.is_empty() {
        let (id, identifier, after) = take_identifier(rest)?;
        let end = after.find(SEPARATOR).unwrap_or(after.len());
        // A field of predefined length ends by its length; a separator after it is allowed.
        let is_fixed = identifier.length.0 == identifier.length.1;
        let end = if is_fixed && is_predefined(&id) { identifier.length.1 } else { end };
        let value = after.get(..end)?;
        if !(identifier.length.0..=identifier.length.1).contains(&value.len()) || !is_valid(value, identifier)
        {
            return None;
        }
        let shown = match identifier.content {
            Content::Measure => measure(&id, value)?,
            _ => value.to_owned(),
        };
        fields.push(CodeField { id, title: identifier.title.to_owned(), value: shown });
        rest = after.get(end..)?;
        rest = rest.strip_prefix(SEPARATOR).unwrap_or(rest);
    }
    (!fields.is_empty()).then_some(fields)
}

/// The identifier at the start of a text: all its digits, its definition, and the rest.
fn take_identifier(text: &str) -> Option<(String, &'static Identifier, &str)> {
    // The table is prefix-free, so that the first match is the only one.
    let identifier = IDENTIFIERS.iter().find(|identifier| text.starts_with(identifier.digits))?;
    let n_digits = identifier.digits.len() + usize::from(identifier.content == Content::Measure);
    let id = text.get(..n_digits).filter(|id| id.bytes().all(|byte| byte.is_ascii_digit()))?;
    Some((id.to_owned(), identifier, &text[n_digits..]))
}

/// Whether the first two digits of an identifier predefine the length of its field.
fn is_predefined(id: &str) -> bool {
    id.get(..2)
        .and_then(|first| first.parse::<u8>().ok())
        .is_some_and(|first| matches!(first, 0..=4 | 11..=20 | 31..=36 | 41))
}

fn is_valid(value: &str, identifier: &Identifier) -> bool {
    let is_digits = || value.bytes().all(|byte| byte.is_ascii_digit());
    match identifier.content {
        Content::Text => value.bytes().all(is_in_set_82),
        Content::CapitalText => value.bytes().all(is_in_set_39),
        Content::Digits | Content::Measure => is_digits(),
        Content::Checked => is_digits() && has_check_digit(value),
        Content::Date => is_digits() && is_date(value),
    }
}

/// Whether a character is in set 82 of the General Specifications.
fn is_in_set_82(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!\"%&'()*+,-./:;<=>?_".contains(&byte)
}

/// Whether a character is in set 39 of the General Specifications.
fn is_in_set_39(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit() || b"#-/".contains(&byte)
}

fn is_date(value: &str) -> bool {
    let part = |from: usize| value.get(from..from + 2).and_then(|part| part.parse::<u8>().ok());
    part(2).is_some_and(|month| (1..=12).contains(&month)) && part(4).is_some_and(|day| day <= 31)
}

/// Whether the check digit is correct: the sum of all digits, weighted alternately 1 and 3 from the right, must be a
/// multiple of ten.
pub(super) fn has_check_digit(digits: &str) -> bool {
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        // Wrapping for other characters; callers only pass digits.
        .map(|(place, byte)| u32::from(byte.wrapping_sub(b'0')) * if place % 2 == 1 { 3 } else { 1 })
        .sum();
    sum.is_multiple_of(10)
}

/// Six digits with as many decimals as the last digit of the identifier: `3103` and `001250` are `1.250`.
fn measure(id: &str, value: &str) -> Option<String> {
    let decimals = id.bytes().last()?.checked_sub(b'0').map(usize::from).filter(|decimals| *decimals <= 6)?;
    let (whole, fraction) = value.split_at(value.len() - decimals);
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    Some(if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(text: &str) -> Option<Vec<(String, String)>> {
        fields(text).map(|fields| fields.into_iter().map(|field| (field.id, field.value)).collect())
    }

    #[test]
    fn an_element_string_is_split_into_its_fields() {
        for (text, expected) in [
            // The examples of the General Specifications.
            ("0109506000134352", Some(vec![("01", "09506000134352")])),
            (
                "01095060001343521725042110ABC123\u{1d}2112345",
                Some(vec![("01", "09506000134352"), ("17", "250421"), ("10", "ABC123"), ("21", "12345")]),
            ),
            ("00395011015300000011", Some(vec![("00", "395011015300000011")])),
            ("00395011015300000012", None),
            ("00106141412345678908", Some(vec![("00", "106141412345678908")])),
            ("3103001250", Some(vec![("3103", "1.250")])),
            ("3100001250\u{1d}", Some(vec![("3100", "1250")])),
            ("241AB-12/3\u{1d}37144", Some(vec![("241", "AB-12/3"), ("37", "144")])),
            ("8010ABC12345\u{1d}80111", Some(vec![("8010", "ABC12345"), ("8011", "1")])),
            ("80109506000#12-3/4", Some(vec![("8010", "9506000#12-3/4")])),
            ("8010abc", None),
            ("10AB#1", None),
            ("4109521321000018", Some(vec![("410", "9521321000018")])),
            ("4109521321000019", None),
            ("4109506000134352", Some(vec![("410", "9506000134352")])),
            // Broken ones are no fields at all.
            ("0109506000134353", None),
            ("01095060001343", None),
            ("17251301", None),
            ("10", None),
            ("10ABCDEFGHIJKLMNOPQRSTU", None),
            ("10AB CD", None),
            ("10Ä", None),
            ("05123", None),
            ("310X001250", None),
            ("", None),
            ("\u{1d}", None),
        ] {
            let expected = expected.map(|fields: Vec<(&str, &str)>| {
                fields.into_iter().map(|(id, value)| (id.to_owned(), value.to_owned())).collect::<Vec<_>>()
            });
            assert_eq!(found(text), expected, "{text:?}");
        }
    }

    #[test]
    fn no_identifier_hides_another() {
        for (index, identifier) in IDENTIFIERS.iter().enumerate() {
            let hidden =
                IDENTIFIERS[..index].iter().find(|other| identifier.digits.starts_with(other.digits));
            assert!(hidden.is_none(), "{}", identifier.digits);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in "\\PC*", digits in "[0-9\u{1d}]{0,60}") {
            let _ = (fields(&text), fields(&digits));
        }
    }
}
