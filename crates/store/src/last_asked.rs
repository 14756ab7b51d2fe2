use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Minimum time between two queries of a server that is short of connections, and between two log entries about it.
const ASK_EVERY: Duration = Duration::from_mins(1);

/// When the server was last queried.
#[derive(Debug, Default)]
pub(crate) struct LastAsked(Mutex<Option<Instant>>);

impl LastAsked {
    /// Whether the server may be queried now. If so, this counts as a query.
    pub(crate) fn may_ask(&self, now: Instant) -> bool {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let may_ask = last.is_none_or(|last| now.duration_since(last) >= ASK_EVERY);
        if may_ask {
            *last = Some(now);
        }
        may_ask
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_asked_once_a_minute() {
        let (asked, start) = (LastAsked::default(), Instant::now());
        let may_ask =
            [0, 1, 59, 60, 61, 120].map(|second| asked.may_ask(start + Duration::from_secs(second)));
        assert_eq!(may_ask, [true, false, false, true, false, true]);
    }
}
