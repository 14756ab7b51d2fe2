//! When a taught part may be identified, and the error rate of that.

use std::collections::BTreeMap;

use partsight_domain::{Conditions, OpinionPool, PartLabel, RawScores, Verdict, VerdictThresholds};
use partsight_inference::TaughtIdentified;
use partsight_inference::calibration::{
    GUARANTEE, WANTED_ERRORS, error_upper_bound, risk_threshold, threshold_with_share_above,
};

use super::super::calibrate::WANTED_ERROR;
use super::episodes::{Episode, OpenEpisode, Plan, Query, Truth, taught_label};
use super::factors::{Factors, class_label, class_scorer};
use super::sample::Sample;
use super::{Measured, calibration_by};
use crate::recognition::identify::calibration_of;
use crate::recognition::thresholds::dial_of;

/// Share of the photographs of unlearnt and untaught parts that may be identified as a taught part.
const OTHERS_IDENTIFIED: f64 = 0.05;

/// The answer to one query.
#[derive(Debug, Clone, Copy)]
struct Answered {
    truth: Truth,
    /// If a taught part is identified: its confidence, and whether it is right.
    claim: Option<(f32, bool)>,
}

/// Measures each half of the types with the `factors` that were fitted on the other half.
pub(super) fn measure(
    sample: &Sample,
    measured: &Measured<'_>,
    plan: &Plan<'_>,
    factors: [&Factors; 2],
) -> TaughtIdentified {
    let thresholds = dial_of(measured.thresholds).model;
    let episodes: Vec<(Episode, &Factors)> = factors
        .into_iter()
        .enumerate()
        .flat_map(|(half, factors)| plan.once(half).into_iter().map(move |episode| (episode, factors)))
        .collect();
    let answering = Answering::of(sample, &episodes);
    let answers: Vec<Answered> = episodes
        .iter()
        .enumerate()
        .filter_map(|(at, (episode, factors))| {
            let open = OpenEpisode::new(sample, measured.head, episode)?;
            let scorer = class_scorer(open.kept.iter().copied(), calibration_of(measured.calibration))
                .with_references(Some(calibration_by(factors, 0.0)));
            let conditions = Conditions::of_model(thresholds, 1);
            let answer = |query: &Query<'_>| {
                let (logits, known) = query.raw(&open.kept);
                let seen = scorer.photograph(RawScores { logits: &logits, known }, &query.near);
                let decision = OpinionPool::of_one(seen).decide(&conditions);
                let claim = decision.and_then(|decision| {
                    let best = &decision.best;
                    let is_claim = decision.verdict == Verdict::Identified && is_taught(&best.label);
                    is_claim.then(|| (best.confidence, label_of(query.truth).as_ref() == Some(&best.label)))
                });
                Answered { truth: query.truth, claim }
            };
            Some(
                open.each(
                    |truth, of_type, place| answering.asks((at, episode), truth, of_type, place),
                    answer,
                ),
            )
        })
        .flatten()
        .collect();
    choose(&answers, &thresholds)
}

/// Which episode queries a photograph: each is a query once as taught, once as learnt and once as a stranger, so that
/// the answers of each kind are about different photographs.
struct Answering {
    /// For photographs of types that an episode does not leave out: the episode that queries them, by type and index.
    apart: BTreeMap<(usize, usize), usize>,
}

impl Answering {
    fn of(sample: &Sample, episodes: &[(Episode, &Factors)]) -> Self {
        let n = episodes.len();
        let mut apart = BTreeMap::new();
        for (at, of_type) in sample.types.iter().enumerate() {
            let is_stranger_elsewhere = of_type.class.is_none()
                && episodes.iter().any(|(episode, _)| episode.strangers.contains(&at));
            if is_stranger_elsewhere {
                continue;
            }
            for place in 0..of_type.photos.len() {
                let mut turn = (0..n).map(|step| (at + place + step) % n);
                let episode = turn.find(|&episode| !episodes[episode].0.leaves_out(at));
                apart.extend(episode.map(|episode| ((at, place), episode)));
            }
        }
        Self { apart }
    }

    /// Whether the episode with this index queries a photograph.
    fn asks(&self, (index, episode): (usize, &Episode), truth: Truth, at: usize, place: usize) -> bool {
        match truth {
            // A type is taught in one episode, and a stranger in one.
            Truth::Taught(_) => true,
            Truth::Stranger if episode.leaves_out(at) => true,
            Truth::Class(_) | Truth::Stranger => self.apart.get(&(at, place)) == Some(&index),
            Truth::Everyday => false,
        }
    }
}

/// The confidence threshold for the wanted bound, and the counts behind it.
fn choose(answers: &[Answered], thresholds: &VerdictThresholds) -> TaughtIdentified {
    let is_other = |answered: &&Answered| answered.truth == Truth::Stranger;
    let claims = |of_others: bool| {
        answers
            .iter()
            .filter(move |answered| is_other(answered) == of_others)
            .filter_map(|answered| answered.claim)
            .map(|(confidence, is_right)| (f64::from(confidence), is_right))
            .collect::<Vec<_>>()
    };
    let (ours, others) = (claims(false), claims(true));
    let others_n = answers.iter().filter(is_other).count();
    // As 0 a photograph counts in the share, and is above no threshold.
    let mut of_others: Vec<f64> = others.iter().map(|(confidence, _)| *confidence).collect();
    of_others.resize(others_n, 0.0);
    let floor = threshold_with_share_above(&of_others, OTHERS_IDENTIFIED);
    let from_floor: Vec<(f64, bool)> = ours.iter().copied().filter(|claim| claim.0 >= floor).collect();
    let n_asked = answers.len() - others_n;
    let mark = WANTED_ERRORS
        .into_iter()
        .filter(|wanted| *wanted >= WANTED_ERROR)
        .filter_map(|wanted| risk_threshold(&from_floor, n_asked, wanted))
        .find(|mark| mark.is_met() && mark.answered > 0.0);
    let confidence = mark.map(|mark| mark.identified_confidence);
    let counted = |claims: &[(f64, bool)]| {
        let counted = claims.iter().filter(|claim| confidence.is_none_or(|least| claim.0 >= least));
        counted.fold((0, 0), |(n, wrong), (_, is_right)| (n + 1, wrong + u64::from(!is_right)))
    };
    let ((identified, identified_wrong), (others_identified, _)) = (counted(&ours), counted(&others));
    let n = answers.iter().filter(|answered| matches!(answered.truth, Truth::Taught(_))).count();
    let percent = |share: f64| format!("{:.0}%", share * 100.0);
    let derived_by = match mark {
        Some(mark) => format!(
            "At most {} wrong among those that are called identified as a taught part, by the Clopper-Pearson bound \
             at {} (selective classification, Geifman and El-Yaniv 2017), and at most {} of the parts that were \
             neither learnt nor taught; each half of the types with factors that the other half fitted.",
            percent(mark.wanted_error),
            percent(GUARANTEE),
            percent(OTHERS_IDENTIFIED)
        ),
        None if thresholds.identified_confidence >= 1.0 => {
            "The model is not calibrated, so that nothing is identified.".to_owned()
        }
        None => format!(
            "Too few photographs to promise at most {} wrong among those that are called identified as a taught part, \
             at {} and for each of the confidences that were tried: {identified} could be called so, \
             {identified_wrong} of them wrongly, and some 100 without a mistake are needed.",
            percent(WANTED_ERRORS[WANTED_ERRORS.len() - 1]),
            percent(GUARANTEE)
        ),
    };
    TaughtIdentified {
        confidence,
        error_upper_bound: mark.map_or_else(
            || error_upper_bound(identified_wrong, identified, 1.0 - GUARANTEE),
            |mark| mark.error_upper_bound,
        ),
        n: n as u64,
        identified,
        identified_wrong,
        others_n: others_n as u64,
        others_identified,
        derived_by,
    }
}

fn label_of(truth: Truth) -> Option<PartLabel> {
    match truth {
        Truth::Taught(place) => taught_label(place),
        Truth::Class(class) => class_label(class),
        Truth::Stranger | Truth::Everyday => None,
    }
}

fn is_taught(label: &PartLabel) -> bool {
    label.as_str().starts_with("taught-")
}

#[cfg(test)]
mod tests {
    use super::*;

    const THRESHOLDS: VerdictThresholds = VerdictThresholds {
        not_a_part_below: 0.1,
        identified_known_score: 0.5,
        identified_confidence: 0.8,
        category_confidence: None,
    };

    fn answered(truth: Truth, claim: Option<(f32, bool)>) -> Answered {
        Answered { truth, claim }
    }

    /// 200 photographs of taught parts, claimed the surer the later, of which the first few wrongly.
    fn answers(n_wrong: usize) -> Vec<Answered> {
        let claim = |at: usize| Some((0.8 + at as f32 * 0.001, at >= n_wrong));
        (0..200).map(|at| answered(Truth::Taught(0), claim(at))).collect()
    }

    #[test]
    fn enough_right_answers_let_taught_parts_be_identified_with_a_bound() {
        let found = choose(&answers(0), &THRESHOLDS);
        assert!(found.confidence.is_some_and(|least| least < 0.81), "{found:?}");
        assert!(found.error_upper_bound <= 0.05, "{found:?}");
        assert_eq!((found.n, found.identified_wrong), (200, 0));

        // Above the wrong ones, enough are left.
        let some_wrong = choose(&answers(40), &THRESHOLDS);
        assert!(some_wrong.confidence.is_some_and(|least| least > 0.81), "{some_wrong:?}");
        assert!(some_wrong.error_upper_bound <= 0.1, "{some_wrong:?}");
    }

    #[test]
    fn too_few_or_too_many_wrong_answers_identify_nothing() {
        for answers in [&answers(0)[..20], &answers(195)[..], &[]] {
            let found = choose(answers, &THRESHOLDS);
            assert_eq!(found.confidence, None, "{found:?}");
            assert!(
                found.error_upper_bound > 0.05 && found.derived_by.contains("Too few photographs"),
                "{found:?}"
            );
        }
        let uncalibrated = VerdictThresholds { identified_confidence: 1.0, ..THRESHOLDS };
        assert!(choose(&[], &uncalibrated).derived_by.contains("not calibrated"));
    }

    #[test]
    fn what_is_strange_raises_the_confidence() {
        let mut answers = answers(0);
        answers.extend((0..20).map(|_| answered(Truth::Stranger, Some((0.9, false)))));
        let found = choose(&answers, &THRESHOLDS);
        assert!(found.confidence.is_some_and(|least| least > 0.9), "{found:?}");
        assert_eq!((found.others_n, found.others_identified, found.n), (20, 0, 200));
    }
}
