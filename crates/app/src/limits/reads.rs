use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
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
    _permit: OwnedSemaphorePermit,
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
        match timeout(self.wait, turns.acquire_owned()).await {
            Ok(Ok(permit)) => Ok(ReadTurn { person, _permit: permit }),
            // The semaphore is never closed.
            _ => Err(Error::Busy),
        }
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
}
