//! Recalls and complaints of a vehicle from NHTSA, fetched at most once a week and cached with their date.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use partsight_domain::{SafetyRecords, User, Vehicle, VehicleId, VehicleName};
use partsight_providers::SafetyService;
use partsight_store::KeptSafetyRecords;

use crate::garage::Garage;
use crate::limits::rate_limit::RateLimit;
use crate::limits::reads::outside;
use crate::{Error, Result, logged};

/// How long records are shown without fetching them again. NHTSA publishes recalls daily, and owners get weeks to
/// act.
const FRESH_FOR: SignedDuration = SignedDuration::from_hours(7 * 24);
/// Burst of questions of one person, and the interval until one more. The service is free.
const QUESTIONS: u32 = 30;
const QUESTION_INTERVAL: Duration = Duration::from_mins(1);

/// The service for recalls, with a rate limit.
pub(crate) struct AskedSafetyService {
    service: SafetyService,
    by_user: RateLimit,
}

impl AskedSafetyService {
    pub(crate) fn new(url: &str) -> Result<Self> {
        let service = SafetyService::new(url).map_err(Error::Provider)?;
        Ok(Self { service, by_user: RateLimit::new(QUESTIONS, QUESTION_INTERVAL) })
    }
}

/// Where the records of a vehicle come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SafetyState {
    /// They were fetched within the last week.
    Current,
    /// The service does not answer now; cached records are shown.
    Old,
    /// The service does not answer now, and nothing is cached.
    Away,
    /// No service is configured; cached records, if any, are shown.
    Off,
}

/// What is known of the recalls and complaints of a vehicle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VehicleSafety {
    /// Where they come from.
    pub state: SafetyState,
    /// The name they are queried by: NHTSA's own from the VIN, if the VIN matches this vehicle.
    pub asked_for: VehicleName,
    /// The records.
    pub records: Option<SafetyRecords>,
    /// When the records were fetched; `None` without any.
    pub fetched_at: Option<Timestamp>,
}

impl VehicleSafety {
    fn new(state: SafetyState, asked_for: VehicleName, kept: Option<KeptSafetyRecords>) -> Self {
        let (records, fetched_at) = kept.map(|kept| (kept.records, kept.fetched_at)).unzip();
        Self { state, asked_for, records, fetched_at }
    }
}

impl Garage {
    /// Recalls and complaints of a vehicle of the user.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a vehicle that does not exist or is somebody else's. A service that does not answer is
    /// no error.
    pub async fn vehicle_safety(&self, user: &User, id: VehicleId) -> Result<VehicleSafety> {
        let vehicle = self.vehicle(user, id).await?;
        self.safety_of(user, &vehicle).await
    }

    pub(crate) async fn safety_of(&self, user: &User, vehicle: &Vehicle) -> Result<VehicleSafety> {
        let asked_for = self.name_of_vin(&vehicle.details).unwrap_or_else(|| vehicle.details.name.clone());
        // Cached for each account: with a shared cache, the response time would tell what others drive.
        let kept = self.store.find_safety_records(user.tenant_id, &asked_for).await?;
        let Some(asked) = &self.safety_service else {
            return Ok(VehicleSafety::new(SafetyState::Off, asked_for, kept));
        };
        let now = self.clock.now();
        if kept.as_ref().is_some_and(|kept| kept.fetched_at > now - FRESH_FOR) {
            return Ok(VehicleSafety::new(SafetyState::Current, asked_for, kept));
        }
        // Beyond the limit the cached records are shown, as when the service does not answer.
        let answer = match asked.by_user.take(&user.id.to_string(), self.clock.steady()) {
            Ok(()) => outside(asked.service.ask(&asked_for)).await?.map_err(Error::Provider),
            Err(too_many) => Err(too_many),
        };
        let records = match answer {
            Ok(records) => records,
            Err(error) => {
                tracing::warn!(error = logged(&error), "recalls could not be asked for");
                let state = if kept.is_some() { SafetyState::Old } else { SafetyState::Away };
                return Ok(VehicleSafety::new(state, asked_for, kept));
            }
        };
        let kept = KeptSafetyRecords { records, fetched_at: now };
        if let Err(error) = self.store.keep_safety_records(user.tenant_id, &kept).await {
            // The records were fetched nevertheless.
            tracing::warn!(error = logged(&error), "recalls could not be kept");
        }
        Ok(VehicleSafety::new(SafetyState::Current, asked_for, Some(kept)))
    }
}
