use std::fmt;
use std::str::FromStr;

use jiff::civil::Date;

use crate::day::{days_between, parse_day};
use crate::{ApiKeyId, InvalidInput};

/// Maximum of days per request.
const MAX_DAYS: i32 = 366;
/// Days by default.
const USUAL_DAYS: i64 = 30;

/// Where a scan was requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScanSource {
    /// In a browser.
    Web,
    /// By a program with this key.
    Key(ApiKeyId),
}

impl fmt::Display for ScanSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Web => f.write_str("web"),
            Self::Key(id) => id.fmt(f),
        }
    }
}

impl FromStr for ScanSource {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "web" { Ok(Self::Web) } else { text.parse().map(Self::Key) }
    }
}

named! {
    /// How a scan was answered, or why it was not.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum UsagePath {
        /// The model on this machine answered.
        Local = "local",
        /// The judge's answer to a near-duplicate was reused.
        Reused = "reused",
        /// A vision LLM answered.
        Llm = "llm",
        /// The photograph shows no known part.
        NotAPart = "not-a-part",
        /// The photograph could not be read, or the server could not answer.
        Error = "error",
    }
}

/// One scan to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScanUsage {
    /// Where it was requested.
    pub source: ScanSource,
    /// How it was answered.
    pub path: UsagePath,
    /// Its cost, in millionths of a US dollar; 0 if only this machine was involved.
    pub cost_micros: u64,
}

/// The scans of a user on one day, from one source and by one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageRow {
    /// In UTC.
    pub day: Date,
    /// Where they were requested.
    pub source: ScanSource,
    /// The owner's name for the key; `None` for the web.
    pub key_name: Option<String>,
    /// How they were answered.
    pub path: UsagePath,
    /// Number of scans.
    pub n_scans: u64,
    /// Their total cost, in millionths of a US dollar.
    pub cost_micros: u64,
}

named! {
    /// Kinds of texts that a language model writes on request where the catalogue has none.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum FillKind {
        /// How to fit a part of a type that has no guide.
        Guide = "guide",
        /// Which engine oil a vehicle takes.
        Oil = "oil",
        /// What to compare before a part is bought for a vehicle.
        Fitment = "fitment",
    }
}

/// The texts of one kind requested by a user on one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FillUsageRow {
    /// In UTC.
    pub day: Date,
    /// Kind of text.
    pub kind: FillKind,
    /// Number of questions to the language model.
    pub n_questions: u64,
    /// Their total cost, in millionths of a US dollar.
    pub cost_micros: u64,
}

/// A period of days, both ends inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsageDays {
    /// The first.
    pub from: Date,
    /// The last.
    pub to: Date,
}

impl UsageDays {
    /// Parses a period; by default the last 30 days up to `today`.
    ///
    /// # Errors
    /// Names the field `from` or `to` and the valid range: at most 366 days.
    pub fn new(from: Option<&str>, to: Option<&str>, today: Date) -> Result<Self, InvalidInput> {
        let day = |field, text: Option<&str>| -> Result<Option<Date>, InvalidInput> {
            // An empty field counts as absent.
            let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
            let message = "Please enter the date as year, month and day, like 2025-03-05.";
            parse_day(text).map(Some).ok_or_else(|| InvalidInput::new(field, message))
        };
        let to = day("to", to)?.unwrap_or(today);
        // Both ends count.
        let first = to.saturating_sub(jiff::Span::new().days(USUAL_DAYS - 1));
        let from = day("from", from)?.unwrap_or(first);
        // Refuses both a reversed and a too long period.
        if !(0..MAX_DAYS).contains(&days_between(from, to)) {
            let message = format!("Please ask for 1 to {MAX_DAYS} days, the earlier first.");
            return Err(InvalidInput::new("from", message));
        }
        Ok(Self { from, to })
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn usage_is_of_a_month_unless_asked() {
        let today = date(2027, 1, 15);
        let days = |from, to| UsageDays::new(from, to, today).map(|days| (days.from, days.to));
        assert_eq!(days(None, None), Ok((date(2026, 12, 17), today)));
        assert_eq!(days(Some("2027-01-15"), None), Ok((today, today)));
        assert_eq!(days(Some("2026-01-15"), Some("2027-01-15")), Ok((date(2026, 1, 15), today)));
        for (from, to, field) in [
            (Some("yesterday"), None, "from"),
            (None, Some("2027-13-01"), "to"),
            (Some("2027-01-16"), None, "from"),
            (Some("2026-01-14"), Some("2027-01-15"), "from"),
        ] {
            assert_eq!(days(from, to).unwrap_err().field, field, "{from:?} {to:?}");
        }
    }

    #[test]
    fn names_lead_back_to_what_they_name() {
        for source in [ScanSource::Web, ScanSource::Key(ApiKeyId(uuid::Uuid::nil()))] {
            assert_eq!(source.to_string().parse(), Ok(source));
        }
        assert!("app".parse::<ScanSource>().is_err());
    }
}
