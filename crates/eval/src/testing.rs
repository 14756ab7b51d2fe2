//! Helpers of the tests of several modules.

/// Fails unless the two differ by less than 0.00001.
#[track_caller]
pub(crate) fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-5, "{found} is not {expected}");
}
