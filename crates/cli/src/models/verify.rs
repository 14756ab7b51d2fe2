//! `partsight models verify`.

use std::process::ExitCode;

use partsight_app::Settings;
use partsight_app::models::{ModelSource, verify_model};
use serde::Serialize;

use super::arguments::ModelsFormat;
use super::print;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Output {
    location: String,
    sound: bool,
    passed: Vec<String>,
    problems: Vec<String>,
}

pub(super) fn run(
    source: &ModelSource,
    format: ModelsFormat,
    settings: &Settings,
) -> anyhow::Result<ExitCode> {
    let found = verify_model(source, settings)?;
    let output = Output {
        location: source.describe(),
        sound: found.is_sound(),
        passed: found.passed,
        problems: found.problems,
    };
    print(format, &output, || text(&output))?;
    Ok(if output.sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn text(output: &Output) -> String {
    let passed = output.passed.iter().map(|sentence| format!("ok       {sentence}"));
    let problems = output.problems.iter().map(|sentence| format!("problem  {sentence}"));
    let end = match output.problems.len() {
        0 => "The model is sound.".to_owned(),
        1 => "1 problem.".to_owned(),
        n => format!("{n} problems."),
    };
    passed.chain(problems).chain([end]).collect::<Vec<_>>().join("\n")
}
