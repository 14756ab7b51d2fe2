//! Values for a vision-LLM that judges unsure photographs.

use serde::{Deserialize, Serialize};

/// When photographs share one judgement.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judging {
    /// Cosine similarity of embeddings, 0.9 to 1, from which two photographs count as taken of the same thing. It
    /// is above the similarity of photographs of different subjects, and below that of a photograph and its
    /// re-encoded copy.
    pub reuse_similarity: f32,
}

// Like the other defaults, measured with `partsight-50` 3.0.0: see `defaults.rs`.
impl Default for Judging {
    fn default() -> Self {
        Self { reuse_similarity: 0.96 }
    }
}
