//! Duration of turns.

use std::time::Duration;

use tokio::time::Instant;

/// The weight of a new duration is one in this many: a lasting change is followed after some ten turns.
const MEMORY: u32 = 8;

/// Duration of turns, from those that ended recently and those that run.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Exponentially weighted mean of the turns that ended; `None` before the first.
    mean: Option<Duration>,
    /// Start times of the running turns.
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

    /// Removes a turn that was not used.
    pub(super) fn forget(&mut self, began: Instant) {
        // Turns that began at the same time are interchangeable.
        if let Some(at) = self.running.iter().position(|running| *running == began) {
            self.running.swap_remove(at);
        }
    }

    /// Recent duration of a turn; zero before the first has ended.
    pub(super) fn usual(&self) -> Duration {
        self.mean.unwrap_or_default()
    }

    /// Current duration of a turn: the harmonic mean over the running ones, each of which takes at least as long as it
    /// has already run. So a stuck turn counts as if it did not exist, and if all are stuck, the duration keeps
    /// growing.
    pub(super) fn at(&self, now: Instant) -> Duration {
        let usual = self.usual();
        let longest = |began: &Instant| usual.max(now.duration_since(*began)).as_secs_f64();
        let turns_a_second: f64 = self.running.iter().map(|began| longest(began).recip()).sum();
        // Infinite before the first turn has ended, if the clock has not advanced.
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
