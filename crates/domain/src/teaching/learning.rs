//! Learning from feedback.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What a tenant allows the server to learn from feedback.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LearningChoice {
    /// Whether a scan with feedback becomes a reference.
    pub confirmed_scans_teach: bool,
    /// Whether the calibration is refitted to new feedback.
    pub refit_calibration: bool,
}

impl Default for LearningChoice {
    /// Scans do not become references; the calibration is refitted.
    fn default() -> Self {
        // A fit is applied only if it is better on held-out folds, so that it needs no consent.
        Self { confirmed_scans_teach: false, refit_calibration: true }
    }
}

/// Quality of a calibration on scans with a named part.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CalibrationFigures {
    /// Mean of `-ln p` in nats; lower is better. `p` is the probability of the right part, or that of a wrong best guess
    /// where the right part had no probability of its own.
    pub log_loss: f64,
    /// Expected calibration error of the best guess, 10 bins, in 0..=1; lower is better.
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
        /// The new calibration is better on held-out scans, and is in force.
        Changed = "changed",
        /// The new calibration is not better; the previous one stays in force.
        Kept = "kept",
        /// There is too little feedback.
        TooFew = "too-few",
    }
}

named! {
    /// Why a fit to feedback was not considered, although there was enough of it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum FeedbackDoubt {
        /// There are too few wrong answers to say how often such answers are wrong.
        TooFewWrong = "too-few-wrong",
        /// The best fit is so far from the model's own calibration that the feedback is more likely unreliable.
        OutOfRange = "out-of-range",
    }
}

/// A tenant's own calibration of a model, and the last attempt to refit it.
#[derive(Debug, Clone, PartialEq)]
pub struct TenantCalibration {
    /// SHA-256 of the model that it applies to, lower-case hex.
    pub model_sha256: String,
    /// Temperature, by which the log probabilities are divided; `None` while the model's own calibration applies.
    pub temperature: Option<f64>,
    /// Outcome of the last attempt.
    pub outcome: RefitOutcome,
    /// Why the feedback was not relied on, if [`RefitOutcome::Kept`] is for that reason.
    pub doubt: Option<FeedbackDoubt>,
    /// Scans with usable feedback at the last attempt.
    pub n: u64,
    /// Figures of the previous calibration on those scans; `None` for too few scans.
    pub before: Option<CalibrationFigures>,
    /// Figures of the new fit on held-out folds; `None` if nothing was fitted.
    pub after: Option<CalibrationFigures>,
    /// When the last attempt was.
    pub attempted_at: Timestamp,
}
