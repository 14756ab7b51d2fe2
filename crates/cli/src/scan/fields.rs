//! Columns of a row, for CSV and Parquet.

use partsight_domain::StageTimings;

use super::row::{Columns, Row};

/// The columns that are always present.
pub(super) const CSV_HEADER: [&str; 18] = [
    "path",
    "verdict",
    "label",
    "name",
    "category",
    "confidence",
    "knownScore",
    "alternatives",
    "decodeMs",
    "preprocessMs",
    "queueMs",
    "inferenceMs",
    "totalMs",
    "error",
    // Added to the documented columns at the end, so that positions of the others stay the same.
    "rolledUp",
    "vehicleDoubts",
    "tellingApart",
    "candidateSet",
];

/// The columns of [`CSV_HEADER`] that hold numbers.
pub(super) const NUMBERS: [&str; 7] =
    ["confidence", "knownScore", "decodeMs", "preprocessMs", "queueMs", "inferenceMs", "totalMs"];

/// The names of all columns.
pub(super) fn header(columns: Columns) -> impl Iterator<Item = &'static str> {
    let more = [
        columns.read.then_some("read"),
        columns.duplicates.then_some("sha256"),
        columns.duplicates.then_some("duplicateOf"),
    ];
    CSV_HEADER.into_iter().chain(more.into_iter().flatten())
}

/// The fields of a row in those columns; empty for missing values.
pub(super) fn fields(row: &Row, columns: Columns) -> impl Iterator<Item = String> {
    let text = columns.read.then(|| row.text());
    let file = columns.duplicates.then(|| {
        let identity = row.file.as_ref();
        [identity.and_then(|file| file.sha256.clone()), identity.and_then(|file| file.duplicate_of.clone())]
            .map(Option::unwrap_or_default)
    });
    csv_fields(row).into_iter().chain(text).chain(file.into_iter().flatten())
}

fn csv_fields(row: &Row) -> [String; 18] {
    let number = |value: Option<f32>| value.map(|value| value.to_string()).unwrap_or_default();
    let timing = |stage: fn(&StageTimings) -> f32| number(row.timings_ms.as_ref().map(stage));
    let alternatives: Vec<String> = row
        .alternatives
        .iter()
        .map(|alternative| format!("{}={}", alternative.label, alternative.confidence))
        .collect();
    [
        row.path.clone(),
        row.verdict.map(|verdict| verdict.as_str().to_owned()).unwrap_or_default(),
        row.label.as_ref().map(ToString::to_string).unwrap_or_default(),
        row.name.clone().unwrap_or_default(),
        row.category.map(|category| category.as_str().to_owned()).unwrap_or_default(),
        number(row.confidence),
        number(row.known_score),
        alternatives.join(";"),
        timing(|timings| timings.decode),
        timing(|timings| timings.preprocess),
        timing(|timings| timings.queue),
        timing(|timings| timings.inference),
        timing(|timings| timings.total),
        row.error.clone().unwrap_or_default(),
        row.rolled_up
            .as_ref()
            .map(|rolled_up| format!("{}={}", rolled_up.category.as_str(), rolled_up.confidence))
            .unwrap_or_default(),
        row.reasons(),
        row.telling_apart.iter().map(|hint| hint.sentence.as_str()).collect::<Vec<_>>().join(" "),
        row.candidate_set
            .iter()
            .flat_map(|set| &set.labels)
            .map(|candidate| candidate.label.as_str())
            .collect::<Vec<_>>()
            .join("|"),
    ]
}
