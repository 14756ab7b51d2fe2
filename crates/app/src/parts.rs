//! Parts: the types of the catalogue and taught types, a shop's own parts, what fits which vehicle, and where to buy
//! it. Begin with `part_types.rs`.

pub(crate) mod compatibility;
pub(crate) mod cross_references;
mod list_columns;
pub(crate) mod list_upload;
pub(crate) mod part_numbers;
pub(crate) mod part_types;
pub(crate) mod price_lists;
pub(crate) mod recalls;
pub(crate) mod shop_parts;
pub(crate) mod suppliers;

use std::sync::Arc;

use partsight_catalog::Catalog;
use partsight_domain::PartLabel;
use partsight_store::Store;

use crate::accounts::Accounts;
use crate::clock::Clock;
use crate::garage::Garage;
use crate::limits::heavy_work::HeavyWork;
use crate::limits::person::Person;
use crate::limits::places::{Places, Share};
use crate::metrics::Metrics;
use crate::{Result, Settings};
use price_lists::PRICE_LISTS_AT_A_TIME;
use suppliers::OutsideSuppliers;

/// Part types and the parts of shops. Cheap to clone.
#[derive(Clone)]
pub struct Parts {
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    pub(crate) catalog: Arc<Catalog>,
    /// The classes of the model in use.
    learnt_types: Arc<[PartLabel]>,
    pub(crate) accounts: Arc<Accounts>,
    pub(crate) garage: Arc<Garage>,
    pub(crate) heavy: Arc<HeavyWork>,
    metrics: Arc<Metrics>,
    /// One place per concurrent upload of a price list or list of cross-references.
    price_list_places: Places<Person>,
    pub(crate) outside_suppliers: Arc<OutsideSuppliers>,
}

impl Parts {
    /// # Errors
    /// [`Error::Provider`](crate::Error::Provider) for a supplier whose settings cannot be used.
    pub(crate) fn new(
        accounts: Arc<Accounts>,
        garage: Arc<Garage>,
        catalog: Arc<Catalog>,
        learnt_types: Arc<[PartLabel]>,
        heavy: Arc<HeavyWork>,
        metrics: Arc<Metrics>,
        settings: &Settings,
    ) -> Result<Self> {
        Ok(Self {
            store: accounts.store.clone(),
            clock: accounts.clock.clone(),
            catalog,
            learnt_types,
            accounts,
            garage,
            heavy,
            metrics,
            price_list_places: Places::new(PRICE_LISTS_AT_A_TIME, Share::OfFree, 1),
            outside_suppliers: Arc::new(OutsideSuppliers::new(settings)?),
        })
    }
}

partsight_domain::debug_fields!(Parts {});
