use jiff::{SignedDuration, Timestamp};

use super::{AccountEvent, EventKind};
use crate::{InvalidInput, WebhookId};

/// Maximum of endpoints per account.
pub const MAX_WEBHOOKS: u64 = 10;
/// Longest wait between two attempts.
const DELIVERY_MAX_BACKOFF: SignedDuration = SignedDuration::from_hours(8);
/// An endpoint is disabled after failures and no successful delivery for this long.
pub const ENDPOINT_PATIENCE: SignedDuration = SignedDuration::from_hours(3 * 24);
/// An endpoint that was not tried for this long begins its failures anew: longer than the longest wait between two
/// tries, so that only an endpoint to which nothing is to be sent is not tried for so long.
pub const ENDPOINT_QUIET: SignedDuration = SignedDuration::from_hours(24);

/// Waits after the first, second, ... failed attempt: nine waits, 24 hours and 42 minutes in all.
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
/// Longest pause for an endpoint: after an outage of hours deliveries resume within this time, and during it they cost
/// one call per pause, however many wait.
const LONGEST_REST: SignedDuration = SignedDuration::from_mins(10);

/// When to retry a delivery whose attempt number `attempts` failed; `None` after the last attempt.
pub fn next_try(attempts: u32, now: Timestamp) -> Option<Timestamp> {
    // There is one attempt more than there are waits.
    let wait = WAITS.get(attempts.saturating_sub(1) as usize)?;
    Some(now.saturating_add(*wait).unwrap_or(Timestamp::MAX))
}

/// End of the pause for an endpoint after this number of consecutive failures: 5 s, doubled each time, at most ten
/// minutes, so that thousands of waiting deliveries do not overload an endpoint that is down.
pub fn rest_after(n_failures: u32, now: Timestamp) -> Timestamp {
    // The exponent is capped at 16, where the maximum applies already, so that the shift cannot overflow.
    let seconds = 5_i64.saturating_mul(1 << n_failures.saturating_sub(1).min(16));
    now.saturating_add(SignedDuration::from_secs(seconds).min(LONGEST_REST)).unwrap_or(Timestamp::MAX)
}

named! {
    /// State of a delivery.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum DeliveryState {
        /// It is being attempted, or will be.
        Waiting = "waiting",
        /// The endpoint accepted it.
        Delivered = "delivered",
        /// It is no longer retried automatically.
        Dead = "dead",
    }
}

/// Default and maximum of deliveries per page.
const DEFAULT_PAGE: i64 = 100;
const MAX_PAGE: u32 = 200;

/// A page of the deliveries of an endpoint, the newest event first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeliveryPage {
    /// Maximum of deliveries, 1 to 200.
    pub limit: u32,
    /// The number of the last event of the previous page; `None` for the first page.
    pub before: Option<i64>,
}

impl DeliveryPage {
    /// Parses the parameters of a query.
    ///
    /// # Errors
    /// Names the field `limit` or `before`.
    pub fn new(limit: Option<i64>, before: Option<&str>) -> Result<Self, InvalidInput> {
        let limit = u32::try_from(limit.unwrap_or(DEFAULT_PAGE))
            .ok()
            .filter(|limit| (1..=MAX_PAGE).contains(limit))
            .ok_or_else(|| InvalidInput::new("limit", "Please ask for 1 to 200 deliveries at a time."))?;
        let before = before.map(str::parse).transpose().map_err(|_| {
            InvalidInput::new(
                "before",
                "This is no place in the list. Please use the value of the X-Next-Cursor header.",
            )
        })?;
        Ok(Self { limit, before })
    }
}

/// Form for an endpoint, validated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewWebhook {
    /// Where events are sent.
    pub url: String,
    /// Kinds of events, at least one, without duplicates.
    pub events: Vec<EventKind>,
}

impl NewWebhook {
    /// Parses the kinds of events. The caller checks the address.
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
    // Truncated, because the message repeats user input.
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
    /// Whether events are sent.
    pub is_enabled: bool,
    /// Since when attempts fail; `None` if the last one succeeded. Begins anew after [`ENDPOINT_QUIET`] without one.
    pub failing_since: Option<Timestamp>,
    /// When it was created.
    pub created_at: Timestamp,
    /// Number of waiting deliveries.
    pub n_waiting: u64,
    /// Number of dead deliveries.
    pub n_dead: u64,
}

/// The delivery of an event to an endpoint.
#[derive(Debug, Clone, PartialEq)]
pub struct WebhookDelivery {
    /// The event.
    pub event: AccountEvent,
    /// State of the delivery.
    pub state: DeliveryState,
    /// Number of attempts.
    pub attempts: u32,
    /// Time of the next attempt, for a waiting delivery; `None` while nothing is sent to the endpoint.
    pub next_at: Option<Timestamp>,
    /// Time of the last attempt.
    pub tried_at: Option<Timestamp>,
    /// HTTP status of the last response.
    pub last_status: Option<u16>,
    /// Why the last attempt failed, as a sentence.
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
