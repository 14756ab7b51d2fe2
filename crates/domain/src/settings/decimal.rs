use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A decimal setting such as `0.98` or `2.50`, zero or more, stored in millionths, so that equal texts are equal values
/// and sums of money are exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Decimal(u64);

/// Maximum: more is a mistake, and products of two values and a count stay in range.
const MAX: f64 = 1_000_000.0;

impl Decimal {
    /// The value with this many millionths.
    pub const fn from_millionths(millionths: u64) -> Self {
        Self(millionths)
    }

    /// The value in millionths.
    pub const fn millionths(self) -> u64 {
        self.0
    }

    /// The value as f32.
    pub fn to_f32(self) -> f32 {
        (self.0 as f64 / 1e6) as f32
    }

    fn from_f64(value: f64) -> Option<Self> {
        // The range also refuses NaN.
        (0.0..=MAX).contains(&value).then(|| Self((value * 1e6).round() as u64))
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0 as f64 / 1e6)
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0 as f64 / 1e6)
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Files have numbers, with or without a point; the environment has text.
        deserializer.deserialize_any(DecimalVisitor)
    }
}

struct DecimalVisitor;

impl Visitor<'_> for DecimalVisitor {
    type Value = Decimal;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number from 0 to 1000000, such as 2.5")
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Decimal, E> {
        Decimal::from_f64(value)
            .ok_or_else(|| E::custom(format!("{value} is not a number from 0 to 1000000")))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Decimal, E> {
        self.visit_f64(value as f64)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Decimal, E> {
        self.visit_f64(value as f64)
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Decimal, E> {
        match value.trim().parse() {
            Ok(number) => self.visit_f64(number),
            Err(_) => Err(E::custom(format!("`{value}` is not a number from 0 to 1000000"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_are_read_to_the_millionth() {
        let read = |json: &str| serde_json::from_str::<Decimal>(json).map(Decimal::millionths).ok();
        let cases = [
            ("0.98", Some(980_000)),
            ("5", Some(5_000_000)),
            ("\" 2.50 \"", Some(2_500_000)),
            ("0.0000004", Some(0)),
            ("1000000", Some(1_000_000_000_000)),
            ("1000001", None),
            ("-1", None),
            ("\"cheap\"", None),
            ("\"NaN\"", None),
            ("null", None),
        ];
        for (json, expected) in cases {
            assert_eq!(read(json), expected, "{json}");
        }
        let written = serde_json::to_string(&Decimal::from_millionths(150_000)).unwrap();
        assert_eq!(written, "0.15");
    }
}
