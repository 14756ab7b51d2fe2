//! Keeps the vector index in sync with the references in the database, and searches it.

mod changes;
mod compare;
mod in_memory;
mod on_server;
mod recall;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use partsight_catalog::{EmbeddingSpace, IndexError, Neighbour, QdrantOptions, SearchFilter, VectorIndex};
use partsight_domain::{NearReference, NearReferences, User};
use partsight_store::Store;
use tokio::time::{Instant, timeout_at};

use crate::detached_tasks::DetachedTasks;
use crate::metrics::index_status::{IndexCondition, IndexStatus};
use crate::teaching::Teaching;
use crate::teaching::reembedding::Reembedding;
use crate::with_causes;
use crate::{Error, Identifier, Result, Settings};
use in_memory::MemoryIndex;
use on_server::ServedIndex;

pub use compare::Difference;
pub use recall::{IndexCheck, ServedCheck};

/// Neighbours in a search: the ten that count for half a dozen part types, or all of a dozen types with five.
pub(crate) const NEIGHBOURS: usize = 60;
/// Digits of the model's hash in the name of its collection: each model has its own collection.
const HASH_DIGITS: usize = 16;
/// Time limit of a search on a Qdrant server, after which a scan is answered without references.
pub(crate) const SEARCH_DEADLINE: Duration = Duration::from_secs(1);
/// How much shorter the time limit of the database is than that of the index, so that the two errors can be
/// distinguished.
const DATABASE_MARGIN: Duration = Duration::from_millis(50);
/// Time limit of syncing a change to a Qdrant server, which is otherwise synced later.
const UPDATE_DEADLINE: Duration = Duration::from_secs(5);
/// Time limit of a Qdrant server at the start.
const START_DEADLINE: Duration = Duration::from_secs(2);

/// The index of one model's references, opened when it is first needed.
pub(crate) struct ReferenceIndex {
    space: EmbeddingSpace,
    /// `None` for an index in memory.
    qdrant: Option<QdrantOptions>,
    store: Store,
    identifier: Arc<Identifier>,
    tasks: DetachedTasks,
    index: OnceLock<Index>,
    /// Progress of embedding references of other models again.
    reembedding: Reembedding,
}

enum Index {
    Memory(Box<MemoryIndex>),
    Served(Arc<ServedIndex>),
}

/// The references near a photograph.
#[derive(Debug, Default)]
pub(crate) struct FoundReferences {
    /// What was found.
    pub(crate) near: NearReferences,
    /// Whether there may be more: the index could not be searched, or is incomplete now.
    pub(crate) are_incomplete: bool,
}

impl ReferenceIndex {
    pub(crate) fn new(
        store: Store,
        identifier: &Arc<Identifier>,
        tasks: DetachedTasks,
        settings: &Settings,
    ) -> Self {
        let space = EmbeddingSpace {
            dimension: identifier.manifest().embedding.dimension,
            model_sha256: identifier.model_sha256().to_owned(),
        };
        let qdrant = settings.qdrant.url.as_ref().map(|url| {
            // A collection for each model, since embeddings of two models cannot be compared.
            let hash = space.model_sha256.get(..HASH_DIGITS).unwrap_or(&space.model_sha256);
            QdrantOptions {
                api_key: settings.qdrant.api_key.as_ref().map(|key| key.reveal().to_owned()),
                shards: settings.qdrant.shards,
                replicas: settings.qdrant.replicas,
                quantised: settings.qdrant.quantised,
                on_disk: settings.qdrant.on_disk,
                search_deadline: SEARCH_DEADLINE,
                ..QdrantOptions::new(&**url, format!("{}-{hash}", settings.qdrant.collection))
            }
        });
        Self {
            space,
            qdrant,
            store,
            identifier: Arc::clone(identifier),
            tasks,
            index: OnceLock::new(),
            reembedding: Reembedding::default(),
        }
    }

    fn open(&self) -> Result<&Index> {
        if let Some(index) = self.index.get() {
            return Ok(index);
        }
        let (space, store, identifier) = (self.space.clone(), self.store.clone(), self.identifier.clone());
        let index = match &self.qdrant {
            Some(options) => {
                Index::Served(Arc::new(ServedIndex::new(space, options.clone(), store, identifier)?))
            }
            None => Index::Memory(Box::new(MemoryIndex::new(space, store, identifier)?)),
        };
        // Two threads may get here at once; one of the two indexes is dropped before it was synced.
        Ok(self.index.get_or_init(|| index))
    }

    /// The index on a server; `None` for one in memory, or one that is not open yet.
    fn served(&self) -> Option<&Arc<ServedIndex>> {
        match self.index.get() {
            Some(Index::Served(served)) => Some(served),
            _ => None,
        }
    }

    /// Status of an index on a server; `None` for one in memory.
    pub(crate) fn status(&self) -> Option<IndexStatus> {
        self.qdrant.as_ref().map(|_| self.served().map(|served| served.status()).unwrap_or_default())
    }

    /// Stops the task that syncs an index on a server.
    pub(crate) fn stop(&self) {
        if let Some(served) = self.served() {
            served.stop();
        }
    }

    /// Empties and rebuilds the index; returns how many references it holds then. `advance` is called with the size
    /// of each page.
    pub(crate) async fn rebuild(&self, advance: &mut (dyn FnMut(usize) + Send)) -> Result<u64> {
        match self.open()? {
            Index::Memory(index) => index.rebuild(advance).await,
            Index::Served(index) => index.rebuild(advance).await,
        }
    }

    /// Searches with the time limits of a scan, for calls that can be repeated.
    ///
    /// # Errors
    /// [`Error::VectorIndex`] for an index that does not answer, or is incomplete now.
    pub(crate) async fn search<T>(&self, search: impl Future<Output = Result<T>>) -> Result<T> {
        let Some(options) = &self.qdrant else { return search.await };
        match timeout_at(Instant::now() + SEARCH_DEADLINE, search).await {
            Ok(found) => found,
            Err(elapsed) => Err(unavailable(options, elapsed.into())),
        }
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

fn unavailable(options: &QdrantOptions, source: Box<dyn std::error::Error + Send + Sync>) -> Error {
    IndexError::Unavailable { url: options.url.to_string(), attempts: 1, source }.into()
}

impl Teaching {
    /// Opens the vector index, so that the first scan is fast and an unusable collection is noticed at the start. An
    /// index in memory is filled. One on a server is synced in the background; scans are answered without taught
    /// parts until it is in sync.
    ///
    /// # Errors
    /// [`Error::VectorIndex`] for a collection of something else, or a server that refuses.
    pub async fn prepare_references(&self) -> Result<()> {
        let served = match self.index.open()? {
            Index::Memory(index) => {
                index.bring_up_to_date().await?;
                return Ok(());
            }
            Index::Served(served) => served,
        };
        let deadline = Instant::now() + START_DEADLINE;
        let first = timeout_at(deadline, served.open()).await;
        // An unavailable server may become available; a collection with other content is a mistake in the settings, and
        // ends the start.
        if let Ok(Err(error)) = first
            && !matches!(error, Error::VectorIndex(IndexError::Unavailable { .. }))
        {
            return Err(error);
        }
        served.watch(&self.index.tasks);
        served.until_known(deadline).await;
        Ok(())
    }

    pub(crate) async fn bring_index_up_to_date(&self) -> Result<()> {
        match self.index.open()? {
            Index::Memory(index) => {
                index.bring_up_to_date().await?;
                Ok(())
            }
            Index::Served(served) => served.bring_up_to_date().await,
        }
    }

    /// Syncs the index with the database if that is possible now; otherwise that happens in the background, or at the
    /// next start.
    pub(crate) async fn update_index(&self) {
        let told = async {
            let Some(options) = &self.index.qdrant else { return self.bring_index_up_to_date().await };
            let told = timeout_at(Instant::now() + UPDATE_DEADLINE, self.bring_index_up_to_date()).await;
            told.unwrap_or_else(|elapsed| Err(unavailable(options, elapsed.into())))
        };
        if let Err(error) = told.await {
            tracing::warn!(reason = with_causes(&error), "the vector index was not told of a change yet");
            if let Some(served) = self.index.served() {
                served.look_soon();
            }
        }
    }

    /// How many references of all tenants the vector index holds. For tests.
    ///
    /// # Errors
    /// [`Error::VectorIndex`] for an index that is unavailable or has other content.
    pub async fn count_indexed_references(&self) -> Result<u64> {
        match self.index.open()? {
            Index::Memory(index) => index.count().await,
            Index::Served(served) => {
                served.index.prepare().await?;
                Ok(served.index.count().await?)
            }
        }
    }

    /// The status of a vector index on a server; `None` for one in memory.
    pub fn index_status(&self) -> Option<IndexStatus> {
        self.index.status()
    }

    /// The references nearest to an embedding, f32 `[d]`, that a user may see; none if a server does not answer until
    /// `deadline`, because a scan without references is better than none. `revision` is that of the taught parts, if it
    /// was read already.
    pub(crate) async fn near_references(
        &self,
        user: &User,
        embedding: &[f32],
        revision: Option<i64>,
        deadline: Instant,
    ) -> FoundReferences {
        let Some(embedding) = self.identifier.reference_embedding(embedding) else {
            return FoundReferences::default();
        };
        let search = self.search_references(user, &embedding, revision, deadline);
        // The index in memory needs no deadline.
        let found = match &self.index.qdrant {
            None => search.await,
            Some(options) => timeout_at(deadline, search)
                .await
                .unwrap_or_else(|elapsed| Err(unavailable(options, elapsed.into()))),
        };
        let (near, are_incomplete) = found.unwrap_or_else(|error| {
            tracing::warn!(reason = with_causes(&error), "a scan is answered without taught parts");
            if let (Some(served), Error::VectorIndex(source)) = (self.index.served(), &error) {
                served.note_search(source);
            }
            (Vec::new(), true)
        });
        // If the user can see no taught part, none is missing.
        let are_incomplete = are_incomplete && self.may_see_any(user).await;
        FoundReferences { near: self.identifier.near_references(near, &embedding), are_incomplete }
    }

    /// Whether a user may see any references; true if that cannot be determined.
    async fn may_see_any(&self, user: &User) -> bool {
        for tenant_id in user.visible_tenants() {
            if self.store.has_visible_references(tenant_id).await.unwrap_or(true) {
                return true;
            }
        }
        false
    }

    async fn search_references(
        &self,
        user: &User,
        embedding: &[f32],
        revision: Option<i64>,
        deadline: Instant,
    ) -> Result<(Vec<NearReference>, bool)> {
        let filters = user.visible_tenants().map(SearchFilter::of_tenant);
        let searched = self.nearest(filters, embedding, NEIGHBOURS, revision, deadline);
        let Searched { found, is_complete } = searched.await?;
        Ok((self.as_references(found), !is_complete))
    }

    /// Search results in the form that scoring needs.
    pub(super) fn as_references(&self, found: Vec<Neighbour>) -> Vec<NearReference> {
        let reference = |neighbour: Neighbour| NearReference {
            // The current category: the type may have been the tenant's own when it was taught.
            category: self
                .catalog
                .get(&neighbour.label)
                .map(|part_type| part_type.category)
                .or(neighbour.category),
            label: neighbour.label,
            score: neighbour.score,
            embedding: neighbour.embedding,
        };
        found.into_iter().map(reference).collect()
    }

    /// The references nearest to an embedding in the reference space, f32 `[d]` of length 1, that pass one of the
    /// filters: at most `k`, nearest first. None while references are being embedded by a new model.
    ///
    /// # Errors
    /// [`Error::VectorIndex`] for an index that does not answer, or is incomplete now.
    pub(crate) async fn nearest_references(
        &self,
        filters: impl Iterator<Item = SearchFilter>,
        embedding: &[f32],
        k: usize,
    ) -> Result<Vec<Neighbour>> {
        let searched = self.nearest(filters, embedding, k, None, Instant::now() + SEARCH_DEADLINE).await?;
        match &self.index.qdrant {
            Some(options) if !searched.is_complete && !self.index.reembedding().is_running() => {
                Err(unavailable(options, "it is being told what it lacks".into()))
            }
            _ => Ok(searched.found),
        }
    }

    async fn nearest(
        &self,
        filters: impl Iterator<Item = SearchFilter>,
        embedding: &[f32],
        k: usize,
        revision: Option<i64>,
        deadline: Instant,
    ) -> Result<Searched> {
        // Searching only some of them is worse than searching none: a photograph of a part without references yet could
        // only be identified as another part.
        if self.index.reembedding().is_running() {
            return Ok(Searched { found: Vec::new(), is_complete: false });
        }
        // If nothing was ever taught, no server is queried.
        let revision = match revision {
            Some(revision) => revision,
            None => self.asked_before(deadline, self.store.reference_revision()).await?,
        };
        if revision == 0 {
            return Ok(Searched { found: Vec::new(), is_complete: true });
        }
        match self.index.open()? {
            Index::Memory(index) => {
                let index = index.bring_up_to(revision).await?;
                let found = search_all(index, filters, embedding, k).await?;
                Ok(Searched { found, is_complete: true })
            }
            Index::Served(served) => {
                // For callers that have not prepared the index; otherwise this does nothing.
                served.watch(&self.index.tasks);
                if served.status().condition != IndexCondition::Whole {
                    return Ok(Searched { found: Vec::new(), is_complete: false });
                }
                // There may be a newer change; meanwhile the present content is searched.
                if served.status().revision < revision {
                    served.look_soon();
                }
                let waits_until = deadline.min(Instant::now() + CATCH_UP);
                let is_told = served.until_told(revision, waits_until).await;
                let filters: Vec<SearchFilter> = filters.collect();
                let found = search_all(&served.index, filters.iter().cloned(), embedding, k).await?;
                let has_all = self.has_all(served, &filters, found.len(), k);
                let has_all = self.asked_before(deadline, has_all).await?;
                Ok(Searched { found, is_complete: is_told && has_all })
            }
        }
    }

    /// The result of a database query until shortly before `deadline`, which only searches on a server have.
    async fn asked_before<T>(
        &self,
        deadline: Instant,
        asked: impl Future<Output = Result<T, partsight_store::Error>>,
    ) -> Result<T> {
        if self.index.qdrant.is_none() {
            return Ok(asked.await?);
        }
        asked_until(deadline.checked_sub(DATABASE_MARGIN).unwrap_or(deadline), asked).await
    }

    /// Whether a search found as many references as there must be; otherwise some were lost.
    async fn has_all(
        &self,
        served: &ServedIndex,
        filters: &[SearchFilter],
        n_found: usize,
        k: usize,
    ) -> Result<bool, partsight_store::Error> {
        let at_most = u32::try_from(k).unwrap_or(u32::MAX);
        let mut n_visible = 0;
        // The database cannot count what a category or vehicle filter leaves.
        for filter in filters.iter().filter(|filter| **filter == SearchFilter::of_tenant(filter.tenant_id)) {
            let n = self.store.count_visible_references(
                &self.index.space.model_sha256,
                filter.tenant_id,
                at_most,
            );
            // The shared ones are included for each tenant.
            n_visible = n.await?.max(n_visible);
        }
        let has_all = n_found as u64 >= least_found(n_visible, k as u64);
        // A reference that is being deleted may be missing in only one of the two.
        if !has_all && self.store.reference_revision().await? == served.status().revision {
            tracing::warn!(n_found, n_visible, "a search found fewer taught parts than there are");
            served.note_loss();
        }
        Ok(has_all)
    }
}

/// The result of a database query until `until`.
async fn asked_until<T>(
    until: Instant,
    asked: impl Future<Output = Result<T, partsight_store::Error>>,
) -> Result<T> {
    let answer = timeout_at(until, asked).await;
    Ok(answer.unwrap_or_else(|_| Err(partsight_store::Error::out_of_time()))?)
}

/// The least number of results of a search for `k` if no reference was lost. A small collection is searched exactly;
/// in a large one, of which at most `k` are counted, Qdrant's graph may miss some.
fn least_found(n_visible: u64, k: u64) -> u64 {
    if n_visible < k { n_visible } else { k / 2 }
}

/// How long a scan waits for a change that is being synced.
const CATCH_UP: Duration = Duration::from_millis(500);

/// The results of a search, and whether the index was complete.
struct Searched {
    found: Vec<Neighbour>,
    is_complete: bool,
}

/// The `k` nearest references that pass one of the filters.
async fn search_all(
    index: &dyn VectorIndex,
    filters: impl Iterator<Item = SearchFilter>,
    embedding: &[f32],
    k: usize,
) -> Result<Vec<Neighbour>> {
    let mut found: Vec<Neighbour> = Vec::new();
    for filter in filters {
        let nearest = index.search(embedding, &filter, k).await?;
        // Shared references are returned for each tenant.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_database_that_does_not_answer_is_not_taken_for_an_index_that_does_not() {
        let silent = std::future::pending::<Result<i64, partsight_store::Error>>();
        let found = asked_until(Instant::now(), silent).await;
        assert!(matches!(found, Err(Error::DatabaseBusy(_))), "{found:?}");
    }

    #[test]
    fn few_references_are_all_found_and_of_many_a_graph_may_miss_some() {
        for (n_visible, least) in [(0, 0), (1, 1), (59, 59), (60, 30)] {
            assert_eq!(least_found(n_visible, 60), least, "{n_visible}");
        }
    }
}
