//! Every figure of one model on one data set.

use std::collections::BTreeMap;

use partsight_app::OcclusionMap;
use serde::Serialize;

use partsight_domain::{CandidateSet, SetCalibration, Verdict};

use crate::metrics::{
    CalibrationBin, ClassFigures, Confusion, CostPoint, LabelIssue, LabelledProbabilities, Prices, RocPoint,
    SelectiveCurve, SelectivePoint, SetCoverage, Share, auroc, auroc_interval, calibration_bins,
    calibration_error_by_chance, cost_curve, expected_calibration_error, independent_discordance,
    label_issues, median_interval, percentile, roc_curve, smallest_difference,
};
use crate::promises::check_promises;
use crate::rejection::unknown_labels;
use crate::run::LEAST_CONFIDENCE;
use crate::slices::slices;
use crate::{
    Cascade, Dataset, Duplicates, Failure, Gate, Measured, Measurement, ModelFacts, PromiseCheck,
    PromiseVerdict, Provenance, Slice, Truth, UnknownLabel,
};

/// Selective risks at which the coverage is stated.
const MAX_RISKS: [f64; 4] = [0.01, 0.02, 0.05, 0.10];

/// Inputs of an evaluation besides the photographs.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Assumptions of the cost curve.
    pub prices: Prices,
    /// Program and version, as shown in the report.
    pub program: String,
    /// Command line arguments as typed.
    pub arguments: Vec<String>,
}

/// The summary figures of a set of photographs. An undefined figure, such as the accuracy over no photograph, is
/// `None`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Figures {
    /// Top-1 accuracy over the photographs of known labels, in 0..=1.
    pub top1: Option<f64>,
    /// Its 95% Wilson interval.
    pub top1_interval: [f64; 2],
    /// Top-3 accuracy, in 0..=1.
    pub top3: Option<f64>,
    /// Its 95% Wilson interval.
    pub top3_interval: [f64; 2],
    /// Top-5 accuracy, in 0..=1.
    pub top5: Option<f64>,
    /// Its 95% Wilson interval.
    pub top5_interval: [f64; 2],
    /// Macro top-1 accuracy: the mean of the recalls of the labels that occur.
    pub macro_top1: Option<f64>,
    /// Its 95% interval.
    pub macro_top1_interval: Option<[f64; 2]>,
    /// Expected calibration error of the best guess, 15 bins.
    pub ece: Option<f64>,
    /// The expected `ece` of a perfectly calibrated model with this number of photographs.
    pub ece_by_chance: Option<f64>,
    /// AUROC of the known score: photographs of known labels against those of unknown labels.
    pub reject_auroc: Option<f64>,
    /// Its 95% interval.
    pub reject_auroc_interval: Option<[f64; 2]>,
    /// The minimum detectable difference in top-1 accuracy between two models (80% power, 5% level, independent
    /// errors), in 0..=1; `None` if no difference can be detected.
    pub smallest_difference: Option<f64>,
    /// Number of photographs of known labels.
    pub n: usize,
    /// Number of photographs of labels that the model does not know.
    pub n_rejection: usize,
    /// Photographs of known labels with the verdict "identified".
    pub identified: Share,
    /// Right answers among `identified`: its precision.
    pub identified_right: Share,
    /// False identifications: photographs of unknown labels with the verdict "identified".
    pub rejection_identified: Share,
    /// Median latency of a photograph, from bytes to answer, in milliseconds.
    pub p50_ms: Option<f32>,
    /// Its 95% interval.
    pub p50_ms_interval: Option<[f32; 2]>,
    /// 95th percentile, in milliseconds.
    pub p95_ms: Option<f32>,
    /// 99th percentile, in milliseconds.
    pub p99_ms: Option<f32>,
}

impl Figures {
    /// Computes the figures over `photos`.
    pub fn of(photos: &[&Measured]) -> Self {
        let known: Vec<(&Measured, usize)> = photos
            .iter()
            .filter_map(|photo| match photo.truth {
                Truth::Class(class) => Some((*photo, class)),
                Truth::NotKnown => None,
            })
            .collect();
        let unknown: Vec<&Measured> =
            photos.iter().filter(|photo| photo.truth == Truth::NotKnown).copied().collect();
        let top = |k: usize| Share::of(known.iter().map(|(photo, class)| photo.answer.has_in_top(*class, k)));
        let [top1, top3, top5] = [1, 3, 5].map(top);
        let is_identified = |photo: &Measured| photo.answer.verdict == Verdict::Identified;
        let identified = known.iter().filter(|(photo, _)| is_identified(photo));
        let scores = |photos: &mut dyn Iterator<Item = &Measured>| -> Vec<f32> {
            photos.map(|photo| photo.answer.known_score).collect()
        };
        let mut times: Vec<f32> = photos.iter().map(|photo| photo.answer.timings_ms.total).collect();
        // Sorted once for all percentiles.
        times.sort_by(f32::total_cmp);
        let bins = calibration_bins(&confidences(photos));
        let confusion = confusion(photos);
        let reject_auroc =
            auroc(&scores(&mut known.iter().map(|(photo, _)| *photo)), &scores(&mut unknown.iter().copied()));
        Self {
            top1: top1.value(),
            top1_interval: top1.interval(),
            top3: top3.value(),
            top3_interval: top3.interval(),
            top5: top5.value(),
            top5_interval: top5.interval(),
            macro_top1: confusion.macro_recall(),
            macro_top1_interval: confusion.macro_recall_interval(),
            ece: expected_calibration_error(&bins),
            ece_by_chance: calibration_error_by_chance(&bins),
            reject_auroc,
            // Undefined unless both kinds of photographs occur, like the area itself.
            reject_auroc_interval: reject_auroc.map(|area| auroc_interval(area, known.len(), unknown.len())),
            smallest_difference: top1
                .value()
                .and_then(|accuracy| smallest_difference(known.len(), independent_discordance(accuracy))),
            n: known.len(),
            n_rejection: unknown.len(),
            identified: Share::of(known.iter().map(|(photo, _)| is_identified(photo))),
            identified_right: Share::of(identified.map(|(photo, _)| photo.is_right())),
            rejection_identified: Share::of(unknown.iter().map(|photo| is_identified(photo))),
            p50_ms: percentile(&times, 50.0),
            p50_ms_interval: median_interval(&times),
            p95_ms: percentile(&times, 95.0),
            p99_ms: percentile(&times, 99.0),
        }
    }
}

/// Coverage at given selective risks. Every answer to a photograph of an unknown label counts as wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalAnswers {
    /// The curve by confidence. A photograph whose known score is below the model's threshold of "identified" is never
    /// answered.
    pub curve: SelectiveCurve,
    /// For each selective risk, the point with the largest coverage; `None` if no threshold keeps the risk.
    pub at_most: Vec<(f64, Option<SelectivePoint>)>,
    /// The point at the model's own confidence threshold.
    pub in_force: SelectivePoint,
}

/// A photograph whose label is not the model's most probable one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WrongLabel<'a> {
    /// The photograph.
    pub photo: &'a Measured,
    /// The likelier label; its `index` is a position among the photographs that were searched.
    pub issue: LabelIssue,
}

/// A photograph near to another one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbour {
    /// Index into the samples of the data set.
    pub sample: usize,
    /// Cosine similarity of the embeddings, in -1..=1.
    pub similarity: f32,
}

/// Every figure of one model on one data set.
#[derive(Debug)]
pub struct Evaluation<'a> {
    /// The paths and labels of the photographs.
    pub dataset: &'a Dataset,
    /// The model.
    pub model: &'a ModelFacts,
    /// All answers.
    pub photos: &'a [Measured],
    /// Files that could not be read, including references.
    pub failures: Vec<Failure>,
    /// Notices for the user, one sentence each.
    pub notices: Vec<String>,
    /// Number of answers reused from an earlier run.
    pub taken_over: usize,
    /// Other inputs of the evaluation.
    pub options: Options,
    /// Figures over all photographs.
    pub figures: Figures,
    /// Figures without duplicates; `None` if there are no duplicates.
    pub without_duplicates: Option<Figures>,
    /// Bins of the reliability diagram.
    pub calibration: Vec<CalibrationBin>,
    /// The confusion matrix.
    pub confusion: Confusion,
    /// Figures of each class that occurs.
    pub classes: Vec<ClassFigures>,
    /// Risk-coverage curve by confidence, over the photographs of known labels.
    pub selective: SelectiveCurve,
    /// ROC curve of the known score, known labels against unknown ones.
    pub rejection: Vec<RocPoint>,
    /// Rejection of each unknown label, the worst first.
    pub unknown_labels: Vec<UnknownLabel>,
    /// The promises of the model's manifest beside what these photographs show.
    pub promises: Vec<PromiseCheck>,
    /// Coverage at selective risks, over the photographs of known labels.
    pub local: LocalAnswers,
    /// The same over all photographs; `None` if all labels are known.
    pub local_of_all: Option<LocalAnswers>,
    /// Accuracy against the cost of asking an LLM about the rest.
    pub cost: Vec<CostPoint>,
    /// Slices, the worst first.
    pub slices: Vec<Slice>,
    /// Program, arguments and data hash.
    pub provenance: Provenance,
    /// Comparison with a baseline report, if one was given.
    pub gate: Option<Gate>,
    /// Labels to check, the likeliest label errors first; photographs that look like training photographs are left out.
    pub wrong_labels: Vec<WrongLabel<'a>>,
    /// Near-duplicates, in the order of `photos`.
    pub duplicates: Duplicates,
    /// Figures of the cascade, if it was measured.
    pub cascade: Option<Cascade>,
    /// Occlusion maps of wrong answers, by sample; empty before [`Evaluation::map_mistakes`].
    pub maps: BTreeMap<usize, OcclusionMap>,
    /// The nearest other photographs of wrong answers, by sample; empty before [`Evaluation::find_nearest`].
    pub nearest: BTreeMap<usize, Vec<Neighbour>>,
}

impl<'a> Evaluation<'a> {
    /// Computes all figures. `notices` are sentences that the user should read with the figures.
    pub fn new(
        dataset: &'a Dataset,
        measurement: &'a Measurement,
        duplicates: Duplicates,
        mut notices: Vec<String>,
        options: Options,
    ) -> Self {
        let photos: Vec<&Measured> = measurement.photos.iter().collect();
        let unique: Vec<&Measured> = photos
            .iter()
            .zip(&duplicates.photos)
            .filter(|(_, lookalike)| !lookalike.is_any())
            .map(|(photo, _)| *photo)
            .collect();
        // Notices of the data set come before those of the run.
        notices.splice(0..0, dataset.notices.iter().cloned());
        let confusion = confusion(&photos);
        let known = confidences(&photos);
        let known_photos: Vec<&Measured> =
            photos.iter().filter(|photo| photo.truth != Truth::NotKnown).copied().collect();
        let local = local_answers(&known_photos, &measurement.model);
        let local_of_all =
            (known_photos.len() < photos.len()).then(|| local_answers(&photos, &measurement.model));
        let scores = |is_known: bool| -> Vec<f32> {
            let side = photos.iter().filter(|photo| (photo.truth != Truth::NotKnown) == is_known);
            side.map(|photo| photo.answer.known_score).collect()
        };
        Self {
            dataset,
            model: &measurement.model,
            photos: &measurement.photos,
            failures: measurement.failures.clone(),
            notices,
            taken_over: measurement.taken_over,
            figures: Figures::of(&photos),
            // In addition to the other figures, so that the effect of duplicates is visible.
            without_duplicates: (unique.len() < photos.len()).then(|| Figures::of(&unique)),
            calibration: calibration_bins(&known),
            classes: confusion.classes(),
            confusion,
            // Unlike `local`, it ignores the known score, because it measures confidence alone.
            selective: SelectiveCurve::new(known.clone(), known.len()),
            rejection: roc_curve(&scores(true), &scores(false)),
            unknown_labels: unknown_labels(dataset, &measurement.photos),
            promises: check_promises(&measurement.model.promises, dataset, &measurement.photos, &duplicates),
            // Over all photographs if there are unknown labels, because calls for those cost as much.
            cost: cost_curve(&local_of_all.as_ref().unwrap_or(&local).curve, &options.prices),
            local,
            local_of_all,
            slices: slices(dataset, &measurement.photos),
            provenance: Provenance {
                program: options.program.clone(),
                arguments: options.arguments.clone(),
                data_sha256: dataset.sha256(),
            },
            gate: None,
            wrong_labels: wrong_labels(&measurement.photos, &duplicates),
            duplicates,
            cascade: None,
            maps: BTreeMap::new(),
            nearest: BTreeMap::new(),
            options,
        }
    }

    /// The path of a photograph as it is shown.
    pub fn path(&self, photo: &Measured) -> String {
        self.path_of(photo.sample)
    }

    /// The path of a sample as it is shown.
    pub(crate) fn path_of(&self, sample: usize) -> String {
        self.dataset.shown(&self.dataset.samples[sample].path)
    }

    /// The label of a photograph by the data set.
    pub fn label(&self, photo: &Measured) -> &str {
        self.label_of(photo.sample)
    }

    /// The label of a sample by the data set.
    pub(crate) fn label_of(&self, sample: usize) -> &str {
        &self.dataset.labels[self.dataset.samples[sample].label]
    }

    /// The rule and the measured coverage of the model's candidate sets, over photographs of known labels with the
    /// verdict "not sure"; `None` for a model without candidate sets.
    ///
    /// A set counts as too large if it has more than [`CandidateSet::MOST`] types, or may have more guesses than were
    /// kept.
    pub fn sets(&self) -> Option<(SetCalibration, SetCoverage)> {
        let rule = self.model.sets?;
        let set = |photo: &Measured| -> Option<Vec<usize>> {
            let guesses = &photo.answer.guesses;
            let reaches = |confidence: f32| f64::from(confidence) >= rule.probability;
            let n_reaching = guesses.iter().take_while(|guess| reaches(guess.confidence)).count();
            // Improbable guesses are not kept: if the threshold is lower than that limit, more guesses may reach it
            // than are kept.
            let may_have_more = rule.probability < f64::from(LEAST_CONFIDENCE)
                && n_reaching == guesses.len()
                && n_reaching < self.model.labels.len();
            let is_whole = n_reaching <= CandidateSet::MOST && !may_have_more;
            // A set is never empty: it contains the best guess even if that is below the threshold.
            is_whole.then(|| guesses.iter().take(n_reaching.max(1)).map(|guess| guess.class).collect())
        };
        let not_sure: Vec<(usize, Option<Vec<usize>>)> = self
            .photos
            .iter()
            .filter(|photo| photo.answer.verdict == Verdict::NotSure)
            .filter_map(|photo| match photo.truth {
                Truth::Class(class) => Some((class, set(photo))),
                Truth::NotKnown => None,
            })
            .collect();
        Some((rule, SetCoverage::of(not_sure.iter().map(|(class, set)| (*class, set.as_deref())))))
    }

    /// Number of labels that are wrong by confident learning: the first entries of [`Evaluation::wrong_labels`].
    pub fn n_confidently_wrong_labels(&self) -> usize {
        self.wrong_labels.iter().filter(|wrong| wrong.issue.is_confident).count()
    }

    /// Top-1 accuracy if the labels that are wrong by confident learning are replaced by the likely ones, which are the
    /// best guesses; `None` if there are no such labels. An upper estimate: a right label may be among them.
    pub fn top1_with_likely_labels(&self) -> Option<Share> {
        let n_wrong_labels = self.n_confidently_wrong_labels();
        let n = self.figures.n;
        (n_wrong_labels > 0).then(|| Share { count: n - self.mistakes().len() + n_wrong_labels, total: n })
    }

    /// Whether these photographs refute a promise of the model's manifest.
    pub fn refutes_a_promise(&self) -> bool {
        self.promises.iter().any(|check| check.verdict == PromiseVerdict::Refuted)
    }

    /// Wrong best guesses on photographs of known labels, the most confident first.
    pub fn mistakes(&self) -> Vec<&'a Measured> {
        let mut mistakes: Vec<_> =
            self.photos.iter().filter(|photo| photo.truth != Truth::NotKnown && !photo.is_right()).collect();
        sort_by_confidence(&mut mistakes);
        mistakes
    }

    /// Photographs of unknown labels with the verdict "identified", the most confident first.
    pub fn false_identifications(&self) -> Vec<&'a Measured> {
        let is_false =
            |photo: &&Measured| photo.truth == Truth::NotKnown && photo.answer.verdict == Verdict::Identified;
        let mut photos: Vec<_> = self.photos.iter().filter(is_false).collect();
        sort_by_confidence(&mut photos);
        photos
    }
}

fn sort_by_confidence(photos: &mut [&Measured]) {
    photos.sort_by(|one, two| two.answer.best().confidence.total_cmp(&one.answer.best().confidence));
}

/// Skips photographs that look like training photographs: the model has learnt their labels, right or wrong.
fn wrong_labels<'a>(photos: &'a [Measured], duplicates: &Duplicates) -> Vec<WrongLabel<'a>> {
    let unseen = photos.iter().zip(&duplicates.photos).filter(|(_, lookalike)| lookalike.training.is_none());
    let (searched, probabilities): (Vec<&Measured>, Vec<LabelledProbabilities>) = unseen
        .filter_map(|(photo, _)| match photo.truth {
            Truth::Class(label) => {
                let guesses = photo.answer.guesses.iter().map(|guess| (guess.class, guess.confidence));
                Some((photo, LabelledProbabilities { label, probabilities: guesses.collect() }))
            }
            Truth::NotKnown => None,
        })
        .unzip();
    label_issues(&probabilities)
        .into_iter()
        .map(|issue| WrongLabel { photo: searched[issue.index], issue })
        .collect()
}

/// The confusion matrix of the photographs of known labels.
fn confusion(photos: &[&Measured]) -> Confusion {
    Confusion::of(photos.iter().filter_map(|photo| match photo.truth {
        Truth::Class(class) => Some((class, photo.answer.best().class)),
        Truth::NotKnown => None,
    }))
}

/// Confidence of the best guess and whether it is right, over the photographs of known labels.
pub(crate) fn confidences(photos: &[&Measured]) -> Vec<(f32, bool)> {
    let known = photos.iter().filter(|photo| photo.truth != Truth::NotKnown);
    known.map(|photo| (photo.answer.best().confidence, photo.is_right())).collect()
}

fn local_answers(photos: &[&Measured], model: &ModelFacts) -> LocalAnswers {
    let answerable =
        photos.iter().filter(|photo| model.thresholds.let_known_score_through(photo.answer.known_score));
    let answers = answerable.map(|photo| (photo.answer.best().confidence, photo.is_right())).collect();
    // A photograph below the known-score threshold counts as not answered, which lowers the coverage.
    let curve = SelectiveCurve::new(answers, photos.len());
    LocalAnswers {
        at_most: MAX_RISKS.iter().map(|&risk| (risk, curve.at_most(risk))).collect(),
        in_force: curve.at_threshold(model.thresholds.identified_confidence),
        curve,
    }
}

#[cfg(test)]
mod tests;
