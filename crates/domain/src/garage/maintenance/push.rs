//! Reminders as notifications in browsers.

use std::fmt;
use std::str::FromStr;

use jiff::{SignedDuration, Timestamp};

use super::Alert;

/// Maximum of browsers per account that get notifications. A further one replaces the oldest.
pub const MAX_PUSH_SUBSCRIPTIONS: u32 = 20;
/// How long sending a message is attempted; after that its reminder may be outdated.
pub const PUSH_KEPT_FOR: SignedDuration = SignedDuration::from_hours(48);

/// Maximum of characters in a notification; browsers truncate it much earlier.
const MAX_TEXT_CHARS: usize = 300;
/// The page that lists due maintenance.
const PATH: &str = "/vehicle";
/// Hexadecimal digits of a SHA-256.
const ID_CHARS: usize = 64;

/// Id of a browser that gets notifications: SHA-256 of its push endpoint, in lower-case hex.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushSubscriptionId(String);

impl PushSubscriptionId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PushSubscriptionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The text is not the id of a browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the text is no SHA-256 in lower-case hexadecimal")]
pub struct NoPushSubscriptionId;

impl FromStr for PushSubscriptionId {
    type Err = NoPushSubscriptionId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Only lower case, because ids are compared as texts.
        let fits =
            text.len() == ID_CHARS && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        fits.then(|| Self(text.to_owned())).ok_or(NoPushSubscriptionId)
    }
}

/// A browser that gets notifications, without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushSubscription {
    /// Id of the subscription.
    pub id: PushSubscriptionId,
    /// Name of the browser, for its owner; may be empty.
    pub browser: String,
    /// When notifications were last enabled.
    pub created_at: Timestamp,
}

/// Content of a notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushMessage {
    /// Short title.
    pub title: String,
    /// One or two sentences, at most 300 characters.
    pub text: String,
    /// The page that it opens, which begins with `/`.
    pub path: &'static str,
}

impl PushMessage {
    /// One notification for all new alerts, the most urgent first, so that twenty vehicles do not cause twenty
    /// notifications. `None` without alerts.
    pub fn of<'a>(alerts: impl IntoIterator<Item = &'a Alert>) -> Option<Self> {
        let mut alerts = alerts.into_iter();
        let first = alerts.next()?;
        let n_more = alerts.count();
        // With the day and not with "today": the server does not know which day it is where the notification is read.
        let day = first.due.strftime("%B %-d");
        let sentence = format!("{} for your {}: due on {day}.", first.what, first.vehicle_name);
        let (title, text) = match n_more {
            0 => (format!("{} due", first.what), sentence),
            1 => ("2 things are due".to_owned(), format!("{sentence} 1 more thing is due.")),
            _ => (
                format!("{} things are due", n_more + 1),
                format!("{sentence} {n_more} more things are due."),
            ),
        };
        let short = |text: String| text.chars().take(MAX_TEXT_CHARS).collect();
        Some(Self { title: short(title), text: short(text), path: PATH })
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use uuid::Uuid;

    use super::*;
    use crate::VehicleId;
    use crate::garage::maintenance::{DueState, OIL_CHANGE};

    fn alert(what: &str) -> Alert {
        Alert {
            id: what.to_owned(),
            state: DueState::Overdue,
            what: what.to_owned(),
            title: format!("{what} overdue"),
            message: format!("{what} is overdue by 3 days."),
            vehicle_id: VehicleId(Uuid::nil()),
            vehicle_name: "2015 Honda Civic".to_owned(),
            item: OIL_CHANGE.parse().unwrap(),
            due: date(2027, 1, 1),
            days: 3,
        }
    }

    #[test]
    fn what_is_newly_due_is_one_message() {
        let alerts = ["Oil", "Coolant", "Belt"].map(alert);
        let oil = "Oil for your 2015 Honda Civic: due on January 1.";
        let said = |n: usize| {
            PushMessage::of(&alerts[..n]).map(|message| (message.title, message.text, message.path))
        };
        let expected = |title: &str, text: &str| Some((title.to_owned(), text.to_owned(), "/vehicle"));
        assert_eq!(said(0), None);
        assert_eq!(said(1), expected("Oil due", oil));
        assert_eq!(said(2), expected("2 things are due", &format!("{oil} 1 more thing is due.")));
        assert_eq!(said(3), expected("3 things are due", &format!("{oil} 2 more things are due.")));
    }

    #[test]
    fn a_message_is_short_however_long_a_name_is() {
        let long = "ö".repeat(5000);
        let message = PushMessage::of(&[alert(&long)]).unwrap();
        assert_eq!((message.title.chars().count(), message.text.chars().count()), (300, 300));
    }

    #[test]
    fn an_id_is_a_sha256_in_one_spelling() {
        let id = "0a".repeat(32);
        assert_eq!(id.parse::<PushSubscriptionId>().unwrap().as_str(), id);
        for wrong in [String::new(), "0A".repeat(32), "0a".repeat(31), "0g".repeat(32), "\0".repeat(64)] {
            assert_eq!(wrong.parse::<PushSubscriptionId>(), Err(NoPushSubscriptionId), "{wrong:?}");
        }
    }
}
