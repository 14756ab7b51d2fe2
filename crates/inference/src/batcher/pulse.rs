//! Whether the process as a whole has stood still.

use std::time::{Duration, Instant};

/// A watchdog that comes so late was held up itself, and what it watches with it: by Ctrl-Z, or with its container or
/// virtual machine.
const HELD_UP: Duration = Duration::from_secs(5);

/// When the watchdog looked last.
pub(super) struct Pulse {
    looked: Instant,
    resumed: Option<Instant>,
}

impl Pulse {
    pub(super) fn new(now: Instant) -> Self {
        Self { looked: now, resumed: None }
    }

    /// Notes that the watchdog looks `now`; returns when the process last went on after it had stood still.
    pub(super) fn beat(&mut self, now: Instant) -> Option<Instant> {
        if now.saturating_duration_since(self.looked) > HELD_UP {
            self.resumed = Some(now);
        }
        self.looked = now;
        self.resumed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_of_the_process_is_noticed_and_a_late_look_is_none() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut pulse = Pulse::new(start);
        assert_eq!(pulse.beat(at(1)), None);
        assert_eq!(pulse.beat(at(4)), None);
        assert_eq!(pulse.beat(at(60)), Some(at(60)));
        assert_eq!(pulse.beat(at(61)), Some(at(60)));
    }
}
