//! The figures of an evaluation, as clients see them.

use partsight_domain as domain;
use serde::Serialize;
use utoipa::ToSchema;

/// A proportion with its confidence interval.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Proportion {
    /// Photographs that count.
    #[schema(example = 129)]
    count: u64,
    /// All photographs; the proportion is `count / total`.
    #[schema(example = 142)]
    total: u64,
    /// Lower end of the 95% Wilson interval, in 0..=1.
    #[schema(minimum = 0, maximum = 1, example = 0.85)]
    low: f64,
    /// Upper end of that interval.
    #[schema(minimum = 0, maximum = 1, example = 0.946)]
    high: f64,
}

/// Coverage at selective risk: the maximum number of answers with at most `maxWrong` wrong answers. The threshold was
/// chosen on these photographs.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CoverageAtRisk {
    /// Selective risk: the accepted share of wrong answers, in 0..=1.
    #[schema(example = 0.02)]
    max_wrong: f64,
    /// The threshold: answers are given from this confidence on, in 0..=1. Null if even the most confident answers
    /// exceed the risk.
    #[schema(required)]
    confidence: Option<f64>,
    /// Photographs answered.
    answered: u64,
    /// Wrong answers among them.
    wrong: u64,
    /// All photographs of known labels.
    total: u64,
    /// Lower end of the 95% bootstrap interval of the coverage, in 0..=1; null for fewer than 100 photographs, and if no
    /// mistakes among them move it.
    #[schema(required)]
    low: Option<f64>,
    /// Upper end of that interval.
    #[schema(required)]
    high: Option<f64>,
}

/// The result of a predefined threshold, such as a choice of `GET /api/dial`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ThresholdOutcome {
    /// The threshold: answers are given from this confidence on, in 0..=1.
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
    /// Upper end of that interval.
    high: f64,
    /// False positives: photographs of labels that the model does not know that are answered.
    others_answered: u64,
    /// All photographs of labels that the model does not know.
    others: u64,
}

/// Recall and precision of one label.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LabelFigures {
    #[schema(example = "brake-caliper")]
    label: String,
    /// Recall: correct best guesses among the photographs with this label.
    recall: Proportion,
    /// Precision: correct ones among the photographs with this best guess.
    precision: Proportion,
}

/// Rejection of one label that the model does not know.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UnknownLabelFigures {
    #[schema(example = "air-filter")]
    label: String,
    /// False positives: photographs of this label with the verdict `identified`.
    identified: Proportion,
    /// Photographs with the verdict `not-sure`.
    not_sure: u64,
    /// Photographs with the verdict `not-a-part`.
    not_a_part: u64,
    /// The most frequent best guess among those identified, or, if none is, among those not sure; null if there are
    /// neither.
    #[schema(required, example = "radiator")]
    taken_for: Option<String>,
    /// Number of photographs with that best guess; 0 without one.
    taken_for_count: u64,
}

/// A confusion of two labels.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ConfusedLabels {
    /// The true label.
    #[schema(example = "brake-caliper")]
    label: String,
    /// The best guess.
    #[schema(example = "brake-rotor")]
    guess: String,
    /// Number of photographs.
    count: u64,
}

/// A slice: photographs with a common property.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EvaluationSlice {
    /// The property: a column of the list, or a property of the picture.
    #[schema(example = "light")]
    dimension: String,
    /// Its value in this slice.
    #[schema(example = "below 80")]
    value: String,
    /// Correct best guesses in the slice.
    right: Proportion,
    /// Correct best guesses among all other photographs.
    others: Proportion,
    /// Whether its accuracy is significantly lower than that of the others (Fisher's exact test, false discovery rate
    /// 5%).
    is_worse: bool,
}

/// A wrong best guess.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EvaluationMistake {
    /// Path of the photograph in the zip or folder.
    path: String,
    /// The true label.
    label: String,
    /// The best guess.
    guess: String,
    /// Calibrated probability of the guess, in 0..=1.
    confidence: f64,
    /// Whether the model does not know the label, but the verdict is `identified`.
    is_of_unknown_label: bool,
    /// File name of the thumbnail in the report; null if the photograph could not be read again.
    #[schema(required, example = "picture-7.jpg")]
    picture: Option<String>,
}

/// A photograph whose label is probably wrong.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UnlikelyLabel {
    /// Path of the photograph in the zip or folder.
    path: String,
    /// Its given label.
    label: String,
    /// The more probable label.
    likely: String,
    /// Calibrated probability of the given label, in 0..=1.
    label_probability: f64,
    /// Calibrated probability of the more probable label, in 0..=1.
    likely_probability: f64,
    /// Whether confident learning classifies the label as wrong.
    is_confident: bool,
    /// File name of the thumbnail in the report; null if the photograph could not be read again.
    #[schema(required, example = "picture-7.jpg")]
    picture: Option<String>,
}

/// A file that could not be read.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EvaluationFailure {
    /// Path of the file in the zip or folder.
    path: String,
    /// The reason, as a sentence.
    reason: String,
}

/// The main figures of an evaluation. Lists have only their first entries; the files of the report have all.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EvaluationReport {
    /// SHA-256 of the model file, in hexadecimal.
    model_sha256: String,
    /// Top-1 accuracy: correct best guesses, among photographs of labels that the model knows.
    top1: Proportion,
    /// Top-5 accuracy: the correct label is among the first five.
    top5: Proportion,
    /// Expected calibration error with 15 bins, in 0..=1; null without photographs.
    #[schema(required)]
    ece: Option<f64>,
    /// The expected calibration error of a perfectly calibrated model with this number of photographs; null without
    /// photographs.
    #[schema(required)]
    ece_by_chance: Option<f64>,
    /// False positives: photographs with the verdict `identified`, among those of labels that the model does not know.
    none_of_these: Proportion,
    /// AUROC of the known score, in 0..=1; null unless there are photographs of both known and unknown labels.
    #[schema(required)]
    reject_auroc: Option<f64>,
    /// Rejection of each label that the model does not know, the worst first; `rejection.csv` has all. Empty for
    /// earlier evaluations, which lack that file.
    unknown_labels: Vec<UnknownLabelFigures>,
    /// Total number, including those not listed.
    unknown_label_count: u64,
    /// Coverage at 2% and 5% selective risk.
    coverage: Vec<CoverageAtRisk>,
    /// Results of the thresholds of `GET /api/dial`.
    thresholds: Vec<ThresholdOutcome>,
    /// Recall and precision of each known label that occurs, the worst first.
    labels: Vec<LabelFigures>,
    /// Confusions of two labels, the most frequent first.
    confusions: Vec<ConfusedLabels>,
    /// Slices (groups of photographs), the worst first.
    slices: Vec<EvaluationSlice>,
    /// Wrong best guesses, the most confident first.
    mistakes: Vec<EvaluationMistake>,
    /// Total number, including those not listed.
    mistake_count: u64,
    /// Labels that are probably wrong, the most probable errors first.
    unlikely_labels: Vec<UnlikelyLabel>,
    /// Total number, including those not listed.
    unlikely_label_count: u64,
    /// Labels that confident learning classifies as wrong.
    wrong_label_count: u64,
    /// Top-1 accuracy if these are wrong and the more probable labels are right, in 0..=1: an upper estimate. Null if
    /// there are none.
    #[schema(required)]
    top1_with_likely_labels: Option<f64>,
    /// Photographs that look like another one of the set, or like one that the model was trained on or taught with.
    lookalike_count: u64,
    /// Notices for people, one sentence each.
    notices: Vec<String>,
    /// Files that could not be read.
    failures: Vec<EvaluationFailure>,
    /// Total number, including those not listed.
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
        let unknown = |of: domain::UnknownLabel| UnknownLabelFigures {
            label: of.label,
            identified: of.identified.into(),
            not_sure: of.not_sure,
            not_a_part: of.not_a_part,
            taken_for: of.taken_for,
            taken_for_count: of.n_taken_for,
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
            unknown_labels: report.unknown_labels.into_iter().map(unknown).collect(),
            unknown_label_count: report.n_unknown_labels,
            coverage: report.coverage.into_iter().map(coverage).collect(),
            thresholds: report.thresholds.into_iter().map(threshold).collect(),
            labels: report.labels.into_iter().map(label).collect(),
            confusions: report.confusions.into_iter().map(confused).collect(),
            slices: report.slices.into_iter().map(slice).collect(),
            mistakes: report.mistakes.into_iter().map(mistake).collect(),
            mistake_count: report.n_mistakes,
            unlikely_labels: report.unlikely_labels.into_iter().map(unlikely).collect(),
            unlikely_label_count: report.n_unlikely_labels,
            wrong_label_count: report.n_wrong_labels,
            top1_with_likely_labels: report.top1_with_likely_labels,
            lookalike_count: report.n_lookalikes,
            notices: report.notices,
            failures: report.failures.into_iter().map(failure).collect(),
            failure_count: report.n_failures,
        }
    }
}
