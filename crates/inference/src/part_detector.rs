//! Locates the parts in a photograph that shows several, with a small network of its own.
//!
//! It does not know types, so it works with every model: the model in use identifies the part in each box. It was
//! trained on pictures composed of photographs of single parts
//! (`training/src/partsight_training/train_detector.py`).

mod cells;
mod manifest;

use std::{
    fmt,
    sync::{Mutex, PoisonError},
};

use ort::{session::Session, value::TensorRef};

use crate::{Error, OnnxRuntime, Photo, Result, model, onnx_graph::Graph, ort_engine, resize::RgbImage};
use cells::Cells;
use manifest::DetectorManifest;

static ONNX: &[u8] = include_bytes!("../../../models/detector/detector.onnx");

/// A part in a photograph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FoundPart {
    /// Left, top, width and height, as fractions of the photograph's sides, in 0..=1.
    pub area: [f32; 4],
    /// Score that there is a part, in 0..=1; not calibrated.
    pub score: f32,
}

/// Finds parts of any type, in one run on the whole photograph.
///
/// Any number of threads may use it at a time: each run uses its own session, and as many sessions are kept as were
/// ever in use at once.
pub struct PartDetector {
    manifest: DetectorManifest,
    runtime: OnnxRuntime,
    idle: Mutex<Vec<Session>>,
}

impl PartDetector {
    /// The embedded network; runs once to check it.
    ///
    /// # Errors
    /// [`Error::BuildSession`] and [`Error::Run`] if ONNX Runtime does not accept the graph. Other errors mean that
    /// the build mixed files of two versions.
    pub fn embedded(runtime: &OnnxRuntime) -> Result<Self> {
        let manifest = include_str!("../../../models/detector/detector.toml");
        let manifest: DetectorManifest = toml::from_str(manifest).map_err(|source| Error::ParseManifest {
            name: "the built-in part detector".to_owned(),
            source: Box::new(source),
        })?;
        let (model, file) = (manifest.name.clone(), manifest.file.path.clone());
        let (expected_bytes, found_bytes) = (manifest.file.size_bytes, ONNX.len() as u64);
        if found_bytes != expected_bytes {
            return Err(Error::WrongModelSize { model, file, expected_bytes, found_bytes });
        }
        let found = model::sha256(ONNX);
        if found != manifest.file.sha256 {
            let expected = manifest.file.sha256.clone();
            return Err(Error::WrongModelHash { model, file, expected, found });
        }
        let detector = Self { manifest, runtime: runtime.clone(), idle: Mutex::new(Vec::new()) };
        let side = detector.manifest.input.side_multiple;
        // Detects here, and not with a photograph, that the graph's inputs or outputs differ from the manifest.
        detector
            .look(&RgbImage { width: side, height: side, rgb: vec![0; 3 * (side * side) as usize] }, 1)?;
        Ok(detector)
    }

    /// Name and version, for display.
    pub fn describe(&self) -> String {
        format!("{} {}", self.manifest.name, self.manifest.version)
    }

    /// The parts in a photograph by descending score, at most `limit`; empty if none are found.
    ///
    /// # Errors
    /// [`Error::Run`] and [`Error::NotFinite`] if the network fails, [`Error::BuildSession`] if another session is
    /// needed and cannot be built.
    pub fn find(&self, photo: &Photo, limit: usize) -> Result<Vec<FoundPart>> {
        let (width, height) = self.input_size(photo.width(), photo.height());
        self.look(&photo.resized(width, height), limit)
    }

    /// The input size for a photograph: its longer side is that of the manifest, and both sides are rounded to the
    /// multiple.
    fn input_size(&self, width: u32, height: u32) -> (u32, u32) {
        let input = &self.manifest.input;
        let scale = f64::from(input.longer_side) / f64::from(width.max(height));
        let multiple = f64::from(input.side_multiple);
        // Ties round to even, as in training.
        let side = |length: u32| (f64::from(length) * scale / multiple).round_ties_even().max(1.0) as u32;
        (side(width) * input.side_multiple, side(height) * input.side_multiple)
    }

    fn look(&self, image: &RgbImage, limit: usize) -> Result<Vec<FoundPart>> {
        let mut session = self.session()?;
        // After an error the session is not kept, because its state is unknown.
        let found = self.look_with(&mut session, image, limit)?;
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(session);
        Ok(found)
    }

    fn look_with(&self, session: &mut Session, image: &RgbImage, limit: usize) -> Result<Vec<FoundPart>> {
        let DetectorManifest { input, output, choice, .. } = &self.manifest;
        let failure = |source| Error::Run { model: self.manifest.name.clone(), images: 1, source };
        let (width, height) = (image.width as usize, image.height as usize);
        let tensor = self.tensor(&image.rgb);
        let tensor = TensorRef::from_array_view((vec![1, 3, height, width], tensor.as_slice()));
        let inputs = ort::inputs![input.name.as_str() => tensor.map_err(failure)?];
        let outputs = session.run(inputs).map_err(failure)?;
        let stride = output.stride as usize;
        let (columns, rows) = (width / stride, height / stride);
        let read = |name: &str, channels: usize| -> Result<Vec<f32>> {
            let mismatch = |found: String| Error::GraphMismatch {
                model: self.manifest.name.clone(),
                name: name.to_owned(),
                expected: format!("f32 [1, {channels}, {rows}, {columns}]"),
                found,
            };
            let value = outputs.get(name).ok_or_else(|| mismatch("missing".to_owned()))?;
            let (shape, values) = value.try_extract_tensor::<f32>().map_err(failure)?;
            if values.len() != channels * rows * columns {
                return Err(mismatch(format!("f32 {shape:?}")));
            }
            if !values.iter().all(|value| value.is_finite()) {
                return Err(Error::NotFinite { model: self.manifest.name.clone(), output: name.to_owned() });
            }
            Ok(values.to_vec())
        };
        let (scores, sides) = (read(&output.score, 1)?, read(&output.sides, 4)?);
        let cells = Cells { columns, rows, stride: output.stride as f32, scores: &scores, sides: &sides };
        Ok(cells.parts(*choice, limit))
    }

    /// `[h, w, 3]` u8 to f32 `[3, h, w]`, `(u8 / 255 - mean) / std`.
    fn tensor(&self, rgb: &[u8]) -> Vec<f32> {
        let input = &self.manifest.input;
        let (pixels, _) = rgb.as_chunks::<3>();
        let plane = |at: usize| {
            pixels.iter().map(move |pixel| (f32::from(pixel[at]) / 255.0 - input.mean[at]) / input.std[at])
        };
        plane(0).chain(plane(1)).chain(plane(2)).collect()
    }

    /// An idle session, or a new one.
    fn session(&self) -> Result<Session> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(session) = idle {
            return Ok(session);
        }
        self.runtime.start()?;
        // One thread: several photographs may run at once.
        ort_engine::session_for_any_shape(&self.runtime, Graph::Bytes(ONNX))
            .map_err(|source| Error::BuildSession { model: self.manifest.name.clone(), source })
    }
}

impl fmt::Debug for PartDetector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PartDetector").field("model", &self.describe()).finish_non_exhaustive()
    }
}
