//! Attention of all heads on a CPU: two products per head, with a softmax between them.

use candle_core::{CpuStorage, CustomOp3, Error, Layout, Result as CandleResult, Shape, Tensor};
use rayon::prelude::*;

use super::{
    activations::exp,
    product::{MOST_COLUMNS, Outputs, sums, tile, tiled},
};
use crate::simd::{Instructions, Kernel, Simd, with_family};

/// `softmax(Q K^T / sqrt(width / heads)) V` of queries `[n, q, width]`, keys and values `[n, k, width]`, as
/// `[n, q, width]`; the width is divided among the heads.
pub(crate) fn attend(
    [queries, keys, values]: [&Tensor; 3],
    n_heads: usize,
    instructions: Instructions,
) -> CandleResult<Tensor> {
    assert!(instructions.are_there(), "BUG: instructions that the processor lacks");
    let attention = Attention { n_heads, instructions };
    queries.contiguous()?.apply_op3_no_bwd(&keys.contiguous()?, &values.contiguous()?, &attention)
}

/// Attention as a candle operation.
struct Attention {
    n_heads: usize,
    instructions: Instructions,
}

impl CustomOp3 for Attention {
    fn name(&self) -> &'static str {
        "attention"
    }

    fn cpu_fwd(
        &self,
        queries: &CpuStorage,
        queries_layout: &Layout,
        keys: &CpuStorage,
        keys_layout: &Layout,
        values: &CpuStorage,
        values_layout: &Layout,
    ) -> CandleResult<(CpuStorage, Shape)> {
        let (n, n_queries, width) = queries_layout.shape().dims3()?;
        let (_, n_keys, _) = keys_layout.shape().dims3()?;
        let fits = [keys_layout, values_layout].iter().all(|layout| layout.dims() == [n, n_keys, width]);
        if !fits || n_keys == 0 || self.n_heads == 0 || !width.is_multiple_of(self.n_heads) {
            return Err(Error::Msg("queries, keys and values do not fit each other".to_owned()));
        }
        let (queries, keys, values) =
            (numbers(queries, queries_layout)?, numbers(keys, keys_layout)?, numbers(values, values_layout)?);
        let mut outputs = vec![0.0; n * n_queries * width];
        let to = Outputs(outputs.as_mut_ptr());
        (0..n * self.n_heads).into_par_iter().for_each(|index| {
            let (image, head) = (index / self.n_heads, index % self.n_heads);
            let of_image = |all, n_tokens: usize| Rows {
                numbers: &<[f32]>::as_ref(all)[image * n_tokens * width..][..n_tokens * width],
                width,
                first: head * (width / self.n_heads),
                head_width: width / self.n_heads,
            };
            let head = Head {
                queries: of_image(queries, n_queries),
                keys: of_image(keys, n_keys),
                values: of_image(values, n_keys),
                outputs: &to,
                first_output: image * n_queries * width,
                instructions: self.instructions,
            };
            // SAFETY: `attend` has checked the machine for the instructions. Each head writes to its own columns.
            unsafe { with_family!(self.instructions, S => S::run(head)) }
        });
        Ok((CpuStorage::F32(outputs), (n, n_queries, width).into()))
    }
}

fn numbers<'a>(storage: &'a CpuStorage, layout: &Layout) -> CandleResult<&'a [f32]> {
    match layout.contiguous_offsets() {
        Some((begin, end)) => Ok(&storage.as_slice::<f32>()?[begin..end]),
        None => Err(Error::Msg("the inputs of attention do not lie together".to_owned())),
    }
}

/// The columns of one head in the tokens of one image.
struct Rows<'a> {
    /// `[tokens, width]`.
    numbers: &'a [f32],
    width: usize,
    first: usize,
    head_width: usize,
}

impl Rows<'_> {
    fn iter(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        self.numbers.chunks_exact(self.width).map(|token| &token[self.first..][..self.head_width])
    }
}

/// One head of one image.
struct Head<'a> {
    queries: Rows<'a>,
    keys: Rows<'a>,
    values: Rows<'a>,
    outputs: &'a Outputs,
    /// Offset of the image's outputs.
    first_output: usize,
    instructions: Instructions,
}

impl Kernel for Head<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            if S::WIDE {
                self.all::<S, 12>();
            } else {
                self.all::<S, 6>();
            }
        }
    }
}

impl Head<'_> {
    /// # Safety
    /// As for [`Kernel::run`]; a tile has `ROWS` rows.
    #[inline(always)]
    unsafe fn all<S: Simd, const ROWS: usize>(&self) {
        let (rows, columns) = tile(self.instructions);
        let (n_queries, n_keys, head_width) =
            (self.queries.iter().len(), self.keys.iter().len(), self.keys.head_width);
        let scale = 1.0 / (head_width as f32).sqrt();
        let queries: Vec<f32> = self.queries.iter().flatten().map(|number| number * scale).collect();
        let queries = tiled(&queries, head_width, rows);
        // `[panel][head width][key]`
        let mut keys = vec![0.0; n_keys.next_multiple_of(columns) * head_width];
        for (number, key) in self.keys.iter().enumerate() {
            let panel = &mut keys[number / columns * columns * head_width..];
            for (place, value) in key.iter().enumerate() {
                panel[place * columns + number % columns] = *value;
            }
        }
        // `[panel][key][column]`
        let mut values = vec![0.0; n_keys * head_width.next_multiple_of(columns)];
        for (number, value) in self.values.iter().enumerate() {
            for (panel, part) in value.chunks(columns).enumerate() {
                values[(panel * n_keys + number) * columns..][..part.len()].copy_from_slice(part);
            }
        }
        let none = [0.0; MOST_COLUMNS];
        let mut products = [[0.0_f32; MOST_COLUMNS]; ROWS];
        let mut weights = vec![0.0; ROWS * n_keys.next_multiple_of(columns)];
        let stride = n_keys.next_multiple_of(columns);
        let mut tiled_weights = vec![0.0; ROWS * n_keys];
        for (number, queries) in queries.chunks_exact(ROWS * head_width).enumerate() {
            for (panel, keys) in keys.chunks_exact(columns * head_width).enumerate() {
                // SAFETY: all slices have the lengths that `sums` reads and writes.
                unsafe { sums::<S, ROWS>(keys, queries, &none, head_width, &mut products) };
                for (products, weights) in products.iter().zip(weights.chunks_exact_mut(stride)) {
                    weights[panel * columns..][..columns].copy_from_slice(&products[..columns]);
                }
            }
            for (row, weights) in weights.chunks_exact_mut(stride).enumerate() {
                let weights = &mut weights[..n_keys];
                softmax(weights);
                for (weight, column) in weights.iter().zip(tiled_weights.chunks_exact_mut(ROWS)) {
                    column[row] = *weight;
                }
            }
            let n_rows = ROWS.min(n_queries - number * ROWS);
            for (panel, values) in values.chunks_exact(columns * n_keys).enumerate() {
                // SAFETY: as above.
                unsafe { sums::<S, ROWS>(values, &tiled_weights, &none, n_keys, &mut products) };
                let n_columns = columns.min(head_width - panel * columns);
                for (row, products) in products.iter().take(n_rows).enumerate() {
                    let at =
                        (number * ROWS + row) * self.queries.width + self.queries.first + panel * columns;
                    // SAFETY: the row and the head's columns lie within the outputs, and no other thread writes
                    // them.
                    unsafe {
                        let to = self.outputs.0.add(self.first_output + at);
                        to.copy_from_nonoverlapping(products.as_ptr(), n_columns);
                    }
                }
            }
        }
    }
}

/// Attention weights, which sum to 1.
#[inline(always)]
fn softmax(values: &mut [f32]) {
    // `f32::max` is not vectorised because of its rule for NaN; a NaN input still makes the sum NaN.
    let greatest = values.iter().fold(f32::NEG_INFINITY, |a, &b| if b > a { b } else { a });
    for value in &mut *values {
        *value = exp(*value - greatest);
    }
    let sum: f32 = values.iter().sum();
    for value in values {
        *value /= sum;
    }
}

#[cfg(test)]
mod tests {
    use candle_core::Device;
    use candle_nn::ops;

    use super::*;

    #[test]
    fn heads_are_mixed_as_defined() {
        for instructions in Instructions::ALL.into_iter().filter(|instructions| instructions.are_there()) {
            for (n, n_queries, n_keys, n_heads, head_width) in
                [(1, 1, 1, 1, 3), (2, 50, 50, 3, 64), (1, 1, 35, 2, 20), (2, 70, 33, 1, 40)]
            {
                let width = n_heads * head_width;
                let tensor = |n_tokens: usize, step: usize| {
                    let value = |index: usize| ((index * step % 103) as f32 - 51.0) / 20.0;
                    let values = (0..n * n_tokens * width).map(value).collect();
                    Tensor::from_vec(values, (n, n_tokens, width), &Device::Cpu).unwrap()
                };
                let (queries, keys, values) = (tensor(n_queries, 37), tensor(n_keys, 29), tensor(n_keys, 53));
                let heads = |tensor: &Tensor| {
                    let n_tokens = tensor.dim(1).unwrap();
                    let heads = tensor.reshape((n, n_tokens, n_heads, head_width)).unwrap();
                    heads.transpose(1, 2).unwrap().contiguous().unwrap()
                };
                let logits = heads(&queries).matmul(&heads(&keys).t().unwrap()).unwrap();
                let logits = (logits / (head_width as f64).sqrt()).unwrap();
                let mixed = ops::softmax_last_dim(&logits).unwrap().matmul(&heads(&values)).unwrap();
                let expected = mixed.transpose(1, 2).unwrap().reshape((n, n_queries, width)).unwrap();
                let found = attend([&queries, &keys, &values], n_heads, instructions).unwrap();
                let difference = (expected - found).unwrap().abs().unwrap().max_all().unwrap();
                assert!(
                    difference.to_scalar::<f32>().unwrap() < 1e-5,
                    "{instructions} {n_queries} {difference}"
                );
            }
        }
    }
}
