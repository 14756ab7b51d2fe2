//! Turns the bytes of a photograph into an embedding and calibrated class scores.
//!
//! The central type is [`Batcher`]: it owns one thread per [`Engine`], takes what is waiting in a
//! bounded queue, runs it as one batch and answers each requester. Around it stand the steps of one
//! scan, each usable alone: [`Photo::decode`] gives upright RGB pixels, [`Preprocessor`] the tensor
//! `[3, h, w]`, an [`Engine`] the embedding and raw scores, [`SecondLook`] one output of several views. What the
//! scores come to is not decided here.
//!
//! Every fact about a model (input size, mean, filter, output names, calibration, thresholds) comes
//! from its [`Manifest`]; the code holds no such constant, so another model is another folder. Engines
//! are synchronous, because inference is computation: only the queue before them is asynchronous. The
//! resize is written here, not taken from a library, because training and serving must give the same
//! pixels and every resize library rounds in its own way; the price is a few milliseconds on large
//! photographs.
//!
//! ONNX graphs run on ONNX Runtime ([`OrtEngine`]); that of the shipped model on int8 kernels of our own, on x86 with AVX2
//! and 64-bit Arm with dotprod (`Int8Engine`); networks that are known by name from safetensors on candle
//! (`CandleEngine`, with the cargo feature `candle`). [`start_engines`] chooses by the manifest and puts them where
//! [`Device`] says. Scores come from the graph's own head or from prototypes ([`PrototypeHead`]).
//!
//! ONNX Runtime is loaded at run time from a shared library ([`OnnxRuntime::load`]). A missing, broken
//! or too old library is an ordinary [`OnnxRuntimeError`].
//!
//! Beside all that, [`Reader`] reads the text on a photograph, by three networks of its own, [`find_codes`] its barcodes
//! and matrix codes, and [`PartDetector`] finds the parts on one that shows several.
//!
//! This crate knows nothing of what the classes mean, keeps no reference embeddings, draws no verdict
//! from the thresholds, and opens no network connection.
//!
//! Begin with `photo.rs` for the formats and limits, `photo/decoder.rs` for where photographs are decoded,
//! `preprocess.rs` for the exact arithmetic, and `batcher.rs` for the queue.

mod batcher;
pub mod calibration;
#[cfg(feature = "candle")]
mod candle_engine;
mod causes;
mod codes;
mod device;
mod dual_encoder;
mod engine;
mod error;
mod fingerprint;
mod image_processing;
mod int8_engine;
#[cfg(feature = "candle")]
mod layers;
mod log_sum_exp;
mod manifest;
mod model;
mod network_config;
mod occlusion;
mod onnx_graph;
mod onnx_runtime;
mod ort_engine;
mod part_detector;
mod photo;
mod preprocess;
mod prototypes;
mod reading;
mod reference_space;
mod resize;
mod second_look;
#[expect(unsafe_code, reason = "instructions of one family of processors")]
#[expect(clippy::inline_always, reason = "what is not inlined is compiled without the instructions")]
mod simd;
mod start;
mod towers;
#[cfg(feature = "candle")]
mod vision_encoder;

pub use batcher::{
    BATCH_SIZE_BOUNDS, Batcher, BatcherOptions, BatcherStats, EngineFactory, OnLoss, Prediction, Supervision,
};
#[cfg(feature = "candle")]
pub use candle_engine::CandleEngine;
pub use causes::with_causes;
pub use codes::{FoundCode, Symbology, find_codes};
pub use device::{ComputeDevice, Device, InvalidDevice};
#[cfg(feature = "candle")]
pub use dual_encoder::DualEncoder;
pub use dual_encoder::Family;
pub use engine::{Engine, ImageBatch, Outputs};
pub use error::{Error, Result};
pub use fingerprint::{Fingerprint, training_fingerprints};
pub use image_processing::ImageProcessing;
pub use int8_engine::Int8Engine;
#[cfg(feature = "candle")]
pub use layers::WeightsError;
pub use manifest::{
    Calibration, Channels, Classes, Drift, EmbeddingOutput, FileFormat, FilePart, Filter, Input, Judging,
    KnownOutput, Layout, Manifest, ModelFile, Prototypes, ReferenceSimilarities, References, Resize,
    RiskThreshold, SecondLook, Sets, TaughtIdentified, Thresholds, TokenPool, View,
};
pub use model::{MANIFEST_FILE, Model, SharedOnnx, is_kebab_case, labels_of, sha256, size_and_sha256};
pub use occlusion::{OCCLUSION_GRID, Occlusions};
pub use onnx_runtime::{ONNX_RUNTIME_VERSION, OnnxRuntime, OnnxRuntimeError};
pub use ort_engine::OrtEngine;
pub use part_detector::{FoundPart, PartDetector};
pub use photo::{
    DecoderCommand, Detail, Photo, PhotoDecoder, PhotoError, PhotoFormat, PhotoHeader, PhotoLimits, Picture,
    camera_of, captured_at, serve_decoding,
};
pub use preprocess::{Preprocessor, Tensor};
pub use prototypes::{PrototypeHead, unit_mean};
pub use reading::{KnownTexts, READING_FILE, Reader, TextLine};
pub use reference_space::ReferenceSpace;
pub use resize::RgbImage;
pub use start::{StartedEngines, start_engines};
pub use towers::{Contents, TowerFiles, TowerOptions, Towers};
#[cfg(feature = "candle")]
pub use vision_encoder::VisionEncoder;
