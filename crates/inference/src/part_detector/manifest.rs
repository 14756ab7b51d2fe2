//! What serving needs of `detector.toml`, which holds every fact about the part detector.
//!
//! The file is part of the program, so the tests that run the detector check it.

use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
pub(super) struct DetectorManifest {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) file: GraphFile,
    pub(super) input: Input,
    pub(super) output: Output,
    pub(super) choice: Choice,
}

/// The graph's file.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct GraphFile {
    pub(super) path: String,
    /// Lower-case hex.
    pub(super) sha256: String,
    pub(super) size_bytes: u64,
}

/// f32 `[1, 3, h, w]`, red, green, blue, `(u8 / 255 - mean) / std`.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Input {
    pub(super) name: String,
    /// The input's longer side, in pixels.
    pub(super) longer_side: u32,
    /// Both sides are multiples of this, and this of the output's `stride`.
    pub(super) side_multiple: u32,
    pub(super) mean: [f32; 3],
    pub(super) std: [f32; 3],
}

/// One cell for each square of `stride` pixels of the input.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Output {
    /// f32 `[1, 1, h / stride, w / stride]`: score that the centre of a part is in the cell, in 0..=1.
    pub(super) score: String,
    /// f32 `[1, 4, h / stride, w / stride]`: distances from the cell's centre to the part's left, top, right and
    /// bottom edge, in pixels of the input.
    pub(super) sides: String,
    pub(super) stride: u32,
}

/// Thresholds for the cells that are parts, in 0..=1.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Choice {
    /// A part has at least this score.
    pub(super) least_score: f32,
    /// Of two boxes with a higher intersection over union, the one with the higher score is kept.
    pub(super) most_overlap: f32,
    /// Of two boxes whose intersection is a larger fraction of the smaller one, the one with the higher score is
    /// kept.
    pub(super) most_containment: f32,
}
