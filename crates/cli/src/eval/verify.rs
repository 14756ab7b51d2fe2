//! `partsight eval --verify`.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::Parser;
use partsight_app::Settings;
use partsight_eval::{Baseline, Check, ReportedModel};
use serde_json::{Value, json};

use super::evaluate;
use crate::arguments::{Arguments, Command, EvalArguments};
use crate::{settings, tell};

/// Repeats the run of a report, with the arguments recorded in it, and compares the results. Outputs, comparisons and
/// the cascade are left out; photographs named in `arguments` replace the recorded ones.
///
/// A report made in the app has no arguments: then the model in use by `settings` is measured.
pub(super) fn run(arguments: &EvalArguments, settings: &Settings, report: &Path) -> anyhow::Result<ExitCode> {
    let expected = Baseline::read(report)?;
    let is_of_app = is_of_app(&expected);
    if is_of_app && arguments.path.is_none() {
        bail!("this report was made in the app: name the photographs");
    }
    let words: Vec<&str> = if is_of_app {
        // The placeholder is replaced by the photographs of this call below.
        vec!["partsight", "eval", "photographs"]
    } else {
        std::iter::once("partsight").chain(expected.provenance.arguments.iter().map(String::as_str)).collect()
    };
    let context = || format!("cannot read the arguments that `{}` names", report.display());
    let mut then =
        Arguments::try_parse_from(words).map_err(|error| one_line(&error)).with_context(context)?;
    // The settings by the report's arguments, such as its model, not those of this call.
    let settings = if is_of_app { settings.clone() } else { settings::load(&then)? };
    let Command::Eval(eval) = &mut then.command else {
        bail!("`{}` was not made by `partsight eval`", report.display());
    };
    let (photographs, compared) = eval.photographs_and_models();
    if !compared.is_empty() {
        let model = reported_model(compared, &settings, &expected, report)?;
        // A report is of one model, so that the photographs are a separate argument.
        (eval.path, eval.compare) = (photographs.map(Path::to_owned), vec![model]);
    }
    (eval.report, eval.wrong_labels, eval.baseline, eval.verify) = (None, None, None, None);
    (eval.cascade, eval.format, eval.jobs) = (false, arguments.format, arguments.jobs);
    // Answers saved by the run to verify would prove nothing.
    (eval.fresh, eval.resume) = (!arguments.resume, arguments.resume);
    if arguments.path.is_some() {
        eval.path.clone_from(&arguments.path);
    }
    tell(&format!("measuring as {} did", expected.provenance.program))?;
    evaluate(eval, &settings, Some((&expected, arguments.tolerance)))
}

/// Whether a report was made in the app, which has no arguments and accepts slightly different spellings of labels.
pub(super) fn is_of_app(report: &Baseline) -> bool {
    report.provenance.arguments.is_empty()
}

/// The model of a report, among those that the run compared.
fn reported_model(
    compared: &[String],
    settings: &Settings,
    expected: &Baseline,
    report: &Path,
) -> anyhow::Result<String> {
    let ReportedModel { name, version, sha256, labels } = &expected.model;
    let mut found: Vec<&String> = Vec::new();
    for word in compared {
        let model =
            super::source(settings, word).load(settings).with_context(|| format!("the model `{word}`"))?;
        let manifest = model.manifest();
        let is_reported = manifest.name == *name
            && manifest.version == *version
            && manifest.file.sha256 == *sha256
            && model.labels() == labels.as_slice();
        // A model compared with itself counts once.
        if is_reported && !found.contains(&word) {
            found.push(word);
        }
    }
    match found.as_slice() {
        [only] => Ok((*only).clone()),
        [] => bail!(
            "`{}` is of the model {name} {version}, which is none of those that --compare names any more",
            report.display()
        ),
        [one, another, ..] => bail!(
            "`{}` does not tell whether it is of `{one}` or of `{another}`: name, version, file and labels are the same",
            report.display()
        ),
    }
}

/// clap's message, without usage and hints.
fn one_line(error: &clap::Error) -> anyhow::Error {
    let text = error.to_string();
    anyhow::anyhow!(text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned())
}

/// One line per check.
pub(super) fn text(checks: &[Check]) -> String {
    let mut text = String::new();
    for Check { name, reported, found, agrees } in checks {
        let _ = match agrees {
            // Such as the data hash if a photograph is unreadable, or rejection if all photographs are of known types.
            true if found.is_null() => writeln!(text, "absent   {name}: in the report and now"),
            true => writeln!(text, "same     {name}: {}", plain(found)),
            false => {
                writeln!(text, "DIFFERS  {name}: {} in the report, {} now", plain(reported), plain(found))
            }
        };
    }
    let n_differing = checks.iter().filter(|check| !check.agrees).count();
    let _ = match n_differing {
        0 => write!(text, "The report is reproduced."),
        n => write!(text, "The report is not reproduced: {n} of {} checks differ.", checks.len()),
    };
    text
}

pub(super) fn json(checks: &[Check]) -> Value {
    json!({ "reproduced": checks.iter().all(|check| check.agrees), "checks": checks })
}

/// A JSON value as plain text.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(number) => match number.as_f64() {
            Some(fraction) if number.is_f64() => format!("{fraction:.4}"),
            _ => number.to_string(),
        },
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_neither_has_is_not_called_the_same() {
        let check = |value: Value| Check {
            name: "hash".to_owned(),
            reported: value.clone(),
            found: value,
            agrees: true,
        };
        let lines = text(&[check(Value::Null), check("ab".into())]);
        assert_eq!(
            lines,
            "absent   hash: in the report and now\nsame     hash: ab\nThe report is reproduced."
        );
    }
}
