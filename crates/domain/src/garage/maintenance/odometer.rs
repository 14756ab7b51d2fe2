use jiff::ToSpan;
use jiff::civil::Date;

use crate::day::days_between;
use crate::garage::OdometerReading;

/// Minimum of days between two readings for a slope.
const MIN_DAYS_APART: i32 = 14;
/// Upper bound of the rate: no car is driven more every day, so that a reading must be wrong.
const MAX_MILES_A_DAY: f64 = 300.0;
/// Maximum of readings compared pairwise, the newest; bounds the work.
const MAX_READINGS: usize = 120;
/// Maximum of days that are forecast.
const MAX_DAYS_AHEAD: f64 = 3650.0;

/// The latest odometer reading of a vehicle and its rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OdometerTrend {
    /// The newest reading; the highest of several on its day.
    pub latest: OdometerReading,
    /// Miles per day, 0 to 300; `None` if the readings of the last 12 months are not enough.
    pub miles_per_day: Option<f64>,
}

impl OdometerTrend {
    /// The trend of `readings`, in any order, up to `today`; `None` without readings.
    ///
    /// The rate is the median of the slopes between all pairs of readings of the last 12 months that are at least
    /// 14 days apart: one mistyped reading in five does not change it (Theil, 1950; Sen, 1968).
    pub fn new(readings: &[OdometerReading], today: Date) -> Option<Self> {
        let mut readings: Vec<OdometerReading> =
            readings.iter().copied().filter(|reading| reading.on <= today).collect();
        readings.sort_unstable();
        // Sorted by day and mileage, so that the last one of each day is the highest.
        // Newest first, so that the oldest are truncated below.
        readings.reverse();
        readings.dedup_by_key(|reading| reading.on);
        let latest = *readings.first()?;
        let since = today.saturating_sub(12.months());
        readings.retain(|reading| reading.on >= since);
        // The number of pairs is quadratic.
        readings.truncate(MAX_READINGS);
        Some(Self { latest, miles_per_day: usual_rate(&readings) })
    }

    /// The day on which the odometer is expected to reach `miles` by the trend. If it has already passed them, the
    /// estimated day on which it did, at the latest the day of the latest reading.
    pub fn day_of(&self, miles: u32) -> Option<Date> {
        let ahead = f64::from(miles) - f64::from(self.latest.mileage.get());
        let days = match self.miles_per_day.filter(|rate| *rate > 0.0) {
            // Rounded down: a day early is better than a day late.
            Some(rate) => (ahead / rate).floor(),
            None if ahead <= 0.0 => 0.0,
            None => return None,
        };
        if days > MAX_DAYS_AHEAD {
            return None;
        }
        Some(self.latest.on.saturating_add((days.max(-MAX_DAYS_AHEAD) as i32).days()))
    }
}

fn usual_rate(readings: &[OdometerReading]) -> Option<f64> {
    let mut slopes = Vec::new();
    for (at, newer) in readings.iter().enumerate() {
        for older in &readings[at + 1..] {
            let days = days_between(older.on, newer.on);
            if days >= MIN_DAYS_APART {
                let miles = f64::from(newer.mileage.get()) - f64::from(older.mileage.get());
                slopes.push(miles / f64::from(days));
            }
        }
    }
    if slopes.is_empty() {
        return None;
    }
    slopes.sort_unstable_by(f64::total_cmp);
    // The two middle values, which are equal for an odd number.
    let median = f64::midpoint(slopes[(slopes.len() - 1) / 2], slopes[slopes.len() / 2]);
    // A negative rate means a replaced odometer or a typing error.
    Some(median.clamp(0.0, MAX_MILES_A_DAY))
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::garage::Mileage;

    const TODAY: Date = date(2027, 1, 15);

    fn readings(list: &[(Date, i64)]) -> Vec<OdometerReading> {
        list.iter()
            .map(|&(on, miles)| OdometerReading { on, mileage: Mileage::new(miles).unwrap() })
            .collect()
    }

    #[test]
    fn two_readings_two_weeks_apart_give_a_rate() {
        let trend = |days: i32, miles: i64| {
            let first = TODAY.saturating_sub(days.days());
            OdometerTrend::new(&readings(&[(first, 10_000), (TODAY, 10_000 + miles)]), TODAY).unwrap()
        };
        assert_eq!(trend(100, 3000).miles_per_day, Some(30.0));
        assert_eq!(trend(14, 420).miles_per_day, Some(30.0));
        assert_eq!(trend(13, 420).miles_per_day, None);
        // A replaced odometer, and a typing error.
        assert_eq!(trend(100, -9000).miles_per_day, Some(0.0));
        assert_eq!(trend(100, 900_000).miles_per_day, Some(300.0));
    }

    #[test]
    fn one_wrong_reading_among_five_does_not_move_the_rate_far() {
        let list = readings(&[
            (date(2026, 9, 1), 10_000),
            (date(2026, 10, 1), 10_900),
            (date(2026, 11, 1), 119_000),
            (date(2026, 12, 1), 12_700),
            (date(2027, 1, 1), 13_600),
        ]);
        let rate = OdometerTrend::new(&list, TODAY).unwrap().miles_per_day.unwrap();
        assert!((25.0..35.0).contains(&rate), "{rate}");
    }

    #[test]
    fn only_the_last_twelve_months_count() {
        let list =
            readings(&[(date(2020, 1, 1), 0), (date(2026, 1, 14), 50_000), (date(2026, 12, 31), 60_000)]);
        let trend = OdometerTrend::new(&list, TODAY).unwrap();
        assert_eq!((trend.miles_per_day, trend.latest.mileage.get()), (None, 60_000));
        // A reading with a future day is an appointment.
        let list = readings(&[(date(2026, 12, 31), 60_000), (date(2027, 6, 1), 70_000)]);
        assert_eq!(OdometerTrend::new(&list, TODAY).unwrap().latest.on, date(2026, 12, 31));
        assert_eq!(OdometerTrend::new(&[], TODAY), None);
    }

    #[test]
    fn the_day_of_a_mileage_is_projected() {
        let list = readings(&[(date(2026, 10, 7), 10_000), (TODAY, 13_000)]);
        let trend = OdometerTrend::new(&list, TODAY).unwrap();
        assert_eq!(trend.miles_per_day, Some(30.0));
        assert_eq!(trend.day_of(13_300), Some(date(2027, 1, 25)));
        assert_eq!(trend.day_of(13_000), Some(TODAY));
        assert_eq!(trend.day_of(12_700), Some(date(2027, 1, 5)));
        assert_eq!(trend.day_of(200_000), None);
        let unknown = OdometerTrend { miles_per_day: None, ..trend };
        assert_eq!((unknown.day_of(13_001), unknown.day_of(12_000)), (None, Some(TODAY)));
    }

    #[test]
    fn many_readings_are_no_burden() {
        let list: Vec<_> = (0..10_000)
            .map(|n| OdometerReading {
                on: TODAY.saturating_sub((n % 360).days()),
                mileage: Mileage::new(i64::from(n)).unwrap(),
            })
            .collect();
        assert!(OdometerTrend::new(&list, TODAY).is_some());
    }
}
