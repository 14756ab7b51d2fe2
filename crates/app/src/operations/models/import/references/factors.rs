//! The factors of `[references]`: the odds and the known score of a taught part, and the offset for references of
//! learnt types.

use partsight_domain::{ModelCalibration, NearReference, NearReferences, PartLabel, RawScores, Scorer};
use partsight_inference::calibration::{
    Asked, ReferenceOdds, fit_platt, fit_reference_odds, threshold_with_share_below,
};

use super::super::calibrate::KNOWN_CALLED_NOT_A_PART;
use super::episodes::{Episode, OpenEpisode, Truth, dot};
use super::sample::Sample;
use super::{MIN_PHOTOS, Measured, calibration_by};
use crate::recognition::identify::calibration_of;

/// Share of the photographs of learnt types in the fit: shops photograph them more often.
pub(super) const LEARNT_SHARE: f64 = 0.8;
/// Query photographs of a learnt type in an episode.
const ASKED_OF_LEARNT: usize = 10;
/// Candidate offsets, which are subtracted from the logit of references of a learnt type. From about 5 on they have
/// hardly any effect.
const LEARNT_OFFSETS: [f64; 7] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 8.0];
/// References that a photograph is compared with while the offset is chosen.
const MOST_NEAR: usize = 50;
/// References of each learnt type while the offset is chosen.
const LEARNT_REFERENCES: usize = 3;

/// The factors that are fitted together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Factors {
    pub(super) score_scale: f64,
    pub(super) class_scale: f64,
    pub(super) score_bias: f64,
    pub(super) known_scale: f64,
    pub(super) known_bias: f64,
}

/// The similarities of one episode.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen {
    asked: Vec<Asked>,
    /// Photographs of nothing that was taught: similarity to the nearest taught type.
    others: Vec<f32>,
}

/// Runs the queries of each episode.
pub(super) fn ask(sample: &Sample, measured: &Measured<'_>, episodes: &[Episode]) -> Vec<Seen> {
    let open = episodes.iter().filter_map(|episode| {
        let open = OpenEpisode::new(sample, measured.head, episode)?;
        Some((open, episode.taught.len()))
    });
    open.map(|(open, n_taught)| seen(&open, n_taught)).collect()
}

fn seen(episode: &OpenEpisode<'_>, n_taught: usize) -> Seen {
    let is_asked =
        |truth: Truth, _: usize, place: usize| !matches!(truth, Truth::Class(_)) || place < ASKED_OF_LEARNT;
    let found = episode.each(is_asked, |query| {
        (query.truth, query.similarities(n_taught), f64::from(query.near.class_similarity))
    });
    let count = |is_counted: fn(&Truth) -> bool| {
        found.iter().filter(|(truth, ..)| is_counted(truth)).count().max(1) as f64
    };
    let of_taught = (1.0 - LEARNT_SHARE) / count(|truth| matches!(truth, Truth::Taught(_)));
    let of_learnt = LEARNT_SHARE / count(|truth| matches!(truth, Truth::Class(_)));
    let mut seen = Seen::default();
    for (truth, similarities, class_similarity) in found {
        let (taught, weight) = match truth {
            Truth::Taught(place) => (Some(place), of_taught),
            Truth::Class(_) => (None, of_learnt),
            Truth::Stranger | Truth::Everyday => {
                seen.others.push(similarities.iter().copied().fold(-1.0, f64::max) as f32);
                continue;
            }
        };
        seen.asked.push(Asked { similarities, class_similarity, taught, weight });
    }
    seen
}

/// The best factors; `None` if photographs of a type are no nearer to each other than to others.
///
/// `not_a_part_below` is the known score, 0 to 1, below which a photograph is called no part.
pub(super) fn fit(seen: &[Seen], not_a_part_below: f64) -> Option<Factors> {
    let asked: Vec<Asked> = seen.iter().flat_map(|seen| &seen.asked).cloned().collect();
    let others: Vec<f32> = seen.iter().flat_map(|seen| &seen.others).copied().collect();
    let odds = fit_reference_odds(&asked)?;
    let found: Vec<f64> = asked.iter().filter_map(|photo| similarity_if_found(photo, &odds)).collect();
    let similarities: Vec<f32> = found.iter().map(|similarity| *similarity as f32).collect();
    let mut known = fit_platt(&similarities, &others).ok()?;
    if not_a_part_below > 0.0 {
        // As few of them are called no part as of the learnt types.
        let lowest = threshold_with_share_below(&found, KNOWN_CALLED_NOT_A_PART);
        known.bias = (not_a_part_below / (1.0 - not_a_part_below)).ln() - known.scale * lowest;
    }
    Some(Factors {
        score_scale: odds.score_scale,
        class_scale: odds.class_scale,
        score_bias: odds.score_bias,
        known_scale: known.scale,
        known_bias: known.bias,
    })
}

/// The similarity of a photograph of a taught type to its own references, if the type is more probable than the other
/// taught ones and than all classes together: the known score of references counts only for the best answer.
fn similarity_if_found(photo: &Asked, odds: &ReferenceOdds) -> Option<f64> {
    let own = photo.similarities[photo.taught?];
    let logit = odds.score_scale * own - odds.class_scale * photo.class_similarity + odds.score_bias;
    let is_nearest = photo.similarities.iter().all(|other| *other <= own);
    (is_nearest && logit > 0.0).then_some(own)
}

/// The smallest offset with which references of learnt types keep all right answers; the largest if none does.
pub(super) fn learnt_offset(sample: &Sample, measured: &Measured<'_>, factors: &Factors) -> f64 {
    let greatest = LEARNT_OFFSETS[LEARNT_OFFSETS.len() - 1];
    // Nothing is left out, and only learnt types have references.
    let episode = Episode { taught: Vec::new(), strangers: Vec::new() };
    let Some(open) = OpenEpisode::new(sample, measured.head, &episode) else { return greatest };
    let references: Vec<(PartLabel, Vec<f32>)> = sample
        .types
        .iter()
        .filter(|of_type| of_type.photos.len() >= MIN_PHOTOS)
        .filter_map(|of_type| Some((class_label(of_type.class?)?, &of_type.photos[..LEARNT_REFERENCES])))
        .flat_map(|(label, photos)| photos.iter().map(move |photo| (label.clone(), photo)))
        .filter_map(|(label, photo)| Some((label, open.space.place(&photo.embedding.to_vec())?)))
        .collect();
    let without = class_scorer(0..measured.head.n_classes(), calibration_of(measured.calibration));
    let with =
        LEARNT_OFFSETS.map(|offset| without.clone().with_references(Some(calibration_by(factors, offset))));
    let is_asked = |truth: Truth, _: usize, place: usize| {
        let asked = LEARNT_REFERENCES..LEARNT_REFERENCES + ASKED_OF_LEARNT;
        matches!(truth, Truth::Class(_)) && asked.contains(&place)
    };
    let found = open.each(is_asked, |query| {
        let Truth::Class(class) = query.truth else { return None };
        let near = nearest(&references, &open.space.place(&query.photo.embedding.to_vec())?);
        let near = NearReferences { references: near, ..query.near.clone() };
        let is_right = |scorer: &Scorer| {
            let raw = RawScores { logits: &query.photo.logits, known: 0.0 };
            let best = scorer.photograph(raw, &near).ranking(1);
            best.first().map(|best| &best.label) == class_label(class).as_ref()
        };
        Some((is_right(&without), with.each_ref().map(is_right)))
    });
    let n_without = found.iter().flatten().filter(|(is_right, _)| *is_right).count();
    let n_with = |at: usize| found.iter().flatten().filter(|(_, are_right)| are_right[at]).count();
    let keeps = |at: &usize| n_with(*at) >= n_without;
    (0..LEARNT_OFFSETS.len()).find(keeps).map_or(greatest, |at| LEARNT_OFFSETS[at])
}

/// The references nearest to an embedding in the reference space, the nearest first.
fn nearest(references: &[(PartLabel, Vec<f32>)], placed: &[f32]) -> Vec<NearReference> {
    let mut order: Vec<(f32, usize)> =
        references.iter().enumerate().map(|(at, (_, embedding))| (dot(embedding, placed), at)).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    // Those farther away have no influence.
    order.truncate(MOST_NEAR);
    let reference = |(score, at): (f32, usize)| NearReference {
        label: references[at].0.clone(),
        category: None,
        score,
        embedding: references[at].1.clone(),
    };
    order.into_iter().map(reference).collect()
}

/// A label for a class of the model.
pub(super) fn class_label(class: usize) -> Option<PartLabel> {
    PartLabel::new(&format!("class-{class}")).ok()
}

/// A scorer for these classes of the model.
pub(super) fn class_scorer(
    classes: impl IntoIterator<Item = usize>,
    calibration: ModelCalibration,
) -> Scorer {
    Scorer::new(classes.into_iter().filter_map(|class| Some((class_label(class)?, None))), calibration)
}
