//! The memory of long answers until they are sent. See docs/decisions/0164-turns-to-read.md.

use partsight_app::{Error, Person, Place, Places, Share};

/// Large answers that are in memory at a time, in bytes, and how much of that an account may always have.
const MEMORY: u64 = 256 << 20;
const LEAST_MEMORY: u64 = 32 << 20;
/// The unit in which memory is counted, in bytes.
const PIECE: u64 = 64 << 10;

/// The memory of large answers that are being sent.
#[derive(Debug, Clone)]
pub(crate) struct AnswerMemory(Places<Person>);

impl Default for AnswerMemory {
    fn default() -> Self {
        Self(Places::new(pieces(MEMORY), Share::OfFree, pieces(LEAST_MEMORY)))
    }
}

impl AnswerMemory {
    /// Takes the memory of an answer of `n_bytes`. One that is larger than a quarter of all counts as a quarter, so
    /// that it can be sent at all.
    ///
    /// # Errors
    /// [`Error::Busy`] if too little is free, or the person has their share.
    pub(crate) fn take(&self, person: Person, n_bytes: u64) -> Result<Place<Person>, Error> {
        self.0.take_several(person, pieces(n_bytes.min(MEMORY / 4)))
    }
}

fn pieces(n_bytes: u64) -> usize {
    usize::try_from(n_bytes.div_ceil(PIECE)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use partsight_domain::UserId;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn nobody_has_all_memory_and_the_largest_answer_can_be_sent() {
        let memory = AnswerMemory::default();
        let person = |number| Person::from(UserId(Uuid::from_u128(number)));
        let take_all = |number| {
            let take = || memory.take(person(number), 21 << 20).ok();
            std::iter::from_fn(take).collect::<Vec<_>>()
        };
        let ann = take_all(1);
        assert_eq!(ann.len(), 6);
        let (bob, eve) = (take_all(2), take_all(3));
        assert!(bob.len() >= 2 && !eve.is_empty(), "{} {}", bob.len(), eve.len());
        drop((ann, bob, eve));
        drop(memory.take(person(1), u64::MAX).unwrap());
    }
}
