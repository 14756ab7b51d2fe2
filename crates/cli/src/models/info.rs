//! `partsight models info`.

use std::fmt::Write as _;
use std::process::ExitCode;

use partsight_app::models::{Device, ModelInfo, ModelManifest, ModelSource, UnknownKind, model_info};
use partsight_app::{Settings, with_causes};
use partsight_eval::bound_percent;
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::arguments::ModelsFormat;
use super::{print, size, teaching, wanted_percent};

/// Everything about a model, as JSON.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Output {
    location: String,
    #[serde(serialize_with = "with_day_as_text")]
    manifest: ModelManifest,
    labels: Vec<String>,
    device: Device,
    provider: Option<String>,
    provider_reason: Option<String>,
    runtime: Option<String>,
    error: Option<String>,
}

/// Writes dates as strings: a TOML date would become an object in JSON.
fn with_day_as_text<S: Serializer>(manifest: &ModelManifest, serializer: S) -> Result<S::Ok, S::Error> {
    // Via JSON text, which keeps f32 numbers short: 0.485 converted to f64 has more digits.
    let text = serde_json::to_string(manifest).map_err(S::Error::custom)?;
    let mut json: Value = serde_json::from_str(&text).map_err(S::Error::custom)?;
    json["created_on"] = Value::from(manifest.created_on.as_str());
    json.serialize(serializer)
}

impl Output {
    fn new(info: ModelInfo, device: Device) -> Self {
        let (facts, error) = match info.engine {
            Ok(facts) => (Some(facts), None),
            // The facts of a model are shown even if it cannot run here.
            Err(error) => (None, Some(with_causes(&error))),
        };
        Self {
            location: info.source.describe(),
            manifest: info.manifest,
            labels: info.labels,
            device,
            provider: facts.as_ref().map(|facts| facts.provider.clone()),
            provider_reason: facts.as_ref().map(|facts| facts.reason.clone()),
            runtime: facts.map(|facts| facts.runtime),
            error,
        }
    }
}

pub(super) fn run(
    source: ModelSource,
    format: ModelsFormat,
    settings: &Settings,
) -> anyhow::Result<ExitCode> {
    let output = Output::new(model_info(source, settings)?, settings.model.device);
    print(format, &output, || text(&output))?;
    Ok(if output.error.is_none() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn text(output: &Output) -> String {
    let manifest = &output.manifest;
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        // Writing into a `String` cannot fail.
        let _ = writeln!(text, "{name:<16} {value}");
    };
    line("name", format!("{} {}", manifest.name, manifest.version));
    line("what it does", manifest.description.clone());
    line("where", output.location.clone());
    line("licence", manifest.licence.clone());
    line("source", manifest.source.clone());
    line("made on", manifest.created_on.clone());
    let file = &manifest.file;
    line("file", format!("{} ({}, {})", file.path, file.format.as_str(), size(file.size_bytes)));
    line("sha256", file.sha256.clone());
    let input = &manifest.input;
    line("input", format!("{} x {}, {}", input.width, input.height, manifest.resize));
    line("embedding", format!("{} values", manifest.embedding.dimension));
    line("classes", manifest.classes.count.to_string());
    let scores = if manifest.prototypes.is_some() { "prototypes" } else { "the network's own head" };
    line("scores from", scores.to_owned());
    let calibration = &manifest.calibration;
    line(
        "calibration",
        format!(
            "temperature {:.4}, known score {:.4} * known {:+.4}",
            calibration.temperature, calibration.known_scale, calibration.known_bias
        ),
    );
    line("", calibration.fitted_on.clone());
    line("second look", second_look(manifest));
    let thresholds = &manifest.thresholds;
    line(
        "thresholds",
        format!(
            "not a part below {:.4}; identified from known score {:.4} and confidence {:.4}; category from {:.4}",
            thresholds.not_a_part_below,
            thresholds.identified_known_score,
            thresholds.identified_confidence,
            thresholds.category_confidence()
        ),
    );
    line("", thresholds.derived_by.clone());
    for mark in &thresholds.risk {
        let bound = bound_percent(mark.error_upper_bound);
        let promise = if mark.is_met() {
            format!("bound {bound}")
        } else {
            format!("not reached with {} photographs: bound {bound}", mark.n)
        };
        line(
            &format!("at most {} wrong", wanted_percent(mark.wanted_error)),
            format!(
                "confidence {:.4}, {:.1}% answered, {promise}",
                mark.identified_confidence,
                mark.answered * 100.0
            ),
        );
    }
    for (index, bound) in thresholds.rejection.iter().enumerate() {
        let of = match bound.of {
            UnknownKind::NotAPart => "photographs of no part",
            UnknownKind::OtherParts => "photographs of other types of part",
        };
        line(
            if index == 0 { "rejection" } else { "" },
            format!(
                "at most {} of {of} are identified: {} of {}. {}",
                bound_percent(bound.identified_upper_bound),
                bound.identified,
                bound.n,
                bound.measured_on
            ),
        );
    }
    for (index, sentence) in teaching::sentences(manifest).into_iter().enumerate() {
        line(if index == 0 { "teaching" } else { "" }, sentence);
    }
    for (name, value) in &manifest.measured {
        line("measured", format!("{name} = {value}"));
    }
    line("device", output.device.to_string());
    match (&output.error, &output.provider) {
        (Some(error), _) => line("runs on", format!("nothing: {error}")),
        (None, provider) => {
            let reason = output.provider_reason.as_deref().unwrap_or_default();
            line("runs on", format!("{} ({reason})", provider.as_deref().unwrap_or_default()));
            line("runtime", output.runtime.clone().unwrap_or_default());
        }
    }
    text
}

/// When a second look (test-time augmentation) is taken, and how.
fn second_look(manifest: &ModelManifest) -> String {
    let Some(second_look) = &manifest.second_look else { return "none".to_owned() };
    let views: Vec<String> = second_look
        .views
        .iter()
        .map(|view| {
            let part = format!("the centre {:.0}%", view.centre * 100.0);
            let part = if view.centre < 1.0 { part } else { "the whole".to_owned() };
            if view.mirrored { format!("{part} mirrored") } else { part }
        })
        .collect();
    format!(
        "below confidence {:.4} or known score {:.4}: also {}",
        second_look.confidence_below,
        second_look.known_score_below,
        views.join(", ")
    )
}
