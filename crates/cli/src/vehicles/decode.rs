//! `partsight vehicles decode`.

use std::process::ExitCode;

use anyhow::Context;
use partsight_app::vehicle_reference::{DecodedVin, VinDetails};
use partsight_app::{Error, Settings, system_clock, vin_reading};
use serde::Serialize;

use super::{DecodeArguments, DecodeFormat};
use crate::{print, tell};

/// Result for one VIN.
#[derive(Serialize)]
#[serde(untagged)]
enum Outcome<'a> {
    Decoded(Box<DecodedVin>),
    Failed { vin: &'a str, error: String },
}

pub(super) fn run(arguments: &DecodeArguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let clock = system_clock();
    let patterns = vin_reading::load_vin_patterns(&settings.data.dir)?;
    let mut outcomes = Vec::new();
    for vin in &arguments.vins {
        outcomes.push(match vin_reading::decode(vin, &clock, &patterns) {
            Ok(decoded) => Outcome::Decoded(Box::new(decoded)),
            Err(Error::Invalid(invalid)) => Outcome::Failed { vin, error: invalid.message },
            Err(other) => return Err(other.into()),
        });
    }
    let text = match arguments.format {
        DecodeFormat::Json => serde_json::to_string_pretty(&outcomes).context("cannot write JSON")? + "\n",
        DecodeFormat::Table => outcomes
            .iter()
            .filter_map(decoded)
            .map(|vin| lines(vin).join("\n") + "\n")
            .collect::<Vec<_>>()
            .join("\n"),
    };
    print(&text)?;
    let mut code = ExitCode::SUCCESS;
    for outcome in &outcomes {
        if let Outcome::Failed { vin, error } = outcome {
            code = ExitCode::FAILURE;
            // Escaped, because control characters must not reach the terminal.
            tell(&format!("{}: {error}", vin.escape_debug()))?;
        }
    }
    Ok(code)
}

fn decoded<'a>(outcome: &'a Outcome<'_>) -> Option<&'a DecodedVin> {
    match outcome {
        Outcome::Decoded(vin) => Some(vin),
        Outcome::Failed { .. } => None,
    }
}

fn lines(vin: &DecodedVin) -> Vec<String> {
    let year = match (vin.model_year, vin.other_model_year) {
        (Some(year), Some(other)) => format!("{year} ({other} is not ruled out)"),
        (Some(year), None) => year.to_string(),
        (None, _) => "unknown".to_owned(),
    };
    let or_unknown = |text: Option<&str>| text.unwrap_or("unknown").to_owned();
    let mut facts = vec![
        ("model year", year),
        ("make", or_unknown(vin.make.as_deref())),
        ("manufacturer", or_unknown(vin.manufacturer.as_deref())),
        (
            "made in",
            vin.country.map_or_else(|| vin.region.to_owned(), |country| format!("{country}, {}", vin.region)),
        ),
        ("check digit", if vin.check_digit_fits { "fits" } else { "does not fit" }.to_owned()),
        ("plant, serial", format!("{}, {}", vin.plant, vin.serial)),
    ];
    if !vin.models.is_empty() {
        facts.insert(2, ("model", vin.models.join(" or ")));
    }
    facts.extend(details(&vin.details));
    facts.extend(vin.warnings.iter().map(|warning| ("note", warning.to_string())));
    let mut lines = vec![vin.vin.clone()];
    lines.extend(facts.into_iter().map(|(name, value)| format!("  {name:<14}{value}")));
    lines
}

/// One line for each detail that the manufacturer reported.
fn details(details: &VinDetails) -> Vec<(&'static str, String)> {
    let size = details.displacement_tenths().map(|tenths| format!("{}.{} L", tenths / 10, tenths % 10));
    let cylinders = details.cylinders.map(|cylinders| format!("{cylinders} cylinders"));
    let power = details.power_hp.map(|power| format!("{power} hp"));
    let engine = [details.engine_code.clone(), size, cylinders, details.fuel.clone(), power];
    let engine: Vec<String> = engine.into_iter().flatten().collect();
    let gears = details.transmission_speeds.map(|speeds| format!("{speeds}-speed"));
    let transmission: Vec<String> = gears.into_iter().chain(details.transmission.clone()).collect();
    let facts = [
        ("series", details.series.clone()),
        ("trim", details.trim.clone()),
        ("body", details.body.clone()),
        ("doors", details.doors.map(|doors| doors.to_string())),
        ("engine", (!engine.is_empty()).then(|| engine.join(", "))),
        ("drive", details.drive.clone()),
        ("transmission", (!transmission.is_empty()).then(|| transmission.join(" "))),
        ("built in", details.plant()),
        ("restraint", details.restraint.clone()),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}
