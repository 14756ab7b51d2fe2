//! Prices as shops write them, in any currency.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Currency;

/// Resolution of a price per unit of its currency: shops price screws with four decimals.
const SCALE: i64 = 10_000;
/// Digits after the point that a price may have.
const MAX_DECIMALS: usize = 4;
/// Maximum price in units of its currency; a transmission costs a hundred million in some currencies.
const MAX_UNITS: i64 = 1_000_000_000;

/// A price: above zero, exact to four decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Price {
    ten_thousandths: i64,
    currency: Currency,
}

impl Price {
    /// The price of this many ten-thousandths of a unit, if it is above zero and at most 1,000,000,000 units.
    pub fn new(ten_thousandths: i64, currency: Currency) -> Option<Self> {
        (1..=MAX_UNITS * SCALE).contains(&ten_thousandths).then_some(Self { ten_thousandths, currency })
    }

    /// In ten-thousandths of a unit of its currency.
    pub const fn ten_thousandths(self) -> i64 {
        self.ten_thousandths
    }

    /// Its currency.
    pub const fn currency(self) -> Currency {
        self.currency
    }

    /// In units of its currency, for the API; exact to the fifteen digits of f64.
    pub fn units(self) -> f64 {
        self.ten_thousandths as f64 / SCALE as f64
    }
}

impl fmt::Display for Price {
    /// With two decimals, or more if they are not zero, and the currency: `12.50 EUR`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (units, rest) = (self.ten_thousandths / SCALE, self.ten_thousandths % SCALE);
        let decimals = format!("{rest:04}");
        let kept = decimals.trim_end_matches('0').len().max(2);
        write!(f, "{units}.{} {}", &decimals[..kept], self.currency)
    }
}

named! {
    /// The decimal separator.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum DecimalSign {
        /// `1,234.50`
        Point = "point",
        /// `1.234,50`
        Comma = "comma",
    }
}

impl DecimalSign {
    const fn char(self) -> char {
        match self {
            Self::Point => '.',
            Self::Comma => ',',
        }
    }
}

/// A text parsed as a price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PriceText {
    /// In ten-thousandths of a unit; zero or more.
    pub ten_thousandths: i64,
    /// The decimal separator, if the text proves it.
    pub sign: Option<DecimalSign>,
    /// The currency beside the number.
    pub currency: Option<CurrencySign>,
}

/// How a text names a currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CurrencySign {
    /// By letters or an unambiguous sign.
    Named(Currency),
    /// `$`, which several countries use.
    Dollar,
}

impl CurrencySign {
    /// Reads `EUR`, `€`, `£` or `$`.
    pub fn read(text: &str) -> Option<Self> {
        match text.trim() {
            "$" => Some(Self::Dollar),
            "€" => Currency::new("EUR").ok().map(Self::Named),
            "£" => Currency::new("GBP").ok().map(Self::Named),
            code => Currency::new(code).ok().map(Self::Named),
        }
    }

    /// Whether it can denote `currency`.
    pub fn fits(self, currency: Currency) -> bool {
        match self {
            Self::Named(named) => named == currency,
            Self::Dollar => currency.has_dollar_sign(),
        }
    }
}

/// Why a text is no price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PriceFault {
    /// It is empty.
    Empty,
    /// No number, or more than one.
    NotANumber,
    /// It has two meanings: `1.234` may be 1234 or 1.234.
    Ambiguous,
    /// It has the other decimal separator.
    OtherSign,
    /// Below zero.
    Negative,
    /// More than four decimals.
    TooPrecise,
    /// More than 1,000,000,000.
    TooLarge,
}

impl PriceText {
    /// Reads `12.50`, `1.234,50`, `$1,234.50`, `12,5 €`, `1 234.5 EUR`.
    ///
    /// `sign` is the decimal separator if known; it resolves ambiguous texts.
    ///
    /// # Errors
    /// The reason why the text is not a price.
    pub fn read(text: &str, sign: Option<DecimalSign>) -> Result<Self, PriceFault> {
        let text: String = text.chars().map(half_width).collect();
        let (number, currency) = without_currency(text.trim())?;
        if number.is_empty() {
            return Err(if currency.is_some() { PriceFault::NotANumber } else { PriceFault::Empty });
        }
        let (is_negative, number) = match number.strip_prefix('-') {
            Some(rest) => (true, rest.trim_start()),
            None => (false, number.strip_prefix('+').unwrap_or(number)),
        };
        let (digits, found) = split(number, sign)?;
        // A file has one decimal separator, so a cell with the other one is an error.
        if let (Some(found), Some(expected)) = (found, sign)
            && found != expected
        {
            return Err(PriceFault::OtherSign);
        }
        let ten_thousandths = scaled(&digits)?;
        // `-0` is accepted.
        if is_negative && ten_thousandths > 0 {
            return Err(PriceFault::Negative);
        }
        Ok(Self { ten_thousandths, sign: found, currency })
    }
}

/// The ASCII character of a full-width one, as East Asian input methods write digits and signs. Only these are
/// converted: normalization form KC would make `12²`, a price with a footnote, 122.
fn half_width(character: char) -> char {
    match character {
        '！'..='～' => char::from_u32(character as u32 - 0xfee0).unwrap_or(character),
        _ => character,
    }
}

/// The number, and the currency before or after it.
fn without_currency(text: &str) -> Result<(&str, Option<CurrencySign>), PriceFault> {
    let is_of_number = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | ',');
    let Some(first) = text.find(is_of_number) else {
        return if text.is_empty() { Ok(("", None)) } else { Err(PriceFault::NotANumber) };
    };
    // From the first to the last character of a number; what is between is checked later.
    let last = text.rfind(is_of_number).map_or(first, |at| at + 1);
    let (before, number, behind) = (text[..first].trim(), &text[first..last], text[last..].trim());
    let currency = match (before, behind) {
        ("", "") => None,
        (sign, "") | ("", sign) => Some(CurrencySign::read(sign).ok_or(PriceFault::NotANumber)?),
        _ => return Err(PriceFault::NotANumber),
    };
    Ok((number, currency))
}

/// Digits before and after the decimal separator.
struct Digits {
    whole: String,
    fraction: String,
}

/// Splits a number at its decimal separator; also returns the separator if the text proves it.
fn split(number: &str, sign: Option<DecimalSign>) -> Result<(Digits, Option<DecimalSign>), PriceFault> {
    if !is_spaced_by_thousands(number) {
        return Err(PriceFault::NotANumber);
    }
    let number: String = number.chars().filter(|c| !is_thousands_space(*c)).collect();
    if number.is_empty() || !number.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',')) {
        return Err(PriceFault::NotANumber);
    }
    let last_at = |sign: DecimalSign| number.rfind(sign.char());
    let (decimal, evidence) = match (last_at(DecimalSign::Point), last_at(DecimalSign::Comma)) {
        (None, None) => (None, None),
        // With both, the last one is the decimal separator.
        (Some(point), Some(comma)) => {
            let decimal = if point > comma { DecimalSign::Point } else { DecimalSign::Comma };
            (Some(decimal), Some(decimal))
        }
        (Some(at), None) => lone_sign(&number, at, DecimalSign::Point, sign)?,
        (None, Some(at)) => lone_sign(&number, at, DecimalSign::Comma, sign)?,
    };
    let (whole, fraction) = match decimal {
        Some(sign) => number.rsplit_once(sign.char()).unwrap_or((&number, "")),
        None => (number.as_str(), ""),
    };
    // The other one is the thousands separator.
    let grouping = if decimal == Some(DecimalSign::Comma) { '.' } else { ',' };
    let grouping = if decimal.is_none() && whole.contains('.') { '.' } else { grouping };
    let groups: Vec<&str> = whole.split(grouping).collect();
    let is_grouped = are_thousands(&groups);
    let whole = groups.concat();
    let are_digits = [whole.as_str(), fraction].iter().all(|text| text.bytes().all(|b| b.is_ascii_digit()));
    if !is_grouped || !are_digits || (whole.is_empty() && fraction.is_empty()) {
        return Err(PriceFault::NotANumber);
    }
    Ok((Digits { whole, fraction: fraction.to_owned() }, evidence))
}

/// Spaces (including no-break spaces) and apostrophes separate thousands.
fn is_thousands_space(character: char) -> bool {
    matches!(character, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}' | '\'' | '’')
}

/// Whether the spaces and apostrophes in a number, if there are any, all separate thousands: those of `1 234,50` do,
/// and those of `12 50` do not.
fn is_spaced_by_thousands(number: &str) -> bool {
    if !number.contains(is_thousands_space) {
        return true;
    }
    let (whole, fraction) = number.split_at(number.rfind(['.', ',']).unwrap_or(number.len()));
    let groups: Vec<&str> = whole.split(is_thousands_space).collect();
    // Digits alone: `1,234 567` has two kinds of separators.
    let are_digits = groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_digit()));
    are_digits && are_thousands(&groups) && !fraction.contains(is_thousands_space)
}

/// Whether groups of digits are those of a number: alone, or one to three digits and then three in each.
fn are_thousands(groups: &[&str]) -> bool {
    let [first, others @ ..] = groups else { return false };
    others.is_empty() || ((1..=3).contains(&first.len()) && others.iter().all(|group| group.len() == 3))
}

/// The decimal separator in a number with one kind of separator, if it is one, and the separator that it proves.
fn lone_sign(
    number: &str,
    last: usize,
    found: DecimalSign,
    known: Option<DecimalSign>,
) -> Result<(Option<DecimalSign>, Option<DecimalSign>), PriceFault> {
    let other = if found == DecimalSign::Point { DecimalSign::Comma } else { DecimalSign::Point };
    // Several are thousands separators, so that the decimal separator is the other one.
    if number.matches(found.char()).count() > 1 {
        return Ok((None, Some(other)));
    }
    let (before, behind) = (&number[..last], &number[last + 1..]);
    // Only one to three digits before and three after can be thousands; `0.125` cannot.
    let could_part_thousands =
        behind.len() == 3 && (1..=3).contains(&before.len()) && !before.starts_with('0');
    match known {
        _ if !could_part_thousands => Ok((Some(found), Some(found))),
        Some(known) => Ok(((known == found).then_some(found), None)),
        // Not guessed, because the meaning differs between countries. Other prices of the file or the uploading
        // user resolve it.
        None => Err(PriceFault::Ambiguous),
    }
}

fn scaled(digits: &Digits) -> Result<i64, PriceFault> {
    let fraction = digits.fraction.trim_end_matches('0');
    if fraction.len() > MAX_DECIMALS {
        return Err(PriceFault::TooPrecise);
    }
    let whole = digits.whole.trim_start_matches('0');
    // Checked first, so that parsing and multiplying cannot overflow.
    if whole.len() > 10 {
        return Err(PriceFault::TooLarge);
    }
    let number = |text: &str| if text.is_empty() { Ok(0) } else { text.parse::<i64>() };
    let fraction = format!("{fraction:0<4}");
    let (Ok(whole), Ok(fraction)) = (number(whole), number(&fraction)) else {
        return Err(PriceFault::NotANumber);
    };
    let scaled = whole * SCALE + fraction;
    if scaled > MAX_UNITS * SCALE { Err(PriceFault::TooLarge) } else { Ok(scaled) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str, sign: Option<DecimalSign>) -> Result<i64, PriceFault> {
        PriceText::read(text, sign).map(|price| price.ten_thousandths)
    }

    #[test]
    fn prices_are_read_as_shops_write_them() {
        for (text, expected) in [
            ("12.50", 125_000),
            ("12,50", 125_000),
            ("1,234.50", 12_345_000),
            ("1.234,50", 12_345_000),
            ("1 234,50", 12_345_000),
            ("1\u{a0}234,50 €", 12_345_000),
            ("1'234.50 CHF", 12_345_000),
            ("12 345 678", 123_456_780_000),
            ("1\u{2009}234\u{2009}567,5 €", 12_345_675_000),
            ("1.234.567", 12_345_670_000),
            ("$ 45", 450_000),
            ("€12,5", 125_000),
            ("USD 7.1250", 71_250),
            ("0.125", 1_250),
            (",5", 5_000),
            ("12,", 120_000),
            ("1234,567", 12_345_670),
            ("１２", 120_000),
            ("１，２３４．５０ ＵＳＤ", 12_345_000),
            ("0", 0),
            ("-0,00", 0),
        ] {
            assert_eq!(read(text, None), Ok(expected), "{text}");
        }
        let priced = PriceText::read("12,50 €", None).unwrap();
        let euro = CurrencySign::Named(Currency::new("EUR").unwrap());
        assert_eq!((priced.sign, priced.currency), (Some(DecimalSign::Comma), Some(euro)));
        assert_eq!(PriceText::read("$5", None).unwrap().currency, Some(CurrencySign::Dollar));
        assert!(CurrencySign::Dollar.fits(Currency::USD) && !euro.fits(Currency::USD));
    }

    #[test]
    fn what_can_be_read_two_ways_is_never_guessed() {
        let (point, comma) = (Some(DecimalSign::Point), Some(DecimalSign::Comma));
        for (text, none, with_point, with_comma) in [
            ("1.234", Err(PriceFault::Ambiguous), Ok(12_340), Ok(12_340_000)),
            ("1,234", Err(PriceFault::Ambiguous), Ok(12_340_000), Ok(12_340)),
            ("12.50", Ok(125_000), Ok(125_000), Err(PriceFault::OtherSign)),
            ("12,50", Ok(125_000), Err(PriceFault::OtherSign), Ok(125_000)),
            ("45", Ok(450_000), Ok(450_000), Ok(450_000)),
        ] {
            assert_eq!(
                (read(text, None), read(text, point), read(text, comma)),
                (none, with_point, with_comma)
            );
        }
    }

    #[test]
    fn other_texts_are_refused_by_what_is_wrong() {
        for (text, fault) in [
            ("", PriceFault::Empty),
            (" ", PriceFault::Empty),
            ("on request", PriceFault::NotANumber),
            ("EUR", PriceFault::NotANumber),
            ("12.50 per pair", PriceFault::NotANumber),
            ("$12 USD", PriceFault::NotANumber),
            ("1,2,3", PriceFault::NotANumber),
            ("1.2.3,4", PriceFault::NotANumber),
            ("12 50", PriceFault::NotANumber),
            ("10 15 EUR", PriceFault::NotANumber),
            ("4'50", PriceFault::NotANumber),
            ("1 2 3", PriceFault::NotANumber),
            ("1234 567", PriceFault::NotANumber),
            ("1 234,5 6", PriceFault::NotANumber),
            ("1,234 567.5", PriceFault::NotANumber),
            ("1  234", PriceFault::NotANumber),
            ("12.5x3", PriceFault::NotANumber),
            ("٣", PriceFault::NotANumber),
            ("12²", PriceFault::NotANumber),
            (".", PriceFault::NotANumber),
            ("-3.20", PriceFault::Negative),
            ("0.00001", PriceFault::TooPrecise),
            ("1000000000.01", PriceFault::TooLarge),
            ("99999999999", PriceFault::TooLarge),
        ] {
            assert_eq!(read(text, None), Err(fault), "{text}");
        }
    }

    #[test]
    fn a_price_is_shown_with_its_currency() {
        let euro = Currency::new("EUR").unwrap();
        for (amount, text) in [(125_000, "12.50 EUR"), (71_250, "7.125 EUR"), (1, "0.0001 EUR")] {
            assert_eq!(Price::new(amount, euro).unwrap().to_string(), text);
        }
        assert_eq!((Price::new(0, euro), Price::new(-1, euro)), (None, None));
        assert!((Price::new(125_000, euro).unwrap().units() - 12.5).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn no_text_is_a_panic(text in ".*") {
            let _ = PriceText::read(&text, None);
            let _ = PriceText::read(&text, Some(DecimalSign::Comma));
        }

        #[test]
        fn every_price_reads_back(amount in 1..=MAX_UNITS * SCALE) {
            let price = Price::new(amount, Currency::USD).unwrap();
            let read = PriceText::read(&price.to_string(), Some(DecimalSign::Point)).unwrap();
            prop_assert_eq!((read.ten_thousandths, read.currency), (amount, Some(CurrencySign::Named(Currency::USD))));
        }
    }
}
