//! Fits calibrated probabilities to raw outputs, and the thresholds of the verdicts.

mod binomial;
mod fit;
mod odds;
mod selective;

pub use binomial::{binomial_at_most, error_upper_bound};
pub use fit::{
    Labelled, PlattScaling, expected_calibration_error, fit_platt, fit_smoothed_temperature, fit_temperature,
    is_bound_of_search, negative_log_likelihood, negative_log_likelihood_of_a_mistake, temperature_of_least,
};
pub use odds::{Asked, ReferenceOdds, fit_reference_odds};
pub use selective::{
    GUARANTEE, WANTED_ERRORS, risk_threshold, risk_thresholds, threshold_with_share_above,
    threshold_with_share_below,
};
