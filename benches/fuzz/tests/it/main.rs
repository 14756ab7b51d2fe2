//! The targets on their corpora and on what a fixed seed makes of them, without libFuzzer.

#![expect(clippy::unwrap_used, reason = "what fails outside a test function fails the test as well")]

mod corpus;
mod mutation;
mod replay;

use partsight_fuzz::Counting;

#[global_allocator]
static MEMORY: Counting = Counting;
