//! A limit in bytes on all photographs that are decoded at the same time.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Callers wait in the order of arrival, so that small photographs cannot delay a large one forever.
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
    /// Ticket that is served next.
    serving: u64,
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
        let number = state.arriving;
        state.arriving += 1;
        // Tickets keep the order: without them, small photographs would overtake a large one again and again.
        while state.serving != number || state.taken_bytes + bytes > self.limit_bytes {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        // Only now may the next caller check for room; later callers wait even if there is room for them.
        state.serving += 1;
        state.taken_bytes += bytes;
        drop(state);
        // There may be room for the next caller too.
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
    fn more_than_there_is_is_refused_and_the_rest_waits_its_turn() {
        let budget = Budget::new(100);
        assert!(budget.take(101).is_none());
        let first = budget.take(60).unwrap();
        let (sender, served) = mpsc::channel();
        thread::scope(|scope| {
            for (number, bytes) in [(1, 100), (2, 10)] {
                let (ours, sender) = (Arc::clone(&budget), sender.clone());
                scope.spawn(move || {
                    let _lease = ours.take(bytes).unwrap();
                    sender.send(number).unwrap();
                });
                while budget.state().arriving <= number {
                    thread::yield_now();
                }
            }
            // There is room for the second, but the first arrived earlier.
            assert!(served.try_recv().is_err());
            drop(first);
            assert_eq!((served.recv(), served.recv()), (Ok(1), Ok(2)));
        });
        assert_eq!(budget.state().taken_bytes, 0);
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
