//! Keeping the vector index in step with the references in the database, and asking it.

use std::sync::Arc;
use std::time::Duration;

use partsight_catalog::{
    EmbeddingSpace, ExactIndex, IndexEntry, Neighbour, QdrantIndex, QdrantOptions, SearchFilter, VectorIndex,
};
use partsight_domain::{NearReference, User};
use partsight_store::{Store, StoredReference};
use tokio::sync::{Mutex, OnceCell};

use crate::error::with_causes;
use crate::reembedding::Reembedding;
use crate::{App, Error, Identifier, Result, Settings};

/// Neighbours that an answer looks at: the five that count of a dozen part types.
pub(crate) const NEIGHBOURS: usize = 60;
/// References that are read from the database at a time: 2 MB of embeddings at 512 numbers.
const PAGE: u32 = 1000;
/// Digits of the model's hash in the name of its collection: another model gets another collection.
const HASH_DIGITS: usize = 16;
/// A search in a Qdrant index that takes longer is given up; the answer then comes without references.
const SEARCH_DEADLINE: Duration = Duration::from_secs(1);

/// The index of one model's references, opened when it is first needed.
pub(crate) struct ReferenceIndex {
    space: EmbeddingSpace,
    /// `None` for the index in memory.
    qdrant: Option<QdrantOptions>,
    index: OnceCell<Arc<dyn VectorIndex>>,
    /// The number of the last change that the index knows of; 0 for none.
    seen: Mutex<i64>,
    /// How far the references of other models are.
    reembedding: Reembedding,
}

impl ReferenceIndex {
    pub(crate) fn new(identifier: &Identifier, settings: &Settings) -> Self {
        let space = EmbeddingSpace {
            dimension: identifier.manifest().embedding.dimension,
            model_sha256: identifier.model_sha256().to_owned(),
        };
        let qdrant = settings.qdrant_url.as_ref().map(|url| {
            let hash = space.model_sha256.get(..HASH_DIGITS).unwrap_or(&space.model_sha256);
            QdrantOptions {
                api_key: settings.qdrant_api_key.as_ref().map(|key| key.reveal().to_owned()),
                shards: settings.qdrant_shards,
                replicas: settings.qdrant_replicas,
                quantised: settings.qdrant_quantised,
                on_disk: settings.qdrant_on_disk,
                search_deadline: SEARCH_DEADLINE,
                ..QdrantOptions::new(url, format!("{}-{hash}", settings.qdrant_collection))
            }
        });
        Self {
            space,
            qdrant,
            index: OnceCell::new(),
            seen: Mutex::new(0),
            reembedding: Reembedding::default(),
        }
    }

    async fn open(&self) -> Result<&Arc<dyn VectorIndex>> {
        let open = || async {
            let index: Arc<dyn VectorIndex> = match &self.qdrant {
                Some(options) => Arc::new(QdrantIndex::open(self.space.clone(), options.clone()).await?),
                None => Arc::new(ExactIndex::new(self.space.clone())?),
            };
            Ok::<_, Error>(index)
        };
        self.index.get_or_try_init(open).await
    }

    /// Tells the index what has changed since it was last told.
    ///
    /// The index in memory begins empty at each start, and one on a server may be older than the catalogue, so
    /// the first call tells it everything. One that then holds more than the database has, such as the references of
    /// an account that was deleted, is emptied and built anew.
    async fn bring_up_to_date(
        &self,
        store: &Store,
        identifier: &Identifier,
    ) -> Result<&Arc<dyn VectorIndex>> {
        let index = self.open().await?;
        let revision = store.reference_revision().await?;
        let mut seen = self.seen.lock().await;
        if *seen >= revision {
            return Ok(index);
        }
        let is_first = *seen == 0;
        self.tell(index.as_ref(), store, identifier, &mut seen, &mut |_| {}).await?;
        // Others may be writing to an index on a server, so only at the start is it compared.
        if is_first || self.qdrant.is_none() {
            let (held, wanted) =
                (index.count().await?, store.count_references(&self.space.model_sha256).await?);
            if held > wanted {
                tracing::info!(held, wanted, "the vector index does not fit the catalogue: building it anew");
                index.clear().await?;
                *seen = 0;
                self.tell(index.as_ref(), store, identifier, &mut seen, &mut |_| {}).await?;
            }
        }
        *seen = (*seen).max(revision);
        if is_first {
            let n_references = index.count().await?;
            tracing::info!(n_references, revision = *seen, "the vector index is up to date");
        }
        Ok(index)
    }

    async fn tell(
        &self,
        index: &dyn VectorIndex,
        store: &Store,
        identifier: &Identifier,
        seen: &mut i64,
        advance: &mut (dyn FnMut(usize) + Send),
    ) -> Result<()> {
        loop {
            let page = store.list_changed_references(&self.space.model_sha256, *seen, PAGE).await?;
            let Some(last) = page.last().map(|reference| reference.revision) else { return Ok(()) };
            let (deleted, kept): (Vec<_>, Vec<_>) =
                page.into_iter().partition(|reference| reference.deleted_at.is_some());
            let n_told = deleted.len() + kept.len();
            index.delete(deleted.iter().map(|reference| reference.id).collect()).await?;
            let entries = kept.into_iter().filter_map(|reference| entry(reference, identifier)).collect();
            index.upsert(entries).await?;
            *seen = last;
            advance(n_told);
        }
    }

    /// Empties the index and tells it everything again; returns how many references it holds then. `advance` gets the
    /// number of each page.
    pub(crate) async fn rebuild(
        &self,
        store: &Store,
        identifier: &Identifier,
        advance: &mut (dyn FnMut(usize) + Send),
    ) -> Result<u64> {
        let index = self.open().await?;
        let revision = store.reference_revision().await?;
        let mut seen = self.seen.lock().await;
        index.clear().await?;
        *seen = 0;
        self.tell(index.as_ref(), store, identifier, &mut seen, advance).await?;
        *seen = (*seen).max(revision);
        Ok(index.count().await?)
    }

    /// Where the index is, for people.
    pub(crate) fn describe(&self) -> String {
        match &self.qdrant {
            Some(options) => format!("the collection `{}` at {}", options.collection, options.url),
            None => "memory".to_owned(),
        }
    }

    pub(crate) fn reembedding(&self) -> &Reembedding {
        &self.reembedding
    }
}

/// A reference as the index holds it: without the centre that all embeddings have in common.
fn entry(reference: StoredReference, identifier: &Identifier) -> Option<IndexEntry> {
    Some(IndexEntry {
        id: reference.id,
        tenant_id: reference.tenant_id,
        label: reference.label,
        category: reference.category,
        kind: reference.kind,
        fitment: None,
        embedding: identifier.reference_embedding(&reference.embedding)?,
    })
}

impl App {
    /// Opens the vector index and tells it all references, so that the first scan is as quick as the rest and a
    /// server that cannot be used is found at the start.
    ///
    /// # Errors
    /// [`Error::VectorIndex`] for one that is away or holds something else.
    pub async fn prepare_references(&self) -> Result<()> {
        self.tell_references().await
    }

    pub(crate) async fn tell_references(&self) -> Result<()> {
        self.references.bring_up_to_date(&self.store, &self.identifier).await?;
        Ok(())
    }

    /// The references nearest to a photograph's embedding, f32 `[d]`, that a user may see; none where the index
    /// does not answer, because a scan without them is better than none.
    pub(crate) async fn near_references(&self, user: &User, embedding: &[f32]) -> Vec<NearReference> {
        let Some(embedding) = self.identifier.reference_embedding(embedding) else { return Vec::new() };
        match self.search_references(user, &embedding).await {
            Ok(near) => near,
            Err(error) => {
                tracing::warn!(reason = with_causes(&error), "a scan is answered without taught parts");
                Vec::new()
            }
        }
    }

    async fn search_references(&self, user: &User, embedding: &[f32]) -> Result<Vec<NearReference>> {
        // Half of them would be taken for the whole: a part that is not there yet could only be taken for another.
        if self.references.reembedding().is_running() {
            return Ok(Vec::new());
        }
        // Nothing was ever taught: nothing to look for, and no server to ask.
        if self.store.reference_revision().await? == 0 {
            return Ok(Vec::new());
        }
        let index = self.references.bring_up_to_date(&self.store, &self.identifier).await?;
        let mut found: Vec<Neighbour> = Vec::new();
        for tenant_id in user.visible_tenants() {
            let nearest = index.search(embedding, &SearchFilter::of_tenant(tenant_id), NEIGHBOURS).await?;
            // Those that all share come once more with each tenant.
            let new: Vec<Neighbour> = nearest
                .into_iter()
                .filter(|neighbour| found.iter().all(|other| other.id != neighbour.id))
                .collect();
            found.extend(new);
        }
        found.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.id.cmp(&other.id)));
        found.truncate(NEIGHBOURS);
        let near = found.into_iter().map(|neighbour| NearReference {
            // What the catalogue says now: the type may have been the tenant's own when it was taught.
            category: self
                .catalog
                .get(&neighbour.label)
                .map(|part_type| part_type.category)
                .or(neighbour.category),
            label: neighbour.label,
            score: neighbour.score,
        });
        Ok(near.collect())
    }
}
