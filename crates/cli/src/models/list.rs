//! `partsight models list`.

use std::process::ExitCode;

use partsight_app::models::{ListedModel, list_models};
use partsight_app::{Settings, with_causes};
use serde::Serialize;

use super::arguments::ModelsFormat;
use super::{print, size};
use crate::text_table::TextTable;

/// One model, as JSON.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    name: String,
    in_use: bool,
    version: Option<String>,
    format: Option<&'static str>,
    classes: Option<usize>,
    size_bytes: Option<u64>,
    location: String,
    error: Option<String>,
}

impl From<ListedModel> for Row {
    fn from(model: ListedModel) -> Self {
        let size_bytes = model.size_bytes();
        let (manifest, error) = match &model.manifest {
            Ok(manifest) => (Some(manifest), None),
            // One broken model must not hide the others.
            Err(error) => (None, Some(with_causes(error))),
        };
        Self {
            in_use: model.is_in_use,
            version: manifest.map(|manifest| manifest.version.clone()),
            format: manifest.map(|manifest| manifest.file.format.as_str()),
            classes: manifest.map(|manifest| manifest.classes.count),
            size_bytes: manifest.map(|_| size_bytes),
            location: model.source.describe(),
            error,
            name: model.name,
        }
    }
}

pub(super) fn run(format: ModelsFormat, settings: &Settings) -> anyhow::Result<ExitCode> {
    let rows: Vec<Row> = list_models(settings)?.into_iter().map(Row::from).collect();
    print(format, &rows, || table(&rows))?;
    Ok(ExitCode::SUCCESS)
}

fn table(rows: &[Row]) -> String {
    let mut table =
        TextTable::new(&["", "name", "version", "format", "classes", "size", "where"]).right([4, 5]);
    for row in rows {
        let mark = if row.in_use { "*" } else { "" };
        let classes = row.classes.map(|classes| classes.to_string()).unwrap_or_default();
        let location =
            row.error.as_ref().map_or_else(|| row.location.clone(), |error| format!("broken: {error}"));
        table.add_row([
            mark.to_owned(),
            row.name.clone(),
            row.version.clone().unwrap_or_default(),
            row.format.unwrap_or_default().to_owned(),
            classes,
            row.size_bytes.map(size).unwrap_or_default(),
            location,
        ]);
    }
    format!("{table}\n\n* is in use; choose another with `--model NAME` or PARTSIGHT_MODEL=NAME")
}
