//! The built program as people run it, and the arrows between the crates.
//!
//! Each test runs the program in a folder of its own, without the settings of whoever runs the tests.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "what fails outside a test function fails the test as well"
)]

mod admin;
mod admin_contact;
mod admin_key;
mod architecture;
mod backup;
mod bench;
mod catalog;
mod decoding;
mod doctor;
mod eval;
mod hugging_face;
mod mail_tls;
mod mcp;
mod migrate;
mod model;
mod models;
mod models_teaching;
mod models_vision;
mod photographs;
mod program;
mod rooms;
mod scan;
mod scan_bulk;
mod scan_formats;
mod serve;
mod settings;
mod traces;
mod vehicles;

pub(crate) use partsight_test_support::{onnx_graph, postgres, qdrant_server, smtp_server};
pub(crate) use program::{Outcome, Program, golden, repository};
