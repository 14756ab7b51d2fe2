use serde::{Deserialize, Serialize};

/// A proportion with its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Proportion {
    /// How many.
    pub count: u64,
    /// Total number.
    pub total: u64,
    /// Lower end of the 95% Wilson interval, in 0..=1.
    pub low: f64,
    /// Upper end, in 0..=1.
    pub high: f64,
}

impl Proportion {
    /// The proportion in 0..=1; `None` for a total of 0.
    pub fn value(self) -> Option<f64> {
        (self.total > 0).then(|| self.count as f64 / self.total as f64)
    }
}

/// Coverage at selective risk: the threshold, chosen on these photographs, that answers most with at most `max_wrong`
/// wrong answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CoverageAtRisk {
    /// Allowed share of wrong answers (selective risk), in 0..=1.
    pub max_wrong: f64,
    /// The confidence from which answers are given; `None` if even the most confident ones exceed the risk.
    pub confidence: Option<f64>,
    /// Photographs answered.
    pub answered: u64,
    /// Wrong answers among them.
    pub wrong: u64,
    /// All photographs of known labels.
    pub total: u64,
    /// The 95% bootstrap interval of the coverage, in 0..=1; `None` for too few photographs, or too few mistakes among
    /// them.
    pub interval: Option<[f64; 2]>,
}

/// Result of a predefined threshold, such as a choice of the dial.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ThresholdOutcome {
    /// The confidence from which answers are given, in 0..=1.
    pub confidence: f64,
    /// Photographs of known labels that are answered.
    pub answered: u64,
    /// Wrong answers among them.
    pub wrong: u64,
    /// All photographs of known labels.
    pub total: u64,
    /// Lower and upper end of the 95% Wilson interval of the share of wrong answers, in 0..=1.
    pub interval: [f64; 2],
    /// Photographs of unknown labels that are answered all the same, each of them wrongly.
    #[serde(default)]
    pub others_answered: u64,
    /// All photographs of unknown labels.
    #[serde(default)]
    pub others: u64,
}

/// Figures of one label.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LabelFigures {
    /// The label.
    pub label: String,
    /// Recall: correct best guesses among its photographs.
    pub recall: Proportion,
    /// Precision: correct ones among the photographs with this best guess.
    pub precision: Proportion,
}

/// Rejection of one label that the model does not know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnknownLabel {
    /// The label.
    pub label: String,
    /// Wrongly identified photographs, among those of this label.
    pub identified: Proportion,
    /// Photographs with the verdict "not sure".
    pub not_sure: u64,
    /// Photographs with the verdict "not a part".
    pub not_a_part: u64,
    /// The most frequent best guess among those identified, or, if none is, among those not sure; `None` if there are
    /// neither.
    pub taken_for: Option<String>,
    /// Number of photographs with that best guess; 0 without one.
    pub n_taken_for: u64,
}

/// A confusion of two labels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfusedLabels {
    /// The true label.
    pub label: String,
    /// The best guess.
    pub guess: String,
    /// How many.
    pub count: u64,
}

/// A slice: photographs with a common property.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluationSlice {
    /// The property.
    pub dimension: String,
    /// Its value in this slice.
    pub value: String,
    /// Correct best guesses in the slice.
    pub right: Proportion,
    /// Correct best guesses among all other photographs.
    pub others: Proportion,
    /// Whether it is significantly worse than the others, at a false discovery rate of 5%.
    pub is_worse: bool,
}

/// A wrong best guess.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluationMistake {
    /// Where the photograph lay.
    pub path: String,
    /// The true label.
    pub label: String,
    /// The best guess.
    pub guess: String,
    /// Calibrated probability of the guess, in 0..=1.
    pub confidence: f64,
    /// Whether the model does not know the label, but the photograph was identified.
    pub is_of_unknown_label: bool,
    /// The report's file with a small picture; none where it could not be read again.
    pub picture: Option<String>,
}

/// A photograph whose label is probably wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnlikelyLabel {
    /// Where the photograph lay.
    pub path: String,
    /// Its given label.
    pub label: String,
    /// The more probable label.
    pub likely: String,
    /// Probability of the given label, in 0..=1.
    pub label_probability: f64,
    /// Probability of the more probable label, in 0..=1.
    pub likely_probability: f64,
    /// Whether confident learning classifies the label as wrong.
    pub is_confident: bool,
    /// The report's file with a small picture; none where it could not be read again.
    pub picture: Option<String>,
}

/// A file that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvaluationFailure {
    /// Where it lay.
    pub path: String,
    /// Reason, as a sentence.
    pub reason: String,
}

/// The main figures of an evaluation. The files of the report have all figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluationReport {
    /// Name of the model.
    pub model: String,
    /// Its version.
    pub model_version: String,
    /// SHA-256 of its file, lower-case hex.
    pub model_sha256: String,
    /// Top-1 accuracy on photographs of known labels.
    pub top1: Proportion,
    /// Top-5 accuracy on photographs of known labels.
    pub top5: Proportion,
    /// Expected calibration error, 15 bins; `None` without photographs.
    pub ece: Option<f64>,
    /// The expected calibration error of a perfectly calibrated model with so many photographs.
    pub ece_by_chance: Option<f64>,
    /// Wrongly identified photographs, among those of unknown labels.
    pub none_of_these: Proportion,
    /// AUROC of the known score; `None` without photographs of both known and unknown labels.
    pub reject_auroc: Option<f64>,
    /// Its 95% interval.
    pub reject_auroc_interval: Option<[f64; 2]>,
    /// Rejection of the labels that the model does not know, the worst first; empty in reports of before it was kept.
    #[serde(default)]
    pub unknown_labels: Vec<UnknownLabel>,
    /// How many there are in all.
    #[serde(default)]
    pub n_unknown_labels: u64,
    /// Coverage at 2% and 5% selective risk.
    pub coverage: Vec<CoverageAtRisk>,
    /// Results of the thresholds of the dial.
    pub thresholds: Vec<ThresholdOutcome>,
    /// Figures of the known labels that occur, the worst first.
    pub labels: Vec<LabelFigures>,
    /// Confusions, the most frequent first.
    pub confusions: Vec<ConfusedLabels>,
    /// Slices, the worst first.
    pub slices: Vec<EvaluationSlice>,
    /// Mistakes, the most confident first.
    pub mistakes: Vec<EvaluationMistake>,
    /// Number of all mistakes, including wrong identifications of unknown labels.
    pub n_mistakes: u64,
    /// Probably wrong labels, the most probable errors first.
    pub unlikely_labels: Vec<UnlikelyLabel>,
    /// How many there are in all.
    pub n_unlikely_labels: u64,
    /// Labels that are wrong by confident learning; 0 in reports of before it was kept.
    #[serde(default)]
    pub n_wrong_labels: u64,
    /// Top-1 accuracy if these are wrong and the more probable labels are right, in 0..=1; `None` if there are none.
    #[serde(default)]
    pub top1_with_likely_labels: Option<f64>,
    /// Photographs that look like another one of the set, or like one that the model has learnt from.
    pub n_lookalikes: u64,
    /// Notices for people, one sentence each.
    pub notices: Vec<String>,
    /// The first of the files that could not be read.
    pub failures: Vec<EvaluationFailure>,
    /// How many there are in all.
    pub n_failures: u64,
}

/// Comparison of two evaluations on their common photographs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EvaluationDifference {
    /// Number of photographs in both, by content, whose label both models know.
    pub n: u64,
    /// Correct only in the first.
    pub only_first: u64,
    /// Correct only in the second.
    pub only_second: u64,
    /// Top-1 accuracy of the second minus that of the first; `None` without common photographs.
    pub difference: Option<f64>,
    /// Its 95% interval (Newcombe's paired method).
    pub interval: Option<[f64; 2]>,
    /// p-value of `McNemar`'s exact test.
    pub p_value: f64,
}
