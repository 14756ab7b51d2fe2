use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use partsight_store::StaleCalls;

use crate::clock::Clock;

/// How long an answer is kept for a client that sends its call again.
const KEEP: Duration = Duration::from_hours(24);
/// A call that runs for longer than this has died with its server; another may take its place. So has one that began
/// this long after now, by more than two servers' clocks differ: a clock that was wrong.
const RUNNING_AT_MOST: Duration = Duration::from_mins(1);
/// Readings of the clock are kept together in this many groups of a span.
const N_GROUPS: u32 = 16;

/// By which dates calls are old. Calls are dated by the time of day, which jumps when the clock is set: so a call that
/// this process saw counts as old only once the time itself has passed, too.
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
    /// The date of a call that begins, and which calls are old by then.
    pub(crate) fn begin(&self, clock: &Clock) -> (Timestamp, StaleCalls) {
        let note = |readings: &Mutex<Readings>| {
            let mut readings = readings.lock().unwrap_or_else(PoisonError::into_inner);
            // Read under the lock, so that the readings of two calls come in their order.
            let (now, steady) = (clock.now(), clock.steady());
            let (lowest, highest) = readings.note(now, steady);
            (now, lowest, highest)
        };
        let (_, lowest_kept, _) = note(&self.kept);
        let (now, lowest_running, highest_running) = note(&self.running);
        // Older than the time allows by the date, and than all that this process has seen of the clock in
        // that time.
        let stale = StaleCalls {
            answered_before: lowest_kept.min(now - KEEP),
            running_before: lowest_running.min(now - RUNNING_AT_MOST),
            running_after: highest_running.max(now + RUNNING_AT_MOST),
        };
        (now, stale)
    }
}

/// What the clock showed during the last `span`.
#[derive(Debug)]
struct Readings {
    span: Duration,
    groups: VecDeque<Group>,
}

/// Readings of a short while.
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

    /// Notes a reading, and returns the lowest and the highest of the last `span`.
    fn note(&mut self, now: Timestamp, steady: Instant) -> (Timestamp, Timestamp) {
        let age = |since: Instant| steady.saturating_duration_since(since);
        // In groups, so that memory is bounded however many calls come; a group is forgotten as a whole.
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
