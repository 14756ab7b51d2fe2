//! The CSV files of a report. Writing into memory cannot fail.

use partsight_app::path_text;
use partsight_domain::Verdict;

use super::figures::thin;
use crate::dataset::without_formula;
use crate::{Comparison, Evaluation, MAX_MODELS, Match, Measured, Truth};

/// Maximum of points of a curve.
const CURVE_POINTS: usize = 1000;

/// A row for each photograph, unreadable files at the end.
pub(super) fn photos(evaluation: &Evaluation<'_>) -> Vec<u8> {
    let mut rows = Rows::new(&[
        "path",
        "label",
        "known",
        "guess",
        "confidence",
        "knownScore",
        "verdict",
        "right",
        "guesses",
        "decodeMs",
        "preprocessMs",
        "queueMs",
        "inferenceMs",
        "totalMs",
        "duplicateOf",
        "duplicateDistance",
        "sameFile",
        "trainingDistance",
        "reference",
        "referenceDistance",
        "fingerprint",
        "error",
    ]);
    let distance = |found: Option<Match>| found.map(|found| found.distance.to_string()).unwrap_or_default();
    for (photo, lookalike) in evaluation.photos.iter().zip(&evaluation.duplicates.photos) {
        let answer = &photo.answer;
        let is_known = photo.truth != Truth::NotKnown;
        // For a label that the model does not know, every verdict but "identified" is right.
        let is_right = if is_known { photo.is_right() } else { answer.verdict != Verdict::Identified };
        let guesses: Vec<String> = answer
            .guesses
            .iter()
            .take(5)
            .map(|guess| format!("{}={}", evaluation.model.label(guess.class), guess.confidence))
            .collect();
        let earlier = lookalike.earlier.map(|found| evaluation.path(&evaluation.photos[found.index]));
        let timings = &answer.timings_ms;
        let reference = evaluation.duplicates.reference(lookalike);
        rows.add([
            evaluation.path(photo),
            evaluation.label(photo).to_owned(),
            is_known.to_string(),
            evaluation.model.label(answer.best().class).to_owned(),
            answer.best().confidence.to_string(),
            answer.known_score.to_string(),
            answer.verdict.as_str().to_owned(),
            is_right.to_string(),
            guesses.join(";"),
            timings.decode.to_string(),
            timings.preprocess.to_string(),
            timings.queue.to_string(),
            timings.inference.to_string(),
            timings.total.to_string(),
            earlier.unwrap_or_default(),
            distance(lookalike.earlier),
            lookalike.is_same_file.to_string(),
            distance(lookalike.training),
            reference.map(|path| path_text(path).into_owned()).unwrap_or_default(),
            distance(lookalike.reference),
            answer.fingerprint.to_string(),
            String::new(),
        ]);
    }
    for failure in &evaluation.failures {
        let mut row = vec![String::new(); 22];
        row[0] = evaluation.dataset.shown(&failure.path);
        row[21].clone_from(&failure.reason);
        rows.add(row);
    }
    rows.finish()
}

/// A row for each label that occurs, as label or as best guess.
pub(super) fn classes(evaluation: &Evaluation<'_>) -> Vec<u8> {
    let mut rows =
        Rows::new(&["label", "n", "right", "recall", "recallLow", "recallHigh", "guessed", "precision"]);
    for figures in &evaluation.classes {
        let [low, high] = figures.recall.interval();
        rows.add([
            evaluation.model.label(figures.class).to_owned(),
            figures.recall.total.to_string(),
            figures.recall.count.to_string(),
            number(figures.recall.value()),
            low.to_string(),
            high.to_string(),
            figures.precision.total.to_string(),
            number(figures.precision.value()),
        ]);
    }
    rows.finish()
}

/// A row for each label that the model does not know, the worst first.
pub(super) fn rejection(evaluation: &Evaluation<'_>) -> Vec<u8> {
    let mut rows = Rows::new(&[
        "label",
        "n",
        "identified",
        "identifiedShare",
        "identifiedLow",
        "identifiedHigh",
        "notSure",
        "notAPart",
        "takenFor",
        "takenForCount",
    ]);
    for of_label in &evaluation.unknown_labels {
        let identified = of_label.identified;
        let [low, high] = identified.interval();
        let taken_for = of_label.taken_for;
        rows.add([
            of_label.label.clone(),
            identified.total.to_string(),
            identified.count.to_string(),
            number(identified.value()),
            low.to_string(),
            high.to_string(),
            of_label.n_not_sure.to_string(),
            of_label.n_not_a_part.to_string(),
            taken_for.map(|(guess, _)| evaluation.model.label(guess).to_owned()).unwrap_or_default(),
            taken_for.map(|(_, count)| count.to_string()).unwrap_or_default(),
        ]);
    }
    rows.finish()
}

/// A figure, or an empty field if it is undefined.
fn number(value: Option<f64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// Number of photographs by label and best guess, including labels that the model does not know.
pub(super) fn confusion(evaluation: &Evaluation<'_>) -> Vec<u8> {
    let mut counts = std::collections::BTreeMap::new();
    for photo in evaluation.photos {
        let (count, identified) = counts
            .entry((evaluation.label(photo), evaluation.model.label(photo.answer.best().class)))
            .or_insert((0_usize, 0_usize));
        *count += 1;
        *identified += usize::from(photo.answer.verdict == Verdict::Identified);
    }
    let mut rows = Rows::new(&["label", "guess", "count", "identified"]);
    for ((label, guess), (count, identified)) in counts {
        rows.add([label.to_owned(), guess.to_owned(), count.to_string(), identified.to_string()]);
    }
    rows.finish()
}

/// The points of the curves, as x and y: `risk-coverage` has coverage and selective risk, `rejection` false and true
/// positive rate, `reliability` mean confidence and accuracy, `cost` cost per 1,000 photographs and accuracy. `cascade`
/// has the same as `cost` for a real judge and `cascade-simulated` for a simulated one, with the number of questions as
/// `n`.
pub(super) fn curves(evaluation: &Evaluation<'_>) -> Vec<u8> {
    let mut rows = Rows::new(&["curve", "threshold", "x", "y", "n"]);
    let mut add = |curve: &str, threshold: f64, x: f64, y: f64, n: usize| {
        // NaN stands for no threshold and becomes an empty field.
        let threshold = if threshold.is_nan() { String::new() } else { threshold.to_string() };
        rows.add([curve.to_owned(), threshold, x.to_string(), y.to_string(), n.to_string()]);
    };
    for point in thin(&evaluation.selective.points, CURVE_POINTS) {
        let risk = point.risk().value().unwrap_or(0.0);
        add(
            "risk-coverage",
            point.threshold.into(),
            evaluation.selective.coverage(&point),
            risk,
            point.answered,
        );
    }
    for point in thin(&evaluation.rejection, CURVE_POINTS) {
        let n = evaluation.figures.n + evaluation.figures.n_rejection;
        add("rejection", point.threshold.into(), point.false_positive_rate, point.true_positive_rate, n);
    }
    for bin in &evaluation.calibration {
        // Empty bins are skipped.
        if let (Some(x), Some(y)) = (bin.mean_confidence, bin.right.value()) {
            add("reliability", bin.low, x, y, bin.right.total);
        }
    }
    for point in &evaluation.cost {
        add("cost", point.threshold.into(), point.cost_per_thousand, point.accuracy, evaluation.photos.len());
    }
    if let Some(cascade) = &evaluation.cascade {
        let name = if cascade.is_simulated() { "cascade-simulated" } else { "cascade" };
        for point in thin(&cascade.curve, CURVE_POINTS) {
            add(name, f64::NAN, point.cost_per_thousand, point.right.value().unwrap_or(0.0), point.asked);
        }
    }
    rows.finish()
}

/// Prefixes of the columns of the compared models.
const ORDINALS: [&str; MAX_MODELS] =
    ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"];

/// A row for each discordant photograph: the first model is right and another is wrong, or the reverse.
pub(super) fn differences(comparison: &Comparison<'_>) -> Vec<u8> {
    let mut header = vec!["path".to_owned(), "label".to_owned()];
    for ordinal in &ORDINALS[..comparison.evaluations.len().min(MAX_MODELS)] {
        header.extend(["Guess", "Confidence", "Right"].map(|column| format!("{ordinal}{column}")));
    }
    let mut rows = Rows::new(&header.iter().map(String::as_str).collect::<Vec<_>>());
    let guess = |evaluation: &Evaluation<'_>, photo: &Measured| {
        let best = photo.answer.best();
        // Empty if the model does not know the label.
        let is_right = (photo.truth != Truth::NotKnown).then(|| photo.is_right().to_string());
        [
            evaluation.model.label(best.class).to_owned(),
            best.confidence.to_string(),
            is_right.unwrap_or_default(),
        ]
    };
    let first = comparison.first();
    for difference in &comparison.differences {
        let mut row = vec![first.path(difference.first), first.label(difference.first).to_owned()];
        row.extend(guess(first, difference.first));
        for ((other, _, _), photo) in comparison.others().zip(&difference.others) {
            row.extend(photo.map_or_else(Default::default, |photo| guess(other, photo)));
        }
        rows.add(row);
    }
    rows.finish()
}

struct Rows(csv::Writer<Vec<u8>>);

impl Rows {
    fn new(header: &[&str]) -> Self {
        let mut rows = Self(csv::Writer::from_writer(Vec::new()));
        rows.add(header.iter().map(ToString::to_string));
        rows
    }

    fn add(&mut self, fields: impl IntoIterator<Item = String>) {
        // Cannot fail: all rows have the same number of fields, and the writer is in memory. Formulas are escaped here,
        // for every field of every file.
        let _ = self.0.write_record(fields.into_iter().map(without_formula).collect::<Vec<_>>());
    }

    fn finish(self) -> Vec<u8> {
        self.0.into_inner().unwrap_or_default()
    }
}

/// A text as a field of a CSV file that [`Dataset::relabel`](crate::Dataset::relabel) reads.
pub(super) fn field(text: &str) -> String {
    let text = without_formula(text.to_owned());
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

/// The labels to check as CSV, the likeliest label errors first. [`Dataset::relabel`](crate::Dataset::relabel) reads
/// `path` and `label` after they were corrected.
pub fn wrong_labels_csv(evaluation: &Evaluation<'_>) -> Vec<u8> {
    let mut rows =
        Rows::new(&["path", "label", "likely_label", "label_probability", "likely_probability", "rank"]);
    for (index, wrong) in evaluation.wrong_labels.iter().enumerate() {
        rows.add([
            evaluation.path(wrong.photo),
            evaluation.label(wrong.photo).to_owned(),
            evaluation.model.label(wrong.issue.likely).to_owned(),
            format!("{:.4}", wrong.issue.label_probability),
            format!("{:.4}", wrong.issue.likely_probability),
            (index + 1).to_string(),
        ]);
    }
    rows.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_looks_like_a_formula_becomes_text() {
        let mut rows = Rows::new(&["path", "value"]);
        rows.add(["=HYPERLINK(1).jpg".to_owned(), "-0.5".to_owned()]);
        rows.add(["'=HYPERLINK(1).jpg".to_owned(), "0.5".to_owned()]);
        assert_eq!(
            String::from_utf8(rows.finish()).unwrap(),
            "path,value\n'=HYPERLINK(1).jpg,-0.5\n''=HYPERLINK(1).jpg,0.5\n"
        );
    }
}
