use super::super::html::{Table, count_of, percent, percent_or_nothing, put};
use super::super::plot::{Axis, Plot};
use super::thin;
use crate::Evaluation;

/// Maximum of drawn points; more are not visible.
const DRAWN: usize = 300;
/// Maximum of rows of a curve's table.
const ROWS: usize = 21;

/// Reliability diagram: accuracy against confidence, by bin.
pub(in super::super) fn reliability(evaluation: &Evaluation<'_>) -> String {
    let bins: Vec<_> = evaluation.calibration.iter().filter(|bin| bin.right.total > 0).collect();
    let mut plot = Plot::new(
        "reliability",
        "Reliability diagram",
        "Accuracy for each range of confidence. On the dashed line, accuracy equals confidence.",
        Axis::percent("confidence", 0.0, 1.0, 0.2),
        Axis::percent("accuracy", 0.0, 1.0, 0.2),
    );
    for bin in &bins {
        let right = bin.right.value().unwrap_or(0.0);
        let text = format!(
            "confidence {} to {}: {} right, mean confidence {}",
            percent(bin.low),
            percent(bin.high),
            count_of(bin.right),
            percent_or_nothing(bin.mean_confidence)
        );
        plot.bar([bin.low, bin.high], right, "bar-soft", &text);
    }
    plot.line([(0.0, 0.0), (1.0, 1.0)], "ideal");
    for bin in &bins {
        let (Some(confidence), Some(right)) = (bin.mean_confidence, bin.right.value()) else { continue };
        plot.whisker(confidence, bin.right.interval());
        plot.dot(confidence, right, "dot", &format!("{} at {}", count_of(bin.right), percent(confidence)));
    }
    let table = Table {
        caption: "Calibration by range of confidence",
        head: &["confidence", "right", "accuracy", "95% interval", "mean confidence"],
        numbers: &[1, 2, 3, 4],
        rows: bins
            .iter()
            .map(|bin| {
                let [low, high] = bin.right.interval();
                vec![
                    format!("{} to {}", percent(bin.low), percent(bin.high)),
                    format!("{} of {}", bin.right.count, bin.right.total),
                    percent_or_nothing(bin.right.value()),
                    format!("{} to {}", percent(low), percent(high)),
                    percent_or_nothing(bin.mean_confidence),
                ]
            })
            .collect(),
    };
    plot.finish() + &table.folded("The same as a table")
}

/// Risk-coverage curve.
pub(in super::super) fn risk_coverage(evaluation: &Evaluation<'_>) -> String {
    let curve = &evaluation.selective;
    let risk = |point: &crate::metrics::SelectivePoint| point.risk().value().unwrap_or(0.0);
    // At least 5%, or the axis of a model without errors would have no height.
    let highest = curve.points.iter().map(risk).fold(0.05, f64::max);
    let step = if highest > 0.4 {
        0.2
    } else if highest > 0.15 {
        0.05
    } else {
        0.02
    };
    let mut plot = Plot::new(
        "risk",
        "Risk-coverage curve",
        "The share of wrong answers (selective risk) against the share of photographs answered (coverage), the most \
         confident first.",
        Axis::percent("coverage", 0.0, 1.0, 0.2),
        Axis::percent("selective risk", 0.0, (highest / step).ceil() * step, step),
    );
    let points = thin(&curve.points, DRAWN);
    plot.line(points.iter().map(|point| (curve.coverage(point), risk(point))), "line");
    let table = Table {
        caption: "Selective risk by coverage",
        head: &["confidence threshold", "coverage", "wrong", "selective risk"],
        numbers: &[0, 1, 2, 3],
        rows: thin(&curve.points, ROWS)
            .iter()
            .map(|point| {
                vec![
                    format!("{:.3}", point.threshold),
                    percent(curve.coverage(point)),
                    point.wrong.to_string(),
                    percent(risk(point)),
                ]
            })
            .collect(),
    };
    plot.finish() + &table.folded("The same as a table")
}

/// ROC curve of the known score.
pub(in super::super) fn rejection(evaluation: &Evaluation<'_>) -> String {
    let mut plot = Plot::new(
        "rejection",
        "ROC curve of the known score",
        "True positive rate (photographs of known types accepted) against false positive rate (photographs of unknown \
         types accepted), for every threshold of the known score. The dashed line is random guessing.",
        Axis::percent("false positive rate (unknown types)", 0.0, 1.0, 0.2),
        Axis::percent("true positive rate (known types)", 0.0, 1.0, 0.2),
    );
    plot.line([(0.0, 0.0), (1.0, 1.0)], "ideal");
    let points = thin(&evaluation.rejection, DRAWN);
    let rates = points.iter().map(|point| (point.false_positive_rate, point.true_positive_rate));
    // Adds the origin, because the points start at the highest score.
    plot.line(std::iter::once((0.0, 0.0)).chain(rates), "line");
    let threshold = evaluation.model.thresholds.identified_known_score;
    if let Some(point) = evaluation.rejection.iter().take_while(|point| point.threshold >= threshold).last() {
        let text = format!(
            "the model's threshold of \"identified\", {threshold:.3}: true positive rate {}, false positive rate {}",
            percent(point.true_positive_rate),
            percent(point.false_positive_rate)
        );
        plot.dot(point.false_positive_rate, point.true_positive_rate, "dot now", &text);
    }
    let table = Table {
        caption: "Rejection by threshold of the known score",
        head: &["threshold", "true positive rate", "false positive rate"],
        numbers: &[0, 1, 2],
        rows: thin(&evaluation.rejection, ROWS)
            .iter()
            .map(|point| {
                vec![
                    format!("{:.3}", point.threshold),
                    percent(point.true_positive_rate),
                    percent(point.false_positive_rate),
                ]
            })
            .collect(),
    };
    plot.finish() + &table.folded("The same as a table")
}

/// Accuracy against the cost of asking an LLM about the unsure photographs.
pub(in super::super) fn cost(evaluation: &Evaluation<'_>) -> String {
    let points = &evaluation.cost;
    let lowest = points.iter().map(|point| point.accuracy).fold(1.0, f64::min);
    let from = ((lowest * 10.0).floor() / 10.0).min(0.9);
    let step = if from < 0.45 {
        0.2
    } else if from < 0.75 {
        0.1
    } else {
        0.05
    };
    let most = points.iter().map(|point| point.cost_per_thousand).fold(0.0, f64::max);
    let mut plot = Plot::new(
        "cost",
        "Accuracy against cost",
        "Expected accuracy with the LLM against its cost, for every confidence threshold from which on the model answers \
         without the LLM.",
        Axis::numbers("cost per 1,000 photographs", most),
        Axis::percent("accuracy with the LLM", from, from + ((1.0 - from) / step).ceil() * step, step),
    );
    plot.line(points.iter().map(|point| (point.cost_per_thousand, point.accuracy)), "line");
    let in_force = evaluation.model.thresholds.identified_confidence;
    // The lowest threshold of the curve that is at least the model's own.
    if let Some(point) = points.iter().find(|point| point.threshold >= in_force) {
        let text = format!(
            "threshold {:.2}, next to the model's own {in_force:.3}: coverage {}, {:.2} per 1,000 photographs, \
             accuracy {}",
            point.threshold,
            percent(point.answered_locally),
            point.cost_per_thousand,
            percent(point.accuracy)
        );
        plot.dot(point.cost_per_thousand, point.accuracy, "dot now", &text);
    }
    let table = Table {
        caption: "Cost and accuracy by confidence threshold",
        head: &["confidence threshold", "coverage", "LLM calls per 1,000", "cost per 1,000", "accuracy"],
        numbers: &[0, 1, 2, 3, 4],
        rows: thin(points, ROWS)
            .iter()
            .map(|point| {
                vec![
                    format!("{:.2}", point.threshold),
                    percent(point.answered_locally),
                    format!("{:.0}", point.calls_per_thousand),
                    format!("{:.2}", point.cost_per_thousand),
                    percent(point.accuracy),
                ]
            })
            .collect(),
    };
    let mut out = plot.finish();
    put!(out, "{}", table.folded("The same as a table"));
    out
}
