//! Photographs and texts to embeddings, a few at a time.

use std::path::{Path, PathBuf};

use ndarray::{Array1, Array2, Axis};
use partsight_inference::{ImageBatch, Manifest, PhotoDecoder, Preprocessor, Tensor, Towers};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::{ImportError, ImportStep};
use crate::error::with_causes;
use crate::open_photo;

/// Photographs or texts at a time: enough for every core, little enough for the memory.
const AT_ONCE: usize = 16;

/// The towers, the preparation of photographs, and who is told of progress.
pub(super) struct Embedder<'a> {
    towers: Towers,
    preprocessor: Preprocessor,
    decoder: PhotoDecoder,
    progress: &'a dyn Fn(ImportStep),
    unreadable: Vec<(PathBuf, String)>,
}

impl<'a> Embedder<'a> {
    pub(super) fn new(
        towers: Towers,
        manifest: &Manifest,
        decoder: PhotoDecoder,
        progress: &'a dyn Fn(ImportStep),
    ) -> Result<Self, ImportError> {
        let preprocessor = Preprocessor::new(manifest)?;
        Ok(Self { towers, preprocessor, decoder, progress, unreadable: Vec::new() })
    }

    /// The embedding of each photograph, or `None` for one that cannot be read, which is noted.
    pub(super) fn photos(
        &mut self,
        what: &'static str,
        paths: &[&Path],
    ) -> Result<Vec<Option<Array1<f32>>>, ImportError> {
        let mut embeddings = Vec::with_capacity(paths.len());
        for chunk in paths.chunks(AT_ONCE) {
            (self.progress)(ImportStep { what, done: embeddings.len(), total: paths.len() });
            // Decoded on all cores; the network then takes the chunk in one run.
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
                let rows = self.towers.embed_images(&ImageBatch::stack(&tensors)?)?;
                rows.outer_iter().map(|row| row.to_owned()).collect()
            }
            .into_iter();
            // Only photographs that could be read have a row, in the same order.
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
        let mut rows = Vec::with_capacity(texts.len());
        for chunk in texts.chunks(AT_ONCE) {
            (self.progress)(ImportStep { what: "reading texts", done: rows.len(), total: texts.len() });
            let chunk: Vec<&str> = chunk.iter().map(String::as_str).collect();
            rows.extend(self.towers.embed_texts(&chunk)?.outer_iter().map(|row| row.to_owned()));
        }
        (self.progress)(ImportStep { what: "reading texts", done: texts.len(), total: texts.len() });
        Ok(stack(&rows, self.towers.dimension()))
    }

    /// The photographs that could not be read so far.
    pub(super) fn into_unreadable(self) -> Vec<(PathBuf, String)> {
        self.unreadable
    }
}

/// Rows of one length as an array `[n, d]`.
pub(super) fn stack(rows: &[Array1<f32>], dimension: usize) -> Array2<f32> {
    let mut all = Array2::zeros((rows.len(), dimension));
    for (mut into, row) in all.axis_iter_mut(Axis(0)).zip(rows) {
        into.assign(row);
    }
    all
}
