//! The days that a record can be of.

use jiff::civil::{Date, DateTime, date};
use jiff::{Timestamp, ToSpan, tz::TimeZone};

use crate::InvalidInput;

/// The day in `text`, if a record can be of it: `2025-03-05`, or a moment, whose day counts as written.
///
/// The range is 1900-01-01 to a year after `today`: an appointment may be logged, a slip of the keyboard not.
///
/// # Errors
/// Names `field` and says what fits.
pub fn record_date(field: &'static str, text: &str, today: Date) -> Result<Date, InvalidInput> {
    let date = parse_day(text.trim()).ok_or_else(|| {
        InvalidInput::new(field, "Please enter the date as year, month and day, like 2025-03-05.")
    })?;
    check_record_date(field, date, today)
}

/// `date`, if a record can be of it.
///
/// # Errors
/// Names `field` and the range.
pub fn check_record_date(field: &'static str, date: Date, today: Date) -> Result<Date, InvalidInput> {
    if date < OLDEST {
        return Err(InvalidInput::new(field, "Please enter a date from 1900 on."));
    }
    if date > today.saturating_add(1.year()) {
        return Err(InvalidInput::new(field, "Please enter a date that is at most a year ahead."));
    }
    Ok(date)
}

const OLDEST: Date = date(1900, 1, 1);

/// Which day it is for the caller: the one named, else the UTC day of `now`.
///
/// Somewhere on Earth it is the day before or after the UTC day, so these two are accepted.
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

/// Days from `start` to `end`; negative when `end` lies before it.
pub(crate) fn days_between(start: Date, end: Date) -> i32 {
    // A span of days between two dates has no other unit.
    (end - start).get_days()
}

pub(crate) fn parse_day(text: &str) -> Option<Date> {
    let day = text.get(..10)?;
    let has_form = day.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    let is_whole = text.len() == 10 || text.parse::<Timestamp>().is_ok() || text.parse::<DateTime>().is_ok();
    (has_form && is_whole).then(|| day.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TODAY: Date = date(2027, 1, 15);

    #[test]
    fn a_day_is_read_from_a_date_or_a_moment() {
        for (text, expected) in [
            ("2025-03-05", date(2025, 3, 5)),
            (" 2024-02-29 ", date(2024, 2, 29)),
            ("2025-03-05T23:30:00.000Z", date(2025, 3, 5)),
            ("2025-03-05T23:30:00-08:00", date(2025, 3, 5)),
            ("2025-03-05T10:00", date(2025, 3, 5)),
            ("1900-01-01", date(1900, 1, 1)),
            ("2028-01-15", date(2028, 1, 15)),
        ] {
            assert_eq!(record_date("repairDate", text, TODAY), Ok(expected), "{text}");
        }
    }

    #[test]
    fn other_dates_are_refused_by_name() {
        for (text, sentence) in [
            ("", "like 2025-03-05"),
            ("yesterday", "like 2025-03-05"),
            ("03/05/2025", "like 2025-03-05"),
            ("2025-02-29", "like 2025-03-05"),
            ("2025-13-01", "like 2025-03-05"),
            ("20250305", "like 2025-03-05"),
            ("2025-03-05 and more", "like 2025-03-05"),
            ("+002025-03-05", "like 2025-03-05"),
            ("二〇二五-〇三-〇五", "like 2025-03-05"),
            ("0001-01-01", "from 1900 on"),
            ("1899-12-31", "from 1900 on"),
            ("2028-01-16", "a year ahead"),
            ("9999-12-31", "a year ahead"),
        ] {
            let error = record_date("repairDate", text, TODAY).unwrap_err();
            assert_eq!(error.field, "repairDate");
            assert!(error.message.contains(sentence), "{text}: {}", error.message);
        }
    }

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
