use std::fmt;
use std::str::FromStr;

use jiff::civil::Date;
use uuid::Uuid;

use crate::InvalidInput;
use crate::day::parse_day;

/// Records per page by default. The specification returns the whole list then; this is enough for one record a day
/// for 27 years. Longer lists need several pages, which limits the memory of a request.
const DEFAULT_LIMIT: u32 = 10_000;
/// Maximum of records that may be requested.
const MAX_LIMIT: u32 = 200;

/// A page of a list of records, newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordPage {
    /// Maximum of records; a requested number is 1 to 200.
    pub limit: u32,
    /// The position where the previous page ended; `None` for the first page.
    pub before: Option<RecordCursor>,
}

impl RecordPage {
    /// Parses the parameters of a query.
    ///
    /// # Errors
    /// Names the field `limit` or `before`.
    pub fn new(limit: Option<i64>, before: Option<&str>) -> Result<Self, InvalidInput> {
        let limit = match limit {
            None => DEFAULT_LIMIT,
            Some(limit) => u32::try_from(limit)
                .ok()
                .filter(|limit| (1..=MAX_LIMIT).contains(limit))
                .ok_or_else(|| InvalidInput::new("limit", "Please ask for 1 to 200 records at a time."))?,
        };
        let before = before.map(str::parse).transpose().map_err(|NoCursor| {
            InvalidInput::new(
                "before",
                "This is no place in the list. Please use the value of the X-Next-Cursor header.",
            )
        })?;
        Ok(Self { limit, before })
    }

    /// This page with one more record, which shows whether another page follows.
    #[must_use]
    pub fn and_one_more(self) -> Self {
        // One more than requested shows whether there are more, without counting all.
        Self { limit: self.limit + 1, ..self }
    }

    /// Removes the record that [`Self::and_one_more`] added; returns whether it was there.
    pub fn cut<T>(self, records: &mut Vec<T>) -> bool {
        let has_more = records.len() > self.limit as usize;
        records.truncate(self.limit as usize);
        has_more
    }
}

/// A position in a list of records: after the record of this day with this id. Written `2025-03-05_<id>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordCursor {
    /// The day of the record.
    pub on: Date,
    /// Id of the record.
    pub id: Uuid,
}

impl fmt::Display for RecordCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", self.on, self.id)
    }
}

/// The text is not a [`RecordCursor`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a place in a list")]
pub struct NoCursor;

impl FromStr for RecordCursor {
    type Err = NoCursor;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (on, id) = text.split_once('_').ok_or(NoCursor)?;
        let on = parse_day(on).ok_or(NoCursor)?;
        Ok(Self { on, id: Uuid::parse_str(id).map_err(|_| NoCursor)? })
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn a_cursor_reads_back() {
        let cursor = RecordCursor { on: date(2025, 3, 5), id: Uuid::from_u128(7) };
        assert_eq!(cursor.to_string().parse(), Ok(cursor));
        for bad in ["", "2025-03-05", "_", "2025-03-05_7", "2025-02-30_00000000-0000-0000-0000-000000000007"]
        {
            assert_eq!(RecordPage::new(None, Some(bad)).unwrap_err().field, "before", "{bad}");
        }
    }

    #[test]
    fn one_record_more_says_whether_a_piece_follows() {
        let page = RecordPage::new(Some(2), None).unwrap();
        assert_eq!(page.and_one_more().limit, 3);
        for (n_found, has_more) in [(0, false), (2, false), (3, true)] {
            let mut records = vec![(); n_found];
            assert_eq!((page.cut(&mut records), records.len()), (has_more, n_found.min(2)), "{n_found}");
        }
    }

    #[test]
    fn a_page_has_one_to_two_hundred_records_unless_all_are_asked_for() {
        assert_eq!(RecordPage::new(None, None).map(|page| page.limit), Ok(10_000));
        for limit in [1, 200] {
            assert!(RecordPage::new(Some(limit), None).is_ok());
        }
        for bad in [0, -1, 201, i64::MAX] {
            assert_eq!(RecordPage::new(Some(bad), None).unwrap_err().field, "limit", "{bad}");
        }
    }
}
