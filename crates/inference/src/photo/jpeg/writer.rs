//! Writes pictures as JPEG: baseline, chroma at half the resolution, with the Huffman codes of annex K (ITU-T T.81).
//!
//! Every scan stores a thumbnail. This writer supports only what a thumbnail needs, and its loops are compiled for
//! AVX2 as well. A general encoder (`jpeg-encoder` 0.7) took 2.4 times as long. With and without AVX2 the bytes are
//! the same.

mod bits;
mod codes;
mod transform;

use self::bits::BitWriter;
use self::codes::{CHROMA, ComponentCodes, LUMA};
use self::transform::{BLOCK, Block, Quantisation};
use crate::RgbImage;

/// Side of a group of blocks (MCU) in pixels: four blocks of luma, and one of each chroma.
const GROUP: usize = 2 * BLOCK;
/// Number, sampling factors and quantisation table of luma, blue difference and red difference.
const COMPONENTS: [[u8; 3]; 3] = [[1, 0x22, 0], [2, 0x11, 1], [3, 0x11, 1]];

/// Encodes a picture as JPEG. `quality` is 1 to 100, as in libjpeg.
///
/// # Panics
/// If a side is 0 or more than 65,535 pixels, or if `rgb` is too short.
#[must_use]
pub fn write_jpeg(picture: &RgbImage, quality: u8) -> Vec<u8> {
    let side = |length: u32| u16::try_from(length).ok().filter(|&length| length > 0);
    let (width, height) =
        side(picture.width).zip(side(picture.height)).expect("1 to 65,535 pixels on each side");
    let quantisation = [Quantisation::luma(quality), Quantisation::chroma(quality)];
    // About two bits per pixel, which few pictures exceed.
    let mut jpeg = Vec::with_capacity(1024 + picture.rgb.len() / 12);
    write_headers(&mut jpeg, width, height, &quantisation);
    let mut bits = BitWriter::new(jpeg);
    write_groups(picture, &quantisation, &mut bits);
    let mut jpeg = bits.finish();
    jpeg.extend([0xFF, 0xD9]);
    jpeg
}

/// Writes everything before the coded blocks.
fn write_headers(jpeg: &mut Vec<u8>, width: u16, height: u16, quantisation: &[Quantisation; 2]) {
    jpeg.extend([0xFF, 0xD8]);
    // JFIF 1.02, without density and thumbnail.
    segment(jpeg, 0xE0, b"JFIF\0\x01\x02\0\0\x01\0\x01\0\0");
    for (id, table) in (0_u8..).zip(quantisation) {
        segment(jpeg, 0xDB, &[&[id][..], table.steps()].concat());
    }
    let [[high, low], [wide_high, wide_low]] = [height.to_be_bytes(), width.to_be_bytes()];
    segment(jpeg, 0xC0, &[&[8, high, low, wide_high, wide_low, 3][..], COMPONENTS.as_flattened()].concat());
    for (id, codes) in (0_u8..).zip([&LUMA, &CHROMA]) {
        for (class, table) in [(0x00, &codes.differences), (0x10, &codes.coefficients)] {
            segment(jpeg, 0xC4, &[&[class | id][..], &table.lengths, table.values].concat());
        }
    }
    segment(jpeg, 0xDA, &[3, 1, 0x00, 2, 0x11, 3, 0x11, 0, 63, 0]);
}

fn segment(jpeg: &mut Vec<u8>, marker: u8, content: &[u8]) {
    jpeg.extend([0xFF, marker]);
    jpeg.extend((content.len() as u16 + 2).to_be_bytes());
    jpeg.extend(content);
}

/// One row of groups as samples minus 128. Beyond the picture, its last column and row are repeated.
struct Band {
    /// Pixels in a row, a multiple of [`GROUP`].
    width: usize,
    /// `[GROUP, width]`.
    luma: Vec<f32>,
    /// Blue and red differences, averaged over 2 x 2 pixels: `[BLOCK, width / 2]` each.
    chroma: [Vec<f32>; 2],
    /// Differences of two rows of pixels before averaging, `[width]` each.
    full_chroma: [[Vec<f32>; 2]; 2],
}

fn write_groups(picture: &RgbImage, quantisation: &[Quantisation; 2], bits: &mut BitWriter) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("bmi2")
        && std::arch::is_x86_feature_detected!("lzcnt")
    {
        #[expect(unsafe_code, reason = "the compiler cannot know which machine the program will run on")]
        // SAFETY: the machine has these instructions.
        unsafe {
            write_groups_avx2(picture, quantisation, bits);
        }
        return;
    }
    write_groups_inlined(picture, quantisation, bits);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi2,lzcnt")]
fn write_groups_avx2(picture: &RgbImage, quantisation: &[Quantisation; 2], bits: &mut BitWriter) {
    write_groups_inlined(picture, quantisation, bits);
}

#[expect(clippy::inline_always, reason = "is compiled with the instructions of its caller")]
#[inline(always)]
fn write_groups_inlined(picture: &RgbImage, quantisation: &[Quantisation; 2], bits: &mut BitWriter) {
    let (width, height) = (picture.width as usize, picture.height as usize);
    let mut band = Band::new(width);
    let mut means = [0; 3];
    for top in (0..height).step_by(GROUP) {
        band.fill(picture, top);
        for left in (0..band.width).step_by(GROUP) {
            for (y, x) in [(0, 0), (0, BLOCK), (BLOCK, 0), (BLOCK, BLOCK)] {
                let block = block(&band.luma[y * band.width + left + x..], band.width);
                write_block(&block, &quantisation[0], &LUMA, &mut means[0], bits);
            }
            for (samples, mean) in band.chroma.iter().zip(&mut means[1..]) {
                let block = block(&samples[left / 2..], band.width / 2);
                write_block(&block, &quantisation[1], &CHROMA, mean, bits);
            }
        }
    }
}

#[expect(clippy::inline_always, reason = "as above")]
#[inline(always)]
fn block(samples: &[f32], stride: usize) -> Block {
    let mut block = [[0.0; BLOCK]; BLOCK];
    for (at, row) in block.iter_mut().enumerate() {
        row.copy_from_slice(&samples[at * stride..][..BLOCK]);
    }
    block
}

/// `mean` is the quantised DC coefficient of the previous block of this component, and becomes that of this one.
#[expect(clippy::inline_always, reason = "as above")]
#[inline(always)]
fn write_block(
    block: &Block,
    quantisation: &Quantisation,
    codes: &ComponentCodes,
    mean: &mut i32,
    bits: &mut BitWriter,
) {
    let coefficients = quantisation.quantised(block);
    let own_mean = i32::from(coefficients.values[0]);
    bits.write_difference(own_mean - *mean, &codes.differences);
    *mean = own_mean;
    bits.write_coefficients(&coefficients, &codes.coefficients);
}

impl Band {
    fn new(picture_width: usize) -> Self {
        let width = picture_width.next_multiple_of(GROUP);
        let row = || vec![0.0; width];
        let half = || vec![0.0; width / 2 * BLOCK];
        Self {
            width,
            luma: vec![0.0; width * GROUP],
            chroma: [half(), half()],
            full_chroma: [[row(), row()], [row(), row()]],
        }
    }

    /// Fills it with the rows of the picture from `top` on.
    #[expect(clippy::inline_always, reason = "as above")]
    #[inline(always)]
    fn fill(&mut self, picture: &RgbImage, top: usize) {
        let (row_bytes, last_row) = (3 * picture.width as usize, picture.height as usize - 1);
        for (at, luma) in self.luma.chunks_exact_mut(self.width).enumerate() {
            let row = &picture.rgb[row_bytes * (top + at).min(last_row)..][..row_bytes];
            let [blue, red] = &mut self.full_chroma[at % 2];
            convert(row, [luma, blue, red]);
            if at % 2 == 1 {
                let [above, below] = &self.full_chroma;
                for ((chroma, above), below) in self.chroma.iter_mut().zip(above).zip(below) {
                    average(above, below, &mut chroma[at / 2 * (self.width / 2)..][..self.width / 2]);
                }
            }
        }
    }
}

/// Converts a row of pixels (JFIF 1.02: ITU-R BT.601 over the full range).
#[expect(clippy::inline_always, reason = "as above")]
#[inline(always)]
fn convert(rgb: &[u8], [luma, blue, red]: [&mut [f32]; 3]) {
    let pixels = rgb.as_chunks::<3>().0;
    let n_pixels = pixels.len();
    let to = luma[..n_pixels].iter_mut().zip(&mut blue[..n_pixels]).zip(&mut red[..n_pixels]);
    for (&pixel, ((luma, blue), red)) in pixels.iter().zip(to) {
        let [r, g, b] = pixel.map(f32::from);
        *luma = 0.299 * r + 0.587 * g + 0.114 * b - 128.0;
        *blue = -0.168_736 * r - 0.331_264 * g + 0.5 * b;
        *red = 0.5 * r - 0.418_688 * g - 0.081_312 * b;
    }
    for samples in [luma, blue, red] {
        let last = samples[n_pixels - 1];
        samples[n_pixels..].fill(last);
    }
}

#[expect(clippy::inline_always, reason = "as above")]
#[inline(always)]
fn average(above: &[f32], below: &[f32], to: &mut [f32]) {
    let squares = above.as_chunks::<2>().0.iter().zip(below.as_chunks::<2>().0);
    for ((&[a, b], &[c, d]), to) in squares.zip(to) {
        *to = (a + b + c + d) / 4.0;
    }
}

#[cfg(test)]
mod tests {
    use image::ImageFormat;

    use super::*;

    fn picture(width: u32, height: u32, pixel: impl Fn(u32, u32) -> [u8; 3]) -> RgbImage {
        let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        RgbImage { width, height, rgb: pixels.flat_map(|(x, y)| pixel(x, y)).collect() }
    }

    /// Multiplicative hashing: neighbours differ the most.
    fn noise(x: u32, y: u32) -> [u8; 3] {
        [1, 2, 3].map(|colour| ((x * 64 + y * 3 + colour).wrapping_mul(2_654_435_761) >> 13) as u8)
    }

    /// Mean square of the differences, as another decoder shows the JPEG.
    fn error_of(picture: &RgbImage, jpeg: &[u8]) -> f64 {
        let decoded = image::load_from_memory_with_format(jpeg, ImageFormat::Jpeg).unwrap().into_rgb8();
        assert_eq!(decoded.dimensions(), (picture.width, picture.height));
        let squares =
            decoded.as_raw().iter().zip(&picture.rgb).map(|(&a, &b)| f64::from(a.abs_diff(b)).powi(2));
        squares.sum::<f64>() / picture.rgb.len() as f64
    }

    #[test]
    fn pictures_of_all_sizes_decode_to_nearly_the_same_pixels() {
        for (width, height) in [(1, 1), (7, 8), (8, 7), (16, 16), (17, 33), (31, 15), (256, 3), (100, 75)] {
            let smooth = picture(width, height, |x, y| [(40 + 2 * x.min(100)) as u8, (200 - y) as u8, 90]);
            let error = error_of(&smooth, &write_jpeg(&smooth, 90));
            assert!(error < 3.0, "{width} x {height}: {error}");
        }
    }

    #[test]
    fn blocks_at_the_limits_of_their_values_decode_as_well() {
        let stripes = |x: u32, y: u32| [if (x / 8 + y / 8).is_multiple_of(2) { 255 } else { 0 }; 3];
        let lines = |x: u32, _: u32| [if x.is_multiple_of(2) { 255 } else { 0 }; 3];
        for (name, grey) in [("checks", picture(64, 48, stripes)), ("lines", picture(64, 48, lines))] {
            let error = error_of(&grey, &write_jpeg(&grey, 100));
            assert!(error < 1.0, "{name}: {error}");
        }
    }

    #[test]
    fn a_lower_quality_takes_fewer_bytes() {
        let noisy = picture(64, 64, noise);
        let lengths = [100, 90, 75, 50, 20, 1].map(|quality| write_jpeg(&noisy, quality).len());
        assert!(lengths.is_sorted_by(|a, b| a > b), "{lengths:?}");
        // Steps of 1 keep even noise, apart from the chroma of half the resolution.
        let grey = picture(64, 64, |x, y| [noise(x, y)[0]; 3]);
        assert!(error_of(&grey, &write_jpeg(&grey, 100)) < 1.0);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn the_bytes_are_the_same_without_avx2() {
        let noisy = picture(90, 70, noise);
        let quantisation = [Quantisation::luma(75), Quantisation::chroma(75)];
        let mut plain = BitWriter::new(Vec::new());
        write_groups_inlined(&noisy, &quantisation, &mut plain);
        let (whole, plain) = (write_jpeg(&noisy, 75), plain.finish());
        assert_eq!(whole[whole.len() - 2 - plain.len()..whole.len() - 2], plain);
    }

    #[test]
    #[should_panic(expected = "1 to 65,535 pixels on each side")]
    fn a_picture_without_pixels_is_refused() {
        drop(write_jpeg(&RgbImage { width: 0, height: 1, rgb: Vec::new() }, 75));
    }
}
