use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;

/// Tells the time of day, and how much time passes. Tests give one that they can set.
///
/// The two are apart because the time of day jumps: a machine without a battery for its clock starts in 1970, and
/// somebody sets it by hand. What is kept in the database is dated by [`Clock::now`]; limits in memory go by
/// [`Clock::steady`], so that a clock that was a week ahead for a moment keeps nobody waiting for a week.
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

    /// A moment that only ever comes after those before it, to measure time with.
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
