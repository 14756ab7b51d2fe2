//! The loop that sends queued mails, webhooks and notifications, several at a time. Each is claimed, sent and marked; if
//! a server dies in between, its lease expires and another server sends it again. A server that stops claims no more, and
//! waits for those that it is sending.

use std::convert::Infallible;
use std::future::pending;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::detached_tasks::DetachedTasks;
use crate::{Result, logged};

/// Pause after a failed claim: the store is rarely back within a moment.
const AFTER_FAILURE: Duration = Duration::from_secs(5);

/// What differs between the loops.
pub(crate) struct SendLoop {
    /// How many are sent at a time.
    pub(crate) places: usize,
    /// Poll interval of a server without work.
    pub(crate) idle: Duration,
    /// Log message if the next one could not be claimed.
    pub(crate) unclaimed: &'static str,
    /// Log message if the outcome of one could not be saved.
    pub(crate) unsaved: &'static str,
}

impl SendLoop {
    /// Sends for as long as the server runs. `claim` takes the next one that is due, if any; `send` sends it and saves
    /// the outcome, and fails only if the outcome could not be saved. `tasks` waits for the sends in progress when the
    /// server stops.
    pub(crate) async fn run<T, C, S>(
        &self,
        tasks: &DetachedTasks,
        claim: impl Fn() -> C,
        send: impl Fn(T) -> S,
    ) -> Infallible
    where
        C: Future<Output = Result<Option<T>>>,
        S: Future<Output = Result<()>> + Send + 'static,
    {
        let mut under_way = JoinSet::new();
        loop {
            // Finished tasks stay in the set until they are joined.
            while under_way.try_join_next().is_some() {}
            if under_way.len() >= self.places {
                let _ = under_way.join_next().await;
                continue;
            }
            // Held from the claim to the saved outcome, so that the database is not closed in between. The set stays
            // until the caller ends, because dropping it would abort what is being sent.
            let Some(held) = tasks.hold() else { return pending().await };
            match claim().await {
                Ok(Some(claimed)) => {
                    let (sending, unsaved) = (send(claimed), self.unsaved);
                    under_way.spawn(async move {
                        if let Err(error) = sending.await {
                            tracing::warn!(error = logged(&error), "{unsaved}");
                        }
                        drop(held);
                    });
                }
                Ok(None) => {
                    drop(held);
                    if under_way.is_empty() {
                        sleep(self.idle).await;
                    } else {
                        // When one ends, the next one to the same receiver may start.
                        let _ = timeout(self.idle, under_way.join_next()).await;
                    }
                }
                // The server has stopped without waiting for the claim.
                Err(error) if error.is_closed() => return pending().await,
                Err(error) => {
                    drop(held);
                    tracing::warn!(error = logged(&error), "{}", self.unclaimed);
                    sleep(AFTER_FAILURE).await;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex};

    use tokio::sync::Notify;
    use tokio::task::yield_now;

    use super::*;
    use crate::Error;

    const PLACES: usize = 8;
    const N: usize = 3 * PLACES;
    const SEND_LOOP: SendLoop =
        SendLoop { places: PLACES, idle: Duration::from_secs(1), unclaimed: "unclaimed", unsaved: "unsaved" };

    #[derive(Default)]
    struct Sent {
        numbers: Mutex<Vec<usize>>,
        at_once: AtomicUsize,
        most_at_once: AtomicUsize,
        all: Notify,
    }

    #[tokio::test]
    async fn all_are_sent_once_and_not_too_many_at_a_time() {
        let (seen, next) = (Arc::<Sent>::default(), AtomicUsize::new(0));
        let claim = || async {
            let number = next.fetch_add(1, Ordering::Relaxed);
            Ok((number < N).then_some(number))
        };
        let send = |number: usize| {
            let counts = Arc::clone(&seen);
            async move {
                let at_once = counts.at_once.fetch_add(1, Ordering::Relaxed) + 1;
                counts.most_at_once.fetch_max(at_once, Ordering::Relaxed);
                // Long enough for the loop to claim all that it may.
                for _ in 0..2 * PLACES {
                    yield_now().await;
                }
                counts.at_once.fetch_sub(1, Ordering::Relaxed);
                let mut numbers = counts.numbers.lock().unwrap();
                numbers.push(number);
                if numbers.len() == N {
                    counts.all.notify_one();
                }
                // One whose outcome is lost does not keep the others from being sent.
                if number.is_multiple_of(2) { Ok(()) } else { Err(Error::internal("a test")) }
            }
        };
        let tasks = DetachedTasks::default();
        tokio::select! {
            never = SEND_LOOP.run(&tasks, claim, send) => match never {},
            () = seen.all.notified() => {}
        }
        let mut numbers = seen.numbers.lock().unwrap().clone();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..N).collect::<Vec<_>>());
        assert_eq!(seen.most_at_once.load(Ordering::Relaxed), PLACES);
    }
    #[tokio::test]
    async fn a_stopping_server_finishes_what_it_sends_and_claims_no_more() {
        let (tasks, answered, next) =
            (DetachedTasks::default(), Arc::<Notify>::default(), AtomicUsize::new(0));
        let saved = Arc::<AtomicUsize>::default();
        let claim = || async { Ok(Some(next.fetch_add(1, Ordering::Relaxed))) };
        let send = |_| {
            let (answered, saved) = (Arc::clone(&answered), Arc::clone(&saved));
            async move {
                answered.notified().await;
                saved.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }
        };
        let stop = async {
            // The loop claims all that it may, and waits.
            while next.load(Ordering::Relaxed) < PLACES {
                yield_now().await;
            }
            let mut closing = pin!(tasks.close());
            assert!(
                timeout(Duration::from_millis(100), &mut closing).await.is_err(),
                "nothing is answered yet"
            );
            answered.notify_waiters();
            closing.await;
        };
        tokio::select! {
            never = SEND_LOOP.run(&tasks, claim, send) => match never {},
            () = stop => {}
        }
        assert_eq!((next.load(Ordering::Relaxed), saved.load(Ordering::Relaxed)), (PLACES, PLACES));
    }
}
