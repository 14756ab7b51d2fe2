//! Numbers as people type them.

/// Why a text is no whole number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberFault {
    /// Nothing but spaces.
    Empty,
    /// Other characters than digits.
    NotANumber,
    /// Too many decimals, or three.
    Fraction,
    /// Too many digits.
    TooLarge,
}

/// Maximum of digits before the point; keeps every product within 64 bits.
const MAX_DIGITS: usize = 12;

/// A parsed decimal number: sign, digits before the point without separators, digits after it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Decimal<'a> {
    pub(crate) is_negative: bool,
    pub(crate) whole: i64,
    pub(crate) fraction: &'a str,
}

/// Reads `1234`, `-1234.50` and `1,234.50`. Only ASCII digits count.
pub(crate) fn decimal(text: &str) -> Result<Decimal<'_>, NumberFault> {
    let text = text.trim();
    if text.is_empty() {
        return Err(NumberFault::Empty);
    }
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(fraction) || (whole.is_empty() && fraction.is_empty()) {
        return Err(NumberFault::NotANumber);
    }
    // Commas are accepted as thousands separators only: `12,50`, a price in much of Europe, is refused.
    let groups: Vec<&str> = whole.split(',').collect();
    let is_grouped = groups.len() == 1
        || ((1..=3).contains(&groups[0].len()) && groups[1..].iter().all(|group| group.len() == 3));
    if !is_grouped || !groups.iter().all(|group| is_digits(group)) {
        return Err(NumberFault::NotANumber);
    }
    let whole = groups.concat();
    // Leading zeros do not count towards the maximum.
    let whole = whole.trim_start_matches('0');
    if whole.len() > MAX_DIGITS {
        return Err(NumberFault::TooLarge);
    }
    Ok(Decimal { is_negative, whole: whole.parse().unwrap_or(0), fraction: fraction.trim_end_matches('0') })
}

/// Parses an amount with at most two decimals to hundredths: `-1,234.5` is -123,450. Integers, because floats are not
/// exact for money.
pub(crate) fn hundredths(text: &str) -> Result<i64, NumberFault> {
    let number = decimal(text)?;
    if number.fraction.len() > 2 || has_three_decimals(text) {
        return Err(NumberFault::Fraction);
    }
    // Padded on the right: `.5` is fifty hundredths.
    let amount = number.whole * 100 + format!("{:0<2}", number.fraction).parse::<i64>().unwrap_or(0);
    Ok(if number.is_negative { -amount } else { amount })
}

/// Whether exactly three digits follow the point, which is a thousands separator in much of Europe.
fn has_three_decimals(text: &str) -> bool {
    text.trim().rsplit_once('.').is_some_and(|(whole, fraction)| !whole.is_empty() && fraction.len() == 3)
}

/// Parses a whole number; `52000.0` is one. Three decimals are refused, even zeros, because the point may be a
/// thousands separator: `52.000` is 52,000 in much of Europe, and never read as 52.
pub(crate) fn whole_number(text: &str) -> Result<i64, NumberFault> {
    let number = decimal(text)?;
    if !number.fraction.is_empty() || has_three_decimals(text) {
        return Err(NumberFault::Fraction);
    }
    Ok(if number.is_negative { -number.whole } else { number.whole })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_are_read_as_people_type_them() {
        for (text, expected) in [
            ("1,234.50", (false, 1234, "5")),
            ("-0.07", (true, 0, "07")),
            (".5", (false, 0, "5")),
            ("+12", (false, 12, "")),
            ("007", (false, 7, "")),
            ("5.", (false, 5, "")),
        ] {
            let got = decimal(text).map(|number| (number.is_negative, number.whole, number.fraction));
            assert_eq!(got, Ok(expected), "{text}");
        }
        for bad in [".", "-", "1,2", ",123", "1,234,5", "1e5", "NaN", "1.2.3", "--1", "1 000", "٣"] {
            assert_eq!(decimal(bad), Err(NumberFault::NotANumber), "{bad}");
        }
        assert_eq!(decimal("1234567890123"), Err(NumberFault::TooLarge));
    }

    #[test]
    fn thousands_parted_by_points_are_not_read_as_their_first_digits() {
        assert_eq!(whole_number("52000.0"), Ok(52_000));
        assert_eq!(whole_number("52000.00"), Ok(52_000));
        assert_eq!(whole_number("52.000"), Err(NumberFault::Fraction));
        assert_eq!(hundredths("1.500"), Err(NumberFault::Fraction));
        assert_eq!(
            (hundredths("1.50"), hundredths("-.5"), hundredths("2.5000")),
            (Ok(150), Ok(-50), Ok(250))
        );
        assert!(!has_three_decimals("1000.5") && !has_three_decimals(".500") && !has_three_decimals("500"));
    }

    proptest! {
        #[test]
        fn every_whole_number_reads_back(number in -999_999_999_999_i64..=999_999_999_999) {
            prop_assert_eq!(whole_number(&number.to_string()), Ok(number));
        }

        #[test]
        fn no_text_is_a_panic(text in ".*") {
            let _ = whole_number(&text);
        }
    }
}
