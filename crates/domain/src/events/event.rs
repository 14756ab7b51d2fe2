use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::EventId;

/// How long a delivered event, or one without deliveries, is kept; one that could not be delivered is kept ten times as
/// long.
pub const EVENT_KEPT_FOR: SignedDuration = SignedDuration::from_hours(3 * 24);

named! {
    /// What happened.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum EventKind {
        /// A photograph has its answer.
        ScanAnswered = "scan.answered",
        /// Every photograph of a batch has its answer, or the reason why it has none.
        BatchFinished = "batch.finished",
        /// A batch stopped; the data have the reason.
        BatchStopped = "batch.stopped",
        /// A photograph of a batch has no answer; the data have the reason.
        BatchItemFailed = "batch.item-failed",
        /// Something on a vehicle is due soon, due today or overdue.
        ReminderDue = "reminder.due",
    }
}

/// An event before it is saved.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    /// Kind of event.
    pub kind: EventKind,
    /// Id of the scan or batch that it is about.
    pub subject_id: Option<String>,
    /// A JSON object with the data that a receiver needs to query the rest.
    pub data: Value,
}

impl NewEvent {
    /// An event about the scan or batch with this id.
    pub fn about(kind: EventKind, subject_id: &impl ToString, data: Value) -> Self {
        Self { kind, subject_id: Some(subject_id.to_string()), data }
    }
}

/// A saved event of an account.
#[derive(Debug, Clone, PartialEq)]
pub struct AccountEvent {
    /// The same for every delivery of it.
    pub id: EventId,
    /// Sequence number within the account, in the order of saving.
    pub number: u64,
    /// What happened.
    pub kind: EventKind,
    /// A JSON object.
    pub data: Value,
    /// When it happened.
    pub occurred_at: Timestamp,
}

impl AccountEvent {
    /// The payload sent to webhooks, by the Standard Webhooks specification, with the event id added.
    pub fn payload(&self) -> Value {
        json!({
            "id": self.id,
            "type": self.kind.as_str(),
            "timestamp": format!("{:.3}", self.occurred_at),
            "data": self.data,
        })
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_payload_has_id_type_time_and_data() {
        let event = AccountEvent {
            id: EventId(Uuid::from_u128(1)),
            number: 7,
            kind: EventKind::BatchFinished,
            data: json!({ "batchId": "b" }),
            occurred_at: Timestamp::from_millisecond(1_800_000_000_120).unwrap(),
        };
        let expected = json!({
            "id": "00000000-0000-0000-0000-000000000001",
            "type": "batch.finished",
            "timestamp": "2027-01-15T08:00:00.120Z",
            "data": { "batchId": "b" },
        });
        assert_eq!(event.payload(), expected);
    }
}
