//! Checks whether a photograph is a good reference.

use std::collections::{BTreeMap, BTreeSet};

use partsight_domain::{
    CandidateSet, Conditions, InvalidInput, LookAlikes, NearReference, OpinionPool, PartLabel, RawScores,
    ReferenceId, Verdict,
};
use partsight_inference::{Fingerprint, Photo, ReferenceSimilarities};
use partsight_store::StoredReference;

use super::draft::Draft;
use crate::Identifier;
use crate::parts::part_types::PartTypes;
use crate::resembled::Resembled;

/// Standard deviation of the brightness (0 to 255) below which a photograph is blank: a wall in even light has 3 to
/// 8, a lens cap about 1.
const BLANK_DEVIATION: f64 = 2.0;
/// Bits of 240 in which the fingerprints of two copies of a photograph may differ; the same value finds copies among
/// training photographs.
const COPY_DISTANCE: u32 = 12;

/// Why a photograph is no good reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Problem {
    /// It shows nothing but one colour.
    Blank,
    /// It is a copy of an earlier photograph of the same call, by its index.
    CopyOfPhoto(usize),
    /// It is a copy of a reference of its part.
    CopyOfReference(ReferenceId),
    /// The model in use has no fitted references.
    CannotBeTaught,
}

impl Problem {
    /// One or two sentences about the photograph; `subject` names it, such as "The photo".
    pub(crate) fn sentence(&self, subject: &str) -> String {
        let picture = |id: &ReferenceId| format!("/api/catalog/references/{id}/thumbnail");
        match self {
            Self::Blank => {
                format!("{subject} shows nothing but one colour. Please send one that shows the part.")
            }
            Self::CopyOfPhoto(_) => {
                format!(
                    "{subject} is the same picture as an earlier one. Please send different views of the part."
                )
            }
            Self::CopyOfReference(id) => format!(
                "{subject} has been taught already ({}). Please send another view of the part.",
                picture(id)
            ),
            Self::CannotBeTaught => {
                "The model of this server cannot be taught: it has no `[references]` in its `model.toml`. For an \
                 imported model, `partsight models fit-references` makes it."
                    .to_owned()
            }
        }
    }

    /// The refusal of the photograph of this index in a form.
    pub(super) fn of_photo(&self, index: usize) -> InvalidInput {
        let text = match self {
            Self::CopyOfPhoto(other) => format!(
                "Photos {} and {} are the same picture. Please send different views of the part.",
                other + 1,
                index + 1
            ),
            other => other.sentence(&format!("Photo {}", index + 1)),
        };
        InvalidInput::new("image", text)
    }
}

/// Whether a photograph shows nothing but one colour.
pub(crate) fn is_blank(photo: &Photo) -> bool {
    // Every 16th pixel is enough, and a photograph may have 64 million.
    let brightness = || {
        photo
            .rgb()
            .as_chunks::<3>()
            .0
            .iter()
            .step_by(16)
            // Luma of ITU-R BT.601.
            .map(|&[r, g, b]| 0.299 * f64::from(r) + 0.587 * f64::from(g) + 0.114 * f64::from(b))
    };
    let n = brightness().count().max(1) as f64;
    let mean = brightness().sum::<f64>() / n;
    let variance = brightness().map(|value| (value - mean).powi(2)).sum::<f64>() / n;
    variance.sqrt() < BLANK_DEVIATION
}

/// Whether two photographs are copies, by their fingerprints and their embeddings in the reference space.
pub(crate) fn is_copy(
    similarities: &ReferenceSimilarities,
    one: (&Fingerprint, &[f32]),
    other: (&Fingerprint, &[f32]),
) -> bool {
    one.0.distance_within(other.0, COPY_DISTANCE).is_some_and(|distance| {
        // The fingerprint of a picture with few edges is near to any other of that kind.
        distance <= one.0.set_bits() / 4
    }) || dot(one.1, other.1) >= similarities.copy
}

/// Finds the reference of its part, or the earlier photograph of the call, that a photograph is a copy of.
pub(super) fn copy(
    similarities: &ReferenceSimilarities,
    label: &PartLabel,
    index: usize,
    drafts: &[Draft],
    existing: &[(StoredReference, Vec<f32>)],
) -> Option<Problem> {
    let draft = &drafts[index];
    let is_copy_of = |fingerprint: &Fingerprint, embedding: &[f32]| {
        is_copy(similarities, (&draft.fingerprint, &draft.embedding), (fingerprint, embedding))
    };
    // Only earlier ones, so that one of two copies is kept.
    if let Some(other) =
        drafts[..index].iter().position(|other| is_copy_of(&other.fingerprint, &other.embedding))
    {
        return Some(Problem::CopyOfPhoto(other));
    }
    let mut own = existing.iter().filter(|(reference, _)| reference.label == *label);
    own.find(|(reference, embedding)| {
        let fingerprint = <&[u8; Fingerprint::BYTES]>::try_from(reference.fingerprint.as_slice());
        fingerprint.is_ok_and(|bytes| is_copy_of(&Fingerprint::from_bytes(bytes), embedding))
    })
    .map(|(reference, _)| Problem::CopyOfReference(reference.id))
}

/// Parts that a photograph may resemble without a question.
pub(super) struct Accepted<'a> {
    /// Marked pairs.
    pub(super) look_alikes: &'a LookAlikes,
    /// Parts that are to be marked as its look-alikes.
    pub(super) others: &'a BTreeSet<PartLabel>,
}

/// Finds the part that a photograph resembles more than its own, except those that are `accepted` as its look-alikes.
///
/// That is another part whose references' mean is nearer than that of the part's own other references. If the
/// photograph is far from its own references, or the first, it is also the part as which it would be identified,
/// alone or as one of several marked look-alikes.
pub(super) fn resembled(
    identifier: &Identifier,
    label: &PartLabel,
    index: usize,
    drafts: &[Draft],
    existing: &[(StoredReference, Vec<f32>)],
    types: &PartTypes,
    accepted: &Accepted<'_>,
) -> Option<Resembled> {
    let draft = &drafts[index];
    let look_alikes = accepted.look_alikes;
    let accepted =
        |other: &PartLabel| accepted.others.contains(other) || look_alikes.are_marked(label, other);
    let mut others: BTreeMap<&PartLabel, Vec<&(StoredReference, Vec<f32>)>> = BTreeMap::new();
    for row in
        existing.iter().filter(|(reference, _)| reference.label != *label && !accepted(&reference.label))
    {
        others.entry(&row.0.label).or_default().push(row);
    }
    let beside = drafts.iter().enumerate().filter(|(other, _)| *other != index);
    let own: Vec<&[f32]> = beside
        .map(|(_, other)| other.embedding.as_slice())
        .chain(existing.iter().filter(|(reference, _)| reference.label == *label).map(|(_, e)| e.as_slice()))
        .collect();
    let own_similarity = centre_similarity(&own, &draft.embedding);
    let nearest_centre = others
        .iter()
        .filter_map(|(other, rows)| {
            let embeddings: Vec<&[f32]> = rows.iter().map(|row| row.1.as_slice()).collect();
            Some((*other, centre_similarity(&embeddings, &draft.embedding)?))
        })
        .max_by(|a, b| a.1.total_cmp(&b.1));
    let mut looks_like = match (nearest_centre, own_similarity) {
        (Some((other, similarity)), Some(own)) if similarity > own => Some(other.clone()),
        _ => None,
    };
    let least = identifier.reference_similarities().own;
    let is_alone = own_similarity.is_none_or(|own| own < least);
    // Then the answer of a scan decides, the model's own classes included.
    if looks_like.is_none() && is_alone && draft.scores.is_some() {
        let mut near: Vec<NearReference> = others
            .values()
            .flatten()
            .map(|(reference, embedding)| NearReference {
                label: reference.label.clone(),
                category: reference.category,
                score: dot(embedding, &draft.embedding),
                embedding: embedding.clone(),
            })
            .collect();
        // Sorted nearest first, as an index returns them.
        near.sort_by(|a, b| b.score.total_cmp(&a.score));
        let (logits, known) = draft.scores.as_ref()?;
        let near = identifier.near_references(near, &draft.embedding);
        let scores = identifier.scorer().photograph(RawScores { logits, known: *known }, &near);
        let conditions = Conditions::of_model(identifier.thresholds(), 1)
            .with_taught(identifier.scorer().taught())
            .with_look_alikes(look_alikes);
        let decision = OpinionPool::of_one(scores).decide(&conditions)?;
        let best = &decision.best.label;
        // Two look-alikes share the probability, so neither would be identified alone.
        let is_one_of_several = decision.candidate_set.as_ref().is_some_and(CandidateSet::is_of_look_alikes);
        let is_another = decision.verdict == Verdict::Identified || is_one_of_several;
        if is_another && best != label && !accepted(best) {
            looks_like = Some(decision.best.label);
        }
    }
    let other = looks_like?;
    let nearest = others
        .get(&other)
        .into_iter()
        .flatten()
        .max_by(|a, b| dot(&a.1, &draft.embedding).total_cmp(&dot(&b.1, &draft.embedding)));
    Some(Resembled {
        name: types.name(&other),
        nearest: nearest.map(|(reference, _)| reference.id),
        label: other,
    })
}

/// Cosine similarity of an embedding and the mean of others; `None` without others, or if they cancel out.
fn centre_similarity(others: &[&[f32]], embedding: &[f32]) -> Option<f32> {
    let mut centre = vec![0.0_f32; embedding.len()];
    for other in others {
        centre.iter_mut().zip(*other).for_each(|(sum, value)| *sum += value);
    }
    let length = dot(&centre, &centre).sqrt();
    (length > 1e-6).then(|| dot(&centre, embedding) / length)
}

/// The dot product, which is the cosine of vectors of length 1.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use partsight_inference::PhotoFormat;

    use super::*;

    fn photo(pixel: impl Fn(usize) -> u8) -> Photo {
        Photo::from_rgb(64, 64, (0..64 * 64 * 3).map(pixel).collect(), PhotoFormat::Png).unwrap()
    }

    #[test]
    fn one_colour_is_blank_and_a_picture_is_not() {
        assert!(is_blank(&photo(|_| 0)));
        assert!(is_blank(&photo(|index| 200 + (index / 3 % 2) as u8)), "noise of one step");
        assert!(!is_blank(&photo(|index| (index / 192) as u8 * 4)));
    }

    #[test]
    fn a_centre_is_the_mean_direction() {
        let near = |a: Option<f32>, b: f32| a.is_some_and(|a| (a - b).abs() < 1e-6);
        let (x, y) = ([1.0, 0.0], [0.0, 1.0]);
        assert!(near(centre_similarity(&[&x, &y], &x), 0.5_f32.sqrt()));
        assert_eq!(centre_similarity(&[], &x), None);
        assert_eq!(centre_similarity(&[&x, &[-1.0, 0.0]], &y), None);
    }
}
