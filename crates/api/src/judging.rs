//! The vision LLM that gives a second opinion, and the facts that a language model fills in. Begin with `judge.rs`.

pub(crate) mod fills;
pub(crate) mod judge;
