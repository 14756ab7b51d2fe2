//! Many photographs as one job: uploaded, queued in the database that several servers share, and answered as scans.
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
mod space;
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
use space::Space;
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
    /// Concurrent photographs while no person's scan is being answered.
    n_workers: usize,
    /// How many photographs are claimed together.
    claim_size: Arc<ClaimSize>,
    /// Id of this server among those that share the database.
    worker: Uuid,
    /// The photographs claimed by this server.
    claims: Arc<Claims>,
    /// Answered photographs that are not saved yet.
    ended: Arc<EndedItems>,
    /// Batches that wait for taught parts on this server.
    taught_waits: Arc<TaughtWaits>,
    /// Whether there is space to claim photographs.
    space: Arc<Space>,
    /// Set when the server shuts down and claims no more.
    is_closing: Arc<AtomicBool>,
    /// Notified when photographs are uploaded or a batch is started on this server.
    work_came: Arc<Notify>,
    max_photo_bytes: usize,
    /// Folder from which people may add photographs to a batch.
    batch_dir: Option<PathBuf>,
    /// Limits how many whole batches are in memory, for a file of results or for proposing groups.
    whole: Places<Person>,
}

/// Maximum of whole batches in memory. One of 50,000 photographs takes up to 200 MB.
const WHOLE_BATCHES: usize = 8;
/// Guaranteed share of one person, while places are free.
const LEAST_WHOLE_BATCHES: usize = 2;

impl Batches {
    pub(crate) fn new(scanning: Arc<Scanning>, settings: &Settings) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        // One per core more than can be decoded or run at once, to read files and build answers in the meantime.
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
            // New at each start: claims of an earlier process are not ours, and expire with their leases.
            worker: Uuid::now_v7(),
            claims: Arc::default(),
            ended: Arc::new(EndedItems::new(n_workers)),
            taught_waits: Arc::default(),
            space: Arc::default(),
            is_closing: Arc::default(),
            work_came: Arc::default(),
            max_photo_bytes: settings.photos.max_bytes,
            batch_dir: settings.model.batch_dir.clone(),
            whole: Places::new(WHOLE_BATCHES, Share::HalfOfFree, LEAST_WHOLE_BATCHES),
        }
    }
}

partsight_domain::debug_fields!(Batches { worker });
