//! Tests of the crate through its public interface.
//!
//! Tests that run networks need ONNX Runtime: `PARTSIGHT_ONNXRUNTIME` is the path of its library, otherwise the
//! usual search order applies. Without it they fail; `.make/onnxruntime` downloads it.

mod batcher;
mod codes;
mod common;
mod devices;
mod dual_encoder;
mod dual_encoder_errors;
mod dual_encoder_folder;
mod dual_encoder_tokens;
mod engine;
mod fingerprint;
mod golden;
mod model;
mod onnx_runtime;
mod part_detector;
mod photo;
mod photo_limits;
mod photo_scaled;
mod preprocess;
mod prototype_models;
mod reading;
mod second_look;
mod towers;
mod towers_graph;
mod vision_encoder;
