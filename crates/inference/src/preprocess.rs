//! Converts upright pixels to the model's input tensor, exactly as in training.

use ndarray::{ArcArray, Array3, ArrayView3, ArrayViewMut3, Ix3, Ix4, s};

use crate::resize::{Axis, Crop, Region, RgbImage, squash};
use crate::{Detail, Error, Filter, Input, Manifest, Photo, Resize, Result};

/// Resizes and normalises photographs for one model.
///
/// It has only values of the manifest, so one instance can be used by any number of threads.
#[derive(Clone, Debug)]
pub struct Preprocessor {
    input: Input,
    resize: Resize,
    /// `(value / 255 - mean) / std` for each channel and value: every step rounds to f32 once, in the order of
    /// training.
    table: Box<[[f32; 256]; 3]>,
}

impl Preprocessor {
    /// Prepares the arithmetic of the manifest.
    ///
    /// # Errors
    /// [`Error::InvalidManifest`] if a value of the manifest is out of range.
    pub fn new(manifest: &Manifest) -> Result<Self> {
        manifest.validate()?;
        let mut table = Box::new([[0.0; 256]; 3]);
        for (channel, row) in table.iter_mut().enumerate() {
            for (value, entry) in row.iter_mut().enumerate() {
                // There are only 256 values per channel: a look-up replaces two divisions per sample.
                *entry = (value as f32 / 255.0 - manifest.input.mean[channel]) / manifest.input.std[channel];
            }
        }
        Ok(Self { input: manifest.input.clone(), resize: manifest.resize, table })
    }

    /// The pixels of a photograph that the resize needs, so that nothing is enlarged unnecessarily.
    pub fn detail(&self) -> Detail {
        match self.resize {
            Resize::Squash { through: None, .. } => Detail::covering(self.input.width, self.input.height),
            Resize::Squash { through: Some(between), .. } => Detail::covering(between, between),
            Resize::CenterCrop { shortest_side, .. } => Detail::covering(shortest_side, shortest_side),
            Resize::Letterbox { .. } => Detail::fitting(self.input.width, self.input.height),
        }
    }

    /// The model's input for one photograph: f32 `[3, h, w]`, `(u8 / 255 - mean) / std` per channel.
    pub fn tensor(&self, photo: &Photo) -> Tensor {
        self.normalise(&self.resize_rgb(photo))
    }

    /// The second step of [`Preprocessor::tensor`]: f32 `[3, h, w]` from a picture of the input's size.
    pub fn normalise(&self, image: &RgbImage) -> Tensor {
        let (pixels, _) = image.rgb.as_chunks::<3>();
        let mut values = Array3::zeros((3, image.height as usize, image.width as usize));
        // As slices, which new arrays are: the iterator of an array checks the layout at each value.
        let planes = values.as_slice_mut().unwrap_or_default().chunks_exact_mut(pixels.len().max(1));
        for ((channel, table), plane) in self.table.iter().enumerate().zip(planes) {
            for (value, pixel) in plane.iter_mut().zip(pixels) {
                *value = table[usize::from(pixel[channel])];
            }
        }
        Tensor(values.into_shared())
    }

    /// The photograph at the model's input size, before normalisation.
    pub fn resize_rgb(&self, photo: &Photo) -> RgbImage {
        self.resize(&Region::whole(photo.rgb(), photo.width(), photo.height()))
    }

    /// The picture of [`Photo::fitted`], made from `image`, which is [`Preprocessor::resize_rgb`] of the photograph, and
    /// otherwise from the photograph itself. The former takes less than half of the time, and is a little softer; it needs
    /// an input that shows the whole photograph, with enough pixels.
    ///
    /// # Panics
    /// If `side` is 0.
    pub fn fitted(&self, photo: &Photo, image: &RgbImage, side: u32) -> RgbImage {
        let is_squashed = matches!(self.resize, Resize::Squash { through: None, .. });
        let has_enough = image.width.min(image.height) >= side && photo.width().max(photo.height()) >= side;
        if is_squashed && has_enough {
            let whole = Region::whole(&image.rgb, image.width, image.height);
            squash(&whole, photo.fitted_size(side), Filter::Bilinear)
        } else {
            photo.fitted(side)
        }
    }

    /// Like [`Preprocessor::resize_rgb`] for a part of the photograph, without copying it first.
    pub(crate) fn resize_crop(&self, photo: &Photo, crop: Crop) -> RgbImage {
        self.resize(&Region::of(photo.rgb(), photo.width(), crop))
    }

    fn resize(&self, region: &Region<'_>) -> RgbImage {
        match self.resize {
            Resize::Squash { filter, through } => {
                let input = (self.input.width, self.input.height);
                match through {
                    None => squash(region, input, filter),
                    Some(between) => {
                        // Even if it already has the input's size, so that all photographs are equally soft.
                        let square = squash(region, (between, between), filter);
                        squash(&Region::whole(&square.rgb, between, between), input, filter)
                    }
                }
            }
            Resize::CenterCrop { filter, shortest_side } => self.center_crop(region, filter, shortest_side),
            Resize::Letterbox { filter, pad } => self.letterbox(region, filter, pad),
        }
    }

    /// Scales both sides by one factor, the shorter to `shortest_side`, then crops the centre. Only the pixels that
    /// the crop keeps are computed, so that a strip of 1 x 60,000 is not enlarged to 256 times its length.
    fn center_crop(&self, region: &Region<'_>, filter: Filter, shortest_side: u32) -> RgbImage {
        let (width, height) = (self.input.width, self.input.height);
        let shorter = region.width.min(region.height);
        let axis = |side: u32, kept: u32| {
            let (scaled, first) = middle(side, shorter, shortest_side, kept);
            Axis::new(side, scaled, first..first + kept, filter)
        };
        let (horizontal, vertical) = (axis(region.width, width), axis(region.height, height));
        RgbImage { width, height, rgb: region.resized(horizontal, vertical) }
    }

    fn letterbox(&self, region: &Region<'_>, filter: Filter, pad: u8) -> RgbImage {
        let (width, height) = (self.input.width, self.input.height);
        let inner = self.letter(region.width, region.height);
        let horizontal = Axis::new(region.width, inner.width, 0..inner.width, filter);
        let vertical = Axis::new(region.height, inner.height, 0..inner.height, filter);
        // Resized first and then pasted, so that the fill does not bleed into the picture's border.
        let resized = region.resized(horizontal, vertical);

        let mut rgb = vec![pad; 3 * width as usize * height as usize];
        let rows = rgb.chunks_exact_mut(3 * width as usize).skip(inner.top as usize);
        for (row, inner_row) in rows.zip(resized.chunks_exact(3 * inner.width as usize)) {
            row[3 * inner.left as usize..][..inner_row.len()].copy_from_slice(inner_row);
        }
        RgbImage { width, height, rgb }
    }

    /// The position of a photograph of `width` x `height` in a letterboxed input.
    fn letter(&self, width: u32, height: u32) -> Crop {
        let scale = (f64::from(self.input.width) / f64::from(width))
            .min(f64::from(self.input.height) / f64::from(height));
        let inner = |side: u32, limit: u32| round(f64::from(side) * scale).clamp(1, limit);
        let (width, height) = (inner(width, self.input.width), inner(height, self.input.height));
        Crop { left: (self.input.width - width) / 2, top: (self.input.height - height) / 2, width, height }
    }

    /// The part of a photograph of `width` x `height` pixels that the model's input shows, and its position in the
    /// input.
    pub(crate) fn framing(&self, width: u32, height: u32) -> Framing {
        let input = Crop { left: 0, top: 0, width: self.input.width, height: self.input.height };
        let whole = [0.0, 0.0, 1.0, 1.0];
        match self.resize {
            Resize::Squash { .. } => Framing { input, seen: whole },
            Resize::Letterbox { .. } => Framing { input: self.letter(width, height), seen: whole },
            Resize::CenterCrop { shortest_side, .. } => {
                let part = |side: u32, kept: u32| {
                    let (scaled, first) = middle(side, width.min(height), shortest_side, kept);
                    [f64::from(first) / f64::from(scaled), f64::from(kept) / f64::from(scaled)]
                };
                let ([left, across], [top, down]) = (part(width, input.width), part(height, input.height));
                Framing { input, seen: [left, top, across, down] }
            }
        }
    }
}

/// The length of a side after scaling the shorter one to `shortest_side`, and the first of the `kept` pixels in its
/// centre.
fn middle(side: u32, shorter: u32, shortest_side: u32, kept: u32) -> (u32, u32) {
    // One factor for both sides, so that the aspect ratio is kept.
    let scale = f64::from(shortest_side) / f64::from(shorter);
    let scaled = round(f64::from(side) * scale).max(shortest_side);
    (scaled, (scaled - kept) / 2)
}

/// The part of a photograph that a model's input shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Framing {
    /// The part of the input that shows the photograph and is not fill.
    pub(crate) input: Crop,
    /// The part of the photograph that it shows: left, top, width and height, as fractions of its sides.
    pub(crate) seen: [f64; 4],
}

/// Rounds a positive number of pixels, ties to even, as in training.
fn round(pixels: f64) -> u32 {
    pixels.round_ties_even() as u32
}

/// The input of a model for one image: f32 `[3, h, w]`, row-major, normalised. Clones share the values.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor(ArcArray<f32, Ix3>);

impl Tensor {
    /// Wraps an array `[3, h, w]`; it is copied if it is not row-major.
    ///
    /// # Errors
    /// [`Error::WrongTensorShape`] if an axis is empty or there are not 3 channels.
    pub fn new(values: Array3<f32>) -> Result<Self> {
        let (channels, height, width) = values.dim();
        if channels != 3 || height == 0 || width == 0 {
            return Err(Error::WrongTensorShape {
                expected: vec![3, height.max(1), width.max(1)],
                found: values.shape().to_vec(),
            });
        }
        let values =
            if values.is_standard_layout() { values } else { values.as_standard_layout().into_owned() };
        Ok(Self(values.into_shared()))
    }

    /// Channels (3), height, width.
    pub fn shape(&self) -> [usize; 3] {
        self.0.dim().into()
    }

    /// The values in row-major order.
    pub fn as_slice(&self) -> &[f32] {
        self.0.as_slice().unwrap_or_default()
    }

    /// As a batch of one image, `[1, 3, h, w]`, without copying.
    pub(crate) fn as_batch(&self) -> ArcArray<f32, Ix4> {
        self.0.clone().insert_axis(ndarray::Axis(0))
    }

    /// The array `[3, h, w]`.
    pub fn view(&self) -> ArrayView3<'_, f32> {
        self.0.view()
    }

    /// A mutable view; shared values are copied first.
    pub(crate) fn view_mut(&mut self) -> ArrayViewMut3<'_, f32> {
        self.0.view_mut()
    }

    /// Flipped horizontally.
    pub(crate) fn mirrored(&self) -> Self {
        Self(self.0.slice(s![.., .., ..;-1]).as_standard_layout().into_owned().into_shared())
    }
}
