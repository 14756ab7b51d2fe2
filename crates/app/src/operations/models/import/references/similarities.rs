//! Thresholds on similarities, and the similarity from which a verdict is reused.

use ndarray::{Array1, Axis};
use partsight_inference::{Judging, ReferenceSimilarities, ReferenceSpace};

use super::super::embed::stack;
use super::episodes::dot;
use super::sample::Sample;
use super::{Measured, NEAREST};

/// Photographs of a part that another one is compared with.
const REFERENCES: usize = 5;
/// Share of the photographs of other parts that may exceed the threshold of own ones.
const OTHERS_ABOVE_OWN: f64 = 0.01;
/// Share of the photographs of a part below the threshold of own ones.
const OWN_BELOW_MARK: f64 = 0.25;
/// Share of the photographs of a part that may count as outliers.
const OUTLIERS: f64 = 0.01;
/// Share of the photographs whose nearest neighbour may count as a copy.
const TAKEN_FOR_COPIES: f64 = 0.01;
/// Above this only the same file is a copy; rounding moves it by less.
const MOST_COPY: f32 = 0.9999;
/// Margin of the reuse threshold above the most similar photographs of different parts, the same as for the shipped
/// model.
const REUSE_MARGIN: f32 = 0.02;

/// The thresholds, in the space of the model's prototypes, on the photographs of `types`.
pub(super) fn marks(
    sample: &Sample,
    measured: &Measured<'_>,
    types: &[usize],
    score_scale: f64,
) -> ReferenceSimilarities {
    let defaults = ReferenceSimilarities::default();
    let space = ReferenceSpace::around(measured.head.classes(), None);
    let place = |embedding: &Array1<f32>| space.place(&embedding.to_vec());
    let placed: Vec<Vec<Vec<f32>>> = types
        .iter()
        .map(|&at| sample.types[at].photos.iter().filter_map(|photo| place(&photo.embedding)).collect())
        .collect();
    let everyday: Vec<Vec<f32>> =
        sample.everyday.iter().filter_map(|photo| place(&photo.embedding)).collect();
    let centres: Vec<Option<Vec<f32>>> =
        placed.iter().map(|own| centre(own.iter().take(REFERENCES).map(Vec::as_slice))).collect();
    let (mut own, mut mean_near, mut nearest, mut others) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut to_any = Vec::new();
    for (at, photos) in placed.iter().enumerate() {
        for (index, photo) in photos.iter().enumerate() {
            let rest = || {
                photos.iter().enumerate().filter(move |(other, _)| *other != index).map(|(_, p)| p.as_slice())
            };
            own.extend(centre(rest().take(NEAREST)).map(|centre| dot(&centre, photo)));
            let mut near: Vec<f32> = rest().map(|other| dot(other, photo)).collect();
            near.sort_by(|a, b| b.total_cmp(a));
            near.truncate(NEAREST);
            nearest.extend(near.first());
            mean_near.push(near.iter().sum::<f32>() / near.len().max(1) as f32);
            let foreign = centres.iter().enumerate().filter(|(other, _)| *other != at);
            let foreign: Vec<f32> =
                foreign.filter_map(|(_, centre)| centre.as_ref().map(|centre| dot(centre, photo))).collect();
            to_any.push(foreign.iter().copied().fold(-1.0, f32::max));
            others.extend(foreign);
        }
    }
    // Everyday photographs determine what is similar at all; without any, other parts do, which are more similar.
    let strange = if everyday.is_empty() {
        to_any
    } else {
        let nearest = |photo: &Vec<f32>| centres.iter().flatten().map(|c| dot(c, photo)).fold(-1.0, f32::max);
        everyday.iter().map(nearest).collect()
    };
    let copy = quantile(&nearest, 1.0 - TAKEN_FOR_COPIES).unwrap_or(defaults.copy);
    let copy = copy.max(defaults.copy).min(MOST_COPY);
    let lower = quantile(&own, OWN_BELOW_MARK).unwrap_or(defaults.own);
    ReferenceSimilarities {
        own: lower.max(quantile(&others, 1.0 - OTHERS_ABOVE_OWN).unwrap_or(-1.0)).clamp(-1.0, 1.0),
        copy,
        copy_search: defaults.copy_search,
        outlier: quantile(&mean_near, OUTLIERS).unwrap_or(defaults.outlier).clamp(-1.0, 1.0),
        similar: equal_errors(&own, &strange).unwrap_or(defaults.similar).clamp(-1.0, 1.0),
        // Odds of two to one.
        confusion_margin: (2.0_f64.ln() / score_scale).min(2.0) as f32,
    }
}

/// The similarity from which a verdict is reused: above that of any two photographs of different types.
pub(super) fn judging(sample: &Sample) -> Option<Judging> {
    let rows: Vec<Array1<f32>> = sample
        .types
        .iter()
        .flat_map(|of_type| &of_type.photos)
        .map(|photo| photo.embedding.clone())
        .collect();
    let types: Vec<usize> = sample
        .types
        .iter()
        .enumerate()
        .flat_map(|(at, of_type)| std::iter::repeat_n(at, of_type.photos.len()))
        .collect();
    let dimension = rows.first()?.len();
    let all = stack(&rows, dimension);
    let cosines = all.dot(&all.t());
    let most = cosines
        .axis_iter(Axis(0))
        .zip(&types)
        .flat_map(|(row, one)| {
            let others = row.to_vec().into_iter().zip(&types).filter(move |(_, other)| *other != one);
            others.map(|(cosine, _)| cosine).collect::<Vec<_>>()
        })
        .fold(-1.0, f32::max);
    let least = Judging::default().reuse_similarity;
    Some(Judging { reuse_similarity: (most + REUSE_MARGIN).max(least).min(1.0) })
}

/// The direction of the mean; `None` without vectors, or if they cancel out.
fn centre<'v>(vectors: impl Iterator<Item = &'v [f32]>) -> Option<Vec<f32>> {
    let mut sum: Vec<f32> = Vec::new();
    for vector in vectors {
        sum.resize(vector.len(), 0.0);
        sum.iter_mut().zip(vector).for_each(|(sum, value)| *sum += value);
    }
    let length = dot(&sum, &sum).sqrt();
    (length > 1e-6).then(|| sum.iter().map(|value| value / length).collect())
}

/// The quantile of `share` in 0..=1; `None` without values.
fn quantile(values: &[f32], share: f64) -> Option<f32> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f32::total_cmp);
    let rank = (share * sorted.len().saturating_sub(1) as f64).round() as usize;
    sorted.get(rank).copied()
}

/// The equal error rate: the value with as large a share of `alike` below it as of `others` above; `None` if one side
/// is empty.
fn equal_errors(alike: &[f32], others: &[f32]) -> Option<f32> {
    if alike.is_empty() || others.is_empty() {
        return None;
    }
    let (mut below, mut above) = (alike.to_vec(), others.to_vec());
    below.sort_by(f32::total_cmp);
    above.sort_by(f32::total_cmp);
    let share = |sorted: &[f32], mark: f32| {
        sorted.partition_point(|value| *value < mark) as f64 / sorted.len() as f64
    };
    let difference = |mark: f32| (share(&below, mark) - (1.0 - share(&above, mark))).abs();
    below.iter().chain(&above).copied().min_by(|a, b| difference(*a).total_cmp(&difference(*b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_the_least_and_the_greatest() {
        let values = [0.3, 0.1, 0.2, 0.5, 0.4];
        assert_eq!([0.0, 0.5, 1.0].map(|share| quantile(&values, share)), [Some(0.1), Some(0.3), Some(0.5)]);
        assert_eq!(quantile(&[], 0.5), None);
    }

    #[test]
    fn equal_errors_part_two_sides() {
        let mark = equal_errors(&[0.5, 0.6, 0.7, 0.2], &[0.1, 0.2, 0.3, 0.6]).unwrap();
        assert!(mark > 0.3 && mark <= 0.5, "{mark}");
        assert_eq!(equal_errors(&[], &[0.1]), None);
    }

    #[test]
    fn a_centre_is_a_mean_direction() {
        let centre = centre([[1.0, 0.0], [0.0, 1.0]].iter().map(|row| &row[..])).unwrap();
        assert!((centre[0] - 0.5_f32.sqrt()).abs() < 1e-6);
        assert_eq!(super::centre([[1.0, 0.0], [-1.0, 0.0]].iter().map(|row| &row[..])), None);
        assert_eq!(super::centre(std::iter::empty()), None);
    }
}
