use std::fmt;

use serde::{Deserialize, Serialize};

use crate::number_text::{NumberFault, whole_number};
use crate::{InvalidInput, messages};

/// Largest mileage that is logged, in miles (specification 1, section 9).
const MAX_MILES: u32 = 999_999;

/// An odometer reading in whole miles, 0 to 999,999.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Mileage(u32);

impl Mileage {
    /// The reading, if it is in range.
    pub fn new(miles: i64) -> Option<Self> {
        u32::try_from(miles).ok().filter(|miles| *miles <= MAX_MILES).map(Self)
    }

    /// The reading at an oil change, as typed: `52000`, `52,000` or `52000.0`.
    ///
    /// # Errors
    /// In the words of specification 1, section 5, if it has a sentence; names the field `mileage`.
    pub fn of_oil_change(text: &str) -> Result<Self, InvalidInput> {
        let invalid = |message: &str| InvalidInput::new("mileage", message);
        match whole_number(text) {
            // The specification has a sentence for too large values only.
            Ok(miles) if miles < 0 => {
                Err(invalid("The mileage cannot be negative. Please enter a number from 0 to 999,999."))
            }
            Ok(miles) => Self::new(miles).ok_or_else(|| invalid(messages::OIL_CHANGE_MILEAGE)),
            Err(NumberFault::Empty) => Err(invalid(messages::OIL_CHANGE_FIELDS_MISSING)),
            Err(NumberFault::TooLarge) => Err(invalid(messages::OIL_CHANGE_MILEAGE)),
            Err(NumberFault::Fraction) => {
                Err(invalid("Please enter the mileage in whole miles, without a fraction."))
            }
            Err(NumberFault::NotANumber) => {
                Err(invalid("Please enter the mileage as a number from 0 to 999,999."))
            }
        }
    }

    /// The reading at a repair, as typed; 1 or more.
    ///
    /// # Errors
    /// In the words of specification 1, section 5; names the field `mileage`.
    pub fn of_repair(text: &str) -> Result<Self, InvalidInput> {
        let message = match whole_number(text) {
            Ok(miles) => match Self::new(miles) {
                Some(mileage) if mileage.get() > 0 => return Ok(mileage),
                _ => messages::REPAIR_MILEAGE,
            },
            Err(NumberFault::Empty) => messages::REPAIR_FIELDS_MISSING,
            Err(_) => messages::REPAIR_MILEAGE,
        };
        Err(InvalidInput::new("mileage", message))
    }

    /// An odometer reading by itself, as typed, for `field`.
    ///
    /// # Errors
    /// Names the field and the range.
    pub fn reading(field: &'static str, text: &str) -> Result<Self, InvalidInput> {
        whole_number(text).ok().and_then(Self::new).ok_or_else(|| {
            InvalidInput::new(field, "Please enter the mileage as a whole number from 0 to 999,999.")
        })
    }

    /// The reading in miles.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl fmt::Display for Mileage {
    /// With thousands separators: `52,000`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0 / 1000, self.0 % 1000) {
            (0, miles) => write!(f, "{miles}"),
            (thousands, miles) => write!(f, "{thousands},{miles:03}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mileage_at_an_oil_change_is_a_whole_number_of_miles() {
        let cases = [
            ("0", Ok(0)),
            (" 52000 ", Ok(52_000)),
            ("52,000", Ok(52_000)),
            ("52000.0", Ok(52_000)),
            ("999999", Ok(999_999)),
            ("1000000", Err(messages::OIL_CHANGE_MILEAGE)),
            ("99999999999999999999999", Err(messages::OIL_CHANGE_MILEAGE)),
            ("", Err(messages::OIL_CHANGE_FIELDS_MISSING)),
            ("  ", Err(messages::OIL_CHANGE_FIELDS_MISSING)),
            ("-1", Err("The mileage cannot be negative. Please enter a number from 0 to 999,999.")),
            ("1.5", Err("Please enter the mileage in whole miles, without a fraction.")),
            ("many", Err("Please enter the mileage as a number from 0 to 999,999.")),
            ("5,20", Err("Please enter the mileage as a number from 0 to 999,999.")),
            ("\u{0665}", Err("Please enter the mileage as a number from 0 to 999,999.")),
            ("0x10", Err("Please enter the mileage as a number from 0 to 999,999.")),
        ];
        for (text, expected) in cases {
            let got = Mileage::of_oil_change(text);
            match (&got, expected) {
                (Ok(mileage), Ok(miles)) => assert_eq!(mileage.get(), miles, "{text:?}"),
                (Err(error), Err(message)) => {
                    assert_eq!((error.field, error.message.as_str()), ("mileage", message), "{text:?}");
                }
                _ => panic!("{text:?}: {got:?}"),
            }
        }
    }

    #[test]
    fn a_mileage_at_a_repair_is_one_or_more() {
        assert_eq!(Mileage::of_repair("1").map(Mileage::get), Ok(1));
        assert_eq!(Mileage::of_repair("999,999").map(Mileage::get), Ok(999_999));
        assert_eq!(Mileage::of_repair("").unwrap_err().message, messages::REPAIR_FIELDS_MISSING);
        for bad in ["0", "-5", "1.5", "1000000", "many"] {
            assert_eq!(Mileage::of_repair(bad).unwrap_err().message, messages::REPAIR_MILEAGE, "{bad}");
        }
    }

    #[test]
    fn a_mileage_reads_with_separators() {
        for (miles, text) in
            [(0, "0"), (999, "999"), (1000, "1,000"), (52_007, "52,007"), (999_999, "999,999")]
        {
            assert_eq!(Mileage::new(miles).unwrap().to_string(), text);
        }
    }
}
