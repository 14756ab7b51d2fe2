//! Running a server: health, backups, installed models, and what spans all rooms, such as export and deletion of an
//! account. Begin with `doctor.rs` and `backup.rs`.

pub(crate) mod admin;
pub(crate) mod backup;
pub(crate) mod database;
pub(crate) mod deletion;
mod disk;
pub(crate) mod doctor;
pub(crate) mod export;
pub(crate) mod gauges;
pub(crate) mod mail_folder;
pub mod models;
pub(crate) mod readiness;
mod replicas;

use std::sync::Arc;

use partsight_store::Store;

use crate::accounts::Accounts;
use crate::evaluations::Evaluations;
use crate::judging::Judging;
use crate::metrics::Metrics;
use crate::parts::Parts;
use crate::plans::Plans;
use crate::scanning::photo_storage::PhotoStorage;
use crate::teaching::Teaching;
use crate::{Identifier, Settings};
use readiness::ReadyState;

/// Use cases of the server's operator, and those that span all rooms. Cheap to clone.
#[derive(Clone)]
pub struct Operations {
    store: Store,
    identifier: Arc<Identifier>,
    metrics: Arc<Metrics>,
    accounts: Arc<Accounts>,
    plans: Arc<Plans>,
    parts: Arc<Parts>,
    judging: Arc<Judging>,
    teaching: Arc<Teaching>,
    evaluations: Arc<Evaluations>,
    photo_storage: Arc<PhotoStorage>,
    ready: Arc<ReadyState>,
    /// What this server says of its settings and its model.
    server_mark: Arc<str>,
}

impl Operations {
    pub(crate) fn new(
        plans: Arc<Plans>,
        teaching: Arc<Teaching>,
        evaluations: Arc<Evaluations>,
        identifier: Arc<Identifier>,
        photo_storage: Arc<PhotoStorage>,
        metrics: Arc<Metrics>,
        settings: &Settings,
    ) -> Self {
        Self {
            store: teaching.store.clone(),
            identifier,
            metrics,
            accounts: Arc::clone(&teaching.accounts),
            plans,
            parts: Arc::clone(&teaching.parts),
            judging: Arc::clone(&teaching.judging),
            teaching,
            evaluations,
            photo_storage,
            ready: Arc::new(ReadyState::new(settings)),
            server_mark: replicas::server_mark(settings).into(),
        }
    }
}
