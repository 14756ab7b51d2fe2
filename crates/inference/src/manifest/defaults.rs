//! Defaults for values that a manifest omits, because the model was imported and not measured, or exported before
//! the value was part of the manifest. They were measured with `partsight-50` 3.0.0, whose own manifest states them
//! with their origin; for other models they are estimates.

/// Of [`References::nearest`](super::References::nearest).
pub(super) const fn nearest() -> usize {
    10
}

/// Of [`References::learnt_offset`](super::References::learnt_offset).
pub(super) const fn learnt_offset() -> f64 {
    3.0
}
