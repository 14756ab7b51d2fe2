//! Candidate sets of answers that are not sure.

use serde::{Deserialize, Serialize};

use crate::PartLabel;
use crate::recognition::Candidate;
use crate::recognition::scoring::FusedScores;

/// Threshold and coverage of candidate sets; measured for each model, and stated in its manifest.
///
/// These are least ambiguous sets (Sadinle, Lei and Wasserman, "Least Ambiguous Set-Valued Classifiers with Bounded
/// Error Levels", 2019): the set holds every type whose probability reaches a threshold, which is a conformal quantile
/// of the probabilities of the right types of held-out photographs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SetCalibration {
    /// Measured coverage, at least this: greater than 0, less than 1.
    pub coverage: f64,
    /// A type belongs to the set from this calibrated probability on, in 0..=1.
    pub probability: f64,
}

/// The rule of candidate sets, and the types that it applies to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SetRule<'a> {
    /// The measured threshold and coverage.
    pub calibration: SetCalibration,
    /// The model's classes: the coverage holds for no other types.
    pub types: &'a [PartLabel],
}

/// The types that an answer is one of.
///
/// The coverage holds for photographs of the model's classes that are distributed like the calibration photographs, and
/// on average over all sets: not for each type, and not for sets of each size. It was measured on single photographs
/// that the model by itself is not sure of, with the probabilities of its own calibration. The types are therefore chosen
/// by these, before the temperature of feedback and the vehicle prior; where the answers that are not sure were fewer
/// than measured, or of several photographs, no coverage is stated.
///
/// Look-alikes have no coverage: people marked them because photographs cannot tell them apart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CandidateSet {
    /// The right type is in the set at least this often: greater than 0, less than 1; `None` where it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<f64>,
    /// Whether the set was chosen by the model's rule, although its coverage was not measured for such answers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_unmeasured: bool,
    /// 1 to [`CandidateSet::MOST`] types, the most probable first.
    pub candidates: Vec<Candidate>,
}

impl CandidateSet {
    /// Maximum of types in a set: a longer list is of no help.
    pub const MOST: usize = 5;

    /// Whether people marked its types as look-alikes.
    pub fn is_of_look_alikes(&self) -> bool {
        self.coverage.is_none() && !self.is_unmeasured
    }
}

impl FusedScores {
    /// Every type whose probability in these scores, which are as the set was measured, reaches that of the rule, but
    /// those that cannot be on the vehicle; always includes the best guess. `answered` are the scores of the answer, of
    /// the same labels: they give the order and the best guess, which a vehicle may change.
    ///
    /// Without `is_as_measured` no coverage is stated. Leaving out what cannot be on the vehicle does not lower the
    /// coverage, if the vehicle is right.
    ///
    /// `None` if these are more than [`CandidateSet::MOST`], or if one of them is a taught part that is not a class
    /// of the model, for which nothing was measured. A class of the model with references of its own still counts
    /// as one of the model's.
    pub(super) fn candidate_set(
        &self,
        rule: &SetRule<'_>,
        answered: &Self,
        is_unfit: impl Fn(&PartLabel) -> bool,
        is_as_measured: bool,
    ) -> Option<CandidateSet> {
        let SetRule { calibration, types } = rule;
        let own_best = self.ranking(1).pop()?.label;
        let ranked = answered.ranking(answered.labels.len());
        let best = ranked.first()?.label.clone();
        let belongs = |label: &PartLabel| {
            let reaches =
                *label == own_best || f64::from(self.confidence_of(label)) >= calibration.probability;
            *label == best || (reaches && !is_unfit(label))
        };
        let candidates: Vec<Candidate> =
            ranked.into_iter().filter(|candidate| belongs(&candidate.label)).collect();
        let is_promised = (1..=CandidateSet::MOST).contains(&candidates.len())
            // The threshold was measured on the model's classes: with a taught part there is no coverage.
            && candidates.iter().all(|candidate| types.contains(&candidate.label));
        is_promised.then(|| CandidateSet {
            coverage: is_as_measured.then_some(calibration.coverage),
            is_unmeasured: !is_as_measured,
            candidates,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn label(text: &str) -> PartLabel {
        PartLabel::new(text).unwrap()
    }

    /// One type for each share; the last `taught` ones are not the model's.
    fn set(shares: &[f32], taught: usize, probability: f64) -> Option<Vec<String>> {
        let labels: Vec<PartLabel> = (0..shares.len()).map(|at| label(&format!("part-{at}"))).collect();
        let scores = FusedScores {
            categories: vec![None; labels.len()],
            labels: labels.clone(),
            probabilities: shares.to_vec(),
            known_score: 0.9,
        };
        let types = &labels[..labels.len() - taught];
        let calibration = SetCalibration { coverage: 0.95, probability };
        let set = scores.candidate_set(&SetRule { calibration, types }, &scores, |_| false, true)?;
        assert_eq!(set.coverage, Some(0.95));
        Some(set.candidates.into_iter().map(|candidate| candidate.label.to_string()).collect())
    }

    /// Name, shares, number of taught ones at the end, threshold, and the expected set.
    type Case<'a> = (&'a str, &'a [f32], usize, f64, Option<&'a [&'a str]>);

    #[test]
    fn a_set_holds_every_type_from_the_threshold_on() {
        let cases: [Case<'_>; 8] = [
            ("two of three", &[0.25, 0.5, 0.125], 0, 0.2, Some(&["part-1", "part-0"])),
            ("exactly at the threshold", &[0.25, 0.5, 0.125], 0, 0.25, Some(&["part-1", "part-0"])),
            ("the best guess alone", &[0.25, 0.5, 0.125], 0, 0.9, Some(&["part-1"])),
            ("five", &[0.2; 5], 0, 0.1, Some(&["part-0", "part-1", "part-2", "part-3", "part-4"])),
            ("six narrow nothing down", &[0.16; 6], 0, 0.1, None),
            ("a taught part reaches it", &[0.5, 0.4], 1, 0.2, None),
            ("a taught part is the best guess", &[0.4, 0.5], 1, 0.9, None),
            ("a taught part stays below", &[0.5, 0.3, 0.1], 1, 0.2, Some(&["part-0", "part-1"])),
        ];
        let wrong: Vec<_> = cases
            .into_iter()
            .map(|(name, shares, taught, probability, expected)| {
                let expected = expected.map(|labels| labels.iter().map(ToString::to_string).collect());
                (name, set(shares, taught, probability), expected)
            })
            .filter(|(_, found, expected): &(_, _, Option<Vec<String>>)| found != expected)
            .collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    #[test]
    fn what_makes_no_sense_has_no_set() {
        assert_eq!(set(&[], 0, 0.1), None);
        // NaN ranks first, but reaches no threshold; what does reach it still belongs to the set.
        assert_eq!(set(&[0.5, f32::NAN], 0, 0.6), Some(vec!["part-1".to_owned()]));
        let both = ["part-1", "part-0"].map(ToOwned::to_owned).to_vec();
        assert_eq!(set(&[0.5, f32::NAN], 0, 0.1), Some(both));
    }

    proptest! {
        #[test]
        fn a_set_is_the_beginning_of_the_ranking(
            shares in prop::collection::vec(0.0_f32..=1.0, 1..10), probability in 0.0_f64..=1.0,
        ) {
            let n_reaching = shares.iter().filter(|share| f64::from(**share) >= probability).count();
            let found = set(&shares, 0, probability);
            prop_assert_eq!(found.is_some(), n_reaching <= CandidateSet::MOST);
            if let Some(found) = found {
                prop_assert_eq!(found.len(), n_reaching.max(1));
            }
        }

        #[test]
        fn a_lower_threshold_takes_no_type_out(
            shares in prop::collection::vec(0.0_f32..=1.0, 1..10), one in 0.0_f64..=1.0, other in 0.0_f64..=1.0,
        ) {
            let narrow = set(&shares, 0, one.max(other));
            if let (Some(wide), Some(narrow)) = (set(&shares, 0, one.min(other)), narrow) {
                prop_assert!(wide.starts_with(&narrow));
            }
        }
    }
}
