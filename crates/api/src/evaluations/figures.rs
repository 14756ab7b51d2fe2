//! The figures of an evaluation, as clients see them.

use partsight_domain as domain;
use serde::Serialize;
use utoipa::ToSchema;

/// A count of a total, with the interval of the share that it estimates.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Proportion {
    #[schema(example = 129)]
    count: u64,
    #[schema(example = 142)]
    total: u64,
    /// Lower end of the 95% Wilson interval, in 0..=1.
    #[schema(minimum = 0, maximum = 1, example = 0.85)]
    low: f64,
    /// Upper end.
    #[schema(minimum = 0, maximum = 1, example = 0.946)]
    high: f64,
}

/// The most that can be answered with at most so many wrong answers, the threshold being chosen on these photographs.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CoverageAtRisk {
    /// Share of wrong answers allowed, in 0..=1.
    #[schema(example = 0.02)]
    max_wrong: f64,
    /// The confidence in 0..=1 from which answers are given then; null where even the surest are wrong more often.
    #[schema(required)]
    confidence: Option<f64>,
    /// Photographs answered.
    answered: u64,
    /// Wrong answers among them.
    wrong: u64,
    /// All photographs of known labels.
    total: u64,
    /// Lower end of the 95% bootstrap interval of the coverage; null of nothing.
    #[schema(required)]
    low: Option<f64>,
    /// Upper end.
    #[schema(required)]
    high: Option<f64>,
}

/// What a threshold gives that was fixed before, such as a choice of the dial.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ThresholdOutcome {
    /// The confidence in 0..=1 from which answers are given.
    #[schema(minimum = 0, maximum = 1, example = 0.858_808)]
    confidence: f32,
    /// Photographs of known labels that are answered.
    answered: u64,
    /// Wrong answers among them.
    wrong: u64,
    /// All photographs of known labels.
    total: u64,
    /// Lower end of the 95% Wilson interval of the share of wrong answers, in 0..=1.
    low: f64,
    /// Upper end.
    high: f64,
    /// Photographs of labels that the model does not know which are answered all the same, each of them wrongly.
    others_answered: u64,
    /// All photographs of such labels.
    others: u64,
}

/// How one label fared.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LabelFigures {
    #[schema(example = "brake-caliper")]
    label: String,
    /// Right best guesses of its photographs.
    recall: Proportion,
    /// Right ones of the photographs that were taken for it.
    precision: Proportion,
}

/// One label taken for another.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ConfusedLabels {
    #[schema(example = "brake-caliper")]
    label: String,
    #[schema(example = "brake-rotor")]
    guess: String,
    count: u64,
}

/// A group of photographs that have something in common.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EvaluationSlice {
    /// What they are grouped by: a column of the list, or what the pictures are like.
    #[schema(example = "light")]
    dimension: String,
    #[schema(example = "below 80")]
    value: String,
    right: Proportion,
    /// All other photographs.
    others: Proportion,
    /// Whether the group is answered worse than the others (Fisher's exact test) at a false discovery rate of 5%.
    is_worse: bool,
}

/// A wrong best guess.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EvaluationMistake {
    path: String,
    label: String,
    guess: String,
    /// Calibrated probability of the guess, in 0..=1.
    confidence: f64,
    /// Whether the model does not know the label and identified the photograph all the same.
    is_of_unknown_label: bool,
    /// The file of the report with a small picture; null where the photograph could not be read again.
    #[schema(required, example = "picture-7.jpg")]
    picture: Option<String>,
}

/// A photograph whose label the probabilities contradict.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UnlikelyLabel {
    path: String,
    label: String,
    /// The likelier label.
    likely: String,
    label_probability: f64,
    likely_probability: f64,
    /// Whether confident learning counts it among the wrong labels.
    is_confident: bool,
    /// The file of the report with a small picture; null where the photograph could not be read again.
    #[schema(required, example = "picture-7.jpg")]
    picture: Option<String>,
}

/// A file that could not be read.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EvaluationFailure {
    path: String,
    reason: String,
}

/// What was measured. The files of the report have all rows; here the first of each list are.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EvaluationReport {
    /// SHA-256 of the model's file.
    model_sha256: String,
    /// Right best guesses among the photographs of labels that the model knows.
    top1: Proportion,
    /// The right label among the first five.
    top5: Proportion,
    /// Expected calibration error, 15 bins; null of nothing.
    #[schema(required)]
    ece: Option<f64>,
    /// What it would be by chance alone with so many photographs.
    #[schema(required)]
    ece_by_chance: Option<f64>,
    /// Photographs of labels that the model does not know, and those called identified, which is wrong.
    none_of_these: Proportion,
    /// AUROC of the known score; null without photographs of both kinds.
    #[schema(required)]
    reject_auroc: Option<f64>,
    /// At 2 and 5% wrong.
    coverage: Vec<CoverageAtRisk>,
    /// At the confidences of the dial.
    thresholds: Vec<ThresholdOutcome>,
    /// Each known label that occurs, the worst first.
    labels: Vec<LabelFigures>,
    /// What was taken for what, the most frequent first.
    confusions: Vec<ConfusedLabels>,
    /// The worst first.
    slices: Vec<EvaluationSlice>,
    /// The surest first.
    mistakes: Vec<EvaluationMistake>,
    /// How many there are in all.
    mistake_count: u64,
    /// The likeliest label errors first.
    unlikely_labels: Vec<UnlikelyLabel>,
    /// How many there are in all.
    unlikely_label_count: u64,
    /// Photographs that look like another one of the set, or like one that the model has learnt from.
    lookalike_count: u64,
    /// What people should know of, each one sentence.
    notices: Vec<String>,
    failures: Vec<EvaluationFailure>,
    /// How many there are in all.
    failure_count: u64,
}

impl From<domain::Proportion> for Proportion {
    fn from(domain::Proportion { count, total, low, high }: domain::Proportion) -> Self {
        Self { count, total, low, high }
    }
}

impl From<domain::EvaluationReport> for EvaluationReport {
    fn from(report: domain::EvaluationReport) -> Self {
        let coverage = |at: domain::CoverageAtRisk| CoverageAtRisk {
            max_wrong: at.max_wrong,
            confidence: at.confidence,
            answered: at.answered,
            wrong: at.wrong,
            total: at.total,
            low: at.interval.map(|[low, _]| low),
            high: at.interval.map(|[_, high]| high),
        };
        let threshold = |at: domain::ThresholdOutcome| ThresholdOutcome {
            confidence: at.confidence as f32,
            answered: at.answered,
            wrong: at.wrong,
            total: at.total,
            low: at.interval[0],
            high: at.interval[1],
            others_answered: at.others_answered,
            others: at.others,
        };
        let label = |of: domain::LabelFigures| LabelFigures {
            label: of.label,
            recall: of.recall.into(),
            precision: of.precision.into(),
        };
        let confused =
            |of: domain::ConfusedLabels| ConfusedLabels { label: of.label, guess: of.guess, count: of.count };
        let slice = |of: domain::EvaluationSlice| EvaluationSlice {
            dimension: of.dimension,
            value: of.value,
            right: of.right.into(),
            others: of.others.into(),
            is_worse: of.is_worse,
        };
        let mistake = |of: domain::EvaluationMistake| EvaluationMistake {
            path: of.path,
            label: of.label,
            guess: of.guess,
            confidence: of.confidence,
            is_of_unknown_label: of.is_of_unknown_label,
            picture: of.picture,
        };
        let unlikely = |of: domain::UnlikelyLabel| UnlikelyLabel {
            path: of.path,
            label: of.label,
            likely: of.likely,
            label_probability: of.label_probability,
            likely_probability: of.likely_probability,
            is_confident: of.is_confident,
            picture: of.picture,
        };
        let failure = |of: domain::EvaluationFailure| EvaluationFailure { path: of.path, reason: of.reason };
        Self {
            model_sha256: report.model_sha256,
            top1: report.top1.into(),
            top5: report.top5.into(),
            ece: report.ece,
            ece_by_chance: report.ece_by_chance,
            none_of_these: report.none_of_these.into(),
            reject_auroc: report.reject_auroc,
            coverage: report.coverage.into_iter().map(coverage).collect(),
            thresholds: report.thresholds.into_iter().map(threshold).collect(),
            labels: report.labels.into_iter().map(label).collect(),
            confusions: report.confusions.into_iter().map(confused).collect(),
            slices: report.slices.into_iter().map(slice).collect(),
            mistakes: report.mistakes.into_iter().map(mistake).collect(),
            mistake_count: report.n_mistakes,
            unlikely_labels: report.unlikely_labels.into_iter().map(unlikely).collect(),
            unlikely_label_count: report.n_unlikely_labels,
            lookalike_count: report.n_lookalikes,
            notices: report.notices,
            failures: report.failures.into_iter().map(failure).collect(),
            failure_count: report.n_failures,
        }
    }
}
