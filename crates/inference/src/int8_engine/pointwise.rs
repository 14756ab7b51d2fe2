//! 1x1 convolutions over bytes: a matrix product of pixels and weights.

use super::{
    aligned::{Aligned, Padded},
    quantization::{Quantization, Requantization},
};
use crate::simd::{Kernel, Simd};

/// Output channels whose weights lie together: 16 of four input channels are 64 bytes.
const BLOCK: usize = 16;
/// Input channels that one instruction takes.
const STEP: usize = 4;

/// A 1x1 convolution u8 `[n, in]` -> u8 `[n, out]`.
pub(super) struct Pointwise {
    n_in: usize,
    n_out: usize,
    /// s8 `[out / 16, in / 4, 16, 4]`, filled up with zeros.
    weights: Aligned,
    /// What `weights` lacks where four products would not fit 16 bits, by block of output channels.
    corrections: Vec<Vec<Correction>>,
    to_bytes: Requantization,
}

/// Weights of four input channels, from `4 * step` on, to the channels of a block.
#[repr(C, align(64))]
struct Correction {
    weights: [u8; BLOCK * STEP],
    step: usize,
}

/// What is added to the output: bytes of the same shape, and how they and the sum are to be read.
#[derive(Clone, Copy)]
pub(super) struct Residual {
    /// From the steps of the output, which `Pointwise` gives, to those of the sum.
    output_factor: f32,
    input_factor: f32,
    constant: f32,
}

impl Residual {
    /// `round(output * output_factor + residual * input_factor + constant)` is the sum as bytes.
    pub(super) fn new(output: Quantization, residual: Quantization, sum: Quantization) -> Self {
        let (output_factor, input_factor) = (output.scale / sum.scale, residual.scale / sum.scale);
        let constant = f32::from(sum.zero_point)
            - output_factor * f32::from(output.zero_point)
            - input_factor * f32::from(residual.zero_point);
        Self { output_factor, input_factor, constant }
    }
}

impl Pointwise {
    /// Weights s8 `[out, in]`, both multiples of 8 and none beyond 64.
    pub(super) fn new<S: Simd>(weights: &[i8], n_in: usize, to_bytes: Requantization) -> Self {
        let n_out = weights.len() / n_in;
        let mut packed = Aligned::zeroed(n_out.next_multiple_of(BLOCK) * n_in);
        let bytes = packed.as_mut_slice();
        for (out, row) in weights.chunks_exact(n_in).enumerate() {
            for (input, weight) in row.iter().enumerate() {
                let block = (out / BLOCK) * BLOCK * n_in;
                bytes[block + (input / STEP) * BLOCK * STEP + (out % BLOCK) * STEP + input % STEP] =
                    weight.cast_unsigned();
            }
        }
        let blocks = bytes.chunks_exact_mut(BLOCK * n_in);
        let corrections = blocks
            .map(|block| if S::SUMS_IN_16_BITS { without_overflow(block) } else { Vec::new() })
            .collect();
        Self { n_in, n_out, weights: packed, corrections, to_bytes }
    }

    pub(super) fn n_in(&self) -> usize {
        self.n_in
    }

    pub(super) fn n_out(&self) -> usize {
        self.n_out
    }

    /// Pixels `[n, in]` to `[n, out]`, n a multiple of 8; `residual` is `[n, out]` too.
    ///
    /// # Safety
    /// The processor has the instructions of `S`.
    pub(super) unsafe fn run<S: Simd>(
        &self,
        pixels: &[u8],
        residual: Option<(Residual, Padded<'_>)>,
        output: &mut [u8],
    ) {
        let n_pixels = output.len() / self.n_out;
        assert_eq!((pixels.len(), output.len()), (n_pixels * self.n_in, n_pixels * self.n_out), "BUG: sizes");
        assert_eq!(n_pixels % 8, 0, "BUG: tiles of 8 pixels");
        if let Some((_, residual)) = residual {
            assert_eq!(residual.len(), output.len(), "BUG: sizes");
        }
        unsafe { S::run(Product { of: self, n_pixels, pixels, residual, output: output.as_mut_ptr() }) }
    }
}

/// Takes out of a block `[in / 4, 16, 4]` what would make a sum of four products greater than 16 bits hold.
fn without_overflow(block: &mut [u8]) -> Vec<Correction> {
    /// The greatest sums of weights whose products with bytes fit.
    const FITTING: std::ops::RangeInclusive<i32> = -128..=128;
    let mut corrections = Vec::new();
    for (index, pair) in block.chunks_exact_mut(2 * BLOCK * STEP).enumerate() {
        let (first, second) = pair.split_at_mut(BLOCK * STEP);
        let mut correction = Correction { weights: [0; BLOCK * STEP], step: 2 * index + 1 };
        for at in (0..BLOCK * STEP).step_by(2) {
            let four = [first[at], first[at + 1], second[at], second[at + 1]]
                .map(|weight| i32::from(weight.cast_signed()));
            let positive: i32 = four.iter().filter(|weight| **weight > 0).sum();
            let negative: i32 = four.iter().filter(|weight| **weight < 0).sum();
            if !FITTING.contains(&positive) || !FITTING.contains(&negative) {
                correction.weights[at..at + 2].swap_with_slice(&mut second[at..at + 2]);
            }
        }
        if correction.weights.iter().any(|weight| *weight != 0) {
            corrections.push(correction);
        }
    }
    corrections
}

struct Product<'a> {
    of: &'a Pointwise,
    n_pixels: usize,
    pixels: &'a [u8],
    residual: Option<(Residual, Padded<'a>)>,
    output: *mut u8,
}

impl Kernel for Product<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        let n_vectors = self.of.n_out.div_ceil(S::LANES);
        let mut first = 0;
        // Weights of a few vectors of channels stay in the nearest cache while all pixels pass.
        while first < n_vectors {
            let left = n_vectors - first;
            unsafe {
                if S::WIDE {
                    match left {
                        // 3 + 1 would leave a tile that waits for its own sums.
                        1 => first += self.columns::<S, 8, 1>(first),
                        2 | 4 => first += self.columns::<S, 8, 2>(first),
                        _ => first += self.columns::<S, 8, 3>(first),
                    }
                } else {
                    match left {
                        1 => first += self.columns::<S, 4, 1>(first),
                        _ => first += self.columns::<S, 4, 2>(first),
                    }
                }
            }
        }
    }
}

impl Product<'_> {
    /// All pixels, `ROWS` at a time, to `COLUMNS` vectors of channels from `first` on.
    #[inline(always)]
    unsafe fn columns<S: Simd, const ROWS: usize, const COLUMNS: usize>(&self, first: usize) -> usize {
        let Pointwise { n_in, n_out, weights, corrections, to_bytes } = self.of;
        let (n_in, n_out, n_steps) = (*n_in, *n_out, n_in / STEP);
        let corrections = &corrections[first * S::LANES / BLOCK];
        unsafe {
            let columns: [*const u8; COLUMNS] = std::array::from_fn(|column| {
                let channel = (first + column) * S::LANES;
                weights.as_ptr().add((channel / BLOCK) * BLOCK * n_in + (channel % BLOCK) * STEP)
            });
            let bias = to_bytes.bias.as_ptr().add(4 * first * S::LANES);
            let scale = to_bytes.scale.floats().add(first * S::LANES);
            let zero_point = S::repeat_float(to_bytes.zero_point);
            for row in (0..self.n_pixels).step_by(ROWS) {
                let from = self.pixels.as_ptr().add(row * n_in);
                let bias: [S::Int; COLUMNS] =
                    std::array::from_fn(|column| S::load(bias.add(4 * column * S::LANES)));
                let mut sums = [bias; ROWS];
                if S::SUMS_IN_16_BITS {
                    for pair in 0..n_steps / 2 {
                        let weights = columns.map(|column| column.add(2 * pair * BLOCK * STEP));
                        for (row, sums) in sums.iter_mut().enumerate() {
                            let pixel = from.add(row * n_in + 2 * pair * STEP);
                            let pixel = [S::repeat(pixel), S::repeat(pixel.add(STEP))];
                            for (sum, weights) in sums.iter_mut().zip(weights) {
                                let weights = [S::load(weights), S::load(weights.add(BLOCK * STEP))];
                                *sum = S::dot_twice(*sum, pixel, weights);
                            }
                        }
                    }
                    if n_steps % 2 == 1 {
                        let weights = columns.map(|column| column.add((n_steps - 1) * BLOCK * STEP));
                        step::<S, ROWS, COLUMNS>(&mut sums, from.add((n_steps - 1) * STEP), n_in, weights);
                    }
                    // The vectors share a block.
                    for correction in corrections {
                        let weights = std::array::from_fn(|column| {
                            correction.weights.as_ptr().add((first + column) * S::LANES % BLOCK * STEP)
                        });
                        step::<S, ROWS, COLUMNS>(&mut sums, from.add(correction.step * STEP), n_in, weights);
                    }
                } else {
                    for at in 0..n_steps {
                        let weights = columns.map(|column| column.add(at * BLOCK * STEP));
                        step::<S, ROWS, COLUMNS>(&mut sums, from.add(at * STEP), n_in, weights);
                    }
                }
                for column in 0..COLUMNS {
                    let sums = sums.map(|sums| sums[column]);
                    let channel = (first + column) * S::LANES;
                    let all = n_out - channel >= S::LANES;
                    let scale = S::load_float(scale.add(column * S::LANES));
                    for four in (0..ROWS).step_by(4) {
                        let place: [usize; 4] =
                            std::array::from_fn(|offset| (row + four + offset) * n_out + channel);
                        let mut values: [S::Int; 4] = std::array::from_fn(|offset| {
                            let sum = S::to_float(sums[four + offset]);
                            S::round(S::mul_add(sum, scale, zero_point))
                        });
                        if let Some((how, residual)) = self.residual {
                            let (output, input_factor) =
                                (S::repeat_float(how.output_factor), S::repeat_float(how.input_factor));
                            let constant = S::repeat_float(how.constant);
                            values = std::array::from_fn(|offset| {
                                let value = S::clamp(S::to_float(values[offset]), 0.0, 255.0);
                                let other = S::load_bytes_as_float(residual.as_ptr().add(place[offset]));
                                let other = S::mul_add(other, input_factor, constant);
                                S::round(S::mul_add(value, output, other))
                            });
                        }
                        let to = place.map(|place| self.output.add(place));
                        S::store_rows(to, S::pack(values), all);
                    }
                }
            }
        }
        COLUMNS
    }
}

/// Adds the products of four input channels to the sums of a tile.
#[inline(always)]
unsafe fn step<S: Simd, const ROWS: usize, const COLUMNS: usize>(
    sums: &mut [[S::Int; COLUMNS]; ROWS],
    pixels: *const u8,
    n_in: usize,
    weights: [*const u8; COLUMNS],
) {
    unsafe {
        let weights = weights.map(|weights| S::load(weights));
        for (row, sums) in sums.iter_mut().enumerate() {
            let pixel = S::repeat(pixels.add(row * n_in));
            for (sum, weights) in sums.iter_mut().zip(weights) {
                *sum = S::dot(*sum, pixel, weights);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::int8_engine::{on_each, quantization::Quantization, reference};

    fn products_are_exact<S: Simd>() {
        // Numbers of channels that leave a half vector, an odd step, and each number of vectors side by side.
        for (n_in, n_out, n_pixels) in
            [(16, 96, 16), (24, 24, 8), (40, 88, 24), (88, 8, 8), (144, 208, 8), (12, 64, 8)]
        {
            let mut random = reference::Random::new(n_in * n_out);
            let weights = random.weights(n_in * n_out);
            let pixels = random.bytes(n_pixels * n_in);
            let (bias, scale) = (random.biases(n_out), random.scales(n_out, n_in));
            let to_bytes = Requantization::new(bias.iter().copied(), scale.iter().copied(), 7);
            let pointwise = Pointwise::new::<S>(&weights, n_in, to_bytes);
            let (mut from, mut to) = (Aligned::zeroed(pixels.len()), Aligned::zeroed(n_pixels * n_out));
            from.as_mut_slice().copy_from_slice(&pixels);
            // SAFETY: `on_each` asks the machine.
            unsafe { pointwise.run::<S>(from.as_slice(), None, to.as_mut_slice()) };
            let plain = reference::pointwise(&pixels, &weights, &bias, &scale, 7);
            assert_eq!(to.as_slice(), plain, "{n_in} to {n_out}");

            let how = |scale, zero_point| Quantization { scale, zero_point };
            let residual = Residual::new(how(0.3, 7), how(0.2, 120), how(0.35, 131));
            let mut other = Aligned::zeroed(plain.len());
            other.as_mut_slice().copy_from_slice(&random.bytes(plain.len()));
            unsafe {
                pointwise.run::<S>(
                    from.as_slice(),
                    Some((residual, other.padded(0..other.len()))),
                    to.as_mut_slice(),
                );
            };
            for ((sum, byte), other) in to.as_slice().iter().zip(&plain).zip(other.as_slice()) {
                let number = 0.3 * (f32::from(*byte) - 7.0) + 0.2 * (f32::from(*other) - 120.0);
                let exact = (number / 0.35 + 131.0).clamp(0.0, 255.0);
                assert!(
                    (f32::from(*sum) - exact).abs() < 0.501,
                    "{byte} and {other} give {sum}, not {exact}"
                );
            }
        }
    }

    #[test]
    fn products_are_exact_on_each_processor() {
        on_each!(products_are_exact);
    }

    /// Where 16 bits would overflow, by the largest weights and bytes.
    fn large_products_are_exact<S: Simd>() {
        let (n_in, n_out) = (32, 32);
        let weights: Vec<i8> =
            (0..n_in * n_out).map(|index| if index / n_in % 2 == 0 { 64 } else { -64 }).collect();
        let pixels = vec![255; 8 * n_in];
        let (bias, scale) = (vec![600_000; n_out], vec![1.0 / 5000.0; n_out]);
        let to_bytes = Requantization::new(bias.iter().copied(), scale.iter().copied(), 0);
        let pointwise = Pointwise::new::<S>(&weights, n_in, to_bytes);
        let (mut from, mut to) = (Aligned::zeroed(pixels.len()), Aligned::zeroed(8 * n_out));
        from.as_mut_slice().copy_from_slice(&pixels);
        // SAFETY: `on_each` asks the machine.
        unsafe { pointwise.run::<S>(from.as_slice(), None, to.as_mut_slice()) };
        assert_eq!(to.as_slice(), reference::pointwise(&pixels, &weights, &bias, &scale, 0));
        assert_eq!(to.as_slice()[..2], [224, 16]);
    }

    #[test]
    fn large_products_are_exact_on_each_processor() {
        on_each!(large_products_are_exact);
    }
}
