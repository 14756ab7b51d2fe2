//! The day on which it is asked what is due.

use jiff::ToSpan;
use jiff::civil::Date;

/// By which day it is reckoned what is due.
#[derive(Debug, Clone, Copy)]
pub(super) struct Day {
    pub(super) today: Date,
    /// The last day whose records count. What is noted for a later one is an appointment, and counts when it has come.
    pub(super) until: Date,
}

impl Day {
    /// The day that somebody has where they are.
    pub(super) fn of_reader(today: Date) -> Self {
        Self { today, until: today }
    }

    /// By UTC alone: it may be tomorrow already where the vehicle is.
    pub(super) fn of_utc(today: Date) -> Self {
        Self { today, until: today.saturating_add(1.day()) }
    }
}
