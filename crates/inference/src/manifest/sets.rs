//! Which types an answer that is not sure is one of.

use serde::{Deserialize, Serialize};

/// The promise of candidate sets: the threshold of least ambiguous sets (Sadinle, Lei and Wasserman, 2019), and what it
/// was measured to give.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sets {
    /// The right type is in the set at least this often, for photographs of known types drawn like those of `fitted_on`;
    /// greater than 0, less than 1.
    pub coverage: f64,
    /// A type belongs to the set from this calibrated probability on, `softmax(logits / temperature)` over the classes;
    /// 0 to 1.
    pub probability: f64,
    /// Mean number of types in a set, cross-validated; 1 to the number of classes. For readers.
    pub mean_size: f64,
    /// Share of the sets that held the right type, cross-validated; 0 to 1. For readers.
    pub measured_coverage: f64,
    /// Photographs that the threshold was chosen on; greater than 0.
    pub n: u64,
    /// Which photographs these were.
    pub fitted_on: String,
}
