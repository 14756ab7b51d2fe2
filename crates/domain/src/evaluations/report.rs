use serde::{Deserialize, Serialize};

/// A count of a total, with the interval of the share that it estimates.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Proportion {
    /// How many.
    pub count: u64,
    /// Of how many.
    pub total: u64,
    /// Lower end of the 95% Wilson interval, in 0..=1.
    pub low: f64,
    /// Upper end, in 0..=1.
    pub high: f64,
}

impl Proportion {
    /// The share in 0..=1; none of nothing.
    pub fn value(self) -> Option<f64> {
        (self.total > 0).then(|| self.count as f64 / self.total as f64)
    }
}

/// The threshold that answers most with at most so many wrong answers, chosen on these photographs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CoverageAtRisk {
    /// Share of wrong answers allowed, in 0..=1.
    pub max_wrong: f64,
    /// The confidence from which answers are given then; none where even the surest are wrong more often.
    pub confidence: Option<f64>,
    /// Photographs answered.
    pub answered: u64,
    /// Wrong answers among them.
    pub wrong: u64,
    /// All photographs of known labels.
    pub total: u64,
    /// The 95% bootstrap interval of the coverage, in 0..=1; none of nothing.
    pub interval: Option<[f64; 2]>,
}

/// What a threshold gives that was fixed before, such as a choice of the dial.
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
}

/// How one label fared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LabelFigures {
    /// The label.
    pub label: String,
    /// Right best guesses of its photographs.
    pub recall: Proportion,
    /// Right ones of the photographs that were taken for it.
    pub precision: Proportion,
}

/// One label taken for another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfusedLabels {
    /// What the photographs show.
    pub label: String,
    /// What they were taken for.
    pub guess: String,
    /// How many.
    pub count: u64,
}

/// A group of photographs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluationSlice {
    /// What the photographs are grouped by.
    pub dimension: String,
    /// What those of this group have in common.
    pub value: String,
    /// Right best guesses in it.
    pub right: Proportion,
    /// Right best guesses among all others.
    pub others: Proportion,
    /// Whether it is answered worse than the others at a false discovery rate of 5%.
    pub is_worse: bool,
}

/// A wrong best guess.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluationMistake {
    /// Where the photograph lay.
    pub path: String,
    /// What it shows.
    pub label: String,
    /// What it was taken for.
    pub guess: String,
    /// Calibrated probability of the guess, in 0..=1.
    pub confidence: f64,
    /// Whether the label is none that the model knows, and the photograph was identified all the same.
    pub is_of_unknown_label: bool,
    /// The report's file with a small picture; none where it could not be read again.
    pub picture: Option<String>,
}

/// A photograph whose label the probabilities contradict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnlikelyLabel {
    /// Where the photograph lay.
    pub path: String,
    /// Its label.
    pub label: String,
    /// The likelier one.
    pub likely: String,
    /// Probability of the label, in 0..=1.
    pub label_probability: f64,
    /// Probability of the likelier one, in 0..=1.
    pub likely_probability: f64,
    /// Whether confident learning counts it among the wrong labels.
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

/// What was measured: the figures that people look at. The files of the report have all of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluationReport {
    /// Name of the model.
    pub model: String,
    /// Its version.
    pub model_version: String,
    /// SHA-256 of its file, lower-case hex.
    pub model_sha256: String,
    /// Right best guesses among the photographs of known labels.
    pub top1: Proportion,
    /// The right label among the first five.
    pub top5: Proportion,
    /// Expected calibration error, 15 bins; none of nothing.
    pub ece: Option<f64>,
    /// What it would be by chance alone with so many photographs.
    pub ece_by_chance: Option<f64>,
    /// Photographs of labels that the model does not know: those called identified, which is wrong.
    pub none_of_these: Proportion,
    /// AUROC of the known score; none without photographs of both kinds.
    pub reject_auroc: Option<f64>,
    /// Its 95% interval.
    pub reject_auroc_interval: Option<[f64; 2]>,
    /// At 2 and 5% wrong.
    pub coverage: Vec<CoverageAtRisk>,
    /// At the confidences of the dial.
    pub thresholds: Vec<ThresholdOutcome>,
    /// Each label that occurs and is known, the worst first.
    pub labels: Vec<LabelFigures>,
    /// What was taken for what, the most frequent first.
    pub confusions: Vec<ConfusedLabels>,
    /// The worst first.
    pub slices: Vec<EvaluationSlice>,
    /// The surest first.
    pub mistakes: Vec<EvaluationMistake>,
    /// How many mistakes there are in all, false identifications included.
    pub n_mistakes: u64,
    /// The likeliest label errors first.
    pub unlikely_labels: Vec<UnlikelyLabel>,
    /// How many there are in all.
    pub n_unlikely_labels: u64,
    /// Photographs that look like another one of the set, or like one that the model has learnt from.
    pub n_lookalikes: u64,
    /// What people should know of, each one sentence.
    pub notices: Vec<String>,
    /// The first of the files that could not be read.
    pub failures: Vec<EvaluationFailure>,
    /// How many there are in all.
    pub n_failures: u64,
}

/// Two evaluations on the photographs that are in both.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EvaluationDifference {
    /// Photographs in both, by content, whose label both models know.
    pub n: u64,
    /// Right in the first alone.
    pub only_first: u64,
    /// Right in the second alone.
    pub only_second: u64,
    /// Top-1 of the second less that of the first; none of nothing.
    pub difference: Option<f64>,
    /// Its 95% interval (Newcombe's paired method).
    pub interval: Option<[f64; 2]>,
    /// `McNemar`'s exact test.
    pub p_value: f64,
}
