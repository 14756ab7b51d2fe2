//! Fits calibration and thresholds on labelled photographs.

use ndarray::Axis;
use partsight_domain::{CalibratedScores, RawScores};
use partsight_inference::calibration::{
    GUARANTEE, Labelled, WANTED_ERRORS, expected_calibration_error, fit_platt, fit_smoothed_temperature,
    is_bound_of_search, risk_thresholds, threshold_with_share_above, threshold_with_share_below,
};
use partsight_inference::{Calibration, PrototypeHead, RiskThreshold, Thresholds};

use super::ImportError;
use super::embed::EmbeddedFolder;
use super::labels::{LabelledPhotos, NOT_A_PART};
use crate::recognition::identify::calibration_of;

/// The error rate of the dial at which an answer is identified by default.
pub(super) const WANTED_ERROR: f64 = 0.05;
/// Share of the photographs of known types that may fall below the not-a-part threshold.
pub(super) const KNOWN_CALLED_NOT_A_PART: f64 = 0.03;
/// Share of the other photographs that may be identified.
const OTHERS_CALLED_IDENTIFIED: f64 = 0.015;
/// Bins of the expected calibration error, as in the model's card.
const ECE_BINS: usize = 15;

/// The fitted values for the manifest.
#[derive(Debug)]
pub(super) struct Fitted {
    pub(super) calibration: Calibration,
    pub(super) thresholds: Thresholds,
    pub(super) measured: toml::Table,
}

impl Fitted {
    /// The values without calibration: unchanged scores, and thresholds with which every answer is "not sure".
    pub(super) fn neutral() -> Self {
        let calibration = Calibration {
            temperature: 1.0,
            known_scale: 1.0,
            known_bias: 0.0,
            fitted_on: "Nothing: not calibrated.".to_owned(),
        };
        let thresholds = Thresholds {
            not_a_part_below: 0.0,
            identified_known_score: 1.0,
            identified_confidence: 1.0,
            category_confidence: None,
            derived_by: "Nothing is known of the errors, so that every answer is \"not sure\".".to_owned(),
            risk_measured_on: None,
            risk: Vec::new(),
            rejection: Vec::new(),
        };
        Self { calibration, thresholds, measured: toml::Table::new() }
    }
}

/// Raw outputs for one photograph.
struct Raw {
    logits: Vec<f32>,
    known: f32,
}

impl Raw {
    fn scores(&self, calibration: &Calibration) -> CalibratedScores {
        let raw = RawScores { logits: &self.logits, known: self.known };
        CalibratedScores::new(&calibration_of(calibration), raw)
    }
}

/// Fits on the photographs of the model's labels as positives and on all others as negatives; `folders` are the
/// embeddings of `photos`.
pub(super) fn fit(
    head: &PrototypeHead,
    photos: &LabelledPhotos,
    folders: &[EmbeddedFolder],
    labels: &[String],
) -> Result<Fitted, ImportError> {
    let (mut known, mut others) = (Vec::new(), Vec::new());
    for folder in folders {
        let class = labels.iter().position(|known| *known == folder.label);
        for embedding in &folder.embeddings {
            let (logits, scores) = head.score(&embedding.view().insert_axis(Axis(0)));
            let raw = Raw { logits: logits.row(0).to_vec(), known: scores[0] };
            match class {
                Some(class) => known.push((class, raw)),
                None => others.push(raw),
            }
        }
    }
    if known.is_empty() {
        return Err(ImportError::NothingToCalibrateOn(photos.folder.clone()));
    }
    let (calibration, thresholds) = fit_scores(&known, &others)?;
    let measured = measure(&known, &others, &calibration);
    Ok(Fitted { calibration, thresholds, measured })
}

fn fit_scores(known: &[(usize, Raw)], others: &[Raw]) -> Result<(Calibration, Thresholds), ImportError> {
    let labelled: Vec<Labelled<'_>> = known
        .iter()
        .map(|(class, raw)| Labelled { logits: &raw.logits, class: *class, weight: 1.0 })
        .collect();
    let mut calibration = Calibration {
        temperature: fit_smoothed_temperature(&labelled)?,
        known_scale: 1.0,
        known_bias: 0.0,
        fitted_on: String::new(),
    };
    calibration.fitted_on = fitted_on(known, others, &calibration);
    // An answer needs both its confidence and its known score: the dial is fitted on those that pass the latter.
    let dial_from = |calibration: &Calibration, least_known_score: f64| {
        let answers = answers(known, calibration, least_known_score);
        dial(risk_thresholds(&answers, known.len(), &WANTED_ERRORS))
    };
    if others.is_empty() {
        // Without other photographs the known score decides nothing.
        let (risk, identified_confidence) = dial_from(&calibration, 0.0);
        let derived_by = format!(
            "Confidence: {}. There were no photographs in `{NOT_A_PART}`, so that nothing is rejected.",
            rule()
        );
        let thresholds = Thresholds {
            not_a_part_below: 0.0,
            identified_known_score: 0.0,
            identified_confidence,
            category_confidence: None,
            derived_by,
            risk_measured_on: None,
            risk,
            rejection: Vec::new(),
        };
        return Ok((calibration, thresholds));
    }
    let raw_known: Vec<f32> = known.iter().map(|(_, raw)| raw.known).collect();
    let raw_others: Vec<f32> = others.iter().map(|raw| raw.known).collect();
    // Platt scaling: a logistic fit turns the raw score into a probability.
    let fit = fit_platt(&raw_known, &raw_others)?;
    (calibration.known_scale, calibration.known_bias) = (fit.scale, fit.bias);
    let score = |raw: &Raw| raw.scores(&calibration);
    let known_scores: Vec<f64> = known.iter().map(|(_, raw)| f64::from(score(raw).known_score)).collect();
    let other_scores: Vec<CalibratedScores> = others.iter().map(score).collect();
    // A small share of the known types is given up to reject photographs of no part.
    let not_a_part_below = threshold_with_share_below(&known_scores, KNOWN_CALLED_NOT_A_PART);
    let known_score_for = |identified_confidence: f64| {
        // Only those that pass the confidence threshold can still be identified.
        let tempting = other_scores.iter().map(|scores| {
            let passes = f64::from(scores.confidence()) >= identified_confidence;
            // As 0 it counts in the share, and is above no threshold.
            if passes { f64::from(scores.known_score) } else { 0.0 }
        });
        threshold_with_share_above(&tempting.collect::<Vec<_>>(), OTHERS_CALLED_IDENTIFIED)
            // An identified photograph must not also count as not a part.
            .max(not_a_part_below)
    };
    // The two thresholds depend on each other: the dial is first fitted with all photographs, then with those that
    // pass.
    let (_, confidence) = dial_from(&calibration, 0.0);
    let (risk, identified_confidence) = dial_from(&calibration, known_score_for(confidence));
    let identified_known_score = known_score_for(identified_confidence);
    let derived_by = format!(
        "At most {}% of the types' photographs below not_a_part_below; at most {}% of the others identified; \
         confidence: {}; of those that the known score lets through.",
        KNOWN_CALLED_NOT_A_PART * 100.0,
        OTHERS_CALLED_IDENTIFIED * 100.0,
        rule()
    );
    let thresholds = Thresholds {
        not_a_part_below,
        identified_known_score,
        identified_confidence,
        category_confidence: None,
        derived_by,
        risk_measured_on: None,
        risk,
        // The photographs at hand fitted the thresholds.
        rejection: Vec::new(),
    };
    Ok((calibration, thresholds))
}

/// The dial, and the confidence at its default mark.
fn dial(risk: Vec<RiskThreshold>) -> (Vec<RiskThreshold>, f64) {
    // Taken where too few photographs promise it, too: the manifest and the import say that it is not reached.
    let chosen = risk.iter().find(|mark| mark.wanted_error >= WANTED_ERROR);
    // Without any mark nothing is identified.
    let confidence = chosen.map_or(1.0, |mark| mark.identified_confidence);
    (risk, confidence)
}

fn rule() -> String {
    format!(
        "at most {}% wrong among the answers by the Clopper-Pearson bound at {}% (selective classification, \
         Geifman and El-Yaniv 2017), or the lowest above every wrong answer, and not below that of a laxer mark, where \
         the photographs are too few",
        WANTED_ERROR * 100.0,
        GUARANTEE * 100.0
    )
}

/// What the confidences were fitted on, and what about that fit is not as one would expect.
fn fitted_on(known: &[(usize, Raw)], others: &[Raw], calibration: &Calibration) -> String {
    let (n_known, n_others) = (known.len(), others.len());
    let mut sentences =
        vec![format!("{n_known} photographs of the model's types and {n_others} of anything else.")];
    if answers(known, calibration, 0.0).iter().all(|(_, is_right)| *is_right) {
        sentences.push(format!(
            "Every best guess was right, so that nothing shows how sure a wrong one is: the confidences are those of \
             about one wrong guess in {}. More photographs, and harder ones, tell more.",
            n_known + 2
        ));
    }
    if is_bound_of_search(calibration.temperature) {
        sentences.push(format!(
            "No temperature that was tried fits them: {} is the last one. Look for wrong labels, and for types that \
             the network cannot tell apart.",
            calibration.temperature.round()
        ));
    }
    sentences.join(" ")
}

/// Confidence and correctness of each best guess whose known score is at least `least_known_score`.
fn answers(known: &[(usize, Raw)], calibration: &Calibration, least_known_score: f64) -> Vec<(f64, bool)> {
    let answer = |(class, raw): &(usize, Raw)| {
        let scores = raw.scores(calibration);
        let is_let_through = f64::from(scores.known_score) >= least_known_score;
        is_let_through.then(|| (f64::from(scores.confidence()), scores.best() == Some(*class)))
    };
    known.iter().filter_map(answer).collect()
}

/// Metrics on the photographs of the fit: optimistic, and named as such.
fn measure(known: &[(usize, Raw)], others: &[Raw], calibration: &Calibration) -> toml::Table {
    let answers = answers(known, calibration, 0.0);
    let right = answers.iter().filter(|(_, is_right)| *is_right).count();
    let mut measured = toml::Table::new();
    let mut note = |name: &str, value: toml::Value| {
        measured.insert(name.to_owned(), value);
    };
    let rounded = |value: f64| toml::Value::Float((value * 1e4).round() / 1e4);
    note("calibration_n", toml::Value::Integer(i64::try_from(known.len()).unwrap_or(i64::MAX)));
    note("calibration_others_n", toml::Value::Integer(i64::try_from(others.len()).unwrap_or(i64::MAX)));
    note("calibration_top1", rounded(right as f64 / known.len() as f64));
    note("calibration_ece", rounded(expected_calibration_error(&answers, ECE_BINS)));
    measured
}

#[cfg(test)]
mod tests {
    use super::*;

    fn photo(class: usize, logits: [f32; 2], known: f32) -> (usize, Raw) {
        (class, Raw { logits: logits.to_vec(), known })
    }

    #[test]
    fn the_thresholds_keep_the_shares_they_promise() {
        let known: Vec<_> = (0..200)
            .map(|i| photo(i % 2, if i % 2 == 0 { [9.0, 0.0] } else { [0.0, 9.0] }, 3.0 + i as f32 * 0.01))
            .collect();
        let others: Vec<_> =
            (0..200).map(|i| Raw { logits: vec![9.0, 0.0], known: -3.0 - i as f32 * 0.01 }).collect();
        let (calibration, thresholds) = fit_scores(&known, &others).unwrap();
        let score = |raw: &Raw| f64::from(raw.scores(&calibration).known_score);
        let below = known.iter().filter(|(_, raw)| score(raw) < thresholds.not_a_part_below).count();
        assert!(below <= 6, "{below} of 200 are more than 3%");
        let identified = others.iter().filter(|raw| score(raw) >= thresholds.identified_known_score).count();
        assert!(identified <= 3, "{identified} of 200 are more than 1.5%");
        assert_eq!(thresholds.risk.len(), WANTED_ERRORS.len());
        assert!(thresholds.risk.iter().all(|mark| mark.n == 200));
        assert!(thresholds.risk[2].is_met(), "{:?}", thresholds.risk);
    }

    #[test]
    fn promises_are_of_the_answers_that_the_known_score_lets_through() {
        // Every fiftieth guess is wrong, as sure as the others, and has the known score of something else.
        let known: Vec<_> = (0..400)
            .map(|i| {
                let is_wrong = i % 50 == 0;
                let logits = if (i % 2 == 0) == is_wrong { [0.0, 9.0] } else { [9.0, 0.0] };
                photo(i % 2, logits, if is_wrong { -3.0 } else { 3.0 } + i as f32 * 0.001)
            })
            .collect();
        let others: Vec<_> =
            (0..400).map(|i| Raw { logits: vec![9.0, 0.0], known: -3.0 + i as f32 * 0.002 }).collect();
        let (calibration, thresholds) = fit_scores(&known, &others).unwrap();
        let all = answers(&known, &calibration, 0.0);
        let [by_confidence_alone] = risk_thresholds(&all, known.len(), &[0.01])[..] else { panic!() };
        assert!(!by_confidence_alone.is_met(), "{by_confidence_alone:?}");
        let let_through = answers(&known, &calibration, thresholds.identified_known_score);
        assert!(let_through.iter().all(|(_, is_right)| *is_right));
        assert!(thresholds.risk.iter().all(RiskThreshold::is_met), "{:?}", thresholds.risk);
        for mark in &thresholds.risk {
            assert!((mark.answered - let_through.len() as f64 / 400.0).abs() < 1e-9, "{mark:?}");
            assert_eq!(mark.n, 400);
        }
    }

    #[test]
    fn photographs_that_are_all_guessed_right_do_not_make_every_answer_certain() {
        // Gaps as wide as those of CLIP, whose logits are cosines times 100, but all different.
        let gap = |at: usize| 2.0 + at as f32 * 0.4;
        let known: Vec<_> = (0..41)
            .map(|at| photo(at % 2, if at % 2 == 0 { [gap(at), 0.0] } else { [0.0, gap(at)] }, 1.0))
            .collect();
        let (calibration, thresholds) = fit_scores(&known, &[]).unwrap();
        let confidence = |logits: [f32; 2]| photo(0, logits, 1.0).1.scores(&calibration).confidence();
        let mean = answers(&known, &calibration, 0.0).iter().map(|(found, _)| found).sum::<f64>() / 41.0;
        assert!((0.9..0.99).contains(&mean), "{mean}");
        assert!(confidence([0.5, 0.0]) < 0.7, "noise is not sure: {}", confidence([0.5, 0.0]));
        assert!(confidence([gap(1), 0.0]) < confidence([gap(2), 0.0]), "no ties");
        assert!(calibration.fitted_on.contains("one wrong guess in 43"), "{}", calibration.fitted_on);
        assert!(thresholds.risk.iter().all(|mark| mark.identified_confidence < 0.9), "{:?}", thresholds.risk);

        // A single wrong label changes that little.
        let mut mislabelled = known;
        mislabelled[40].0 = 1;
        let (with_one_wrong, _) = fit_scores(&mislabelled, &[]).unwrap();
        assert!(
            with_one_wrong.temperature < 5.0 * calibration.temperature,
            "{with_one_wrong:?} {calibration:?}"
        );
        assert!(!with_one_wrong.fitted_on.contains("Every best guess"), "{}", with_one_wrong.fitted_on);
    }

    #[test]
    fn guesses_that_no_temperature_fits_are_said_to_be_so() {
        let known: Vec<_> = (0..10).map(|_| photo(1, [9.0, 0.0], 1.0)).collect();
        let (calibration, _) = fit_scores(&known, &[]).unwrap();
        assert!(
            calibration.fitted_on.contains("No temperature that was tried fits"),
            "{}",
            calibration.fitted_on
        );
    }

    #[test]
    fn without_others_nothing_is_rejected() {
        let known: Vec<_> = (0..10).map(|i| photo(i % 2, [1.0, 0.0], 1.0)).collect();
        let (_, thresholds) = fit_scores(&known, &[]).unwrap();
        assert!(thresholds.not_a_part_below <= 0.0 && thresholds.identified_known_score <= 0.0);
        assert!(thresholds.derived_by.contains("nothing is rejected"));
    }

    #[test]
    fn without_calibration_nothing_is_sure() {
        let fitted = Fitted::neutral();
        assert!(fitted.thresholds.identified_confidence >= 1.0);
        assert!(fitted.thresholds.identified_known_score >= 1.0);
        assert!(fitted.thresholds.not_a_part_below <= 0.0);
    }
}
