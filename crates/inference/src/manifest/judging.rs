//! What is measured of a model for the sake of a vision-LLM that judges its unsure photographs.

use serde::{Deserialize, Serialize};

/// How alike photographs are that get one judgement.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judging {
    /// From this cosine similarity of embeddings on, 0.9 to 1, two photographs count as taken of the same thing. Above
    /// what photographs of different subjects have, and below what a photograph has with itself compressed anew.
    pub reuse_similarity: f32,
}

// As the other defaults, measured with `partsight-50` 3.0.0: see `defaults.rs`.
impl Default for Judging {
    fn default() -> Self {
        Self { reuse_similarity: 0.96 }
    }
}
