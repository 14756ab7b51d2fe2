//! Converts rows of samples to RGB.

/// The colour space of a picture's components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colours {
    /// One component.
    Grey,
    /// Luma, and chroma differences of blue and red.
    YCbCr,
    Rgb,
}

/// Pixels that are converted at once.
const CHUNK: usize = 128;

impl Colours {
    pub(super) fn n_components(self) -> usize {
        match self {
            Self::Grey => 1,
            Self::YCbCr | Self::Rgb => 3,
        }
    }

    /// Converts one row, with a row of unrounded samples per component, to `rgb` `[width, 3]`. The rows may be
    /// longer.
    #[expect(clippy::inline_always, reason = "is compiled with the instructions of its caller")]
    #[inline(always)]
    pub(super) fn convert(self, rows: [&[f32]; 3], rgb: &mut [u8]) {
        match self {
            Self::Grey => convert(rows, rgb, |grey, _, _| [grey; 3]),
            Self::YCbCr => convert(rows, rgb, ycbcr),
            Self::Rgb => convert(rows, rgb, |red, green, blue| [red, green, blue]),
        }
    }
}

/// JFIF 1.02: the inverse of ITU-R BT.601 over the full range.
#[expect(clippy::inline_always, reason = "as above")]
#[inline(always)]
fn ycbcr(y: f32, cb: f32, cr: f32) -> [f32; 3] {
    let (cb, cr) = (cb - 128.0, cr - 128.0);
    [y + 1.402 * cr, y - 0.344_136 * cb - 0.714_136 * cr, y + 1.772 * cb]
}

#[expect(clippy::inline_always, reason = "each conversion becomes a loop of its own")]
#[inline(always)]
fn convert(rows: [&[f32]; 3], rgb: &mut [u8], to_rgb: impl Fn(f32, f32, f32) -> [f32; 3]) {
    // In two steps, which the compiler both vectorises: first numbers, then bytes.
    let mut pixels = [0_u32; CHUNK];
    for (at, rgb) in rgb.chunks_mut(3 * CHUNK).enumerate() {
        let pixels = &mut pixels[..rgb.len() / 3];
        let [first, second, third] = rows.map(|row| &row[at * CHUNK..][..pixels.len()]);
        for (((pixel, &first), &second), &third) in pixels.iter_mut().zip(first).zip(second).zip(third) {
            let [red, green, blue] = to_rgb(first, second, third).map(to_u8);
            *pixel = red | green << 8 | blue << 16;
        }
        let ((groups, last), (to, to_last)) = (pixels.as_chunks::<4>(), rgb.as_chunks_mut::<12>());
        for ([a, b, c, d], to) in groups.iter().zip(to) {
            let words = [a | b << 24, b >> 8 | c << 16, c >> 16 | d << 8];
            for (to, word) in to.as_chunks_mut::<4>().0.iter_mut().zip(words) {
                *to = word.to_le_bytes();
            }
        }
        for (pixel, to) in last.iter().zip(to_last.as_chunks_mut::<3>().0) {
            to.copy_from_slice(&pixel.to_le_bytes()[..3]);
        }
    }
}

/// Rounds to 0..=255, ties to even.
#[inline(always)]
fn to_u8(sample: f32) -> u32 {
    // From this value on f32 holds whole numbers only, in the low bits of the mantissa.
    const WHOLE_FROM: f32 = 8_388_608.0;
    // The addition rounds without a conversion: `as u8` would check each sample for NaN and its range.
    // The comparisons are written by hand for the same reason.
    let sample = if sample > 0.0 { sample } else { 0.0 };
    let sample = if sample < 255.0 { sample } else { 255.0 };
    (sample + WHOLE_FROM).to_bits() & 0xFF
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_rounded_and_kept_in_range() {
        for (sample, expected) in [
            (-7.0, 0),
            (0.4, 0),
            (0.6, 1),
            (127.5, 128),
            (128.5, 128),
            (254.6, 255),
            (300.0, 255),
            (1e9, 255),
        ] {
            assert_eq!(to_u8(sample), expected, "{sample}");
        }
    }

    #[test]
    fn colours_come_out_right_at_every_width() {
        // Y, Cb and Cr of red, green, blue, white and black (JFIF).
        let samples = [
            ([76.245, 84.972, 255.5], [255, 0, 0]),
            ([149.685, 43.528, 21.235], [0, 255, 0]),
            ([29.07, 255.5, 107.265], [0, 0, 255]),
            ([255.0, 128.0, 128.0], [255; 3]),
            ([0.0, 128.0, 128.0], [0; 3]),
        ];
        for width in 1..=20 {
            let picked = || samples.iter().cycle().take(width);
            let rows: [Vec<f32>; 3] =
                std::array::from_fn(|row| picked().map(|(values, _)| values[row]).chain([9.0; 3]).collect());
            let mut rgb = vec![0; 3 * width];
            Colours::YCbCr.convert([&rows[0], &rows[1], &rows[2]], &mut rgb);
            let expected: Vec<u8> = picked().flat_map(|(_, rgb)| *rgb).collect();
            assert_eq!(rgb, expected, "{width}");
            Colours::Grey.convert([&rows[0], &rows[0], &rows[0]], &mut rgb);
            assert!(rgb.as_chunks::<3>().0.iter().all(|[red, green, blue]| red == green && green == blue));
        }
    }
}
