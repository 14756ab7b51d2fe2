//! The candidate rows of a search, and the selection of the best.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use partsight_domain::ReferenceId;

use super::quantise::Bounds;

/// Minimum number of candidates before the first trim.
const FIRST_TRIM: usize = 256;

/// The place of a row: index of its partition in this search, and of the row in that partition.
pub(super) type Place = (u32, u32);

/// The rows that may be among the k best, judged by the bounds of their scores.
#[derive(Debug, Clone)]
pub(super) struct Shortlist {
    k: usize,
    /// The k best lower bounds so far, the lowest first.
    lower_bounds: BinaryHeap<Reverse<Score>>,
    /// The k-th best lower bound so far: a row with a lower upper bound cannot be among the k best.
    threshold: f32,
    candidates: Vec<(Bounds, Place)>,
    trim_at: usize,
}

/// A score or bound, with a total order.
#[derive(Debug, Clone, Copy)]
struct Score(f32);

impl Ord for Score {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Score {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Score {}

impl Shortlist {
    /// An empty list for the `k` best; `k` is at least 1.
    pub(super) fn new(k: usize) -> Self {
        // Trimming reads the whole list; with several times k in it, trims are rare.
        let trim_at = k.saturating_mul(4).max(FIRST_TRIM);
        Self {
            k,
            lower_bounds: BinaryHeap::new(),
            threshold: f32::NEG_INFINITY,
            candidates: Vec::new(),
            trim_at,
        }
    }

    /// Whether a row with these bounds may be among the best.
    #[inline]
    pub(super) fn admits(&self, bounds: Bounds) -> bool {
        // Not `>`: a row with the same score as the k-th best may still precede it by its id.
        bounds.upper >= self.threshold
    }

    /// Adds an admitted row.
    pub(super) fn push(&mut self, bounds: Bounds, place: Place) {
        if bounds.lower > self.threshold || self.lower_bounds.len() < self.k {
            // Only lower bounds may raise the threshold: a row is certain to reach them.
            self.lower_bounds.push(Reverse(Score(bounds.lower)));
            if self.lower_bounds.len() > self.k {
                self.lower_bounds.pop();
            }
            if self.lower_bounds.len() == self.k
                && let Some(Reverse(kth)) = self.lower_bounds.peek()
            {
                self.threshold = kth.0;
            }
        }
        self.candidates.push((bounds, place));
        if self.candidates.len() >= self.trim_at {
            self.trim();
            // If all rows are nearly alike, none can be removed; doubling keeps trimming linear then.
            self.trim_at = self.trim_at.max(self.candidates.len().saturating_mul(2));
        }
    }

    /// Merges two lists.
    pub(super) fn merge(mut self, other: Self) -> Self {
        for (bounds, place) in other.candidates {
            // The threshold is restored automatically, because the lower bounds are pushed again.
            if self.admits(bounds) {
                self.push(bounds, place);
            }
        }
        self
    }

    /// The list by the narrower bounds that `bounds` returns for a row.
    pub(super) fn narrowed(self, bounds: impl Fn(Place) -> Bounds) -> Self {
        let mut narrowed = Self::new(self.k);
        for (wide, place) in self.candidates {
            // Also by the final threshold of the wide bounds, which may exclude more than the narrow bounds of the
            // first few rows.
            if wide.upper >= self.threshold && narrowed.admits(wide) {
                let bounds = bounds(place);
                if narrowed.admits(bounds) {
                    narrowed.push(bounds, place);
                }
            }
        }
        narrowed
    }

    fn trim(&mut self) {
        let threshold = self.threshold;
        self.candidates.retain(|(bounds, _)| bounds.upper >= threshold);
    }
}

/// A scored row; greater means nearer, and for equal scores the smaller id.
type Scored = (Score, Reverse<ReferenceId>, Place);

/// The k nearest on the list by their exact scores, in descending order, ties by id. `score` looks a row up.
pub(super) fn nearest(
    mut shortlist: Shortlist,
    score: impl Fn(Place) -> (f32, ReferenceId),
) -> Vec<(f32, ReferenceId, Place)> {
    // Rows that were added early were compared with a lower threshold.
    shortlist.trim();
    shortlist.candidates.sort_unstable_by(|(a, _), (b, _)| b.upper.total_cmp(&a.upper));
    let mut best: BinaryHeap<Reverse<Scored>> = BinaryHeap::with_capacity(shortlist.k.min(1024));
    for (bounds, place) in shortlist.candidates {
        let is_full = best.len() >= shortlist.k;
        // In descending order of upper bounds: once one is too low, all that follow are.
        if is_full && best.peek().is_some_and(|Reverse((worst, ..))| bounds.upper < worst.0) {
            break;
        }
        let (score, id) = score(place);
        best.push(Reverse((Score(score), Reverse(id), place)));
        if is_full {
            best.pop();
        }
    }
    // `Reverse` sorts the greatest last; ascending order of `Reverse` is descending order of scores.
    best.into_sorted_vec()
        .into_iter()
        .map(|Reverse((score, Reverse(id), place))| (score.0, id, place))
        .collect()
}
