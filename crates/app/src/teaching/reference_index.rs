//! Keeping the vector index in step with the references in the database, and asking it.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use partsight_catalog::{
    EmbeddingSpace, ExactIndex, IndexEntry, IndexError, Neighbour, QdrantIndex, QdrantOptions, SearchFilter,
    VectorIndex,
};
use partsight_domain::{NearReference, NearReferences, PartFitments, User};
use partsight_store::{Store, StoredReference};
use tokio::sync::{Mutex, OnceCell};
use tokio::time::{Instant, timeout_at};

use crate::error::with_causes;
use crate::teaching::Teaching;
use crate::teaching::reembedding::Reembedding;
use crate::{Error, Identifier, Result, Settings};

/// Neighbours that an answer looks at: the ten that count of half a dozen part types, or all of a dozen with five.
pub(crate) const NEIGHBOURS: usize = 60;
/// References that are read from the database at a time: 2 MB of embeddings at 512 numbers.
const PAGE: u32 = 1000;
/// Digits of the model's hash in the name of its collection: another model gets another collection.
const HASH_DIGITS: usize = 16;
/// A scan that waits longer for a Qdrant server is answered without references.
pub(crate) const SEARCH_DEADLINE: Duration = Duration::from_secs(1);
/// What changes references waits no longer for a Qdrant server, which hears of the change later.
const UPDATE_DEADLINE: Duration = Duration::from_secs(5);
/// For how long scans do without a Qdrant server that did not answer one of them.
const LEFT_ALONE_FOR: Duration = Duration::from_secs(5);

/// The index of one model's references, opened when it is first needed.
pub(crate) struct ReferenceIndex {
    space: EmbeddingSpace,
    /// `None` for the index in memory.
    qdrant: Option<QdrantOptions>,
    index: OnceCell<Arc<dyn VectorIndex>>,
    seen: Mutex<Seen>,
    /// Until when no scan asks a server that did not answer.
    left_alone_until: std::sync::Mutex<Option<Instant>>,
    /// How far the references of other models are.
    reembedding: Reembedding,
}

/// How far an index is with being told.
#[derive(Debug, Default)]
struct Seen {
    /// The number of the last change that it knows of; 0 for none.
    revision: i64,
    /// Whether it was found, since the start, to hold no more than the database.
    is_compared: bool,
}

/// What to do while somebody else tells the index what has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WhileUpdating {
    Wait,
    GoOn,
}

impl ReferenceIndex {
    pub(crate) fn new(identifier: &Identifier, settings: &Settings) -> Self {
        let space = EmbeddingSpace {
            dimension: identifier.manifest().embedding.dimension,
            model_sha256: identifier.model_sha256().to_owned(),
        };
        let qdrant = settings.qdrant.url.as_ref().map(|url| {
            let hash = space.model_sha256.get(..HASH_DIGITS).unwrap_or(&space.model_sha256);
            QdrantOptions {
                api_key: settings.qdrant.api_key.as_ref().map(|key| key.reveal().to_owned()),
                shards: settings.qdrant.shards,
                replicas: settings.qdrant.replicas,
                quantised: settings.qdrant.quantised,
                on_disk: settings.qdrant.on_disk,
                search_deadline: SEARCH_DEADLINE,
                ..QdrantOptions::new(url, format!("{}-{hash}", settings.qdrant.collection))
            }
        });
        Self {
            space,
            qdrant,
            index: OnceCell::new(),
            seen: Mutex::default(),
            left_alone_until: std::sync::Mutex::default(),
            reembedding: Reembedding::default(),
        }
    }

    async fn open(&self) -> Result<&Arc<dyn VectorIndex>> {
        let open = || async {
            let index: Arc<dyn VectorIndex> = match &self.qdrant {
                // In a box, because every scan would hold the room that the one who connects needs.
                Some(options) => {
                    Arc::new(Box::pin(QdrantIndex::open(self.space.clone(), options.clone())).await?)
                }
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
    /// a database that was put back, is emptied and built anew.
    async fn bring_up_to_date(
        &self,
        store: &Store,
        identifier: &Identifier,
        meanwhile: WhileUpdating,
    ) -> Result<&Arc<dyn VectorIndex>> {
        let index = self.open().await?;
        let revision = store.reference_revision().await?;
        let mut seen = match self.seen.try_lock() {
            Ok(seen) => seen,
            Err(_) if meanwhile == WhileUpdating::GoOn => return Ok(index),
            Err(_) => self.seen.lock().await,
        };
        if seen.revision >= revision && seen.is_compared {
            return Ok(index);
        }
        self.apply_changes(index.as_ref(), store, identifier, &mut seen.revision, &mut |_| {}).await?;
        // Others may be writing to an index on a server, so only at the start is it compared.
        if !seen.is_compared || self.qdrant.is_none() {
            let (held, wanted) =
                (index.count().await?, store.count_references(&self.space.model_sha256).await?);
            if held > wanted {
                tracing::info!(held, wanted, "the vector index does not fit the catalogue: building it anew");
                // First, so that one that is emptied and not told anything is told everything by the next call.
                seen.revision = 0;
                index.clear().await?;
                self.apply_changes(index.as_ref(), store, identifier, &mut seen.revision, &mut |_| {})
                    .await?;
            }
        }
        seen.revision = seen.revision.max(revision);
        if !seen.is_compared {
            seen.is_compared = true;
            let n_references = index.count().await?;
            tracing::info!(n_references, revision = seen.revision, "the vector index is up to date");
        }
        Ok(index)
    }

    async fn apply_changes(
        &self,
        index: &dyn VectorIndex,
        store: &Store,
        identifier: &Identifier,
        seen: &mut i64,
        advance: &mut (dyn FnMut(usize) + Send),
    ) -> Result<()> {
        loop {
            let page = store.list_changed_references(&self.space.model_sha256, *seen, PAGE).await?;
            // Read after the page, so that whatever went before the last change of the page is among it.
            index.delete(store.list_forgotten_references(*seen).await?).await?;
            let (Some(first), Some(last)) = (page.first(), page.last()) else { return Ok(()) };
            let (first, last) = (first.revision, last.revision);
            let model_sha256 = &self.space.model_sha256;
            let mut parts = store.list_fitments_of_references(model_sha256, first, last).await?;
            let (deleted, kept): (Vec<_>, Vec<_>) =
                page.into_iter().partition(|reference| reference.deleted_at.is_some());
            let n_applied = deleted.len() + kept.len();
            index.delete(deleted.iter().map(|reference| reference.id).collect()).await?;
            let entries = kept.into_iter().filter_map(|reference| {
                let parts = parts.remove(&reference.id).unwrap_or_default();
                entry(reference, parts, identifier)
            });
            index.upsert(entries.collect()).await?;
            *seen = last;
            advance(n_applied);
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
        seen.revision = 0;
        index.clear().await?;
        self.apply_changes(index.as_ref(), store, identifier, &mut seen.revision, advance).await?;
        *seen = Seen { revision: seen.revision.max(revision), is_compared: true };
        Ok(index.count().await?)
    }

    /// Waits for a server no longer than this; what concerns an index in memory is never given up.
    async fn by<T>(&self, deadline: Instant, work: impl Future<Output = Result<T>>) -> Result<T> {
        let Some(options) = &self.qdrant else { return work.await };
        match timeout_at(deadline, work).await {
            Ok(result) => result,
            Err(elapsed) => {
                let (url, source) = (options.url.clone(), elapsed.into());
                Err(IndexError::Unavailable { url, attempts: 1, source }.into())
            }
        }
    }

    fn is_left_alone(&self) -> bool {
        let until = *self.left_alone_until.lock().unwrap_or_else(PoisonError::into_inner);
        until.is_some_and(|until| until > Instant::now())
    }

    /// Notes whether a server answered. Scans do for a while without one that did not, so that not each of them waits.
    fn note_answer(&self, has_answered: bool) {
        let until = (!has_answered && self.qdrant.is_some()).then(|| Instant::now() + LEFT_ALONE_FOR);
        *self.left_alone_until.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }

    /// Searches a server as scans do: it has as long as a scan gives it, and one that did not answer is left alone.
    ///
    /// # Errors
    /// [`Error::VectorIndex`] for an index that does not answer, or did not a moment ago.
    pub(crate) async fn search<T>(&self, search: impl Future<Output = Result<T>>) -> Result<T> {
        if let Some(options) = self.qdrant.as_ref().filter(|_| self.is_left_alone()) {
            let (url, source) = (options.url.clone(), "it did not answer a moment ago".into());
            return Err(IndexError::Unavailable { url, attempts: 0, source }.into());
        }
        let found = self.by(Instant::now() + SEARCH_DEADLINE, search).await;
        self.note_answer(found.is_ok());
        found
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
fn entry(
    reference: StoredReference,
    parts: Vec<PartFitments>,
    identifier: &Identifier,
) -> Option<IndexEntry> {
    Some(IndexEntry {
        id: reference.id,
        tenant_id: reference.tenant_id,
        label: reference.label,
        category: reference.category,
        kind: reference.kind,
        parts,
        embedding: identifier.reference_embedding(&reference.embedding)?,
    })
}

impl Teaching {
    /// Opens the vector index and tells it all references, so that the first scan is as quick as the rest and a
    /// server that holds something else is found at the start. One that does not answer is asked again by later
    /// scans, which are answered without taught parts until then.
    ///
    /// # Errors
    /// [`Error::VectorIndex`] for one that holds something else or refuses.
    pub async fn prepare_references(&self) -> Result<()> {
        match self.bring_index_up_to_date().await {
            Err(Error::VectorIndex { source: source @ IndexError::Unavailable { .. } }) => {
                let reason = with_causes(&source);
                tracing::warn!(
                    reason,
                    "scans are answered without taught parts until the vector index answers"
                );
                Ok(())
            }
            told => told,
        }
    }

    pub(crate) async fn bring_index_up_to_date(&self) -> Result<()> {
        self.index.bring_up_to_date(&self.store, &self.identifier, WhileUpdating::Wait).await?;
        Ok(())
    }

    /// Tells the index what has changed, as far as it can be told now: otherwise it hears of it at a later scan, within
    /// the hour, or at the next start.
    pub(crate) async fn update_index(&self) {
        let told = self.index.by(Instant::now() + UPDATE_DEADLINE, self.bring_index_up_to_date()).await;
        self.index.note_answer(told.is_ok());
        if let Err(error) = told {
            tracing::warn!(reason = with_causes(&error), "the vector index was not told of a change yet");
        }
    }

    /// How many references of all tenants the vector index holds.
    ///
    /// # Errors
    /// [`Error::VectorIndex`] for one that is away or holds something else.
    pub async fn count_indexed_references(&self) -> Result<u64> {
        Ok(self.index.open().await?.count().await?)
    }

    /// The references nearest to a photograph's embedding, f32 `[d]`, that a user may see; none where a server does
    /// not answer until `deadline`, because a scan without them is better than none.
    pub(crate) async fn near_references(
        &self,
        user: &User,
        embedding: &[f32],
        deadline: Instant,
    ) -> NearReferences {
        let Some(embedding) = self.identifier.reference_embedding(embedding) else {
            return NearReferences::default();
        };
        if self.index.is_left_alone() {
            return NearReferences::default();
        }
        let found = self.index.by(deadline, self.search_references(user, &embedding)).await;
        self.index.note_answer(found.is_ok());
        let near = found.unwrap_or_else(|error| {
            tracing::warn!(reason = with_causes(&error), "a scan is answered without taught parts");
            Vec::new()
        });
        self.identifier.near_references(near, &embedding)
    }

    async fn search_references(&self, user: &User, embedding: &[f32]) -> Result<Vec<NearReference>> {
        let filters = user.visible_tenants().map(SearchFilter::of_tenant);
        let found = self.nearest_references(filters, embedding, NEIGHBOURS).await?;
        let near = found.into_iter().map(|neighbour| NearReference {
            // What the catalogue says now: the type may have been the tenant's own when it was taught.
            category: self
                .catalog
                .get(&neighbour.label)
                .map(|part_type| part_type.category)
                .or(neighbour.category),
            label: neighbour.label,
            score: neighbour.score,
            embedding: neighbour.embedding,
        });
        Ok(near.collect())
    }

    /// The references nearest to an embedding as references are compared, f32 `[d]` of length 1, that pass one of the
    /// filters: at most `k`, the nearest first. None while references are embedded by a new model.
    ///
    /// # Errors
    /// [`Error::VectorIndex`] for an index that does not answer.
    pub(crate) async fn nearest_references(
        &self,
        filters: impl Iterator<Item = SearchFilter>,
        embedding: &[f32],
        k: usize,
    ) -> Result<Vec<Neighbour>> {
        // Half of them would be taken for the whole: a part that is not there yet could only be taken for another.
        if self.index.reembedding().is_running() {
            return Ok(Vec::new());
        }
        // Nothing was ever taught: nothing to look for, and no server to ask.
        if self.store.reference_revision().await? == 0 {
            return Ok(Vec::new());
        }
        // Who tells a server may wait for it long, and what it holds can be searched meanwhile.
        let meanwhile = if self.index.qdrant.is_some() { WhileUpdating::GoOn } else { WhileUpdating::Wait };
        let index = self.index.bring_up_to_date(&self.store, &self.identifier, meanwhile).await?;
        let mut found: Vec<Neighbour> = Vec::new();
        for filter in filters {
            let nearest = index.search(embedding, &filter, k).await?;
            // Those that all share come once more with each tenant.
            let new: Vec<Neighbour> = nearest
                .into_iter()
                .filter(|neighbour| found.iter().all(|other| other.id != neighbour.id))
                .collect();
            found.extend(new);
        }
        found.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.id.cmp(&other.id)));
        found.truncate(k);
        Ok(found)
    }
}
