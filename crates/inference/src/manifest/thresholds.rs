//! Verdict thresholds, thresholds for given error rates, and how often unknown photographs are identified.

use serde::{Deserialize, Serialize};

/// Verdict thresholds, in 0..=1; the caller applies them in the order of the fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thresholds {
    /// A known score below this means that no known type is shown.
    pub not_a_part_below: f64,
    /// An identification needs at least this known score; at least `not_a_part_below`.
    pub identified_known_score: f64,
    /// An identification needs at least this confidence.
    pub identified_confidence: f64,
    /// Summed confidence of the types of one category from which the category may be named. If absent, it is
    /// `identified_confidence`: see [`Thresholds::category_confidence`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category_confidence: Option<f64>,
    /// The rule that gave these values, and the wanted error rate.
    pub derived_by: String,
    /// The photographs on which the verdicts of `risk` were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk_measured_on: Option<String>,
    /// The confidence threshold for each wanted error rate; `wanted_error` is strictly increasing, and
    /// `identified_confidence` never increases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub risk: Vec<RiskThreshold>,
    /// How often photographs of no known type are reported as identified, at most one entry of a kind; empty if not
    /// measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rejection: Vec<RejectionBound>,
}

impl Thresholds {
    /// The summed confidence, in 0..=1, from which a category may be named.
    pub fn category_confidence(&self) -> f64 {
        self.category_confidence.unwrap_or(self.identified_confidence)
    }
}

/// The confidence threshold for one wanted error rate, and its evidence.
///
/// The rule is that of [`calibration::risk_threshold`](crate::calibration::risk_threshold). The rate is guaranteed
/// if `error_upper_bound <= wanted_error`; with too few photographs, the bound is higher.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RiskThreshold {
    /// Wanted error rate among the given answers; greater than 0, less than 1.
    pub wanted_error: f64,
    /// Confidence from which answers are given, 0 to 1.
    pub identified_confidence: f64,
    /// Fraction of the photographs answered at that confidence, 0 to 1.
    pub answered: f64,
    /// Upper confidence bound of the error rate at 95%, 0 to 1.
    pub error_upper_bound: f64,
    /// Number of photographs in the measurement, answered or not.
    pub n: u64,
    /// Of these, the number reported as identified under this confidence and the manifest's other thresholds: fewer
    /// than at the confidence alone. Absent, like the next two, if not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identified: Option<u64>,
    /// Of those identified, the number of wrong ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identified_wrong: Option<u64>,
    /// Number of photographs that are then reported as not sure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_sure: Option<u64>,
}

impl RiskThreshold {
    /// Whether the bound is at most the wanted error rate.
    pub fn is_met(&self) -> bool {
        self.error_upper_bound <= self.wanted_error
    }
}

/// How often photographs of one kind that show no known type are reported as identified at these thresholds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RejectionBound {
    /// What the photographs show.
    pub of: UnknownKind,
    /// Upper confidence bound of the share identified, at 95% (Clopper-Pearson, one-sided), 0 to 1.
    pub identified_upper_bound: f64,
    /// Number of photographs in the measurement; greater than 0.
    pub n: u64,
    /// Of these, the number reported as identified.
    pub identified: u64,
    /// Which photographs these were.
    pub measured_on: String,
}

/// What a photograph of no known type shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnknownKind {
    /// No part.
    NotAPart,
    /// A part of a type that the model has not learnt.
    OtherParts,
}
