//! The taught parts for `--user` and `--shared`.

use std::sync::Arc;

use anyhow::Context;
use partsight_app::{
    App, Catalog, Error, Identifier, Owner, Settings, TaughtParts, open_store, open_store_for_threads,
    require_database, system_clock,
};
use tokio::runtime::{Builder, Runtime};

use super::arguments::ScanArguments;
use crate::account;

/// Taught parts, with the open database and a runtime for searches.
pub(super) struct Taught {
    pub(super) parts: TaughtParts,
    app: App,
    runtime: Runtime,
}

/// Whose parts to use; `None` for no taught parts.
///
/// # Errors
/// If there is no database, or no account with the address.
pub(super) fn owner(arguments: &ScanArguments, settings: &Settings) -> anyhow::Result<Option<Owner>> {
    let email = match &arguments.user {
        None if !arguments.shared => return Ok(None),
        email => email,
    };
    require_database(settings)?;
    let Some(email) = email else { return Ok(Some(Owner::ALL_TENANTS)) };
    crate::runtime()?.block_on(async {
        let store = open_store(settings).await?;
        let owner = account::owner(&store, email).await;
        store.close().await;
        owner.map(Some)
    })
}

impl Taught {
    /// # Errors
    /// For a model without references, and for an index that does not answer.
    pub(super) fn open(
        owner: Owner,
        settings: &Settings,
        catalog: &Arc<Catalog>,
        identifier: &Arc<Identifier>,
    ) -> anyhow::Result<Self> {
        // Its own thread, because scanning threads block on searches, and an index server is called over the network.
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.context("cannot start the runtime")?;
        let (app, parts) = runtime.block_on(async {
            let store = open_store_for_threads(settings).await?;
            let app = App::new(store, Arc::clone(catalog), Arc::clone(identifier), system_clock(), settings)?;
            let parts = app.teaching.taught_parts(owner).await.map_err(|error| match error {
                Error::Invalid(invalid) => anyhow::anyhow!("{}", invalid.message),
                other => other.into(),
            })?;
            anyhow::Ok((app, parts))
        })?;
        Ok(Self { parts, app, runtime })
    }

    pub(super) fn close(self) {
        self.runtime.block_on(self.app.close());
    }
}
