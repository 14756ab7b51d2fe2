//! Calendar days: parsing, differences, and the current day of a caller.

use jiff::civil::{Date, DateTime};
use jiff::{Timestamp, tz::TimeZone};

use crate::InvalidInput;

/// The caller's current day: the day in `text`, or the UTC day of `now` without one.
///
/// The days before and after the UTC day are accepted, because of time zones.
///
/// # Errors
/// Names the field `today`.
pub fn caller_today(text: Option<&str>, now: Timestamp) -> Result<Date, InvalidInput> {
    let utc = now.to_zoned(TimeZone::UTC).date();
    let Some(text) = text else { return Ok(utc) };
    parse_day(text.trim())
        .filter(|day| days_between(utc, *day).abs() <= 1)
        .ok_or_else(|| InvalidInput::new("today", format!("Please send the date of today, like {utc}.")))
}

/// Days from `start` to `end`; negative if `end` is earlier.
pub(crate) fn days_between(start: Date, end: Date) -> i32 {
    // The difference of two dates has only days.
    (end - start).get_days()
}

pub(crate) fn parse_day(text: &str) -> Option<Date> {
    let day = text.get(..10)?;
    let has_form = day.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    // A longer text must be a timestamp: `2025-03-05x` is a typing error and no date.
    let is_whole = text.len() == 10 || text.parse::<Timestamp>().is_ok() || text.parse::<DateTime>().is_ok();
    (has_form && is_whole).then(|| day.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    const TODAY: Date = date(2027, 1, 15);

    #[test]
    fn the_caller_may_be_a_day_ahead_or_behind() {
        let now: Timestamp = "2027-01-15T08:00:00Z".parse().unwrap();
        assert_eq!(caller_today(None, now), Ok(TODAY));
        for day in [14, 15, 16] {
            let text = format!("2027-01-{day}");
            assert_eq!(caller_today(Some(&text), now), Ok(date(2027, 1, day)));
        }
        for bad in ["2027-01-13", "2027-01-17", "9999-12-31", "today"] {
            assert_eq!(caller_today(Some(bad), now).unwrap_err().field, "today", "{bad}");
        }
    }
}
