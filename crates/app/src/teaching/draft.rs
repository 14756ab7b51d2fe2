use partsight_domain::ScanPhoto;
use partsight_inference::Fingerprint;

/// A photograph on its way to being a reference.
pub(crate) struct Draft {
    /// As the model gives it, f32 `[d]`.
    pub(crate) raw: Vec<f32>,
    /// Raw scores of the model's classes, f32 `[c]`, and the one of "shows one of them"; `None` where there is no
    /// picture to run the model on.
    pub(crate) scores: Option<(Vec<f32>, f32)>,
    pub(crate) fingerprint: Fingerprint,
    /// As references are compared, f32 `[d]` of length 1.
    pub(crate) embedding: Vec<f32>,
    pub(crate) photos: Vec<ScanPhoto>,
}
