//! The index in the memory of this process, which begins empty at each start.

use std::sync::Arc;

use partsight_catalog::{EmbeddingSpace, ExactIndex, VectorIndex};
use partsight_store::Store;
use tokio::sync::Mutex;

use super::changes::tell_page;
use crate::{Identifier, Result};

/// The index, and its last synced revision.
pub(super) struct MemoryIndex {
    store: Store,
    identifier: Arc<Identifier>,
    index: ExactIndex,
    /// Last synced revision; 0 for none.
    seen: Mutex<i64>,
}

impl MemoryIndex {
    pub(super) fn new(space: EmbeddingSpace, store: Store, identifier: Arc<Identifier>) -> Result<Self> {
        Ok(Self { store, identifier, index: ExactIndex::new(space)?, seen: Mutex::default() })
    }

    /// As [`Self::bring_up_to`], with the revision that the database has now.
    pub(super) async fn bring_up_to_date(&self) -> Result<&ExactIndex> {
        self.bring_up_to(self.store.reference_revision().await?).await
    }

    /// Syncs the index with the changes since the last sync, at least up to `revision`. If it then holds more than the
    /// database, for example after the restore of a backup, it is emptied and rebuilt.
    pub(super) async fn bring_up_to(&self, revision: i64) -> Result<&ExactIndex> {
        let mut seen = self.seen.lock().await;
        if *seen >= revision && revision > 0 {
            return Ok(&self.index);
        }
        let is_first = *seen == 0;
        self.apply_changes(&mut seen, &mut |_| {}).await?;
        let (held, wanted) =
            (self.index.count().await?, self.store.count_references(&self.index.space().model_sha256).await?);
        if held > wanted {
            tracing::info!(held, wanted, "the vector index does not fit the catalogue: building it anew");
            // Reset first, so that an interrupted rebuild is completed by the next call.
            *seen = 0;
            self.index.clear().await?;
            self.apply_changes(&mut seen, &mut |_| {}).await?;
        }
        // The last change may concern no row of this model, so that no page has its revision.
        *seen = (*seen).max(revision);
        if is_first && revision > 0 {
            tracing::info!(n_references = held, revision = *seen, "the vector index is up to date");
        }
        Ok(&self.index)
    }

    /// Empties and rebuilds the index; `advance` is called with the size of each page.
    pub(super) async fn rebuild(&self, advance: &mut (dyn FnMut(usize) + Send)) -> Result<u64> {
        let revision = self.store.reference_revision().await?;
        let mut seen = self.seen.lock().await;
        *seen = 0;
        self.index.clear().await?;
        self.apply_changes(&mut seen, advance).await?;
        *seen = (*seen).max(revision);
        Ok(self.index.count().await?)
    }

    pub(super) async fn count(&self) -> Result<u64> {
        Ok(self.index.count().await?)
    }

    async fn apply_changes(&self, seen: &mut i64, advance: &mut (dyn FnMut(usize) + Send)) -> Result<()> {
        while let Some(told) = tell_page(&self.index, &self.store, &self.identifier, *seen).await? {
            *seen = told.revision;
            advance(told.n);
        }
        Ok(())
    }
}
