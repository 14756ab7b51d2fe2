//! The vision LLM that gives a second opinion, and what a language model is asked to fill in. Begin with `judge.rs`.

pub(crate) mod fills;
pub(crate) mod judge;
