//! Vehicles and their records: oil changes, repairs, odometer readings and reminders, and reference facts about
//! vehicles. Begin with `vehicles.rs`.

pub(crate) mod calendar;
mod day;
pub(crate) mod oil_changes;
pub mod oil_specs;
pub(crate) mod push;
pub(crate) mod records_csv;
pub(crate) mod reminder_mails;
pub(crate) mod reminders;
pub(crate) mod repairs;
pub mod safety;
pub mod vehicle_reference;
pub(crate) mod vehicles;
pub(crate) mod vin_decoder;
pub mod vin_reading;

use std::sync::Arc;

use partsight_store::Store;
use partsight_vehicle_data::{Reference, VinPatterns};

use crate::accounts::Accounts;
use crate::clock::Clock;
use crate::detached_tasks::DetachedTasks;
use crate::limits::heavy_work::HeavyWork;
use crate::{Result, Settings};
use calendar::CalendarFeeds;
use push::PushService;
use safety::AskedSafetyService;
use vin_decoder::AskedDecoder;

/// The vehicles of all accounts. Cheap to clone.
#[derive(Clone)]
pub struct Garage {
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    accounts: Arc<Accounts>,
    heavy: Arc<HeavyWork>,
    tasks: DetachedTasks,
    /// Makes, models, years and engines.
    pub(crate) vehicle_reference: Arc<Reference>,
    /// Patterns of VINs that replace the embedded ones.
    imported_vin_patterns: Option<Arc<VinPatterns>>,
    vin_decoder: Option<Arc<AskedDecoder>>,
    safety_service: Option<Arc<AskedSafetyService>>,
    calendar_feeds: Arc<CalendarFeeds>,
    /// `None` if no notifications are sent.
    push: Option<Arc<PushService>>,
}

impl Garage {
    /// # Errors
    /// [`Error::VehicleFacts`](crate::Error::VehicleFacts) for a damaged file of imported vehicle facts;
    /// [`Error::Provider`](crate::Error::Provider) for a VIN decoder or a service for recalls that cannot be used, and
    /// when no HTTP client can be built.
    pub(crate) fn new(
        accounts: Arc<Accounts>,
        heavy: Arc<HeavyWork>,
        tasks: DetachedTasks,
        settings: &Settings,
    ) -> Result<Self> {
        let vin_decoder = settings.vehicles.vin_decoder_url.as_deref().map(AskedDecoder::new).transpose()?;
        let safety_service =
            settings.vehicles.recalls_url.as_deref().map(AskedSafetyService::new).transpose()?;
        Ok(Self {
            store: accounts.store.clone(),
            clock: accounts.clock.clone(),
            accounts,
            heavy,
            tasks,
            vehicle_reference: vehicle_reference::load(&settings.data.dir)?,
            imported_vin_patterns: vin_reading::imported_vin_patterns(&settings.data.dir)?,
            vin_decoder: vin_decoder.map(Arc::new),
            safety_service: safety_service.map(Arc::new),
            calendar_feeds: Arc::new(CalendarFeeds::new(settings.accounts.sign_in_attempts)),
            push: PushService::new(settings)?.map(Arc::new),
        })
    }
}
