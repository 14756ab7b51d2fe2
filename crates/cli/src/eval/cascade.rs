//! `partsight eval --cascade`.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use anyhow::{Context, bail};
use partsight_app::{CascadeTrial, Catalog, Identifier, Settings};
use partsight_domain::PartLabel;
use partsight_eval::{Cascade, CascadeJudge, CascadeKnowledge, Dataset, NOT_A_PART, Trial, counted};

use super::shown;
use crate::arguments::EvalArguments;
use crate::progress::Progress;
use crate::tell;
use crate::vehicle_option;

/// Runs the cascade over the photographs. Unreadable files are reported by the evaluation itself.
pub(super) fn run(
    arguments: &EvalArguments,
    settings: &Settings,
    identifier: &Identifier,
    dataset: &Dataset,
) -> anyhow::Result<Cascade> {
    let catalog = Arc::new(Catalog::embedded().context("cannot read the catalogue")?);
    let mut trial = CascadeTrial::new(identifier, &catalog, settings)?;
    if let Some(accuracy) = arguments.simulate_judge {
        trial.simulate_judge(accuracy);
    }
    let judge = match (arguments.simulate_judge, trial.judge()) {
        (Some(accuracy), _) => CascadeJudge::Simulated { accuracy, price: arguments.llm_price },
        (None, Some((host, model))) => CascadeJudge::Asked { host, model },
        (None, None) => CascadeJudge::None,
    };
    match &judge {
        CascadeJudge::None => tell(
            "no judge is set, so the cascade is measured without one; the settings `judge_...` name one, and \
             --simulate-judge simulates one",
        )?,
        CascadeJudge::Asked { host, model } => tell(&format!(
            "up to {} photographs are sent to the judge {model} at {host}, at its price",
            arguments.judge_calls
        ))?,
        CascadeJudge::Simulated { .. } => {
            tell("the judge is simulated: nobody is asked, and its accuracy and price are assumptions")?;
        }
    }
    let runtime = crate::runtime()?;
    let vehicle = vehicle_option::vehicle(arguments.vehicle.as_ref(), settings, &catalog)?;
    let vehicle_name = vehicle.as_ref().map(|vehicle| vehicle.name().to_string());
    if let Some(vehicle) = vehicle {
        trial.set_vehicle(vehicle);
    }
    let mut taught = BTreeSet::new();
    let mut taught_files = HashSet::new();
    let mut n_references = 0;
    if let Some(folder) = &arguments.teach {
        let mut references = Dataset::open(folder)?;
        references.examine(identifier.decoder(), super::jobs(arguments, identifier), || {})?;
        let hashes = (0..references.samples().len()).filter_map(|sample| references.facts(sample));
        taught_files.extend(hashes.map(|facts| facts.sha256.clone()));
        let progress = Progress::start(references.samples().len(), true);
        for sample in references.samples() {
            let name = &references.labels()[sample.label];
            let Ok(label) = PartLabel::new(name) else {
                bail!(
                    "`{name}` in `{}` is not a part label; labels look like `brake-caliper`",
                    folder.display()
                )
            };
            match runtime.block_on(trial.teach_file(&sample.path, &label)) {
                Ok(()) => n_references += 1,
                Err(error) => tell(&format!("`{}`: {}", shown(&sample.path), error.reason()))?,
            }
            // Even if the photograph was refused, the label counts as known.
            taught.insert(label);
            progress.advance(|| {});
        }
        progress.finish();
    }
    let progress = Progress::start(dataset.samples().len(), true);
    let mut trials = Vec::new();
    let (mut n_asked, mut n_taught) = (0, 0);
    for (index, sample) in dataset.samples().iter().enumerate() {
        // Skipped, because a photograph that was taught is trivially recognised.
        if dataset.facts(index).is_some_and(|facts| taught_files.contains(&facts.sha256)) {
            n_taught += 1;
            progress.advance(|| {});
            continue;
        }
        let truth = truth(&dataset.labels()[sample.label], identifier, &taught);
        // Only real questions are limited, because a simulated judge costs nothing.
        let may_ask = arguments.simulate_judge.is_some() || n_asked < arguments.judge_calls;
        // Unreadable files were reported by the evaluation already.
        if let Ok(answer) = runtime.block_on(trial.try_file(&sample.path, truth.as_ref(), may_ask)) {
            n_asked += u32::from(answer.judged.is_some());
            trials.push(Trial { truth, answer });
        }
        progress.advance(|| {});
    }
    progress.finish();
    if n_taught > 0 {
        tell(&format!(
            "{} of --teach {} among those to measure and left out of the cascade's figures",
            counted(n_taught, "photograph"),
            if n_taught == 1 { "is" } else { "are" }
        ))?;
    }
    Ok(Cascade::new(&trials, judge, CascadeKnowledge { n_references, vehicle: vehicle_name }))
}

/// The part that a label names, if the model or a reference has it.
fn truth(label: &str, identifier: &Identifier, taught: &BTreeSet<PartLabel>) -> Option<PartLabel> {
    let label = PartLabel::new(label).ok().filter(|_| label != NOT_A_PART)?;
    (taught.contains(&label) || identifier.labels().contains(&label)).then_some(label)
}
