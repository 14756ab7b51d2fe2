//! A circuit breaker: stops calls to a service that has failed several times in a row.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

/// While closed, it admits every call. After `limit` failures in a row it opens and admits none for `open_for`.
/// Then a single call is admitted as a probe: its success closes the breaker, its failure opens it again.
#[derive(Debug)]
pub(crate) struct Breaker {
    limit: u32,
    open_for: Duration,
    state: Mutex<State>,
    probe_ended: Notify,
}

#[derive(Debug, Default)]
struct State {
    failures: u32,
    open_until: Option<Instant>,
    is_probing: bool,
}

/// Permission for one call. If it is dropped without a reported outcome, because the caller was cancelled, it
/// counts neither as a success nor as a failure, and another probe may begin.
#[derive(Debug)]
pub(crate) struct Pass<'b> {
    breaker: &'b Breaker,
    is_probe: bool,
}

impl Breaker {
    pub(crate) fn new(limit: u32, open_for: Duration) -> Self {
        Self { limit: limit.max(1), open_for, state: Mutex::default(), probe_ended: Notify::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Permission for a call at `now`; `None` while the breaker is open or a probe is under way.
    pub(crate) fn enter(&self, now: Instant) -> Option<Pass<'_>> {
        let mut state = self.state();
        let is_probe = match state.open_until {
            None => false,
            // One probe at a time: a service that has just recovered must not get all waiting calls at once.
            Some(until) if until > now || state.is_probing => return None,
            Some(_) => true,
        };
        state.is_probing |= is_probe;
        Some(Pass { breaker: self, is_probe })
    }

    /// Waits for the end of a probe that is under way. Returns at once if there is none, or if the breaker is open.
    pub(crate) async fn settled(&self) {
        loop {
            // Registered before the state is read, so that a probe that ends in between is not missed.
            let ended = self.probe_ended.notified();
            if !self.is_half_open(Instant::now()) {
                return;
            }
            ended.await;
        }
    }

    /// Whether the open time has passed and a probe is running.
    fn is_half_open(&self, now: Instant) -> bool {
        let state = self.state();
        state.is_probing && state.open_until.is_some_and(|until| until <= now)
    }

    /// Whether no call will be admitted for a while from `now` on, not even as a probe.
    pub(crate) fn is_resting(&self, now: Instant) -> bool {
        self.state().open_until.is_some_and(|until| until > now)
    }

    /// Whether no call is admitted at `now`.
    pub(crate) fn is_open(&self, now: Instant) -> bool {
        let state = self.state();
        state.open_until.is_some_and(|until| until > now || state.is_probing)
    }
}

impl Pass<'_> {
    pub(crate) fn succeeded(self) {
        let mut state = self.breaker.state();
        // Even if the call began before the breaker opened: the service has answered.
        (state.failures, state.open_until) = (0, None);
    }

    /// Counts a failure; the failure of a probe keeps the breaker open. `wait` is the `Retry-After` of the service,
    /// which opens the breaker after a single failure. Returns whether this failure opened the breaker.
    pub(crate) fn failed(self, wait: Option<Duration>, now: Instant) -> bool {
        let mut state = self.breaker.state();
        let was_closed = state.open_until.is_none();
        state.failures = state.failures.saturating_add(1);
        if self.is_probe || wait.is_some() || state.failures >= self.breaker.limit {
            // At least a second: with 0 the breaker would not open at all.
            let open_for = wait.map_or(self.breaker.open_for, |wait| wait.max(Duration::from_secs(1)));
            // A shorter wait from another call does not shorten this one.
            state.open_until = state.open_until.max(Some(now + open_for));
        }
        was_closed && state.open_until.is_some()
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        // In the destructor, so that a cancelled probe does not block further probes.
        if self.is_probe {
            self.breaker.state().is_probing = false;
            self.breaker.probe_ended.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::timeout;

    use super::*;

    #[test]
    fn it_opens_after_failures_in_a_row_and_lets_one_probe_through() {
        let breaker = Breaker::new(3, Duration::from_secs(30));
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        for _ in 0..2 {
            breaker.enter(at(0)).unwrap().failed(None, at(0));
        }
        breaker.enter(at(0)).unwrap().succeeded();
        for is_last in [false, false, true] {
            assert!(!breaker.is_open(at(0)));
            assert_eq!(breaker.enter(at(0)).unwrap().failed(None, at(0)), is_last);
        }
        assert!(breaker.enter(at(29)).is_none() && breaker.is_open(at(29)));
        assert!(breaker.is_resting(at(29)) && !breaker.is_resting(at(30)));
        let probe = breaker.enter(at(30)).unwrap();
        assert!(breaker.enter(at(30)).is_none());
        assert!(breaker.is_open(at(30)) && !breaker.is_resting(at(30)));
        assert!(!probe.failed(None, at(31)), "it was open before");
        assert!(breaker.enter(at(60)).is_none());
        // After a probe is dropped, another is admitted.
        drop(breaker.enter(at(61)).unwrap());
        breaker.enter(at(61)).unwrap().succeeded();
        assert!(breaker.enter(at(61)).is_some() && breaker.enter(at(61)).is_some());
    }

    #[tokio::test]
    async fn the_end_of_a_probe_can_be_waited_for_and_an_outage_is_not() {
        let breaker = Breaker::new(1, Duration::from_secs(30));
        let now = Instant::now();
        breaker.settled().await;
        // An open breaker does not make callers wait.
        breaker.enter(now).unwrap().failed(None, now);
        breaker.settled().await;
        let breaker = Breaker::new(1, Duration::ZERO);
        breaker.enter(now).unwrap().failed(None, now);
        let probe = breaker.enter(Instant::now()).unwrap();
        assert!(timeout(Duration::from_millis(20), breaker.settled()).await.is_err());
        let ((), ()) = tokio::join!(breaker.settled(), async { probe.succeeded() });
        assert!(breaker.enter(Instant::now()).is_some_and(|pass| !pass.is_probe));
    }

    #[test]
    fn a_service_that_asks_for_time_gets_it() {
        let breaker = Breaker::new(5, Duration::from_secs(30));
        let start = Instant::now();
        breaker.enter(start).unwrap().failed(Some(Duration::from_mins(2)), start);
        assert!(breaker.enter(start + Duration::from_secs(119)).is_none());
        assert!(breaker.enter(start + Duration::from_mins(2)).is_some());
    }
}
