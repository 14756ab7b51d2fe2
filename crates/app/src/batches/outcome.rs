//! Outcome of a photograph that got no answer.

use partsight_domain::{MAX_ITEM_ATTEMPTS, messages};
use partsight_store::ItemOutcome;

use crate::Error;
use crate::error::sentence;

/// Maps the error of an item to its outcome; `None` if there is nothing to save.
pub(super) fn outcome(error: Error, attempts: u32) -> Option<ItemOutcome> {
    Some(match error {
        // Another server holds it now, or it was cancelled.
        Error::Conflict { .. } => return None,
        Error::NotIdentified => ItemOutcome::NotAPart(messages::NOT_IDENTIFIED.to_owned()),
        // It has waited for taught parts already; see `taught_waits.rs`.
        Error::NotIdentifiedAmongLearnt => {
            ItemOutcome::NotAPart(messages::NOT_IDENTIFIED_AMONG_LEARNT.to_owned())
        }
        Error::Photo { source } => ItemOutcome::Failed(sentence(&source.to_string())),
        Error::PhotoQuarantined { .. } => ItemOutcome::Failed(messages::PHOTO_QUARANTINED.to_owned()),
        Error::Invalid(invalid) => ItemOutcome::Failed(invalid.message),
        Error::NotFound { entity } => {
            ItemOutcome::Failed(entity.not_found_message().unwrap_or(messages::INTERNAL).to_owned())
        }
        // Every further photograph would fail for the same reason, so the batch stops until a person starts it
        // again.
        Error::LimitReached { .. } => ItemOutcome::StopBatch(messages::SCAN_LIMIT_EXCEEDED.to_owned()),
        Error::QuotaReached { quota, plan } => ItemOutcome::StopBatch(quota.sentence(plan)),
        Error::StorageFull { .. } => ItemOutcome::StopBatch(messages::STORAGE_FULL.to_owned()),
        // These are not caused by the photograph, so they do not count as attempts.
        Error::Busy
        | Error::Overloaded { .. }
        | Error::TaughtPartsAway
        | Error::CallRunning
        | Error::DatabaseBusy { .. }
        | Error::PhotoWorkUsedUp { .. }
        | Error::ShuttingDown => ItemOutcome::TryAgain { counts: false },
        _ if attempts < MAX_ITEM_ATTEMPTS => ItemOutcome::TryAgain { counts: true },
        _ => ItemOutcome::Failed(messages::BATCH_TRIED_OFTEN.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use partsight_domain::InvalidInput;

    use super::*;

    #[test]
    fn an_item_ends_by_what_its_scan_says() {
        let failed = |text: &str| Some(ItemOutcome::Failed(text.to_owned()));
        let again = |counts| Some(ItemOutcome::TryAgain { counts });
        let cases: [(&str, Error, u32, Option<ItemOutcome>); 10] = [
            ("taken over", Error::Conflict { field: "batch", message: "" }, 1, None),
            (
                "no part",
                Error::NotIdentified,
                1,
                Some(ItemOutcome::NotAPart(messages::NOT_IDENTIFIED.to_owned())),
            ),
            ("wrong", InvalidInput::new("image", "Too small.").into(), 1, failed("Too small.")),
            (
                "used up",
                Error::LimitReached { limit: 2 },
                1,
                Some(ItemOutcome::StopBatch(messages::SCAN_LIMIT_EXCEEDED.to_owned())),
            ),
            ("taught parts are away", Error::TaughtPartsAway, 100, again(false)),
            (
                "away for too long",
                Error::NotIdentifiedAmongLearnt,
                1,
                Some(ItemOutcome::NotAPart(messages::NOT_IDENTIFIED_AMONG_LEARNT.to_owned())),
            ),
            ("busy, however often", Error::Busy, 100, again(false)),
            ("the machine failed", Error::internal("broken"), 1, again(true)),
            ("and again", Error::TooLong, 2, again(true)),
            ("and for good", Error::internal("broken"), 3, failed(messages::BATCH_TRIED_OFTEN)),
        ];
        for (name, error, attempts, expected) in cases {
            assert_eq!(outcome(error, attempts), expected, "{name}");
        }
    }
}
