//! What processors with kernels of ours compute of a transformer by kernels of our own, several times as quickly as candle: products
//! of many rows with weights that were packed for it, what follows them, and attention.
//! See docs/decisions/0150-own-f32-product.md.

#[expect(clippy::inline_always, reason = "what is not inlined is compiled without the instructions")]
mod activations;
#[expect(unsafe_code, reason = "kernels write to columns of shared rows")]
#[expect(clippy::inline_always, reason = "what is not inlined is compiled without the instructions")]
mod attention;
#[expect(unsafe_code, reason = "kernels load vectors by address")]
#[expect(clippy::inline_always, reason = "what is not inlined is compiled without the instructions")]
mod product;

pub(super) use attention::attend;
pub(super) use product::Packed;
