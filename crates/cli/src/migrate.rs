//! `partsight migrate`.

use std::process::ExitCode;

use anyhow::Context;
use partsight_app::{Settings, migrate_database};

use crate::logging;

pub(crate) fn run(settings: &Settings) -> anyhow::Result<ExitCode> {
    logging::start(settings)?;
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().context("start the runtime")?;
    let version = runtime.block_on(migrate_database(settings))?;
    let place = match &settings.data.database_url {
        Some(url) => url.to_string(),
        None => settings.data.dir.join("partsight.db").display().to_string(),
    };
    crate::print(&format!("The database `{place}` is at migration {version}.\n"))
}
