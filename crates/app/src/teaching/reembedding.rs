//! Embeds references of another model than the one in use again from their pictures, in the background.
//!
//! Embeddings of two models cannot be compared, so the vector index has a collection for each model. The new one is
//! not searched until it is complete, so that no part is found or missed because of an incomplete catalogue; until
//! then scans are answered by the model alone.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use partsight_domain::{PartLabel, ReferenceId, ScanPhoto, User};
use partsight_store::Error as StoreError;

use crate::metrics::ReembeddingProgress;
use crate::recognition::photo_budget::Asker;
use crate::teaching::Teaching;
use crate::with_causes;
use crate::{Error, Result};

/// References that are read from the database at a time, with their pictures.
const PAGE: u32 = 16;
/// Pause while too many photographs are in flight: scans come first.
const WAIT: Duration = Duration::from_millis(200);
/// Pause while the database is busy or away.
const DATABASE_WAIT: Duration = Duration::from_secs(5);

/// Progress in this process.
#[derive(Debug, Default)]
pub(crate) struct Reembedding {
    is_running: AtomicBool,
    total: AtomicU64,
    done: AtomicU64,
    failed: AtomicU64,
}

impl Reembedding {
    pub(crate) fn is_running(&self) -> bool {
        self.is_running.load(Ordering::Acquire)
    }

    pub(crate) fn progress(&self) -> ReembeddingProgress {
        ReembeddingProgress {
            is_running: self.is_running(),
            total: self.total.load(Ordering::Relaxed),
            done: self.done.load(Ordering::Relaxed),
            failed: self.failed.load(Ordering::Relaxed),
        }
    }
}

/// The state of a user's references with the model in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogStatus {
    /// SHA-256 of the model in use.
    pub model_sha256: String,
    /// References that the user may see.
    pub n_references: usize,
    /// Those among them that were embedded by the model in use.
    pub n_usable: usize,
    /// Those of another model without a picture, which have to be taught again, each with its part.
    pub without_picture: Vec<(ReferenceId, PartLabel)>,
    /// How far all tenants' references are.
    pub progress: ReembeddingProgress,
}

impl Teaching {
    /// Counts the references of other models that can be embedded again, and disables the search of references until
    /// [`Teaching::reembed_references`] is done. To be called before the first scan. Returns the number of them.
    pub async fn hold_references_back(&self) -> Result<u64> {
        let (n_with, n_without) =
            self.store.count_references_of_other_models(self.identifier.model_sha256()).await?;
        if n_without > 0 {
            tracing::warn!(
                n_references = n_without,
                "references of another model have no picture and are not searched: `partsight catalog doctor` \
                 names them"
            );
        }
        if n_with == 0 {
            return Ok(0);
        }
        if !self.identifier.can_be_taught() {
            tracing::warn!(
                n_references = n_with,
                "references of another model are not searched: the model in use was not measured for references"
            );
            return Ok(0);
        }
        let reembedding = self.index.reembedding();
        reembedding.total.store(n_with, Ordering::Relaxed);
        // All at once or none: a photograph of a part without references yet could only be identified as another part.
        // See docs/decisions/0049-no-search-while-embedding.md. Stored last, so that a reader that sees it running sees
        // the total as well.
        reembedding.is_running.store(true, Ordering::Release);
        tracing::info!(
            n_references = n_with,
            "the model has changed: taught parts are embedded again, and scans are answered without them until then"
        );
        Ok(n_with)
    }

    /// Embeds the references of other models again, one by one, from their stored pictures, and then enables the
    /// search. A reference whose picture cannot be used is unchanged. The search is enabled whatever happens.
    pub async fn reembed_references(&self) -> Result<ReembeddingProgress> {
        let reembedding = self.index.reembedding();
        let result = if reembedding.is_running() { self.reembed_all().await } else { Ok(()) };
        // Also after an error: references that could not be embedded must not disable the others.
        reembedding.is_running.store(false, Ordering::Release);
        result?;
        let progress = reembedding.progress();
        if progress.total > 0 {
            tracing::info!(
                n_done = progress.done,
                n_failed = progress.failed,
                "taught parts are embedded by the model in use and searched again"
            );
        }
        Ok(progress)
    }

    async fn reembed_all(&self) -> Result<()> {
        let reembedding = self.index.reembedding();
        let sha256 = self.identifier.model_sha256();
        let mut after = None;
        loop {
            let page = once_answered(DATABASE_WAIT, || {
                self.store.list_references_of_other_models(sha256, after, PAGE)
            })
            .await?;
            let Some((last, _)) = page.last() else { return Ok(()) };
            after = Some(last.id);
            for (reference, photo) in page {
                match self.embed_again(photo).await {
                    Ok((embedding, fingerprint)) => {
                        let replace =
                            || self.store.replace_embedding(reference.id, sha256, &embedding, &fingerprint);
                        once_answered(DATABASE_WAIT, replace).await?;
                        reembedding.done.fetch_add(1, Ordering::Relaxed);
                    }
                    Err(Error::ShuttingDown) => return Err(Error::ShuttingDown),
                    Err(error) => {
                        reembedding.failed.fetch_add(1, Ordering::Relaxed);
                        tracing::warn!(
                            reference.id = %reference.id,
                            reason = with_causes(&error),
                            "a reference of another model could not be embedded again"
                        );
                    }
                }
            }
            // The collection of the new model is filled along the way. What it lacks is known, and added later.
            if let Err(error) = self.bring_index_up_to_date().await {
                tracing::warn!(reason = with_causes(&error), "the vector index is filled later");
            }
            let progress = reembedding.progress();
            tracing::info!(
                n_done = progress.done,
                n_failed = progress.failed,
                n_total = progress.total,
                "embedding taught parts again"
            );
        }
    }

    async fn embed_again(&self, photo: ScanPhoto) -> Result<(Vec<f32>, Vec<u8>)> {
        loop {
            match self.identifier.predict_with(&Asker::SERVER, photo.bytes.clone(), |_| ()).await {
                Ok((predicted, _)) => {
                    let fingerprint = predicted.fingerprint().to_bytes().to_vec();
                    return Ok((predicted.embedding().to_vec(), fingerprint));
                }
                // For as long as it takes: a reference that is skipped would be missing until the next start.
                Err(Error::Busy | Error::Overloaded { .. }) => tokio::time::sleep(WAIT).await,
                Err(error) => return Err(error),
            }
        }
    }

    /// What a user's references are worth with the model in use.
    pub async fn catalog_status(&self, user: &User) -> Result<CatalogStatus> {
        let sha256 = self.identifier.model_sha256();
        let references = self.visible_references(user.visible_tenants(), None).await?;
        // Shared references are returned for each tenant.
        let mut without_picture: Vec<(ReferenceId, PartLabel)> = Vec::new();
        for tenant_id in user.visible_tenants() {
            for found in self.store.list_references_without_picture(tenant_id, sha256).await? {
                if !without_picture.contains(&found) {
                    without_picture.push(found);
                }
            }
        }
        let kept = || references.iter().filter(|reference| reference.deleted_at.is_none());
        Ok(CatalogStatus {
            model_sha256: sha256.to_owned(),
            n_references: kept().count(),
            n_usable: kept().filter(|reference| reference.model_sha256 == sha256).count(),
            without_picture,
            progress: self.index.reembedding().progress(),
        })
    }
}

/// The answer of the database, waited for while it is busy or away: with some of the references missing, a photograph
/// would be identified as another part.
async fn once_answered<T, F>(pause: Duration, ask: impl Fn() -> F) -> Result<T>
where
    F: Future<Output = std::result::Result<T, StoreError>>,
{
    loop {
        match ask().await.map_err(Error::from) {
            Err(error @ (Error::DatabaseBusy(_) | Error::StorageFull(_))) => {
                tracing::warn!(
                    reason = with_causes(&error),
                    "taught parts are embedded again once the database answers"
                );
                tokio::time::sleep(pause).await;
            }
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;

    #[tokio::test]
    async fn a_database_that_is_away_is_waited_for() {
        let n_asked = AtomicU32::new(0);
        let answer = once_answered(Duration::ZERO, || async {
            match n_asked.fetch_add(1, Ordering::Relaxed) {
                0..20 => Err(StoreError::out_of_time()),
                n => Ok(n),
            }
        });
        assert_eq!(answer.await.unwrap(), 20);
    }
}
