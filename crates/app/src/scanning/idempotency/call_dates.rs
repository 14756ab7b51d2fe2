use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use partsight_store::StaleCalls;

use crate::clock::Clock;

/// How long an answer is kept for a repeated call.
const KEEP: Duration = Duration::from_hours(24);
/// A call that runs for longer than this died with its server, and may be claimed again. The same holds for a call
/// dated this far ahead: it was dated by a wrong clock.
const RUNNING_AT_MOST: Duration = Duration::from_mins(1);
/// Clock readings are stored in this many groups for each span.
const N_GROUPS: u32 = 16;

/// Determines which calls are stale. Calls have times of day, which jump when the clock is set: so a call that this
/// process saw is stale only if that time has also passed on the monotonic clock.
#[derive(Debug)]
pub(crate) struct CallDates {
    kept: Mutex<Readings>,
    running: Mutex<Readings>,
}

impl Default for CallDates {
    fn default() -> Self {
        Self { kept: Mutex::new(Readings::of(KEEP)), running: Mutex::new(Readings::of(RUNNING_AT_MOST)) }
    }
}

impl CallDates {
    /// The time of a new call by the clock of the database, which is `database_ahead` of this server's, and which calls
    /// are stale by then.
    pub(crate) fn begin(&self, clock: &Clock, database_ahead: SignedDuration) -> (Timestamp, StaleCalls) {
        let note = |readings: &Mutex<Readings>| {
            let mut readings = readings.lock().unwrap_or_else(PoisonError::into_inner);
            // Read under the lock, so that the readings of two calls are in order.
            let (now, steady) = (clock.now() + database_ahead, clock.steady());
            let (lowest, highest) = readings.note(now, steady);
            (now, lowest, highest)
        };
        let (_, lowest_kept, _) = note(&self.kept);
        let (now, lowest_running, highest_running) = note(&self.running);
        // Older than allowed by its date, and also older than every reading of this process within that time.
        let stale = StaleCalls {
            answered_before: lowest_kept.min(now - KEEP),
            running_before: lowest_running.min(now - RUNNING_AT_MOST),
            running_after: highest_running.max(now + RUNNING_AT_MOST),
        };
        (now, stale)
    }
}

/// The clock readings of the last `span`.
#[derive(Debug)]
struct Readings {
    span: Duration,
    groups: VecDeque<Group>,
}

/// The readings of a short time.
#[derive(Debug)]
struct Group {
    first: Instant,
    last: Instant,
    lowest: Timestamp,
    highest: Timestamp,
}

impl Readings {
    fn of(span: Duration) -> Self {
        Self { span, groups: VecDeque::new() }
    }

    /// Adds a reading, and returns the lowest and the highest of the last `span`.
    fn note(&mut self, now: Timestamp, steady: Instant) -> (Timestamp, Timestamp) {
        let age = |since: Instant| steady.saturating_duration_since(since);
        // In groups, so that memory is bounded whatever the number of calls; a group is removed as a whole.
        match self.groups.back_mut().filter(|group| age(group.first) < self.span / N_GROUPS) {
            Some(group) => {
                group.last = steady.max(group.last);
                group.lowest = now.min(group.lowest);
                group.highest = now.max(group.highest);
            }
            None => self.groups.push_back(Group { first: steady, last: steady, lowest: now, highest: now }),
        }
        while self.groups.front().is_some_and(|group| age(group.last) > self.span) {
            self.groups.pop_front();
        }
        self.groups.iter().fold((now, now), |(lowest, highest), group| {
            (lowest.min(group.lowest), highest.max(group.highest))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_clock_showed_is_remembered_for_the_span_of_time_that_passes() {
        const HOUR: u64 = 3600;
        let start = Instant::now();
        let mut readings = Readings::of(KEEP);
        // (hours that have passed, hour that the clock shows, lowest and highest of a day)
        for (passed, shown, expected) in [
            (0, 1000, (1000, 1000)),
            (1, 1001, (1000, 1001)),
            // A week ahead, and back.
            (2, 1170, (1000, 1170)),
            (3, 1003, (1000, 1170)),
            (24, 1024, (1000, 1170)),
            (25, 1025, (1000, 1170)),
            (26, 1026, (1003, 1170)),
            (28, 1028, (1024, 1028)),
            (60, 1060, (1060, 1060)),
        ] {
            let at = |hour: i64| Timestamp::from_second(hour * 3600).unwrap();
            let noted = readings.note(at(shown), start + Duration::from_secs(passed * HOUR));
            assert_eq!(noted, (at(expected.0), at(expected.1)), "after {passed} hours");
        }
        for second in 0..KEEP.as_secs() / 60 {
            readings.note(Timestamp::UNIX_EPOCH, start + Duration::from_secs(100 * HOUR + second * 60));
        }
        assert!(readings.groups.len() <= N_GROUPS as usize + 1, "{}", readings.groups.len());
    }
}
