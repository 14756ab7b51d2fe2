//! The taught parts that `--user` and `--shared` ask for.

use std::sync::Arc;

use anyhow::Context;
use partsight_app::{
    App, Catalog, Entity, Error, Identifier, Owner, Settings, TaughtParts, open_store, require_database,
    system_clock,
};
use partsight_domain::EmailAddress;
use tokio::runtime::Runtime;

/// Whose taught parts count.
pub(super) enum Whose<'a> {
    /// An account's, with those of its company and those that all accounts share.
    Account(&'a EmailAddress),
    /// Those that all accounts share.
    All,
}

/// The database, open for as long as photographs are compared with what was taught.
pub(super) struct Taught {
    pub(super) parts: TaughtParts,
    app: App,
    runtime: Runtime,
}

impl Taught {
    /// # Errors
    /// Without a database, an account of this address, or an index that answers.
    pub(super) fn open(
        whose: &Whose<'_>,
        settings: &Settings,
        catalog: &Arc<Catalog>,
        identifier: &Arc<Identifier>,
    ) -> anyhow::Result<Self> {
        require_database(settings)?;
        // Threads of its own: those that scan wait for searches, and a vector index on a server is asked over the network.
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .context("start the runtime")?;
        let (app, parts) = runtime.block_on(async {
            let store = open_store(settings).await?;
            let app = App::new(store, Arc::clone(catalog), Arc::clone(identifier), system_clock(), settings)?;
            let owner = match whose {
                Whose::All => Owner::ALL_TENANTS,
                Whose::Account(email) => match app.teaching.owner_of(email).await {
                    Err(Error::NotFound { entity: Entity::User }) => {
                        anyhow::bail!("there is no account with the e-mail address {}", email.as_str())
                    }
                    found => found?,
                },
            };
            let parts = app.teaching.taught_parts(owner).await?;
            anyhow::Ok((app, parts))
        })?;
        Ok(Self { parts, app, runtime })
    }

    pub(super) fn close(self) {
        self.runtime.block_on(self.app.close());
    }
}
