//! Prototypes: one unit vector for each class, from texts or photographs.

use ndarray::Array1;
use partsight_catalog::Catalog;
use partsight_inference::{Manifest, PrototypeHead, unit_mean};

use super::embed::{EmbeddedFolder, Embedder, stack};
use super::labels::{LabelledPhotos, NOT_A_PART};
use super::{ImportError, Prompts, PrototypeSource};

/// Most photographs of `not-a-part` that become background: each is compared with every photograph later on.
const MAX_BACKGROUND_PHOTOS: usize = 256;

/// The normalised mean of the embeddings of each type's texts (prompt ensembling, Radford et al. 2021), and the
/// background's texts one by one.
pub(super) fn from_texts(
    embedder: &mut Embedder<'_>,
    manifest: &Manifest,
    prompts: &Prompts,
    labels: &[String],
    catalog: &Catalog,
) -> Result<(PrototypeHead, PrototypeSource), ImportError> {
    let of_label: Vec<Vec<String>> = labels.iter().map(|label| prompts.of(label, catalog)).collect();
    // Texts of one type are contiguous, in the order of the labels; the background comes last.
    let texts: Vec<String> = of_label.iter().flatten().chain(&prompts.background).cloned().collect();
    let embeddings = embedder.texts(&texts)?;
    let mut start = 0;
    let mut classes = Vec::with_capacity(labels.len());
    for (label, texts) in labels.iter().zip(&of_label) {
        let rows = embeddings.slice(ndarray::s![start..start + texts.len(), ..]);
        classes.push(unit_mean(&rows).ok_or_else(|| ImportError::NoDirection(label.clone()))?);
        start += texts.len();
    }
    let background: Vec<Array1<f32>> =
        embeddings.outer_iter().skip(start).map(|row| row.to_owned()).collect();
    Ok((head(manifest, &classes, &background)?, PrototypeSource::Texts(texts.len())))
}

/// The normalised mean of the embeddings of each class's photographs, and those of `not-a-part` one by one; also
/// returns the embeddings.
pub(super) fn from_photos(
    embedder: &mut Embedder<'_>,
    manifest: &Manifest,
    photos: &LabelledPhotos,
    labels: &[String],
) -> Result<(PrototypeHead, PrototypeSource, Vec<EmbeddedFolder>), ImportError> {
    let others = photos.of(NOT_A_PART);
    let others = &others[..others.len().min(MAX_BACKGROUND_PHOTOS)];
    let of_labels = labels.iter().map(|label| (label.as_str(), photos.of(label)));
    let folders = embedder.folders("reading photographs", of_labels.chain([(NOT_A_PART, others)]))?;
    let (mut classes, mut empty) = (Vec::new(), Vec::new());
    for (label, folder) in labels.iter().zip(&folders) {
        // All of them are named at once, so that one attempt shows all.
        if folder.embeddings.is_empty() {
            empty.push(label.clone());
            continue;
        }
        let mean = unit_mean(&stack(&folder.embeddings, manifest.embedding.dimension).view());
        classes.push(mean.ok_or_else(|| ImportError::NoDirection(label.clone()))?);
    }
    if !empty.is_empty() {
        return Err(ImportError::EmptyClasses { folder: photos.folder.clone(), labels: empty });
    }
    let n_photos = folders.iter().map(|folder| folder.embeddings.len()).sum();
    // After the folders of the labels.
    let background = folders.last().map_or(&[][..], |folder| folder.embeddings.as_slice());
    Ok((head(manifest, &classes, background)?, PrototypeSource::Photos(n_photos), folders))
}

fn head(
    manifest: &Manifest,
    classes: &[Array1<f32>],
    background: &[Array1<f32>],
) -> Result<PrototypeHead, ImportError> {
    let dimension = manifest.embedding.dimension;
    let scale = manifest.prototypes.as_ref().map_or(1.0, |prototypes| prototypes.scale);
    let background = (!background.is_empty()).then(|| stack(background, dimension));
    Ok(PrototypeHead::new(&manifest.name, stack(classes, dimension), background, scale)?)
}
