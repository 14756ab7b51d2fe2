//! Many photographs as one job: they arrive, wait as rows that several servers share, and are answered as scans.
//! Begin with `worker.rs`.

mod claim_size;
mod claims;
pub(crate) mod folder;
pub(crate) mod grades;
pub(crate) mod groups;
pub(crate) mod item_group;
pub(crate) mod jobs;
mod judge_waits;
mod outcome;
pub(crate) mod results;
mod saving;
mod taught_waits;
pub(crate) mod upload;
mod worker;
pub(crate) mod zip_file;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use partsight_store::Store;
use tokio::sync::Notify;
use uuid::Uuid;

use crate::accounts::Accounts;
use crate::clock::Clock;
use crate::garage::Garage;
use crate::limits::person::Person;
use crate::limits::places::{Places, Share};
use crate::parts::Parts;
use crate::scanning::Scanning;
use crate::{Identifier, Settings};
use claim_size::ClaimSize;
use claims::Claims;
use saving::EndedItems;
use taught_waits::TaughtWaits;

/// Batches, and the worker that answers their photographs. Cheap to clone.
#[derive(Clone)]
pub struct Batches {
    store: Store,
    clock: Clock,
    identifier: Arc<Identifier>,
    accounts: Arc<Accounts>,
    garage: Arc<Garage>,
    parts: Arc<Parts>,
    scanning: Arc<Scanning>,
    /// Photographs at a time while nobody else is here.
    n_workers: usize,
    /// How many are claimed together.
    claim_size: Arc<ClaimSize>,
    /// Names this server among those that share the database.
    worker: Uuid,
    /// All that this server holds.
    claims: Arc<Claims>,
    /// What it answered and did not save yet.
    ended: Arc<EndedItems>,
    /// Which batches wait for taught parts here.
    taught_waits: Arc<TaughtWaits>,
    /// Whether the server stops, and claims none.
    is_closing: Arc<AtomicBool>,
    /// Rung when photographs came or a batch was started here.
    work_came: Arc<Notify>,
    max_photo_bytes: usize,
    /// Whose folders people may add to a batch.
    batch_dir: Option<PathBuf>,
    /// Batches that are in memory as a whole, for a file or for their groups.
    whole: Places<Person>,
}

/// Batches in memory as a whole at a time. One of 50,000 photographs takes up to 200 MB.
const WHOLE_BATCHES: usize = 8;
/// Of one person in any case.
const LEAST_WHOLE_BATCHES: usize = 2;

impl Batches {
    pub(crate) fn new(scanning: Arc<Scanning>, settings: &Settings) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        // One a core more than are decoded or have the model: their files are read and their answers are made meanwhile.
        let n_workers = match settings.model.batch_workers {
            0 => scanning.identifier.n_at_a_time() + cores,
            n_workers => n_workers,
        };
        Self {
            store: scanning.store.clone(),
            clock: scanning.clock.clone(),
            identifier: Arc::clone(&scanning.identifier),
            accounts: Arc::clone(&scanning.accounts),
            garage: Arc::clone(&scanning.garage),
            parts: Arc::clone(&scanning.parts),
            scanning,
            n_workers,
            claim_size: Arc::new(ClaimSize::new(n_workers)),
            // Drawn at each start: what a process before this one had claimed is not ours, and its leases run
            // out.
            worker: Uuid::now_v7(),
            claims: Arc::default(),
            ended: Arc::new(EndedItems::new(n_workers)),
            taught_waits: Arc::default(),
            is_closing: Arc::default(),
            work_came: Arc::default(),
            max_photo_bytes: settings.photos.max_bytes,
            batch_dir: settings.model.batch_dir.clone(),
            whole: Places::new(WHOLE_BATCHES, Share::HalfOfFree, LEAST_WHOLE_BATCHES),
        }
    }
}

partsight_domain::debug_fields!(Batches { worker });
