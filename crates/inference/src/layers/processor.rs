//! Our own kernels for transformers on a CPU, several times as fast as candle: matrix products with packed weights,
//! activations, and attention.
//! See docs/decisions/0150-own-f32-product.md.

#[expect(
    clippy::inline_always,
    reason = "functions that are not inlined are compiled without the instructions"
)]
mod activations;
#[expect(unsafe_code, reason = "kernels write to separate columns of shared rows")]
#[expect(
    clippy::inline_always,
    reason = "functions that are not inlined are compiled without the instructions"
)]
mod attention;
#[expect(unsafe_code, reason = "kernels load vectors by address")]
#[expect(
    clippy::inline_always,
    reason = "functions that are not inlined are compiled without the instructions"
)]
mod product;

pub(super) use attention::attend;
pub(super) use product::Packed;
