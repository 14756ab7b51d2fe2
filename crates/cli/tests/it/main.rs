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
mod catalog;
mod eval;
mod hugging_face;
mod mail_tls;
mod migrate;
mod model;
mod models;
#[path = "../../../inference/tests/it/onnx_graph.rs"]
mod onnx_graph;
mod photographs;
#[path = "../../../store/tests/it/postgres.rs"]
mod postgres;
mod program;
#[expect(dead_code, reason = "shared with tests that ask more of it")]
#[path = "../../../catalog/tests/it/qdrant_server.rs"]
mod qdrant_server;
mod recorder;
mod scan;
mod scan_formats;
mod serve;
mod settings;
#[expect(dead_code, reason = "shared with tests that look closer at mails")]
#[path = "../../../providers/tests/it/smtp_server.rs"]
mod smtp_server;
mod vehicles;

pub(crate) use program::{Outcome, Program, golden, repository};
