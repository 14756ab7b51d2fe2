//! What the tests of several crates share: outside services on this machine that speak the real protocols, and
//! databases of their own. For `[dev-dependencies]` alone.
//!
//! The services take their connections through a [`recorder`], which fails the test where something has left the
//! program that must not. What a machine may lack is asked for with [`is_missing`].

#![expect(
    missing_docs,
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    clippy::panic,
    reason = "only tests call it, and what goes wrong in it fails the test"
)]

pub mod fake_ebay;
pub mod fake_judge;
pub mod onnx_graph;
pub mod postgres;
pub mod process;
pub mod qdrant_server;
pub mod recorder;
pub mod smtp_server;

/// Says that a test is skipped because this machine lacks something. Where `CI` is set, which is to test everything,
/// the test fails instead.
///
/// Photographs and original data that the repository does not hold may be absent there as well: tests of those only
/// print why they are skipped.
///
/// # Panics
/// Where `CI` is set.
#[track_caller]
pub fn is_missing(what: &str) {
    assert!(std::env::var_os("CI").is_none(), "CI must have what its tests need: {what}");
    eprintln!("skipped: {what}");
}
