//! `partsight migrate`.

use std::process::ExitCode;

use partsight_app::{Settings, migrate_database};

use crate::logging;

pub(crate) fn run(settings: &Settings) -> anyhow::Result<ExitCode> {
    logging::start(settings)?;
    let version = crate::runtime()?.block_on(migrate_database(settings))?;
    let place = match &settings.data.database_url {
        Some(url) => url.to_string(),
        None => settings.data.dir.join("partsight.db").display().to_string(),
    };
    crate::print(&format!("The database `{place}` is at migration {version}.\n"))
}
