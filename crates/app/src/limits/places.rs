//! A bounded number of places, which nobody can take all of.
//!
//! A fixed share for each person would either leave places empty or let a few people take all. Here the share follows
//! the number of free places (Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory packet
//! switches", 1998): a single holder gets many, each of many holders gets few, and some are always left for the next
//! one.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{Error, Result};

/// How many places one holder may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// As many as are free: a single holder gets half of all, each of `n` holders one in `n + 1`.
    OfFree,
    /// Half as many as are free: a single holder gets a third of all, each of `n` holders one in `n + 2`.
    HalfOfFree,
}

/// Places that are held by holders of type `K`, such as accounts or addresses.
pub struct Places<K>(Arc<Shared<K>>);

struct Shared<K> {
    capacity: usize,
    share: Share,
    least: usize,
    taken: Mutex<Taken<K>>,
}

struct Taken<K> {
    n: usize,
    by_holder: HashMap<K, usize>,
}

/// One place or several, held until this is dropped.
pub struct Place<K: Eq + Hash> {
    shared: Arc<Shared<K>>,
    holder: K,
    n: usize,
}

impl<K: Eq + Hash + Clone> Places<K> {
    /// `capacity` places, of which a holder may have `share`, and at least `least` while any are free.
    pub fn new(capacity: usize, share: Share, least: usize) -> Self {
        let taken = Mutex::new(Taken { n: 0, by_holder: HashMap::new() });
        Self(Arc::new(Shared { capacity, share, least, taken }))
    }

    /// Takes a place.
    ///
    /// # Errors
    /// [`Error::Busy`] when none is free, or the holder has its share.
    pub fn take(&self, holder: K) -> Result<Place<K>> {
        self.take_several(holder, 1)
    }

    /// Takes `n` places or none.
    ///
    /// # Errors
    /// [`Error::Busy`] when fewer are free, or the holder would exceed its share.
    pub fn take_several(&self, holder: K, n: usize) -> Result<Place<K>> {
        self.take_beside(holder, n, 0)
    }

    /// As [`take_several`](Self::take_several), but leaves `n_for_others` places free for others.
    ///
    /// # Errors
    /// [`Error::Busy`].
    pub fn take_beside(&self, holder: K, n: usize, n_for_others: usize) -> Result<Place<K>> {
        let mut taken = self.0.lock();
        let free = self.0.capacity.saturating_sub(taken.n).saturating_sub(n_for_others);
        let share = match self.0.share {
            Share::OfFree => free,
            Share::HalfOfFree => free / 2,
        };
        let held = taken.by_holder.get(&holder).copied().unwrap_or(0);
        if n > free || (held + n).saturating_sub(1) >= share.max(self.0.least) {
            return Err(Error::Busy);
        }
        taken.n += n;
        taken.by_holder.insert(holder.clone(), held + n);
        Ok(Place { shared: Arc::clone(&self.0), holder, n })
    }

    /// Places that are held.
    pub fn n_taken(&self) -> usize {
        self.0.lock().n
    }

    /// Whether anybody else holds a place.
    pub(crate) fn has_others_than(&self, holder: &K) -> bool {
        let taken = self.0.lock();
        taken.n > taken.by_holder.get(holder).copied().unwrap_or(0)
    }
}

impl<K> Shared<K> {
    fn lock(&self) -> MutexGuard<'_, Taken<K>> {
        // Both numbers change together, and nothing between can panic.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq + Hash> Drop for Place<K> {
    fn drop(&mut self) {
        let mut taken = self.shared.lock();
        taken.n -= self.n;
        if let Some(held) = taken.by_holder.get_mut(&self.holder) {
            *held -= self.n;
            if *held == 0 {
                // Holders without a place have no entry, so that the map is bounded by the number of places.
                taken.by_holder.remove(&self.holder);
            }
        }
    }
}

impl<K> Clone for Places<K> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K> fmt::Debug for Places<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Places").field("capacity", &self.0.capacity).finish_non_exhaustive()
    }
}

impl<K: Eq + Hash> fmt::Debug for Place<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Place")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take_all(places: &Places<&'static str>, holder: &'static str) -> Vec<Place<&'static str>> {
        std::iter::from_fn(|| places.take(holder).ok()).collect()
    }

    #[test]
    fn whoever_is_alone_gets_half_and_leaves_as_much_to_the_next() {
        let places = Places::new(64, Share::OfFree, 2);
        let ann = take_all(&places, "ann");
        let bob = take_all(&places, "bob");
        let eve = take_all(&places, "eve");
        assert_eq!((ann.len(), bob.len(), eve.len()), (32, 16, 8));
        assert!(places.has_others_than(&"ann"));
        // The places that Ann releases are for everybody, and mostly for holders with the fewest.
        drop(ann);
        assert_eq!((take_all(&places, "eve").len(), take_all(&places, "bob").len()), (16, 4));
    }

    #[test]
    fn half_of_what_is_free_leaves_a_colleague_as_much() {
        let places = Places::new(128, Share::HalfOfFree, 5);
        let ann = take_all(&places, "ann");
        assert_eq!(ann.len(), 43);
        assert!(take_all(&places, "bob").len() >= 28);
    }

    #[test]
    fn several_places_are_taken_together_or_not_at_all() {
        let places = Places::new(100, Share::OfFree, 10);
        let ann = places.take_several("ann", 40).unwrap();
        assert!(matches!(places.take_several("ann", 21), Err(Error::Busy)), "more than are free to her");
        assert_eq!(places.n_taken(), 40);
        let bob = places.take_several("bob", 60).unwrap();
        assert!(matches!(places.take("eve"), Err(Error::Busy)));
        drop((ann, bob));
        assert!(places.take_several("eve", 101).is_err());
        assert!(places.0.lock().by_holder.is_empty() && places.n_taken() == 0);
    }

    #[test]
    fn some_places_can_be_left_to_whoever_goes_first() {
        let places = Places::new(8, Share::OfFree, 8);
        let beside: Vec<_> = std::iter::from_fn(|| places.take_beside("ann", 1, 3).ok()).collect();
        assert_eq!(beside.len(), 5);
        assert_eq!(take_all(&places, "bob").len(), 3);
    }

    #[test]
    fn few_places_are_for_whoever_comes_first_and_none_is_given_twice() {
        let places = Places::new(2, Share::OfFree, 2);
        let mut ann = take_all(&places, "ann");
        assert_eq!(ann.len(), 2);
        assert!(matches!(places.take("bob"), Err(Error::Busy)));
        assert!(!places.has_others_than(&"ann"));
        ann.pop();
        assert_eq!(take_all(&places, "bob").len(), 1);
        drop(ann);
        assert!(places.0.lock().by_holder.is_empty() && places.0.lock().n == 0);
    }
}
