//! The whole network: its layers in order, and their buffers.

use std::collections::HashMap;

use super::{
    aligned::Aligned,
    block::{self, Block},
    depthwise,
    head::Head,
    layout::Layout,
    pointwise::Pointwise,
    stem::{self, Stem},
};
use crate::simd::Simd;

/// A network of the `MobileNet` and `EfficientNet`-Lite families.
pub(super) struct Network {
    /// Size of the image; both are multiples of 16.
    pub(super) height: usize,
    pub(super) width: usize,
    pub(super) stem: Stem,
    pub(super) blocks: Vec<Block>,
    pub(super) last: Pointwise,
    pub(super) head: Head,
}

/// Buffers that are reused from run to run.
pub(super) struct Memory {
    stem: stem::Scratch,
    block: block::Scratch,
    columns: Vec<depthwise::Scratch>,
    input: Aligned,
    output: Aligned,
}

impl Network {
    pub(super) fn memory(&self) -> Memory {
        let mut width = self.width / 2;
        let columns = self
            .blocks
            .iter()
            .map(|block| {
                let columns = block.depthwise.scratch(width);
                width /= block.depthwise.stride();
                columns
            })
            .collect();
        let largest = self.sizes().max().unwrap_or(0);
        Memory {
            stem: self.stem.scratch(self.width),
            block: block::Scratch::default(),
            columns,
            input: Aligned::zeroed(largest),
            output: Aligned::zeroed(largest),
        }
    }

    /// Bytes of the outputs of the stem, of each block and of the last convolution.
    fn sizes(&self) -> impl Iterator<Item = usize> {
        let mut n_pixels = self.height * self.width / 4;
        let first = n_pixels * self.stem.n_out();
        let blocks: Vec<usize> = self
            .blocks
            .iter()
            .map(|block| {
                n_pixels /= block.depthwise.stride().pow(2);
                n_pixels * block.narrow.n_out()
            })
            .collect();
        let last = n_pixels * self.last.n_out();
        std::iter::once(first).chain(blocks).chain([last])
    }

    /// The named tensors of the head for an image f32 `[3, height, width]`.
    ///
    /// # Safety
    /// The processor has the instructions of `S`.
    pub(super) unsafe fn run<S: Simd>(&self, image: &[f32], memory: &mut Memory) -> HashMap<&str, Vec<f32>> {
        let mut sizes = self.sizes();
        let (mut height, mut width) = (self.height / 2, self.width / 2);
        let mut n_bytes = sizes.next().unwrap_or(0);
        let Memory { stem, block: scratch, columns, input, output } = memory;
        unsafe {
            self.stem.run::<S>(image, self.width, stem, &mut input.as_mut_slice()[..n_bytes]);
            for ((block, columns), size) in self.blocks.iter().zip(columns).zip(&mut sizes) {
                block.run::<S>(
                    input.padded(0..n_bytes),
                    (height, width),
                    scratch,
                    columns,
                    &mut output.as_mut_slice()[..size],
                );
                height /= block.depthwise.stride();
                width /= block.depthwise.stride();
                n_bytes = size;
                std::mem::swap(input, output);
            }
            let size = sizes.next().unwrap_or(0);
            let pixels = &mut output.as_mut_slice()[..size];
            let to = (&mut *pixels, Layout::plain(self.last.n_out()), 0);
            self.last.run::<S>(&input.as_slice()[..n_bytes], None, to, &self.head.weights());
            self.head.run::<S>(pixels, self.last.n_out())
        }
    }
}
