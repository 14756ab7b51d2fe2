//! Answers to photographs of batches, which are saved in groups.

use partsight_domain::{ScanSource, ScanUsage, TenantId, User};
use partsight_store::ItemResult;
use tokio::time::Duration;

use crate::recognition::photo_budget::Asker;
use crate::scanning::Scanning;
use crate::scanning::conditions::Ground;
use crate::scanning::made_scan::MadeScan;
use crate::scanning::scans::{ScanRequest, Waits, n_bytes, unanswered};
use crate::{Error, Result};

/// The answer to a photograph of a batch, which is still to be saved.
pub(crate) struct ItemAnswer {
    asker: Asker,
    made: MadeScan,
    /// Bytes of its stored photograph, which is deleted when it is saved.
    frees: u64,
}

impl ItemAnswer {
    /// The result of the item.
    pub(crate) fn result(&self) -> ItemResult<'_> {
        ItemResult::Answer(self.made.as_new(None))
    }

    /// Size of the stored pictures in bytes.
    pub(crate) fn n_bytes(&self) -> u64 {
        n_bytes(&self.made.photos)
    }
}

impl Scanning {
    /// Answers a photograph of a batch, without saving or counting it.
    ///
    /// # Errors
    /// Those of [`scan`](Self::scan); [`Error::TaughtPartsAway`] if it waits for taught parts.
    pub(crate) async fn answer_item(
        &self,
        user: &User,
        request: ScanRequest,
        ground: &Ground,
        waits: &Waits<'_>,
    ) -> Result<ItemAnswer> {
        let limit = self.room_for_scan(user).await?;
        let asker = self.asker(user).of_batch();
        let mut made =
            self.make_scan(user, &asker, request, limit, ground, waits).await.inspect_err(|error| {
                // The repetition is our fault, so its work is refunded.
                if matches!(error, Error::TaughtPartsAway) {
                    asker.give_back();
                }
            })?;
        // Not needed any more: photographs of batches are read before they are answered.
        made.files = Vec::new();
        Ok(ItemAnswer { asker, made, frees: waits.frees })
    }

    /// To be called after an answer was saved, with the time that this took.
    pub(crate) async fn item_was_saved(&self, tenant_id: TenantId, answer: &ItemAnswer, took: Duration) {
        answer.made.refund(&answer.asker);
        let MadeScan { scan, photos, reading, .. } = &answer.made;
        self.note_saved(tenant_id, n_bytes(photos).saturating_sub(answer.frees), took);
        if let Some(reading) = reading {
            self.keep_first_reading(tenant_id, scan.id, reading).await;
        }
        self.count_answer(scan);
    }
}

/// How a photograph of a batch without an answer counts in the usage. A failure of the machine is retried, and counts
/// with its final attempt.
pub(crate) fn usage_without_answer(source: ScanSource, error: &Error) -> Option<ScanUsage> {
    let is_of_photo = matches!(
        error,
        Error::NotIdentified
            | Error::NotIdentifiedAmongLearnt
            | Error::Photo { .. }
            | Error::PhotoQuarantined { .. }
    );
    let path = unanswered(error).filter(|_| is_of_photo)?;
    Some(ScanUsage { source, path, cost_micros: 0 })
}

#[cfg(test)]
mod tests {
    use partsight_domain::UsagePath;

    use super::*;

    #[test]
    fn what_is_tried_again_does_not_count_yet() {
        let counted = |error| usage_without_answer(ScanSource::Web, &error).map(|usage| usage.path);
        assert_eq!(counted(Error::NotIdentified), Some(UsagePath::NotAPart));
        assert_eq!(counted(Error::NotIdentifiedAmongLearnt), Some(UsagePath::NotAPart));
        assert_eq!(counted(Error::PhotoQuarantined { number: 1, n_photos: 1 }), Some(UsagePath::Error));
        for error in [Error::TooLong, Error::Busy, Error::TaughtPartsAway] {
            assert_eq!(counted(error), None);
        }
    }
}
