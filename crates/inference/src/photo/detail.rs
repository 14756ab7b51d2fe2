//! How many pixels of a photograph are needed.

/// The minimum size of a decoded photograph, if the file has as many pixels.
///
/// A JPEG can be decoded at 1/2, 1/4 or 1/8 of its sides in a fraction of the time, so callers that need few pixels
/// state it here. Sides are those of the upright photograph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Detail {
    /// Minimum of both sides.
    covered: (u32, u32),
    /// Minimum of at least one side.
    fitted: (u32, u32),
}

/// Supported scales below the full size, in eighths of the sides: these fit the blocks of a JPEG, so that no sample
/// is computed twice.
const EIGHTHS: [u32; 3] = [1, 2, 4];

impl Detail {
    /// Every pixel of the file.
    pub const FULL: Self = Self::covering(u32::MAX, u32::MAX);

    /// For squashing or cropping to `width` x `height`: neither side is shorter than that.
    pub const fn covering(width: u32, height: u32) -> Self {
        Self { covered: (width, height), fitted: (0, 0) }
    }

    /// For shrinking into `width` x `height` with the aspect ratio kept: the side that fills it is not shorter than
    /// that.
    pub const fn fitting(width: u32, height: u32) -> Self {
        Self { covered: (0, 0), fitted: (width, height) }
    }

    /// Enough for both uses.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let most = |one: (u32, u32), other: (u32, u32)| (one.0.max(other.0), one.1.max(other.1));
        Self { covered: most(self.covered, other.covered), fitted: most(self.fitted, other.fitted) }
    }

    /// Enough if only the fraction `share` of each side around the centre is used; greater than 0 and at most 1.
    #[must_use]
    pub fn of_centre(self, share: f64) -> Self {
        // Saturating casts: a minimum beyond every side means full size.
        let whole = |(width, height): (u32, u32)| {
            [width, height].map(|side| (f64::from(side) / share).ceil() as u32).into()
        };
        Self { covered: whole(self.covered), fitted: whole(self.fitted) }
    }

    /// The smallest scale, in eighths, that is enough for an upright photograph of `width` x `height`.
    pub(super) fn eighths(self, width: u32, height: u32) -> u32 {
        let reaches = |side: u32, eighths: u32, wanted: u32| scaled(side, eighths) >= wanted;
        let is_enough = |&eighths: &u32| {
            // `covered` applies to both sides, `fitted` to the side that fills the frame.
            let covers = reaches(width, eighths, self.covered.0) && reaches(height, eighths, self.covered.1);
            let fits = reaches(width, eighths, self.fitted.0) || reaches(height, eighths, self.fitted.1);
            covers && fits
        };
        EIGHTHS.into_iter().find(is_enough).unwrap_or(8)
    }
}

/// A side scaled to this number of eighths, in pixels. A partly filled last pixel counts.
pub(super) fn scaled(side: u32, eighths: u32) -> u32 {
    (u64::from(side) * u64::from(eighths)).div_ceil(8) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_scale_that_is_enough_is_taken() {
        let covering = Detail::covering(256, 256);
        let fitting = Detail::fitting(256, 256);
        for (case, detail, size, expected) in [
            ("12 megapixels", covering, (4032, 3024), 1),
            ("a side of exactly enough", covering, (2048, 2048), 1),
            ("one pixel less still counts as a whole one", covering, (2041, 2048), 1),
            ("too few by then", covering, (2040, 2048), 2),
            ("1280 x 720", covering, (1280, 720), 4),
            ("a narrow one", covering, (4000, 300), 8),
            ("smaller than wanted", covering, (200, 100), 8),
            ("the longer side alone", fitting, (4000, 300), 1),
            ("both", covering.and(fitting), (4000, 300), 8),
            ("all", Detail::FULL, (65_535, 65_535), 8),
            ("nothing", Detail::default(), (4000, 3000), 1),
            ("the middle 70%", covering.of_centre(0.7), (4032, 2900), 2),
        ] {
            assert_eq!(detail.eighths(size.0, size.1), expected, "{case}");
        }
    }
}
