use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{Mutex as Turn, OwnedMutexGuard};

/// Serialises requests for the same thing. Within this process only: two servers on one database may each do the same
/// work at once.
#[derive(Debug)]
pub(crate) struct OneAtATime<K>(Mutex<HashMap<K, Weak<Turn<()>>>>);

impl<K> Default for OneAtATime<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash> OneAtATime<K> {
    /// Waits until nobody else holds the turn for `wanted`; the caller holds it until the returned guard is dropped.
    pub(crate) async fn enter(&self, wanted: K) -> OwnedMutexGuard<()> {
        let turn = {
            let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            // Only holders and waiters have a reference, so unused turns are removed here.
            turns.retain(|_, turn| turn.strong_count() > 0);
            let turn = turns.get(&wanted).and_then(Weak::upgrade).unwrap_or_default();
            turns.insert(wanted, Arc::downgrade(&turn));
            turn
        };
        // The lock on the list is released by now, so that others do not wait for this turn.
        turn.lock_owned().await
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    #[tokio::test]
    async fn the_same_waits_and_others_do_not() {
        let turns = OneAtATime::default();
        let first = turns.enter("oil").await;
        let _other = turns.enter("guide").await;
        assert!(timeout(Duration::from_millis(20), turns.enter("oil")).await.is_err());
        drop(first);
        drop(turns.enter("oil").await);
        let _again = turns.enter("oil").await;
        assert_eq!(turns.0.lock().unwrap().len(), 2);
    }
}
