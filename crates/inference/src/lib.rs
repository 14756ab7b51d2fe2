//! Turns the bytes of a photograph into an embedding and calibrated class scores.
//!
//! The central type is [`Batcher`]: it owns one thread per [`Engine`], takes what is waiting in a
//! bounded queue, runs it as one batch and answers each requester. Around it stand the steps of one
//! scan, each usable alone: [`Photo::decode`] gives upright RGB pixels, [`Preprocessor`] the tensor
//! `[3, h, w]`, an [`Engine`] the embedding and raw scores, [`Scores`] the calibrated ones.
//!
//! Every fact about a model (input size, mean, filter, output names, calibration, thresholds) comes
//! from its [`Manifest`]; the code holds no such constant, so another model is another folder. Engines
//! are synchronous, because inference is computation: only the queue before them is asynchronous. The
//! resize is written here, not taken from a library, because training and serving must give the same
//! pixels and every resize library rounds in its own way; the price is a few milliseconds on large
//! photographs.
//!
//! ONNX Runtime is loaded at run time from a shared library ([`OnnxRuntime::load`]). A missing, broken
//! or too old library is an ordinary [`Error`].
//!
//! This crate knows nothing of what the classes mean, keeps no reference embeddings, draws no verdict
//! from the thresholds, and opens no network connection.
//!
//! Begin with `photo.rs` for the formats and limits, `preprocess.rs` for the exact arithmetic, and
//! `batcher.rs` for the queue.

mod batcher;
mod calibration;
mod engine;
mod error;
mod manifest;
mod model;
mod onnx_runtime;
mod ort_engine;
mod photo;
mod preprocess;

pub use batcher::{Batcher, BatcherOptions, BatcherStats, Prediction};
pub use calibration::Scores;
pub use engine::{Engine, ImageBatch, Outputs};
pub use error::{Error, Result};
pub use manifest::{
    Calibration, Channels, Classes, EmbeddingOutput, Filter, Input, KnownOutput, Layout, Manifest, ModelFile,
    Resize, Thresholds,
};
pub use model::Model;
pub use onnx_runtime::{ONNX_RUNTIME_VERSION, OnnxRuntime};
pub use ort_engine::OrtEngine;
pub use photo::{Photo, PhotoFormat, PhotoLimits};
pub use preprocess::{Preprocessor, RgbImage, Tensor};
