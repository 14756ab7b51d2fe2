//! `partsight eval`.

mod cascade;
mod drift;
mod table;
mod verify;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use partsight_app::models::ModelSource;
use partsight_app::{
    Catalog, EMBEDDED_MODEL, Fingerprint, Identifier, Settings, path_text, system_clock,
    training_fingerprints,
};
use partsight_eval::metrics::Prices;
use partsight_eval::{
    Baseline, Comparison, Dataset, Duplicates, Embeddings, Error, Evaluation, Failure, Gate, LabelMap,
    MAX_MODELS, Measurement, Options, References, ReportFolder, Resume, Run, comparison_json, counted,
    summary_json, write_comparison, write_embeddings, write_report, wrong_labels_csv,
};
use serde_json::Value;

use crate::arguments::{EvalArguments, EvalFormat};
use crate::decoding;
use crate::logging;
use crate::progress::Progress;
use crate::{say, tell};

/// Maximum of unreadable files that are listed.
const NAMED_FAILURES: usize = 20;
/// The embedded model as an argument of `--compare`.
const EMBEDDED: &str = "embedded";

/// Exit code of a failed check: accuracy dropped, a promise was refuted, or a report was not reproduced.
const CHECK_FAILED: u8 = 3;

pub(crate) fn run(arguments: &EvalArguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    logging::start_quietly(settings)?;
    match (&arguments.verify, &arguments.drift_from) {
        (Some(report), _) => verify::run(arguments, settings, report),
        (_, Some(report)) => drift::run(arguments, settings, report),
        _ => evaluate(arguments, settings, None),
    }
}

/// The folder for the report, or for those of a comparison.
fn report_folder(arguments: &EvalArguments) -> anyhow::Result<Option<ReportFolder>> {
    let Some(folder) = arguments.report.as_deref() else { return Ok(None) };
    Ok(Some(match arguments.photographs_and_models().1.len() {
        0 => ReportFolder::prepare(folder)?,
        n_models => ReportFolder::prepare_comparison(folder, n_models)?,
    }))
}

/// Evaluates, and compares with `expected` (a report and the tolerance) if given.
fn evaluate(
    arguments: &EvalArguments,
    settings: &Settings,
    expected: Option<(&Baseline, f64)>,
) -> anyhow::Result<ExitCode> {
    // Checks that read no photographs come first, so that they fail early.
    let path = arguments.photographs_and_models().0.context("no photographs were named")?;
    let mut dataset = Dataset::open(path)?;
    let baseline = arguments.baseline.as_deref().map(Baseline::read).transpose()?;
    let map = arguments.label_map.as_deref().map(LabelMap::read).transpose()?;
    check_folders(arguments)?;
    let report = report_folder(arguments)?;
    check_baseline(arguments, report.as_ref())?;
    let models = models(arguments, settings)?;
    if let Some(map) = &map {
        let names: Vec<_> = models.iter().map(|model| model.identifier.model_name()).collect();
        let labels: Vec<_> = models.iter().flat_map(|model| model.identifier.labels()).cloned().collect();
        map.check(&labels, &names.join("` and `"))?;
        dataset.rename(map)?;
    }
    if let Some(corrections) = &arguments.labels {
        dataset.relabel(corrections)?;
    }
    if expected.is_some_and(|(report, _)| verify::is_of_app(report)) {
        dataset.adopt_labels(models[0].identifier.labels())?;
    }

    let progress = Progress::start(dataset.samples().len(), true);
    // The decoder of any model, because all have the same settings.
    let n_jobs = jobs(arguments, &models[0].identifier);
    dataset.examine(models[0].identifier.decoder(), n_jobs, || progress.advance(|| {}))?;
    progress.finish();

    let mut measured = Vec::new();
    let mut keeps_answers = true;
    for (index, model) in models.iter().enumerate() {
        measured.push(measure(model, &dataset, arguments, index, &mut keeps_answers)?);
    }
    let mut evaluations: Vec<Evaluation<'_>> =
        measured.iter_mut().map(|measured| measured.evaluate(&dataset, arguments)).collect();
    if arguments.report.is_some() && !arguments.no_maps {
        for (evaluation, model) in evaluations.iter_mut().zip(&models) {
            explain_mistakes(evaluation, &model.identifier, n_jobs)?;
        }
    }
    if arguments.cascade
        && let (Some(evaluation), Some(model)) = (evaluations.first_mut(), models.first())
    {
        evaluation.cascade = Some(cascade::run(arguments, settings, &model.identifier, &dataset)?);
    }
    if let (Some(baseline), [only]) = (&baseline, evaluations.as_mut_slice()) {
        only.gate = Some(Gate::new(only, baseline, arguments.max_drop / 100.0));
    }
    let decoder = models[0].identifier.decoder();
    let now = system_clock().now().to_string();
    // RFC 3339 to the minute.
    let written_at =
        now.get(..16).map_or(now.clone(), |minutes| format!("{} UTC", minutes.replace('T', " ")));
    let mut is_refuted = false;
    let any_failed = match evaluations.as_slice() {
        [_, _, ..] => {
            let comparison = Comparison::new(&evaluations);
            if let Some(folder) = &report {
                write_comparison(folder, &comparison, decoder, &written_at)?;
            }
            print(arguments.format, || table::comparison(&comparison), || comparison_json(&comparison))?;
            let mut any_failed = false;
            for evaluation in &evaluations {
                any_failed |= tell_failures(evaluation)?;
            }
            any_failed
        }
        [only] => {
            if let Some(folder) = &report {
                write_report(folder, only, decoder, &written_at)?;
                keep_embeddings(arguments, folder, &models[0].identifier, &dataset)?;
            }
            if let Some(path) = &arguments.wrong_labels {
                write_wrong_labels(path, only)?;
            }
            if let Some((report, tolerance)) = expected {
                let checks = partsight_eval::verify(only, report, tolerance);
                is_refuted = checks.iter().any(|check| !check.agrees);
                print(arguments.format, || verify::text(&checks), || verify::json(&checks))?;
            } else {
                print(arguments.format, || table::summary(only), || summary_json(only))?;
            }
            is_refuted |= only.gate.as_ref().is_some_and(Gate::has_failed);
            is_refuted |= arguments.check_promises && refutes_a_promise(only)?;
            compares_nothing(only)? | tell_failures(only)?
        }
        [] => false,
    };
    // The evaluations borrow the measurements, which are completed below.
    drop(evaluations);
    if let Some(folder) = &report {
        tell(&format!("the report is `{}`", folder.page().display()))?;
    }
    for measured in &mut measured {
        // Only now, so that a run that fails while writing its report can continue without measuring again.
        measured.measurement.complete()?;
    }
    Ok(match (is_refuted, any_failed) {
        (true, _) => ExitCode::from(CHECK_FAILED),
        (false, true) => ExitCode::FAILURE,
        (false, false) => ExitCode::SUCCESS,
    })
}

/// Adds maps and the nearest photographs to the errors that the report shows.
fn explain_mistakes(
    evaluation: &mut Evaluation<'_>,
    identifier: &Identifier,
    n_jobs: usize,
) -> anyhow::Result<()> {
    let progress = Progress::start(evaluation.mistakes_to_explain().len(), true);
    evaluation.map_mistakes(identifier, n_jobs, || progress.advance(|| {}))?;
    progress.finish();
    let progress = Progress::start(evaluation.n_compared(), true);
    evaluation.find_nearest(identifier, n_jobs, || progress.advance(|| {}))?;
    progress.finish();
    Ok(())
}

fn write_wrong_labels(path: &Path, evaluation: &Evaluation<'_>) -> anyhow::Result<()> {
    fs::write(path, wrong_labels_csv(evaluation))
        .with_context(|| format!("cannot write `{}`", path.display()))?;
    let listed = counted(evaluation.wrong_labels.len(), "label");
    let wrong = match evaluation.n_confidently_wrong_labels() {
        0 => "none".to_owned(),
        1 => "the first".to_owned(),
        n => format!("the first {n}"),
    };
    tell(&format!("`{}` lists {listed} to check; probably wrong: {wrong}", path.display()))
}

/// Whether a promise is refuted; prints a message if there is none to check.
fn refutes_a_promise(evaluation: &Evaluation<'_>) -> anyhow::Result<bool> {
    if evaluation.promises.is_empty() {
        tell("the model's manifest promises nothing about these photographs")?;
    }
    Ok(evaluation.refutes_a_promise())
}

/// Whether the named baseline is of other photographs; prints a message if it is.
fn compares_nothing(evaluation: &Evaluation<'_>) -> anyhow::Result<bool> {
    let is_of_others = evaluation.gate.as_ref().is_some_and(Gate::compares_nothing);
    if is_of_others {
        tell("the report of --baseline has none of these photographs; name that of an earlier run on them")?;
    }
    Ok(is_of_others)
}

/// A loaded model.
struct Model {
    identifier: Identifier,
    /// Fingerprints of its training photographs, if the model has them.
    training: Vec<Fingerprint>,
}

/// Result of one model.
struct Measured {
    measurement: Measurement,
    duplicates: Duplicates,
    notices: Vec<String>,
}

impl Measured {
    fn evaluate<'a>(&'a mut self, dataset: &'a Dataset, arguments: &EvalArguments) -> Evaluation<'a> {
        let prices = Prices { llm_price: arguments.llm_price, llm_accuracy: arguments.llm_accuracy };
        let (duplicates, notices) = (std::mem::take(&mut self.duplicates), std::mem::take(&mut self.notices));
        let options = Options {
            prices,
            program: concat!("partsight ", env!("CARGO_PKG_VERSION")).to_owned(),
            // As typed, so that relative paths stay relative.
            arguments: env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect(),
        };
        Evaluation::new(dataset, &self.measurement, duplicates, notices, options)
    }
}

fn models(arguments: &EvalArguments, settings: &Settings) -> anyhow::Result<Vec<Model>> {
    let catalog = Catalog::embedded().context("cannot read the catalogue")?;
    let (_, compared) = arguments.photographs_and_models();
    if compared.len() > MAX_MODELS {
        bail!("--compare takes at most {MAX_MODELS} models, and here are {}", compared.len());
    }
    let sources = if compared.is_empty() {
        vec![ModelSource::in_use(settings)]
    } else {
        compared.iter().map(|name| source(settings, name)).collect()
    };
    let start = |source: ModelSource| {
        let folder = match &source {
            ModelSource::Embedded => None,
            ModelSource::Folder(folder) => Some(folder.clone()),
        };
        let mut settings = settings.clone();
        // Both are set, or the model of the settings would override the one to compare.
        (settings.model.name, settings.model.dir) = (EMBEDDED_MODEL.to_owned(), folder.clone());
        let context = || format!("the model `{}`", source.describe());
        let identifier = Identifier::start(&settings, &catalog).with_context(context)?;
        let identifier = identifier.with_decoder(decoding::decoder(&settings));
        let training = training_fingerprints(folder.as_deref()).with_context(context)?;
        Ok(Model { identifier, training })
    };
    sources.into_iter().map(start).collect()
}

/// Parses a model of `--compare`: `embedded`, a folder, or a name that `partsight models list` shows.
fn source(settings: &Settings, name: &str) -> ModelSource {
    if name == EMBEDDED {
        ModelSource::Embedded
    } else if Path::new(name).is_dir() {
        ModelSource::Folder(PathBuf::from(name))
    } else {
        ModelSource::named(settings, name)
    }
}

/// Writes embeddings beside a report, if requested.
fn keep_embeddings(
    arguments: &EvalArguments,
    folder: &ReportFolder,
    identifier: &Identifier,
    dataset: &Dataset,
) -> anyhow::Result<()> {
    if arguments.embeddings {
        // Unreadable files were reported by the measurement already.
        write_embeddings(folder, &embeddings(arguments, identifier, dataset)?)?;
    }
    Ok(())
}

/// The embeddings of a sample of the photographs.
fn embeddings(
    arguments: &EvalArguments,
    identifier: &Identifier,
    dataset: &Dataset,
) -> anyhow::Result<Embeddings> {
    let progress = Progress::start(Embeddings::count_of(dataset.samples().len()), true);
    let embeddings =
        Embeddings::of(identifier, dataset, jobs(arguments, identifier), || progress.advance(|| {}))?;
    progress.finish();
    Ok(embeddings)
}

fn check_folders(arguments: &EvalArguments) -> anyhow::Result<()> {
    if let Some(folder) = arguments.references.as_deref().filter(|folder| !folder.is_dir()) {
        bail!("there is no folder `{}` of reference photographs", folder.display());
    }
    arguments.wrong_labels.as_deref().map_or(Ok(()), |path| check_wrong_labels(arguments, path))
}

/// Refuses a baseline that the report would replace: after a failed gate the next run would be compared with the failed
/// one, and pass.
fn check_baseline(arguments: &EvalArguments, report: Option<&ReportFolder>) -> anyhow::Result<()> {
    match (&arguments.baseline, report) {
        (Some(baseline), Some(report)) if report.replaces(baseline) => bail!(
            "--report would replace `{}`, the report of --baseline: name another folder",
            baseline.display()
        ),
        _ => Ok(()),
    }
}

/// Refuses a path for the wrong labels that cannot be written or that exists: an existing file may hold labels that
/// were corrected by hand.
fn check_wrong_labels(arguments: &EvalArguments, path: &Path) -> anyhow::Result<()> {
    if let Some(folder) = path.parent()
        && !folder.as_os_str().is_empty()
        && !folder.is_dir()
    {
        bail!("there is no folder `{}` for the wrong labels", folder.display());
    }
    if path.is_dir() {
        bail!("--wrong-labels writes a file, and `{}` is a folder", path.display());
    }
    // A path that does not exist replaces nothing.
    let Ok(place) = path.canonicalize() else { return Ok(()) };
    let read = [
        ("the list of photographs", arguments.photographs_and_models().0),
        ("the file of --labels", arguments.labels.as_deref()),
        ("the file of --label-map", arguments.label_map.as_deref()),
        ("the report of --baseline", arguments.baseline.as_deref()),
    ];
    for (name, file) in read {
        if file.and_then(|file| file.canonicalize().ok()).is_some_and(|file| file == place) {
            bail!("--wrong-labels would replace `{}`, {name}: name another file", path.display());
        }
    }
    if place.is_file() {
        bail!(
            "`{}` exists already, perhaps with corrections: name another file for --wrong-labels",
            path.display()
        );
    }
    Ok(())
}

/// Number of photographs to read concurrently.
fn jobs(arguments: &EvalArguments, identifier: &Identifier) -> usize {
    arguments.jobs.map_or(identifier.n_at_a_time(), usize::from)
}

/// Measures the model at `index`. Sets `keeps_answers` to false if its answers cannot be kept on disk.
fn measure(
    model: &Model,
    dataset: &Dataset,
    arguments: &EvalArguments,
    index: usize,
    keeps_answers: &mut bool,
) -> anyhow::Result<Measured> {
    let jobs = jobs(arguments, &model.identifier);
    let resume = match (arguments.resume, arguments.fresh) {
        (true, _) => Resume::Always,
        (_, true) => Resume::Never,
        _ => Resume::Interrupted,
    };
    let identifier = &model.identifier;
    let folder = journals(index).filter(|_| *keeps_answers);
    let run = match Run::prepare(identifier, dataset, folder.as_deref(), resume) {
        // Without a journal an interruption costs time, and without the evaluation there would be nothing.
        Err(error @ Error::Journal { .. }) if !arguments.resume => {
            *keeps_answers = false;
            let error = anyhow::Error::new(error);
            tell(&format!("{error:#}; going on, but an interrupted run will have to begin again"))?;
            Run::prepare(identifier, dataset, None, resume)?
        }
        run => run?,
    };
    let notices = run.notices();
    for notice in dataset.notices().iter().chain(&notices) {
        tell(notice)?;
    }
    if run.taken_over() > 0 {
        tell(&format!(
            "{} of {} photographs were measured before and are taken over; --fresh measures all of them again",
            run.taken_over(),
            dataset.samples().len()
        ))?;
    }
    let progress = Progress::start(run.remaining(), true);
    let mut measurement = run.measure(jobs, || progress.advance(|| {}))?;
    progress.finish();

    let references = arguments
        .references
        .as_deref()
        .map(|folder| References::read(folder, identifier, jobs))
        .transpose()?;
    if let Some(references) = &references {
        measurement.failures.extend(references.failures.iter().cloned());
    }
    let duplicates = Duplicates::find(&measurement.photos, dataset, &model.training, references.as_ref());
    Ok(Measured { measurement, duplicates, notices })
}

/// Folder for the answers of a model: `$XDG_CACHE_HOME/partsight/eval` or `~/.cache/partsight/eval`, with a subfolder
/// for each further model of `--compare`, so that a model can be compared with itself. `None` without a home folder.
fn journals(index: usize) -> Option<PathBuf> {
    // By the XDG specification, relative paths are ignored.
    let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))?;
    let first = cache.join("partsight").join("eval");
    Some(match index {
        0 => first,
        1 => first.join("compared"),
        _ => first.join(format!("compared-{index}")),
    })
}

fn print(
    format: EvalFormat,
    text: impl FnOnce() -> String,
    json: impl FnOnce() -> Value,
) -> anyhow::Result<()> {
    say(&match format {
        EvalFormat::Table => text(),
        EvalFormat::Json => format!("{:#}", json()),
    })
}

/// Prints the files that could not be read; returns whether there are any.
fn tell_failures(evaluation: &Evaluation<'_>) -> anyhow::Result<bool> {
    tell_unreadable(&evaluation.failures)
}

fn tell_unreadable(failures: &[Failure]) -> anyhow::Result<bool> {
    for Failure { path, reason } in failures.iter().take(NAMED_FAILURES) {
        tell(&format!("`{}`: {reason}", shown(path)))?;
    }
    let n_more = failures.len().saturating_sub(NAMED_FAILURES);
    if n_more > 0 {
        tell(&format!("{n_more} more files could not be read"))?;
    }
    Ok(!failures.is_empty())
}

fn shown(path: &Path) -> String {
    shown_text(&path_text(path))
}

/// A text of [`path_text`] for the terminal.
fn shown_text(text: &str) -> String {
    // Control characters in a name must not reach the terminal.
    text.replace(char::is_control, "\u{fffd}")
}
