//! Fuzz targets: arbitrary bytes for everything that reads what somebody else sent.
//!
//! The central type is [`Target`]: a plain function over bytes that must not panic, and that checks what has to hold of
//! whatever comes out. The same function runs under libFuzzer (`fuzz_targets/fuzz.rs`) and in an ordinary test, which
//! replays the corpus and mutates it with a fixed seed, so that a fault that was found stays mended on any toolchain.
//!
//! Memory is bounded by [`Counting`], an allocator that refuses what goes over the target's budget; time by libFuzzer's
//! `-timeout`, and never in the test, where a slow machine is no fault.
//!
//! The targets call public functions only, the use cases and the router among them: what they reach is what an
//! attacker reaches. The package stands beside the benchmarks because it reaches every crate and is part of none.
//! How to run it, and what was found: `README.md`.

mod memory;
mod shop;
mod target;
mod targets;

pub use memory::Counting;
pub use target::Target;
