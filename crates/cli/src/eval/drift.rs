//! `partsight eval --drift-from`.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, bail};
use partsight_app::Settings;
use partsight_eval::{Baseline, Dataset, Drift, EmbeddingShift, Embeddings, Resume, Run, stated_p};
use serde_json::json;

use super::{embeddings, jobs, models, print, shown_text, tell_unreadable};
use crate::arguments::EvalArguments;
use crate::progress::Progress;
use crate::tell;

/// Measures photographs, ignoring labels, and compares the answers with those of a report.
pub(super) fn run(arguments: &EvalArguments, settings: &Settings, report: &Path) -> anyhow::Result<ExitCode> {
    let baseline = Baseline::read(report)?;
    let before = Embeddings::beside(report)?;
    let path = arguments.path.as_deref().context("no photographs were named")?;
    // Current photographs have no labels, so the names of folders are ignored.
    let dataset = if path.is_dir() { Dataset::unlabelled(path)? } else { Dataset::open(path)? };
    let models = models(arguments, settings)?;
    let identifier = &models[0].identifier;
    if identifier.model_sha256() != baseline.model.sha256 {
        bail!(
            "`{}` is of another model, {} {}: distributions of two models do not compare",
            report.display(),
            baseline.model.name,
            baseline.model.version
        );
    }
    let run = Run::prepare(identifier, &dataset, None, Resume::Never)?;
    let progress = Progress::start(run.remaining(), true);
    let measurement = run.measure(jobs(arguments, identifier), || progress.advance(|| {}))?;
    progress.finish();
    // Unreadable files were reported by the measurement already.
    let embedding = match before {
        Some(before) => EmbeddingShift::new(&before, &embeddings(arguments, identifier, &dataset)?, &dataset),
        None => None,
    };
    let drift = Drift::new(&baseline, &measurement.photos, embedding);
    print(arguments.format, || text(&drift), || json!(drift))?;
    if drift.shifts.is_empty() {
        tell("nothing can be compared: the report or the folder has no photographs")?;
    }
    let any_failed = tell_unreadable(&measurement.failures)?;
    Ok(if any_failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn text(drift: &Drift) -> String {
    let mut lines = vec![format!(
        "{} photographs compared with {} of the report; {} are identified.",
        drift.n_now, drift.n_before, drift.n_identified
    )];
    lines.extend(drift.shifts.iter().map(|shift| {
        format!(
            "{} {}: mean {:.3} in the report and {:.3} now, Kolmogorov-Smirnov distance {:.3} ({}).",
            state(shift.is_shifted()),
            shift.name,
            shift.mean_before,
            shift.mean_now,
            shift.test.distance,
            stated_p(shift.test.p_value)
        )
    }));
    if let Some(embedding) = &drift.embedding {
        lines.push(format!(
            "{} embedding: squared maximum mean discrepancy {:.4} over {} and {} photographs ({}).",
            state(embedding.is_shifted()),
            embedding.mmd_squared,
            embedding.n_before,
            embedding.n_now,
            stated_p(embedding.p_value)
        ));
        if embedding.is_shifted() {
            lines.push("Least similar to the photographs of the report:".to_owned());
            lines.extend(
                embedding
                    .farthest
                    .iter()
                    .map(|one| format!("  {:.3}  {}", one.likeness, shown_text(&one.path))),
            );
        }
    }
    lines.join("\n")
}

fn state(is_shifted: bool) -> &'static str {
    if is_shifted { "SHIFTED  " } else { "unchanged" }
}

#[cfg(test)]
mod tests {
    use partsight_app::path_text;
    use partsight_eval::Farthest;

    use super::*;

    #[test]
    fn a_path_is_shown_as_everywhere_else() {
        let path = path_text(Path::new("shelf/a\\xff\tb.jpg")).into_owned();
        let embedding = EmbeddingShift {
            n_before: 2,
            n_now: 2,
            mmd_squared: 0.5,
            p_value: 0.001,
            false_discovery_rate: 0.001,
            farthest: vec![Farthest { path: path.clone(), likeness: 0.25 }],
        };
        let drift =
            Drift { n_before: 2, n_now: 2, n_identified: 0, shifts: Vec::new(), embedding: Some(embedding) };
        let expected = format!("  0.250  {}", path.replace('\t', "\u{fffd}"));
        assert_eq!(text(&drift).lines().last(), Some(expected.as_str()));
    }
}
