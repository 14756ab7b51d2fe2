//! How many photographs are claimed together.
//!
//! A claim waits for the disk and for writes before it. With small claims, fast workers idle in the meantime; with
//! large ones, other servers idle, because they cannot take what this one has claimed. So the size is adapted until a
//! claim is half a second to two seconds of work, and the next claim is made when half of it is begun.

use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Minimum and maximum of photographs in a claim.
const LEAST: usize = 8;
const MOST: usize = 256;
/// If half a claim is begun sooner than this, the next claim comes too late: the size is doubled.
const SOON: Duration = Duration::from_millis(250);
/// If half a claim lasts longer than this, other servers are deprived of work: the size is halved.
const LATE: Duration = Duration::from_secs(1);

/// The size of the next claim.
pub(super) struct ClaimSize {
    n_workers: usize,
    state: Mutex<State>,
}

struct State {
    n: usize,
    /// Time of the last claim, if it found as many as requested; a smaller claim says nothing about the pace.
    full_at: Option<Instant>,
}

impl ClaimSize {
    /// Begins with two photographs per worker: one in work, and one for while the next are claimed.
    pub(super) fn new(n_workers: usize) -> Self {
        let state = State { n: (2 * n_workers).clamp(LEAST, MOST), full_at: None };
        Self { n_workers, state: Mutex::new(state) }
    }

    /// More are claimed when fewer than this are left.
    pub(super) fn refill(&self) -> usize {
        self.n_workers.max(self.with_state(|state| state.n / 2))
    }

    /// The size of the claim at `now`, when fewer than [`refill`](Self::refill) are left.
    pub(super) fn next(&self, now: Instant) -> NonZeroU32 {
        let n = self.with_state(|state| {
            if let Some(full_at) = state.full_at.take() {
                let lasted = now.saturating_duration_since(full_at);
                let n = if lasted < SOON {
                    2 * state.n
                } else if lasted > LATE {
                    state.n / 2
                } else {
                    state.n
                };
                state.n = n.clamp(LEAST, MOST);
            }
            state.n
        });
        u32::try_from(n).ok().and_then(NonZeroU32::new).unwrap_or(NonZeroU32::MIN)
    }

    /// Records that a claim of `wanted` photographs found `found` at `now`.
    pub(super) fn claimed(&self, wanted: NonZeroU32, found: usize, now: Instant) {
        let is_full = u32::try_from(found).is_ok_and(|found| found >= wanted.get());
        self.with_state(|state| state.full_at = is_full.then_some(now));
    }

    fn with_state<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        // A poisoned lock is safe to use: the two fields are independent.
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sizes of six claims, each made `lasted` after the previous one, which was full.
    fn sizes(n_workers: usize, lasted: Duration) -> [u32; 6] {
        let (size, mut now) = (ClaimSize::new(n_workers), Instant::now());
        std::array::from_fn(|_| {
            let n = size.next(now);
            size.claimed(n, n.get() as usize, now);
            now += lasted;
            n.get()
        })
    }

    #[test]
    fn a_claim_grows_while_it_is_begun_quickly_and_shrinks_while_it_is_not() {
        let cases = [
            ("quick", 4, 10, [8, 16, 32, 64, 128, 256]),
            ("neither", 8, 500, [16; 6]),
            ("slow", 64, 2000, [128, 64, 32, 16, 8, 8]),
            ("many cores", 200, 10, [256; 6]),
        ];
        for (name, n_workers, milliseconds, expected) in cases {
            assert_eq!(sizes(n_workers, Duration::from_millis(milliseconds)), expected, "{name}");
        }
    }

    #[test]
    fn a_claim_that_found_few_says_nothing_of_the_pace() {
        let (size, now) = (ClaimSize::new(4), Instant::now());
        let n = size.next(now);
        size.claimed(n, 3, now);
        assert_eq!(size.next(now).get(), 8);
    }

    #[test]
    fn more_are_claimed_when_half_are_begun_or_fewer_are_left_than_workers() {
        assert_eq!(ClaimSize::new(1).refill(), 4);
        assert_eq!(ClaimSize::new(200).refill(), 200);
    }
}
