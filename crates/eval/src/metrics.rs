//! The statistics, as plain functions over plain numbers.
//!
//! Each states the source of its formula and its result for empty input: [`None`] if the figure is undefined, never a
//! made-up 0.

mod bootstrap;
mod calibration;
mod confusion;
mod cost;
mod false_discovery;
mod fisher;
mod paired;
mod percentile;
mod power;
mod roc;
mod selective;
mod sets;
mod share;
mod wrong_labels;

pub use calibration::{
    CALIBRATION_BINS, CalibrationBin, calibration_bins, calibration_error_by_chance,
    calibration_error_interval, expected_calibration_error,
};
pub use confusion::{ClassFigures, Confused, Confusion};
pub use cost::{CostPoint, Prices, cost_curve};
pub use false_discovery::false_discovery_rates;
pub use fisher::fisher_exact;
pub use paired::{PairedOutcomes, difference_interval, mcnemar_exact};
pub use partsight_domain::{KernelTest, KolmogorovSmirnov, kernel_two_sample, kolmogorov_smirnov};
pub use percentile::{median_interval, percentile};
pub use power::{independent_discordance, photographs_needed, smallest_difference};
pub use roc::{RocPoint, auroc, auroc_interval, roc_curve};
pub use selective::{SelectiveCurve, SelectivePoint};
pub use sets::{SetCoverage, SetFigures};
pub use share::Share;
pub use wrong_labels::{LabelIssue, LabelledProbabilities, label_issues};

#[cfg(test)]
mod tests;
