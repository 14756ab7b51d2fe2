//! Values for comparing a photograph with the references of users.

use serde::{Deserialize, Serialize};

use super::defaults;

/// The centre of the embeddings, and the weight of the similarity to a reference.
///
/// See [`ReferenceSpace`](crate::ReferenceSpace).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct References {
    /// Safetensors file inside the model's folder, with the mean embedding of each class, scaled to L2 length 1, as
    /// `prototypes`, f32 `[c, d]`; and, if `background_scale` is above 0, `background`, f32 `[b, d]`: unit vectors
    /// around which the embeddings of everyday photographs lie.
    pub prototypes: String,
    /// SHA-256 of the file, 64 lower-case hex digits.
    pub sha256: String,
    /// Length of the file, in bytes; greater than 0.
    pub size_bytes: u64,
    /// Number of nearest references of a label whose mean direction is compared with a photograph; at least 1.
    #[serde(default = "defaults::nearest")]
    pub nearest: usize,
    /// Factor of the similarity in the logit of a taught label; greater than 0.
    pub score_scale: f64,
    /// Factor of the similarity to the nearest class prototype, which is subtracted from that logit; 0 or more.
    #[serde(default)]
    pub class_scale: f64,
    /// Factor of the model's own known logit, if positive, which is subtracted from that logit; 0 or more.
    #[serde(default)]
    pub model_known_scale: f64,
    /// Offset of that logit.
    pub score_bias: f64,
    /// Subtracted from that logit for labels that the model has learnt, 0 or more: the smallest value that keeps
    /// the answers that are correct without references.
    #[serde(default = "defaults::learnt_offset")]
    pub learnt_offset: f64,
    /// Factor of the similarity in the known logit, "shows the part of the references"; greater than 0.
    pub known_scale: f64,
    /// Factor of the similarity to the nearest background vector, which is subtracted from the known logit; 0 or
    /// more.
    #[serde(default)]
    pub background_scale: f64,
    /// Offset of the known logit.
    pub known_bias: f64,
    /// The photographs on which the values were fitted; `Nothing: ` and the reason if nothing was measured.
    pub fitted_on: String,
    /// Thresholds for similarities between references.
    #[serde(default)]
    pub similarities: ReferenceSimilarities,
    /// When a taught part may be reported as identified; if absent, the thresholds apply as for learnt types.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identified: Option<TaughtIdentified>,
}

/// When a taught part may be reported as identified, and how often that was wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaughtIdentified {
    /// Confidence from which it may, 0 to 1, and never below the thresholds in force; if absent, it never may, and
    /// references of learnt types have no effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Upper confidence bound of the error rate among these answers, 0 to 1; 1 if unknown.
    pub error_upper_bound: f64,
    /// Number of photographs of parts that were not learnt, each queried once with its part taught.
    pub n: u64,
    /// Number of photographs reported as identified as a taught part, at this confidence, or at the thresholds
    /// alone if it is absent.
    pub identified: u64,
    /// Of these, the number of wrong ones.
    pub identified_wrong: u64,
    /// Number of photographs of parts that were neither learnt nor taught.
    pub others_n: u64,
    /// Of these, the number reported as identified as a taught part.
    pub others_identified: u64,
    /// The rule that gave the confidence, or the reason why there is none.
    pub derived_by: String,
}

/// Thresholds for similarities between references: cosines in -1..=1 after subtracting the centre.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReferenceSimilarities {
    /// A new reference with at least this similarity to the mean of its part's others is kept, even if the model is
    /// sure of another part.
    pub own: f32,
    /// From this similarity on, two references are the same picture; a re-encoded file is more similar.
    pub copy: f32,
    /// Below this similarity, two references are not checked for being copies; at most `copy`.
    pub copy_search: f32,
    /// A reference whose mean similarity to the nearest of its part is below this is an outlier: the lowest value
    /// that was seen among photographs of one part.
    pub outlier: f32,
    /// From this similarity on, a reference may show the same as a photograph.
    pub similar: f32,
    /// Two parts are confusable if the other's references are nearer than the part's own, or farther by at most
    /// this, 0 to 2: odds of about two to one.
    pub confusion_margin: f32,
}

// Like the other defaults, measured with `partsight-50` 3.0.0: see `defaults.rs`.
impl Default for ReferenceSimilarities {
    fn default() -> Self {
        Self { own: 0.5, copy: 0.995, copy_search: 0.9, outlier: 0.34, similar: 0.21, confusion_margin: 0.05 }
    }
}
