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
        // Two that began at the same moment are alike, so that either may go.
        if let Some(at) = self.running.iter().position(|running| *running == began) {
            self.running.swap_remove(at);
        }
    }

    /// How long a turn took lately; nothing before the first has ended.
    pub(super) fn usual(&self) -> Duration {
        self.mean.unwrap_or_default()
    }

    /// How long a turn takes at this moment: the harmonic mean of those that run, each of which takes no less than it has
    /// run for. So a turn that is stuck counts as one that is not there, and where all are stuck nothing moves on.
    pub(super) fn at(&self, now: Instant) -> Duration {
        let usual = self.usual();
        let longest = |began: &Instant| usual.max(now.duration_since(*began)).as_secs_f64();
        let turns_a_second: f64 = self.running.iter().map(|began| longest(began).recip()).sum();
        // Infinite before the first turn has ended, on a clock that has not moved on.
        if self.running.is_empty() || turns_a_second.is_infinite() {
            return usual;
        }
        Duration::from_secs_f64(self.running.len() as f64 / turns_a_second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_that_is_stuck_counts_as_one_that_is_not_there() {
        let (usual, long) = (Duration::from_millis(100), Duration::from_secs(30));
        let start = Instant::now();
        let now = start + long;
        let mut pace = Pace::default();
        assert_eq!(pace.at(now), Duration::ZERO);
        pace.begin(start);
        pace.begin(now);
        assert_eq!(pace.at(now), Duration::ZERO, "nothing is known of the one that has just begun");
        pace.end(now, now + usual);
        for (n_others, expected_ms) in [(0, 30_000), (1, 199), (3, 133)] {
            let mut pace = Pace { mean: pace.mean, running: vec![now; n_others] };
            pace.begin(start);
            assert_eq!(pace.at(now).as_millis(), expected_ms, "beside {n_others} that go on");
        }
        let stuck = Pace { mean: pace.mean, running: vec![start; 4] };
        assert_eq!(stuck.at(now), long);
    }
}
