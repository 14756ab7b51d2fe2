//! Turns the bytes of a photograph into an embedding and calibrated class scores.
//!
//! The central type is [`Batcher`]: it owns one thread per [`Engine`], takes the waiting requests from a bounded
//! queue, runs them as one batch and answers each. The steps of one scan can also be used alone: [`Photo::decode`]
//! returns upright RGB pixels, [`Preprocessor`] the tensor `[3, h, w]`, an [`Engine`] the embedding and raw scores,
//! and [`SecondLook`] pools the outputs of several views. Verdicts are not decided here.
//!
//! Every fact about a model (input size, mean, filter, output names, calibration, thresholds) comes from its
//! [`Manifest`]; the code has no such constants, so another model is another folder. Engines are synchronous,
//! because inference is computation: only the queue in front of them is asynchronous. The resize is implemented
//! here, because training and serving must produce the same pixels and every resize library rounds in its own way;
//! the cost is a few milliseconds on large photographs.
//!
//! ONNX graphs run on ONNX Runtime ([`OrtEngine`]); that of the shipped model on our own int8 kernels, on x86 with
//! AVX2 and 64-bit Arm with dotprod (`Int8Engine`); supported architectures in safetensors on candle
//! (`CandleEngine`, with the cargo feature `candle`). [`start_engines`] chooses the engine by the manifest and the
//! device by [`Device`]. Scores come from the graph's own head or from prototypes ([`PrototypeHead`]).
//!
//! ONNX Runtime is loaded at run time from a shared library ([`OnnxRuntime::load`]). A missing, broken
//! or too old library is an ordinary [`OnnxRuntimeError`].
//!
//! Besides, [`Reader`] reads the text in a photograph with three networks of its own, [`find_codes`] decodes
//! barcodes and matrix codes, and [`PartDetector`] finds the parts in a photograph that shows several.
//!
//! This crate does not know the meaning of the classes, stores no reference embeddings, derives no verdict from the
//! thresholds, and opens no network connection.
//!
//! Begin with `photo.rs` for the formats and limits, `photo/decoder.rs` for how photographs are decoded,
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
#[expect(unsafe_code, reason = "vector instructions of one instruction set")]
#[expect(
    clippy::inline_always,
    reason = "functions that are not inlined are compiled without the instructions"
)]
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
    KnownOutput, Layout, Manifest, ModelFile, Prototypes, ReferenceSimilarities, References, RejectionBound,
    Resize, RiskThreshold, SecondLook, Sets, TaughtIdentified, Thresholds, TokenPool, UnknownKind, View,
};
pub use model::{MANIFEST_FILE, Model, SharedOnnx, is_kebab_case, labels_of, sha256, size_and_sha256};
pub use occlusion::{OCCLUSION_GRID, Occlusions};
pub use onnx_runtime::{ONNX_RUNTIME_VERSION, OnnxRuntime, OnnxRuntimeError};
pub use ort_engine::OrtEngine;
pub use part_detector::{FoundPart, PartDetector};
pub use photo::{
    DecoderCommand, Detail, Photo, PhotoDecoder, PhotoError, PhotoFormat, PhotoHeader, PhotoLimits, Picture,
    camera_of, captured_at, control_group_memory, serve_decoding, write_jpeg,
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
