//! Distribution of the answers to the calibration photographs.

use serde::{Deserialize, Serialize};

/// Two cumulative distributions over the calibration photographs of known parts, with the model as it is served. A
/// server compares the scans of a week with them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drift {
    /// Effective number of photographs, `(sum w)^2 / sum w^2` over their weights (Kish, 1965), rounded down; greater
    /// than 0.
    pub effective_n: u32,
    /// Values in 0..=1 at which the distributions are given, strictly increasing; at least one, `[k]`.
    pub at: Vec<f64>,
    /// Weighted fraction of photographs whose confidence is at most each value, `[k]`; 0 to 1, non-decreasing.
    pub confidence: Vec<f64>,
    /// Weighted fraction of photographs whose known score is at most each value, `[k]`; 0 to 1, non-decreasing.
    pub known_score: Vec<f64>,
    /// The photographs that were used.
    pub measured_on: String,
}
