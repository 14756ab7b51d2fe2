//! Verification: whether a run reproduces a report.

use serde::Serialize;
use serde_json::Value;

use crate::{Baseline, Evaluation, ReportedPhoto, summary_json};

/// The compared figures, without times, which differ from run to run.
const FIGURES: [&str; 10] =
    ["n", "nRejection", "errors", "top1", "top3", "top5", "macroTop1", "ece", "rejectAuroc", "aurc"];

/// One compared value.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// Its name.
    pub name: String,
    /// Value in the report.
    pub reported: Value,
    /// Value of this run.
    pub found: Value,
    /// Whether they agree.
    pub agrees: bool,
}

/// Compares a run with a report: hashes of model and data, figures within `tolerance`, and best guesses. `tolerance`,
/// in 0..=1, is also the largest share of photographs whose best guess may differ.
pub fn verify(evaluation: &Evaluation<'_>, report: &Baseline, tolerance: f64) -> Vec<Check> {
    let summary = summary_json(evaluation);
    let text = |value: Option<&str>| value.map_or(Value::Null, Value::from);
    let mut checks = vec![
        same("model (SHA-256)", report.model.sha256.as_str().into(), evaluation.model.sha256.as_str().into()),
        same(
            "photographs and labels (SHA-256)",
            text(report.provenance.data_sha256.as_deref()),
            text(evaluation.provenance.data_sha256.as_deref()),
        ),
    ];
    for figure in FIGURES {
        let reported = report.rest.get(figure).cloned().unwrap_or(Value::Null);
        let found = summary[figure].clone();
        checks.push(within(figure, reported, found, tolerance));
    }
    // By path, since the hash of the whole set is compared above.
    let guess = |photo: ReportedPhoto| (photo.path, photo.guess);
    let mut before: Vec<_> = report.photos.iter().cloned().map(guess).collect();
    let mut now: Vec<_> =
        evaluation.photos.iter().map(|photo| guess(ReportedPhoto::of(evaluation, photo))).collect();
    before.sort();
    now.sort();
    let n_changed = now.iter().filter(|one| before.binary_search(one).is_err()).count();
    checks.push(Check {
        name: "photographs with another best guess".to_owned(),
        reported: 0.into(),
        found: n_changed.into(),
        // On another processor, rounding may change the best guess of a photograph.
        agrees: n_changed as f64 <= tolerance * now.len() as f64,
    });
    checks
}

fn same(name: &str, reported: Value, found: Value) -> Check {
    Check { name: name.to_owned(), agrees: reported == found, reported, found }
}

/// Numbers agree within the tolerance; other values must be equal.
fn within(name: &str, reported: Value, found: Value, tolerance: f64) -> Check {
    let agrees = match (reported.as_f64(), found.as_f64()) {
        // A figure read back from text may differ in its last digit.
        (Some(reported), Some(found)) => (reported - found).abs() <= tolerance + 1e-9,
        _ => reported == found,
    };
    Check { name: name.to_owned(), agrees, reported, found }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_agree_within_the_tolerance() {
        let cases = [
            (Value::from(0.5), Value::from(0.5009), true),
            (Value::from(0.5), Value::from(0.5011), false),
            (Value::from(10), Value::from(10), true),
            (Value::from(10), Value::from(11), false),
            (Value::Null, Value::Null, true),
            (Value::Null, Value::from(0.0), false),
        ];
        for (reported, found, expected) in cases {
            let check = within("top1", reported, found, 0.001);
            assert_eq!(check.agrees, expected, "{check:?}");
        }
    }
}
