//! How long turns take.

use std::time::Duration;

use tokio::time::Instant;

/// How much a turn that ends counts, in one part of so many: what changes lastingly is believed after some ten turns.
const MEMORY: u32 = 8;

/// How long turns take, by those that ended lately and by those that run.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Mean of the turns that ended, the last ones counting most (exponentially weighted); `None` before the first.
    mean: Option<Duration>,
    /// When those that run began.
    running: Vec<Instant>,
}

impl Pace {
    pub(super) fn begin(&mut self, at: Instant) {
        self.running.push(at);
    }

    pub(super) fn end(&mut self, began: Instant, now: Instant) {
        self.forget(began);
        let took = now.duration_since(began);
        self.mean = Some(self.mean.map_or(took, |mean| (mean * (MEMORY - 1) + took) / MEMORY));
    }

    /// Takes a turn back that was not used.
    pub(super) fn forget(&mut self, began: Instant) {
        if let Some(at) = self.running.iter().position(|running| *running == began) {
            self.running.swap_remove(at);
        }
    }

    /// How long a turn took lately; nothing before the first has ended.
    pub(super) fn usual(&self) -> Duration {
        self.mean.unwrap_or_default()
    }

    /// How long a turn takes now: no less than the one that has run longest, which may be stuck.
    pub(super) fn now(&self) -> Duration {
        let longest = self.running.iter().map(Instant::elapsed).max().unwrap_or_default();
        self.usual().max(longest)
    }
}
