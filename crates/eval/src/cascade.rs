//! Accuracy and cost of the steps of the cascade: the model, the references, the vehicle, and the judge.

use partsight_app::{TrialAnswer, TrialStep};
use partsight_domain::{PartLabel, Verdict};
use serde::Serialize;

use crate::metrics::Share;

/// The judge of the cascade.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum CascadeJudge {
    /// No judge is set.
    None,
    /// The judge that the settings name, over the network.
    #[serde(rename_all = "camelCase")]
    Asked {
        /// Its host name.
        host: String,
        /// Its model.
        model: String,
    },
    /// A simulation with an assumed accuracy and price; no judge was asked.
    #[serde(rename_all = "camelCase")]
    Simulated {
        /// Share of right answers, 0 to 1.
        accuracy: f64,
        /// Price of a call, in any currency.
        price: f64,
    },
}

/// Knowledge of the cascade besides the model and the judge.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CascadeKnowledge {
    /// Number of reference photographs that taught parts.
    pub n_references: usize,
    /// The assumed vehicle of all photographs.
    pub vehicle: Option<String>,
}

/// The result for one photograph.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// The part in it; `None` if neither the model nor a reference knows its label.
    pub truth: Option<PartLabel>,
    /// The answers of the steps.
    pub answer: TrialAnswer,
}

/// A point of the curve: the judge answers the `asked` least confident photographs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CascadePoint {
    /// Number of photographs that the judge was asked about.
    pub asked: usize,
    /// Cost per 1,000 photographs.
    pub cost_per_thousand: f64,
    /// Right best guesses among the photographs of known parts.
    pub right: Share,
}

/// Figures of one step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CascadeStep {
    /// Right best guesses among the photographs of known parts.
    pub right: Share,
    /// Photographs of known parts with the verdict "identified".
    pub identified: Share,
    /// Right answers among `identified`: its precision.
    pub identified_right: Share,
    /// False identifications: photographs of unknown parts with the verdict "identified".
    pub others_identified: Share,
}

/// Figures of the whole cascade.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Cascade {
    /// The judge of the cascade.
    pub judge: CascadeJudge,
    /// Number of reference photographs; 0 without references.
    pub n_references: usize,
    /// Number of photographs, of known and unknown parts.
    pub n: usize,
    /// The model alone.
    pub local: CascadeStep,
    /// The references alone; `None` without references.
    pub references_alone: Option<CascadeStep>,
    /// The model with references; `None` without references.
    pub with_references: Option<CascadeStep>,
    /// The assumed vehicle of all photographs, if any.
    pub vehicle: Option<String>,
    /// The model with the vehicle; `None` without a vehicle.
    pub with_vehicle: Option<CascadeStep>,
    /// The model with references and vehicle; `None` unless both are given.
    pub together: Option<CascadeStep>,
    /// All of them and the judge; `None` without a judge.
    pub judged: Option<CascadeStep>,
    /// Number of photographs with the verdict "not sure" before the judge.
    pub n_unsure: usize,
    /// Number of photographs that the judge was asked about.
    pub n_asked: usize,
    /// Number of those without a usable answer of the judge.
    pub n_unanswered: usize,
    /// Total cost, in dollars, or in the currency of the assumed price.
    pub cost: f64,
    /// Accuracy against cost, from no question to all questions that were asked; one point without a judge.
    pub curve: Vec<CascadePoint>,
}

impl Cascade {
    /// Computes the figures over all photographs.
    pub fn new(trials: &[Trial], judge: CascadeJudge, known: CascadeKnowledge) -> Self {
        let CascadeKnowledge { n_references, vehicle } = known;
        let cost_of = |trial: &Trial| -> f64 {
            match (&judge, &trial.answer.judged) {
                // Without a question there is no cost, even if a judge is set.
                (_, None) | (CascadeJudge::None, _) => 0.0,
                (CascadeJudge::Simulated { price, .. }, Some(_)) => *price,
                (CascadeJudge::Asked { .. }, Some(judged)) => judged.cost_micro_dollars as f64 / 1e6,
            }
        };
        let asked: Vec<&Trial> = trials.iter().filter(|trial| trial.answer.judged.is_some()).collect();
        let has_judge = judge != CascadeJudge::None;
        let cost = trials.iter().map(&cost_of).sum();
        Self {
            n_references,
            n: trials.len(),
            local: step(trials, |answer| &answer.local),
            references_alone: (n_references > 0)
                // If the references have no answer for a photograph, the model's answer counts.
                .then(|| step(trials, |answer| answer.references_alone.as_ref().unwrap_or(&answer.local))),
            with_references: (n_references > 0).then(|| step(trials, |answer| &answer.with_references)),
            with_vehicle: vehicle
                .is_some()
                .then(|| step(trials, |answer| answer.with_vehicle.as_ref().unwrap_or(&answer.local))),
            together: (n_references > 0 && vehicle.is_some())
                .then(|| step(trials, |answer| &answer.together)),
            vehicle,
            judged: has_judge.then(|| step(trials, last)),
            n_unsure: trials.iter().filter(|trial| trial.answer.together.verdict == Verdict::NotSure).count(),
            n_asked: asked.len(),
            n_unanswered: asked
                .iter()
                .filter(|trial| trial.answer.judged.as_ref().is_some_and(|judged| judged.step.is_none()))
                .count(),
            curve: curve(trials, cost_of),
            cost,
            judge,
        }
    }

    /// Whether the judge is simulated.
    pub fn is_simulated(&self) -> bool {
        matches!(self.judge, CascadeJudge::Simulated { .. })
    }
}

/// The final answer of the cascade.
fn last(answer: &TrialAnswer) -> &TrialStep {
    // Without a usable answer of the judge, the answer before it counts.
    answer.judged.as_ref().and_then(|judged| judged.step.as_ref()).unwrap_or(&answer.together)
}

fn is_right(trial: &Trial, step: &TrialStep) -> bool {
    trial.truth.as_ref() == Some(&step.label)
}

fn step(trials: &[Trial], of: impl Fn(&TrialAnswer) -> &TrialStep) -> CascadeStep {
    let steps: Vec<(&Trial, &TrialStep)> = trials.iter().map(|trial| (trial, of(&trial.answer))).collect();
    let known = || steps.iter().filter(|(trial, _)| trial.truth.is_some());
    let others = steps.iter().filter(|(trial, _)| trial.truth.is_none());
    let is_identified = |step: &TrialStep| step.verdict == Verdict::Identified;
    CascadeStep {
        right: Share::of(known().map(|(trial, step)| is_right(trial, step))),
        identified: Share::of(known().map(|(_, step)| is_identified(step))),
        identified_right: Share::of(
            known().filter(|(_, step)| is_identified(step)).map(|(trial, step)| is_right(trial, step)),
        ),
        others_identified: Share::of(others.map(|(_, step)| is_identified(step))),
    }
}

fn curve(trials: &[Trial], cost_of: impl Fn(&Trial) -> f64) -> Vec<CascadePoint> {
    let without = step(trials, |answer| &answer.together).right;
    let mut asked: Vec<&Trial> = trials.iter().filter(|trial| trial.answer.judged.is_some()).collect();
    // The least confident first, as a limited budget is best spent.
    asked.sort_by(|one, two| one.answer.together.confidence.total_cmp(&two.answer.together.confidence));
    let per_thousand = 1000.0 / trials.len().max(1) as f64;
    let (mut count, mut cost) = (without.count, 0.0);
    let mut points = vec![CascadePoint { asked: 0, cost_per_thousand: 0.0, right: without }];
    for (index, trial) in asked.into_iter().enumerate() {
        // Added first, because an unsigned count must not go below 0 in between.
        count += usize::from(is_right(trial, last(&trial.answer)));
        count -= usize::from(is_right(trial, &trial.answer.together));
        cost += cost_of(trial);
        points.push(CascadePoint {
            asked: index + 1,
            cost_per_thousand: cost * per_thousand,
            right: Share { count, total: without.total },
        });
    }
    points
}

#[cfg(test)]
mod tests {
    use partsight_app::TrialJudgement;

    use super::*;
    use crate::testing::assert_near;

    fn step_of(name: &str, confidence: f32, verdict: Verdict) -> TrialStep {
        TrialStep { label: PartLabel::new(name).unwrap(), confidence, verdict }
    }

    fn trial(truth: Option<&str>, local: TrialStep, refs: TrialStep, judged: Judged) -> Trial {
        let judgement = |step: Option<TrialStep>| TrialJudgement {
            not_judged: step.is_none().then_some(partsight_domain::NotJudged::TimedOut),
            step,
            cost_micro_dollars: 20_000,
        };
        Trial {
            truth: truth.map(|name| PartLabel::new(name).unwrap()),
            answer: TrialAnswer {
                references_alone: Some(refs.clone()),
                with_vehicle: Some(TrialStep { confidence: local.confidence / 2.0, ..local.clone() }),
                local,
                together: refs.clone(),
                with_references: refs,
                judged: match judged {
                    Judged::Unasked => None,
                    Judged::Silent => Some(judgement(None)),
                    Judged::Said(step) => Some(judgement(Some(step))),
                },
            },
        }
    }

    /// What the judge did.
    enum Judged {
        Unasked,
        Silent,
        Said(TrialStep),
    }

    fn trials() -> Vec<Trial> {
        use Verdict::{Identified, NotSure};
        vec![
            trial(
                Some("rim"),
                step_of("rim", 0.9, Identified),
                step_of("rim", 0.9, Identified),
                Judged::Unasked,
            ),
            // References help.
            trial(
                Some("egr"),
                step_of("rim", 0.4, NotSure),
                step_of("egr", 0.95, Identified),
                Judged::Unasked,
            ),
            // The judge helps, is silent, and does harm.
            trial(
                Some("door"),
                step_of("rim", 0.3, NotSure),
                step_of("rim", 0.3, NotSure),
                Judged::Said(step_of("door", 0.9, Identified)),
            ),
            trial(Some("rim"), step_of("egr", 0.5, NotSure), step_of("egr", 0.5, NotSure), Judged::Silent),
            trial(
                None,
                step_of("rim", 0.2, NotSure),
                step_of("rim", 0.2, NotSure),
                Judged::Said(step_of("rim", 0.9, Identified)),
            ),
        ]
    }

    #[test]
    fn each_step_is_counted_by_itself() {
        let judge = CascadeJudge::Asked { host: "h".to_owned(), model: "m".to_owned() };
        let known = CascadeKnowledge { n_references: 3, vehicle: Some("2015 Honda Civic".to_owned()) };
        let cascade = Cascade::new(&trials(), judge, known);
        let right = |step: CascadeStep| (step.right.count, step.right.total);
        assert_eq!(right(cascade.local), (1, 4));
        assert_eq!(right(cascade.with_references.unwrap()), (2, 4));
        assert_eq!(right(cascade.references_alone.unwrap()), (2, 4));
        assert_eq!(right(cascade.with_vehicle.unwrap()), (1, 4));
        assert_eq!(right(cascade.together.unwrap()), (2, 4));
        let judged = cascade.judged.unwrap();
        assert_eq!(right(judged), (3, 4));
        assert_eq!((judged.others_identified.count, judged.identified_right.total), (1, 3));
        assert_eq!((cascade.n_unsure, cascade.n_asked, cascade.n_unanswered), (3, 3, 1));
        assert_near(cascade.cost, 0.06);
        let points: Vec<_> = cascade.curve.iter().map(|point| (point.asked, point.right.count)).collect();
        assert_eq!(points, [(0, 2), (1, 2), (2, 3), (3, 3)]);
        assert_near(cascade.curve[3].cost_per_thousand, 12.0);
        assert!(!cascade.is_simulated());
    }

    #[test]
    fn a_simulation_costs_what_was_assumed_and_says_what_it_is() {
        let cascade = Cascade::new(
            &trials(),
            CascadeJudge::Simulated { accuracy: 0.9, price: 0.5 },
            CascadeKnowledge::default(),
        );
        assert_near(cascade.cost, 1.5);
        assert!(cascade.is_simulated() && cascade.with_references.is_none() && cascade.together.is_none());
        let nobody = Cascade::new(&[], CascadeJudge::None, CascadeKnowledge::default());
        assert_eq!((nobody.judged, nobody.curve.len()), (None, 1));
    }
}
