//! Occlusion: copies of a model's input with one patch covered in each; the loss of an output shows the patch's
//! influence.
//!
//! Zeiler and Fergus, "Visualizing and Understanding Convolutional Networks" (2014), section 4.2. It uses only the
//! outputs of a model, so it works with every engine.

use ndarray::{Axis, s};

use crate::resize::Crop;
use crate::{Photo, Preprocessor, Tensor};

/// Patches along each side of a photograph.
pub const OCCLUSION_GRID: usize = 7;
/// The side of a patch is the photograph's side divided by this: longer than the steps between patches, so that
/// they overlap and a detail on the edge of one is inside the next.
const WINDOWS_A_SIDE: u32 = 5;

/// A model's input for one photograph, and what is needed to cover its patches.
#[derive(Clone, Debug)]
pub struct Occlusions {
    whole: Tensor,
    framing: Crop,
    seen: [f64; 4],
    /// Mean of each channel over the photograph, in normalised values.
    mean: [f32; 3],
}

impl Occlusions {
    /// Prepares the input for a photograph.
    pub fn new(preprocessor: &Preprocessor, photo: &Photo) -> Self {
        let framing = preprocessor.framing(photo.width(), photo.height());
        Self::of(preprocessor.tensor(photo), framing.input, framing.seen)
    }

    fn of(whole: Tensor, framing: Crop, seen: [f64; 4]) -> Self {
        let [left, top, width, height] =
            [framing.left, framing.top, framing.width, framing.height].map(|pixels| pixels as usize);
        let photo = whole.view().slice_move(s![.., top..top + height, left..left + width]);
        let mut mean = [0.0; 3];
        for (mean, channel) in mean.iter_mut().zip(photo.axis_iter(Axis(0))) {
            // In f64: a sum of many f32 values loses precision.
            let sum: f64 = channel.iter().map(|value| f64::from(*value)).sum();
            *mean = (sum / channel.len() as f64) as f32;
        }
        Self { whole, framing, seen, mean }
    }

    /// The unchanged input: f32 `[3, h, w]`.
    pub fn whole(&self) -> &Tensor {
        &self.whole
    }

    /// The area that the patches cover: left, top, width and height of the part of the photograph that the input
    /// shows, as fractions of its sides.
    pub fn seen(&self) -> [f64; 4] {
        self.seen
    }

    /// The inputs with each patch of one row covered by the photograph's mean colour, from left to right: f32
    /// `[3, h, w]` each.
    ///
    /// # Panics
    /// If `row` is not less than [`OCCLUSION_GRID`].
    pub fn row(&self, row: usize) -> Vec<Tensor> {
        assert!(row < OCCLUSION_GRID, "BUG: there are {OCCLUSION_GRID} rows");
        let (top, height) = window(self.framing.top, self.framing.height, row);
        let painted = |column: usize| {
            let (left, width) = window(self.framing.left, self.framing.width, column);
            // Only one row of copies is held at a time, because each is as large as the input.
            let mut painted = self.whole.clone();
            for (mut channel, mean) in painted.view_mut().axis_iter_mut(Axis(0)).zip(self.mean) {
                channel.slice_mut(s![top..top + height, left..left + width]).fill(mean);
            }
            painted
        };
        (0..OCCLUSION_GRID).map(painted).collect()
    }
}

/// First pixel and length of a patch along one side; the first patch starts and the last ends with the photograph.
fn window(first: u32, side: u32, index: usize) -> (usize, usize) {
    let length = side.div_ceil(WINDOWS_A_SIDE) as usize;
    let room = side as usize - length;
    // Rounded to the nearest pixel.
    let start = (room * index + (OCCLUSION_GRID - 1) / 2) / (OCCLUSION_GRID - 1);
    (first as usize + start, length)
}

#[cfg(test)]
mod tests {
    use ndarray::Array3;

    use super::*;
    use crate::{Filter, Manifest, Model, Resize};

    const MEAN: f32 = 0.25;

    /// An input of 20 x 10 that is 0.5 in the left half and 0 in the right half.
    fn occlusions(framing: Crop) -> Occlusions {
        let values = Array3::from_shape_fn((3, 10, 20), |(_, _, x)| if x < 10 { 0.5 } else { 0.0 });
        Occlusions::of(Tensor::new(values).unwrap(), framing, [0.0, 0.0, 1.0, 1.0])
    }

    /// Bounding box of the differences between two inputs: left, top, right and bottom, ends exclusive.
    fn changed(one: &Tensor, other: &Tensor) -> Option<[usize; 4]> {
        let (one, other) = (one.view(), other.view());
        let differing = one.indexed_iter().filter(|(at, value)| other[*at].to_bits() != value.to_bits());
        differing
            .map(|((_, y, x), _)| [x, y, x + 1, y + 1])
            .reduce(|a, b| [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])])
    }

    #[test]
    fn patches_span_the_photograph_overlap_and_take_its_mean_colour() {
        let whole = Crop { left: 0, top: 0, width: 20, height: 10 };
        let letterboxed = Crop { left: 2, top: 0, width: 16, height: 10 };
        for (case, framing, row, column, expected) in [
            ("upper left", whole, 0, 0, [0, 0, 4, 2]),
            ("second of a row", whole, 0, 1, [3, 0, 7, 2]),
            ("middle", whole, 3, 3, [8, 4, 12, 6]),
            ("lower right", whole, 6, 6, [16, 8, 20, 10]),
            ("beside the fill", letterboxed, 0, 0, [2, 0, 6, 2]),
            ("before the fill", letterboxed, 6, 6, [14, 8, 18, 10]),
        ] {
            let occlusions = occlusions(framing);
            let painted = &occlusions.row(row)[column];
            assert_eq!(changed(painted, occlusions.whole()), Some(expected), "{case}");
            let [left, top, ..] = expected;
            assert!((painted.view()[[2, top, left]] - MEAN).abs() < 1e-6, "{case}");
        }
        assert_eq!(occlusions(whole).row(2).len(), OCCLUSION_GRID);
    }

    #[test]
    fn what_the_input_shows_of_a_photograph_depends_on_how_it_is_resized() {
        let manifest = Model::embedded().unwrap().manifest().clone();
        let (side, filter) = (manifest.input.width, Filter::Bilinear);
        let all = Crop { left: 0, top: 0, width: side, height: side };
        let whole = [0.0, 0.0, 1.0, 1.0];
        for (case, resize, expected) in [
            ("squash", Resize::Squash { filter, through: None }, (all, whole)),
            ("centre crop", Resize::CenterCrop { filter, shortest_side: side }, (all, [0.25, 0.0, 0.5, 1.0])),
            (
                "letterbox",
                Resize::Letterbox { filter, pad: 0 },
                (Crop { left: 0, top: side / 4, width: side, height: side / 2 }, whole),
            ),
        ] {
            let preprocessor = Preprocessor::new(&Manifest { resize, ..manifest.clone() }).unwrap();
            let framing = preprocessor.framing(400, 200);
            assert_eq!((framing.input, framing.seen), expected, "{case}");
        }
    }
}
