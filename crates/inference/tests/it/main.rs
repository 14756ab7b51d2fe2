//! What the crate promises, tested through its public interface.
//!
//! The tests that compute need ONNX Runtime: `PARTSIGHT_ONNXRUNTIME` names the library, else the usual
//! search order holds. Where it is absent they fail; `.make/onnxruntime` fetches it.

mod batcher;
mod common;
mod engine;
mod golden;
mod model;
mod onnx_runtime;
mod photo;
mod photo_limits;
mod preprocess;
