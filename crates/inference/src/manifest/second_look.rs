//! When a photograph is looked at again, and how.

use serde::{Deserialize, Serialize};

/// The second look of a model: when it is taken, which views are run, and the calibration of what they say together.
///
/// See [`SecondLook::pool`] for the arithmetic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SecondLook {
    /// A photograph whose calibrated confidence is below this is looked at again, 0 to 1.
    pub confidence_below: f64,
    /// So is one whose calibrated known score is below this, 0 to 1.
    pub known_score_below: f64,
    /// Factor of the mean logits; greater than 0.
    pub logit_scale: f64,
    /// Factor of the mean raw known logit; greater than 0, so that order is kept.
    pub known_scale: f64,
    /// Offset of the mean raw known logit.
    pub known_bias: f64,
    /// What is run besides the whole photograph, 1 to 4 views.
    pub views: Vec<View>,
}

/// A part of the photograph that is run as if it were the whole.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct View {
    /// Share of the width and of the height that is kept, around the middle; greater than 0, at most 1.
    pub centre: f64,
    /// Whether it is mirrored left to right, after the resize.
    pub mirrored: bool,
}
