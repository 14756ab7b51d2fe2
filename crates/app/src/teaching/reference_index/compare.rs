//! Compares each reference of a collection with the database, and repairs the differences.

use std::cmp::Ordering;

use partsight_catalog::{HeldReference, VectorIndex};
use partsight_domain::ReferenceId;

use super::changes::tell;
use super::on_server::ServedIndex;
use crate::Result;

/// References that are compared at a time: 100 kB from the server.
const PAGE: u32 = 2000;
/// References that are repaired at a time.
const REPAIRED_AT_ONCE: usize = 500;

/// The differences of a collection from the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Difference {
    /// References that were compared.
    pub n_compared: u64,
    /// References that are missing.
    pub n_missing: u64,
    /// References that should not be there.
    pub n_extra: u64,
    /// References with an older revision.
    pub n_stale: u64,
}

impl Difference {
    /// How many references differ.
    pub fn n(&self) -> u64 {
        self.n_missing + self.n_extra + self.n_stale
    }

    /// Counts one reference by its revisions on both sides; returns whether they differ.
    fn count(&mut self, kept: Option<i64>, held: Option<i64>) -> bool {
        self.n_compared += 1;
        let n = match (kept, held) {
            (Some(_), None) => &mut self.n_missing,
            (None, _) => &mut self.n_extra,
            (Some(kept), Some(held)) if kept != held => &mut self.n_stale,
            (Some(_), Some(_)) => return false,
        };
        *n += 1;
        true
    }
}

impl ServedIndex {
    /// Compares and repairs each reference. Scans and lessons continue meanwhile.
    pub(super) async fn compare_and_repair(&self) -> Result<Difference> {
        let (difference, differing) = self.compare().await?;
        for ids in differing.chunks(REPAIRED_AT_ONCE) {
            // Held for one chunk at a time, so that a lesson waits for at most one.
            let _telling = self.telling.lock().await;
            self.repair(ids).await?;
        }
        self.note_repairs(&difference);
        Ok(difference)
    }

    /// As [`compare_and_repair`](Self::compare_and_repair), for a caller that holds the lock.
    pub(super) async fn compare_and_repair_held(&self) -> Result<Difference> {
        let (difference, differing) = self.compare().await?;
        for ids in differing.chunks(REPAIRED_AT_ONCE) {
            self.repair(ids).await?;
        }
        self.note_repairs(&difference);
        Ok(difference)
    }

    fn note_repairs(&self, difference: &Difference) {
        if difference.n() > 0 {
            self.change(|status| status.repaired += difference.n());
            tracing::warn!(
                n_missing = difference.n_missing,
                n_extra = difference.n_extra,
                n_stale = difference.n_stale,
                "the vector index differed from the database and was put right"
            );
        }
    }

    /// The differences, and the references that differ. Both sides are read by id, page by page.
    pub(super) async fn compare(&self) -> Result<(Difference, Vec<ReferenceId>)> {
        let (mut kept, mut held) = (Kept::new(self), Held::new(self));
        let (mut difference, mut differing) = (Difference::default(), Vec::new());
        loop {
            let (ours, theirs) = (kept.peek().await?, held.peek().await?);
            let order = match (ours, theirs) {
                (None, None) => return Ok((difference, differing)),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(ours), Some(theirs)) => ours.id.cmp(&theirs.id),
            };
            // The smaller id exists on one side only, equal ids on both.
            let ours = ours.filter(|_| order != Ordering::Greater);
            let theirs = theirs.filter(|_| order != Ordering::Less);
            let differs = difference.count(ours.map(|one| one.revision), theirs.map(|one| one.revision));
            differing.extend(ours.or(theirs).filter(|_| differs).map(|one| one.id));
            if ours.is_some() {
                kept.rows.next();
            }
            if theirs.is_some() {
                held.rows.next();
            }
        }
    }

    /// Syncs these references with the database, which may have changed since the comparison.
    async fn repair(&self, ids: &[ReferenceId]) -> Result<()> {
        let model_sha256 = &self.index.space().model_sha256;
        let rows = self.store.list_references_by_id(model_sha256, ids).await?;
        let parts = self.store.list_fitments_by_id(ids).await?;
        // Including those that were deleted since the comparison.
        let gone = ids.iter().filter(|id| rows.iter().all(|row| row.id != **id)).copied().collect();
        self.index.delete(gone).await?;
        tell(&self.index, &self.identifier, rows, parts).await
    }
}

/// The references of the database, in the order of their ids.
struct Kept<'a> {
    index: &'a ServedIndex,
    rows: std::iter::Peekable<std::vec::IntoIter<HeldReference>>,
    last: Option<ReferenceId>,
    is_over: bool,
}

impl<'a> Kept<'a> {
    fn new(index: &'a ServedIndex) -> Self {
        Self { index, rows: Vec::new().into_iter().peekable(), last: None, is_over: false }
    }

    async fn peek(&mut self) -> Result<Option<HeldReference>> {
        if self.rows.peek().is_none() && !self.is_over {
            let model_sha256 = &self.index.index.space().model_sha256;
            let page = self.index.store.list_kept_references(model_sha256, self.last, PAGE).await?;
            self.is_over = page.is_empty();
            self.last = page.last().map_or(self.last, |(id, _)| Some(*id));
            let page: Vec<_> =
                page.into_iter().map(|(id, revision)| HeldReference { id, revision }).collect();
            self.rows = page.into_iter().peekable();
        }
        Ok(self.rows.peek().copied())
    }
}

/// The references of the collection, in the order of their ids.
struct Held<'a> {
    index: &'a ServedIndex,
    rows: std::iter::Peekable<std::vec::IntoIter<HeldReference>>,
    next: Option<ReferenceId>,
    is_over: bool,
}

impl<'a> Held<'a> {
    fn new(index: &'a ServedIndex) -> Self {
        Self { index, rows: Vec::new().into_iter().peekable(), next: None, is_over: false }
    }

    async fn peek(&mut self) -> Result<Option<HeldReference>> {
        if self.rows.peek().is_none() && !self.is_over {
            let (page, next) = self.index.index.list_held(self.next, PAGE).await?;
            self.is_over = next.is_none();
            self.next = next;
            self.rows = page.into_iter().peekable();
        }
        Ok(self.rows.peek().copied())
    }
}
