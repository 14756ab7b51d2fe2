//! What is learnt from what people say of answers.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What a tenant lets the server learn from feedback.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LearningChoice {
    /// Whether a scan becomes a reference once somebody said what it shows.
    pub confirmed_scans_teach: bool,
    /// Whether the confidence is fitted to the feedback again, as it comes.
    pub refit_calibration: bool,
}

impl Default for LearningChoice {
    /// No scan teaches anything; the confidence follows the feedback, which the guard only lets better it.
    fn default() -> Self {
        // A fit is applied only where it is better on held-out folds, so that nobody has to be asked for it.
        Self { confirmed_scans_teach: false, refit_calibration: true }
    }
}

/// How good a calibration is on scans whose parts are known.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CalibrationFigures {
    /// Mean of `-ln p` of the right part, in nats; less is better.
    pub log_loss: f64,
    /// Expected calibration error of the best guess, 10 bins, in 0..=1; less is better.
    pub ece: f64,
    /// Scans whose confidence reaches the threshold of "identified".
    pub identified: u64,
    /// Wrong ones among those.
    pub identified_wrong: u64,
}

named! {
    /// What came of fitting a tenant's calibration.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum RefitOutcome {
        /// The new one is better on scans that it was not fitted on, and in force.
        Changed = "changed",
        /// It is not better, so the one before stays in force.
        Kept = "kept",
        /// There is too little feedback to tell.
        TooFew = "too-few",
    }
}

/// A tenant's own calibration of one model, and the last attempt to better it.
#[derive(Debug, Clone, PartialEq)]
pub struct TenantCalibration {
    /// SHA-256 of the model that it holds for, lower-case hex.
    pub model_sha256: String,
    /// What the logarithms of the probabilities are divided by; `None` while the model's own holds.
    pub temperature: Option<f64>,
    /// What the last attempt came to.
    pub outcome: RefitOutcome,
    /// Scans with usable feedback at the last attempt.
    pub n: u64,
    /// What was in force then, measured on those scans; `None` where they were too few.
    pub before: Option<CalibrationFigures>,
    /// The new fit, measured on folds that it was not fitted on.
    pub after: Option<CalibrationFigures>,
    /// When the last attempt was.
    pub attempted_at: Timestamp,
}
