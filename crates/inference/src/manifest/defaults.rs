//! What holds for a model whose manifest leaves a figure out: one that was imported, whose folder nobody measured, or one
//! that was exported before the figure was part of the manifest. They are the figures measured with `partsight-50` 3.0.0,
//! whose own manifest states them with their origin; for another model they are a guess of the right size.

use super::{Judging, ReferenceSimilarities};

/// Of [`References::nearest`](super::References::nearest).
pub(super) const fn nearest() -> usize {
    10
}

/// Of [`References::learnt_offset`](super::References::learnt_offset).
pub(super) const fn learnt_offset() -> f64 {
    3.0
}

impl Default for ReferenceSimilarities {
    fn default() -> Self {
        Self { own: 0.5, copy: 0.995, copy_search: 0.9, outlier: 0.34, similar: 0.21, confusion_margin: 0.05 }
    }
}

impl Default for Judging {
    fn default() -> Self {
        Self { reuse_similarity: 0.96 }
    }
}
