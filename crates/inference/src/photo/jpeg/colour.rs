//! Rows of samples to RGB.

/// What the components of a picture stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colours {
    /// One component.
    Grey,
    /// Brightness, and how much bluer and redder than grey.
    YCbCr,
    Rgb,
}

/// Samples that are converted side by side.
const LANES: usize = 8;

impl Colours {
    pub(super) fn n_components(self) -> usize {
        match self {
            Self::Grey => 1,
            Self::YCbCr | Self::Rgb => 3,
        }
    }

    /// One row, from a row of samples a component, unrounded, to `rgb` `[width, 3]`. The rows may be longer than that.
    pub(super) fn convert(self, rows: [&[f32]; 3], rgb: &mut [u8]) {
        match self {
            Self::Grey => convert(rows, rgb, |grey, _, _| [grey; 3]),
            Self::YCbCr => convert(rows, rgb, ycbcr),
            Self::Rgb => convert(rows, rgb, |red, green, blue| [red, green, blue]),
        }
    }
}

/// JFIF 1.02: the inverse of ITU-R BT.601 over the full range.
fn ycbcr(y: f32, cb: f32, cr: f32) -> [f32; 3] {
    let (cb, cr) = (cb - 128.0, cr - 128.0);
    [y + 1.402 * cr, y - 0.344_136 * cb - 0.714_136 * cr, y + 1.772 * cb]
}

#[expect(clippy::inline_always, reason = "each conversion becomes a loop of its own")]
#[inline(always)]
fn convert(rows: [&[f32]; 3], rgb: &mut [u8], to_rgb: impl Fn(f32, f32, f32) -> [f32; 3]) {
    let width = rgb.len() / 3;
    let [first, second, third] = rows.map(|row| row[..width].as_chunks::<LANES>());
    let (groups, last) = rgb.as_chunks_mut::<{ 3 * LANES }>();
    let convert_one = |values: [f32; 3], to: &mut [u8]| {
        to.copy_from_slice(&to_rgb(values[0], values[1], values[2]).map(to_u8));
    };
    for (((to, first), second), third) in groups.iter_mut().zip(first.0).zip(second.0).zip(third.0) {
        // A plane for each colour first, so that the compiler converts eight samples side by side.
        let mut planes = [[0; LANES]; 3];
        for lane in 0..LANES {
            let rgb = to_rgb(first[lane], second[lane], third[lane]);
            for (plane, value) in planes.iter_mut().zip(rgb) {
                plane[lane] = to_u8(value);
            }
        }
        for (lane, pixel) in to.as_chunks_mut::<3>().0.iter_mut().enumerate() {
            *pixel = planes.map(|plane| plane[lane]);
        }
    }
    for (((to, &first), &second), &third) in last.chunks_exact_mut(3).zip(first.1).zip(second.1).zip(third.1)
    {
        convert_one([first, second, third], to);
    }
}

/// The nearest of 0 to 255; halves to even.
fn to_u8(sample: f32) -> u8 {
    // From here on floats are whole numbers, which stand in the low bits.
    const WHOLE_FROM: f32 = 8_388_608.0;
    // The addition rounds, and no instruction converts: `as u8` would check for NaN and range at each sample.
    (sample.clamp(0.0, 255.0) + WHOLE_FROM).to_bits() as u8
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
