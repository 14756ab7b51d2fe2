//! The judge: a vision LLM that is asked about photographs of which the local model is not sure, and that writes texts
//! that the catalogue lacks; with its budgets and the consent to it. Begin with `cascade.rs`.

pub(crate) mod asking;
pub(crate) mod cascade;
pub(crate) mod configured_judge;
pub(crate) mod fills;
pub(crate) mod fitments;
pub(crate) mod guides;
pub(crate) mod in_flight;
pub(crate) mod judge_photo;
pub(crate) mod oil;
pub(crate) mod status;

use std::sync::Arc;

use partsight_catalog::Catalog;
use partsight_store::Store;

use crate::accounts::Accounts;
use crate::clock::Clock;
use crate::detached_tasks::DetachedTasks;
use crate::garage::Garage;
use crate::metrics::Metrics;
use crate::parts::Parts;
use crate::{Identifier, Result, Settings};
use cascade::Cascade;
use configured_judge::ConfiguredJudge;
use fills::FillLimits;

/// Use cases of the judge. Cheap to clone.
#[derive(Clone)]
pub struct Judging {
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    catalog: Arc<Catalog>,
    identifier: Arc<Identifier>,
    metrics: Arc<Metrics>,
    pub(crate) accounts: Arc<Accounts>,
    pub(crate) garage: Arc<Garage>,
    pub(crate) parts: Arc<Parts>,
    cascade: Arc<Cascade>,
    fills: Arc<FillLimits>,
    tasks: DetachedTasks,
}

impl Judging {
    /// # Errors
    /// [`Error::Provider`](crate::Error::Provider) for a judge whose settings cannot be used.
    pub(crate) fn new(
        parts: Arc<Parts>,
        identifier: Arc<Identifier>,
        metrics: Arc<Metrics>,
        tasks: DetachedTasks,
        settings: &Settings,
    ) -> Result<Self> {
        Ok(Self {
            store: parts.store.clone(),
            clock: parts.clock.clone(),
            catalog: Arc::clone(&parts.catalog),
            cascade: Arc::new(Cascade::new(settings, &parts.catalog, identifier.manifest().judging())?),
            accounts: Arc::clone(&parts.accounts),
            garage: Arc::clone(&parts.garage),
            parts,
            identifier,
            metrics,
            fills: Arc::default(),
            tasks,
        })
    }

    /// The judge, if the settings name one.
    pub(crate) fn judge(&self) -> Option<&ConfiguredJudge> {
        self.cascade.judge()
    }

    /// Whether photographs may be sent to a judge, so that their bytes must be kept until the verdict is known.
    pub(crate) fn has_judge(&self) -> bool {
        self.judge().is_some()
    }
}
