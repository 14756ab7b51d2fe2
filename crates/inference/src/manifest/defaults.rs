//! What holds for a model whose manifest leaves a figure out: one that was imported, whose folder nobody measured, or one
//! that was exported before the figure was part of the manifest. They are the figures measured with `partsight-50` 3.0.0,
//! whose own manifest states them with their origin; for another model they are a guess of the right size.

/// Of [`References::nearest`](super::References::nearest).
pub(super) const fn nearest() -> usize {
    10
}

/// Of [`References::learnt_offset`](super::References::learnt_offset).
pub(super) const fn learnt_offset() -> f64 {
    3.0
}
