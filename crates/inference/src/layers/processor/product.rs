//! Products of many rows with one packed matrix of weights.
//!
//! A tile of 12 or 6 rows and two vectors of outputs stays in registers while the inputs are added column by
//! column; the weights of a tile are read from memory once and then from the cache (Goto and van de Geijn 2008,
//! <https://doi.org/10.1145/1356052.1356053>).

use std::fmt;

use candle_core::{CpuStorage, CustomOp1, Error, Layout, Result as CandleResult, Shape, Tensor};
use rayon::prelude::*;

use super::activations::activate;
use crate::{
    network_config::Activation,
    simd::{Instructions, Kernel, Simd, with_family},
};

/// Vectors of outputs per tile.
pub(super) const VECTORS: usize = 2;
/// Outputs of the widest tile.
pub(super) const MOST_COLUMNS: usize = VECTORS * 16;
/// Rows that are packed into tiles at a time; the weights are read from memory once for all of them.
const MOST_ROWS: usize = 480;
/// Products with fewer multiplications stay on one thread: waking another takes as long.
const WORTH_A_THREAD: usize = 1 << 20;

/// Weights and bias in panels of the width of a tile: `[panel][in][column]`, zero-padded.
pub(crate) struct Packed {
    panels: Vec<f32>,
    bias: Vec<f32>,
    n_in: usize,
    n_out: usize,
    instructions: Instructions,
}

impl fmt::Debug for Packed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Packed")
            .field("n_in", &self.n_in)
            .field("n_out", &self.n_out)
            .finish_non_exhaustive()
    }
}

impl Packed {
    /// From weights `[out, in]` and a bias `[out]`, for a processor with these instructions.
    pub(crate) fn new(
        weights: &Tensor,
        bias: Option<&Tensor>,
        instructions: Instructions,
    ) -> CandleResult<Self> {
        assert!(instructions.are_there(), "BUG: instructions that the processor lacks");
        let (n_out, n_in) = weights.dims2()?;
        let columns = tile(instructions).1;
        let mut panels = vec![0.0; n_out.next_multiple_of(columns) * n_in];
        let weights = weights.flatten_all()?.to_vec1::<f32>()?;
        for (output, row) in weights.chunks_exact(n_in.max(1)).enumerate() {
            let panel = &mut panels[output / columns * columns * n_in..];
            for (input, weight) in row.iter().enumerate() {
                panel[input * columns + output % columns] = *weight;
            }
        }
        let mut bias = bias.map_or_else(|| Ok(vec![0.0; n_out]), Tensor::to_vec1::<f32>)?;
        bias.resize(n_out.next_multiple_of(columns), 0.0);
        Ok(Self { panels, bias, n_in, n_out, instructions })
    }

    /// `[..., in]` to `[..., out]`.
    pub(crate) fn forward(&self, inputs: &Tensor, activation: Option<Activation>) -> CandleResult<Tensor> {
        inputs.contiguous()?.apply_op1_no_bwd(&Product { packed: self, activation })
    }

    fn multiply(&self, inputs: &[f32], activation: Option<Activation>) -> Vec<f32> {
        let n_rows = inputs.len() / self.n_in;
        let mut outputs = vec![0.0; n_rows * self.n_out];
        let (rows, columns) = tile(self.instructions);
        for (inputs, outputs) in
            inputs.chunks(MOST_ROWS * self.n_in).zip(outputs.chunks_mut(MOST_ROWS * self.n_out))
        {
            let tiled = tiled(inputs, self.n_in, rows);
            let to = Outputs(outputs.as_mut_ptr());
            let n_panels = self.bias.len() / columns;
            let run = |panel: usize| {
                let strip = Strip {
                    packed: self,
                    panel,
                    tiled: &tiled,
                    n_rows: inputs.len() / self.n_in,
                    outputs: &to,
                    activation,
                };
                // SAFETY: `new` has checked the machine for the instructions. Each strip writes to its own columns.
                unsafe { with_family!(self.instructions, S => S::run(strip)) }
            };
            if inputs.len() * self.n_out < WORTH_A_THREAD {
                (0..n_panels).for_each(run);
            } else {
                (0..n_panels).into_par_iter().for_each(run);
            }
        }
        outputs
    }
}

/// Rows and columns of a tile: as many as fit in the registers beside a row of weights.
pub(super) const fn tile(instructions: Instructions) -> (usize, usize) {
    with_family!(instructions, S => (if S::WIDE { 12 } else { 6 }, VECTORS * S::LANES))
}

/// Packs rows `[n, in]` as `[n / rows][in][row]`, zero-padded.
pub(super) fn tiled(inputs: &[f32], n_in: usize, rows: usize) -> Vec<f32> {
    let n_rows = inputs.len() / n_in;
    let mut all = vec![0.0; n_rows.next_multiple_of(rows) * n_in];
    for (inputs, tile) in inputs.chunks(rows * n_in).zip(all.chunks_exact_mut(rows * n_in)) {
        for (place, row) in inputs.chunks_exact(n_in).enumerate() {
            for (value, column) in row.iter().zip(tile.chunks_exact_mut(rows)) {
                column[place] = *value;
            }
        }
    }
    all
}

/// Output buffer to which several threads write, each to its own columns.
pub(super) struct Outputs(pub(super) *mut f32);

// SAFETY: the code that runs several kernels at once assigns different columns to each.
unsafe impl Sync for Outputs {}

/// The outputs of one panel for all rows.
struct Strip<'a> {
    packed: &'a Packed,
    panel: usize,
    /// In the order of [`tiled`].
    tiled: &'a [f32],
    n_rows: usize,
    /// `[rows, out]`.
    outputs: &'a Outputs,
    activation: Option<Activation>,
}

impl Kernel for Strip<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            if S::WIDE {
                self.tiles::<S, 12>();
            } else {
                self.tiles::<S, 6>();
            }
        }
    }
}

impl Strip<'_> {
    /// # Safety
    /// As for [`Kernel::run`]; the rows are in tiles of `ROWS`.
    #[inline(always)]
    unsafe fn tiles<S: Simd, const ROWS: usize>(&self) {
        let Packed { panels, bias, n_in, n_out, .. } = self.packed;
        let columns = VECTORS * S::LANES;
        let first = self.panel * columns;
        let n_columns = columns.min(n_out - first);
        let weights = &panels[first * n_in..][..columns * n_in];
        let bias = &bias[first..][..columns];
        // As wide as the widest tile.
        let mut values = [[0.0_f32; MOST_COLUMNS]; ROWS];
        for (number, inputs) in self.tiled.chunks_exact(ROWS * n_in).enumerate() {
            // SAFETY: all slices have the lengths that `sums` reads and writes.
            unsafe { sums::<S, ROWS>(weights, inputs, bias, *n_in, &mut values) };
            let n_rows = ROWS.min(self.n_rows - number * ROWS);
            for (row, values) in values.iter_mut().take(n_rows).enumerate() {
                let values = &mut values[..columns];
                if let Some(activation) = self.activation {
                    activate(values, activation);
                }
                // SAFETY: the row and its columns lie within the outputs, and no other thread writes them.
                unsafe {
                    let to = self.outputs.0.add((number * ROWS + row) * n_out + first);
                    to.copy_from_nonoverlapping(values.as_ptr(), n_columns);
                }
            }
        }
    }
}

/// Computes one tile: weights `[in][column]`, inputs `[in][row]`, bias `[column]`.
///
/// # Safety
/// As for [`Kernel::run`]; the slices have at least these lengths.
#[inline(always)]
pub(super) unsafe fn sums<S: Simd, const ROWS: usize>(
    weights: &[f32],
    inputs: &[f32],
    bias: &[f32],
    n_in: usize,
    values: &mut [[f32; MOST_COLUMNS]; ROWS],
) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let at_first = [S::load_float(bias.as_ptr()), S::load_float(bias.as_ptr().add(S::LANES))];
        let mut sums = [at_first; ROWS];
        let (mut weights, mut inputs) = (weights.as_ptr(), inputs.as_ptr());
        for _ in 0..n_in {
            let column = [S::load_float(weights), S::load_float(weights.add(S::LANES))];
            for (row, sums) in sums.iter_mut().enumerate() {
                let input = S::repeat_float(*inputs.add(row));
                sums[0] = S::mul_add(input, column[0], sums[0]);
                sums[1] = S::mul_add(input, column[1], sums[1]);
            }
            weights = weights.add(VECTORS * S::LANES);
            inputs = inputs.add(ROWS);
        }
        for (sums, values) in sums.iter().zip(values) {
            S::store_float(values.as_mut_ptr(), sums[0]);
            S::store_float(values.as_mut_ptr().add(S::LANES), sums[1]);
        }
    }
}

/// The product as a candle operation.
struct Product<'a> {
    packed: &'a Packed,
    activation: Option<Activation>,
}

impl CustomOp1 for Product<'_> {
    fn name(&self) -> &'static str {
        "dense"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> CandleResult<(CpuStorage, Shape)> {
        let Some((begin, end)) = layout.contiguous_offsets() else {
            return Err(Error::Msg("the inputs of a dense layer do not lie together".to_owned()));
        };
        let Packed { n_in, n_out, .. } = self.packed;
        let mut dims = layout.dims().to_vec();
        match dims.last_mut() {
            Some(last) if last == n_in => *last = *n_out,
            _ => return Err(Error::Msg(format!("a dense layer of {n_in} inputs got {dims:?}"))),
        }
        let outputs = self.packed.multiply(&storage.as_slice::<f32>()?[begin..end], self.activation);
        Ok((CpuStorage::F32(outputs), dims.into()))
    }
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::*;

    #[test]
    fn all_instructions_give_the_sums_of_plain_loops() {
        for instructions in Instructions::ALL.into_iter().filter(|instructions| instructions.are_there()) {
            for (n_rows, n_in, n_out) in [(1, 3, 1), (13, 5, 31), (MOST_ROWS + 7, 9, 40), (250, 64, 80)] {
                let value = |index: usize| ((index * 29 % 17) as f32 - 8.0) / 8.0;
                let inputs: Vec<f32> = (0..n_rows * n_in).map(value).collect();
                let weights: Vec<f32> = (0..n_out * n_in).map(|index| value(index + 5)).collect();
                let bias: Vec<f32> = (0..n_out).map(|index| value(index + 3)).collect();
                let tensor = |values: &[f32], shape: &[usize]| {
                    Tensor::from_slice(values, shape, &Device::Cpu).unwrap()
                };
                let packed = Packed::new(
                    &tensor(&weights, &[n_out, n_in]),
                    Some(&tensor(&bias, &[n_out])),
                    instructions,
                );
                let found = packed.unwrap().multiply(&inputs, None);
                let expected = inputs.chunks(n_in).flat_map(|row| {
                    let sum = |(weights, bias): (&[f32], &f32)| {
                        bias + row.iter().zip(weights).map(|(input, weight)| input * weight).sum::<f32>()
                    };
                    weights.chunks(n_in).zip(&bias).map(sum)
                });
                // Multiples of 1/8, whose products and sums are exact in any order.
                assert_eq!(found, expected.collect::<Vec<f32>>(), "{instructions} {n_rows} {n_in} {n_out}");
            }
        }
    }

    #[test]
    fn inputs_of_another_width_are_refused() {
        let weights = Tensor::zeros((4, 3), candle_core::DType::F32, &Device::Cpu).unwrap();
        let packed = Packed::new(&weights, None, Instructions::of_this_machine().unwrap()).unwrap();
        let inputs = Tensor::zeros((2, 4), candle_core::DType::F32, &Device::Cpu).unwrap();
        assert!(packed.forward(&inputs, None).is_err());
    }
}
