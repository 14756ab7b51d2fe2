//! The sample of photographs for fitting references.

use ndarray::{Array1, Array2, Axis};
use partsight_domain::SeededRng;
use partsight_inference::PrototypeHead;

use super::super::embed::{EmbeddedFolder, stack};
use super::super::labels::NOT_A_PART;

/// Most photographs of a type; more would take longer and add little.
pub(super) const MOST_OF_TYPE: usize = 30;
/// Most everyday photographs.
const MOST_EVERYDAY: usize = 150;
/// Cosine from which two photographs of a type are the same file: rounding moves embeddings of one file by less.
const SAME_PHOTO: f32 = 0.99999;
/// Cosine from which a prototype counts as the mean of these photographs.
const SAME_PROTOTYPE: f32 = 0.99999;

/// Labelled photographs with their model outputs.
#[derive(Debug)]
pub(in super::super) struct Sample {
    pub(super) types: Vec<SampleType>,
    /// Photographs of no part: unit embeddings f32 `[d]`, with their background energy.
    pub(super) everyday: Vec<SamplePhoto>,
}

/// The photographs of one type.
#[derive(Debug)]
pub(super) struct SampleType {
    /// Its class index; `None` for a type that the model has not learnt.
    pub(super) class: Option<usize>,
    pub(super) photos: Vec<SamplePhoto>,
}

/// One photograph.
#[derive(Debug, Clone)]
pub(super) struct SamplePhoto {
    /// f32 `[d]`, of L2 length 1.
    pub(super) embedding: Array1<f32>,
    /// Logits of all classes, `[c]`; that of its own class by `own_prototype`.
    pub(super) logits: Vec<f32>,
    /// The background energy, which is subtracted for the raw known score.
    pub(super) background: f64,
    /// The prototype of its own class without this photograph, f32 `[d]` (leave-one-out). `None` if there is none: a
    /// type without a class, or a class with only this photograph.
    pub(super) own_prototype: Option<Array1<f32>>,
}

impl Sample {
    /// Groups folders by label: those in `labels` are the classes of `head`, in order, `not-a-part` holds everyday
    /// photographs, and all others are types that the model has not learnt.
    ///
    /// If a prototype is the mean of a folder's photographs, each of these is scored with the mean of the others:
    /// otherwise it would be nearer to its class than a new photograph. Copies are left out.
    pub(in super::super) fn new(
        head: &PrototypeHead,
        labels: &[String],
        sources: &[Vec<EmbeddedFolder>],
    ) -> Self {
        let mut named: Vec<(&str, SampleType)> = Vec::new();
        let mut everyday = Vec::new();
        for folder in sources.iter().flatten() {
            if folder.label == NOT_A_PART {
                everyday.extend(folder.embeddings.iter().map(|embedding| photo(head, embedding, None, None)));
                continue;
            }
            let class = labels.iter().position(|label| *label == folder.label);
            let photos = photos_of(head, class, &folder.embeddings);
            match named.iter_mut().find(|(label, _)| *label == folder.label) {
                Some((_, earlier)) => earlier.photos.extend(photos),
                None => named.push((&folder.label, SampleType { class, photos })),
            }
        }
        // Sorted, so that the order of the folders does not matter.
        named.sort_by(|a, b| a.0.cmp(b.0));
        let mut rng = SeededRng::new(1);
        let types = named.into_iter().map(|(_, SampleType { class, photos })| SampleType {
            class,
            photos: chosen(photos, MOST_OF_TYPE, &mut rng),
        });
        let types = types.collect();
        Self { types, everyday: chosen(everyday, MOST_EVERYDAY, &mut rng) }
    }

    /// The types with at least `least_photos` photographs.
    pub(super) fn types_with_at_least(&self, least_photos: usize) -> Vec<usize> {
        (0..self.types.len()).filter(|&at| self.types[at].photos.len() >= least_photos).collect()
    }
}

fn photos_of(head: &PrototypeHead, class: Option<usize>, embeddings: &[Array1<f32>]) -> Vec<SamplePhoto> {
    let Some(class) = class else {
        return embeddings.iter().map(|embedding| photo(head, embedding, None, None)).collect();
    };
    let prototype = head.classes().row(class);
    let total = stack(embeddings, head.dimension()).sum_axis(Axis(0));
    let is_mean = unit(total.clone()).is_some_and(|mean| mean.dot(&prototype) >= SAME_PROTOTYPE);
    let of_photo = |embedding: &Array1<f32>| {
        // Without its only photograph a class has no prototype.
        let own = if is_mean { unit(&total - embedding) } else { Some(prototype.to_owned()) };
        photo(head, embedding, Some(class), own.filter(|_| !is_mean || embeddings.len() > 1))
    };
    embeddings.iter().map(of_photo).collect()
}

fn photo(
    head: &PrototypeHead,
    embedding: &Array1<f32>,
    class: Option<usize>,
    own_prototype: Option<Array1<f32>>,
) -> SamplePhoto {
    let row: Array2<f32> = embedding.clone().insert_axis(Axis(0));
    let (logits, _) = head.score(&row.view());
    let mut logits = logits.row(0).to_vec();
    if let (Some(class), Some(own)) = (class, &own_prototype) {
        logits[class] = head.logit(&own.view(), &embedding.view());
    }
    let background = head.background_energies(&row.view()).first().copied().unwrap_or_default();
    SamplePhoto { embedding: embedding.clone(), logits, background, own_prototype }
}

/// Normalises to length 1; `None` for a zero vector.
fn unit(vector: Array1<f32>) -> Option<Array1<f32>> {
    let length = vector.dot(&vector).sqrt();
    (length > 1e-6).then(|| vector / length)
}

/// A random choice of at most `most` photographs, without copies.
fn chosen(mut photos: Vec<SamplePhoto>, most: usize, rng: &mut SeededRng) -> Vec<SamplePhoto> {
    rng.shuffle(&mut photos);
    let mut kept: Vec<SamplePhoto> = Vec::new();
    for photo in photos {
        let is_copy = |earlier: &SamplePhoto| earlier.embedding.dot(&photo.embedding) >= SAME_PHOTO;
        if kept.len() < most && !kept.iter().any(is_copy) {
            kept.push(photo);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    fn towards(angle: f32) -> Array1<f32> {
        array![angle.cos(), angle.sin()]
    }

    fn folder(label: &str, angles: &[f32]) -> EmbeddedFolder {
        EmbeddedFolder { label: label.to_owned(), embeddings: angles.iter().map(|&a| towards(a)).collect() }
    }

    /// Two classes: the mean of 0.1 and 0.3, and 1.5.
    fn head() -> PrototypeHead {
        let rows = ndarray::stack(Axis(0), &[towards(0.2).view(), towards(1.5).view()]).unwrap();
        PrototypeHead::new("test", rows, None, 10.0).unwrap()
    }

    fn labels() -> [String; 2] {
        ["rim", "piston"].map(str::to_owned)
    }

    #[test]
    fn a_photograph_that_made_its_prototype_is_asked_for_without_itself() {
        let folders = vec![folder("rim", &[0.1, 0.3]), folder("piston", &[1.3]), folder("muffler", &[2.0])];
        let sample = Sample::new(&head(), &labels(), &[folders]);
        // By label: muffler, piston, rim.
        let [muffler, piston, rim] = sample.types.as_slice() else { panic!("{sample:?}") };
        assert_eq!((muffler.class, piston.class, rim.class), (None, Some(1), Some(0)));
        for photo in &rim.photos {
            // The mean of two without one of them is the other, 0.2 away.
            assert!((photo.logits[0] - 10.0 * 0.2_f32.cos()).abs() < 1e-4, "{photo:?}");
        }
        // The prototype of this one was made of other photographs.
        assert!((piston.photos[0].logits[1] - 10.0 * 0.2_f32.cos()).abs() < 1e-4, "{piston:?}");
        assert!(muffler.photos[0].own_prototype.is_none());
    }

    #[test]
    fn the_only_photograph_of_a_class_cannot_be_asked_for() {
        let sample = Sample::new(&head(), &labels(), &[vec![folder("piston", &[1.5])]]);
        assert!(sample.types[0].photos[0].own_prototype.is_none());
    }

    #[test]
    fn copies_count_once_and_everyday_photographs_are_no_type() {
        let sources = [
            vec![folder("rim", &[0.1, 0.3]), folder("not-a-part", &[3.0])],
            vec![folder("rim", &[0.3, 0.5]), folder("not-a-part", &[3.0, 3.1])],
        ];
        let sample = Sample::new(&head(), &labels(), &sources);
        assert_eq!((sample.types.len(), sample.types[0].photos.len(), sample.everyday.len()), (1, 3, 2));
        assert_eq!(sample.types_with_at_least(3), [0]);
        assert!(sample.types_with_at_least(4).is_empty());
    }
}
