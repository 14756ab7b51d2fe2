//! The interface of an engine: images in, embeddings and raw scores out.

use ndarray::{ArcArray, Array1, Array2, Array4, ArrayView2, ArrayView4, Axis, Ix4, s};

use crate::{Error, Manifest, PrototypeHead, Result, Tensor};

/// Runs a model on batches of preprocessed images.
///
/// Synchronous and object-safe: a thread owns the engine and calls it. An implementation keeps the order of the
/// images, and the outputs for a batch of n equal those of n batches of one, up to rounding.
pub trait Engine: Send {
    /// The model that runs.
    fn manifest(&self) -> &Manifest;

    /// Maximum number of images in one [`Engine::run`]; at least 1.
    fn max_batch(&self) -> usize;

    /// Batch size beyond which the time per image hardly falls; 1 if batches are no faster than single images.
    fn usual_batch(&self) -> usize {
        1
    }

    /// The device that it really runs on: `CPU`, or `CUDA:N` with the GPU's number.
    fn provider(&self) -> &str;

    /// Embeds and scores every image of the batch.
    ///
    /// # Errors
    /// [`Error::WrongTensorShape`] and [`Error::WrongBatchSize`] for a batch that does not fit the model,
    /// [`Error::Run`] and [`Error::NotFinite`] if computing fails.
    fn run(&mut self, images: &ImageBatch) -> Result<Outputs>;
}

/// At least one preprocessed image: f32 `[n, 3, h, w]`, row-major, normalised as the manifest says.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageBatch(ArcArray<f32, Ix4>);

impl ImageBatch {
    /// Wraps an array `[n, 3, h, w]`; it is copied if it is not row-major.
    ///
    /// # Errors
    /// [`Error::WrongTensorShape`] if an axis is empty or there are not 3 channels.
    pub fn new(images: Array4<f32>) -> Result<Self> {
        let (n_images, channels, height, width) = images.dim();
        if n_images == 0 || channels != 3 || height == 0 || width == 0 {
            return Err(Error::WrongTensorShape {
                expected: vec![n_images.max(1), 3, height.max(1), width.max(1)],
                found: images.shape().to_vec(),
            });
        }
        // Engines pass a plain slice to their runtime, which only this layout has.
        let images =
            if images.is_standard_layout() { images } else { images.as_standard_layout().into_owned() };
        Ok(Self(images.into_shared()))
    }

    /// Stacks tensors of one shape, in order.
    ///
    /// # Errors
    /// [`Error::WrongBatchSize`] without tensors, [`Error::WrongTensorShape`] if one differs from the first.
    pub fn stack(tensors: &[Tensor]) -> Result<Self> {
        let Some(first) = tensors.first() else {
            return Err(Error::WrongBatchSize { found: 0, limit: usize::MAX });
        };
        if tensors.len() == 1 {
            return Ok(Self(first.as_batch()));
        }
        let [channels, height, width] = first.shape();
        // One array has one size; the queue has refused others before.
        if let Some(other) = tensors.iter().find(|tensor| tensor.shape() != first.shape()) {
            return Err(Error::WrongTensorShape {
                expected: first.shape().to_vec(),
                found: other.shape().to_vec(),
            });
        }
        let mut images = Array4::zeros((tensors.len(), channels, height, width));
        for (mut image, tensor) in images.axis_iter_mut(Axis(0)).zip(tensors) {
            image.assign(&tensor.view());
        }
        Self::new(images)
    }

    /// One image of zeros of the model's size, for the warm-up.
    ///
    /// # Errors
    /// [`Error::WrongTensorShape`] for an empty size, which a checked manifest cannot have.
    pub fn blank(manifest: &Manifest) -> Result<Self> {
        let [channels, height, width] = manifest.tensor_shape();
        Self::new(Array4::zeros((1, channels, height, width)))
    }

    /// Number of images, n; at least 1.
    pub fn n_images(&self) -> usize {
        self.0.len_of(Axis(0))
    }

    /// The array `[n, 3, h, w]`.
    pub fn view(&self) -> ArrayView4<'_, f32> {
        self.0.view()
    }

    /// The values in row-major order.
    pub fn as_slice(&self) -> &[f32] {
        // Never empty: `new` ensures row-major order.
        self.0.as_slice().unwrap_or_default()
    }

    /// These images padded with images of zeros to `n_images`; unchanged if there are as many already.
    pub(crate) fn filled_up(&self, n_images: usize) -> Self {
        let (own, channels, height, width) = self.0.dim();
        let mut images = Array4::zeros((n_images.max(own), channels, height, width));
        images.slice_mut(s![..own, .., .., ..]).assign(&self.0);
        Self(images.into_shared())
    }

    /// Each image as a batch of its own, in order.
    ///
    /// # Errors
    /// None in practice: a single image has a valid shape.
    pub(crate) fn each(&self) -> Result<Vec<Self>> {
        self.0.axis_chunks_iter(Axis(0), 1).map(|image| Self::new(image.to_owned())).collect()
    }

    /// Checks the batch against a model and a limit; for implementations of [`Engine`].
    ///
    /// # Errors
    /// [`Error::WrongTensorShape`] or [`Error::WrongBatchSize`].
    pub fn check(&self, manifest: &Manifest, max_batch: usize) -> Result<()> {
        let (n_images, channels, height, width) = self.0.dim();
        if [channels, height, width] != manifest.tensor_shape() {
            let [channels, height, width] = manifest.tensor_shape();
            return Err(Error::WrongTensorShape {
                expected: vec![n_images, channels, height, width],
                found: self.0.shape().to_vec(),
            });
        }
        if n_images > max_batch {
            return Err(Error::WrongBatchSize { found: n_images, limit: max_batch });
        }
        Ok(())
    }
}

/// The outputs of a model for a batch; row i belongs to image i.
#[derive(Clone, Debug, PartialEq)]
pub struct Outputs {
    /// Embeddings `[n, d]`, f32, of L2 length 1 when the manifest says normalised.
    pub embeddings: Array2<f32>,
    /// Raw class logits `[n, c]`, f32.
    pub logits: Array2<f32>,
    /// Raw logit of "shows a known type" `[n]`, f32.
    pub known: Array1<f32>,
}

impl Outputs {
    /// Concatenates the rows of several outputs, in order.
    ///
    /// # Errors
    /// [`Error::WrongTensorShape`] if the row lengths differ.
    pub(crate) fn stack(outputs: &[Self]) -> Result<Self> {
        let rows = |values: fn(&Self) -> ArrayView2<'_, f32>| {
            let views: Vec<_> = outputs.iter().map(values).collect();
            ndarray::concatenate(Axis(0), &views).map_err(|_| Error::WrongTensorShape {
                expected: views.first().map(|first| first.shape().to_vec()).unwrap_or_default(),
                found: views.last().map(|last| last.shape().to_vec()).unwrap_or_default(),
            })
        };
        Ok(Self {
            embeddings: rows(|outputs| outputs.embeddings.view())?,
            logits: rows(|outputs| outputs.logits.view())?,
            known: outputs.iter().flat_map(|outputs| &outputs.known).copied().collect(),
        })
    }

    /// The rows of the first `n_images`; there must be at least that many.
    pub(crate) fn first(self, n_images: usize) -> Self {
        Self {
            embeddings: self.embeddings.slice_move(s![..n_images, ..]),
            logits: self.logits.slice_move(s![..n_images, ..]),
            known: self.known.slice_move(s![..n_images]),
        }
    }

    /// Outputs of unit embeddings `[n, d]`, with the scores computed from prototypes.
    ///
    /// # Errors
    /// [`Error::GraphMismatch`] if the embeddings have another length than the prototypes.
    pub(crate) fn from_prototypes(
        manifest: &Manifest,
        prototypes: &PrototypeHead,
        embeddings: Array2<f32>,
    ) -> Result<Self> {
        let (n_images, dimension) = embeddings.dim();
        if dimension != prototypes.dimension() {
            return Err(Error::GraphMismatch {
                model: manifest.name.clone(),
                name: manifest.embedding.output.clone(),
                expected: format!("f32 [{n_images}, {}]", prototypes.dimension()),
                found: format!("f32 [{n_images}, {dimension}]"),
            });
        }
        let (logits, known) = prototypes.score(&embeddings.view());
        Ok(Self { embeddings, logits, known })
    }
}
