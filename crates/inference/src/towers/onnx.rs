//! One tower as an ONNX graph: embeds an image or a text.

use std::path::Path;

use ndarray::Array2;
use ort::{
    session::{Session, SessionInputValue},
    value::{Tensor, TensorRef},
};

use crate::{Error, ImageBatch, OnnxRuntime, Result, TokenPool, prototypes::unit_rows};

/// Names of the embedding in exports: CLIP with its projection, and `SigLIP`, which has none.
const IMAGE_OUTPUTS: [&str; 2] = ["image_embeds", "pooler_output"];
const TEXT_OUTPUTS: [&str; 2] = ["text_embeds", "pooler_output"];
const TOKEN_IDS: &str = "input_ids";
const MASK: &str = "attention_mask";

/// A session of ONNX Runtime on the CPU.
pub(super) struct OnnxTower {
    name: String,
    session: Session,
    inputs: Vec<String>,
    output: String,
    pool: Option<TokenPool>,
    dimension: usize,
    /// Whether the graph was exported for a batch of one.
    one_at_a_time: bool,
}

impl OnnxTower {
    /// A graph that embeds images; they must be its only input.
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

    /// A graph that embeds token ids, with or without an attention mask.
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
        let session = session(runtime, path)?;
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
        Ok(Self {
            name,
            session,
            inputs,
            output: output.to_owned(),
            pool: None,
            dimension,
            one_at_a_time: false,
        })
    }

    /// A graph whose input and output were already checked; its dimension is determined by a run.
    ///
    /// # Errors
    /// [`Error::GraphUnfit`] if a blank image gives another shape than the graph states, [`Error::Run`] if the run
    /// fails.
    pub(super) fn of_session(path: &Path, session: Session, form: Form, blank: &ImageBatch) -> Result<Self> {
        let Form { input, output, pool, one_at_a_time } = form;
        let mut tower = Self {
            name: path.display().to_string(),
            session,
            inputs: vec![input],
            output,
            pool,
            dimension: 0,
            one_at_a_time,
        };
        let inputs = tower.image_inputs(blank)?;
        let (name, output) = (tower.name.clone(), tower.output.clone());
        let failure = |source| Error::Run { model: name.clone(), images: 1, source };
        let outputs = tower.session.run(inputs).map_err(failure)?;
        let (shape, _) = outputs[output.as_str()].try_extract_tensor::<f32>().map_err(failure)?;
        let dimension = match (&shape[..], pool) {
            (&[1, width], None) => width,
            (&[1, tokens, width], Some(_)) if tokens > 0 => width,
            _ => 0,
        };
        let found = format!("f32 {shape:?} for one picture");
        drop(outputs);
        tower.dimension = usize::try_from(dimension).unwrap_or_default();
        if tower.dimension > 0 {
            return Ok(tower);
        }
        let expected = if pool.is_some() { "f32 [n, tokens, d]" } else { "f32 [n, d]" };
        Err(Error::GraphUnfit {
            path: path.to_owned(),
            name: format!("the output `{output}`"),
            expected: expected.to_owned(),
            found,
        })
    }

    /// Length d of an embedding.
    pub(super) fn dimension(&self) -> usize {
        self.dimension
    }

    /// How the token vectors of an image are pooled.
    pub(super) fn pool(&self) -> Option<TokenPool> {
        self.pool
    }

    /// The path of the graph's file.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Names of the input and of the embedding.
    pub(super) fn names(&self) -> (&str, &str) {
        (self.inputs.first().map_or("", String::as_str), &self.output)
    }

    /// Embeds images `[n, 3, h, w]` into unit rows `[n, d]`.
    pub(super) fn embed_images(&mut self, images: &ImageBatch) -> Result<Array2<f32>> {
        if self.one_at_a_time && images.n_images() > 1 {
            let mut rows = Array2::zeros((images.n_images(), self.dimension));
            for (mut row, image) in rows.outer_iter_mut().zip(images.each()?) {
                row.assign(&self.embed_images(&image)?.row(0));
            }
            return Ok(rows);
        }
        let inputs = self.image_inputs(images)?;
        self.run(inputs, images.n_images())
    }

    fn image_inputs<'i>(&self, images: &'i ImageBatch) -> Result<Vec<(String, SessionInputValue<'i>)>> {
        let shape = images.view().shape().to_vec();
        let input = TensorRef::from_array_view((shape, images.as_slice()))
            .map_err(|source| self.failure(images.n_images(), source))?;
        let name = self.inputs.first().cloned().unwrap_or_default();
        Ok(vec![(name, input.into())])
    }

    /// Embeds one text into a unit row `[1, d]`.
    pub(super) fn embed_text(&mut self, ids: &[u32]) -> Result<Array2<f32>> {
        let mut inputs: Vec<(String, SessionInputValue<'_>)> = Vec::new();
        for name in &self.inputs {
            // The mask is all ones: without batches nothing is padded.
            let values = ids.iter().map(|&id| if name == TOKEN_IDS { i64::from(id) } else { 1 }).collect();
            let values: Vec<i64> = values;
            let tensor =
                Tensor::from_array(([1, ids.len()], values)).map_err(|source| self.failure(1, source))?;
            inputs.push((name.clone(), tensor.into()));
        }
        self.run(inputs, 1)
    }

    fn run(&mut self, inputs: Vec<(String, SessionInputValue<'_>)>, n_rows: usize) -> Result<Array2<f32>> {
        let (name, output, dimension) = (self.name.clone(), self.output.clone(), self.dimension);
        let failure = |source| Error::Run { model: name.clone(), images: n_rows, source };
        let outputs = self.session.run(inputs).map_err(failure)?;
        let (shape, values) = outputs[output.as_str()].try_extract_tensor::<f32>().map_err(failure)?;
        let found = format!("f32 {shape:?}");
        let values = match (self.pool, shape.get(1).copied().map(usize::try_from)) {
            (Some(pool), Some(Ok(tokens))) if values.len() == n_rows * tokens * dimension && tokens > 0 => {
                pool.apply(values, tokens, dimension)
            }
            (Some(_), _) => Vec::new(),
            (None, _) => values.to_vec(),
        };
        let rows = Array2::from_shape_vec((n_rows, dimension), values).map_err(|_| {
            let expected = format!("f32 [{n_rows}, {dimension}]");
            Error::GraphMismatch { model: name.clone(), name: output.clone(), expected, found }
        })?;
        let rows = unit_rows(rows);
        if rows.iter().all(|value| value.is_finite()) {
            return Ok(rows);
        }
        Err(Error::NotFinite { model: name, output })
    }

    fn failure(&self, images: usize, source: ort::Error) -> Error {
        Error::Run { model: self.name.clone(), images, source }
    }
}

/// The names and the form of a graph that embeds images.
pub(super) struct Form {
    pub(super) input: String,
    pub(super) output: String,
    pub(super) pool: Option<TokenPool>,
    pub(super) one_at_a_time: bool,
}

/// A session for the file, including its external weights.
pub(super) fn session(runtime: &OnnxRuntime, path: &Path) -> Result<Session> {
    // Loaded by its path, not from bytes, so that the graph finds its external weights.
    if let Err(source) = std::fs::File::open(path) {
        return Err(Error::ReadModel { path: path.to_owned(), source });
    }
    Session::builder(runtime.environment()?)
        .and_then(|mut builder| builder.commit_from_file(path))
        .map_err(|source| Error::BuildSession { model: path.display().to_string(), source })
}
