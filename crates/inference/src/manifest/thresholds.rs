//! Verdict thresholds, and the dial behind them.

use serde::{Deserialize, Serialize};

/// Verdict thresholds; applied by the caller, in the order of the fields. All in 0..=1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thresholds {
    /// A known score below this says that no known type is shown.
    pub not_a_part_below: f64,
    /// An identification needs at least this known score; at least `not_a_part_below`.
    pub identified_known_score: f64,
    /// An identification needs at least this confidence.
    pub identified_confidence: f64,
    /// The summed confidence of the types of one category that lets the category be named. Absent, it is
    /// `identified_confidence`: see [`Thresholds::category_confidence`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category_confidence: Option<f64>,
    /// The rule that gave these values, and the wanted error rate.
    pub derived_by: String,
    /// Which photographs the verdicts of `risk` were counted on, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk_measured_on: Option<String>,
    /// What confidence to ask for, for "at most this share of wrong answers"; `wanted_error` rises from one
    /// to the next.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub risk: Vec<RiskThreshold>,
}

impl Thresholds {
    /// The summed confidence, in 0..=1, from which a category may be named.
    pub fn category_confidence(&self) -> f64 {
        self.category_confidence.unwrap_or(self.identified_confidence)
    }
}

/// One mark of the dial: the confidence for a wanted error rate, and what it rests on.
///
/// The rule is that of [`calibration::risk_threshold`](crate::calibration::risk_threshold). The promise
/// holds when `error_upper_bound <= wanted_error`; where the photographs were too few for it, the bound
/// that could be had stands there instead.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RiskThreshold {
    /// Wanted share of wrong answers among those given; greater than 0, less than 1.
    pub wanted_error: f64,
    /// Answers are given from this confidence on, 0 to 1.
    pub identified_confidence: f64,
    /// Share of the photographs answered at that confidence, 0 to 1.
    pub answered: f64,
    /// Upper confidence bound of the share of wrong answers, 0 to 1.
    pub error_upper_bound: f64,
    /// Photographs that it was measured on, answered or not.
    pub n: u64,
    /// Of those, photographs that are called identified when this confidence and the manifest's other thresholds hold:
    /// fewer than at the confidence alone. Absent, with the next two, where nobody counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identified: Option<u64>,
    /// Of those identified, the wrong ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identified_wrong: Option<u64>,
    /// Photographs that are then called not sure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_sure: Option<u64>,
}

impl RiskThreshold {
    /// Whether the bound keeps what was wanted.
    pub fn is_met(&self) -> bool {
        self.error_upper_bound <= self.wanted_error
    }
}
