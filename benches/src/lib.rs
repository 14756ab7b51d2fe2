//! Speed of the steps that a scan goes through, measured with criterion.
//!
//! `load` is another thing: it sends requests to a running server at a fixed rate.
//!
//! The benchmarks stand in `benches/benches`, one file for each path; this library draws the references of one
//! of them. They make their own data, so that a figure can be measured again on any machine:
//! `cargo bench -p partsight-benches --bench photo_path`.

pub mod references;
