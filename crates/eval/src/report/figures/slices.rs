use super::super::html::{Table, count_of, decimals, interval, percent_or_nothing};
use crate::Evaluation;
use crate::metrics::Share;

/// Maximum of bars in the plot; the table has all slices.
const MAX_BARS: usize = 25;

/// Top-1 accuracy of each slice with its interval, the worst first.
pub(in super::super) fn slices(evaluation: &Evaluation<'_>) -> String {
    let slices = &evaluation.slices;
    let names: Vec<String> =
        slices.iter().map(|slice| format!("{}: {}", slice.dimension, slice.value)).collect();
    let rows: Vec<(&str, Share)> =
        names.iter().map(String::as_str).zip(slices.iter().map(|slice| slice.right)).take(MAX_BARS).collect();
    let description = "A bar for each slice, the worst at the top: its top-1 accuracy with the 95% interval.";
    let picture = super::bars::bars("slices-bars", "Top-1 accuracy by slice", description, &rows);
    let table = Table {
        caption: "Top-1 accuracy by slice, the worst first",
        head: &[
            "dimension",
            "slice",
            "top-1 accuracy",
            "95% interval",
            "all others",
            "p-value",
            "false discovery rate",
            "worse",
        ],
        numbers: &[2, 3, 4, 5, 6],
        rows: slices
            .iter()
            .map(|slice| {
                vec![
                    slice.dimension.clone(),
                    slice.value.clone(),
                    count_of(slice.right),
                    interval(slice.interval),
                    percent_or_nothing(slice.others.value()),
                    decimals(Some(slice.p_value)),
                    decimals(Some(slice.false_discovery_rate)),
                    if slice.is_worse() { "yes" } else { "" }.to_owned(),
                ]
            })
            .collect(),
    };
    format!("<div class=\"labels\">{picture}</div>{}", table.folded("The same as a table, with tests"))
}
