//! How many lines a program writes into its log.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// A subscriber that counts the lines of one level. Clones share the count.
#[derive(Clone)]
pub struct LineCount {
    level: Level,
    target: Option<&'static str>,
    n: Arc<AtomicUsize>,
}

impl LineCount {
    /// Counts the lines of this level.
    pub fn of(level: Level) -> Self {
        Self { level, target: None, n: Arc::default() }
    }

    /// Counts those of one module alone.
    #[must_use]
    pub fn in_module(self, path: &'static str) -> Self {
        Self { target: Some(path), ..self }
    }

    /// Lines so far.
    pub fn n(&self) -> usize {
        self.n.load(Ordering::SeqCst)
    }
}

impl Subscriber for LineCount {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() == self.level && self.target.is_none_or(|target| metadata.target() == target)
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn event(&self, _: &Event<'_>) {
        self.n.fetch_add(1, Ordering::SeqCst);
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}
