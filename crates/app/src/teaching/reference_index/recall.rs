//! Measures the recall of an index on a server against exact search, on a shop's own references.

use std::time::{Duration, Instant};

use partsight_catalog::{ExactIndex, IndexEntry, Neighbour, SearchFilter, VectorIndex};
use partsight_domain::ReferenceId;
use partsight_store::StoredReference;

use super::compare::Difference;
use super::{Index, ServedIndex, search_all};
use crate::metrics::index_status::IndexStatus;
use crate::teaching::Teaching;
use crate::{Owner, Result};

/// Most queries.
const QUERIES: usize = 500;
/// The k of recall@k.
const K: usize = 10;

/// What a check of the vector index found.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexCheck {
    /// Where the index is, for people.
    pub place: String,
    /// The check of an index on a server; `None` for one in memory, which is exact.
    pub served: Option<ServedCheck>,
}

/// What a check of an index on a server found.
#[derive(Debug, Clone, PartialEq)]
pub struct ServedCheck {
    /// Numbers of references that it holds and should hold, of all tenants.
    pub status: IndexStatus,
    /// Comparison of each reference with the database. Nothing was repaired.
    pub difference: Difference,
    /// References that the owner may see.
    pub n_visible: usize,
    /// Number of queries, which are references of the owner.
    pub n_queries: usize,
    /// Mean recall@10 against exact search, in 0..=1; `None` without queries.
    pub recall: Option<f64>,
    /// Share of queries whose nearest neighbour is the same as in exact search, in 0..=1; `None` without queries.
    pub nearest_found: Option<f64>,
    /// Median and 99th percentile of the duration of a search.
    pub took: [Duration; 2],
}

impl Teaching {
    /// Compares an index on a server with the database, and its answers with those of the exact index on up to 500 of
    /// the references that an owner may see. `advance` is called after each search. Changes nothing.
    ///
    /// # Errors
    /// [`Error::VectorIndex`](crate::Error::VectorIndex) for a server that is away, or a collection that holds something
    /// else.
    pub async fn check_index(
        &self,
        owner: &Owner,
        mut advance: impl FnMut(usize) + Send,
    ) -> Result<IndexCheck> {
        let place = self.index.describe();
        let Index::Served(served) = self.index.open()? else {
            return Ok(IndexCheck { place, served: None });
        };
        let standing = served.index.prepare().await?;
        let (difference, _) = served.compare().await?;
        let rows = self.usable_references(owner).await?;
        let n_visible = rows.len();
        // Spread evenly over all of them, which are sorted by age.
        let step = n_visible.div_ceil(QUERIES).max(1);
        let queries: Vec<(ReferenceId, Vec<f32>)> =
            rows.iter().step_by(step).map(|(row, embedding)| (row.id, embedding.clone())).collect();
        let exact = ExactIndex::new(self.index.space.clone())?;
        exact.upsert(rows.into_iter().map(entry).collect()).await?;
        let filters: Vec<SearchFilter> = owner.visible_tenants().map(SearchFilter::of_tenant).collect();
        let (mut n_found, mut n_wanted, mut n_nearest) = (0, 0, 0);
        let mut took = Vec::with_capacity(queries.len());
        for (index, (id, embedding)) in queries.iter().enumerate() {
            // One more, since each query is its own nearest.
            let of_others = |found: Vec<Neighbour>| -> Vec<ReferenceId> {
                found.into_iter().map(|one| one.id).filter(|found| found != id).take(K).collect()
            };
            let wanted = of_others(search_all(&exact, filters.iter().cloned(), embedding, K + 1).await?);
            let start = Instant::now();
            let found = search_all(&served.index, filters.iter().cloned(), embedding, K + 1).await?;
            took.push(start.elapsed());
            let found = of_others(found);
            n_wanted += wanted.len();
            n_found += wanted.iter().filter(|id| found.contains(id)).count();
            n_nearest += usize::from(!wanted.is_empty() && wanted.first() == found.first());
            advance(index + 1);
        }
        took.sort_unstable();
        let at = |share: f64| {
            let last = took.len().saturating_sub(1);
            took.get((last as f64 * share).round() as usize).copied().unwrap_or_default()
        };
        let share = |n: usize, of: usize| (of > 0).then(|| n as f64 / of as f64);
        let status = IndexStatus {
            revision: standing.revision.unwrap_or(0),
            held: served.index.count().await?,
            wanted: self.store.count_references(&self.index.space.model_sha256).await?,
            ..ServedIndex::status(served)
        };
        Ok(IndexCheck {
            place,
            served: Some(ServedCheck {
                status,
                difference,
                n_visible,
                n_queries: took.len(),
                recall: share(n_found, n_wanted),
                nearest_found: share(n_nearest, if n_wanted > 0 { took.len() } else { 0 }),
                took: [at(0.5), at(0.99)],
            }),
        })
    }
}

fn entry((reference, embedding): (StoredReference, Vec<f32>)) -> IndexEntry {
    IndexEntry {
        id: reference.id,
        tenant_id: reference.tenant_id,
        label: reference.label,
        category: reference.category,
        kind: reference.kind,
        // Not needed: nothing is filtered by parts here.
        parts: Vec::new(),
        revision: reference.revision,
        embedding,
    }
}
