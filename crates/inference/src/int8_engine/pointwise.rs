//! 1x1 convolutions over bytes: a matrix product of pixels and weights.

use std::ops::Range;

use super::{
    ahead::Ahead,
    aligned::{Aligned, Padded},
    layout::Layout,
    quantization::{Quantization, Requantization, taken_off},
    sixteen_bits::{self, BLOCK, STEP, STEP_BYTES, SixteenBits},
};
use crate::simd::{Kernel, Simd};

/// Bytes of input and output pixels that stay in the L1 cache while all weights are read.
const NEAR_BYTES: usize = 16 * 1024;

/// A 1x1 convolution u8 `[n, in]` -> u8 `[n, out]`.
pub(super) struct Pointwise {
    n_in: usize,
    n_out: usize,
    /// s8 `[out / 16, in / 4, 16, 4]`, zero-padded.
    weights: Aligned,
    /// Parameters for sums in 16 bits, on processors that need them.
    sixteen_bits: Option<SixteenBits>,
    to_bytes: Requantization,
}

/// The residual that is added to the output: factors and offset of its bytes, which have the shape of the output.
#[derive(Clone, Copy)]
pub(super) struct Residual {
    /// From the scale of the convolution's output to that of the sum.
    output_factor: f32,
    input_factor: f32,
    constant: f32,
}

impl Residual {
    /// The bytes of the sum are `round(output * output_factor + residual * input_factor + constant)`.
    pub(super) fn new(output: Quantization, residual: Quantization, sum: Quantization) -> Self {
        let (output_factor, input_factor) = (output.scale / sum.scale, residual.scale / sum.scale);
        let constant = f32::from(sum.zero_point)
            - output_factor * f32::from(output.zero_point)
            - input_factor * f32::from(residual.zero_point);
        Self { output_factor, input_factor, constant }
    }
}

impl Pointwise {
    /// Weights s8 `[out, in]`; both sizes are multiples of 8 and no weight is beyond 64 in magnitude.
    pub(super) fn new<S: Simd>(weights: &[i8], n_in: usize, mut to_bytes: Requantization) -> Self {
        let n_out = weights.len() / n_in;
        let mut packed = Aligned::zeroed(n_out.next_multiple_of(BLOCK) * n_in);
        let bytes = packed.as_mut_slice();
        for (out, row) in weights.chunks_exact(n_in).enumerate() {
            for (input, weight) in row.iter().enumerate() {
                let block = (out / BLOCK) * BLOCK * n_in;
                bytes[block + (input / STEP) * STEP_BYTES + (out % BLOCK) * STEP + input % STEP] =
                    weight.cast_unsigned();
            }
        }
        let biases = to_bytes.bias.as_mut_slice().as_chunks_mut().0.iter_mut();
        for (bias, row) in biases.zip(weights.chunks_exact(n_in)) {
            *bias = i32::from_le_bytes(*bias).wrapping_add(taken_off::<S>(row)).to_le_bytes();
        }
        let sixteen_bits =
            S::SUMS_IN_16_BITS.then(|| SixteenBits::new(bytes, n_in, to_bytes.bias.as_mut_slice()));
        Self { n_in, n_out, weights: packed, sixteen_bits, to_bytes }
    }

    pub(super) fn weights(&self) -> &[u8] {
        self.weights.as_slice()
    }

    pub(super) fn n_in(&self) -> usize {
        self.n_in
    }

    pub(super) fn n_out(&self) -> usize {
        self.n_out
    }

    /// Converts pixels `[n, in]` to `[n, out]`, stored from pixel `start` on; n is a multiple of 8. With a
    /// `residual` `[n, out]` the output is plain and `start` is 0. The weights of the next layers are prefetched
    /// meanwhile.
    ///
    /// # Safety
    /// The processor has the instructions of `S`.
    pub(super) unsafe fn run<S: Simd>(
        &self,
        pixels: &[u8],
        residual: Option<(Residual, Padded<'_>)>,
        (output, to, start): (&mut [u8], Layout, usize),
        next: &[&[u8]],
    ) {
        let n_pixels = pixels.len() / self.n_in;
        assert_eq!((pixels.len() % self.n_in, n_pixels % 8), (0, 0), "BUG: tiles of 8 pixels");
        assert!(to.is_plain() || to.group().is_multiple_of(2 * S::LANES), "BUG: groups");
        assert_eq!(to.channels(), self.n_out, "BUG: layouts");
        assert!(output.len() >= to.n_bytes(start + n_pixels), "BUG: sizes");
        if let Some((_, residual)) = residual {
            assert!(to.is_plain() && start == 0, "BUG: layouts");
            assert_eq!(residual.len(), n_pixels * self.n_out, "BUG: sizes");
        }
        let output = output.as_mut_ptr();
        // Number of the largest tiles: smaller tiles are more, and prefetch all of it sooner.
        let n_tiles = n_pixels.div_ceil(8) * self.n_out.div_ceil(3 * S::LANES);
        let ahead = Ahead::new(next, n_tiles);
        unsafe { S::run(Product { of: self, n_pixels, pixels, residual, output, to, start, ahead }) }
    }
}

struct Product<'a> {
    of: &'a Pointwise,
    n_pixels: usize,
    pixels: &'a [u8],
    residual: Option<(Residual, Padded<'a>)>,
    output: *mut u8,
    to: Layout,
    start: usize,
    ahead: Ahead<'a>,
}

impl Kernel for Product<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        // Decided here rather than in every tile.
        let by_offsets = self.of.sixteen_bits.as_ref().is_some_and(|how| how.offsets.is_some());
        unsafe {
            match (by_offsets, self.residual.is_some()) {
                (false, false) => self.pixels::<S, false, false>(),
                (false, true) => self.pixels::<S, false, true>(),
                (true, false) => self.pixels::<S, true, false>(),
                (true, true) => self.pixels::<S, true, true>(),
            }
        }
    }
}

impl Product<'_> {
    #[inline(always)]
    unsafe fn pixels<S: Simd, const OFFSETS: bool, const RESIDUAL: bool>(&self) {
        let n_vectors = self.of.n_out.div_ceil(S::LANES);
        // All pixels with wide vectors, by measurement with 256 bits.
        let n_near =
            if S::WIDE { self.n_pixels } else { NEAR_BYTES / (self.of.n_in + self.of.n_out) / 8 * 8 };
        let n_near = n_near.max(8);
        for start in (0..self.n_pixels).step_by(n_near) {
            let rows = start..self.n_pixels.min(start + n_near);
            let mut first = 0;
            while first < n_vectors {
                let (left, rows) = (n_vectors - first, rows.clone());
                unsafe {
                    first += match (S::WIDE, left) {
                        // 3 + 1 would leave a tile of one vector, which waits for its own sums.
                        (true, 1) => self.columns::<S, 8, 1, OFFSETS, RESIDUAL>(first, rows),
                        (true, 2 | 4) => self.columns::<S, 8, 2, OFFSETS, RESIDUAL>(first, rows),
                        (true, _) => self.columns::<S, 8, 3, OFFSETS, RESIDUAL>(first, rows),
                        (false, 1) => self.columns::<S, 4, 1, OFFSETS, RESIDUAL>(first, rows),
                        (false, _) => self.columns::<S, 4, 2, OFFSETS, RESIDUAL>(first, rows),
                    };
                }
            }
        }
    }

    /// Computes pixels, `ROWS` at a time, for `COLUMNS` vectors of channels from `first` on.
    #[inline(always)]
    unsafe fn columns<
        S: Simd,
        const ROWS: usize,
        const COLUMNS: usize,
        const OFFSETS: bool,
        const RESIDUAL: bool,
    >(
        &self,
        first: usize,
        rows: Range<usize>,
    ) -> usize {
        let Pointwise { n_in, weights, sixteen_bits, to_bytes, .. } = self.of;
        let (n_in, n_steps) = (*n_in, n_in / STEP);
        // The vectors are in one block.
        let block = first * S::LANES / BLOCK;
        let lanes: [usize; COLUMNS] =
            std::array::from_fn(|column| (first + column) * S::LANES % BLOCK * STEP);
        let corrections = sixteen_bits.as_ref().map_or(&[][..], |how| &how.corrections[block]);
        let offsets = sixteen_bits.as_ref().and_then(|how| how.offsets.as_ref());
        let offsets = offsets.map_or(weights.as_ptr(), |offsets| {
            offsets.as_ptr().wrapping_add(block * (n_steps / 2) * STEP_BYTES)
        });
        unsafe {
            let columns: [*const u8; COLUMNS] = std::array::from_fn(|column| {
                let channel = (first + column) * S::LANES;
                weights.as_ptr().add((channel / BLOCK) * BLOCK * n_in + (channel % BLOCK) * STEP)
            });
            let bias = to_bytes.bias.as_ptr().add(4 * first * S::LANES);
            let scale = to_bytes.scale.floats().add(first * S::LANES);
            let zero_point = S::repeat_float(to_bytes.zero_point);
            let to: [(*mut u8, usize); COLUMNS] = std::array::from_fn(|column| {
                let channel = (first + column) * S::LANES;
                (self.output.add(self.to.channel(channel)), self.to.pixel(channel))
            });
            for row in rows.step_by(ROWS) {
                self.ahead.tile::<S>();
                let from = self.pixels.as_ptr().add(row * n_in);
                let bias: [S::Int; COLUMNS] =
                    std::array::from_fn(|column| S::load(bias.add(4 * column * S::LANES)));
                let mut sums = [bias; ROWS];
                let n_twice = if S::SUMS_IN_16_BITS { n_steps / 2 } else { 0 };
                for twice in 0..n_twice {
                    sixteen_bits::add_two_steps::<S, ROWS, COLUMNS, OFFSETS>(
                        &mut sums,
                        from.add(twice * 2 * STEP),
                        n_in,
                        columns.map(|weights| weights.add(twice * 2 * STEP_BYTES)),
                        lanes.map(|lane| offsets.add(twice * STEP_BYTES + lane)),
                    );
                }
                for at in 2 * n_twice..n_steps {
                    let weights = columns.map(|column| column.add(at * STEP_BYTES));
                    step::<S, ROWS, COLUMNS>(&mut sums, from.add(at * STEP), n_in, weights);
                }
                for correction in corrections {
                    let weights = lanes.map(|lane| correction.weights.as_ptr().add(lane));
                    step::<S, ROWS, COLUMNS>(&mut sums, from.add(correction.step * STEP), n_in, weights);
                }
                let scale: [S::Float; COLUMNS] =
                    std::array::from_fn(|column| S::load_float(scale.add(column * S::LANES)));
                for sums in &mut sums {
                    for (sum, scale) in sums.iter_mut().zip(scale) {
                        *sum = S::round(S::mul_add(S::to_float(*sum), scale, zero_point));
                    }
                }
                let to = to.map(|(to, pixel)| (to.add((self.start + row) * pixel), pixel));
                self.store::<S, ROWS, COLUMNS, RESIDUAL>(row, first * S::LANES, sums, to);
            }
        }
        COLUMNS
    }

    /// Stores a tile as bytes, after adding the residual: the pixels from `row` and the channels from `channel` on.
    /// Each column of the tile has an address and the distance between its pixels in bytes.
    #[inline(always)]
    unsafe fn store<S: Simd, const ROWS: usize, const COLUMNS: usize, const RESIDUAL: bool>(
        &self,
        row: usize,
        channel: usize,
        mut values: [[S::Int; COLUMNS]; ROWS],
        to: [(*mut u8, usize); COLUMNS],
    ) {
        let n_out = self.of.n_out;
        unsafe {
            if RESIDUAL && let Some((how, residual)) = self.residual {
                let output_factor = S::repeat_float(how.output_factor);
                let (input_factor, constant) =
                    (S::repeat_float(how.input_factor), S::repeat_float(how.constant));
                let place = row * n_out + channel;
                for (row, values) in values.iter_mut().enumerate() {
                    for (column, value) in values.iter_mut().enumerate() {
                        let other = residual.as_ptr().add(place + row * n_out + column * S::LANES);
                        let other = S::mul_add(S::load_bytes_as_float(other), input_factor, constant);
                        let own = S::clamp(S::to_float(*value), 0.0, 255.0);
                        *value = S::round(S::mul_add(own, output_factor, other));
                    }
                }
            }
            if !S::WIDE && COLUMNS == 2 && n_out - channel >= 2 * S::LANES {
                let (to, pixel) = to[0];
                for row in (0..ROWS).step_by(2) {
                    let two = [values[row], values[row + 1]].map(|row| [row[0], row[COLUMNS - 1]]);
                    S::store_two_rows([to.add(row * pixel), to.add((row + 1) * pixel)], two);
                }
                return;
            }
            for (column, (to, pixel)) in to.into_iter().enumerate() {
                let all = n_out - channel - column * S::LANES >= S::LANES;
                for row in (0..ROWS).step_by(4) {
                    let four = std::array::from_fn(|offset| values[row + offset][column]);
                    let to = std::array::from_fn(|offset| to.add((row + offset) * pixel));
                    S::store_rows(to, S::pack(four), all);
                }
            }
        }
    }
}

/// Adds the products of four input channels to the sums of a tile; pixels are `distance` bytes apart.
#[inline(always)]
unsafe fn step<S: Simd, const ROWS: usize, const COLUMNS: usize>(
    sums: &mut [[S::Int; COLUMNS]; ROWS],
    pixels: *const u8,
    distance: usize,
    weights: [*const u8; COLUMNS],
) {
    unsafe {
        let weights = weights.map(|weights| S::load(weights));
        for (row, sums) in sums.iter_mut().enumerate() {
            let pixel = S::repeat(pixels.add(row * distance));
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
        // Numbers of channels that give half a vector, an odd number of steps, and each number of vectors at once.
        for (n_in, n_out, n_pixels) in
            [(16, 96, 16), (24, 24, 8), (40, 88, 24), (88, 8, 8), (144, 208, 8), (12, 64, 8)]
        {
            let mut random = reference::Random::new(n_in * n_out);
            let mut weights = random.weights(n_in * n_out);
            // Large weights are summed with offsets; of small ones a few need corrections.
            if n_in % 16 == 8 {
                for (index, weight) in weights.iter_mut().enumerate().filter(|(index, _)| index % 37 > 1) {
                    *weight /= 4 + (index % 3) as i8;
                }
            }
            let pixels = random.bytes(n_pixels * n_in);
            let (bias, scale) = (random.biases(n_out), random.scales(n_out, n_in));
            let to_bytes = Requantization::new(bias.iter().copied(), scale.iter().copied(), 7);
            let pointwise = Pointwise::new::<S>(&weights, n_in, to_bytes);
            let mut from = Aligned::zeroed(pixels.len());
            from.as_mut_slice().copy_from_slice(&pixels);
            let plain = reference::pointwise(&pixels, &weights, &bias, &scale, 7);
            let group = 4 * S::LANES;
            let last = ((n_out - 1) % group + 1).next_multiple_of(2 * S::LANES);
            let start = 8;
            for layout in [Layout::plain(n_out), Layout::grouped(n_out, group, last, start + n_pixels + 3)] {
                let mut to = Aligned::zeroed(layout.n_bytes(start + n_pixels));
                // SAFETY: `on_each` checks the machine.
                unsafe { pointwise.run::<S>(from.as_slice(), None, (to.as_mut_slice(), layout, start), &[]) };
                let found = layout.collected(to.as_slice(), start + n_pixels);
                assert!(found[..start * n_out].iter().all(|byte| *byte == 0), "pixels before the first");
                assert_eq!(found[start * n_out..], plain, "{n_in} to {n_out}, {layout:?}");
            }

            let how = |scale, zero_point| Quantization { scale, zero_point };
            let residual = Residual::new(how(0.3, 7), how(0.2, 120), how(0.35, 131));
            let (mut other, mut to) = (Aligned::zeroed(plain.len()), Aligned::zeroed(plain.len()));
            other.as_mut_slice().copy_from_slice(&random.bytes(plain.len()));
            unsafe {
                pointwise.run::<S>(
                    from.as_slice(),
                    Some((residual, other.padded(0..other.len()))),
                    (to.as_mut_slice(), Layout::plain(n_out), 0),
                    &[from.as_slice()],
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

    /// Would overflow 16 bits, with the largest weights and bytes.
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
        // SAFETY: `on_each` checks the machine.
        let output = (to.as_mut_slice(), Layout::plain(n_out), 0);
        unsafe { pointwise.run::<S>(from.as_slice(), None, output, &[]) };
        assert_eq!(to.as_slice(), reference::pointwise(&pixels, &weights, &bias, &scale, 0));
        assert_eq!(to.as_slice()[..2], [224, 16]);
    }

    #[test]
    fn large_products_are_exact_on_each_processor() {
        on_each!(large_products_are_exact);
    }
}
