//! Embeds photographs and texts in batches.

use std::path::{Path, PathBuf};

use ndarray::{Array1, Array2, Axis};
use partsight_inference::{Engine, ImageBatch, Manifest, PhotoDecoder, Preprocessor, Tensor, Towers};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::{ImportError, ImportStep};
use crate::open_photo;
use crate::with_causes;

/// Batch size: enough for every core, small enough for the memory.
const AT_ONCE: usize = 16;

/// The photographs of a folder, embedded.
#[derive(Debug, Clone)]
pub(super) struct EmbeddedFolder {
    /// The folder's name.
    pub(super) label: String,
    /// Unit embeddings, f32 `[d]` each.
    pub(super) embeddings: Vec<Array1<f32>>,
}

/// The network that computes the embeddings.
pub(super) enum Network {
    /// The towers of a folder that is being imported.
    Towers(Box<Towers>),
    /// The engine of an installed model.
    Engine(Box<dyn Engine>),
}

impl Network {
    /// Embeds images; returns L2-normalised rows `[n, d]`.
    fn embed(&mut self, images: &[Tensor]) -> partsight_inference::Result<Array2<f32>> {
        match self {
            Self::Towers(towers) => towers.embed_images(&ImageBatch::stack(images)?),
            Self::Engine(engine) => {
                let mut rows = Vec::new();
                for images in images.chunks(engine.max_batch().max(1)) {
                    let outputs = engine.run(&ImageBatch::stack(images)?)?;
                    rows.extend(outputs.embeddings.outer_iter().map(|row| row.to_owned()));
                }
                Ok(stack(&rows, engine.manifest().embedding.dimension))
            }
        }
    }
}

/// The network, the preprocessing, and the progress callback.
pub(super) struct Embedder<'a> {
    network: Network,
    preprocessor: Preprocessor,
    decoder: PhotoDecoder,
    progress: &'a dyn Fn(ImportStep),
    unreadable: Vec<(PathBuf, String)>,
}

impl<'a> Embedder<'a> {
    pub(super) fn new(
        network: Network,
        manifest: &Manifest,
        decoder: PhotoDecoder,
        progress: &'a dyn Fn(ImportStep),
    ) -> Result<Self, ImportError> {
        let preprocessor = Preprocessor::new(manifest)?;
        Ok(Self { network, preprocessor, decoder, progress, unreadable: Vec::new() })
    }

    /// The embedding of each photograph; `None` for an unreadable one, which is recorded.
    pub(super) fn photos(
        &mut self,
        what: &'static str,
        paths: &[&Path],
    ) -> Result<Vec<Option<Array1<f32>>>, ImportError> {
        let mut embeddings = Vec::with_capacity(paths.len());
        for chunk in paths.chunks(AT_ONCE) {
            (self.progress)(ImportStep { what, done: embeddings.len(), total: paths.len() });
            // Decoded on all cores; then the network takes the chunk in one run.
            let prepared: Vec<Result<Tensor, String>> = chunk
                .par_iter()
                .map(|path| match open_photo(path, &self.decoder) {
                    Ok(photo) => Ok(self.preprocessor.tensor(&photo)),
                    Err(error) => Err(with_causes(&error)),
                })
                .collect();
            let tensors: Vec<Tensor> = prepared.iter().flatten().cloned().collect();
            let mut rows = if tensors.is_empty() {
                Vec::new()
            } else {
                let rows = self.network.embed(&tensors)?;
                rows.outer_iter().map(|row| row.to_owned()).collect()
            }
            .into_iter();
            // Only readable photographs have a row, in the same order.
            for (path, outcome) in chunk.iter().zip(prepared) {
                embeddings.push(match outcome {
                    Ok(_) => rows.next(),
                    Err(reason) => {
                        self.unreadable.push(((*path).to_owned(), reason));
                        None
                    }
                });
            }
        }
        (self.progress)(ImportStep { what, done: paths.len(), total: paths.len() });
        Ok(embeddings)
    }

    /// The embeddings `[n, d]` of texts.
    pub(super) fn texts(&mut self, texts: &[String]) -> Result<Array2<f32>, ImportError> {
        // The engine of a model has no text tower; no caller asks it for texts.
        let Network::Towers(towers) = &mut self.network else { return Ok(Array2::zeros((0, 0))) };
        let mut rows = Vec::with_capacity(texts.len());
        for chunk in texts.chunks(AT_ONCE) {
            (self.progress)(ImportStep { what: "reading texts", done: rows.len(), total: texts.len() });
            let chunk: Vec<&str> = chunk.iter().map(String::as_str).collect();
            rows.extend(towers.embed_texts(&chunk)?.outer_iter().map(|row| row.to_owned()));
        }
        (self.progress)(ImportStep { what: "reading texts", done: texts.len(), total: texts.len() });
        Ok(stack(&rows, towers.dimension()))
    }

    /// The embeddings of the photographs in these folders; unreadable ones are left out and recorded.
    pub(super) fn folders<'p>(
        &mut self,
        what: &'static str,
        folders: impl Iterator<Item = (&'p str, &'p [PathBuf])>,
    ) -> Result<Vec<EmbeddedFolder>, ImportError> {
        let folders: Vec<(&str, &[PathBuf])> = folders.collect();
        let paths: Vec<&Path> = folders.iter().flat_map(|(_, paths)| *paths).map(PathBuf::as_path).collect();
        let mut embeddings = self.photos(what, &paths)?.into_iter();
        let folder = |(label, paths): (&str, &[PathBuf])| EmbeddedFolder {
            label: label.to_owned(),
            // Lazy: takes those of this folder, in the order of the folders.
            embeddings: embeddings.by_ref().take(paths.len()).flatten().collect(),
        };
        Ok(folders.into_iter().map(folder).collect())
    }

    /// Callback for progress.
    pub(super) fn progress(&self) -> &'a dyn Fn(ImportStep) {
        self.progress
    }

    /// The photographs that could not be read so far.
    pub(super) fn into_unreadable(self) -> Vec<(PathBuf, String)> {
        self.unreadable
    }
}

/// Stacks rows of one length into an array `[n, d]`.
pub(super) fn stack(rows: &[Array1<f32>], dimension: usize) -> Array2<f32> {
    let mut all = Array2::zeros((rows.len(), dimension));
    for (mut into, row) in all.axis_iter_mut(Axis(0)).zip(rows) {
        into.assign(row);
    }
    all
}
