//! Scans: from photographs of a part to an answer, the history, feedback, and idempotent calls. Begin with `scans.rs`.

pub(crate) mod conditions;
pub(crate) mod feedback;
pub(crate) mod history;
pub(crate) mod idempotency;
pub(crate) mod item_answers;
pub(crate) mod line_vins;
mod made_scan;
pub(crate) mod photo_storage;
pub(crate) mod photographs;
pub(crate) mod pooling;
pub(crate) mod readings;
pub(crate) mod regions;
pub(crate) mod repairs;
pub(crate) mod saving;
pub(crate) mod scans;
pub(crate) mod similar_parts;
pub(crate) mod teach_scans;
pub(crate) mod trial;
pub(crate) mod vin_photo;

use std::sync::Arc;

use partsight_catalog::Catalog;
use partsight_domain::PhotoKeeping;
use partsight_store::Store;

use crate::accounts::Accounts;
use crate::clock::Clock;
use crate::detached_tasks::DetachedTasks;
use crate::garage::Garage;
use crate::judging::Judging;
use crate::metrics::Metrics;
use crate::parts::Parts;
use crate::teaching::Teaching;
use crate::{Identifier, Settings};
use idempotency::call_dates::CallDates;
use photo_storage::PhotoStorage;
use readings::ReadingQueue;
use saving::UnsavedScans;
use vin_photo::VinPhotoLimit;

/// Scans and the feedback on them. Cheap to clone.
#[derive(Clone)]
pub struct Scanning {
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    catalog: Arc<Catalog>,
    pub(crate) identifier: Arc<Identifier>,
    metrics: Arc<Metrics>,
    pub(crate) accounts: Arc<Accounts>,
    pub(crate) garage: Arc<Garage>,
    pub(crate) parts: Arc<Parts>,
    judging: Arc<Judging>,
    teaching: Arc<Teaching>,
    keep_photos: PhotoKeeping,
    keep_photos_days: u32,
    photo_storage: Arc<PhotoStorage>,
    pub(crate) tasks: DetachedTasks,
    call_dates: Arc<CallDates>,
    readings: Arc<ReadingQueue>,
    vin_photos: Arc<VinPhotoLimit>,
    unsaved: Arc<UnsavedScans>,
}

impl Scanning {
    pub(crate) fn new(
        teaching: Arc<Teaching>,
        identifier: Arc<Identifier>,
        metrics: Arc<Metrics>,
        photo_storage: Arc<PhotoStorage>,
        tasks: DetachedTasks,
        settings: &Settings,
    ) -> Self {
        let (parts, judging) = (Arc::clone(&teaching.parts), Arc::clone(&teaching.judging));
        Self {
            store: parts.store.clone(),
            clock: parts.clock.clone(),
            catalog: Arc::clone(&parts.catalog),
            identifier,
            metrics,
            accounts: Arc::clone(&parts.accounts),
            garage: Arc::clone(&parts.garage),
            parts,
            judging,
            teaching,
            keep_photos: settings.data.keep_photos,
            keep_photos_days: settings.data.keep_photos_days,
            photo_storage,
            tasks,
            call_dates: Arc::default(),
            readings: Arc::default(),
            vin_photos: Arc::default(),
            unsaved: Arc::default(),
        }
    }
}
