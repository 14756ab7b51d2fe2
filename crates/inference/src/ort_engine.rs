//! An engine on ONNX Runtime.

mod placement;
mod session;

use std::sync::Arc;

use ndarray::{Array1, Array2};
use ort::{
    session::{Session, SessionOutputs},
    value::{Outlet, TensorElementType, TensorRef, ValueType},
};

pub(crate) use session::for_any_shape as session_for_any_shape;

use crate::{
    ComputeDevice, Engine, Error, ImageBatch, Manifest, Model, OnnxRuntime, Outputs, PrototypeHead, Result,
    prototypes::unit_rows,
};

/// Maximum number of images in one run. A larger batch gains nothing on a CPU and only delays its first result.
const MAX_BATCH: usize = 32;
/// Size of a graph whose weights fit in a CPU's caches.
const CACHED_BYTES: u64 = 64 << 20;
/// Batch size for a larger graph on a CPU: beyond it the time per image hardly falls.
const LARGE_CPU_BATCH: usize = 8;
/// Batch sizes on a GPU; a batch is padded to the next of them. A session prepares its convolutions again whenever
/// the size differs from its last run, which takes more than a second, so each size has its own session.
const GPU_BATCHES: [usize; 3] = [1, 8, MAX_BATCH];

/// A graph in ONNX Runtime, on the CPU or on a GPU.
///
/// On the CPU a session computes with `threads` threads that sleep when idle. Several engines of one thread each
/// use a machine better than one engine of several threads: the small layers of a vision model do not parallelise
/// well.
pub struct OrtEngine {
    manifest: Arc<Manifest>,
    /// Sessions with their largest batch, ascending: one, or on a GPU one for each of [`GPU_BATCHES`].
    sessions: Vec<(usize, Session)>,
    prototypes: Option<Arc<PrototypeHead>>,
    /// Whether the graph was exported for a batch of one, so that each image is a separate run.
    one_at_a_time: bool,
    provider: String,
}

impl OrtEngine {
    /// Builds a session on the CPU with `threads` computing threads, at least 1.
    ///
    /// # Errors
    /// As [`OrtEngine::on_device`], without [`Error::NoGpu`].
    pub fn new(runtime: &OnnxRuntime, model: &Model, threads: usize) -> Result<Self> {
        Self::on_device(runtime, model, ComputeDevice::Cpu, threads)
    }

    /// Builds the sessions on the device, with `threads` computing threads on the CPU, at least 1.
    ///
    /// A session on a GPU is verified to compute there: ONNX Runtime silently places on the CPU what the GPU does
    /// not support, up to the whole graph.
    ///
    /// # Errors
    /// The errors of [`OnnxRuntime::start`], [`Error::WrongFormat`] for a model that is no ONNX graph,
    /// [`Error::BuildSession`] if the runtime does not accept the graph, [`Error::NoGpu`] with what is missing, and
    /// [`Error::GraphMismatch`] if the graph's input or outputs differ from the manifest.
    pub fn on_device(
        runtime: &OnnxRuntime,
        model: &Model,
        device: ComputeDevice,
        threads: usize,
    ) -> Result<Self> {
        let manifest = model.shared_manifest();
        let Some(graph) = model.graph() else {
            return Err(Error::WrongFormat {
                model: manifest.name.clone(),
                found: manifest.file.format.as_str(),
                expected: "onnx",
            });
        };
        let build = || match device {
            ComputeDevice::Cpu => {
                runtime.start()?;
                session::on_cpu(runtime, graph, threads)
                    .map_err(|source| Error::BuildSession { model: manifest.name.clone(), source })
            }
            ComputeDevice::Cuda(number) => session::on_cuda(runtime, graph, number, &manifest),
        };
        let first = build()?;
        check_graph(&first, &manifest)?;
        let one_at_a_time = first.inputs().iter().chain(first.outputs()).any(takes_one);
        let sessions = if device.is_gpu() && !one_at_a_time {
            let [smallest, larger @ ..] = GPU_BATCHES;
            let mut sessions = vec![(smallest, first)];
            for size in larger {
                sessions.push((size, build()?));
            }
            sessions
        } else {
            vec![(MAX_BATCH, first)]
        };
        let prototypes = model.prototypes().cloned();
        Ok(Self { manifest, sessions, prototypes, one_at_a_time, provider: device.to_string() })
    }

    /// Runs blank images through each session, so that the first photographs are not slowed down by first runs, and
    /// to detect weights that are NaN.
    ///
    /// # Errors
    /// As [`Engine::run`].
    pub fn warm_up(&mut self) -> Result<()> {
        let blank = ImageBatch::blank(&self.manifest)?;
        let several = self.sessions.len() > 1;
        let sizes: Vec<_> = self.sessions.iter().map(|(size, _)| if several { *size } else { 1 }).collect();
        sizes.into_iter().try_for_each(|size| self.run(&blank.filled_up(size)).map(drop))
    }

    /// Only the embeddings `[n, d]`, each divided by its L2 length.
    ///
    /// # Errors
    /// As [`Engine::run`], and [`Error::NotFinite`] for an embedding of zeros, which has no direction.
    fn embed(&mut self, images: &ImageBatch) -> Result<Array2<f32>> {
        let manifest = Arc::clone(&self.manifest);
        let (n_images, dimension) = (images.n_images(), manifest.embedding.dimension);
        let mut embeddings = Vec::with_capacity(n_images * dimension);
        if self.one_at_a_time {
            images.check(&manifest, MAX_BATCH)?;
            for image in images.each()? {
                embeddings.extend(embedding_values(&self.outputs(&image)?, &manifest, 1)?);
            }
        } else {
            embeddings = embedding_values(&self.outputs(images)?, &manifest, n_images)?;
        }
        let embeddings = unit_rows(rows(embeddings, n_images, dimension));
        if !embeddings.iter().all(|value| value.is_finite()) {
            let output = manifest.embedding.output.clone();
            return Err(Error::NotFinite { model: manifest.name.clone(), output });
        }
        Ok(embeddings)
    }

    /// The images padded to the batch size of their session; `None` if no padding is needed.
    fn filled(&self, images: &ImageBatch) -> Option<ImageBatch> {
        let n_images = images.n_images();
        let (size, _) = self.sessions.iter().find(|(size, _)| *size >= n_images)?;
        (self.sessions.len() > 1 && *size > n_images).then(|| images.filled_up(*size))
    }

    fn outputs(&mut self, images: &ImageBatch) -> Result<SessionOutputs<'_>> {
        images.check(&self.manifest, MAX_BATCH)?;
        let manifest = &self.manifest;
        let failure = |source| Error::Run { model: manifest.name.clone(), images: images.n_images(), source };
        let input = TensorRef::from_array_view((images.view().shape().to_vec(), images.as_slice()))
            .map_err(failure)?;
        let (_, session) = self
            .sessions
            .iter_mut()
            .find(|(size, _)| *size >= images.n_images())
            .expect("BUG: the number of images was checked");
        session.run(ort::inputs![manifest.input.name.as_str() => input]).map_err(failure)
    }
}

impl Engine for OrtEngine {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn max_batch(&self) -> usize {
        MAX_BATCH
    }

    fn usual_batch(&self) -> usize {
        if self.sessions.len() > 1 {
            MAX_BATCH
        } else if self.manifest.file.size_bytes > CACHED_BYTES && !self.one_at_a_time {
            // Weights that fit in no cache are read from memory once for all images.
            LARGE_CPU_BATCH
        } else {
            // Otherwise a batch takes longer than its images one by one, and more memory: see
            // docs/decisions/0004-no-batching-on-cpu.md.
            1
        }
    }

    fn provider(&self) -> &str {
        &self.provider
    }

    fn run(&mut self, images: &ImageBatch) -> Result<Outputs> {
        let n_images = images.n_images();
        if let Some(filled) = self.filled(images) {
            return Ok(self.run(&filled)?.first(n_images));
        }
        if let Some(prototypes) = self.prototypes.clone() {
            let embeddings = self.embed(images)?;
            return Outputs::from_prototypes(&self.manifest, &prototypes, embeddings);
        }
        let manifest = Arc::clone(&self.manifest);
        let outputs = self.outputs(images)?;
        let read = |name: &str, width: usize| values(&outputs, &manifest, name, n_images, width);
        let embeddings = read(&manifest.embedding.output, manifest.embedding.dimension)?;
        let logits = read(manifest.logits_name(), manifest.classes.count)?;
        let known = read(manifest.known_name(), 1)?;
        Ok(Outputs {
            embeddings: rows(embeddings, n_images, manifest.embedding.dimension),
            logits: rows(logits, n_images, manifest.classes.count),
            known: Array1::from_vec(known),
        })
    }
}

/// The embeddings `n_images * dimension`, with several tokens pooled if the manifest says so.
fn embedding_values(outputs: &SessionOutputs<'_>, manifest: &Manifest, n_images: usize) -> Result<Vec<f32>> {
    let (name, width) = (manifest.embedding.output.as_str(), manifest.embedding.dimension);
    let Some(pool) = manifest.embedding.pool else { return values(outputs, manifest, name, n_images, width) };
    let shape = outputs.get(name).and_then(|output| output.try_extract_tensor::<f32>().ok());
    let tokens = shape.and_then(|(shape, _)| shape.get(1).copied());
    let tokens = tokens.and_then(|tokens| usize::try_from(tokens).ok()).filter(|tokens| *tokens > 0);
    let Some(tokens) = tokens else {
        let found = "without tokens".to_owned();
        return Err(mismatch(manifest, name, format!("f32 [{n_images}, tokens, {width}]"), found));
    };
    Ok(pool.apply(&values(outputs, manifest, name, n_images, tokens * width)?, tokens, width))
}

/// The values of one output: `n_images * width` finite numbers.
fn values(
    outputs: &SessionOutputs<'_>,
    manifest: &Manifest,
    name: &str,
    n_images: usize,
    width: usize,
) -> Result<Vec<f32>> {
    let missing = || mismatch(manifest, name, format!("f32 [{n_images}, {width}]"), "missing".to_owned());
    let (shape, values) = outputs
        .get(name)
        .ok_or_else(missing)?
        .try_extract_tensor::<f32>()
        .map_err(|source| Error::Run { model: manifest.name.clone(), images: n_images, source })?;
    if values.len() != n_images * width {
        return Err(mismatch(manifest, name, format!("f32 [{n_images}, {width}]"), format!("f32 {shape:?}")));
    }
    // NaN compares false with every threshold: an error is better than an answer computed from it.
    if !values.iter().all(|value| value.is_finite()) {
        return Err(Error::NotFinite { model: manifest.name.clone(), output: name.to_owned() });
    }
    Ok(values.to_vec())
}

fn rows(values: Vec<f32>, n_rows: usize, width: usize) -> Array2<f32> {
    Array2::from_shape_vec((n_rows, width), values)
        .expect("BUG: the number of values was checked when they were read")
}

/// Compares the graph's inputs and outputs with the manifest. The batch axis must be dynamic, or 1 if prototypes
/// compute the scores.
fn check_graph(session: &Session, manifest: &Manifest) -> Result<()> {
    let (image, dimension) = (manifest.tensor_shape().map(Some), [Some(manifest.embedding.dimension)]);
    let tokens = [None, dimension[0]];
    let embedding: &[Option<usize>] = if manifest.embedding.pool.is_some() { &tokens } else { &dimension };
    let count = [Some(manifest.classes.count)];
    let mut expected: Vec<(_, _, &[Option<usize>])> = vec![
        (session.inputs(), manifest.input.name.as_str(), &image),
        (session.outputs(), manifest.embedding.output.as_str(), embedding),
    ];
    let may_be_one = manifest.prototypes.is_some();
    if !may_be_one {
        expected.push((session.outputs(), manifest.logits_name(), &count));
        expected.push((session.outputs(), manifest.known_name(), &[]));
    }
    for (outlets, name, image_shape) in expected {
        let wanted = || {
            let axes =
                image_shape.iter().map(|axis| axis.map_or("any".to_owned(), |length| length.to_string()));
            format!("f32 [n, ...[{}]]", axes.collect::<Vec<_>>().join(", "))
        };
        let Some(outlet) = outlets.iter().find(|outlet| outlet.name() == name) else {
            return Err(mismatch(manifest, name, wanted(), "missing".to_owned()));
        };
        if !fits(outlet.dtype(), image_shape, may_be_one) {
            return Err(mismatch(manifest, name, wanted(), format!("{:?}", outlet.dtype())));
        }
    }
    // Further inputs would need a value at each run. Further outputs are ignored.
    if let Some(other) = session.inputs().iter().find(|input| input.name() != manifest.input.name) {
        return Err(mismatch(manifest, other.name(), "absent".to_owned(), "a further input".to_owned()));
    }
    Ok(())
}

/// Whether an input or output has a batch axis of 1.
fn takes_one(outlet: &Outlet) -> bool {
    matches!(outlet.dtype(), ValueType::Tensor { shape, .. } if shape.first() == Some(&1))
}

/// Whether an input or output is f32 `[n, image_shape...]`; -1 marks a dynamic axis in the graph, `None` an axis of
/// any expected length.
fn fits(found: &ValueType, image_shape: &[Option<usize>], may_be_one: bool) -> bool {
    let ValueType::Tensor { ty: TensorElementType::Float32, shape, .. } = found else { return false };
    let fits = |(&found, &expected): (&i64, &Option<usize>)| {
        found == -1 || expected.is_none_or(|expected| usize::try_from(found) == Ok(expected))
    };
    let is_batch = |n: &i64| *n == -1 || may_be_one && *n == 1;
    shape.first().is_some_and(is_batch)
        && shape.len() == image_shape.len() + 1
        && shape[1..].iter().zip(image_shape).all(fits)
}

fn mismatch(manifest: &Manifest, name: &str, expected: String, found: String) -> Error {
    Error::GraphMismatch { model: manifest.name.clone(), name: name.to_owned(), expected, found }
}

#[cfg(test)]
mod tests {
    use std::{env, path::PathBuf};

    use ndarray::{Array4, s};

    use super::*;

    /// As on a GPU, where each session has a fixed batch size.
    #[test]
    fn a_batch_that_is_filled_up_gives_what_it_gives_alone() {
        let path = env::var_os("PARTSIGHT_ONNXRUNTIME").map(PathBuf::from);
        let runtime = OnnxRuntime::load(path.as_deref()).expect("ONNX Runtime is installed");
        let model = Model::embedded().expect("the embedded model");
        let mut plain = OrtEngine::new(&runtime, &model, 1).expect("an engine");
        let mut sized = OrtEngine::new(&runtime, &model, 1).expect("an engine");
        let session = || session::on_cpu(&runtime, model.graph().expect("a graph"), 1).expect("a session");
        sized.sessions = vec![(1, session()), (4, session())];
        sized.warm_up().expect("a run of each size");

        let [channels, height, width] = model.manifest().tensor_shape();
        let mut images = Array4::zeros((3, channels, height, width));
        images.slice_mut(s![1, .., .., ..]).fill(0.5);
        images.slice_mut(s![2, 0, .., ..]).fill(-0.5);
        let images = ImageBatch::new(images).expect("three images");
        let (alone, filled) = (plain.run(&images).expect("a run"), sized.run(&images).expect("a run"));
        assert_eq!(filled.logits.dim(), alone.logits.dim());
        assert_eq!((filled.embeddings.nrows(), filled.known.len()), (3, 3));
        for (one, other) in filled.logits.iter().zip(&alone.logits) {
            assert!((one - other).abs() < 1e-3, "{one} against {other}");
        }
        let single = ImageBatch::blank(model.manifest()).expect("one image");
        assert_eq!(sized.run(&single).expect("a run").known.len(), 1);
    }
}
