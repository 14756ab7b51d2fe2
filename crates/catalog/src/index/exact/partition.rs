//! Contiguous storage of rows.

use std::ops::Range;

use partsight_domain::{PartFitments, PartLabel, ReferenceId, VehicleKey};

use super::super::{IndexEntry, may_fit};
use super::kernels::{GROUP, Kernel};
use super::quantise::{Bounds, Coarse, CoarseBounds, Loss, Quantised};

/// Rows per block. Growing moves at most one block, 12 MB with 512 numbers per row; a block is also a unit of work.
const BLOCK_ROWS: usize = 4096;
/// Rows per call of a kernel; their dot products stay in the L1 cache.
const RUN: usize = 64;

/// Padded length of a quantised row: the kernels read whole groups.
pub(super) const fn stride(dimension: usize) -> usize {
    dimension.next_multiple_of(GROUP)
}

/// The rows of one owner, category and kind, unordered.
pub(super) struct Partition {
    dimension: usize,
    blocks: Vec<Block>,
    facts: Vec<Facts>,
}

/// The metadata of a row.
struct Facts {
    id: ReferenceId,
    label: PartLabel,
    /// The parts that it shows.
    parts: Box<[PartFitments]>,
}

/// At most 4,096 rows.
pub(super) struct Block {
    dimension: usize,
    /// f32 `[n, d]`.
    exact: Vec<f32>,
    /// i8 `[n, stride]`.
    bytes: Vec<i8>,
    /// Errors of the bytes, `[n]`.
    losses: Vec<Loss>,
    /// u4 `[n, stride]`, two per byte.
    halves: Vec<u8>,
    /// Errors of the half bytes, `[n]`.
    half_losses: Vec<Loss>,
}

/// A row in all its forms, while it moves from one block to another.
struct Row {
    exact: Vec<f32>,
    bytes: Vec<i8>,
    loss: Loss,
    halves: Vec<u8>,
    half_loss: Loss,
}

/// The precision of the first pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Precision {
    Byte,
    HalfByte,
}

/// A query in the forms that are compared with rows.
pub(super) struct Query {
    bytes: Quantised,
    sum: i32,
    coarse: CoarseBounds,
}

impl Query {
    /// From f32 `[d]` of length 1.
    pub(super) fn new(exact: &[f32]) -> Self {
        let bytes = Quantised::of(exact, stride(exact.len()));
        Self { coarse: CoarseBounds::of(&bytes), sum: bytes.sum(), bytes }
    }
}

impl Partition {
    pub(super) fn new(dimension: usize) -> Self {
        Self { dimension, blocks: Vec::new(), facts: Vec::new() }
    }

    pub(super) fn n_rows(&self) -> usize {
        self.facts.len()
    }

    /// Adds a row and returns its index.
    pub(super) fn push(&mut self, entry: &IndexEntry) -> usize {
        let row = self.facts.len();
        // Blocks instead of one vector, which would copy all rows when it grows, under the write lock.
        if row.is_multiple_of(BLOCK_ROWS) {
            self.blocks.push(Block::new(self.dimension));
        }
        // Quantised once at insertion, since it is read by many searches.
        self.blocks[row / BLOCK_ROWS].push(&entry.embedding);
        self.facts.push(Facts {
            id: entry.id,
            label: entry.label.clone(),
            parts: entry.parts.clone().into(),
        });
        row
    }

    /// Removes a row and moves the last one to its place; returns the id of the moved row.
    pub(super) fn swap_remove(&mut self, row: usize) -> Option<ReferenceId> {
        let last_row = self.facts.len() - 1;
        self.facts.swap_remove(row);
        let last_block = last_row / BLOCK_ROWS;
        if row == last_row {
            self.blocks[last_block].pop();
        } else {
            // Copied through a value, since the two rows may be in different blocks.
            let last = self.blocks[last_block].take_last();
            self.blocks[row / BLOCK_ROWS].replace(row % BLOCK_ROWS, &last);
        }
        if self.blocks[last_block].losses.is_empty() {
            self.blocks.pop();
        }
        (row != last_row).then(|| self.facts[row].id)
    }

    /// The blocks, each with the index of its first row.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (usize, &Block)> {
        self.blocks.iter().enumerate().map(|(index, block)| (index * BLOCK_ROWS, block))
    }

    pub(super) fn id(&self, row: usize) -> ReferenceId {
        self.facts[row].id
    }

    pub(super) fn label(&self, row: usize) -> &PartLabel {
        &self.facts[row].label
    }

    /// Whether a row shows a shop part.
    pub(super) fn shows_part(&self, row: usize) -> bool {
        !self.facts[row].parts.is_empty()
    }

    /// Whether a row matches the vehicle of a filter.
    pub(super) fn may_fit(&self, row: usize, vehicle: &VehicleKey) -> bool {
        may_fit(&self.facts[row].parts, vehicle)
    }

    /// Bounds of a row's score, from its bytes.
    pub(super) fn bounds(&self, row: usize, kernel: Kernel, query: &Query) -> Bounds {
        let (block, row) = (&self.blocks[row / BLOCK_ROWS], row % BLOCK_ROWS);
        let mut dot = [0];
        kernel.dots(&query.bytes.values, query.sum, &block.bytes[block.bytes_range(row)], &mut dot);
        Bounds::of(dot[0], query.bytes.loss, block.losses[row])
    }

    /// Cosine similarity of a row and `query`, f32 `[d]` of length 1.
    pub(super) fn score(&self, row: usize, query: &[f32]) -> f32 {
        dot(self.embedding(row), query)
    }

    /// The embedding of a row, f32 `[d]` of length 1.
    pub(super) fn embedding(&self, row: usize) -> &[f32] {
        self.blocks[row / BLOCK_ROWS].exact_row(row % BLOCK_ROWS)
    }
}

impl Block {
    fn new(dimension: usize) -> Self {
        Self {
            dimension,
            exact: Vec::new(),
            bytes: Vec::new(),
            losses: Vec::new(),
            halves: Vec::new(),
            half_losses: Vec::new(),
        }
    }

    fn push(&mut self, embedding: &[f32]) {
        let stride = stride(self.dimension);
        let (quantised, coarse) = (Quantised::of(embedding, stride), Coarse::of(embedding, stride));
        self.exact.extend_from_slice(embedding);
        self.bytes.extend_from_slice(&quantised.values);
        self.losses.push(quantised.loss);
        self.halves.extend_from_slice(&coarse.packed);
        self.half_losses.push(coarse.loss);
    }

    fn exact_range(&self, row: usize) -> Range<usize> {
        row * self.dimension..(row + 1) * self.dimension
    }

    fn bytes_range(&self, row: usize) -> Range<usize> {
        let stride = stride(self.dimension);
        row * stride..(row + 1) * stride
    }

    fn halves_range(&self, row: usize) -> Range<usize> {
        let width = stride(self.dimension) / 2;
        row * width..(row + 1) * width
    }

    fn exact_row(&self, row: usize) -> &[f32] {
        &self.exact[self.exact_range(row)]
    }

    fn pop(&mut self) {
        self.losses.pop();
        self.half_losses.pop();
        let n_rows = self.losses.len();
        self.exact.truncate(n_rows * self.dimension);
        self.bytes.truncate(n_rows * stride(self.dimension));
        self.halves.truncate(n_rows * stride(self.dimension) / 2);
    }

    fn take_last(&mut self) -> Row {
        let last = self.losses.len() - 1;
        let row = Row {
            exact: self.exact_row(last).to_vec(),
            bytes: self.bytes[self.bytes_range(last)].to_vec(),
            loss: self.losses[last],
            halves: self.halves[self.halves_range(last)].to_vec(),
            half_loss: self.half_losses[last],
        };
        self.pop();
        row
    }

    fn replace(&mut self, at: usize, row: &Row) {
        let (exact, bytes, halves) = (self.exact_range(at), self.bytes_range(at), self.halves_range(at));
        self.exact[exact].copy_from_slice(&row.exact);
        self.bytes[bytes].copy_from_slice(&row.bytes);
        self.losses[at] = row.loss;
        self.halves[halves].copy_from_slice(&row.halves);
        self.half_losses[at] = row.half_loss;
    }

    /// Calls `each` with each row's index and the bounds of its score, from bytes or half bytes.
    pub(super) fn scan(
        &self,
        kernel: Kernel,
        query: &Query,
        precision: Precision,
        mut each: impl FnMut(usize, Bounds),
    ) {
        let values = &query.bytes.values;
        let mut dots = [0; RUN];
        match precision {
            Precision::Byte => {
                // First the kernel for all rows, then the bounds: interleaving them would interrupt the vector
                // instructions.
                let runs = self.bytes.chunks(RUN * values.len()).zip(self.losses.chunks(RUN));
                for (run, (bytes, losses)) in runs.enumerate() {
                    let dots = &mut dots[..losses.len()];
                    kernel.dots(values, query.sum, bytes, dots);
                    for (row, (&dot, &loss)) in dots.iter().zip(losses).enumerate() {
                        each(run * RUN + row, Bounds::of(dot, query.bytes.loss, loss));
                    }
                }
            }
            Precision::HalfByte => {
                let runs = self.halves.chunks(RUN * values.len() / 2).zip(self.half_losses.chunks(RUN));
                for (run, (halves, losses)) in runs.enumerate() {
                    let dots = &mut dots[..losses.len()];
                    kernel.half_dots(values, halves, dots);
                    for (row, (&dot, &loss)) in dots.iter().zip(losses).enumerate() {
                        each(run * RUN + row, query.coarse.of_row(dot, loss));
                    }
                }
            }
        }
    }
}

/// Dot product of two vectors `[d]`, in sixteen partial sums, which the compiler keeps in vector registers.
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    const LANES: usize = 16;
    // A single sum would wait for itself at each step, and the compiler may not reorder it.
    let mut sums = [0.0_f32; LANES];
    let (a_runs, b_runs) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f32 = a_runs.remainder().iter().zip(b_runs.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a_runs.zip(b_runs) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    sums.iter().sum::<f32>() + rest
}
