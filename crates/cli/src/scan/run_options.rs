//! Records the options of an output in a small file beside it, because rows have no field for them.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use partsight_app::Identifier;
use serde_json::{Map, Value};

use super::arguments::ScanArguments;
use crate::misfit::Misfit;
use crate::tell;

/// The options that change the answers of a run, or which photographs it answers. Others that change the rows can be seen
/// in the rows.
pub(crate) struct RunOptions(Map<String, Value>);

impl RunOptions {
    pub(crate) fn new(arguments: &ScanArguments, identifier: &Identifier) -> Self {
        let text = |value: Option<String>| value.map_or(Value::Null, Value::String);
        // The version may stay the same for another file, so a prefix of the hash is added.
        let hash = identifier.model_sha256().get(..12).unwrap_or_default();
        let model = format!("{} {} ({hash})", identifier.model_name(), identifier.model_version());
        let options = [
            ("--model", Value::String(model)),
            ("--top", arguments.top.into()),
            ("--vehicle", text(arguments.vehicle.as_ref().map(ToString::to_string))),
            ("--user", text(arguments.user.as_ref().map(|email| email.as_str().to_owned()))),
            ("--shared", arguments.shared.into()),
            ("--shard", text(arguments.shard.map(|shard| shard.to_string()))),
        ];
        Self(options.map(|(name, value)| (name.to_owned(), value)).into_iter().collect())
    }

    /// Records these options for `output`. An output without a record can be continued nevertheless.
    pub(super) fn note(&self, output: &Path) -> anyhow::Result<()> {
        let note = note_of(output);
        let text = serde_json::to_string_pretty(&self.0).context("cannot write the options of the run")?;
        if let Err(error) = fs::write(&note, format!("{text}\n")) {
            tell(&format!(
                "cannot write `{}`: {error}; --resume will not notice other options",
                note.display()
            ))?;
        }
        Ok(())
    }

    /// # Errors
    /// [`Misfit`] if `output` was begun with other options. Options missing in its record are not compared; an output
    /// of an earlier version has no record.
    pub(super) fn check(&self, output: &Path) -> anyhow::Result<()> {
        let note = note_of(output);
        let text = match fs::read(&note) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            read => read.with_context(|| format!("cannot read `{}`", note.display()))?,
        };
        let begun: Map<String, Value> = serde_json::from_slice(&text).with_context(|| {
            let (note, output) = (note.display(), output.display());
            Misfit::new(format!(
                "{note} does not say with which options {output} was begun; delete it to go on without"
            ))
        })?;
        let others: Vec<String> = self
            .0
            .iter()
            .filter_map(|(name, now)| {
                let before = begun.get(name).filter(|before| *before != now)?;
                Some(format!("{name}: {} before, {} now", shown(before), shown(now)))
            })
            .collect();
        if others.is_empty() {
            return Ok(());
        }
        bail!(Misfit::new(format!(
            "{} was begun with other options ({}): give the same ones, or name another file with --output",
            output.display(),
            others.join("; ")
        )))
    }
}

fn note_of(output: &Path) -> PathBuf {
    let mut name = OsString::from(output);
    name.push(".options");
    name.into()
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
