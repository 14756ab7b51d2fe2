//! Evaluations: the accuracy of the model on labelled photographs of a shop. They are uploaded like those of a batch,
//! stored as rows, and measured by one server, which deletes them at the end. Begin with `worker.rs`. `drift.rs`
//! compares scans, which have no labels, with the photographs on which the confidence was calibrated.

pub(crate) mod assessor;
mod drift;
pub(crate) mod reports;
mod upload;
mod worker;

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use partsight_store::Store;
use tokio::sync::Notify;
use uuid::Uuid;

use self::assessor::Assessor;
use self::drift::DriftLooks;
use self::worker::Pace;
use crate::accounts::Accounts;
use crate::clock::Clock;
use crate::detached_tasks::DetachedTasks;
use crate::limits::heavy_work::HeavyWork;
use crate::{Identifier, Settings};

/// Most photographs at a time: each is held as pixels, beside those of scans.
const MAX_JOBS: usize = 4;

/// Evaluations, and the worker that runs them. Cheap to clone.
#[derive(Clone)]
pub struct Evaluations {
    store: Store,
    clock: Clock,
    identifier: Arc<Identifier>,
    accounts: Arc<Accounts>,
    tasks: DetachedTasks,
    heavy: Arc<HeavyWork>,
    drift: Arc<DriftLooks>,
    /// Measures the evaluations; `None` if none was set.
    assessor: Option<Arc<dyn Assessor>>,
    /// Names this server among those that share the database.
    worker: Uuid,
    /// Photographs at a time while no scan is running.
    n_jobs: usize,
    /// The pace of the running evaluation.
    running: Arc<Mutex<Option<Arc<Pace>>>>,
    /// Whether the server is stopping, and starts none.
    is_closing: Arc<AtomicBool>,
    /// Notified when an evaluation was submitted on this server.
    work_came: Arc<Notify>,
    max_photo_bytes: usize,
    /// The folder below which people may choose one.
    batch_dir: Option<PathBuf>,
}

impl Evaluations {
    pub(crate) fn new(
        accounts: Arc<Accounts>,
        identifier: Arc<Identifier>,
        tasks: DetachedTasks,
        heavy: Arc<HeavyWork>,
        store: Store,
        clock: Clock,
        settings: &Settings,
    ) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            store,
            clock,
            identifier,
            accounts,
            tasks,
            heavy,
            drift: Arc::default(),
            assessor: None,
            worker: Uuid::now_v7(),
            n_jobs: if settings.model.batch_workers == 0 { cores } else { settings.model.batch_workers }
                .min(MAX_JOBS),
            running: Arc::default(),
            is_closing: Arc::default(),
            work_came: Arc::default(),
            max_photo_bytes: settings.photos.max_bytes,
            batch_dir: settings.model.batch_dir.clone(),
        }
    }

    /// Enables evaluations, measured by this assessor.
    pub(crate) fn with_assessor(&self, assessor: Arc<dyn Assessor>) -> Self {
        Self { assessor: Some(assessor), ..self.clone() }
    }
}

partsight_domain::debug_fields!(Evaluations { worker });
