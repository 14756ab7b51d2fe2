//! `partsight serve`.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use partsight_api::{ApiState, ServerAddresses};
use partsight_app::models::ModelSource;
use partsight_app::{
    App, Catalog, CrossReferenceRows, Identifier, MAIL_FOLDER_ADVICE, PriceListRows, Settings,
    claim_database, mail_folder_problem, open_reader, open_server_store, system_clock, training_fingerprints,
};
use partsight_eval::EvalAssessor;

use crate::{decoding, logging, open_files};

pub(crate) fn run(settings: &Settings) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    // The export of traces needs the runtime, in which nothing else runs yet.
    let in_runtime = runtime.enter();
    let traces = logging::start_with_traces(settings)?;
    drop(in_runtime);
    let open_files = open_files::raise();
    let served = runtime.block_on(serve(settings, open_files));
    // Last, so that the spans of the shutdown are sent as well, but before an error is returned.
    if let Some(traces) = traces {
        traces.close();
    }
    served?;
    Ok(ExitCode::SUCCESS)
}

/// Opens the database and the model of the settings.
pub(crate) async fn open_app(settings: &Settings) -> anyhow::Result<App> {
    let store = open_server_store(settings).await?;
    let catalog = Catalog::embedded().context("cannot read the catalogue")?;
    let started = Identifier::start(settings, &catalog);
    let started = match settings.model.dir {
        Some(_) => started.context("cannot use the model that `model_dir` names")?,
        None => started?,
    };
    let mut identifier = started.with_decoder(decoding::decoder(settings));
    if settings.model.read_text {
        match open_reader(settings) {
            Ok(reader) => identifier = identifier.with_reader(reader),
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "the text on photographs is not read, only codes; scans go on without it"
                );
                identifier = identifier.with_codes();
            }
        }
    }
    Ok(App::new(store, Arc::new(catalog), Arc::new(identifier), system_clock(), settings)?)
}

/// Measures the model in use for the web app, as `partsight eval` does.
fn assessor(settings: &Settings) -> anyhow::Result<EvalAssessor> {
    let folder = match ModelSource::in_use(settings) {
        ModelSource::Embedded => None,
        ModelSource::Folder(folder) => Some(folder),
    };
    let training =
        training_fingerprints(folder.as_deref()).context("cannot read what the model was fitted on")?;
    Ok(EvalAssessor::new(concat!("partsight ", env!("CARGO_PKG_VERSION")), training))
}

async fn serve(settings: &Settings, open_files: u64) -> anyhow::Result<()> {
    // Before the model is loaded, which takes seconds, so that an address in use is reported at once.
    let addresses = ServerAddresses::bind(settings.server.listen, settings.monitoring.metrics_listen)?;
    let claim = claim_database(settings)?;
    if let Some(folder) = &settings.model.batch_dir
        && let Err(error) = std::fs::read_dir(folder)
    {
        tracing::warn!(
            folder = %folder.display(),
            %error,
            "the folder that `batch_dir` names cannot be read, so no batch can be made from it"
        );
    }
    check_mail_folder(settings)?;
    let app = open_app(settings).await?.with_assessor(Arc::new(assessor(settings)?));
    app.operations.compare_with_others().await?;
    if claim.is_exclusive() {
        app.operations.end_claims().await;
    }
    app.teaching.prepare_references().await?;
    app.teaching.hold_references_back().await?;
    // No error: the server starts, and `/ready` reports that it should get no requests.
    if let Err(reason) = app.operations.run_canary().await {
        tracing::error!(reason, "the model does not answer as it should; /ready says not ready");
    }
    let data_dir = settings.data.dir.display().to_string();
    let plan = settings.server.plan.map_or("each user's own", |plan| plan.as_str());
    let listening = |address: std::net::SocketAddr| {
        tracing::info!(listen = %address, data_dir, plan, "ready");
        // A closed standard output is ignored.
        let host = if address.ip().is_loopback() || address.ip().is_unspecified() {
            format!("localhost:{}", address.port())
        } else {
            // `address` includes the brackets of an IPv6 address.
            address.to_string()
        };
        let _ = writeln!(io::stdout(), "Partsight is ready on http://{host}");
    };
    let state = within_open_files(ApiState::new(app.clone(), settings), open_files);
    let serving = partsight_api::serve(state, addresses, listening, stop_signal()?);
    // Only the first future ends; the others are dropped with the server.
    tokio::select! {
        result = serving => Ok(result?),
        never = tidy_up(&app) => match never {},
        never = app.operations.run_erasure(Duration::from_mins(1)) => match never {},
        never = embed_again(&app) => match never {},
        never = run_canary(&app) => match never {},
        never = app.operations.run_comparison() => match never {},
        never = app.scanning.run_photo_storage() => match never {},
        never = app.batches.run() => match never {},
        never = app.evaluations.run() => match never {},
        never = app.accounts.run_mails() => match never {},
        never = app.events.run() => match never {},
        never = app.garage.run_reminders() => match never {},
        never = app.garage.run_digests() => match never {},
        never = app.garage.run_push() => match never {},
    }
}

/// Refuses a folder that `mail_dir` names and that takes no mails. Of the default it only warns, because a server that
/// sends no mails does without.
fn check_mail_folder(settings: &Settings) -> anyhow::Result<()> {
    match mail_folder_problem(settings) {
        Some(problem) if settings.mail.dir.is_some() => bail!("{problem}; {MAIL_FOLDER_ADVICE}"),
        Some(problem) => tracing::warn!("{problem}; {MAIL_FOLDER_ADVICE}"),
        None => {}
    }
    Ok(())
}

/// Keeps connections below the limit of open files, and logs if that lowers their maximum.
fn within_open_files(state: ApiState, open_files: u64) -> ApiState {
    let wanted = state.limits().connections;
    let limits = state.limits().clone().within_open_files(open_files);
    if limits.connections < wanted {
        tracing::warn!(
            open_files,
            connections = limits.connections,
            wanted,
            "the limit of open files is too low for as many connections as there may be; raise it, such as with \
             `LimitNOFILE=` of systemd, `--ulimit nofile=` of Docker or `ulimit -n`"
        );
    }
    state.with_limits(limits)
}

/// Embeds references of another model again, once.
async fn embed_again(app: &App) -> std::convert::Infallible {
    if let Err(error) = app.teaching.reembed_references().await {
        tracing::error!(
            error = &error as &dyn std::error::Error,
            "not all taught parts could be embedded again; the next start goes on with them"
        );
    }
    // Never completes, because that would end the server: see the `select!` above.
    std::future::pending().await
}

/// Runs the model on a photograph whose answer is known, every half minute.
async fn run_canary(app: &App) -> std::convert::Infallible {
    loop {
        tokio::time::sleep(Duration::from_secs(30)).await;
        if let Err(reason) = app.operations.run_canary().await {
            tracing::error!(reason, "the model does not answer as it should; /ready says not ready");
        }
    }
}

/// Purges expired rows, learns from new feedback and measures drift if due; now and every hour.
async fn tidy_up(app: &App) -> std::convert::Infallible {
    let mut hours = tokio::time::interval(Duration::from_hours(1));
    loop {
        hours.tick().await;
        // Pictures first: they were promised to be gone, and learning below can take minutes.
        let pictures = app.scanning.delete_old_photos().await;
        if let Some(n_deleted @ 1..) = noted(pictures, "pictures could not be deleted") {
            tracing::info!(n_deleted, "deleted pictures that are no longer kept");
        }
        noted(app.teaching.purge_references().await, "deleted references could not be purged");
        noted(app.parts.purge_shop_parts().await, "deleted parts could not be purged");
        noted(app.parts.purge_supplier_answers().await, "what suppliers answered could not be purged");
        let lists = app.parts.purge_lists::<PriceListRows>().await;
        if let Some(n_deleted @ 1..) = noted(lists, "deleted price lists could not be purged") {
            tracing::info!(n_deleted, "deleted price lists that are no longer kept");
        }
        let lists = app.parts.purge_lists::<CrossReferenceRows>().await;
        if let Some(n_deleted @ 1..) = noted(lists, "deleted cross-references could not be purged") {
            tracing::info!(n_deleted, "deleted cross-references that are no longer kept");
        }
        noted(app.judging.purge().await, "old calls and verdicts of the judge could not be deleted");
        noted(app.evaluations.look_for_drift().await, "the drift of the scans could not be measured");
        noted(app.events.purge().await, "old events could not be deleted");
        noted(app.garage.purge_reminders().await, "old reminders could not be deleted");
        noted(app.plans.purge_invitations().await, "expired invitations could not be deleted");
        let allowances = app.accounts.forget_past_allowances().await;
        noted(allowances, "the scans of deleted accounts could not be forgotten");
        noted(app.teaching.refit_calibrations().await, "calibrations could not be fitted");
    }
}

/// Logs a failure, so that what comes next is done nevertheless.
fn noted<T>(result: partsight_app::Result<T>, failure: &str) -> Option<T> {
    result.inspect_err(|error| tracing::error!(error = error as &dyn std::error::Error, "{failure}")).ok()
}

/// Completes on SIGINT (Ctrl-C) and on SIGTERM, which service managers send.
///
/// The handlers are installed by this call, so that a signal before the first poll is not missed.
#[cfg(unix)]
fn stop_signal() -> anyhow::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot watch for Ctrl-C")?;
    let mut terminate = signal(SignalKind::terminate()).context("cannot watch for the terminate signal")?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Completes on Ctrl-C.
#[cfg(not(unix))]
fn stop_signal() -> anyhow::Result<impl Future<Output = ()>> {
    Ok(async {
        if let Err(error) = tokio::signal::ctrl_c().await {
            tracing::error!(%error, "Ctrl-C cannot be watched");
            std::future::pending::<()>().await;
        }
    })
}
