//! Rows that lie together.

use std::ops::Range;

use partsight_domain::{Fitment, PartLabel, ReferenceId};

use super::super::IndexEntry;
use super::kernels::Kernel;
use super::quantise::{Bounds, Loss, Quantised};

/// Rows of a block. Growing moves at most one block, 10 MB at 512 numbers, and a block is a unit of work.
const BLOCK_ROWS: usize = 4096;
/// Rows whose bytes are multiplied at a time; their dot products stay in the nearest cache.
const RUN: usize = 64;

/// Bytes of a quantised row: the kernels read 64 at a time.
pub(super) const fn stride(dimension: usize) -> usize {
    dimension.next_multiple_of(64)
}

/// The rows of one owner, category and kind, in no order.
pub(super) struct Partition {
    dimension: usize,
    blocks: Vec<Block>,
    facts: Vec<Facts>,
}

/// What is known of a row beside its embedding.
struct Facts {
    id: ReferenceId,
    label: PartLabel,
    /// Make and model as they are compared.
    fitment: Option<Box<Fitment>>,
}

/// At most 4,096 rows.
pub(super) struct Block {
    dimension: usize,
    /// f32 `[n, d]`.
    exact: Vec<f32>,
    /// i8 `[n, stride]`.
    bytes: Vec<i8>,
    /// `[n]`.
    losses: Vec<Loss>,
}

impl Partition {
    pub(super) fn new(dimension: usize) -> Self {
        Self { dimension, blocks: Vec::new(), facts: Vec::new() }
    }

    pub(super) fn n_rows(&self) -> usize {
        self.facts.len()
    }

    /// Adds a row and returns its number.
    pub(super) fn push(&mut self, entry: &IndexEntry) -> usize {
        let row = self.facts.len();
        if row.is_multiple_of(BLOCK_ROWS) {
            self.blocks.push(Block::new(self.dimension));
        }
        self.blocks[row / BLOCK_ROWS].push(&entry.embedding);
        self.facts.push(Facts {
            id: entry.id,
            label: entry.label.clone(),
            fitment: entry.fitment.as_ref().map(|fitment| {
                Box::new(Fitment {
                    make: Fitment::normalised(&fitment.make),
                    model: fitment.model.as_deref().map(Fitment::normalised),
                    ..fitment.clone()
                })
            }),
        });
        row
    }

    /// Takes a row out and puts the last one in its place; returns the id of that one.
    pub(super) fn swap_remove(&mut self, row: usize) -> Option<ReferenceId> {
        let last_row = self.facts.len() - 1;
        self.facts.swap_remove(row);
        let last_block = last_row / BLOCK_ROWS;
        if row == last_row {
            self.blocks[last_block].pop();
        } else {
            let (exact, bytes, loss) = self.blocks[last_block].take_last();
            self.blocks[row / BLOCK_ROWS].replace(row % BLOCK_ROWS, &exact, &bytes, loss);
        }
        if self.blocks[last_block].losses.is_empty() {
            self.blocks.pop();
        }
        (row != last_row).then(|| self.facts[row].id)
    }

    /// The blocks, each with the number of its first row.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (usize, &Block)> {
        self.blocks.iter().enumerate().map(|(index, block)| (index * BLOCK_ROWS, block))
    }

    pub(super) fn id(&self, row: usize) -> ReferenceId {
        self.facts[row].id
    }

    pub(super) fn label(&self, row: usize) -> &PartLabel {
        &self.facts[row].label
    }

    /// Whether a row fits a vehicle, whose make and model are as they are compared.
    pub(super) fn fits(&self, row: usize, make: &str, model: &str, year: u16) -> bool {
        self.facts[row].fitment.as_ref().is_none_or(|fitment| {
            fitment.make == make
                && fitment.model.as_deref().is_none_or(|fitting| fitting == model)
                && fitment.first_year.is_none_or(|first| first <= year)
                && fitment.last_year.is_none_or(|last| year <= last)
        })
    }

    /// Cosine similarity of a row and `query`, f32 `[d]` of length 1.
    pub(super) fn score(&self, row: usize, query: &[f32]) -> f32 {
        dot(self.blocks[row / BLOCK_ROWS].exact_row(row % BLOCK_ROWS), query)
    }
}

impl Block {
    fn new(dimension: usize) -> Self {
        Self { dimension, exact: Vec::new(), bytes: Vec::new(), losses: Vec::new() }
    }

    fn push(&mut self, embedding: &[f32]) {
        let quantised = Quantised::of(embedding, stride(self.dimension));
        self.exact.extend_from_slice(embedding);
        self.bytes.extend_from_slice(&quantised.values);
        self.losses.push(quantised.loss);
    }

    fn exact_range(&self, row: usize) -> Range<usize> {
        row * self.dimension..(row + 1) * self.dimension
    }

    fn bytes_range(&self, row: usize) -> Range<usize> {
        let stride = stride(self.dimension);
        row * stride..(row + 1) * stride
    }

    fn exact_row(&self, row: usize) -> &[f32] {
        &self.exact[self.exact_range(row)]
    }

    fn pop(&mut self) {
        self.losses.pop();
        self.exact.truncate(self.losses.len() * self.dimension);
        self.bytes.truncate(self.losses.len() * stride(self.dimension));
    }

    fn take_last(&mut self) -> (Vec<f32>, Vec<i8>, Loss) {
        let last = self.losses.len() - 1;
        let exact = self.exact_row(last).to_vec();
        let bytes = self.bytes[self.bytes_range(last)].to_vec();
        let loss = self.losses[last];
        self.pop();
        (exact, bytes, loss)
    }

    fn replace(&mut self, row: usize, exact: &[f32], bytes: &[i8], loss: Loss) {
        let (exact_range, bytes_range) = (self.exact_range(row), self.bytes_range(row));
        self.exact[exact_range].copy_from_slice(exact);
        self.bytes[bytes_range].copy_from_slice(bytes);
        self.losses[row] = loss;
    }

    /// Hands each row's number and the bounds of its score to `each`.
    pub(super) fn scan(&self, kernel: Kernel, query: &Quantised, mut each: impl FnMut(usize, Bounds)) {
        let mut dots = [0; RUN];
        let runs = self.bytes.chunks(RUN * query.values.len()).zip(self.losses.chunks(RUN));
        for (run, (bytes, losses)) in runs.enumerate() {
            let dots = &mut dots[..losses.len()];
            kernel.dots(&query.values, bytes, dots);
            for (row, (&dot, &loss)) in dots.iter().zip(losses).enumerate() {
                each(run * RUN + row, Bounds::of(dot, query.loss, loss));
            }
        }
    }
}

/// Dot product of two vectors `[d]`, in sixteen sums, which the compiler keeps in vector registers.
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    const LANES: usize = 16;
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
