//! Greyscale pictures.

use crate::Photo;

/// Luma, 0 is black: `[height, width]`, row-major.
#[derive(Clone, Debug)]
pub(super) struct Grey {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) levels: Vec<u8>,
}

impl Grey {
    /// The luma of ITU-R BT.601, in integer arithmetic.
    pub(super) fn of(photo: &Photo) -> Self {
        let (pixels, _) = photo.rgb().as_chunks::<3>();
        let luma = |&[red, green, blue]: &[u8; 3]| {
            // 0.299, 0.587 and 0.114 in units of 1/256; their sum is 256, so that white stays 255.
            ((77 * u32::from(red) + 150 * u32::from(green) + 29 * u32::from(blue)) >> 8) as u8
        };
        Self {
            width: photo.width() as usize,
            height: photo.height() as usize,
            levels: pixels.iter().map(luma).collect(),
        }
    }

    /// The longer side, in pixels.
    pub(super) fn longest(&self) -> usize {
        self.width.max(self.height)
    }

    /// Averages blocks of `factor` x `factor` pixels into one. Remaining pixels at the right and bottom are cut
    /// off; a side shorter than `factor` becomes 0.
    pub(super) fn shrunk(&self, factor: usize) -> Self {
        if factor <= 1 {
            return self.clone();
        }
        let (width, height) = (self.width / factor, self.height / factor);
        let mut sums = vec![0_u32; width];
        let mut levels = Vec::with_capacity(width * height);
        let area = (factor * factor) as u32;
        for y in 0..height {
            sums.fill(0);
            for row in 0..factor {
                let start = (y * factor + row) * self.width;
                let line = &self.levels[start..start + width * factor];
                // Row by row, in memory order: block by block would jump by the picture's width each time.
                for (sum, group) in sums.iter_mut().zip(line.chunks_exact(factor)) {
                    *sum += group.iter().map(|&level| u32::from(level)).sum::<u32>();
                }
            }
            levels.extend(sums.iter().map(|sum| (sum / area) as u8));
        }
        Self { width, height, levels }
    }

    /// Unsharp mask: adds three times the difference to a blur of about 1.5 pixels.
    pub(super) fn sharpened(&self) -> Self {
        let across = blurred_across(&self.levels, self.width);
        let blurred = blurred_down(&across, self.width, self.height);
        let sharp =
            |(&level, &soft): (&u8, &u8)| (4 * i32::from(level) - 3 * i32::from(soft)).clamp(0, 255) as u8;
        let levels = self.levels.iter().zip(&blurred).map(sharp).collect();
        Self { width: self.width, height: self.height, levels }
    }

    /// The smallest factor that shrinks the longer side to at most `longest` pixels.
    pub(super) fn factor_to(&self, longest: usize) -> usize {
        self.longest().div_ceil(longest).max(1)
    }

    /// The level at a point, by bilinear interpolation; pixel centres are at half-integers, and border pixels
    /// extend beyond the picture.
    pub(super) fn at(&self, x: f32, y: f32) -> f32 {
        let x = (x - 0.5).clamp(0.0, (self.width - 1) as f32);
        let y = (y - 0.5).clamp(0.0, (self.height - 1) as f32);
        let (left, top) = (x as usize, y as usize);
        let (right, bottom) = ((left + 1).min(self.width - 1), (top + 1).min(self.height - 1));
        let (across, down) = (x - left as f32, y - top as f32);
        let level = |x: usize, y: usize| f32::from(self.levels[y * self.width + x]);
        let above = level(left, top) * (1.0 - across) + level(right, top) * across;
        let below = level(left, bottom) * (1.0 - across) + level(right, bottom) * across;
        above * (1.0 - down) + below * down
    }
}

/// Binomial weights of a window of seven pixels, with the border pixels repeated; their sum is 64.
const WEIGHTS: [u32; 7] = [1, 6, 15, 20, 15, 6, 1];

fn blurred_across(levels: &[u8], width: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(levels.len());
    let mut padded = vec![0; width + 6];
    for row in levels.chunks_exact(width) {
        // One padded row instead of clamping each index, so that the inner loop is over plain windows.
        padded[..3].fill(row[0]);
        padded[3..width + 3].copy_from_slice(row);
        padded[width + 3..].fill(row[width - 1]);
        out.extend(padded.windows(7).map(|window| {
            let sum: u32 = window.iter().zip(WEIGHTS).map(|(&level, weight)| weight * u32::from(level)).sum();
            ((sum + 32) >> 6) as u8
        }));
    }
    out
}

fn blurred_down(levels: &[u8], width: usize, height: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(levels.len());
    let mut sums = vec![0_u32; width];
    for y in 0..height {
        // Half of the divisor 64, for rounding.
        sums.fill(32);
        // Whole rows are added, since walking down columns would miss the cache at each step.
        for (off, weight) in WEIGHTS.iter().enumerate() {
            let row = (y + off).saturating_sub(3).min(height - 1);
            for (sum, &level) in sums.iter_mut().zip(&levels[row * width..(row + 1) * width]) {
                *sum += weight * u32::from(level);
            }
        }
        out.extend(sums.iter().map(|sum| (sum >> 6) as u8));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sharpening_leaves_a_plain_ground_and_steepens_an_edge() {
        let plain = Grey { width: 9, height: 9, levels: vec![90; 81] };
        assert_eq!(plain.sharpened().levels, plain.levels);
        let ramp = [60, 60, 60, 80, 100, 120, 120, 120, 120];
        let edge = Grey { width: 9, height: 3, levels: ramp.repeat(3) };
        let sharp = edge.sharpened().levels;
        assert!(sharp[2] < 60 && sharp[6] > 120, "{sharp:?}");
        assert_eq!(sharp[..9], sharp[9..18]);
    }

    #[test]
    fn shrinking_averages_and_a_place_between_pixels_is_their_mean() {
        let grey = Grey { width: 5, height: 2, levels: vec![0, 10, 20, 30, 99, 10, 20, 30, 40, 99] };
        let half = grey.shrunk(2);
        assert_eq!((half.width, half.height, half.levels), (2, 1, vec![10, 30]));
        assert!((grey.at(1.0, 0.5) - 5.0).abs() < 1e-6);
        assert!((grey.at(-9.0, -9.0) - 0.0).abs() < 1e-6);
        assert!((grey.at(99.0, 99.0) - 99.0).abs() < 1e-6);
        assert_eq!((grey.factor_to(5), grey.factor_to(4), grey.factor_to(1)), (1, 2, 5));
    }
}
