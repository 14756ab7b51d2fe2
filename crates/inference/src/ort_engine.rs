//! An engine on ONNX Runtime.

use std::sync::Arc;

use ndarray::{Array1, Array2};
use ort::{
    session::{Session, SessionOutputs, builder::GraphOptimizationLevel},
    value::{TensorElementType, TensorRef, ValueType},
};

use crate::{Engine, Error, ImageBatch, Manifest, Model, OnnxRuntime, Outputs, Result};

/// Images in one run. Beyond this a batch gains nothing on a processor and only makes its first image
/// wait for its last.
const MAX_BATCH: usize = 32;

/// One session of ONNX Runtime on the processor.
///
/// A session computes with `threads` threads that sleep when idle. Several engines of one thread each
/// use a machine better than one engine of several threads: the small layers of a vision model do not
/// divide well.
pub struct OrtEngine {
    manifest: Arc<Manifest>,
    session: Session,
}

impl OrtEngine {
    /// Builds a session for the model with `threads` computing threads, at least 1.
    ///
    /// # Errors
    /// [`Error::BuildSession`] when the runtime does not accept the graph, [`Error::GraphMismatch`] when the
    /// graph's input or outputs are not those of the manifest.
    pub fn new(runtime: &OnnxRuntime, model: &Model, threads: usize) -> Result<Self> {
        let manifest = model.shared_manifest();
        let session = build(runtime, model.onnx(), threads.max(1))
            .map_err(|source| Error::BuildSession { model: manifest.name.clone(), source })?;
        check_graph(&session, &manifest)?;
        Ok(Self { manifest, session })
    }

    /// Runs one blank image, so that the first photograph does not pay for the first run.
    ///
    /// # Errors
    /// As [`Engine::run`].
    pub fn warm_up(&mut self) -> Result<()> {
        let [channels, height, width] = self.manifest.tensor_shape();
        let blank = ndarray::Array4::zeros((1, channels, height, width));
        self.run(&ImageBatch::new(blank)?).map(drop)
    }
}

fn build(runtime: &OnnxRuntime, onnx: &[u8], threads: usize) -> ort::Result<Session> {
    // Spinning threads wait for work at full load: measured, it doubled the processor time under traffic.
    Session::builder(runtime.environment())?
        .with_optimization_level(GraphOptimizationLevel::All)?
        .with_intra_threads(threads)?
        .with_inter_threads(1)?
        .with_parallel_execution(false)?
        .with_intra_op_spinning(false)?
        .with_inter_op_spinning(false)?
        .commit_from_memory(onnx)
}

impl Engine for OrtEngine {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn max_batch(&self) -> usize {
        MAX_BATCH
    }

    fn provider(&self) -> &'static str {
        // No other provider is compiled in, so that none can be missing and replaced in silence.
        "CPU"
    }

    fn run(&mut self, images: &ImageBatch) -> Result<Outputs> {
        images.check(&self.manifest, MAX_BATCH)?;
        let n_images = images.n_images();
        let manifest = &self.manifest;
        let failure = |source| Error::Run { model: manifest.name.clone(), images: n_images, source };
        let input = TensorRef::from_array_view((images.view().shape().to_vec(), images.as_slice()))
            .map_err(failure)?;
        let outputs =
            self.session.run(ort::inputs![manifest.input.name.as_str() => input]).map_err(failure)?;
        let read = |name: &str, width: usize| values(&outputs, manifest, name, n_images, width);
        let embeddings = read(&manifest.embedding.output, manifest.embedding.dimension)?;
        let logits = read(&manifest.classes.output, manifest.classes.count)?;
        let known = read(&manifest.known.output, 1)?;
        Ok(Outputs {
            embeddings: rows(embeddings, n_images, manifest.embedding.dimension),
            logits: rows(logits, n_images, manifest.classes.count),
            known: Array1::from_vec(known),
        })
    }
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
    if !values.iter().all(|value| value.is_finite()) {
        return Err(Error::NotFinite { model: manifest.name.clone(), output: name.to_owned() });
    }
    Ok(values.to_vec())
}

fn rows(values: Vec<f32>, n_rows: usize, width: usize) -> Array2<f32> {
    Array2::from_shape_vec((n_rows, width), values)
        .expect("BUG: the number of values was checked when they were read")
}

/// Compares the graph's input and outputs with the manifest. The batch axis must be open.
fn check_graph(session: &Session, manifest: &Manifest) -> Result<()> {
    let [channels, height, width] = manifest.tensor_shape();
    let expected: [(_, _, &[usize]); 4] = [
        (session.inputs(), &manifest.input.name, &[channels, height, width]),
        (session.outputs(), &manifest.embedding.output, &[manifest.embedding.dimension]),
        (session.outputs(), &manifest.classes.output, &[manifest.classes.count]),
        (session.outputs(), &manifest.known.output, &[]),
    ];
    for (outlets, name, image_shape) in expected {
        let wanted = || format!("f32 [n, ...{image_shape:?}]");
        let Some(outlet) = outlets.iter().find(|outlet| outlet.name() == name) else {
            return Err(mismatch(manifest, name, wanted(), "missing".to_owned()));
        };
        if !fits(outlet.dtype(), image_shape) {
            return Err(mismatch(manifest, name, wanted(), format!("{:?}", outlet.dtype())));
        }
    }
    Ok(())
}

/// Whether an input or output is f32 `[n, image_shape...]`; -1 marks an axis that is open.
fn fits(found: &ValueType, image_shape: &[usize]) -> bool {
    let ValueType::Tensor { ty: TensorElementType::Float32, shape, .. } = found else { return false };
    let fits = |(&found, &expected): (&i64, &usize)| found == -1 || usize::try_from(found) == Ok(expected);
    shape.first() == Some(&-1)
        && shape.len() == image_shape.len() + 1
        && shape[1..].iter().zip(image_shape).all(fits)
}

fn mismatch(manifest: &Manifest, name: &str, expected: String, found: String) -> Error {
    Error::GraphMismatch { model: manifest.name.clone(), name: name.to_owned(), expected, found }
}
