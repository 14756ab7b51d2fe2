use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::SignedDuration;

use crate::{Error, Result};

/// Keys that are remembered at a time. At some hundred bytes a key that is a few megabytes.
const MAX_KEYS: usize = 10_000;

/// How often something may happen for each key: so many times at once, and once more after each interval.
///
/// Kept in memory, so each replica of a server counts for itself, and a restart forgives. For each key one moment
/// is kept: when all that was used will have come back (the generic cell rate algorithm, ITU-T I.371). It is one of
/// the steady clock ([`Clock::steady`](crate::Clock::steady)), so that nobody waits longer because the time of day was
/// wrong for a moment.
pub(crate) struct RateLimit {
    burst: u32,
    interval: Duration,
    full_again: Mutex<HashMap<String, Instant>>,
}

/// What a key has left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimitState {
    /// How often in a window.
    pub quota: u32,
    /// The length of the window, in seconds.
    pub window_seconds: u32,
    /// How often at once from now.
    pub remaining: u32,
    /// Seconds until all of the quota has come back.
    pub full_after_seconds: u32,
}

impl RateLimit {
    /// `burst` times at once, 0 for no limit, and once more after each `interval`.
    pub(crate) fn new(burst: u32, interval: Duration) -> Self {
        Self { burst, interval, full_again: Mutex::new(HashMap::new()) }
    }

    /// Uses one up.
    ///
    /// # Errors
    /// [`Error::TooManyAttempts`] with the time until one has come back.
    pub(crate) fn take(&self, key: &str, now: Instant) -> Result<()> {
        let Some(others) = self.burst.checked_sub(1) else { return Ok(()) };
        let mut full_again = self.lock();
        // What was used comes back one interval after the other, and `used_until` is when all of it has. One
        // more is allowed while that is at most `burst - 1` intervals away.
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

    /// What is left for this key; `None` where there is no limit.
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
            // In whole seconds and rounded up, as the headers have it: a client must not come too early.
            full_after_seconds: seconds(used),
        })
    }

    /// Gives back what [`take`](Self::take) used up.
    pub(crate) fn give_back(&self, key: &str) {
        // A key that was forgotten meanwhile has everything back already.
        if let Some(used_until) = self.lock().get_mut(key)
            && let Some(before) = used_until.checked_sub(self.interval)
        {
            *used_until = before;
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Instant>> {
        // The map is whole between any two statements that change it.
        self.full_again.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Forgets the keys that have everything back, or where there is none, the one that is next to have.
fn forget_some(full_again: &mut HashMap<String, Instant>, now: Instant) {
    full_again.retain(|_, used_until| *used_until > now);
    // Whoever has used up least loses least by being forgotten; who has used up all stays known.
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

    /// A moment so many seconds after the first that was asked for.
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
