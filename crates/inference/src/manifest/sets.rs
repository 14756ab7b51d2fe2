//! Candidate sets for unsure answers.

use serde::{Deserialize, Serialize};

/// Parameters of candidate sets: the threshold of least ambiguous sets (Sadinle, Lei and Wasserman, 2019), and
/// their measured coverage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sets {
    /// Guaranteed coverage: the true type is in the set at least this often, for photographs of known types from
    /// the distribution of `fitted_on`; greater than 0, less than 1.
    pub coverage: f64,
    /// A type is in the set if its calibrated probability, `softmax(logits / temperature)` over the classes, is at
    /// least this; 0 to 1.
    pub probability: f64,
    /// Mean number of types in a set, cross-validated; 1 to the number of classes. For readers.
    pub mean_size: f64,
    /// Fraction of the sets that contain the true type, cross-validated; 0 to 1. For readers.
    pub measured_coverage: f64,
    /// Number of photographs on which the threshold was chosen; greater than 0.
    pub n: u64,
    /// The photographs that were used.
    pub fitted_on: String,
}
