//! What the answers to the photographs are like that the confidence was fitted on.

use serde::{Deserialize, Serialize};

/// Two cumulative curves over the calibration photographs of known parts, through the model as it is served. A server
/// compares the scans of a week with them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drift {
    /// Effective number of photographs, `(sum w)^2 / sum w^2` over their weights (Kish, 1965), rounded down; greater
    /// than 0.
    pub effective_n: u32,
    /// Marks in 0..=1, each greater than the one before; at least one, `[k]`.
    pub at: Vec<f64>,
    /// Weighted share of photographs whose confidence is at most each mark, `[k]`; 0 to 1, never falling.
    pub confidence: Vec<f64>,
    /// Weighted share of photographs whose known score is at most each mark, `[k]`; 0 to 1, never falling.
    pub known_score: Vec<f64>,
    /// Which photographs these were.
    pub measured_on: String,
}
