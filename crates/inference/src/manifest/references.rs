//! What it takes to compare a photograph with references that people give.

use serde::{Deserialize, Serialize};

/// Where embeddings lie, and what the similarity to a reference is worth.
///
/// All embeddings of a model may lie on one side of the sphere, where the cosines of unlike photographs are high as
/// well. With the centre taken away, and the rest brought to L2 length 1, cosines tell them apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct References {
    /// File inside the model's folder: the mean of the classes' mean embeddings, f32 `[d]`, little-endian.
    pub centre: String,
    /// SHA-256 of the file, 64 lower-case hex digits.
    pub sha256: String,
    /// Length of the file, in bytes: four times `embedding.dimension`.
    pub size_bytes: u64,
    /// Factor of the mean similarity in the logit of a taught label; greater than 0.
    pub score_scale: f64,
    /// Offset of that logit.
    pub score_bias: f64,
    /// Factor of the mean similarity in the logit of "shows the part of the references"; greater than 0.
    pub known_scale: f64,
    /// Offset of that logit.
    pub known_bias: f64,
    /// Which photographs the values were fitted on.
    pub fitted_on: String,
}
