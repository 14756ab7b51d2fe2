use jiff::ToSpan;
use jiff::civil::Date;

use crate::InvalidInput;
use crate::garage::Mileage;

/// How often something is due: after some months, after some miles, or whichever comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    months: Option<u16>,
    miles: Option<u32>,
}

/// An oil change is due 3 months and 5,000 miles after the last (specification 1, section 9).
pub const OIL_CHANGE_INTERVAL: Interval = Interval { months: Some(3), miles: Some(5000) };

const MAX_MONTHS: u16 = 240;
const MIN_MILES: u32 = 100;
const MAX_MILES: u32 = 300_000;

impl Interval {
    /// Checks the ranges: 1 to 240 months, 100 to 300,000 miles. `None` if both are missing.
    ///
    /// # Errors
    /// Names the field `intervalMonths` or `intervalMiles`.
    pub fn new(months: Option<i64>, miles: Option<i64>) -> Result<Option<Self>, InvalidInput> {
        let months = months
            .map(|months| {
                u16::try_from(months).ok().filter(|months| (1..=MAX_MONTHS).contains(months)).ok_or_else(
                    || InvalidInput::new("intervalMonths", "Please enter an interval of 1 to 240 months."),
                )
            })
            .transpose()?;
        let miles = miles
            .map(|miles| {
                u32::try_from(miles).ok().filter(|miles| (MIN_MILES..=MAX_MILES).contains(miles)).ok_or_else(
                    || {
                        InvalidInput::new(
                            "intervalMiles",
                            "Please enter an interval of 100 to 300,000 miles.",
                        )
                    },
                )
            })
            .transpose()?;
        Ok((months.is_some() || miles.is_some()).then_some(Self { months, miles }))
    }

    /// Calendar months, 1 to 240.
    pub const fn months(self) -> Option<u16> {
        self.months
    }

    /// Miles, 100 to 300,000.
    pub const fn miles(self) -> Option<u32> {
        self.miles
    }

    /// The due day after `last`: the same day of the month, or its last day if the month is shorter.
    pub fn due_after(self, last: Date) -> Option<Date> {
        self.months.map(|months| last.saturating_add(i32::from(months).months()))
    }

    /// The due mileage after `last`, in miles. May exceed the maximum of a [`Mileage`].
    pub fn due_mileage_after(self, last: Mileage) -> Option<u32> {
        // No overflow: at most 999,999 and 300,000.
        self.miles.map(|miles| last.get() + miles)
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn three_calendar_months_stop_at_the_end_of_a_shorter_month() {
        for (last, due) in [
            (date(2026, 1, 15), date(2026, 4, 15)),
            (date(2026, 11, 30), date(2027, 2, 28)),
            (date(2027, 11, 30), date(2028, 2, 29)),
            (date(2027, 11, 29), date(2028, 2, 29)),
            (date(2026, 1, 31), date(2026, 4, 30)),
            (date(2028, 2, 29), date(2028, 5, 29)),
            (date(2026, 10, 1), date(2027, 1, 1)),
            (date(1900, 12, 31), date(1901, 3, 31)),
        ] {
            assert_eq!(OIL_CHANGE_INTERVAL.due_after(last), Some(due), "{last}");
        }
        assert_eq!(OIL_CHANGE_INTERVAL.due_mileage_after(Mileage::new(999_999).unwrap()), Some(1_004_999));
    }

    #[test]
    fn an_interval_has_months_or_miles_in_range() {
        assert_eq!(Interval::new(None, None), Ok(None));
        assert_eq!(Interval::new(Some(3), Some(5000)), Ok(Some(OIL_CHANGE_INTERVAL)));
        for months in [0, -1, 241, i64::MIN] {
            assert_eq!(Interval::new(Some(months), None).unwrap_err().field, "intervalMonths");
        }
        for miles in [0, -1, 99, 300_001, i64::MAX] {
            assert_eq!(Interval::new(Some(6), Some(miles)).unwrap_err().field, "intervalMiles");
        }
    }
}
