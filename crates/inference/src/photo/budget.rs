//! A limit in bytes on all photographs that are decoded at the same time.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Photographs that need at most this fraction of the limit may exceed it together by the same fraction: a few huge ones
/// must not keep all others waiting.
const SMALL: u64 = 8;
/// How many may overtake one who waits: enough that small photographs need not wait for the memory of a huge one, and so
/// few that it is not delayed for long.
const MOST_OVERTAKING: u32 = 64;

/// Who finds room goes first, but nobody is overtaken by more than [`MOST_OVERTAKING`] others.
#[derive(Debug)]
pub(super) struct Budget {
    limit_bytes: u64,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    taken_bytes: u64,
    /// Ticket of the next caller.
    arriving: u64,
    /// Who waits, in the order of arrival.
    waiting: VecDeque<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    ticket: u64,
    n_overtaken: u32,
}

impl State {
    /// Place in the queue of who may take `bytes` now; `None` if they have to wait.
    fn place_if_free(&self, ticket: u64, bytes: u64, limit_bytes: u64) -> Option<usize> {
        let small_bytes = limit_bytes / SMALL;
        let limit_bytes = if bytes <= small_bytes { limit_bytes + small_bytes } else { limit_bytes };
        let place = self.waiting.iter().position(|waiting| waiting.ticket == ticket)?;
        let may_overtake =
            self.waiting.iter().take(place).all(|earlier| earlier.n_overtaken < MOST_OVERTAKING);
        (may_overtake && self.taken_bytes + bytes <= limit_bytes).then_some(place)
    }
}

impl Budget {
    pub(super) fn new(limit_bytes: u64) -> Arc<Self> {
        Arc::new(Self { limit_bytes, state: Mutex::default(), changed: Condvar::new() })
    }

    pub(super) fn limit_bytes(&self) -> u64 {
        self.limit_bytes
    }

    /// Waits until `bytes` are free and reserves them; `None` if they exceed the limit.
    ///
    /// A thread that holds a lease must not request another: it could wait for itself.
    pub(super) fn take(self: &Arc<Self>, bytes: u64) -> Option<Lease> {
        // It would wait forever, and all later callers with it.
        if bytes > self.limit_bytes {
            return None;
        }
        let mut state = self.state();
        let ticket = state.arriving;
        state.arriving += 1;
        state.waiting.push_back(Waiting { ticket, n_overtaken: 0 });
        let place = loop {
            if let Some(place) = state.place_if_free(ticket, bytes, self.limit_bytes) {
                break place;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        };
        state.waiting.remove(place);
        state.waiting.iter_mut().take(place).for_each(|earlier| earlier.n_overtaken += 1);
        state.taken_bytes += bytes;
        drop(state);
        // Nobody may have been allowed to overtake this one.
        self.changed.notify_all();
        Some(Lease { budget: Arc::clone(self), bytes })
    }

    fn give_back(&self, bytes: u64) {
        self.state().taken_bytes -= bytes;
        self.changed.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reserved bytes of a [`Budget`], released when dropped.
#[derive(Debug)]
pub(super) struct Lease {
    budget: Arc<Budget>,
    bytes: u64,
}

impl Lease {
    /// Releases all but `bytes`.
    pub(super) fn shrink_to(&mut self, bytes: u64) {
        let kept = bytes.min(self.bytes);
        self.budget.give_back(self.bytes - kept);
        self.bytes = kept;
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.budget.give_back(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    #[test]
    fn more_than_there_is_is_refused() {
        let budget = Budget::new(100);
        assert!(budget.take(101).is_none());
        assert!(budget.take(100).is_some());
        assert_eq!(budget.state().taken_bytes, 0);
    }

    #[test]
    fn a_small_photograph_overtakes_a_large_one_that_has_no_room_but_not_forever() {
        let budget = Budget::new(100);
        let first = budget.take(60).unwrap();
        let (sender, served) = mpsc::channel();
        thread::scope(|scope| {
            let wait = |name, bytes| {
                let n_before = budget.state().waiting.len();
                let (ours, sender) = (Arc::clone(&budget), sender.clone());
                scope.spawn(move || {
                    let _lease = ours.take(bytes).unwrap();
                    sender.send(name).unwrap();
                });
                while budget.state().waiting.len() == n_before {
                    thread::yield_now();
                }
            };
            wait("large", 100);
            for _ in 0..MOST_OVERTAKING {
                drop(budget.take(10).unwrap());
            }
            // There is room for it, but too many have overtaken the large one.
            wait("small", 10);
            assert!(served.try_recv().is_err());
            drop(first);
            assert_eq!((served.recv(), served.recv()), (Ok("large"), Ok("small")));
        });
        assert_eq!(budget.state().taken_bytes, 0);
    }

    #[test]
    fn a_small_photograph_needs_no_room_that_a_huge_one_holds() {
        let budget = Budget::new(80);
        let huge = budget.take(80).unwrap();
        let _small = budget.take(6).unwrap();
        let may_take = |bytes| {
            let mut state = budget.state();
            state.waiting.push_back(Waiting { ticket: u64::MAX, n_overtaken: 0 });
            let place = state.place_if_free(u64::MAX, bytes, 80);
            state.waiting.clear();
            place.is_some()
        };
        assert_eq!([4, 5, 10, 11].map(may_take), [true, false, false, false]);
        drop(huge);
        assert_eq!([10, 74, 75].map(may_take), [true, true, false]);
    }

    #[test]
    fn a_lease_can_shrink() {
        let budget = Budget::new(100);
        let mut lease = budget.take(100).unwrap();
        lease.shrink_to(30);
        assert!(budget.take(70).is_some());
        drop(lease);
        assert_eq!(budget.state().taken_bytes, 0);
    }
}
