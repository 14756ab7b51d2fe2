//! Fits `[references]`: how references are weighed by a model with prototypes. Fitted on labelled photographs.
//!
//! Its encoder was not trained on our types, so a type without its prototype is as good as unseen. Episodes leave
//! types out in turn: some of them are taught by one, three or five of their photographs, and the other photographs
//! are the queries. Begin with `episodes`. What is fitted where:
//!
//! - the odds and the known score of a taught part: in `factors`, on all types;
//! - when a taught part may be identified: in `identified`, on each half of the types with the odds of the other
//!   half;
//! - thresholds on similarities: in `similarities`.
//!
//! The steps are those of `training/src/partsight_training/references.py`, and answers come from the same scoring as
//! scans. With too few photographs nothing is fitted: then taught parts are found and never identified.

#[cfg(test)]
mod drawn;
mod episodes;
mod factors;
mod identified;
mod sample;
mod similarities;

use partsight_domain::ReferenceCalibration;
use partsight_inference::{
    Calibration, Judging, PrototypeHead, Prototypes, ReferenceSimilarities, References, TaughtIdentified,
    Thresholds,
};

use self::episodes::Plan;
use self::factors::Factors;
pub(super) use self::sample::Sample;
use super::ImportStep;

/// Types with enough photographs that are needed: half of each half is taught at a time.
pub(super) const MIN_TYPES: usize = 8;
/// Photographs of a type that are needed: three for teaching, and two as queries.
pub(super) const MIN_PHOTOS: usize = 5;
/// Numbers of photographs that teach a part (shots).
const SHOTS: [usize; 3] = [1, 3, 5];
/// Random draws of the types that are taught together, and of their reference photographs.
const DRAWS: u64 = 3;
/// Neighbours that count, as for the shipped model.
const NEAREST: usize = 10;
/// Rounding of the fitted factors, as in training.
const DIGITS: f64 = 1e6;

/// The calibration of the model before teaching.
#[derive(Debug, Clone, Copy)]
pub(super) struct Measured<'a> {
    pub(super) head: &'a PrototypeHead,
    pub(super) calibration: &'a Calibration,
    pub(super) thresholds: &'a Thresholds,
    /// The model's name.
    pub(super) name: &'a str,
}

/// The fitted values for the manifest.
#[derive(Debug, Clone)]
pub(super) struct FittedReferences {
    /// All but the name of the file.
    references: References,
    /// Similarity from which a verdict is reused; `None` if it was not measured.
    pub(super) judging: Option<Judging>,
}

impl FittedReferences {
    /// Adds the file of prototypes, in whose space embeddings are compared.
    pub(super) fn of_file(&self, file: &Prototypes) -> References {
        References {
            prototypes: file.path.clone(),
            sha256: file.sha256.clone(),
            size_bytes: file.size_bytes,
            ..self.references.clone()
        }
    }

    /// Values with which a taught part can be found but never identified, because of `reason`.
    ///
    /// The logit is the lead of its references over the nearest class, times the scale of the shipped model: it is
    /// the best guess if a photograph is nearer to it than to all classes.
    fn unmeasured(reason: &str, judging: Option<Judging>) -> Self {
        let references = References {
            prototypes: String::new(),
            sha256: String::new(),
            size_bytes: 0,
            nearest: NEAREST,
            score_scale: 15.0,
            class_scale: 15.0,
            model_known_scale: 0.0,
            score_bias: 0.0,
            learnt_offset: 3.0,
            known_scale: 10.0,
            background_scale: 0.0,
            known_bias: -4.0,
            fitted_on: format!("Nothing: {reason}"),
            similarities: ReferenceSimilarities::default(),
            identified: Some(TaughtIdentified {
                confidence: None,
                error_upper_bound: 1.0,
                n: 0,
                identified: 0,
                identified_wrong: 0,
                others_n: 0,
                others_identified: 0,
                derived_by: "Nothing was measured.".to_owned(),
            }),
        };
        Self { references, judging }
    }
}

/// Fits on the photographs of `sample`; `progress` is called for each stage.
pub(super) fn fit(
    sample: &Sample,
    measured: &Measured<'_>,
    progress: &dyn Fn(ImportStep),
) -> FittedReferences {
    let stage = |done| progress(ImportStep { what: "measuring teaching", done, total: 5 });
    stage(0);
    let types = sample.types_with_at_least(MIN_PHOTOS);
    if types.len() < MIN_TYPES {
        let have = match types.len() {
            0 => "no type has".to_owned(),
            1 => "only 1 type has".to_owned(),
            n => format!("only {n} types have"),
        };
        let reason = format!(
            "{have} {MIN_PHOTOS} photographs or more, and {MIN_TYPES} are needed. Collect more photographs in a folder \
             for each type and run `partsight models fit-references {} --photos DIR`.",
            measured.name
        );
        stage(5);
        return FittedReferences::unmeasured(&reason, None);
    }
    let judging = similarities::judging(sample);
    let plan = Plan::new(sample, &types);
    let of_half = |half: usize| plan.episodes(half, DRAWS);
    let halves = [of_half(0), of_half(1)];
    stage(1);
    let seen = halves.each_ref().map(|episodes| factors::ask(sample, measured, episodes));
    stage(2);
    let every: Vec<factors::Seen> = seen.iter().flatten().cloned().collect();
    let mark = measured.thresholds.not_a_part_below;
    let fitted = factors::fit(&every, mark);
    let of_halves = seen.each_ref().map(|seen| factors::fit(seen, mark));
    let (Some(fitted), [Some(one), Some(other)]) = (fitted, of_halves) else {
        let reason = format!(
            "photographs of one type are no nearer to each other than to those of others, so that this encoder does \
             not tell them apart. Take another encoder, or other photographs, and run `partsight models \
             fit-references {} --photos DIR`.",
            measured.name
        );
        stage(5);
        return FittedReferences::unmeasured(&reason, judging);
    };
    // Each half of the types is measured with what was fitted on the other half.
    let identified = identified::measure(sample, measured, &plan, [&other, &one]);
    stage(3);
    let similarities = similarities::marks(sample, measured, &types, fitted.score_scale);
    stage(4);
    let learnt_offset = factors::learnt_offset(sample, measured, &fitted);
    stage(5);
    let rounded = |value: f64| (value * DIGITS).round() / DIGITS;
    let references = References {
        prototypes: String::new(),
        sha256: String::new(),
        size_bytes: 0,
        nearest: NEAREST,
        score_scale: rounded(fitted.score_scale),
        class_scale: rounded(fitted.class_scale),
        model_known_scale: 0.0,
        score_bias: rounded(fitted.score_bias),
        learnt_offset,
        known_scale: rounded(fitted.known_scale),
        background_scale: 0.0,
        known_bias: rounded(fitted.known_bias),
        fitted_on: fitted_on(sample, &types, &plan),
        similarities,
        identified: Some(identified),
    };
    FittedReferences { references, judging }
}

/// The photographs of the fit, in words.
fn fitted_on(sample: &Sample, types: &[usize], plan: &Plan<'_>) -> String {
    let n_photos: usize = types.iter().map(|&at| sample.types[at].photos.len()).sum();
    let shots = SHOTS.map(|n| n.to_string()).join(", ");
    format!(
        "{n_photos} photographs of {} types with {MIN_PHOTOS} or more each, at most {} of a type: up to {} types at a \
         time left out and taught by {shots} of their photographs, as many left out and not taught, beside those that \
         are learnt, which weigh {:.0}%; the known score on the same and {} everyday photographs.",
        types.len(),
        sample::MOST_OF_TYPE,
        plan.most_taught(),
        factors::LEARNT_SHARE * 100.0,
        sample.everyday.len()
    )
}

/// The calibration of references by these factors.
fn calibration_by(factors: &Factors, learnt_offset: f64) -> ReferenceCalibration {
    ReferenceCalibration {
        nearest: NEAREST,
        score_scale: factors.score_scale,
        class_scale: factors.class_scale,
        model_known_scale: 0.0,
        score_bias: factors.score_bias,
        learnt_offset,
        known_scale: factors.known_scale,
        background_scale: 0.0,
        known_bias: factors.known_bias,
        identification: partsight_domain::TaughtIdentification::AsLearnt,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::drawn::{Drawn, drawn};
    use super::*;

    fn fitted(drawn: &Drawn) -> FittedReferences {
        let measured = Measured {
            head: &drawn.head,
            calibration: &drawn.calibration,
            thresholds: &drawn.thresholds,
            name: "drawn",
        };
        let sample = Sample::new(&drawn.head, &drawn.labels, std::slice::from_ref(&drawn.folders));
        let stages = RefCell::new(Vec::new());
        let fitted = fit(&sample, &measured, &|step| stages.borrow_mut().push(step.done));
        assert_eq!(stages.borrow().last(), Some(&5), "the last stage is the end");
        fitted
    }

    #[test]
    fn types_that_are_told_apart_can_be_identified_once_they_are_taught() {
        let FittedReferences { references, judging } = fitted(&drawn(12, 20, 0.3));
        assert!(references.fitted_on.starts_with("240 photographs of 12 types"), "{}", references.fitted_on);
        assert!(references.score_scale > 1.0 && references.class_scale >= 0.0, "{references:?}");
        // A photograph of a taught part is known, and one of another part is not.
        let known = |similarity: f64| references.known_scale * similarity + references.known_bias;
        assert!(known(0.95) > 0.0 && known(0.2) < 0.0, "{references:?}");
        let identified = references.identified.clone().unwrap();
        assert!(identified.confidence.is_some_and(|least| least >= 0.8), "{identified:?}");
        assert!(identified.error_upper_bound <= 0.1 && identified.identified > 40, "{identified:?}");
        assert_eq!(identified.others_n, 240, "{identified:?}");
        let similarities = references.similarities;
        assert!(similarities.outlier <= similarities.own && similarities.own < similarities.copy);
        assert!(similarities.similar < similarities.own, "{similarities:?}");
        assert!(similarities.confusion_margin > 0.0);
        assert!(judging.is_some_and(|judging| (0.96..=1.0).contains(&judging.reuse_similarity)));
    }

    #[test]
    fn taught_parts_are_called_no_part_as_seldom_as_learnt_types() {
        let mut drawn = drawn(12, 20, 0.3);
        let FittedReferences { references: free, .. } = fitted(&drawn);
        // The similarity at which the known score of references reaches the mark.
        let at = |references: &References, mark: f64| {
            ((mark / (1.0 - mark)).ln() - references.known_bias) / references.known_scale
        };
        let marks = [0.05, 0.5].map(|mark| {
            drawn.thresholds.not_a_part_below = mark;
            at(&fitted(&drawn).references, mark)
        });
        assert!((marks[0] - marks[1]).abs() < 1e-6, "the same photographs lie below: {marks:?}");
        assert!((at(&free, 0.05) - marks[0]).abs() > 1e-3, "{free:?}");
    }

    #[test]
    fn the_same_photographs_give_the_same_figures() {
        let (one, other) = (fitted(&drawn(9, 8, 0.5)), fitted(&drawn(9, 8, 0.5)));
        assert_eq!(one.references, other.references);
    }

    #[test]
    fn too_few_types_or_photographs_identify_nothing_and_say_what_to_do() {
        for (n_types, n_photos, have) in
            [(7, 20, "only 7 types have"), (1, 20, "only 1 type has"), (12, 4, "no type has")]
        {
            let references = fitted(&drawn(n_types, n_photos, 0.2)).references;
            let expected = format!("Nothing: {have} 5 photographs or more, and 8 are needed.");
            assert!(references.fitted_on.starts_with(&expected), "{}", references.fitted_on);
            assert!(
                references.fitted_on.contains("partsight models fit-references drawn"),
                "{}",
                references.fitted_on
            );
            assert_eq!(references.identified.unwrap().confidence, None);
        }
    }

    #[test]
    fn what_an_encoder_does_not_tell_apart_is_never_identified() {
        // Photographs of one type lie no nearer to each other than to others.
        let references = fitted(&drawn(12, 20, 100.0)).references;
        assert_eq!(references.identified.unwrap().confidence, None);
    }

    #[test]
    fn few_photographs_are_too_few_for_a_promise() {
        let references = fitted(&drawn(8, 5, 0.2)).references;
        assert!(references.fitted_on.starts_with("40 photographs of 8 types"), "{}", references.fitted_on);
        let identified = references.identified.unwrap();
        assert_eq!(identified.confidence, None, "{identified:?}");
        assert!(identified.derived_by.contains("Too few photographs"), "{identified:?}");
    }
}
