use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task_local;
use tokio::time::timeout;

use crate::limits::person::Person;
use crate::{Error, Result};

/// Reads of one person at a time: half of the connections for reading that a server has by default.
const AT_A_TIME: usize = 4;
/// How long a read waits for its turn.
const WAIT: Duration = Duration::from_secs(10);

/// Lets each person read a few things at a time, so that the long lists of one leave connections to the database, and
/// time of the processor, to everybody else.
#[derive(Debug)]
pub(crate) struct Reads {
    wait: Duration,
    turns: Mutex<HashMap<Person, Weak<Semaphore>>>,
}

/// A turn to read, which ends when it is dropped.
#[derive(Debug)]
pub struct ReadTurn {
    /// Whose it is.
    pub person: Person,
    permit: OwnedSemaphorePermit,
}

/// Where a call that only reads keeps its turn.
#[derive(Debug, Clone, Default)]
pub struct HeldTurn(Arc<Mutex<Option<ReadTurn>>>);

task_local! {
    static HELD: HeldTurn;
}

impl HeldTurn {
    /// Runs a call that only reads, which keeps its turn here.
    pub async fn during<T>(&self, call: impl Future<Output = T>) -> T {
        HELD.scope(self.clone(), call).await
    }

    /// The turn, if one was taken.
    pub fn take(&self) -> Option<ReadTurn> {
        self.lock().take()
    }

    fn lock(&self) -> MutexGuard<'_, Option<ReadTurn>> {
        // A poisoned lock is safe to use: each change is a single operation.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits for an outside service without the turn of this call, if it has one, and takes it again: four slow answers
/// must not keep a person from reading. Nothing that `wait` does may read much from the database.
///
/// # Errors
/// [`Error::Busy`] if the turn does not come in ten seconds.
pub(crate) async fn outside<T>(wait: impl Future<Output = T>) -> Result<T> {
    let held = HELD.try_with(HeldTurn::clone).ok();
    let Some((held, turn)) = held.and_then(|held| held.take().map(|turn| (held, turn))) else {
        return Ok(wait.await);
    };
    let (person, turns) = (turn.person, Arc::clone(turn.permit.semaphore()));
    drop(turn);
    let answer = wait.await;
    let turn = ReadTurn::of(person, turns, WAIT).await?;
    *held.lock() = Some(turn);
    Ok(answer)
}

impl ReadTurn {
    async fn of(person: Person, turns: Arc<Semaphore>, wait: Duration) -> Result<Self> {
        match timeout(wait, turns.acquire_owned()).await {
            Ok(Ok(permit)) => Ok(Self { person, permit }),
            // The semaphore is never closed.
            _ => Err(Error::Busy),
        }
    }
}

impl Default for Reads {
    fn default() -> Self {
        Self { wait: WAIT, turns: Mutex::default() }
    }
}

impl Reads {
    /// Waits for a turn of `person`, behind their own only.
    ///
    /// # Errors
    /// [`Error::Busy`] when it does not come in ten seconds.
    pub(crate) async fn turn(&self, person: Person) -> Result<ReadTurn> {
        let turns = {
            let mut all = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
            // Only turns and those who wait for one have a reference, so unused entries are removed here.
            all.retain(|_, turns| turns.strong_count() > 0);
            let turns = all.get(&person).and_then(Weak::upgrade);
            let turns = turns.unwrap_or_else(|| Arc::new(Semaphore::new(AT_A_TIME)));
            all.insert(person, Arc::downgrade(&turns));
            turns
        };
        ReadTurn::of(person, turns, self.wait).await
    }

    /// Takes a turn of `person` for the call that is running, if it only reads and has none yet.
    ///
    /// # Errors
    /// As [`turn`](Self::turn).
    pub(crate) async fn take_for_call(&self, person: Person) -> Result<()> {
        if let Ok(held) = HELD.try_with(HeldTurn::clone)
            && held.lock().is_none()
        {
            let turn = self.turn(person).await?;
            *held.lock() = Some(turn);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANN: Person = Person::number(1);
    const BOB: Person = Person::number(2);

    #[tokio::test]
    async fn a_person_waits_behind_their_own_reads_only() {
        let reads = Reads { wait: Duration::from_millis(20), ..Reads::default() };
        let mut of_ann = Vec::new();
        for _ in 0..AT_A_TIME {
            of_ann.push(reads.turn(ANN).await.unwrap());
        }
        assert!(matches!(reads.turn(ANN).await, Err(Error::Busy)));
        drop(reads.turn(BOB).await.unwrap());
        let (next, ()) = tokio::join!(reads.turn(ANN), async { drop(of_ann.pop()) });
        drop(next.unwrap());
        drop(of_ann);
        drop(reads.turn(BOB).await.unwrap());
        assert_eq!(reads.turns.lock().unwrap().len(), 1);
    }
    #[tokio::test]
    async fn a_call_that_waits_outside_keeps_nobody_from_reading() {
        let reads = Reads { wait: Duration::from_millis(20), ..Reads::default() };
        let others: Vec<_> = [reads.turn(ANN).await, reads.turn(ANN).await, reads.turn(ANN).await].into();
        let held = HeldTurn::default();
        held.during(async {
            reads.take_for_call(ANN).await.unwrap();
            reads.take_for_call(ANN).await.unwrap();
            assert!(reads.turn(ANN).await.is_err(), "one turn, which it has until it waits");
            let read = outside(async { reads.turn(ANN).await.map(drop) }).await.unwrap();
            read.unwrap();
            assert!(reads.turn(ANN).await.is_err(), "it has its turn again");
        })
        .await;
        assert_eq!(held.take().map(|turn| turn.person), Some(ANN));
        drop(others);
        reads.take_for_call(ANN).await.unwrap();
        assert_eq!(outside(async { 1 }).await.unwrap(), 1, "outside of a call that reads");
    }
}
