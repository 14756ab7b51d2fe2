use super::super::html::{Table, counted, millis};
use super::super::plot::{Axis, Plot};
use crate::Evaluation;
use crate::metrics::percentile;
use partsight_domain::StageTimings;

/// Number of bars of the histogram.
const BARS: usize = 24;

/// The duration of one stage.
type Stage = fn(&StageTimings) -> f32;

/// Latency: a histogram, and a table by stage.
pub(in super::super) fn timing(evaluation: &Evaluation<'_>) -> String {
    let totals = sorted(evaluation, |timings| timings.total);
    // Ends at the 99th percentile, because a few slow photographs would compress all others into one bar.
    let end = f64::from(percentile(&totals, 99.0).unwrap_or(1.0)).max(1.0);
    let axis = Axis::numbers("milliseconds from bytes to answer", end);
    let width = axis.to / BARS as f64;
    let mut counts = [0_usize; BARS];
    for total in &totals {
        // Values beyond the axis count in the last bar, as the description says.
        counts[((f64::from(*total) / width) as usize).min(BARS - 1)] += 1;
    }
    let most = counts.iter().max().copied().unwrap_or(0);
    let mut plot = Plot::new(
        "timing",
        "Latency histogram",
        "Number of photographs by latency. The last bar includes all that took longer.",
        axis,
        Axis::numbers("photographs", most as f64),
    );
    for (bar, count) in counts.iter().enumerate() {
        let edges = [width * bar as f64, width * (bar + 1) as f64];
        let text = format!("{:.1} to {:.1} ms: {}", edges[0], edges[1], counted(*count, "photograph"));
        plot.bar(edges, *count as f64, "bar", &text);
    }
    if let Some(median) = percentile(&totals, 50.0) {
        plot.rule(f64::from(median), &format!("median {}", millis(Some(median))));
    }
    plot.finish() + &stages(evaluation)
}

fn stages(evaluation: &Evaluation<'_>) -> String {
    let stages: [(&str, Stage); 5] = [
        ("read and turn upright", |timings| timings.decode),
        ("resize", |timings| timings.preprocess),
        ("wait for the engine", |timings| timings.queue),
        ("model", |timings| timings.inference),
        ("all", |timings| timings.total),
    ];
    let row = |(name, stage): (&str, Stage)| {
        let times = sorted(evaluation, stage);
        let mut row = vec![name.to_owned()];
        row.extend([50.0, 95.0, 99.0].map(|percent| millis(percentile(&times, percent))));
        row
    };
    Table {
        caption: "Latency by stage",
        head: &["stage", "median", "95th percentile", "99th percentile"],
        numbers: &[1, 2, 3],
        rows: stages.into_iter().map(row).collect(),
    }
    .html()
}

fn sorted(evaluation: &Evaluation<'_>, stage: Stage) -> Vec<f32> {
    let mut times: Vec<f32> = evaluation.photos.iter().map(|photo| stage(&photo.answer.timings_ms)).collect();
    times.sort_by(f32::total_cmp);
    times
}
