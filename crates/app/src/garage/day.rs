//! The day for which due dates are computed.

use jiff::ToSpan;
use jiff::civil::Date;

/// The day for which due dates are computed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Day {
    pub(super) today: Date,
    /// The last day whose records count. A record of a later day is an appointment, and counts from that day on.
    pub(super) until: Date,
}

impl Day {
    /// The reader's local day.
    pub(super) fn of_reader(today: Date) -> Self {
        Self { today, until: today }
    }

    /// The day in UTC: at the place of the vehicle it may already be tomorrow.
    pub(super) fn of_utc(today: Date) -> Self {
        Self { today, until: today.saturating_add(1.day()) }
    }
}
