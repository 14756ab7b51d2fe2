//! The statistics, as plain functions over plain numbers.
//!
//! Each says where its formula comes from and what it gives for nothing: [`None`] where the figure has no
//! meaning, never a made-up 0.

mod calibration;
mod confusion;
mod cost;
mod paired;
mod percentile;
mod roc;
mod selective;
mod sets;
mod share;

pub use calibration::{
    CALIBRATION_BINS, CalibrationBin, calibration_bins, calibration_error_by_chance,
    expected_calibration_error,
};
pub use confusion::{ClassFigures, Confused, Confusion};
pub use cost::{CostPoint, Prices, cost_curve};
pub use paired::{PairedOutcomes, difference_interval, mcnemar_exact};
pub use percentile::percentile;
pub use roc::{RocPoint, auroc, roc_curve};
pub use selective::{SelectiveCurve, SelectivePoint};
pub use sets::{SetCoverage, SetFigures};
pub use share::Share;
