use std::fmt;

use crate::InvalidInput;
use crate::number_text::{NumberFault, hundredths};

/// Maximum cost of a record: a million dollars, in cents.
const MAX_CENTS: i64 = 100_000_000;

/// A cost in US cents: 0 to 100,000,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost(i64);

impl Cost {
    /// The cost, if it is in range.
    pub fn from_cents(cents: i64) -> Option<Self> {
        (0..=MAX_CENTS).contains(&cents).then_some(Self(cents))
    }

    /// Parses dollars as typed: `49.99`, `$1,049.9`, `50`. A blank text is `None`.
    ///
    /// # Errors
    /// Names the field `cost`; a third decimal is refused, not rounded or dropped.
    pub fn parse(text: &str) -> Result<Option<Self>, InvalidInput> {
        let invalid = |message: &str| InvalidInput::new("cost", message);
        let text = text.trim();
        let cents = match hundredths(text.strip_prefix('$').unwrap_or(text)) {
            Ok(cents) => cents,
            Err(NumberFault::Empty) if text.is_empty() => return Ok(None),
            Err(NumberFault::TooLarge) => return Err(invalid(TOO_MUCH)),
            Err(NumberFault::Fraction) => {
                return Err(invalid("Please enter the cost with at most two decimals."));
            }
            Err(_) => return Err(invalid("Please enter the cost in dollars, like 49.99.")),
        };
        if cents < 0 {
            return Err(invalid("The cost cannot be negative."));
        }
        Self::from_cents(cents).map(Some).ok_or_else(|| invalid(TOO_MUCH))
    }

    /// The cost in cents.
    pub const fn cents(self) -> i64 {
        self.0
    }

    /// The cost in dollars, for the API; exact to the cent, because it is far below 2^53 cents.
    pub fn dollars(self) -> f64 {
        self.0 as f64 / 100.0
    }
}

const TOO_MUCH: &str = "Please enter a cost of at most 1,000,000 dollars.";

impl fmt::Display for Cost {
    /// Dollars with two decimals and no sign: `1049.90`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollars_become_cents_without_rounding() {
        for (text, cents) in [
            ("49.99", 4999),
            ("$1,049.9", 104_990),
            ("50", 5000),
            ("0", 0),
            ("-0", 0),
            ("0.07", 7),
            (".5", 50),
            ("20.60", 2060),
            ("1000000", 100_000_000),
        ] {
            assert_eq!(Cost::parse(text).map(|cost| cost.map(Cost::cents)), Ok(Some(cents)), "{text}");
        }
        assert_eq!(Cost::parse(" "), Ok(None));
        assert_eq!(Cost::from_cents(104_990).unwrap().to_string(), "1049.90");
    }

    #[test]
    fn other_costs_are_refused_by_name() {
        for (text, sentence) in [
            ("1.005", "two decimals"),
            ("1.500", "two decimals"),
            ("-1", "negative"),
            ("-0.01", "negative"),
            ("1000000.01", "at most 1,000,000"),
            ("99999999999999", "at most 1,000,000"),
            ("free", "like 49.99"),
            ("$", "like 49.99"),
            ("1e3", "like 49.99"),
        ] {
            let error = Cost::parse(text).unwrap_err();
            assert_eq!(error.field, "cost");
            assert!(error.message.contains(sentence), "{text}: {}", error.message);
        }
    }
}
