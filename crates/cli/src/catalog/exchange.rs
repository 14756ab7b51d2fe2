//! `partsight catalog export` and `import`.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Cursor, IsTerminal as _, Read as _, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, bail};
use partsight_app::{App, CatalogFileError, Exported, ImportedPart, Owner};
use partsight_domain::PartLabel;
use partsight_eval::counted;
use serde_json::json;

use super::list::print_json;
use super::{CatalogFormat, explain};
use crate::text_table::TextTable;
use crate::{reader, say, tell};

/// Stands for standard input or output in place of a file.
const STANDARD: &str = "-";

/// Refuses to overwrite a file that is not empty.
pub(super) fn refuse_to_replace(file: &Path) -> anyhow::Result<()> {
    // Devices such as /dev/null may be written, and `-` names no file.
    let holds_any = file != Path::new(STANDARD)
        && fs::metadata(file).is_ok_and(|found| found.is_file() && found.len() > 0);
    if holds_any {
        bail!("{} is there already: name another file, or replace it with --force", file.display());
    }
    Ok(())
}

pub(super) async fn export(
    app: &App,
    owner: &Owner,
    file: &Path,
    labels: &[PartLabel],
) -> anyhow::Result<ExitCode> {
    let exported = if file == Path::new(STANDARD) {
        app.teaching.export_catalog(owner, labels, &mut reader::rows()).await.map_err(told)?
    } else {
        // Written under another name and then renamed, so that an existing file stays intact on failure.
        let partial = file.with_added_extension("partial");
        let context = || format!("cannot write `{}`", partial.display());
        let mut out = BufWriter::new(File::create(&partial).with_context(context)?);
        let exported = app.teaching.export_catalog(owner, labels, &mut out).await;
        let exported = exported.and_then(|exported| {
            out.flush()?;
            fs::rename(&partial, file)?;
            Ok(exported)
        });
        if exported.is_err() {
            // The original error is returned below; that of the removal does not matter.
            let _ = fs::remove_file(&partial);
        }
        exported.map_err(told)?
    };
    let Exported { n_parts, n_references, n_of_other_model } = exported;
    let (types, photos) = (counted(n_parts, "part type"), counted(n_references, "photo"));
    tell(&format!("in the file: {types} with {photos}"))?;
    if n_of_other_model > 0 {
        tell(&format!(
            "left out, because another model than the one in use saw them: {}",
            counted(n_of_other_model, "photo")
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) async fn import(
    app: &App,
    owner: &Owner,
    file: &Path,
    accept_collision: bool,
    format: CatalogFormat,
) -> anyhow::Result<ExitCode> {
    let mut parts: Vec<ImportedPart> = Vec::new();
    let each = |part| parts.push(part);
    let imported = if file == Path::new(STANDARD) {
        let mut reader = standard_input()?;
        app.teaching.import_catalog(owner, &mut reader, accept_collision, each).await
    } else {
        let opened = File::open(file).with_context(|| format!("cannot open `{}`", file.display()))?;
        app.teaching.import_catalog(owner, &mut BufReader::new(opened), accept_collision, each).await
    };
    imported.map_err(told)?;
    match format {
        CatalogFormat::Json => print_json(
            &parts
                .iter()
                .map(|part| {
                    json!({
                        "label": part.label, "taught": part.n_taught, "known": part.n_known,
                        "refused": part.refused,
                    })
                })
                .collect::<Vec<_>>(),
        )?,
        CatalogFormat::Table => {
            let mut table = TextTable::new(&["label", "taught", "there already", "refused"]);
            for part in &parts {
                table.add_row([
                    part.label.to_string(),
                    part.n_taught.to_string(),
                    part.n_known.to_string(),
                    part.refused.len().to_string(),
                ]);
            }
            say(&table.to_string())?;
        }
    }
    let mut any_refused = false;
    for part in &parts {
        for reason in &part.refused {
            any_refused = true;
            tell(&format!("`{}`: {reason}", part.label))?;
        }
    }
    Ok(if any_refused { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// All of standard input, in memory, because a catalogue file is read twice.
fn standard_input() -> anyhow::Result<Cursor<Vec<u8>>> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        bail!("nothing is piped into standard input; write `partsight catalog import - < parts.jsonl`");
    }
    let mut bytes = Vec::new();
    stdin.lock().read_to_end(&mut bytes).context("cannot read standard input")?;
    Ok(Cursor::new(bytes))
}

fn told(error: CatalogFileError) -> anyhow::Error {
    match error {
        CatalogFileError::App(error) => explain(error),
        other => other.into(),
    }
}
