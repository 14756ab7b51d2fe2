//! Checks of the model, its runtime and its device.

use partsight_inference::{FileFormat, ONNX_RUNTIME_VERSION, OnnxRuntime, size_and_sha256, start_engines};

use super::Finding;
use crate::Settings;
use crate::operations::models::{ModelSource, verify_model};
use crate::recognition::reading::open_reader;
use crate::with_causes;

pub(super) fn model(settings: &Settings) -> Vec<Finding> {
    let source = ModelSource::in_use(settings);
    let name = source.describe();
    let verify = "`partsight models verify` names every problem; import the model again, or restore a backup";
    let found = match source.load(settings) {
        Ok(model) => model,
        Err(error) => {
            let advice = match settings.model.dir {
                Some(_) => {
                    "let `model_dir` name the folder of a model, in which `model.toml` lies, or leave it out"
                }
                None => verify,
            };
            return vec![Finding::problem("model", with_causes(&error), advice)];
        }
    };
    let mut findings = Vec::new();
    if found.manifest().file.format == FileFormat::Onnx {
        let runtime = onnxruntime(settings);
        // An untested version is only a warning: it can still be loaded.
        let is_there = runtime.advice.is_none() || runtime.health == super::Health::Warning;
        findings.push(runtime);
        if !is_there {
            return findings;
        }
    }
    findings.push(
        // One engine is enough to test the device.
        match start_engines(&found, settings.model.device, settings.model.onnxruntime.as_deref(), |_, _| 1) {
            Ok(started) => Finding::ok(
                "device",
                format!("{} with {}: {}", started.device, started.runtime, started.reason),
            ),
            Err(error) => Finding::problem(
                "device",
                with_causes(&error),
                "correct what is named, or set `device` to `auto` or `cpu`",
            ),
        },
    );
    findings.push(match verify_model(&source, settings) {
        Ok(verified) if verified.is_sound() => {
            let manifest = found.manifest();
            Finding::ok(
                "model",
                format!("{name}: {} checks passed, {} types", verified.passed.len(), manifest.classes.count),
            )
        }
        Ok(verified) => {
            Finding::problem("model", format!("{name}: {}", verified.problems.join("; ")), verify)
        }
        Err(error) => Finding::problem("model", with_causes(&error), verify),
    });
    findings.push(reading(settings));
    findings
}

/// Checks the OCR networks. A failure is only a warning, because scans work without them.
fn reading(settings: &Settings) -> Finding {
    if !settings.model.read_text {
        return Finding::ok("reading", "off, by `read_text`");
    }
    match open_reader(settings) {
        Ok(reader) => Finding::ok("reading", reader.describe()),
        Err(error) => Finding::warning(
            "reading",
            format!("off: {}", with_causes(&error)),
            "correct the folder of `reading_dir`, or leave it out for the embedded networks",
        ),
    }
}

fn onnxruntime(settings: &Settings) -> Finding {
    let started = OnnxRuntime::load(settings.model.onnxruntime.as_deref())
        .and_then(|runtime| runtime.start().map(|()| runtime));
    let runtime = match started {
        Ok(runtime) => runtime,
        Err(error) => {
            let advice = "put the library beside the program, or name it in `onnxruntime`";
            return Finding::problem("onnxruntime", with_causes(&error), advice);
        }
    };
    let hash = size_and_sha256(runtime.path()).map_or_else(|error| error.to_string(), |(_, sha256)| sha256);
    let found = format!("{} at `{}`, SHA-256 {hash}", runtime.version(), runtime.path().display());
    if runtime.version() == ONNX_RUNTIME_VERSION {
        Finding::ok("onnxruntime", found)
    } else {
        let advice = format!("the version that is tested is {ONNX_RUNTIME_VERSION}");
        Finding::warning("onnxruntime", found, advice)
    }
}
