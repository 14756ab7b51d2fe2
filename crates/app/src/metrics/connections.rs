//! The connections that are open.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many connections are open. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct OpenConnections(Arc<AtomicUsize>);

/// Counts as one connection until it is dropped.
#[derive(Debug)]
pub struct OpenConnection(Arc<AtomicUsize>);

impl OpenConnections {
    /// Counts one more, for as long as what is returned lives.
    #[must_use]
    pub fn open(&self) -> OpenConnection {
        // Relaxed, because the count orders no other memory.
        self.0.fetch_add(1, Ordering::Relaxed);
        OpenConnection(Arc::clone(&self.0))
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
