//! Inverted residual blocks: a 1x1 convolution to many channels, a depthwise convolution, and a 1x1 convolution
//! back to few channels.
//!
//! The many channels are computed for one strip of rows at a time, which stays in the processor's cache.

use super::{
    aligned::{Aligned, Padded},
    depthwise::{self, Depthwise, Image},
    layout::Layout,
    pointwise::{Pointwise, Residual},
};
use crate::simd::Simd;

/// Approximate size of a strip of widened rows, in bytes.
const STRIP_BYTES: usize = 128 * 1024;

pub(super) struct Block {
    pub(super) widen: Pointwise,
    pub(super) depthwise: Depthwise,
    pub(super) narrow: Pointwise,
    /// How the input is added to the output, if it is.
    pub(super) residual: Option<Residual>,
}

/// Buffers shared by all blocks; they grow to the largest size needed.
#[derive(Default)]
pub(super) struct Scratch {
    strip: Aligned,
    filtered: Aligned,
}

impl Block {
    /// Converts u8 `[height, width, in]` to u8 `[height / stride, width / stride, out]`.
    ///
    /// # Safety
    /// The processor has the instructions of `S`.
    pub(super) unsafe fn run<S: Simd>(
        &self,
        input: Padded<'_>,
        (height, width): (usize, usize),
        scratch: &mut Scratch,
        columns: &mut depthwise::Scratch,
        output: &mut [u8],
    ) {
        let Self { widen, depthwise, narrow, residual } = self;
        let stride = depthwise.stride();
        let (out_height, out_width) = (height / stride, width / stride);
        let n_rows = rows_of_strip(depthwise.layout(width * stride).n_bytes(width * stride), out_height);
        let most_rows = depthwise.most_input_rows(n_rows).min(height);
        let wide = depthwise.layout(most_rows * width);
        scratch.strip.reserve(wide.n_bytes(most_rows * width));
        scratch.filtered.reserve(n_rows * out_width * narrow.n_in());
        let mut strip_rows = 0..0;
        for first in (0..out_height).step_by(n_rows) {
            let n_rows = n_rows.min(out_height - first);
            let rows = depthwise.input_rows(first, n_rows, height);
            // Rows that the previous strip has too are moved to the top, not computed again.
            let kept = rows.start.min(strip_rows.end)..strip_rows.end;
            if !kept.is_empty() {
                for channel in wide.groups() {
                    let (start, row_bytes) = (wide.channel(channel), width * wide.pixel(channel));
                    let from = start + (kept.start - strip_rows.start) * row_bytes;
                    scratch.strip.as_mut_slice().copy_within(from..from + kept.len() * row_bytes, start);
                }
            }
            let new = rows.start + kept.len()..rows.end;
            let pixels = &input.as_slice()[new.start * width * widen.n_in()..new.end * width * widen.n_in()];
            let to = (scratch.strip.as_mut_slice(), wide, kept.len() * width);
            // All strips use the same weights, so they are prefetched once.
            let next: &[&[u8]] = if first == 0 { &[depthwise.weights(), narrow.weights()] } else { &[] };
            unsafe { widen.run::<S>(pixels, None, to, next) };
            strip_rows = rows.clone();

            let image = Image { bytes: scratch.strip.as_slice(), layout: wide, rows, width };
            let output_rows = first..first + n_rows;
            let filtered = &mut scratch.filtered.as_mut_slice()[..n_rows * out_width * narrow.n_in()];
            unsafe { depthwise.run::<S>(&image, columns, output_rows.clone(), filtered) };

            let of_output =
                output_rows.start * out_width * narrow.n_out()..output_rows.end * out_width * narrow.n_out();
            // A residual has the shape of the output.
            let residual = residual.map(|residual| (residual, input.part(of_output.clone())));
            let to = (&mut output[of_output], Layout::plain(narrow.n_out()), 0);
            unsafe { narrow.run::<S>(filtered, residual, to, &[]) };
        }
    }
}

/// Rows of the output per strip: as many as fit, but at least 4 unless the image has fewer.
fn rows_of_strip(row_bytes: usize, height: usize) -> usize {
    (STRIP_BYTES / row_bytes).max(4).min(height)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::int8_engine::{
        depthwise::Filter,
        on_each,
        quantization::{Quantization, Requantization},
        reference,
    };

    fn strips_give_what_the_whole_image_gives<S: Simd>() {
        // Wide enough that a strip has 4 rows of the output: several strips, and a shorter last one.
        let (width, channels, few) = (64, 544, 16);
        for (size, stride, pad, height) in [(3, 1, 1, 9), (5, 1, 2, 13), (3, 2, 0, 10), (5, 2, 1, 18)] {
            let mut random = reference::Random::new(size * height);
            let [first, second, third] =
                [few * channels, size * size * channels, few * channels].map(|n| random.weights(n));
            let biases = [channels, channels, few].map(|n| random.biases(n));
            let scales = [(channels, few), (channels, size * size), (few, channels)]
                .map(|(n, n_products)| random.scales(n, n_products));
            let [to_wide, to_narrow] = [(0, 3), (2, 120)].map(|(at, zero_point): (usize, u8)| {
                Requantization::new(biases[at].iter().copied(), scales[at].iter().copied(), zero_point)
            });
            let filter = Filter { size, stride, pad };
            let how = |scale, zero_point| Quantization { scale, zero_point };
            let block = Block {
                widen: Pointwise::new::<S>(&first, few, to_wide),
                depthwise: Depthwise::new::<S>(&second, filter, 3, &biases[1], &scales[1], 5),
                narrow: Pointwise::new::<S>(&third, channels, to_narrow),
                // Doubles the input, with the same scale as before.
                residual: (stride == 1).then(|| Residual::new(how(1.0, 120), how(1.0, 100), how(1.0, 90))),
            };
            let bytes = random.bytes(height * width * few);
            let mut input = Aligned::zeroed(bytes.len());
            let mut output = vec![0; bytes.len() / stride / stride];
            let (mut scratch, mut columns) = (Scratch::default(), block.depthwise.scratch(width));
            // Run twice: leftovers of the first image in the buffers must not change the second result.
            for bytes in [vec![255; bytes.len()], bytes.clone()] {
                input.as_mut_slice().copy_from_slice(&bytes);
                let input = input.padded(0..bytes.len());
                // SAFETY: `on_each` checks the machine.
                unsafe { block.run::<S>(input, (height, width), &mut scratch, &mut columns, &mut output) };
            }
            let wide = reference::pointwise(&bytes, &first, &biases[0], &scales[0], 3);
            let filtered =
                reference::depthwise(&wide, (height, width), filter, &second, 3, &biases[1], &scales[1], 5);
            let mut expected = reference::pointwise(&filtered, &third, &biases[2], &scales[2], 120);
            if block.residual.is_some() {
                for (byte, input) in expected.iter_mut().zip(&bytes) {
                    let sum = i32::from(*byte) - 120 + i32::from(*input) - 100 + 90;
                    *byte = sum.clamp(0, 255) as u8;
                }
            }
            assert_eq!(output, expected, "{size}x{size} by {stride}, {height} rows");
        }
    }

    #[test]
    fn strips_give_what_the_whole_image_gives_on_each_processor() {
        on_each!(strips_give_what_the_whole_image_gives);
    }
}
