//! Evaluations for the server: the figures of the command, in the form that the web app shows.

mod figures;

use std::path::{Path, PathBuf};

use partsight_app::{Assessment, Assessor, Fingerprint, MeasuredEvaluation};
use partsight_domain::EvaluationDifference;

use self::figures::{Pictures, figures};
use crate::metrics::{PairedOutcomes, Prices, difference_interval, mcnemar_exact};
use crate::report::report_files;
use crate::{Baseline, Dataset, Duplicates, Evaluation, Options, ReportedModel, Resume, Run};

/// Maximum of columns in a list beside path and label; each adds a dimension of slices.
const MAX_COLUMNS: usize = 50;
/// The cost curve's assumptions, as in the command.
const PRICES: Prices = Prices { llm_price: 0.01, llm_accuracy: 0.95 };

/// Measures the model in use on labelled photographs.
pub struct EvalAssessor {
    /// Fingerprints of the training photographs; empty if the model has none.
    training: Vec<Fingerprint>,
    /// Program and version, as shown in reports.
    program: String,
}

impl EvalAssessor {
    /// `training` are the fingerprints of the model's training photographs; `program` is shown in reports.
    pub fn new(program: &str, training: Vec<Fingerprint>) -> Self {
        Self { training, program: program.to_owned() }
    }

    fn measure(&self, order: &Assessment<'_>) -> crate::Result<Option<MeasuredEvaluation>> {
        let (identifier, pace) = (order.identifier, order.pace);
        let mut dataset = Dataset::open(order.source)?;
        dataset.note_unlisted(order.source);
        dataset.call(order.name);
        dataset.adopt_labels(identifier.labels())?;
        dataset.examine_while(identifier.decoder(), order.jobs, || pace.begin(), || pace.end())?;
        // Without a journal: after a restart the evaluation starts from the beginning.
        let run = Run::prepare(identifier, &dataset, None, Resume::Never)?;
        let notices = run.notices();
        let measurement = run.measure_while(order.jobs, || pace.begin(), || pace.end())?;
        if !pace.begin() {
            return Ok(None);
        }
        let duplicates = Duplicates::find(&measurement.photos, &dataset, &self.training, None);
        let options = Options { prices: PRICES, program: self.program.clone(), arguments: Vec::new() };
        let evaluation = Evaluation::new(&dataset, &measurement, duplicates, notices, options);
        let mut pictures = Pictures::of(&evaluation, identifier.decoder());
        let report = figures(&evaluation, order.thresholds, &mut pictures);
        let mut files = pictures.into_files();
        let written = report_files(&evaluation, identifier.decoder(), order.written_at);
        files.extend(written.into_iter().map(|(name, bytes)| (name.to_owned(), bytes)));
        Ok(Some(MeasuredEvaluation { report, files }))
    }
}

impl Assessor for EvalAssessor {
    fn list_paths(&self, list: &Path) -> Result<Vec<PathBuf>, String> {
        let dataset = Dataset::open(list).map_err(|error| sentence(&error))?;
        if dataset.column_names.len() > MAX_COLUMNS {
            return Err(format!("the list has more than {MAX_COLUMNS} columns beside path and label"));
        }
        let path = |sample: &crate::Sample| {
            sample.path.strip_prefix(&dataset.root).unwrap_or(&sample.path).to_owned()
        };
        Ok(dataset.samples.iter().map(path).collect())
    }

    fn assess(&self, order: &Assessment<'_>) -> Result<Option<MeasuredEvaluation>, String> {
        self.measure(order).map_err(|error| sentence(&error))
    }

    fn compare(&self, first: &[u8], second: &[u8]) -> Result<EvaluationDifference, String> {
        let read =
            |bytes: &[u8]| serde_json::from_slice::<Baseline>(bytes).map_err(|error| error.to_string());
        Ok(difference(&read(first)?, &read(second)?))
    }
}

/// An error with its cause, on one line.
fn sentence(error: &crate::Error) -> String {
    let cause = std::error::Error::source(error).map_or_else(String::new, |cause| format!(": {cause}"));
    format!("{error}{cause}")
}

/// Pairs the photographs of two reports by content. Both sides use the labels of the second report, so that a corrected
/// label favours neither.
fn difference(first: &Baseline, second: &Baseline) -> EvaluationDifference {
    let places = crate::baseline::Places::of(&first.photos);
    let knows = |model: &ReportedModel, label: &String| model.labels.contains(label);
    let mut outcomes = PairedOutcomes::default();
    for photo in &second.photos {
        if !knows(&first.model, &photo.label) || !knows(&second.model, &photo.label) {
            continue;
        }
        if let Some(before) = places.find(photo) {
            outcomes.add(before.guess == photo.label, photo.guess == photo.label);
        }
    }
    EvaluationDifference {
        n: outcomes.total() as u64,
        only_first: outcomes.only_first as u64,
        only_second: outcomes.only_second as u64,
        difference: outcomes.difference(),
        interval: difference_interval(&outcomes),
        p_value: mcnemar_exact(&outcomes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_near;

    fn report(photos: &[(&str, &str, &str)]) -> Baseline {
        let photo = |(content, label, guess): &(&str, &str, &str)| {
            serde_json::json!({
                "path": format!("{label}/{content}.jpg"), "sha256": content, "label": label, "guess": guess,
                "confidence": 0.9, "knownScore": 0.9,
            })
        };
        let model = serde_json::json!({
            "name": "made", "version": "1", "sha256": "0", "labels": ["piston", "rim"],
        });
        let provenance = serde_json::json!({ "program": "", "arguments": [], "dataSha256": null });
        let photos: Vec<_> = photos.iter().map(photo).collect();
        let report = serde_json::json!({ "model": model, "provenance": provenance, "photos": photos });
        serde_json::from_value(report).unwrap()
    }

    #[test]
    fn two_reports_are_paired_by_content_under_the_labels_of_the_second() {
        let first =
            report(&[("a", "rim", "rim"), ("b", "rim", "rim"), ("c", "rim", "piston"), ("d", "rim", "rim")]);
        let second = report(&[
            ("a", "rim", "rim"),
            // The label is corrected: the first was wrong after all.
            ("b", "piston", "piston"),
            ("c", "rim", "piston"),
            ("new", "rim", "rim"),
            ("hub", "hub", "rim"),
        ]);
        let found = difference(&first, &second);
        assert_eq!((found.n, found.only_first, found.only_second), (3, 0, 1));
        assert_near(found.difference.unwrap(), 1.0 / 3.0);
        assert_near(found.p_value, 1.0);
        assert_eq!(difference(&first, &report(&[])).difference, None);
    }
}
