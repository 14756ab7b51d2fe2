//! Days as other programs write them.

use jiff::civil::Date;
use partsight_domain::{InvalidInput, named};

named! {
    /// How a date with slashes is read.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum DateOrder {
        /// 3/12/2025 is March 12.
        MonthDay = "month-day",
        /// 3/12/2025 is December 3.
        DayMonth = "day-month",
    }
}

impl DateOrder {
    /// The order of this name on the wire.
    ///
    /// # Errors
    /// Names the two orders, under the field `dateOrder`.
    pub fn asked_for(name: &str) -> Result<Self, InvalidInput> {
        Self::from_name(name).ok_or_else(|| {
            InvalidInput::new("dateOrder", "There is no such order; there are month-day and day-month.")
        })
    }
}

/// How the dates with slashes among `texts` are read: month first, as in the United States, unless one of them is
/// invalid in that order and all are valid in the other.
pub(super) fn slash_order<'a>(texts: &(impl Iterator<Item = &'a str> + Clone)) -> DateOrder {
    let fits = |order| texts.clone().filter(|text| is_slashed(text)).all(|text| read(text, order).is_some());
    if !fits(DateOrder::MonthDay) && fits(DateOrder::DayMonth) {
        DateOrder::DayMonth
    } else {
        DateOrder::MonthDay
    }
}

/// Whether a date with slashes is valid in both orders and means two different days.
pub(super) fn is_ambiguous(text: &str) -> bool {
    let both = (read(text, DateOrder::MonthDay), read(text, DateOrder::DayMonth));
    is_slashed(text) && matches!(both, (Some(one), Some(other)) if one != other)
}

/// The day in `text`: `2025-03-05`, `2025/03/05`, `3/5/2025`, `3/5/25`, `5.3.2025`, each optionally followed by a time.
pub(super) fn read(text: &str, order: DateOrder) -> Option<Date> {
    let day = text.trim().split([' ', 'T', '\u{a0}']).next()?;
    let separator = day.chars().find(|c| !c.is_ascii_digit())?;
    let parts: Vec<&str> = day.split(separator).collect();
    let [first, second, third] = parts[..] else { return None };
    let number = |text: &str| -> Option<i16> {
        // At most four digits, so that the number fits its type.
        let is_number = (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse().ok()).flatten()
    };
    let (one, two, three) = (number(first)?, number(second)?, number(third)?);
    let (year, month, day) = match (separator, first.len(), order) {
        ('-' | '/' | '.', 4, _) => (one, two, three),
        ('/', _, DateOrder::MonthDay) => (full_year(three, third)?, one, two),
        ('.', ..) | ('/', _, DateOrder::DayMonth) => (full_year(three, third)?, two, one),
        _ => return None,
    };
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

fn is_slashed(text: &str) -> bool {
    text.trim().split('/').next().is_some_and(|first| first.len() <= 2) && text.contains('/')
}

/// A year of two digits means 1970 to 2069.
fn full_year(year: i16, text: &str) -> Option<i16> {
    match text.len() {
        4 => Some(year),
        2 => Some(if year < 70 { 2000 + year } else { 1900 + year }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn days_are_read_as_other_programs_write_them() {
        let order = DateOrder::MonthDay;
        for text in [
            "2025-03-05",
            "2025/3/5",
            "3/5/2025",
            "03/05/2025",
            "03/05/2025 0:00",
            "3/5/25",
            "5.3.2025",
            "2025-03-05T10:00:00Z",
            " 2025-03-05 10:00 ",
        ] {
            assert_eq!(read(text, order), Some(date(2025, 3, 5)), "{text}");
        }
        for bad in [
            "",
            "March 5",
            "13/13/2025",
            "2/30/2025",
            "3/5",
            "3/5/202",
            "3-5-2025",
            "//",
            "20250305",
            "3/5/2025/1",
        ] {
            assert_eq!(read(bad, order), None, "{bad}");
        }
        assert_eq!(read("12/31/99", order), Some(date(1999, 12, 31)));
    }

    #[test]
    fn day_and_month_change_places_only_when_all_dates_fit() {
        let order = |texts: &[&'static str]| slash_order(&texts.iter().copied());
        assert_eq!(order(&["3/5/2025", "12/31/2025"]), DateOrder::MonthDay);
        assert_eq!(order(&["3/5/2025", "31/12/2025"]), DateOrder::DayMonth);
        assert_eq!(order(&["3/5/2025", "2025-12-31"]), DateOrder::MonthDay);
        // Neither order fits all: the US order is used, and the rows that do not fit are refused by number.
        assert_eq!(order(&["12/31/2025", "31/12/2025"]), DateOrder::MonthDay);
        assert!(is_ambiguous("3/5/2025") && !is_ambiguous("3/3/2025") && !is_ambiguous("2025-03-05"));
        assert!(!is_ambiguous("3/31/2025"));
    }
}
