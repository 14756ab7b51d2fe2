//! Valid days of records.

use jiff::ToSpan;
use jiff::civil::{Date, date};

use crate::InvalidInput;
use crate::day::parse_day;

/// Parses the day of a record: `2025-03-05`, or a timestamp, whose day is taken as written.
///
/// The range is 1900-01-01 to a year after `today`, to accept appointments but not typing errors.
///
/// # Errors
/// Names `field` and what is valid.
pub fn record_date(field: &'static str, text: &str, today: Date) -> Result<Date, InvalidInput> {
    // A record's day is the owner's local day: a timestamp is not converted to another time zone.
    let date = parse_day(text.trim()).ok_or_else(|| {
        InvalidInput::new(field, "Please enter the date as year, month and day, like 2025-03-05.")
    })?;
    check_record_date(field, date, today)
}

/// Checks the day of a record.
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
}
