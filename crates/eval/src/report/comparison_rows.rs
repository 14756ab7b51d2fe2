use super::html::{NOTHING, count_of, decimals, percent, percent_or_nothing, share};
use crate::comparison::p_value;
use crate::metrics::Share;
use crate::{Comparison, Evaluation, Figures};

/// The figures of the compared models as text: each row has the name of the figure and a cell for each model.
pub fn comparison_rows(comparison: &Comparison<'_>) -> Vec<(&'static str, Vec<String>)> {
    let of_figures = |name, text: fn(&Figures) -> String| {
        (name, comparison.evaluations.iter().map(|one| text(&one.figures)).collect())
    };
    let eces = comparison.evaluations.iter().zip(&comparison.ece_intervals);
    let ece = |(evaluation, ends): (&Evaluation<'_>, &Option<[f64; 2]>)| {
        three_decimals(evaluation.figures.ece, *ends)
    };
    let coverage = |&(coverage, ends): &(Option<f64>, Option<[f64; 2]>)| match (coverage, ends) {
        (Some(coverage), None) => format!("{} (too few for an interval)", percent(coverage)),
        (_, ends) => ends.map_or_else(|| NOTHING.to_owned(), |ends| share(coverage, ends)),
    };
    let pairs = |text: &dyn Fn(&crate::Pair) -> String| -> Vec<String> {
        std::iter::once(NOTHING.to_owned()).chain(comparison.pairs.iter().map(text)).collect()
    };
    let mut rows = vec![
        of_figures("photographs of known types", |f| f.n.to_string()),
        of_figures("top-1 accuracy", |f| share(f.top1, f.top1_interval)),
        of_figures("top-5 accuracy", |f| share(f.top5, f.top5_interval)),
        of_figures("macro top-1 accuracy", |f| {
            f.macro_top1_interval
                .map_or_else(|| percent_or_nothing(f.macro_top1), |ends| share(f.macro_top1, ends))
        }),
        ("expected calibration error (ECE)", eces.map(ece).collect()),
        ("coverage at 2% selective risk", comparison.coverages.iter().map(coverage).collect()),
        of_figures("identified", |f| count_of(f.identified)),
        of_figures("precision of identified", |f| count_of(f.identified_right)),
        of_figures("photographs of unknown types", |f| f.n_rejection.to_string()),
        of_figures("false identification rate", |f| count_of(f.rejection_identified)),
        of_figures("AUROC, known against unknown", |f| {
            three_decimals(f.reject_auroc, f.reject_auroc_interval)
        }),
        of_figures("median latency", |f| time(f.p50_ms, f.p50_ms_interval)),
        (
            "difference in top-1 accuracy to the first model",
            pairs(&|pair| points(pair.outcomes.difference(), pair.interval)),
        ),
        ("p-value (McNemar's exact test)", pairs(&|pair| p_value(pair.p_value))),
    ];
    if comparison.pairs.len() > 1 {
        rows.push((
            "adjusted p-value (Benjamini-Hochberg)",
            pairs(&|pair| p_value(pair.false_discovery_rate)),
        ));
    }
    rows.push((
        "photographs in the paired comparison",
        pairs(&|pair| {
            let outcomes = &pair.outcomes;
            let either = outcomes.only_first + outcomes.only_second;
            let share = Share { count: either, total: outcomes.total() };
            format!("{}, {} discordant", share.total, share.count)
        }),
    ));
    rows
}

fn three_decimals(value: Option<f64>, ends: Option<[f64; 2]>) -> String {
    match (value, ends) {
        (Some(value), Some([low, high])) => format!("{value:.3} ({low:.3} to {high:.3})"),
        _ => decimals(value),
    }
}

fn time(value: Option<f32>, ends: Option<[f32; 2]>) -> String {
    match (value, ends) {
        (Some(value), Some([low, high])) => format!("{value:.1} ms ({low:.1} to {high:.1})"),
        _ => NOTHING.to_owned(),
    }
}

fn points(difference: Option<f64>, ends: Option<[f64; 2]>) -> String {
    match (difference, ends) {
        (Some(difference), Some([low, high])) => {
            format!("{:+.1} points ({:+.1} to {:+.1})", difference * 100.0, low * 100.0, high * 100.0)
        }
        (Some(difference), None) => percent(difference),
        _ => NOTHING.to_owned(),
    }
}
