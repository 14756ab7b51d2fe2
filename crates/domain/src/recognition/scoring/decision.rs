//! The answer: the last step of scoring.

use std::fmt;

use crate::PartLabel;
use crate::recognition::scoring::{CandidateSet, FusedScores, OpinionPool, SetRule, TaughtIdentification};
use crate::recognition::{Candidate, CategoryGuess, LookAlikes, Verdict, VerdictThresholds};

/// When a taught part may be identified.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TaughtRule<'a> {
    /// What was measured.
    pub identification: TaughtIdentification,
    /// The model's classes: the rule applies to all other types.
    pub types: &'a [PartLabel],
}

impl TaughtRule<'_> {
    /// Whether an answer that names one of `labels` with this confidence, in 0..=1, may be sure.
    fn allows<'l>(&self, mut labels: impl Iterator<Item = &'l PartLabel>, confidence: f32) -> bool {
        self.identification.allows(confidence) || labels.all(|label| self.types.contains(label))
    }
}

/// Conditions of a scan besides its photographs.
#[derive(Clone, Copy)]
pub struct Conditions<'a> {
    /// The temperature fitted to the shop's feedback, greater than 0; `None` for the model's own calibration.
    pub feedback_temperature: Option<f64>,
    /// Whether a part type cannot be on the vehicle; false for all types if the vehicle is unknown.
    pub is_unfit: &'a (dyn Fn(&PartLabel) -> bool + Sync),
    /// Verdict thresholds, each in 0..=1.
    pub thresholds: VerdictThresholds,
    /// The model's own threshold of the confidence, in 0..=1: candidate sets were measured on answers below it.
    pub model_identified_confidence: f32,
    /// Rule of candidate sets; `None` for no sets.
    pub sets: Option<SetRule<'a>>,
    /// Types marked as look-alikes; `None` if there are none.
    pub look_alikes: Option<&'a LookAlikes>,
    /// When a taught part may be identified; `None` if no answer is a taught part.
    pub taught: Option<TaughtRule<'a>>,
    /// Number of most probable types to return, including the best guess; at least 1.
    pub top: usize,
}

impl<'a> Conditions<'a> {
    /// Conditions without feedback, vehicle, sets, look-alikes and taught parts.
    pub fn of_model(thresholds: VerdictThresholds, top: usize) -> Self {
        Self {
            feedback_temperature: None,
            is_unfit: &|_| false,
            thresholds,
            model_identified_confidence: thresholds.identified_confidence,
            sets: None,
            look_alikes: None,
            taught: None,
            top,
        }
    }

    /// Whether every answer of one photograph that the model by itself is not sure of is not sure under these
    /// conditions either. Answers that are not sure besides are the surer ones, so a coverage that was measured on the
    /// model's own holds for all; if only the more doubtful ones are left, it may not.
    fn keeps_open_what_was_measured(&self) -> bool {
        // A temperature above 1 lowers the confidence of every best guess.
        self.feedback_temperature.is_none_or(|temperature| temperature >= 1.0)
            && self.thresholds.identified_confidence >= self.model_identified_confidence
    }

    /// The same with this rule for taught parts.
    #[must_use]
    pub fn with_taught(self, taught: Option<TaughtRule<'a>>) -> Self {
        Self { taught, ..self }
    }

    /// The same for a vehicle, by the part types that cannot be on it.
    #[must_use]
    pub fn with_vehicle(self, is_unfit: &'a (dyn Fn(&PartLabel) -> bool + Sync)) -> Self {
        Self { is_unfit, ..self }
    }

    /// The same with candidate sets by this rule.
    #[must_use]
    pub fn with_sets(self, sets: Option<SetRule<'a>>) -> Self {
        Self { sets, ..self }
    }

    /// The same with types that people marked as look-alikes.
    #[must_use]
    pub fn with_look_alikes(self, look_alikes: &'a LookAlikes) -> Self {
        Self { look_alikes: Some(look_alikes), ..self }
    }
}

impl fmt::Debug for Conditions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conditions")
            .field("feedback_temperature", &self.feedback_temperature)
            .field("thresholds", &self.thresholds)
            .field("sets", &self.sets.map(|rule| rule.calibration))
            .field("look_alikes", &self.look_alikes)
            .field("taught", &self.taught.map(|rule| rule.identification))
            .field("top", &self.top)
            .finish_non_exhaustive()
    }
}

/// The answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// By the thresholds.
    pub verdict: Verdict,
    /// The best guess, whatever the verdict.
    pub best: Candidate,
    /// The next best, most probable first.
    pub alternatives: Vec<Candidate>,
    /// The category that is the answer if the best guess ties with its siblings.
    pub category: Option<CategoryGuess>,
    /// The candidate set if the verdict is [`Verdict::NotSure`], by the probabilities of the model's own calibration. It
    /// is one of look-alikes if these together are sure enough.
    pub candidate_set: Option<CandidateSet>,
    /// Known score: probability that the photographs show one of the known types, in 0..=1.
    pub known_score: f32,
    /// The types that cannot be on the vehicle but were probable without it, each with that probability; the most
    /// probable first.
    pub unfit: Vec<Candidate>,
}

impl OpinionPool {
    /// The answer under these conditions; `None` without any types.
    pub fn decide(&self, conditions: &Conditions<'_>) -> Option<Decision> {
        let Conditions { feedback_temperature, is_unfit, thresholds, sets, look_alikes, taught, top, .. } =
            conditions;
        let mut scores = self.scores.clone();
        if let Some(temperature) = feedback_temperature {
            scores = scores.with_temperature(*temperature);
        }
        let unfit = scores.weigh_down_unfit(is_unfit);
        let mut candidates = scores.ranking((*top).max(1)).into_iter();
        // After the vehicle prior, which may change the best guess.
        let best = candidates.next()?;
        let may_be_sure = |labels: &[&PartLabel], confidence: f32| {
            taught.is_none_or(|rule| rule.allows(labels.iter().copied(), confidence))
        };
        let verdict = match Verdict::decide(best.confidence, scores.known_score, thresholds) {
            Verdict::Identified if !may_be_sure(&[&best.label], best.confidence) => Verdict::NotSure,
            verdict => verdict,
        };
        let marked = look_alikes.and_then(|marks| scores.sure_look_alikes(&best, marks, thresholds));
        // A pair of look-alikes is never a sure answer, even if the best guess is sure by itself.
        let verdict = if marked.is_some() { Verdict::NotSure } else { verdict };
        let marked = marked.filter(|set| {
            let labels: Vec<&PartLabel> = set.candidates.iter().map(|candidate| &candidate.label).collect();
            may_be_sure(&labels, set.candidates.iter().map(|candidate| candidate.confidence).sum())
        });
        // A sure answer needs no set, and the coverage was measured without sure answers.
        let rule = sets.as_ref().filter(|_| verdict == Verdict::NotSure);
        let measured_set = || {
            let is_as_measured = self.weights.len() == 1 && conditions.keeps_open_what_was_measured();
            let set = self.scores.candidate_set(rule?, &scores, is_unfit, is_as_measured)?;
            match look_alikes {
                Some(marks) => marks.complete(set, |label| scores.confidence_of(label)),
                None => Some(set),
            }
        };
        let category =
            CategoryGuess::roll_up(&scores.probabilities, &scores.categories, scores.known_score, thresholds);
        Some(Decision {
            verdict,
            // Two look-alikes are more specific than their category.
            category: category
                .filter(|guess| marked.is_none() && may_be_sure(&[&best.label], guess.confidence)),
            candidate_set: marked.or_else(measured_set),
            alternatives: candidates.collect(),
            best,
            known_score: scores.known_score,
            unfit,
        })
    }
}

impl FusedScores {
    /// The best guess with its look-alikes, if it is surely one of them: if they would be identified as one type. That
    /// is always so if the best guess is sure by itself.
    ///
    /// The vehicle does not decide between them either: it is only a prior, because a vehicle may be entered wrongly.
    fn sure_look_alikes(
        &self,
        best: &Candidate,
        marks: &LookAlikes,
        thresholds: &VerdictThresholds,
    ) -> Option<CandidateSet> {
        let set = marks.set_of(best, |label| self.confidence_of(label))?;
        let together: f32 = set.candidates.iter().map(|candidate| candidate.confidence).sum();
        let verdict = Verdict::decide(together, self.known_score, thresholds);
        (verdict == Verdict::Identified).then_some(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Category;
    use crate::recognition::LookAlikePair;
    use crate::recognition::scoring::{
        ModelCalibration, NearReference, NearReferences, RawScores, ReferenceCalibration, Scorer,
        SetCalibration, TaughtIdentification,
    };

    const THRESHOLDS: VerdictThresholds = VerdictThresholds {
        not_a_part_below: 0.1,
        identified_known_score: 0.5,
        identified_confidence: 0.8,
        category_confidence: Some(0.8),
    };

    fn label(text: &str) -> PartLabel {
        PartLabel::new(text).unwrap()
    }

    fn scorer() -> Scorer {
        let classes = [("rim", Category::Body), ("piston", Category::Engine), ("camshaft", Category::Engine)];
        let calibration = ModelCalibration { temperature: 0.5, known_scale: 1.0, known_bias: 0.0 };
        let references = ReferenceCalibration {
            nearest: 5,
            score_scale: 10.0,
            class_scale: 0.0,
            model_known_scale: 0.0,
            score_bias: 2.0,
            learnt_offset: 4.0,
            known_scale: 20.0,
            background_scale: 0.0,
            known_bias: -7.0,
            identification: TaughtIdentification::AsLearnt,
        };
        Scorer::new(classes.map(|(name, category)| (label(name), Some(category))), calibration)
            .with_references(Some(references))
    }

    fn egr_valve() -> NearReferences {
        let embedding = vec![0.9, 0.19_f32.sqrt()];
        let reference = NearReference { label: label("egr-valve"), category: None, score: 0.9, embedding };
        NearReferences { references: vec![reference], class_similarity: 0.1, ..NearReferences::default() }
    }

    fn decide(logits: &[f32; 3], near: &NearReferences, conditions: &Conditions<'_>) -> Decision {
        let scores = scorer().photograph(RawScores { logits, known: 2.0 }, near);
        OpinionPool::of_one(scores).decide(conditions).unwrap()
    }

    #[test]
    fn the_steps_follow_each_other() {
        let plain = Conditions::of_model(THRESHOLDS, 2);
        let sure = decide(&[2.0, 0.0, 0.0], &NearReferences::default(), &plain);
        assert_eq!((sure.verdict, sure.best.label.as_str()), (Verdict::Identified, "rim"));
        assert_eq!((sure.alternatives.len(), sure.category, sure.unfit.len()), (1, None, 0));

        // A temperature makes the same photograph unsure, and the category of the tied siblings is returned.
        let warm = Conditions { feedback_temperature: Some(4.0), ..plain };
        assert_eq!(decide(&[2.0, 0.0, 0.0], &NearReferences::default(), &warm).verdict, Verdict::NotSure);
        let tie = decide(&[0.0, 3.0, 3.0], &NearReferences::default(), &plain);
        assert_eq!(tie.category.map(|guess| guess.category), Some(Category::Engine));

        let is_rim = |found: &PartLabel| *found == label("rim");
        let unfit = decide(&[1.0, 0.0, -9.0], &NearReferences::default(), &plain.with_vehicle(&is_rim));
        assert_eq!((unfit.best.label.as_str(), unfit.unfit[0].label.as_str()), ("piston", "rim"));
        assert!(unfit.unfit[0].confidence > 0.8);

        let near = egr_valve();
        let taught = decide(&[2.0, 0.0, 0.0], &near, &plain);
        assert_eq!((taught.verdict, taught.best.label.as_str()), (Verdict::Identified, "egr-valve"));
    }

    #[test]
    fn a_taught_part_is_identified_only_where_its_rule_allows_it() {
        let types = ["rim", "piston", "camshaft"].map(label);
        let under = |identification| {
            let rule = TaughtRule { identification, types: &types };
            Conditions::of_model(THRESHOLDS, 2).with_taught(Some(rule))
        };
        let near = egr_valve();
        for (identification, expected) in [
            (TaughtIdentification::AsLearnt, Verdict::Identified),
            (TaughtIdentification::From(0.9), Verdict::Identified),
            (TaughtIdentification::From(1.0), Verdict::NotSure),
            (TaughtIdentification::Never, Verdict::NotSure),
        ] {
            let found = decide(&[2.0, 0.0, 0.0], &near, &under(identification));
            assert_eq!(
                (found.verdict, found.best.label.as_str()),
                (expected, "egr-valve"),
                "{identification:?}"
            );
            // The rule applies only to taught parts.
            let learnt = decide(&[3.0, 0.0, 0.0], &NearReferences::default(), &under(identification));
            assert_eq!(learnt.verdict, Verdict::Identified, "{identification:?}");
        }
        // A pair of look-alikes is not sure either, if one of them was taught.
        let marks: LookAlikes =
            [LookAlikePair::new(label("egr-valve"), label("rim")).unwrap()].into_iter().collect();
        let conditions = under(TaughtIdentification::Never).with_look_alikes(&marks);
        let found = decide(&[2.0, 0.0, 0.0], &near, &conditions);
        assert_eq!((found.verdict, found.candidate_set), (Verdict::NotSure, None));
        let conditions = under(TaughtIdentification::AsLearnt).with_look_alikes(&marks);
        assert!(decide(&[2.0, 0.0, 0.0], &near, &conditions).candidate_set.is_some());
    }

    #[test]
    fn only_an_answer_that_is_not_sure_has_a_candidate_set() {
        let scorer = scorer().with_sets(Some(SetCalibration { coverage: 0.95, probability: 0.2 }));
        let plain = Conditions::of_model(THRESHOLDS, 1).with_sets(scorer.sets());
        let none = NearReferences::default();
        assert_eq!(decide(&[2.0, 0.0, 0.0], &none, &plain).candidate_set, None, "identified");
        let strict = VerdictThresholds { not_a_part_below: 0.99, ..THRESHOLDS };
        let no_part = Conditions { thresholds: strict, ..plain };
        assert_eq!(decide(&[0.0, 3.0, 3.0], &none, &no_part).candidate_set, None, "not a part");
        let without = Conditions { sets: None, ..plain };
        assert_eq!(decide(&[0.0, 3.0, 3.0], &none, &without).candidate_set, None, "no rule");
        assert_eq!(self::scorer().sets(), None);

        let labels = |logits: &[f32; 3], near: &NearReferences, conditions: &Conditions<'_>| {
            let set = decide(logits, near, conditions).candidate_set?;
            Some(set.candidates.iter().map(|candidate| candidate.label.to_string()).collect::<Vec<_>>())
        };
        let engine = Some(vec!["piston".to_owned(), "camshaft".to_owned()]);
        assert_eq!(labels(&[0.0, 3.0, 3.0], &none, &plain), engine, "all of it, and not only the `top`");

        // A type that cannot be on the vehicle leaves the set, and the best guess is always in it; nothing else enters.
        let is_piston = |found: &PartLabel| *found == label("piston");
        let tie = labels(&[2.0, 2.5, 2.0], &none, &plain.with_vehicle(&is_piston));
        assert_eq!(tie, Some(vec!["rim".to_owned(), "camshaft".to_owned()]));
        let strict = Conditions {
            thresholds: VerdictThresholds { identified_confidence: 1.0, ..THRESHOLDS },
            ..plain
        };
        let alone = labels(&[1.2, 2.5, 1.1], &none, &strict.with_vehicle(&is_piston));
        assert_eq!(alone, Some(vec!["rim".to_owned()]));

        // With a taught part among the candidates there is no measured set.
        let sure_of_none = VerdictThresholds { identified_confidence: 1.0, ..THRESHOLDS };
        let taught = Conditions { thresholds: sure_of_none, ..plain };
        let decision = decide(&[0.0, 3.0, 3.0], &egr_valve(), &taught);
        assert_eq!((decision.verdict, decision.candidate_set), (Verdict::NotSure, None));
    }

    #[test]
    fn a_set_keeps_its_coverage_or_states_none() {
        let scorer = scorer().with_sets(Some(SetCalibration { coverage: 0.9, probability: 0.2 }));
        let plain = Conditions::of_model(THRESHOLDS, 1).with_sets(scorer.sets());
        // By the model's own calibration 0.67 and 0.25, and 0.08 for the last.
        let seen = scorer
            .photograph(RawScores { logits: &[2.0, 1.5, 0.95], known: 2.0 }, &NearReferences::default());
        let set_of = |pool: &OpinionPool, conditions: &Conditions<'_>| {
            let set = pool.decide(conditions).unwrap().candidate_set.unwrap();
            assert!(!set.is_of_look_alikes());
            let labels =
                set.candidates.iter().map(|candidate| candidate.label.to_string()).collect::<Vec<_>>();
            (labels, set.coverage)
        };
        let pool = OpinionPool::of_one(seen.clone());
        let two = vec!["rim".to_owned(), "piston".to_owned()];
        assert_eq!(set_of(&pool, &plain), (two.clone(), Some(0.9)));
        // Feedback moves the probabilities that are shown, and neither adds a type nor removes one. At a temperature
        // below 1 fewer and harder answers are not sure than were measured.
        let strict = VerdictThresholds { identified_confidence: 0.99, ..THRESHOLDS };
        let lax = VerdictThresholds { identified_confidence: 0.7, ..THRESHOLDS };
        for (name, temperature, thresholds, coverage) in [
            ("less sure", Some(3.0), THRESHOLDS, Some(0.9)),
            ("surer", Some(0.9), THRESHOLDS, None),
            ("a stricter dial", None, strict, Some(0.9)),
            ("a laxer dial", None, lax, None),
            ("a laxer dial, and less sure", Some(3.0), lax, None),
        ] {
            let conditions = Conditions { feedback_temperature: temperature, thresholds, ..plain };
            assert_eq!(set_of(&pool, &conditions), (two.clone(), coverage), "{name}");
        }
        // Nothing was measured of several photographs.
        let several = OpinionPool::new(vec![seen.clone(), seen]).unwrap();
        assert_eq!(set_of(&several, &plain), (two, None));
    }

    /// Name, raw scores, verdict, whether a category is returned, and the set with its coverage.
    type Case<'a> = (&'a str, [f32; 3], Verdict, bool, Option<(Option<f64>, &'a [&'a str])>);

    #[test]
    fn between_look_alikes_no_picture_decides() {
        let marks: LookAlikes = [
            LookAlikePair::new(label("rim"), label("egr-valve")).unwrap(),
            LookAlikePair::new(label("piston"), label("camshaft")).unwrap(),
        ]
        .into_iter()
        .collect();
        let scorer = scorer().with_sets(Some(SetCalibration { coverage: 0.95, probability: 0.2 }));
        let conditions =
            Conditions::of_model(THRESHOLDS, 2).with_sets(scorer.sets()).with_look_alikes(&marks);
        let both = |set: &'static [&'static str]| Some((None, set));
        let cases: [Case<'_>; 4] = [
            ("sure of one", [3.0, 0.0, 0.0], Verdict::NotSure, false, both(&["rim", "egr-valve"])),
            ("sure of the other", [0.0, 3.0, 0.0], Verdict::NotSure, false, both(&["piston", "camshaft"])),
            (
                "sure of both together",
                [0.0, 3.0, 3.0],
                Verdict::NotSure,
                false,
                both(&["piston", "camshaft"]),
            ),
            (
                "not even sure of both: the measured set, and the look-alike of each",
                [2.0, 2.1, 0.0],
                Verdict::NotSure,
                false,
                Some((Some(0.95), &["piston", "rim", "camshaft", "egr-valve"])),
            ),
        ];
        let mut wrong = Vec::new();
        for (name, logits, verdict, has_category, expected) in cases {
            let found = decide(&logits, &NearReferences::default(), &conditions);
            let set = found.candidate_set.as_ref().map(|set| {
                (
                    set.coverage,
                    set.candidates.iter().map(|candidate| candidate.label.as_str()).collect::<Vec<_>>(),
                )
            });
            let expected = expected.map(|(coverage, labels)| (coverage, labels.to_vec()));
            if (found.verdict, found.category.is_some(), &set) != (verdict, has_category, &expected) {
                wrong.push(format!("{name}: {found:?}"));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");

        // The vehicle does not decide between them either, since it is only a prior.
        let is_rim = |found: &PartLabel| *found == label("rim");
        let marked = |name: &str| LookAlikePair::new(label("piston"), label(name)).unwrap();
        let marks: LookAlikes = [marked("rim")].into_iter().collect();
        let of_vehicle = Conditions::of_model(THRESHOLDS, 2).with_vehicle(&is_rim).with_look_alikes(&marks);
        let found = decide(&[2.0, 2.0, -9.0], &NearReferences::default(), &of_vehicle);
        assert_eq!((found.verdict, found.best.label.as_str()), (Verdict::NotSure, "piston"));
        assert!(found.best.confidence > 0.9 && found.candidate_set.unwrap().is_of_look_alikes());

        // Without marks, or with marks of other types, the answer is unchanged; a photograph without a part stays
        // one.
        let none = LookAlikes::default();
        let sure = decide(
            &[3.0, 0.0, 0.0],
            &NearReferences::default(),
            &Conditions::of_model(THRESHOLDS, 2).with_look_alikes(&none),
        );
        assert_eq!((sure.verdict, sure.candidate_set), (Verdict::Identified, None));
        let other = decide(&[-9.0, -9.0, 9.0], &NearReferences::default(), &of_vehicle);
        assert_eq!((other.verdict, other.best.label.as_str()), (Verdict::Identified, "camshaft"));
        let strict = VerdictThresholds { not_a_part_below: 0.99, ..THRESHOLDS };
        let no_part = decide(
            &[3.0, 0.0, 0.0],
            &NearReferences::default(),
            &Conditions { thresholds: strict, ..of_vehicle },
        );
        assert_eq!((no_part.verdict, no_part.candidate_set), (Verdict::NotAPart, None));
    }

    #[test]
    fn what_is_kept_of_a_photograph_says_the_same_again() {
        let scores = scorer().photograph(RawScores { logits: &[2.0, 0.5, 0.0], known: 2.0 }, &egr_valve());
        let kept: Vec<f32> = scores.log_probabilities().into_iter().map(|value| value as f32).collect();
        let taught = &scores.labels[3..];
        let again = scorer().restore(&kept, taught, scores.known_score).unwrap();
        assert_eq!(
            (&again.labels, again.known_score.to_bits()),
            (&scores.labels, scores.known_score.to_bits())
        );
        for (one, other) in again.probabilities.iter().zip(&scores.probabilities) {
            assert!((one - other).abs() < 1e-6, "{again:?} {scores:?}");
        }
        assert_eq!(scorer().restore(&kept[1..], taught, 0.5), None, "of another model");
    }

    #[test]
    fn references_count_for_nothing_with_a_model_that_was_not_measured_for_them() {
        let near = egr_valve();
        let unmeasured = scorer().with_references(None);
        let raw = RawScores { logits: &[2.0, 0.0, 0.0], known: 2.0 };
        assert_eq!(unmeasured.photograph(raw, &near), scorer().photograph(raw, &NearReferences::default()));
        assert_eq!(unmeasured.references_alone(&near), None);
        assert_eq!(scorer().references_alone(&NearReferences::default()), None);
        assert_eq!(scorer().references_alone(&near).unwrap().labels, [label("egr-valve")]);
    }
}
