//! Detects that the whole process was suspended.

use std::time::{Duration, Instant};

/// If the watchdog runs this much late, the process itself was suspended: by Ctrl-Z, or with its container or
/// virtual machine.
const HELD_UP: Duration = Duration::from_secs(5);

/// Time of the last check of the watchdog.
pub(super) struct Pulse {
    looked: Instant,
    resumed: Option<Instant>,
}

impl Pulse {
    pub(super) fn new(now: Instant) -> Self {
        Self { looked: now, resumed: None }
    }

    /// Records a check at `now`; returns when the process last resumed after a suspension.
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
