//! Runs the model on each photograph of a data set.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use partsight_app::{BulkOptions, FileError, Fingerprint, Identification, Identifier};
use partsight_domain::{Candidate, PartLabel, SetCalibration, StageTimings, Verdict, VerdictThresholds};
use serde::{Deserialize, Serialize};

use crate::journal::{Journal, Resume, Stamp};
use crate::sha256::sha256_of_fields;
use crate::{Dataset, Promise, Result};

/// Number of guesses that are always kept: top-5 accuracy needs them.
const TOP: usize = 5;
/// Further guesses are kept from this probability on. That limits their number to 1,000 for any number of labels, and
/// changes the probabilities that the search for wrong labels uses by less than this value.
pub(crate) const LEAST_CONFIDENCE: f32 = 0.001;

/// A guess: a class and its probability.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Guess {
    /// The class, as an index into the model's labels.
    pub class: usize,
    /// Calibrated probability, in 0..=1.
    pub confidence: f32,
}

/// The model's answer for one photograph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// Most probable first; never empty. The first five, and all others with a probability of at least 0.001.
    pub guesses: Vec<Guess>,
    /// Known score: how likely the photograph shows one of the known types, in 0..=1.
    pub known_score: f32,
    /// Verdict by the model's thresholds.
    pub verdict: Verdict,
    /// Duration of each stage, in milliseconds.
    pub timings_ms: StageTimings,
    /// Perceptual fingerprint, to find duplicates.
    #[serde(with = "hex_digits")]
    pub fingerprint: Fingerprint,
}

impl Answer {
    /// The best guess.
    pub fn best(&self) -> Guess {
        self.guesses.first().copied().unwrap_or(Guess { class: usize::MAX, confidence: 0.0 })
    }

    /// Whether `class` is among the first `k` guesses.
    pub fn has_in_top(&self, class: usize, k: usize) -> bool {
        self.guesses.iter().take(k).any(|guess| guess.class == class)
    }
}

/// The ground truth of a photograph, in classes of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truth {
    /// One of the model's classes.
    Class(usize),
    /// None of them: every verdict but "identified" is right.
    NotKnown,
}

/// A photograph with its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Index into the samples of the data set.
    pub sample: usize,
    /// The ground truth.
    pub truth: Truth,
    /// The model's answer.
    pub answer: Answer,
}

impl Measured {
    /// Whether the best guess is the right class; false if the label is not known.
    pub fn is_right(&self) -> bool {
        self.truth == Truth::Class(self.answer.best().class)
    }
}

/// A file or folder that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// Its path.
    pub path: PathBuf,
    /// The cause, as a sentence.
    pub reason: String,
}

/// The model that was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelFacts {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// SHA-256 of the model file, lower-case hex.
    pub sha256: String,
    /// Execution provider, such as `CPU`.
    pub provider: String,
    /// Its labels in class order.
    pub labels: Vec<PartLabel>,
    /// Verdict thresholds, each in 0..=1.
    pub thresholds: VerdictThresholds,
    /// Rule of the candidate sets; `None` for a model without calibrated ones.
    #[serde(skip)]
    pub sets: Option<SetCalibration>,
    /// Promises of its manifest.
    #[serde(skip)]
    pub promises: Vec<Promise>,
}

impl ModelFacts {
    /// The facts about the model that an identifier runs.
    pub fn of(identifier: &Identifier) -> Self {
        Self {
            name: identifier.model_name().to_owned(),
            version: identifier.model_version().to_owned(),
            sha256: identifier.model_sha256().to_owned(),
            provider: identifier.provider().to_owned(),
            labels: identifier.labels().to_vec(),
            thresholds: identifier.thresholds(),
            sets: identifier.scorer().sets().map(|rule| rule.calibration),
            promises: Promise::of_manifest(identifier.manifest()),
        }
    }

    /// The label of a class.
    pub fn label(&self, class: usize) -> &str {
        self.labels.get(class).map_or("", PartLabel::as_str)
    }
}

/// All answers of one model on one data set.
#[derive(Debug)]
pub struct Measurement {
    /// The model.
    pub model: ModelFacts,
    /// In the order of the data set.
    pub photos: Vec<Measured>,
    /// Files that could not be read.
    pub failures: Vec<Failure>,
    /// Number of answers reused from an earlier run.
    pub taken_over: usize,
    journal: Option<Journal>,
}

impl Measurement {
    #[cfg(test)]
    pub(crate) fn made(model: ModelFacts, photos: Vec<Measured>) -> Self {
        Self { model, photos, failures: Vec::new(), taken_over: 0, journal: None }
    }

    /// Marks the journal as complete. Call it after the report is written: a run that fails before then resumes from
    /// its answers.
    ///
    /// # Errors
    /// [`Error::Journal`](crate::Error::Journal).
    pub fn complete(&mut self) -> Result<()> {
        self.journal.as_mut().map_or(Ok(()), Journal::complete)
    }
}

/// A prepared run of one model on one data set.
#[derive(Debug)]
pub struct Run<'a> {
    identifier: &'a Identifier,
    dataset: &'a Dataset,
    model: ModelFacts,
    /// The class of each label of the data set.
    truths: Vec<Truth>,
    journal: Option<Journal>,
    /// By sample; reused answers are filled in.
    answers: Vec<Option<Answer>>,
    stamps: Vec<Option<Stamp>>,
    taken_over: usize,
}

impl<'a> Run<'a> {
    /// Prepares a run, and reuses the answers of an earlier one from a journal in the folder `journals`. Without that
    /// folder no answers are saved or reused.
    ///
    /// A journal is valid for one path of the data set, one model and one set of photograph limits; an answer in it is
    /// valid while the size and time of its file are the same.
    ///
    /// # Errors
    /// [`Error::JournalBusy`](crate::Error::JournalBusy), [`Error::Journal`](crate::Error::Journal).
    pub fn prepare(
        identifier: &'a Identifier,
        dataset: &'a Dataset,
        journals: Option<&Path>,
        resume: Resume,
    ) -> Result<Self> {
        let model = ModelFacts::of(identifier);
        let classes: HashMap<&str, usize> =
            model.labels.iter().enumerate().map(|(class, label)| (label.as_str(), class)).collect();
        // A label that the model does not know is not an error: its photographs measure rejection.
        let truth =
            |label: &String| classes.get(label.as_str()).map_or(Truth::NotKnown, |&c| Truth::Class(c));
        let truths = dataset.labels.iter().map(truth).collect();
        let mut run = Self {
            identifier,
            dataset,
            truths,
            journal: None,
            answers: vec![None; dataset.samples.len()],
            stamps: vec![None; dataset.samples.len()],
            taken_over: 0,
            model,
        };
        if let Some(folder) = journals {
            run.take_over(folder, resume)?;
        }
        Ok(run)
    }

    fn take_over(&mut self, folder: &Path, resume: Resume) -> Result<()> {
        let key = self.key();
        let place = self.dataset.source.canonicalize().unwrap_or_else(|_| self.dataset.source.clone());
        // The name depends only on path and model, so that another calibration replaces the journal instead of adding
        // one.
        let name = sha256_of_fields(&[place.as_os_str().as_encoded_bytes(), self.model.sha256.as_bytes()]);
        let path = folder.join(format!("{}.jsonl", &name[..16]));
        let (journal, mut earlier) = Journal::open(&path, &key, resume)?;
        self.journal = Some(journal);
        for (index, sample) in self.dataset.samples.iter().enumerate() {
            self.stamps[index] = Stamp::of(&sample.path);
            let Some((stamp, answer)) = earlier.remove(&self.dataset.shown(&sample.path)) else {
                continue;
            };
            // Size and time instead of a hash, because reading 100,000 files again would take most of the time.
            if Some(stamp) == self.stamps[index] {
                self.answers[index] = Some(answer);
                self.taken_over += 1;
            }
        }
        Ok(())
    }

    /// Hash of everything except the photograph that an answer depends on.
    fn key(&self) -> String {
        let limits = self.identifier.limits();
        // The manifest contains calibration, preprocessing and thresholds; its serialisation cannot fail.
        let manifest = serde_json::to_string(self.identifier.manifest()).unwrap_or_default();
        let labels: Vec<_> = self.model.labels.iter().map(PartLabel::as_str).collect();
        sha256_of_fields(&[
            manifest.as_bytes(),
            labels.join("\n").as_bytes(),
            self.model.provider.as_bytes(),
            format!("{} {}", limits.max_bytes, limits.max_pixels).as_bytes(),
        ])
    }

    /// The model.
    pub fn model(&self) -> &ModelFacts {
        &self.model
    }

    /// Number of answers reused from an earlier run.
    pub fn taken_over(&self) -> usize {
        self.taken_over
    }

    /// Number of photographs still to measure.
    pub fn remaining(&self) -> usize {
        self.dataset.samples.len() - self.taken_over
    }

    /// Notices about the labels, one sentence each.
    pub fn notices(&self) -> Vec<String> {
        let mut unknown: Vec<&str> = Vec::new();
        for (label, truth) in self.dataset.labels.iter().zip(&self.truths) {
            if *truth == Truth::NotKnown && label != crate::NOT_A_PART {
                unknown.push(label);
            }
        }
        let mut notices = Vec::new();
        if !unknown.is_empty() {
            notices.push(format!(
                "`{}` does not know {}; their photographs count for rejection{}",
                self.model.name,
                listed(&unknown),
                self.hint(&unknown)
            ));
        }
        if !self.truths.iter().any(|truth| matches!(truth, Truth::Class(_))) {
            notices.push("no label is known to the model, so only rejection is measured".to_owned());
        }
        notices
    }

    /// A hint about labels that look like a misspelt label of the model.
    fn hint(&self, unknown: &[&str]) -> String {
        let is_like = |text: &&&str| {
            let plain = text.trim().to_lowercase().replace([' ', '_'], "-");
            crate::label_map::nearest(text, &self.model.labels)
                .first()
                .is_some_and(|label| strsim::normalized_levenshtein(&plain, label.as_str()) >= 0.85)
        };
        unknown.iter().find(is_like).map_or_else(String::new, |text| {
            let label = crate::label_map::nearest(text, &self.model.labels)[0];
            format!(" (is `{text}` the same as `{label}`? a label map can say so)")
        })
    }

    /// Asks about what remains on `jobs` threads; `advance` is called after each photograph.
    ///
    /// # Errors
    /// [`Error::Journal`](crate::Error::Journal), and [`Error::App`](crate::Error::App) when the threads cannot be started.
    pub fn measure(self, jobs: usize, advance: impl FnMut()) -> Result<Measurement> {
        self.measure_while(jobs, || true, advance)
    }

    /// As [`Run::measure`], where `may_begin` is asked before each photograph: it may wait, and once it says no, the
    /// rest is left out.
    ///
    /// # Errors
    /// Those of [`Run::measure`].
    pub fn measure_while(
        mut self,
        jobs: usize,
        may_begin: impl Fn() -> bool + Send,
        mut advance: impl FnMut(),
    ) -> Result<Measurement> {
        let waiting: Vec<usize> =
            (0..self.answers.len()).filter(|&index| self.answers[index].is_none()).collect();
        let paths: Vec<PathBuf> =
            waiting.iter().map(|&index| self.dataset.samples[index].path.clone()).collect();
        let classes: HashMap<PartLabel, usize> =
            self.model.labels.iter().cloned().enumerate().map(|(class, label)| (label, class)).collect();
        // Failures are not kept in the journal: a photograph that could not be read is tried again.
        let mut failures = self.dataset.failures.clone();
        let mut order = waiting.iter();
        let mut kept = Ok(());
        // All guesses are asked for, and cut to what figures need in `answer`.
        let options = BulkOptions { jobs, ..BulkOptions::of_model(self.model.labels.len()) };
        // Lazy: the next path is taken when a thread is free.
        let in_turn = paths.iter().take_while(move |_| may_begin());
        self.identifier.identify_files(in_turn, options, |scan| {
            // Results come in the order of the paths.
            let Some(&index) = order.next() else { return false };
            match scan.outcome {
                Ok(identification) => {
                    let answer = answer(&identification, &classes);
                    if let (Some(journal), Some(stamp)) = (&mut self.journal, self.stamps[index]) {
                        let name = self.dataset.shown(&self.dataset.samples[index].path);
                        kept = journal.add(&name, stamp, &answer);
                    }
                    self.answers[index] = Some(answer);
                }
                Err(error) => failures.push(failure(scan.path, &error, self.dataset.samples[index].line)),
            }
            advance();
            // A write error, such as a full disk, ends the run: otherwise hours of answers would be lost.
            kept.is_ok()
        })?;
        kept?;
        let photos = self.answers.into_iter().enumerate().filter_map(|(sample, answer)| {
            let truth = self.truths[self.dataset.samples[sample].label];
            Some(Measured { sample, truth, answer: answer? })
        });
        Ok(Measurement {
            photos: photos.collect(),
            failures,
            model: self.model,
            taken_over: self.taken_over,
            journal: self.journal,
        })
    }
}

fn answer(identification: &Identification, classes: &HashMap<PartLabel, usize>) -> Answer {
    let guess = |candidate: &Candidate| {
        let class = *classes.get(&candidate.label)?;
        Some(Guess { class, confidence: candidate.confidence })
    };
    Answer {
        guesses: std::iter::once(&identification.best)
            .chain(&identification.alternatives)
            .filter_map(guess)
            .enumerate()
            // Guesses are sorted, most probable first, so the rest is below the limit too.
            .take_while(|(index, guess)| *index < TOP || guess.confidence >= LEAST_CONFIDENCE)
            .map(|(_, guess)| guess)
            .collect(),
        known_score: identification.known_score,
        verdict: identification.verdict,
        timings_ms: identification.timings_ms,
        fingerprint: identification.fingerprint,
    }
}

pub(crate) fn failure(path: PathBuf, error: &FileError, line: Option<u64>) -> Failure {
    let reason = match (error, line) {
        (FileError::Read(source), Some(line)) if source.kind() == ErrorKind::NotFound => {
            format!("line {line} of the list names it, and there is no such photo")
        }
        (_, Some(line)) => format!("{} (line {line} of the list)", error.reason()),
        (_, None) => error.reason(),
    };
    Failure { path, reason }
}

/// The first few of a list, and how many more there are.
fn listed(labels: &[&str]) -> String {
    const SHOWN: usize = 5;
    let mut text = labels.iter().take(SHOWN).map(|label| format!("`{label}`")).collect::<Vec<_>>().join(", ");
    if labels.len() > SHOWN {
        let _ = write!(text, " and {} more labels", labels.len() - SHOWN);
    }
    text
}

/// A fingerprint as hex digits.
mod hex_digits {
    use partsight_app::Fingerprint;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(value: &Fingerprint, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Fingerprint, D::Error> {
        let text = String::deserialize(deserializer)?;
        Fingerprint::from_hex(&text).ok_or_else(|| D::Error::custom("not a fingerprint"))
    }
}
