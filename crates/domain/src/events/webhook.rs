use jiff::{SignedDuration, Timestamp};

use super::{AccountEvent, EventKind};
use crate::{InvalidInput, WebhookId};

/// Endpoints of one account.
pub const MAX_WEBHOOKS: u64 = 10;
/// The longest wait between two tries.
const DELIVERY_MAX_BACKOFF: SignedDuration = SignedDuration::from_hours(8);
/// An endpoint at which nothing has arrived for so long, and something failed, is switched off.
pub const ENDPOINT_PATIENCE: SignedDuration = SignedDuration::from_hours(3 * 24);

/// Waits after the first, second, ... failed try. Nine of them, 24 hours and 42 minutes in all.
const WAITS: [SignedDuration; 9] = [
    SignedDuration::from_secs(5),
    SignedDuration::from_secs(30),
    SignedDuration::from_mins(2),
    SignedDuration::from_mins(10),
    SignedDuration::from_mins(30),
    SignedDuration::from_hours(2),
    SignedDuration::from_hours(6),
    DELIVERY_MAX_BACKOFF,
    DELIVERY_MAX_BACKOFF,
];
/// The longest that an endpoint is left alone: an outage of hours ends with at most this delay, and however many
/// deliveries wait for it, they cost one call in that time.
const LONGEST_REST: SignedDuration = SignedDuration::from_mins(10);

/// When a delivery is tried again whose try number `attempts` just failed; `None` where that was the last one.
pub fn next_try(attempts: u32, now: Timestamp) -> Option<Timestamp> {
    // Beyond the table there is no further try: the number of waits is the number of tries less one.
    let wait = WAITS.get(attempts.saturating_sub(1) as usize)?;
    Some(now.saturating_add(*wait).unwrap_or(Timestamp::MAX))
}

/// Until when an endpoint is left alone after so many failures in a row: 5 s, twice as long each time, at most ten
/// minutes. So thousands of waiting deliveries do not run into one that is away.
pub fn rest_after(n_failures: u32, now: Timestamp) -> Timestamp {
    // The exponent stops at 16: beyond, the longest rest holds, and the shift would overflow.
    let seconds = 5_i64.saturating_mul(1 << n_failures.saturating_sub(1).min(16));
    now.saturating_add(SignedDuration::from_secs(seconds).min(LONGEST_REST)).unwrap_or(Timestamp::MAX)
}

named! {
    /// How far a delivery is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum DeliveryState {
        /// It is being tried, or will be.
        Waiting = "waiting",
        /// The endpoint took it.
        Delivered = "delivered",
        /// It is not tried any more by itself.
        Dead = "dead",
    }
}

/// What somebody says of an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewWebhook {
    /// Where events are sent.
    pub url: String,
    /// Which, at least one, each once.
    pub events: Vec<EventKind>,
}

impl NewWebhook {
    /// Reads the kinds of events; whether something can be sent to the address is checked by whoever sends.
    ///
    /// # Errors
    /// Names the field `events`.
    pub fn new(url: &str, events: &[String]) -> Result<Self, InvalidInput> {
        let mut kinds = Vec::new();
        for name in events {
            kinds.push(EventKind::from_name(name).ok_or_else(|| unknown_event(name))?);
        }
        kinds.sort_unstable();
        kinds.dedup();
        if kinds.is_empty() {
            let message = format!("Please choose at least one of the events {}.", event_names());
            return Err(InvalidInput::new("events", message));
        }
        Ok(Self { url: url.trim().to_owned(), events: kinds })
    }
}

fn unknown_event(name: &str) -> InvalidInput {
    // As much of it as shows which one is meant.
    let name: String = name.chars().take(80).collect();
    let name = name.escape_debug();
    let message = format!("There is no event `{name}`. Please choose among {}.", event_names());
    InvalidInput::new("events", message)
}

fn event_names() -> String {
    let names: Vec<String> = EventKind::ALL.iter().map(|kind| format!("`{kind}`")).collect();
    names.join(", ")
}

/// An endpoint of an account, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    /// Id of the webhook.
    pub id: WebhookId,
    /// Where events are sent.
    pub url: String,
    /// Kinds of events that are sent.
    pub events: Vec<EventKind>,
    /// Whether anything is sent.
    pub is_enabled: bool,
    /// Since when nothing arrives; `None` where the last try arrived.
    pub failing_since: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
    /// Deliveries that are being tried.
    pub n_waiting: u64,
    /// Deliveries that are not tried any more.
    pub n_dead: u64,
}

/// One event for one endpoint.
#[derive(Debug, Clone, PartialEq)]
pub struct WebhookDelivery {
    /// What is delivered.
    pub event: AccountEvent,
    /// How far it is.
    pub state: DeliveryState,
    /// How often it was tried.
    pub attempts: u32,
    /// When it is tried again; of a delivery that waits.
    pub next_at: Option<Timestamp>,
    /// When it was tried last.
    pub tried_at: Option<Timestamp>,
    /// The status of the last answer.
    pub last_status: Option<u16>,
    /// What was wrong, as people read it.
    pub problem: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delivery_is_tried_ten_times_in_a_day() {
        let mut now = Timestamp::UNIX_EPOCH;
        let mut n_tries = 1;
        while let Some(next) = next_try(n_tries, now) {
            assert!(next > now);
            (now, n_tries) = (next, n_tries + 1);
        }
        assert_eq!(n_tries, 10);
        assert_eq!(now.as_second(), 24 * 3600 + 42 * 60 + 35);
    }

    #[test]
    fn an_endpoint_rests_longer_after_each_failure_and_never_for_long() {
        let rest = |n| rest_after(n, Timestamp::UNIX_EPOCH).as_second();
        assert_eq!([1, 2, 3, 7, 8, u32::MAX].map(rest), [5, 10, 20, 320, 600, 600]);
    }

    #[test]
    fn an_endpoint_hears_of_known_events_each_once() {
        let new = |events: &[&str]| {
            NewWebhook::new(
                " https://example.com ",
                &events.iter().map(ToString::to_string).collect::<Vec<_>>(),
            )
        };
        let hook = new(&["reminder.due", "scan.answered", "reminder.due"]).unwrap();
        assert_eq!(hook.events, [EventKind::ScanAnswered, EventKind::ReminderDue]);
        assert_eq!(hook.url, "https://example.com");
        for wrong in [&[][..], &["scan"], &["scan.answered", ""]] {
            assert_eq!(new(wrong).unwrap_err().field, "events", "{wrong:?}");
        }
        let unknown = new(&["scan.answered", "scan"]).unwrap_err().message;
        assert!(unknown.starts_with("There is no event `scan`. Please choose among `scan."), "{unknown}");
    }
}
