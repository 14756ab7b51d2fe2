//! The threads that decode photographs.

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::admission::SECOND_LOOK_WAIT;
use crate::limits::person::Person;
use crate::limits::turns::Turns;
use crate::{Error, Result};

/// Decoding threads with a queue for each person, served as [`Turns`] says: a scan has its turn of the machine, but more turns
/// than threads exist, and decoding one photograph can take a hundred times as long as another.
pub(super) struct DecodingThreads {
    pool: ThreadPool,
    /// One turn for each thread.
    turns: Turns,
}

impl DecodingThreads {
    /// One for each of `n_cores`, so that one person can keep all cores busy, and one more, which [`Turns`] leaves for
    /// somebody else.
    ///
    /// # Errors
    /// [`Error::Internal`] if the threads cannot be started.
    pub(super) fn new(n_cores: usize) -> Result<Self> {
        let n = n_cores + 1;
        let pool = ThreadPoolBuilder::new()
            .num_threads(n)
            .thread_name(|index| format!("decode-{index}"))
            // A panic must only fail one request; the default would abort the process.
            .panic_handler(|_| tracing::error!("preparing a photograph panicked"))
            .build()
            .map_err(Error::internal)?;
        Ok(Self { pool, turns: Turns::new(n, n) })
    }

    /// Waits for a thread, and begins `work` of `person` on it.
    ///
    /// # Errors
    /// [`Error::Busy`] if no thread is free in time.
    pub(super) async fn begin(&self, person: Person, work: impl FnOnce() + Send + 'static) -> Result<()> {
        let turn = self.turns.turn(person, SECOND_LOOK_WAIT).await?;
        self.pool.spawn(move || {
            // Held until the work is done, even if the caller is cancelled: the thread is busy.
            let _turn = turn;
            work();
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Barrier};
    use std::time::Duration;

    use tokio::sync::oneshot;
    use tokio::time::timeout;

    use super::*;

    const ATTACKER: Person = Person::number(1);
    const OTHER: Person = Person::number(2);

    #[tokio::test]
    async fn slow_photographs_of_one_person_leave_a_thread_for_the_next() {
        let threads = DecodingThreads::new(2).unwrap();
        let begun_by_other = || async {
            let (sender, receiver) = oneshot::channel();
            threads.begin(OTHER, move || sender.send(()).unwrap()).await.unwrap();
            receiver.await.unwrap();
        };
        begun_by_other().await;
        let end = Arc::new(Barrier::new(3));
        for _ in 0..2 {
            let end = Arc::clone(&end);
            let work = move || {
                end.wait();
            };
            threads.begin(ATTACKER, work).await.unwrap();
        }
        // A third of theirs waits, although a thread is free.
        let third = timeout(Duration::from_millis(20), threads.begin(ATTACKER, || ())).await;
        assert!(third.is_err());
        begun_by_other().await;
        end.wait();
    }
}
