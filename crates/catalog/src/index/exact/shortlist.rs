//! Which rows deserve a second look, and the best of them.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use partsight_domain::ReferenceId;

use super::quantise::Bounds;

/// Candidates kept before the first trimming, at least.
const FIRST_TRIM: usize = 256;

/// Where a row lies: number of its partition in this search, and of the row in there.
pub(super) type Place = (u32, u32);

/// The rows that may be among the k best, by the bounds of their scores.
#[derive(Debug, Clone)]
pub(super) struct Shortlist {
    k: usize,
    /// The k-th best lower bound so far: a row whose upper bound is less has k better ones.
    threshold: f32,
    candidates: Vec<(Bounds, Place)>,
    trim_at: usize,
}

impl Shortlist {
    /// An empty list for the `k` best; `k` is at least 1.
    pub(super) fn new(k: usize) -> Self {
        let trim_at = k.saturating_mul(4).max(FIRST_TRIM);
        Self { k, threshold: f32::NEG_INFINITY, candidates: Vec::new(), trim_at }
    }

    /// Whether a row of these bounds may be among the best.
    pub(super) fn admits(&self, bounds: Bounds) -> bool {
        bounds.upper >= self.threshold
    }

    /// Puts a row that is admitted on the list.
    pub(super) fn push(&mut self, bounds: Bounds, place: Place) {
        self.candidates.push((bounds, place));
        if self.candidates.len() >= self.trim_at {
            self.trim();
            // Rows that are all alike cannot be told apart here; doubling keeps the trimming linear then.
            self.trim_at = self.trim_at.max(self.candidates.len().saturating_mul(2));
        }
    }

    /// The list of what is on either.
    pub(super) fn merge(mut self, other: Self) -> Self {
        self.threshold = self.threshold.max(other.threshold);
        for (bounds, place) in other.candidates {
            if self.admits(bounds) {
                self.push(bounds, place);
            }
        }
        self
    }

    fn trim(&mut self) {
        if self.candidates.len() > self.k {
            let (_, (kth, _), _) = self
                .candidates
                .select_nth_unstable_by(self.k - 1, |(a, _), (b, _)| b.lower.total_cmp(&a.lower));
            self.threshold = self.threshold.max(kth.lower);
        }
        let threshold = self.threshold;
        self.candidates.retain(|(bounds, _)| bounds.upper >= threshold);
    }
}

/// A scored row; the greater is the nearer, and among equals the one of the smaller id.
struct Scored {
    score: f32,
    id: ReferenceId,
    place: Place,
}

impl Ord for Scored {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then_with(|| other.id.cmp(&self.id))
    }
}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Scored {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Scored {}

/// The k nearest on the list by their true score, best first, equals by id. `score` looks a row up.
pub(super) fn nearest(
    mut shortlist: Shortlist,
    score: impl Fn(Place) -> (f32, ReferenceId),
) -> Vec<(f32, ReferenceId, Place)> {
    shortlist.trim();
    shortlist.candidates.sort_unstable_by(|(a, _), (b, _)| b.upper.total_cmp(&a.upper));
    let mut best: BinaryHeap<Reverse<Scored>> = BinaryHeap::with_capacity(shortlist.k.min(1024));
    for (bounds, place) in shortlist.candidates {
        let is_full = best.len() >= shortlist.k;
        // In order of what they can reach at most: once that is too little, it is for all that follow.
        if is_full && best.peek().is_some_and(|Reverse(worst)| bounds.upper < worst.score) {
            break;
        }
        let (score, id) = score(place);
        best.push(Reverse(Scored { score, id, place }));
        if is_full {
            best.pop();
        }
    }
    // `Reverse` sorts the greatest last; ascending order of `Reverse` is descending order of scores.
    best.into_sorted_vec()
        .into_iter()
        .map(|Reverse(scored)| (scored.score, scored.id, scored.place))
        .collect()
}
