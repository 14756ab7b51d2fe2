//! Teaching: references of parts, the vector index over them, and what a shop's feedback changes.
//! Begin with `lessons.rs`.

pub(crate) mod calibration;
pub(crate) mod check;
pub(crate) mod dial;
pub(crate) mod doctor;
pub(crate) mod draft;
pub(crate) mod enrol;
pub(crate) mod exchange;
pub(crate) mod learning;
pub(crate) mod lessons;
pub(crate) mod look_alikes;
pub(crate) mod namings;
pub(crate) mod plan;
pub(crate) mod reembedding;
pub(crate) mod reference_index;
pub(crate) mod taught_parts;
pub(crate) mod taught_types;

use std::sync::Arc;

use partsight_catalog::Catalog;
use partsight_domain::PhotoKeeping;
use partsight_store::Store;

use crate::accounts::Accounts;
use crate::clock::Clock;
use crate::detached_tasks::DetachedTasks;
use crate::judging::Judging;
use crate::limits::heavy_work::HeavyWork;
use crate::parts::Parts;
use crate::{Identifier, Settings};
use namings::NamingLimit;
use reference_index::ReferenceIndex;

/// What people teach and what is learnt from them. Cheap to clone.
#[derive(Clone)]
pub struct Teaching {
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    catalog: Arc<Catalog>,
    identifier: Arc<Identifier>,
    heavy: Arc<HeavyWork>,
    pub(crate) accounts: Arc<Accounts>,
    pub(crate) parts: Arc<Parts>,
    pub(crate) judging: Arc<Judging>,
    pub(crate) index: Arc<ReferenceIndex>,
    keep_photos: PhotoKeeping,
    namings: Arc<NamingLimit>,
}

impl Teaching {
    pub(crate) fn new(
        judging: Arc<Judging>,
        identifier: Arc<Identifier>,
        heavy: Arc<HeavyWork>,
        tasks: DetachedTasks,
        settings: &Settings,
    ) -> Self {
        let parts = Arc::clone(&judging.parts);
        Self {
            store: parts.store.clone(),
            clock: parts.clock.clone(),
            catalog: Arc::clone(&parts.catalog),
            index: Arc::new(ReferenceIndex::new(parts.store.clone(), &identifier, tasks, settings)),
            identifier,
            heavy,
            accounts: Arc::clone(&parts.accounts),
            parts,
            judging,
            keep_photos: settings.data.keep_photos,
            namings: Arc::default(),
        }
    }
}
