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
use crate::run::LEAST_CONFIDENCE;
use crate::slices::slices;
use crate::{
    Cascade, Dataset, Duplicates, Failure, Gate, Measured, Measurement, ModelFacts, Provenance, Slice, Truth,
};

/// Wanted shares of wrong answers for which the share answered locally is stated.
const MAX_RISKS: [f64; 4] = [0.01, 0.02, 0.05, 0.10];

/// What an evaluation is told beside the photographs.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Assumptions of the cost curve.
    pub prices: Prices,
    /// The program and its version, as the report names them.
    pub program: String,
    /// Its arguments as they were typed.
    pub arguments: Vec<String>,
}

/// The figures that sum up one set of photographs. A figure without a meaning, such as the accuracy of no
/// photograph, is `None`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Figures {
    /// Share of right best guesses among the photographs of known labels.
    pub top1: Option<f64>,
    /// Its 95% Wilson interval.
    pub top1_interval: [f64; 2],
    /// Share with the right label among the first three.
    pub top3: Option<f64>,
    /// Its 95% Wilson interval.
    pub top3_interval: [f64; 2],
    /// Share with the right label among the first five.
    pub top5: Option<f64>,
    /// Its 95% Wilson interval.
    pub top5_interval: [f64; 2],
    /// Top-1 averaged over the labels that occur.
    pub macro_top1: Option<f64>,
    /// Its 95% interval.
    pub macro_top1_interval: Option<[f64; 2]>,
    /// Expected calibration error of the best guess, 15 bins.
    pub ece: Option<f64>,
    /// What it would be by chance alone with so many photographs, if every confidence were exact.
    pub ece_by_chance: Option<f64>,
    /// AUROC of the known score: photographs of known labels against the others.
    pub reject_auroc: Option<f64>,
    /// Its 95% interval.
    pub reject_auroc_interval: Option<[f64; 2]>,
    /// The smallest difference in top-1 between two models that so many photographs show with 80% power at 5%,
    /// were their errors independent; `None` where they can show none.
    pub smallest_difference: Option<f64>,
    /// Photographs of known labels.
    pub n: usize,
    /// Photographs of labels that the model does not know.
    pub n_rejection: usize,
    /// Photographs of known labels that were called identified.
    pub identified: Share,
    /// Right ones among those.
    pub identified_right: Share,
    /// Photographs of unknown labels that were called identified: wrong, all of them.
    pub rejection_identified: Share,
    /// Median time of a photograph, from its bytes to its answer, in milliseconds.
    pub p50_ms: Option<f32>,
    /// Its 95% interval.
    pub p50_ms_interval: Option<[f32; 2]>,
    /// 95th percentile.
    pub p95_ms: Option<f32>,
    /// 99th percentile.
    pub p99_ms: Option<f32>,
}

impl Figures {
    /// Counts over some photographs.
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
            // Needs both kinds of photographs, as the area itself does.
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

/// How much can be answered without asking anybody. An answer to a photograph of an unknown label is wrong
/// whatever it is.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalAnswers {
    /// By confidence. A photograph whose known score is below the model's threshold for "identified" is
    /// never answered.
    pub curve: SelectiveCurve,
    /// For at most so many wrong answers among those given, the threshold that answers most.
    pub at_most: Vec<(f64, Option<SelectivePoint>)>,
    /// What the thresholds of the model give.
    pub in_force: SelectivePoint,
}

/// A photograph whose label the model's probabilities contradict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WrongLabel<'a> {
    /// The photograph.
    pub photo: &'a Measured,
    /// Which label is likelier; its `index` counts the photographs of known labels.
    pub issue: LabelIssue,
}

/// Every figure of one model on one data set.
#[derive(Debug)]
pub struct Evaluation<'a> {
    /// The photographs' places and labels.
    pub dataset: &'a Dataset,
    /// The model.
    pub model: &'a ModelFacts,
    /// All answers.
    pub photos: &'a [Measured],
    /// What could not be read, references included.
    pub failures: Vec<Failure>,
    /// What the user should know of, each one sentence.
    pub notices: Vec<String>,
    /// Answers taken over from an earlier run.
    pub taken_over: usize,
    /// What the evaluation was told.
    pub options: Options,
    /// Over all photographs.
    pub figures: Figures,
    /// Over those that look like no other; `None` where that is all of them.
    pub without_duplicates: Option<Figures>,
    /// Confidence against accuracy.
    pub calibration: Vec<CalibrationBin>,
    /// Which class was taken for which.
    pub confusion: Confusion,
    /// Each class that occurs.
    pub classes: Vec<ClassFigures>,
    /// Risk against coverage over the photographs of known labels, by confidence.
    pub selective: SelectiveCurve,
    /// Known score, known labels against unknown ones.
    pub rejection: Vec<RocPoint>,
    /// Answers without asking anybody, over the photographs of known labels.
    pub local: LocalAnswers,
    /// The same over all photographs; `None` where all labels are known.
    pub local_of_all: Option<LocalAnswers>,
    /// Accuracy against the cost of asking an LLM about the rest.
    pub cost: Vec<CostPoint>,
    /// Groups of photographs, the worst first.
    pub slices: Vec<Slice>,
    /// How the evaluation was made.
    pub provenance: Provenance,
    /// How it compares with an earlier report; `None` unless one was given.
    pub gate: Option<Gate>,
    /// Labels that are probably wrong, the likeliest errors first; photographs that the model may have learnt from
    /// are left out.
    pub wrong_labels: Vec<WrongLabel<'a>>,
    /// Lookalikes, in the order of `photos`.
    pub duplicates: Duplicates,
    /// What the steps of the cascade give; `None` unless they were tried.
    pub cascade: Option<Cascade>,
    /// Where the evidence for wrong answers lies, by sample; empty before [`Evaluation::map_mistakes`].
    pub maps: BTreeMap<usize, OcclusionMap>,
}

impl<'a> Evaluation<'a> {
    /// Counts everything. `notices` are sentences that the user should read beside the figures.
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
        // What was noticed of the data comes before what was noticed of the run.
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
            // Beside the other figures and not in their place: whoever reads them sees what copies change.
            without_duplicates: (unique.len() < photos.len()).then(|| Figures::of(&unique)),
            calibration: calibration_bins(&known),
            classes: confusion.classes(),
            confusion,
            // Without the known score, unlike `local`: the question is what confidence alone tells.
            selective: SelectiveCurve::new(known.clone(), known.len()),
            rejection: roc_curve(&scores(true), &scores(false)),
            // Over all photographs where there are unknown labels: a bill comes for those as well.
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
            options,
        }
    }

    /// The path of a photograph as it is shown.
    pub fn path(&self, photo: &Measured) -> String {
        self.dataset.shown(&self.dataset.samples[photo.sample].path)
    }

    /// The label of a photograph by the data set.
    pub fn label(&self, photo: &Measured) -> &str {
        &self.dataset.labels[self.dataset.samples[photo.sample].label]
    }

    /// What the candidate sets of the model give on photographs of known labels whose answer is not sure, with the
    /// rule; `None` for a model without.
    ///
    /// A set of more than [`CandidateSet::MOST`] types counts as too large, and so does one that may have more than are
    /// kept.
    pub fn sets(&self) -> Option<(SetCalibration, SetCoverage)> {
        let rule = self.model.sets?;
        let set = |photo: &Measured| -> Option<Vec<usize>> {
            let guesses = &photo.answer.guesses;
            let reaches = |confidence: f32| f64::from(confidence) >= rule.probability;
            let n_reaching = guesses.iter().take_while(|guess| reaches(guess.confidence)).count();
            // Guesses below a mark are left out: with a threshold below it, more may reach than are kept.
            let may_have_more = rule.probability < f64::from(LEAST_CONFIDENCE)
                && n_reaching == guesses.len()
                && n_reaching < self.model.labels.len();
            let is_whole = n_reaching <= CandidateSet::MOST && !may_have_more;
            // A set is never empty: the best guess is in it also where it does not reach the threshold.
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

    /// Labels that confident learning counts as wrong: the first of [`Evaluation::wrong_labels`].
    pub fn n_confidently_wrong_labels(&self) -> usize {
        self.wrong_labels.iter().filter(|wrong| wrong.issue.is_confident).count()
    }

    /// Wrong best guesses on photographs of known labels, the surest first.
    pub fn mistakes(&self) -> Vec<&'a Measured> {
        let mut mistakes: Vec<_> =
            self.photos.iter().filter(|photo| photo.truth != Truth::NotKnown && !photo.is_right()).collect();
        sort_by_confidence(&mut mistakes);
        mistakes
    }

    /// Photographs of unknown labels that were called identified, the surest first.
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

/// Photographs that the model was fitted on say nothing of their labels: it has learnt those, right or wrong.
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

/// Right class and best guess of the photographs of known labels.
fn confusion(photos: &[&Measured]) -> Confusion {
    Confusion::of(photos.iter().filter_map(|photo| match photo.truth {
        Truth::Class(class) => Some((class, photo.answer.best().class)),
        Truth::NotKnown => None,
    }))
}

/// Confidence and rightness of the best guess, over the photographs of known labels.
pub(crate) fn confidences(photos: &[&Measured]) -> Vec<(f32, bool)> {
    let known = photos.iter().filter(|photo| photo.truth != Truth::NotKnown);
    known.map(|photo| (photo.answer.best().confidence, photo.is_right())).collect()
}

fn local_answers(photos: &[&Measured], model: &ModelFacts) -> LocalAnswers {
    let answerable =
        photos.iter().filter(|photo| model.thresholds.let_known_score_through(photo.answer.known_score));
    let answers = answerable.map(|photo| (photo.answer.best().confidence, photo.is_right())).collect();
    // What the known score holds back counts as not answered, and so lowers the coverage.
    let curve = SelectiveCurve::new(answers, photos.len());
    LocalAnswers {
        at_most: MAX_RISKS.iter().map(|&risk| (risk, curve.at_most(risk))).collect(),
        in_force: curve.at_threshold(model.thresholds.identified_confidence),
        curve,
    }
}

#[cfg(test)]
mod tests;
