use partsight_domain::ScanPhoto;
use partsight_inference::Fingerprint;

/// A photograph that is to become a reference.
pub(crate) struct Draft {
    /// The embedding as the model outputs it, f32 `[d]`.
    pub(crate) raw: Vec<f32>,
    /// Logits of the model's classes, f32 `[c]`, and the known logit; `None` if there is no picture to run the model
    /// on.
    pub(crate) scores: Option<(Vec<f32>, f32)>,
    pub(crate) fingerprint: Fingerprint,
    /// The embedding in the reference space, f32 `[d]`, L2-normalised.
    pub(crate) embedding: Vec<f32>,
    pub(crate) photos: Vec<ScanPhoto>,
}
