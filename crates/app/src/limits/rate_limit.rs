use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::SignedDuration;

use crate::{Error, Result};

/// Most keys that are stored. At some hundred bytes each that is a few megabytes.
const MAX_KEYS: usize = 10_000;

/// A rate limit for each key: a burst, and one more after each interval.
///
/// Kept in memory, so each of several servers counts separately, and a restart resets it. For each key one time is
/// stored: when all uses will be available again (the generic cell rate algorithm, ITU-T I.371). It is a time of the
/// monotonic clock ([`Clock::steady`](crate::Clock::steady)), so that nobody waits longer because the time of day was
/// wrong for a moment.
pub(crate) struct RateLimit {
    burst: u32,
    interval: Duration,
    full_again: Mutex<HashMap<String, Instant>>,
}

/// The state of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimitState {
    /// Uses in a window.
    pub quota: u32,
    /// The length of the window, in seconds.
    pub window_seconds: u32,
    /// Uses that are possible now.
    pub remaining: u32,
    /// Seconds until all uses are available again.
    pub full_after_seconds: u32,
}

impl RateLimit {
    /// A burst of `burst`, 0 for no limit, and one more after each `interval`.
    pub(crate) fn new(burst: u32, interval: Duration) -> Self {
        Self { burst, interval, full_again: Mutex::new(HashMap::new()) }
    }

    /// Takes one use.
    ///
    /// # Errors
    /// [`Error::TooManyAttempts`] with the wait until one use is available again.
    pub(crate) fn take(&self, key: &str, now: Instant) -> Result<()> {
        let Some(others) = self.burst.checked_sub(1) else { return Ok(()) };
        let mut full_again = self.lock();
        // Uses become available again one interval after the other, and `used_until` is when all are. One more is
        // allowed while that is at most `burst - 1` intervals away.
        let used_until = full_again.get(key).copied().unwrap_or(now).max(now);
        let wait = used_until.duration_since(now).saturating_sub(self.interval.saturating_mul(others));
        if !wait.is_zero() {
            let retry_after = SignedDuration::try_from(wait).unwrap_or(SignedDuration::MAX);
            return Err(Error::TooManyAttempts { retry_after });
        }
        if full_again.len() >= MAX_KEYS && !full_again.contains_key(key) {
            forget_some(&mut full_again, now);
        }
        full_again.insert(key.to_owned(), used_until + self.interval);
        Ok(())
    }

    /// The state of this key; `None` if there is no limit.
    pub(crate) fn state(&self, key: &str, now: Instant) -> Option<RateLimitState> {
        let quota = u128::from(self.burst);
        let interval = self.interval.as_nanos();
        if quota == 0 || interval == 0 {
            return None;
        }
        let used_until = self.lock().get(key).copied().unwrap_or(now).max(now);
        let used = used_until.duration_since(now).as_nanos();
        let seconds = |nanos: u128| u32::try_from(nanos.div_ceil(1_000_000_000)).unwrap_or(u32::MAX);
        Some(RateLimitState {
            quota: self.burst,
            window_seconds: seconds(quota * interval),
            remaining: u32::try_from(quota.saturating_sub(used.div_ceil(interval))).unwrap_or(0),
            // In seconds, rounded up for the headers: a client must not retry too early.
            full_after_seconds: seconds(used),
        })
    }

    /// Gives back what [`take`](Self::take) used up.
    pub(crate) fn give_back(&self, key: &str) {
        // A key that was removed meanwhile has everything back already.
        if let Some(used_until) = self.lock().get_mut(key)
            && let Some(before) = used_until.checked_sub(self.interval)
        {
            *used_until = before;
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Instant>> {
        // No statement that changes the map can leave it inconsistent.
        self.full_again.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes the keys without outstanding uses, or if there are none, the one that will be the first.
fn forget_some(full_again: &mut HashMap<String, Instant>, now: Instant) {
    full_again.retain(|_, used_until| *used_until > now);
    // The key with the fewest uses loses least by being removed.
    if full_again.len() >= MAX_KEYS
        && let Some(key) = full_again.iter().min_by_key(|(_, until)| **until).map(|(key, _)| key.clone())
    {
        full_again.remove(&key);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;

    use super::*;

    /// A time, this many seconds after the first one that was requested.
    fn at(second: u64) -> Instant {
        static START: OnceLock<Instant> = OnceLock::new();
        *START.get_or_init(Instant::now) + Duration::from_secs(second)
    }

    fn wait(result: Result<()>) -> i64 {
        match result {
            Err(Error::TooManyAttempts { retry_after }) => retry_after.as_secs(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_left_is_known_before_and_after() {
        let limit = RateLimit::new(3, Duration::from_secs(20));
        let left =
            |second| limit.state("ann", at(second)).map(|state| (state.remaining, state.full_after_seconds));
        assert_eq!(limit.state("ann", at(0)).map(|state| (state.quota, state.window_seconds)), Some((3, 60)));
        assert_eq!(left(0), Some((3, 0)));
        for expected in [(2, 20), (1, 40), (0, 60)] {
            limit.take("ann", at(0)).unwrap();
            assert_eq!(left(0), Some(expected));
        }
        limit.take("ann", at(0)).unwrap_err();
        assert_eq!((left(19), left(20), left(60)), (Some((0, 41)), Some((1, 40)), Some((3, 0))));
        assert_eq!(RateLimit::new(0, Duration::from_secs(1)).state("ann", at(0)), None);
    }

    #[test]
    fn a_key_has_its_burst_and_then_one_an_interval() {
        let limit = RateLimit::new(3, Duration::from_mins(1));
        for _ in 0..3 {
            limit.take("ann", at(0)).unwrap();
        }
        assert_eq!(wait(limit.take("ann", at(0))), 60);
        assert_eq!(wait(limit.take("ann", at(59))), 1);
        limit.take("bob", at(59)).unwrap();
        limit.take("ann", at(60)).unwrap();
        assert_eq!(wait(limit.take("ann", at(60))), 60);
        // After a long time the burst is there again, and no more than it.
        for _ in 0..3 {
            limit.take("ann", at(100_000)).unwrap();
        }
        assert_eq!(wait(limit.take("ann", at(100_000))), 60);
    }

    #[test]
    fn what_is_given_back_can_be_used_again() {
        let limit = RateLimit::new(1, Duration::from_mins(1));
        for _ in 0..5 {
            limit.take("ann", at(0)).unwrap();
            limit.give_back("ann");
        }
        limit.take("ann", at(0)).unwrap();
        limit.take("ann", at(0)).unwrap_err();
        limit.give_back("nobody");
    }

    #[test]
    fn without_a_burst_there_is_no_limit() {
        let limit = RateLimit::new(0, Duration::from_mins(1));
        for _ in 0..1000 {
            limit.take("ann", at(0)).unwrap();
        }
        assert!(limit.lock().is_empty());
    }

    #[test]
    fn the_memory_is_bounded_and_keeps_the_busiest() {
        let limit = RateLimit::new(2, Duration::from_mins(1));
        for _ in 0..2 {
            limit.take("busy", at(0)).unwrap();
        }
        for number in 0..MAX_KEYS + 100 {
            limit.take(&format!("key {number}"), at(0)).unwrap();
        }
        assert_eq!(limit.lock().len(), MAX_KEYS);
        limit.take("busy", at(0)).unwrap_err();
        limit.take("late", at(1000)).unwrap();
        assert_eq!(limit.lock().len(), 1);
    }
}
