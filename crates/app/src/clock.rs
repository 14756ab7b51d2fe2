use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;

/// Returns the time of day, and a monotonic time. Tests use a clock that they can set.
///
/// They are separate because the time of day jumps: a machine without a battery for its clock starts in 1970, or
/// somebody sets it by hand. Rows have times of [`Clock::now`]; limits in memory use [`Clock::steady`], so that nobody
/// has to wait for a week because a clock was a week ahead for a moment.
#[derive(Clone)]
pub struct Clock {
    wall: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    steady: Arc<dyn Fn() -> Instant + Send + Sync>,
}

impl Clock {
    /// A clock that reads these two functions.
    pub fn new(
        wall: impl Fn() -> Timestamp + Send + Sync + 'static,
        steady: impl Fn() -> Instant + Send + Sync + 'static,
    ) -> Self {
        Self { wall: Arc::new(wall), steady: Arc::new(steady) }
    }

    /// The time of day in whole milliseconds, so that what is saved reads back unchanged.
    pub fn now(&self) -> Timestamp {
        let now = (self.wall)();
        Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
    }

    /// The monotonic time, for measuring durations.
    pub fn steady(&self) -> Instant {
        (self.steady)()
    }
}

partsight_domain::debug_fields!(Clock {});

/// The clock of the machine.
#[expect(clippy::disallowed_methods, reason = "this is the one home of the clock")]
pub fn system_clock() -> Clock {
    Clock::new(Timestamp::now, Instant::now)
}
