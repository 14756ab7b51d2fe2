//! Resizes pictures and parts of them.

mod resample;

use crate::Filter;
pub(crate) use resample::Axis;

/// A rectangle inside a photograph, in pixels; at least one pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Crop {
    pub(crate) left: u32,
    pub(crate) top: u32,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

/// The pixels to resize, which may be a part of longer rows.
pub(crate) struct Region<'a> {
    /// Whole rows, `[height, row_width, 3]`.
    rgb: &'a [u8],
    row_width: u32,
    left: u32,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl<'a> Region<'a> {
    pub(crate) fn whole(rgb: &'a [u8], width: u32, height: u32) -> Self {
        Self { rgb, row_width: width, left: 0, width, height }
    }

    /// The part `crop` of a picture with rows of `row_width` pixels.
    pub(crate) fn of(rgb: &'a [u8], row_width: u32, Crop { left, top, width, height }: Crop) -> Self {
        let row_bytes = 3 * row_width as usize;
        let rgb = &rgb[row_bytes * top as usize..][..row_bytes * height as usize];
        Self { rgb, row_width, left, width, height }
    }

    pub(crate) fn resized(&self, horizontal: Axis, vertical: Axis) -> Vec<u8> {
        resample::resize(self.rgb, self.row_width, &horizontal.behind(self.left), vertical)
    }
}

/// Resizes a region, ignoring its aspect ratio.
pub(crate) fn squash(region: &Region<'_>, to: (u32, u32), filter: Filter) -> RgbImage {
    let horizontal = Axis::new(region.width, to.0, 0..to.0, filter);
    let vertical = Axis::new(region.height, to.1, 0..to.1, filter);
    RgbImage { width: to.0, height: to.1, rgb: region.resized(horizontal, vertical) }
}

/// A small RGB picture, `[height, width, 3]` u8, row-major.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RgbImage {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// `3 * width * height` bytes.
    pub rgb: Vec<u8>,
}
