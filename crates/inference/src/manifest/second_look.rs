//! When and how unsure photographs are run again.

use serde::{Deserialize, Serialize};

/// The second look: when it is taken, its views, and the calibration of the pooled outputs.
///
/// See [`SecondLook::pool`] for the arithmetic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SecondLook {
    /// A photograph with a calibrated confidence below this is run again, 0 to 1.
    pub confidence_below: f64,
    /// So is a photograph with a calibrated known score below this, 0 to 1.
    pub known_score_below: f64,
    /// Factor of the mean logits; greater than 0.
    pub logit_scale: f64,
    /// Factor of the mean raw known logit; greater than 0, so that the order is kept.
    pub known_scale: f64,
    /// Offset of the mean raw known logit.
    pub known_bias: f64,
    /// Views that are run in addition to the whole photograph, 1 to 4.
    pub views: Vec<View>,
}

/// A crop of the photograph that is run as if it were the whole.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct View {
    /// Fraction of the width and of the height that is kept, around the centre; greater than 0, at most 1.
    pub centre: f64,
    /// Whether it is flipped horizontally, after the resize.
    pub mirrored: bool,
}
