//! Decodes a JPEG directly at reduced size.
//!
//! Most of the decoding time of a photograph of 12 megapixels goes into samples that the resize averages away. Here
//! a block of 8 x 8 becomes 4 x 4, 2 x 2 or one sample, its higher coefficients are skipped several at a time, and
//! subsampled chroma is transformed directly to the size needed instead of being enlarged.
//!
//! Only clearly valid pictures in one scan of Huffman codes are decoded. All others are left to the full decoder,
//! which then decides whether the file is valid.

use super::bits::{BitReader, CodedBytes};
use super::coefficients::{Block, BlockReader, needed_end};
use super::colour::Colours;
use super::huffman::N_COEFFICIENTS;
use super::inverse::{Factors, Inverse, factors, inverse};
use super::segments::{Component, Scan};
use crate::Result;
use crate::photo::detail::scaled;
use crate::photo::{PhotoError, PhotoFormat, PhotoHeader};

/// Pixels at reduced size.
pub(super) struct Scaled {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) rgb: Vec<u8>,
}

/// Decodes at `eighths` (1, 2 or 4) of both sides; `None` for files that are left to the full decoder.
///
/// # Errors
/// [`PhotoError::Truncated`] if the scan ends before the picture does.
pub(super) fn decode(
    bytes: &[u8],
    header: &PhotoHeader,
    colours: Colours,
    eighths: u32,
) -> Result<Option<Scaled>, PhotoError> {
    let Some(scan) = Scan::read(bytes) else { return Ok(None) };
    let is_as_stated = (scan.width, scan.height) == (header.width(), header.height())
        && scan.components.len() == colours.n_components();
    // Anything unusual is left to the full decoder, which decides whether the file is valid.
    let Some(layout) = Layout::new(&scan, eighths as usize).filter(|_| is_as_stated) else {
        return Ok(None);
    };
    layout.decode(&scan, colours)
}

/// The layout of the blocks of a scan in the picture.
struct Layout<'a> {
    width: u32,
    height: u32,
    /// Rows of pixels in a group of blocks (MCU).
    group_height: usize,
    /// Groups in a row.
    groups_across: usize,
    components: Vec<Plane<'a>>,
}

/// How a component is decoded.
struct Plane<'a> {
    blocks: BlockReader<'a>,
    inverse: Inverse,
    factors: Factors,
    /// Blocks per group.
    across: usize,
    down: usize,
    /// Samples per block.
    block_width: usize,
    block_height: usize,
}

/// The state of a component, which changes from block to block.
struct State {
    mean: i32,
    /// The samples of one row of groups, `[group_height, stride]`.
    samples: Vec<f32>,
}

impl<'a> Layout<'a> {
    /// `None` for subsampling whose blocks would have to be enlarged.
    fn new(scan: &'a Scan<'_>, eighths: usize) -> Option<Self> {
        let most = |side: fn(&Component) -> usize| scan.components.iter().map(side).max();
        let (across, down) = (most(|component| component.across)?, most(|component| component.down)?);
        let components = scan.components.iter().map(|component| {
            // A component stored at half the size gets twice the samples per block, so that nothing needs to be
            // enlarged.
            let samples =
                |most: usize, own: usize| most.is_multiple_of(own).then_some(eighths * (most / own));
            let (block_width, block_height) =
                (samples(across, component.across)?, samples(down, component.down)?);
            Some(Plane {
                blocks: BlockReader {
                    difference_codes: scan.difference_codes[component.difference_codes].as_deref()?,
                    coefficient_codes: scan.coefficient_codes[component.coefficient_codes].as_deref()?,
                    needed_end: needed_end(block_width, block_height),
                },
                inverse: inverse(block_width, block_height)?,
                factors: factors(&component.quantisation),
                across: component.across,
                down: component.down,
                block_width,
                block_height,
            })
        });
        Some(Self {
            width: scaled(scan.width, eighths as u32),
            height: scaled(scan.height, eighths as u32),
            group_height: eighths * down,
            groups_across: (scan.width as usize).div_ceil(8 * across),
            components: components.collect::<Option<_>>()?,
        })
    }

    fn decode(&self, scan: &Scan<'_>, colours: Colours) -> Result<Option<Scaled>, PhotoError> {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
        {
            #[expect(
                unsafe_code,
                reason = "the compiler cannot know which machine the program will run on"
            )]
            // SAFETY: the machine has these instructions.
            return unsafe { self.decode_avx2(scan, colours) };
        }
        self.decode_inlined(scan, colours)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi2,lzcnt")]
    fn decode_avx2(&self, scan: &Scan<'_>, colours: Colours) -> Result<Option<Scaled>, PhotoError> {
        self.decode_inlined(scan, colours)
    }

    #[expect(clippy::inline_always, reason = "is compiled with the instructions of its caller")]
    #[inline(always)]
    fn decode_inlined(&self, scan: &Scan<'_>, colours: Colours) -> Result<Option<Scaled>, PhotoError> {
        let mut states: Vec<State> = self.components.iter().map(|plane| self.state(plane)).collect();
        let row_bytes = 3 * self.width as usize;
        let mut rgb = vec![0; row_bytes * self.height as usize];
        let n_groups = self.groups_across * (self.height as usize).div_ceil(self.group_height);
        let n_restarts = n_groups.checked_div(scan.restart_interval).unwrap_or(0);
        let coded = CodedBytes::new(scan.data, n_restarts);
        let mut bits = coded.reader();
        let mut restarts = Restarts::new(scan.restart_interval);
        // One row of groups at a time, which bounds the number of f32 samples in memory.
        for rows in rgb.chunks_mut(row_bytes * self.group_height) {
            for group in 0..self.groups_across {
                if restarts.advance() {
                    if !restarts.pass(&coded, &mut bits) {
                        return ended_or_odd(&coded, &bits);
                    }
                    for state in &mut states {
                        state.mean = 0;
                    }
                }
                for (plane, state) in self.components.iter().zip(&mut states) {
                    if plane.decode(&mut bits, state, group, self.groups_across).is_none() {
                        return ended_or_odd(&coded, &bits);
                    }
                }
            }
            // Checked once per row: zeros beyond the end decode without harm, and a check for each block would cost
            // more.
            if coded.is_past_end(&bits) {
                return Err(TRUNCATED);
            }
            for (at, row) in rows.chunks_exact_mut(row_bytes).enumerate() {
                let samples = |index: usize| {
                    // Grey has one component, whose row is used for all three colours.
                    let samples = &states[index.min(states.len() - 1)].samples;
                    &samples[at * (samples.len() / self.group_height)..]
                };
                colours.convert([samples(0), samples(1), samples(2)], row);
            }
        }
        Ok(Some(Scaled { width: self.width, height: self.height, rgb }))
    }

    fn state(&self, plane: &Plane<'_>) -> State {
        State { mean: 0, samples: vec![0.0; plane.stride(self.groups_across) * self.group_height] }
    }
}

const TRUNCATED: PhotoError = PhotoError::Truncated { format: PhotoFormat::Jpeg };

/// For invalid bits, or a missing marker: the scan is truncated, or the file is left to the full decoder.
fn ended_or_odd(coded: &CodedBytes, bits: &BitReader<'_>) -> Result<Option<Scaled>, PhotoError> {
    if coded.is_at_end_of_picture(bits) { Err(TRUNCATED) } else { Ok(None) }
}

impl Plane<'_> {
    /// Samples in a row.
    fn stride(&self, groups_across: usize) -> usize {
        groups_across * self.across * self.block_width
    }

    /// Decodes the blocks of one group; `None` for invalid bits.
    #[expect(clippy::inline_always, reason = "is compiled with the instructions of its caller")]
    #[inline(always)]
    fn decode(
        &self,
        bits: &mut BitReader<'_>,
        state: &mut State,
        group: usize,
        groups_across: usize,
    ) -> Option<()> {
        let stride = self.stride(groups_across);
        let mut block: Block = [0; N_COEFFICIENTS + 1];
        for down in 0..self.down {
            for across in 0..self.across {
                let n_read = self.blocks.read(bits, &mut state.mean, &mut block)?;
                let left = (group * self.across + across) * self.block_width;
                let first = down * self.block_height * stride + left;
                (self.inverse)(&block, &self.factors, n_read, &mut state.samples[first..], stride);
            }
        }
        Some(())
    }
}

/// Counts groups up to the next restart marker.
struct Restarts {
    interval: usize,
    /// Groups left before it.
    left: usize,
    /// Number of markers passed.
    n_passed: usize,
}

impl Restarts {
    fn new(interval: usize) -> Self {
        Self { interval, left: interval, n_passed: 0 }
    }

    /// Counts a group; true if a restart marker is due before it.
    fn advance(&mut self) -> bool {
        if self.interval == 0 {
            return false;
        }
        let is_due = self.left == 0;
        if !is_due {
            self.left -= 1;
        }
        is_due
    }

    /// Skips the marker; false if it is missing.
    fn pass(&mut self, coded: &CodedBytes, bits: &mut BitReader<'_>) -> bool {
        let is_there = coded.restart(self.n_passed, bits);
        self.n_passed += 1;
        // Minus the group that follows the marker immediately.
        self.left = self.interval - 1;
        is_there
    }
}
