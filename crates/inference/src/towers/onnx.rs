//! One tower as an ONNX graph: an image or a text to an embedding.

use std::{fs, path::Path};

use ndarray::Array2;
use ort::{
    session::{Session, SessionInputValue},
    value::{Tensor, TensorRef},
};

use crate::{Error, ImageBatch, OnnxRuntime, Result, prototypes::unit_rows};

/// What exports call an embedding: CLIP with its projection, and `SigLIP`, which has none.
const IMAGE_OUTPUTS: [&str; 2] = ["image_embeds", "pooler_output"];
const TEXT_OUTPUTS: [&str; 2] = ["text_embeds", "pooler_output"];
const TOKEN_IDS: &str = "input_ids";
const MASK: &str = "attention_mask";

/// A session of ONNX Runtime on the processor.
pub(super) struct OnnxTower {
    name: String,
    session: Session,
    inputs: Vec<String>,
    output: &'static str,
    dimension: usize,
}

impl OnnxTower {
    /// The graph that embeds images; its one input is the images.
    pub(super) fn image(runtime: &OnnxRuntime, path: &Path, dimension: usize) -> Result<Self> {
        let tower = Self::open(runtime, path, &IMAGE_OUTPUTS, dimension)?;
        if tower.inputs.len() == 1 {
            return Ok(tower);
        }
        Err(Error::GraphMismatch {
            model: tower.name,
            name: "its inputs".to_owned(),
            expected: "the images alone (export the vision tower)".to_owned(),
            found: tower.inputs.join(", "),
        })
    }

    /// The graph that embeds token ids, with or without a mask beside them.
    pub(super) fn text(runtime: &OnnxRuntime, path: &Path, dimension: usize) -> Result<Self> {
        let tower = Self::open(runtime, path, &TEXT_OUTPUTS, dimension)?;
        if tower.inputs.iter().all(|name| name == TOKEN_IDS || name == MASK) {
            return Ok(tower);
        }
        Err(Error::GraphMismatch {
            model: tower.name,
            name: "its inputs".to_owned(),
            expected: format!("{TOKEN_IDS} and perhaps {MASK}"),
            found: tower.inputs.join(", "),
        })
    }

    fn open(runtime: &OnnxRuntime, path: &Path, outputs: &[&'static str], dimension: usize) -> Result<Self> {
        let name = path.display().to_string();
        let bytes = fs::read(path).map_err(|source| Error::ReadModel { path: path.to_owned(), source })?;
        let session = Session::builder(runtime.environment())
            .and_then(|mut builder| builder.commit_from_memory(&bytes))
            .map_err(|source| Error::BuildSession { model: name.clone(), source })?;
        let found: Vec<&str> = session.outputs().iter().map(ort::value::Outlet::name).collect();
        let Some(output) = outputs.iter().copied().find(|output| found.contains(output)) else {
            return Err(Error::GraphMismatch {
                model: name,
                name: "its outputs".to_owned(),
                expected: outputs.join(" or "),
                found: found.join(", "),
            });
        };
        let inputs = session.inputs().iter().map(|input| input.name().to_owned()).collect();
        Ok(Self { name, session, inputs, output, dimension })
    }

    /// The file that it was read from.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Names of the input and of the embedding.
    pub(super) fn names(&self) -> (&str, &str) {
        (self.inputs.first().map_or("", String::as_str), self.output)
    }

    /// Unit rows `[n, d]` of images `[n, 3, h, w]`.
    pub(super) fn embed_images(&mut self, images: &ImageBatch) -> Result<Array2<f32>> {
        let shape = images.view().shape().to_vec();
        let input = TensorRef::from_array_view((shape, images.as_slice()))
            .map_err(|source| self.failure(images.n_images(), source))?;
        let name = self.inputs.first().cloned().unwrap_or_default();
        self.run(vec![(name, input.into())], images.n_images())
    }

    /// The unit row `[1, d]` of one text.
    pub(super) fn embed_text(&mut self, ids: &[u32]) -> Result<Array2<f32>> {
        let mut inputs: Vec<(String, SessionInputValue<'_>)> = Vec::new();
        for name in &self.inputs {
            // The mask is all ones: nothing is padded where each text runs alone.
            let values = ids.iter().map(|&id| if name == TOKEN_IDS { i64::from(id) } else { 1 }).collect();
            let values: Vec<i64> = values;
            let tensor =
                Tensor::from_array(([1, ids.len()], values)).map_err(|source| self.failure(1, source))?;
            inputs.push((name.clone(), tensor.into()));
        }
        self.run(inputs, 1)
    }

    fn run(&mut self, inputs: Vec<(String, SessionInputValue<'_>)>, n_rows: usize) -> Result<Array2<f32>> {
        let (name, output, dimension) = (self.name.clone(), self.output, self.dimension);
        let failure = |source| Error::Run { model: name.clone(), images: n_rows, source };
        let outputs = self.session.run(inputs).map_err(failure)?;
        let (shape, values) = outputs[output].try_extract_tensor::<f32>().map_err(failure)?;
        let found = format!("f32 {shape:?}");
        let rows = Array2::from_shape_vec((n_rows, dimension), values.to_vec()).map_err(|_| {
            let expected = format!("f32 [{n_rows}, {dimension}]");
            Error::GraphMismatch { model: name.clone(), name: output.to_owned(), expected, found }
        })?;
        let rows = unit_rows(rows);
        if rows.iter().all(|value| value.is_finite()) {
            return Ok(rows);
        }
        Err(Error::NotFinite { model: name, output: output.to_owned() })
    }

    fn failure(&self, images: usize, source: ort::Error) -> Error {
        Error::Run { model: self.name.clone(), images, source }
    }
}
