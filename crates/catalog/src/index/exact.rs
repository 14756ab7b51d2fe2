//! The exact index in memory: it scans every row that may match.
//!
//! Rows are stored in partitions, one for each owner, category and kind, so that a filter on these selects
//! partitions instead of testing rows, and the scan is contiguous. A first pass reads one byte per number
//! ([`quantise`]); it bounds each score from above and below, and only rows whose upper bound reaches the k-th best
//! lower bound are scored again in f32. With many rows, where a search is limited by memory bandwidth, a pass over
//! half bytes with wider bounds comes first. The result is therefore that of a plain f32 scan for any data (filter
//! and refine; Seidl and Kriegel, "Optimal Multi-Step k-Nearest Neighbor Search", 1998). If all rows are nearly
//! alike, the later passes read many of them, and cost up to as much as a plain scan.
//!
//! A search holds a read lock until it ends, at most a few milliseconds with 100,000 rows, and a change holds the
//! write lock for microseconds. With copies for the readers no change would wait, but each change would copy 2.8 KB
//! per row; changes are rare and may wait for a search.

mod kernels;
mod partition;
mod quantise;
mod shortlist;

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use partsight_domain::{Category, ReferenceId, ReferenceKind, TenantId, VehicleKey};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::{
    DIMENSIONS, EmbeddingSpace, IndexEntry, IndexError, IndexFuture, Neighbour, SearchFilter, VectorIndex,
};
use kernels::Kernel;
use partition::{Block, Partition, Precision, Query};
use shortlist::{Shortlist, nearest};

/// Up to this many rows a search runs on the calling thread: about 0.3 ms, less than the worst case of moving it to
/// another thread. Above, it moves to a blocking thread.
const INLINE_ROWS: usize = 16_384;
/// From this many rows on, all cores share a search. Below, one core answers within a few milliseconds, and the
/// other cores are free for other searches.
const PARALLEL_ROWS: usize = 262_144;

/// From this many rows on, the first pass reads half bytes: as whole bytes the rows have about 8 MB, which do not
/// fit in a cache. With fewer rows the wider bounds cost more than reading half as much saves, especially if `k` is
/// large.
const HALF_BYTE_ROWS: usize = 16_384;

/// Identifies the partition of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct PartitionKey {
    owner: Option<TenantId>,
    category: Option<Category>,
    kind: ReferenceKind,
}

impl PartitionKey {
    fn of(entry: &IndexEntry) -> Self {
        Self { owner: entry.tenant_id, category: entry.category, kind: entry.kind }
    }

    /// The partitions that match `filter`, except for its conditions on parts and the vehicle.
    fn passing(filter: &SearchFilter) -> impl Iterator<Item = Self> + '_ {
        // Only these two owners: partitions of other tenants are never looked up.
        let owners = [Some(filter.tenant_id), None];
        owners.into_iter().flat_map(move |owner| {
            let categories = Category::ALL.into_iter().map(Some).chain([None]);
            let wanted = categories.filter(|&c| filter.category.is_none() || c == filter.category);
            wanted.flat_map(move |category| {
                let kinds = ReferenceKind::ALL.into_iter();
                let wanted = kinds.filter(move |&kind| filter.kind.is_none_or(|wanted| kind == wanted));
                wanted.map(move |kind| Self { owner, category, kind })
            })
        })
    }
}

#[derive(Default)]
struct Rows {
    partitions: HashMap<PartitionKey, Partition>,
    places: HashMap<ReferenceId, (PartitionKey, usize)>,
}

impl Rows {
    fn remove(&mut self, id: ReferenceId) {
        let Some((key, row)) = self.places.remove(&id) else { return };
        let Some(partition) = self.partitions.get_mut(&key) else { return };
        // The last row has moved into the gap, so its recorded place must change.
        if let Some(moved) = partition.swap_remove(row) {
            self.places.insert(moved, (key, row));
        }
        // Otherwise empty partitions of former tenants would remain forever.
        if partition.n_rows() == 0 {
            self.partitions.remove(&key);
        }
    }
}

/// An exact index in memory. Cheap to clone; clones share the rows.
///
/// It needs `5.5 d` bytes per row plus about 100: 290 MB for 100,000 rows of 512 numbers.
#[derive(Clone)]
pub struct ExactIndex {
    space: EmbeddingSpace,
    kernel: Kernel,
    rows: Arc<RwLock<Rows>>,
}

impl ExactIndex {
    /// An empty index.
    ///
    /// # Errors
    /// [`IndexError::UnusableDimension`].
    pub fn new(space: EmbeddingSpace) -> Result<Self, IndexError> {
        if !DIMENSIONS.contains(&space.dimension) {
            return Err(IndexError::UnusableDimension { dimension: space.dimension });
        }
        Ok(Self { space, kernel: Kernel::detect(), rows: Arc::default() })
    }

    /// The instructions of the first pass: `AVX-512 VNNI`, `AVX2`, `NEON` or `portable`.
    pub fn kernel(&self) -> &'static str {
        self.kernel.name()
    }

    /// [`VectorIndex::upsert`] on the calling thread.
    ///
    /// # Errors
    /// Those of [`VectorIndex::upsert`].
    pub fn upsert_blocking(&self, entries: Vec<IndexEntry>) -> Result<(), IndexError> {
        // All are checked before the first is inserted: an invalid entry changes nothing.
        for entry in &entries {
            self.space.check(&entry.embedding)?;
        }
        let mut rows = self.rows.write().unwrap_or_else(PoisonError::into_inner);
        for entry in entries {
            // An entry with the same id may be in another partition, if its category or kind has changed.
            rows.remove(entry.id);
            let key = PartitionKey::of(&entry);
            let partition =
                rows.partitions.entry(key).or_insert_with(|| Partition::new(self.space.dimension));
            let row = partition.push(&entry);
            rows.places.insert(entry.id, (key, row));
        }
        Ok(())
    }

    /// [`VectorIndex::search`] on the calling thread, and on rayon's threads for 262,144 rows or more.
    ///
    /// # Errors
    /// Those of [`VectorIndex::search`].
    pub fn search_blocking(
        &self,
        query: &[f32],
        filter: &SearchFilter,
        k: usize,
    ) -> Result<Vec<Neighbour>, IndexError> {
        self.space.check(query)?;
        if k == 0 {
            return Ok(Vec::new());
        }
        // Held until the end: places are row numbers, and a removal meanwhile would move other rows there.
        let rows = self.rows.read().unwrap_or_else(PoisonError::into_inner);
        let (keys, partitions): (Vec<PartitionKey>, Vec<&Partition>) =
            PartitionKey::passing(filter).filter_map(|key| Some((key, rows.partitions.get(&key)?))).unzip();
        let vehicle = filter.vehicle.as_ref().map(VehicleKey::from);
        let passes = |at: usize, row: usize| {
            (!filter.parts_only || keys[at].owner.is_none() || partitions[at].shows_part(row))
                && vehicle.as_ref().is_none_or(|vehicle| partitions[at].may_fit(row, vehicle))
        };
        let forms = Query::new(query);
        let n_rows: usize = partitions.iter().map(|partition| partition.n_rows()).sum();
        let precision = if n_rows < HALF_BYTE_ROWS { Precision::Byte } else { Precision::HalfByte };
        let scan = |mut shortlist: Shortlist, at: usize, first_row: usize, block: &Block| {
            block.scan(self.kernel, &forms, precision, |row, bounds| {
                let row = first_row + row;
                // The bound is checked first: it rejects nearly all rows, without reading their fitments.
                if shortlist.admits(bounds) && passes(at, row) {
                    shortlist.push(bounds, (at as u32, row as u32));
                }
            });
            shortlist
        };
        // Blocks of all partitions are in one list, so that the cores also share one large partition.
        let blocks: Vec<(usize, usize, &Block)> = partitions
            .iter()
            .enumerate()
            .flat_map(|(at, partition)| partition.blocks().map(move |(first, block)| (at, first, block)))
            .collect();
        let shortlist = if n_rows < PARALLEL_ROWS {
            blocks.iter().fold(Shortlist::new(k), |list, &(at, first, block)| scan(list, at, first, block))
        } else {
            blocks
                .par_iter()
                // Each core has its own list and threshold: a shared one would need a lock for each row.
                .fold(|| Shortlist::new(k), |list, &(at, first, block)| scan(list, at, first, block))
                .reduce(|| Shortlist::new(k), Shortlist::merge)
        };
        let shortlist = match precision {
            Precision::Byte => shortlist,
            Precision::HalfByte => shortlist
                .narrowed(|(at, row)| partitions[at as usize].bounds(row as usize, self.kernel, &forms)),
        };
        let mut found = nearest(shortlist, |(at, row)| {
            let partition = partitions[at as usize];
            (partition.score(row as usize, query), partition.id(row as usize))
        });
        found.truncate(k);
        Ok(found
            .into_iter()
            .map(|(score, id, (at, row))| Neighbour {
                id,
                label: partitions[at as usize].label(row as usize).clone(),
                category: keys[at as usize].category,
                score,
                embedding: partitions[at as usize].embedding(row as usize).to_vec(),
            })
            .collect())
    }

    /// Number of rows that a search with `filter` reads.
    fn n_rows_for(&self, filter: &SearchFilter) -> usize {
        let rows = self.rows.read().unwrap_or_else(PoisonError::into_inner);
        PartitionKey::passing(filter).filter_map(|key| rows.partitions.get(&key)).map(Partition::n_rows).sum()
    }
}

impl VectorIndex for ExactIndex {
    fn space(&self) -> &EmbeddingSpace {
        &self.space
    }

    fn upsert(&self, entries: Vec<IndexEntry>) -> IndexFuture<'_, ()> {
        Box::pin(async move { self.upsert_blocking(entries) })
    }

    fn delete(&self, ids: Vec<ReferenceId>) -> IndexFuture<'_, ()> {
        Box::pin(async move {
            let mut rows = self.rows.write().unwrap_or_else(PoisonError::into_inner);
            for id in ids {
                rows.remove(id);
            }
            Ok(())
        })
    }

    fn search<'a>(
        &'a self,
        query: &'a [f32],
        filter: &'a SearchFilter,
        k: usize,
    ) -> IndexFuture<'a, Vec<Neighbour>> {
        Box::pin(async move {
            // The number may change before the search starts, which only affects the time.
            if self.n_rows_for(filter) <= INLINE_ROWS {
                return self.search_blocking(query, filter, k);
            }
            // Copies, because the blocking thread may outlive the caller, whose future can be dropped.
            let (index, query, filter) = (self.clone(), query.to_vec(), filter.clone());
            tokio::task::spawn_blocking(move || index.search_blocking(&query, &filter, k))
                .await
                .map_err(|source| IndexError::Search { source: source.into() })?
        })
    }

    fn count(&self) -> IndexFuture<'_, u64> {
        Box::pin(async move {
            let rows = self.rows.read().unwrap_or_else(PoisonError::into_inner);
            Ok(rows.places.len() as u64)
        })
    }

    fn clear(&self) -> IndexFuture<'_, ()> {
        Box::pin(async move {
            *self.rows.write().unwrap_or_else(PoisonError::into_inner) = Rows::default();
            Ok(())
        })
    }
}

partsight_domain::debug_fields!(ExactIndex { space, kernel });
