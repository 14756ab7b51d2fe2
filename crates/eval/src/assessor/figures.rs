//! The figures of an evaluation that the app shows.

use partsight_app::PhotoDecoder;
use partsight_domain::{
    ConfusedLabels, CoverageAtRisk, EvaluationFailure, EvaluationMistake, EvaluationReport, EvaluationSlice,
    LabelFigures, Proportion, ThresholdOutcome, UnknownLabel, UnlikelyLabel,
};

use crate::metrics::{Confused, SelectiveCurve, Share};
use crate::report::small_jpeg;
use crate::{Evaluation, Failure, Measured, Slice};

/// Selective risks at which the coverage is shown.
const SHOWN_RISKS: [f64; 2] = [0.02, 0.05];
/// Maximum of pictures of each kind.
const MAX_PICTURES: usize = 24;
/// Maximum of rows of each list; the files have all.
const MAX_ROWS: usize = 100;

/// Thumbnails as files of the report.
pub(super) struct Pictures<'a> {
    evaluation: &'a Evaluation<'a>,
    decoder: &'a PhotoDecoder,
    files: Vec<(String, Vec<u8>)>,
}

impl<'a> Pictures<'a> {
    pub(super) fn of(evaluation: &'a Evaluation<'a>, decoder: &'a PhotoDecoder) -> Self {
        Self { evaluation, decoder, files: Vec::new() }
    }

    /// Creates the thumbnail of a photograph and returns its file name; `None` for an unreadable photograph.
    fn keep(&mut self, photo: &Measured) -> Option<String> {
        let name = format!("picture-{}.jpg", photo.sample);
        if !self.files.iter().any(|(kept, _)| *kept == name) {
            let path = &self.evaluation.dataset.samples()[photo.sample].path;
            self.files.push((name.clone(), small_jpeg(path, self.decoder)?));
        }
        Some(name)
    }

    /// The files that were kept.
    pub(super) fn into_files(self) -> Vec<(String, Vec<u8>)> {
        self.files
    }
}

/// The figures of an evaluation. `thresholds` are confidences in 0..=1 whose coverage and risk are included.
pub(super) fn figures(
    evaluation: &Evaluation<'_>,
    thresholds: &[f32],
    pictures: &mut Pictures<'_>,
) -> EvaluationReport {
    let (figures, model) = (&evaluation.figures, evaluation.model);
    let local = &evaluation.local.curve;
    let top = |value: Option<f64>, interval: [f64; 2]| {
        let count = (value.unwrap_or_default() * figures.n as f64).round() as usize;
        proportion_in(Share { count, total: figures.n }, interval)
    };
    EvaluationReport {
        model: model.name.clone(),
        model_version: model.version.clone(),
        model_sha256: model.sha256.clone(),
        top1: top(figures.top1, figures.top1_interval),
        top5: top(figures.top5, figures.top5_interval),
        ece: figures.ece,
        ece_by_chance: figures.ece_by_chance,
        none_of_these: proportion(figures.rejection_identified),
        reject_auroc: figures.reject_auroc,
        reject_auroc_interval: figures.reject_auroc_interval,
        unknown_labels: evaluation
            .unknown_labels
            .iter()
            .take(MAX_ROWS)
            .map(|of| unknown_label(evaluation, of))
            .collect(),
        n_unknown_labels: evaluation.unknown_labels.len() as u64,
        coverage: SHOWN_RISKS.map(|risk| coverage(local, risk)).to_vec(),
        thresholds: thresholds.iter().map(|&confidence| threshold(evaluation, confidence)).collect(),
        labels: labels(evaluation),
        confusions: confusions(evaluation),
        slices: evaluation.slices.iter().take(MAX_ROWS).map(slice).collect(),
        mistakes: mistakes(evaluation, pictures),
        n_mistakes: (evaluation.mistakes().len() + evaluation.false_identifications().len()) as u64,
        unlikely_labels: unlikely_labels(evaluation, pictures),
        n_unlikely_labels: evaluation.wrong_labels.len() as u64,
        n_wrong_labels: evaluation.n_confidently_wrong_labels() as u64,
        top1_with_likely_labels: evaluation.top1_with_likely_labels().and_then(Share::value),
        n_lookalikes: evaluation.duplicates.photos.iter().filter(|one| one.is_any()).count() as u64,
        notices: evaluation.notices.clone(),
        failures: failures(evaluation),
        n_failures: evaluation.failures.len() as u64,
    }
}

fn coverage(curve: &SelectiveCurve, max_wrong: f64) -> CoverageAtRisk {
    let point = curve.at_most(max_wrong);
    CoverageAtRisk {
        max_wrong,
        confidence: point.map(|point| point.threshold.into()),
        answered: point.map_or(0, |point| point.answered as u64),
        wrong: point.map_or(0, |point| point.wrong as u64),
        total: curve.total as u64,
        interval: curve.coverage_interval(max_wrong),
    }
}

fn threshold(evaluation: &Evaluation<'_>, confidence: f32) -> ThresholdOutcome {
    let known = &evaluation.local.curve;
    let point = known.at_threshold(confidence);
    let all = evaluation.local_of_all.as_ref().map_or(known, |all| &all.curve);
    ThresholdOutcome {
        confidence: confidence.into(),
        answered: point.answered as u64,
        wrong: point.wrong as u64,
        total: known.total as u64,
        interval: point.risk().interval(),
        others_answered: (all.at_threshold(confidence).answered - point.answered) as u64,
        others: (all.total - known.total) as u64,
    }
}

/// The labels that occur, sorted by the upper end of the recall's interval, the lowest first.
fn labels(evaluation: &Evaluation<'_>) -> Vec<LabelFigures> {
    let mut labels: Vec<LabelFigures> = evaluation
        .classes
        .iter()
        .filter(|class| class.recall.total > 0)
        .map(|class| LabelFigures {
            label: evaluation.model.label(class.class).to_owned(),
            recall: proportion(class.recall),
            precision: proportion(class.precision),
        })
        .collect();
    labels.sort_by(|one, other| one.recall.high.total_cmp(&other.recall.high));
    labels
}

fn unknown_label(evaluation: &Evaluation<'_>, of: &crate::UnknownLabel) -> UnknownLabel {
    UnknownLabel {
        label: of.label.clone(),
        identified: proportion(of.identified),
        not_sure: of.n_not_sure as u64,
        not_a_part: of.n_not_a_part as u64,
        taken_for: of.taken_for.map(|(guess, _)| evaluation.model.label(guess).to_owned()),
        n_taken_for: of.taken_for.map_or(0, |(_, count)| count as u64),
    }
}

fn confusions(evaluation: &Evaluation<'_>) -> Vec<ConfusedLabels> {
    let confused = |confused: &Confused| ConfusedLabels {
        label: evaluation.model.label(confused.truth).to_owned(),
        guess: evaluation.model.label(confused.guess).to_owned(),
        count: confused.count as u64,
    };
    evaluation.confusion.mistakes().iter().take(MAX_ROWS).map(confused).collect()
}

fn slice(slice: &Slice) -> EvaluationSlice {
    EvaluationSlice {
        dimension: slice.dimension.clone(),
        value: slice.value.clone(),
        right: proportion(slice.right),
        others: proportion(slice.others),
        is_worse: slice.is_worse(),
    }
}

/// Wrong best guesses, then false identifications; the most confident of each first.
fn mistakes(evaluation: &Evaluation<'_>, pictures: &mut Pictures<'_>) -> Vec<EvaluationMistake> {
    let (wrong, false_ones) = (evaluation.mistakes(), evaluation.false_identifications());
    let mut mistakes = Vec::new();
    for (photos, is_of_unknown_label) in [(wrong, false), (false_ones, true)] {
        for photo in photos.into_iter().take(MAX_PICTURES) {
            let best = photo.answer.best();
            mistakes.push(EvaluationMistake {
                path: evaluation.path(photo),
                label: evaluation.label(photo).to_owned(),
                guess: evaluation.model.label(best.class).to_owned(),
                confidence: best.confidence.into(),
                is_of_unknown_label,
                picture: pictures.keep(photo),
            });
        }
    }
    mistakes
}

fn unlikely_labels(evaluation: &Evaluation<'_>, pictures: &mut Pictures<'_>) -> Vec<UnlikelyLabel> {
    let wrong = evaluation.wrong_labels.iter().take(MAX_PICTURES);
    wrong
        .map(|wrong| UnlikelyLabel {
            path: evaluation.path(wrong.photo),
            label: evaluation.label(wrong.photo).to_owned(),
            likely: evaluation.model.label(wrong.issue.likely).to_owned(),
            label_probability: wrong.issue.label_probability,
            likely_probability: wrong.issue.likely_probability,
            is_confident: wrong.issue.is_confident,
            picture: pictures.keep(wrong.photo),
        })
        .collect()
}

fn failures(evaluation: &Evaluation<'_>) -> Vec<EvaluationFailure> {
    let failure = |failure: &Failure| EvaluationFailure {
        path: evaluation.dataset.shown(&failure.path),
        reason: failure.reason.clone(),
    };
    evaluation.failures.iter().take(MAX_ROWS).map(failure).collect()
}

fn proportion(share: Share) -> Proportion {
    proportion_in(share, share.interval())
}

fn proportion_in(share: Share, [low, high]: [f64; 2]) -> Proportion {
    Proportion { count: share.count as u64, total: share.total as u64, low, high }
}
