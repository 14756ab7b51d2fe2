//! Shared by several tests: fixtures, the runtime, comparisons.

use std::{env, fs, path::PathBuf};

use partsight_inference::{
    Device, Engine, Model, OnnxRuntime, OrtEngine, Photo, PhotoError, PhotoFormat, PhotoLimits, start_engines,
};

pub(crate) fn fixture(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    fs::read(&path).expect(name)
}

pub(crate) fn decode(bytes: &[u8]) -> Result<Photo, PhotoError> {
    Photo::decode(bytes, &PhotoLimits::default())
}

pub(crate) fn model_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../models/partsight-50")
}

pub(crate) fn model() -> Model {
    Model::embedded().expect("the embedded model is whole")
}

pub(crate) fn onnx_runtime() -> OnnxRuntime {
    let path = env::var_os("PARTSIGHT_ONNXRUNTIME").map(PathBuf::from);
    OnnxRuntime::load(path.as_deref()).expect("ONNX Runtime is installed: run `.make/onnxruntime`")
}

pub(crate) fn engine() -> OrtEngine {
    OrtEngine::new(&onnx_runtime(), &model(), 1).expect("the embedded model runs")
}

/// ONNX Runtime, and the engine that is chosen for a CPU.
pub(crate) fn engines() -> Vec<Box<dyn Engine>> {
    let path = env::var_os("PARTSIGHT_ONNXRUNTIME").map(PathBuf::from);
    let started = start_engines(&model(), Device::Cpu, path.as_deref(), |_, _| 1).expect("engines start");
    std::iter::once(Box::new(engine()) as Box<dyn Engine>).chain(started.engines).collect()
}

/// A smooth picture of any size, with different corners.
pub(crate) fn drawn(width: u32, height: u32) -> Photo {
    let pixel =
        |x: u32, y: u32| [x * 255 / width, y * 255 / height, (x * 7 + y * 3) % 256].map(|value| value as u8);
    let rgb = (0..height).flat_map(|y| (0..width).flat_map(move |x| pixel(x, y))).collect();
    Photo::from_rgb(width, height, rgb, PhotoFormat::Png).expect("as many bytes as pixels need")
}

/// Mean absolute difference of two pictures of the same size, in levels of 255.
pub(crate) fn mean_difference(one: &Photo, other: &Photo) -> f64 {
    assert_eq!((one.width(), one.height()), (other.width(), other.height()), "sizes");
    let total: u64 = one.rgb().iter().zip(other.rgb()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    total as f64 / one.rgb().len() as f64
}

pub(crate) fn largest_difference(one: &[f32], other: &[f32]) -> f32 {
    assert_eq!(one.len(), other.len(), "lengths");
    one.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}
