//! The index in memory: it reads every row that may answer, and is exact.
//!
//! Rows lie in partitions, one for each owner, category and kind, so that a filter on these chooses partitions
//! instead of testing rows, and what is left to read is contiguous. A first pass reads one byte a number
//! ([`quantise`]); it bounds each score from above and below, and only rows whose upper bound reaches the k-th
//! best lower bound are scored again in f32. Among many rows, where a search costs what reading the memory costs, a
//! pass over half bytes comes before that, with wider bounds. The result is therefore that of a plain f32 scan,
//! whatever the data (filter and refine; Seidl and Kriegel, "Optimal Multi-Step k-Nearest Neighbor Search", 1998).
//! Where all rows are nearly alike the later passes read many of them, and cost up to what the plain scan would.
//!
//! A search holds a read lock for its whole length, a few milliseconds at most at 100,000 rows, and a change
//! the write lock for microseconds. Copies for the readers would let no change wait, but cost 2.5 KB of copying
//! a row and change; teaching is rare, and may wait for a search.

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

/// Up to this many rows a search runs on the thread that asks: about 0.3 ms, less than handing it over costs
/// at worst. Beyond, it moves to a thread that may block.
const INLINE_ROWS: usize = 16_384;
/// From this many rows on, all cores share a search. Below, one core answers within a few milliseconds and the
/// others are left to other searches.
const PARALLEL_ROWS: usize = 262_144;

/// From this many rows on, the first pass reads half bytes: about 8 MB of bytes, which come from memory rather than a
/// cache. With fewer the wider bounds of half bytes cost more than reading half as much saves, most where `k` is large.
const HALF_BYTE_ROWS: usize = 16_384;

/// Which rows lie together.
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

    /// The partitions whose rows pass `filter`, but for their parts and the vehicle.
    fn passing(filter: &SearchFilter) -> impl Iterator<Item = Self> + '_ {
        // Only these two: another tenant's partition is not even looked up.
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
        // The last row has moved into the gap, so that its place must follow.
        if let Some(moved) = partition.swap_remove(row) {
            self.places.insert(moved, (key, row));
        }
        // Tenants come and go; their empty partitions would stay for ever.
        if partition.n_rows() == 0 {
            self.partitions.remove(&key);
        }
    }
}

/// An exact index in memory. Cheap to clone; clones share the rows.
///
/// Takes `5.5 d` bytes a row and about 100 more: 290 MB for 100,000 rows of 512 numbers.
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

    /// Which instructions the first pass uses: `AVX-512 VNNI`, `AVX2`, `NEON` or `portable`.
    pub fn kernel(&self) -> &'static str {
        self.kernel.name()
    }

    /// [`VectorIndex::upsert`] on the calling thread.
    ///
    /// # Errors
    /// Those of [`VectorIndex::upsert`].
    pub fn upsert_blocking(&self, entries: Vec<IndexEntry>) -> Result<(), IndexError> {
        // All before the first is put in: a bad entry changes nothing.
        for entry in &entries {
            self.space.check(&entry.embedding)?;
        }
        let mut rows = self.rows.write().unwrap_or_else(PoisonError::into_inner);
        for entry in entries {
            // An entry of the same id may lie in another partition, when its category or kind has changed.
            rows.remove(entry.id);
            let key = PartitionKey::of(&entry);
            let partition =
                rows.partitions.entry(key).or_insert_with(|| Partition::new(self.space.dimension));
            let row = partition.push(&entry);
            rows.places.insert(entry.id, (key, row));
        }
        Ok(())
    }

    /// [`VectorIndex::search`] on the calling thread, and on rayon's for 262,144 rows or more.
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
        // Held to the end: places are numbers of rows, and a removal in between would move other rows there.
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
                // The bound first: it turns nearly all rows away, and needs no look at the fitments.
                if shortlist.admits(bounds) && passes(at, row) {
                    shortlist.push(bounds, (at as u32, row as u32));
                }
            });
            shortlist
        };
        // Blocks of all partitions in one list, so that the cores share one large partition, too.
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
                // A list with a threshold of its own for each core: a shared one would need a lock at each row.
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

    /// How many rows a search under `filter` reads.
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
            // The number may change before the search begins, which costs a little time and no more.
            if self.n_rows_for(filter) <= INLINE_ROWS {
                return self.search_blocking(query, filter, k);
            }
            // Copies, because the other thread may outlive the caller, who can give up waiting.
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
