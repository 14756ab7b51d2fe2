use jiff::ToSpan;
use jiff::civil::Date;

use crate::garage::Mileage;

/// An odometer reading and its day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct OdometerReading {
    /// The day.
    pub on: Date,
    /// The reading.
    pub mileage: Mileage,
}

/// A warning about a record. The record is saved nevertheless, because old papers are often entered late, and an
/// odometer can be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordWarning {
    /// There is already a record of a later day.
    DateGoesBack {
        /// The latest one.
        latest: Date,
    },
    /// An earlier day has a higher mileage.
    MileageGoesBack {
        /// The highest one before it.
        earlier: OdometerReading,
    },
    /// A later day has a lower mileage.
    MileageRunsAhead {
        /// The lowest one after it.
        later: OdometerReading,
    },
    /// The day is in the future in every time zone.
    DateInFuture {
        /// The day.
        on: Date,
    },
}

impl RecordWarning {
    /// Code in the API.
    pub const fn code(self) -> &'static str {
        match self {
            Self::DateGoesBack { .. } => "date-goes-back",
            Self::MileageGoesBack { .. } => "mileage-goes-back",
            Self::MileageRunsAhead { .. } => "mileage-runs-ahead",
            Self::DateInFuture { .. } => "date-in-future",
        }
    }

    /// A sentence for users.
    pub fn message(self) -> String {
        match self {
            Self::DateGoesBack { latest } => {
                format!("The date is before your latest record of this vehicle, which is of {latest}.")
            }
            Self::MileageGoesBack { earlier: OdometerReading { on, mileage } } => {
                format!("The mileage is lower than the {mileage} miles of {on}. Please check it.")
            }
            Self::MileageRunsAhead { later: OdometerReading { on, mileage } } => {
                format!("The mileage is higher than the {mileage} miles of {on}. Please check it.")
            }
            Self::DateInFuture { on } => format!("The date {on} lies in the future."),
        }
    }
}

/// Warnings about `new`, compared with the `others` of the same vehicle, in any order.
pub fn record_warnings(new: OdometerReading, others: &[OdometerReading], today: Date) -> Vec<RecordWarning> {
    let latest = others.iter().map(|other| other.on).max().filter(|latest| *latest > new.on);
    mileage_warnings(new, others)
        .into_iter()
        .chain(latest.map(|latest| RecordWarning::DateGoesBack { latest }))
        // It may be tomorrow already in another time zone.
        .chain((new.on > today.saturating_add(1.day())).then_some(RecordWarning::DateInFuture { on: new.on }))
        .collect()
}

/// Contradictions between the mileage of `new` and the `others`: at most one warning in each direction.
fn mileage_warnings(new: OdometerReading, others: &[OdometerReading]) -> Vec<RecordWarning> {
    // Records of the same day are ignored, because their order is not known.
    let earlier = others.iter().filter(|other| other.on < new.on && other.mileage > new.mileage);
    let later = others.iter().filter(|other| other.on > new.on && other.mileage < new.mileage);
    earlier
        .max_by_key(|other| other.mileage)
        .map(|earlier| RecordWarning::MileageGoesBack { earlier: *earlier })
        .into_iter()
        .chain(
            later
                .min_by_key(|other| other.mileage)
                .map(|later| RecordWarning::MileageRunsAhead { later: *later }),
        )
        .collect()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    const TODAY: Date = date(2027, 1, 15);

    fn reading(on: Date, miles: i64) -> OdometerReading {
        OdometerReading { on, mileage: Mileage::new(miles).unwrap() }
    }

    #[test]
    fn records_in_order_need_no_warning() {
        let others = [reading(date(2026, 1, 1), 10_000), reading(date(2026, 6, 1), 15_000)];
        for new in [
            reading(date(2026, 12, 1), 20_000),
            reading(date(2026, 6, 1), 15_000),
            // The same day in any order: a repair before the drive home, an oil change after it.
            reading(date(2026, 6, 1), 14_990),
            reading(TODAY.saturating_add(1.day()), 21_000),
        ] {
            assert_eq!(record_warnings(new, &others, TODAY), []);
        }
        assert_eq!(record_warnings(reading(date(1999, 1, 1), 5), &[], TODAY), []);
    }

    #[test]
    fn dates_and_mileages_that_go_backwards_are_said() {
        let others = [reading(date(2026, 1, 1), 10_000), reading(date(2026, 6, 1), 15_000)];
        let codes = |new| -> Vec<_> {
            record_warnings(new, &others, TODAY).into_iter().map(RecordWarning::code).collect()
        };
        assert_eq!(codes(reading(date(2026, 12, 1), 14_000)), ["mileage-goes-back"]);
        assert_eq!(codes(reading(date(2026, 3, 1), 12_000)), ["date-goes-back"]);
        assert_eq!(codes(reading(date(2026, 3, 1), 16_000)), ["mileage-runs-ahead", "date-goes-back"]);
        assert_eq!(codes(reading(date(2026, 3, 1), 9_000)), ["mileage-goes-back", "date-goes-back"]);
        assert_eq!(codes(reading(date(2027, 3, 1), 16_000)), ["date-in-future"]);
        let warning = record_warnings(reading(date(2026, 12, 1), 14_000), &others, TODAY)[0];
        assert_eq!(
            warning.message(),
            "The mileage is lower than the 15,000 miles of 2026-06-01. Please check it."
        );
    }
}
