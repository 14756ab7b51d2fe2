use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{Mutex as Turn, OwnedMutexGuard};

/// Lets those who want the same go one after the other. In this process only: two servers on one database may each ask
/// the same at the same moment.
#[derive(Debug)]
pub(crate) struct OneAtATime<K>(Mutex<HashMap<K, Weak<Turn<()>>>>);

impl<K> Default for OneAtATime<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash> OneAtATime<K> {
    /// Waits until nobody else is in for `wanted`; they are until they drop what this gives.
    pub(crate) async fn enter(&self, wanted: K) -> OwnedMutexGuard<()> {
        let turn = {
            let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            // Only those who are in hold a turn, so that what nobody wants any more is swept out here.
            turns.retain(|_, turn| turn.strong_count() > 0);
            let turn = turns.get(&wanted).and_then(Weak::upgrade).unwrap_or_default();
            turns.insert(wanted, Arc::downgrade(&turn));
            turn
        };
        // The list is free again by now, so that others do not wait for this one.
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
