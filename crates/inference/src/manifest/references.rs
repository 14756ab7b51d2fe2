//! What it takes to compare a photograph with references that people give.

use serde::{Deserialize, Serialize};

use super::defaults;

/// Where embeddings lie, and what the similarity to a reference is worth.
///
/// See [`ReferenceSpace`](crate::ReferenceSpace).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct References {
    /// File inside the model's folder: a safetensors file with the mean embedding of each class, brought to L2 length
    /// 1, as `prototypes`, f32 `[c, d]`; and, if `background_scale` is above 0, as `background`, f32 `[b, d]`, vectors
    /// of that length around which the embeddings of everyday photographs lie.
    pub prototypes: String,
    /// SHA-256 of the file, 64 lower-case hex digits.
    pub sha256: String,
    /// Length of the file, in bytes; greater than 0.
    pub size_bytes: u64,
    /// References of one label whose mean direction a photograph is compared with, the nearest; at least 1.
    #[serde(default = "defaults::nearest")]
    pub nearest: usize,
    /// Factor of the similarity in the logit of a taught label; greater than 0.
    pub score_scale: f64,
    /// Factor of the similarity to the nearest prototype of a class, which is taken off that logit; 0 or more.
    #[serde(default)]
    pub class_scale: f64,
    /// Factor of the logit of the model's own known score where that is above 0, which is taken off that logit; 0 or more.
    #[serde(default)]
    pub model_known_scale: f64,
    /// Offset of that logit.
    pub score_bias: f64,
    /// What is taken off that logit where the model has learnt the label, 0 or more: the least that keeps what is right
    /// without references.
    #[serde(default = "defaults::learnt_offset")]
    pub learnt_offset: f64,
    /// Factor of the similarity in the logit of "shows the part of the references"; greater than 0.
    pub known_scale: f64,
    /// Factor of the similarity to the nearest of the background, which is taken off that logit; 0 or more.
    #[serde(default)]
    pub background_scale: f64,
    /// Offset of that logit.
    pub known_bias: f64,
    /// Which photographs the values were fitted on; `Nothing: ` and the reason where nothing was measured.
    pub fitted_on: String,
    /// How alike references are that belong together, and that do not.
    #[serde(default)]
    pub similarities: ReferenceSimilarities,
    /// When a taught part may be called identified; absent, by the thresholds alone, as a type that the model has learnt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identified: Option<TaughtIdentified>,
}

/// When a taught part may be called identified, and what is known of how often that is wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaughtIdentified {
    /// From this confidence on, 0 to 1, and never below the thresholds in force; absent, never. References of types that
    /// the model has learnt then count for nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Upper confidence bound of the share of wrong answers among those, 0 to 1; 1 where nothing is known.
    pub error_upper_bound: f64,
    /// Photographs of parts that were not learnt, each asked for once with its part taught.
    pub n: u64,
    /// Answers that call a photograph identified as a taught part from the confidence on; where that is absent, by the
    /// thresholds alone.
    pub identified: u64,
    /// Of those, the wrong ones.
    pub identified_wrong: u64,
    /// Photographs of parts that were neither learnt nor taught.
    pub others_n: u64,
    /// Of those, how many were called identified as a taught part.
    pub others_identified: u64,
    /// The rule that gave the confidence, or why there is none.
    pub derived_by: String,
}

/// Marks on the scale of similarities between references: cosines in -1..=1 with the centre taken away.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReferenceSimilarities {
    /// A new reference that is at least this similar to the mean of its part's others is kept, even where the model is
    /// sure of another part.
    pub own: f32,
    /// From this on, two references are the same picture: a file encoded anew is nearer.
    pub copy: f32,
    /// Below this, two references are not looked at as copies of each other; at most `copy`.
    pub copy_search: f32,
    /// A reference whose mean similarity to its part's nearest is below this is an outlier: the least that was seen among
    /// photographs of one part.
    pub outlier: f32,
    /// From this on, a reference may show what a photograph shows.
    pub similar: f32,
    /// Two parts are confusable where the other's references are nearer than the own ones, or farther by no more than
    /// this, 0 to 2: some two to one in the odds.
    pub confusion_margin: f32,
}

// As the other defaults, measured with `partsight-50` 3.0.0: see `defaults.rs`.
impl Default for ReferenceSimilarities {
    fn default() -> Self {
        Self { own: 0.5, copy: 0.995, copy_search: 0.9, outlier: 0.34, similar: 0.21, confusion_margin: 0.05 }
    }
}
