use partsight_domain::{
    NewOilChange, OdometerReading, OilChange, OilChangeForm, OilChangeId, RecordPage, RecordWarning, User,
    VehicleId, record_warnings,
};
use uuid::Uuid;

use crate::garage::Garage;
use crate::{Entity, Error, Result};

/// A saved record, with warnings about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logged<T> {
    /// As it was saved.
    pub record: T,
    /// Warnings for the owner.
    pub warnings: Vec<RecordWarning>,
}

impl Garage {
    /// The newest oil changes of one vehicle, by default the default vehicle; none without any vehicle.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a vehicle of somebody else.
    pub async fn list_oil_changes(
        &self,
        user: &User,
        vehicle_id: Option<VehicleId>,
        page: RecordPage,
    ) -> Result<Vec<OilChange>> {
        let vehicle = match vehicle_id {
            Some(id) => Some(self.vehicle(user, id).await?),
            None => self.default_vehicle(user).await?,
        };
        let Some(vehicle) = vehicle else { return Ok(Vec::new()) };
        Ok(self.store.list_oil_changes(user.tenant_id, Some(vehicle.id), page).await?)
    }

    /// Saves an oil change.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a field that breaks a rule, [`Error::NotFound`] for a vehicle of somebody else.
    pub async fn create_oil_change(&self, user: &User, form: &OilChangeForm) -> Result<Logged<OilChange>> {
        let new = NewOilChange::from_form(form, self.utc_today())?;
        // Before it is saved; otherwise the reading would be compared with itself.
        let warnings = self.warnings(user, new.vehicle_id, reading(&new), None).await?;
        let (id, plan) = (OilChangeId(Uuid::now_v7()), self.accounts.effective_plan(user));
        let record = self.store.create_oil_change(user.tenant_id, id, &new, plan, self.clock.now()).await?;
        Ok(Logged { record: record.ok_or(Error::NotFound { entity: Entity::Vehicle })?, warnings })
    }

    /// Replaces the details of an oil change.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a field that breaks a rule, [`Error::NotFound`] for an oil change or vehicle of somebody
    /// else.
    pub async fn update_oil_change(
        &self,
        user: &User,
        id: OilChangeId,
        form: &OilChangeForm,
    ) -> Result<Logged<OilChange>> {
        let missing = Error::NotFound { entity: Entity::OilChange };
        let Some(old) = self.store.find_oil_change(user.tenant_id, id).await? else { return Err(missing) };
        // An edit without a day does not change it.
        let mut form = form.clone();
        form.change_date.get_or_insert_with(|| old.details.change_date.to_string());
        let new = NewOilChange::from_form(&form, self.utc_today())?;
        self.vehicle(user, new.vehicle_id).await?;
        let warnings =
            self.warnings(user, new.vehicle_id, reading(&new), Some(reading(&old.details))).await?;
        let record = self.store.update_oil_change(user.tenant_id, id, &new).await?;
        Ok(Logged { record: record.ok_or(missing)?, warnings })
    }

    /// Deletes an oil change.
    ///
    /// # Errors
    /// [`Error::NotFound`] for one that does not exist or belongs to somebody else.
    pub async fn delete_oil_change(&self, user: &User, id: OilChangeId) -> Result<()> {
        let is_deleted = self.store.delete_oil_change(user.tenant_id, id).await?;
        is_deleted.then_some(()).ok_or(Error::NotFound { entity: Entity::OilChange })
    }

    /// Warnings about an odometer reading of a vehicle, compared with all others; `old` is the one that it replaces.
    pub(crate) async fn warnings(
        &self,
        user: &User,
        vehicle_id: VehicleId,
        new: OdometerReading,
        old: Option<OdometerReading>,
    ) -> Result<Vec<RecordWarning>> {
        let oldest = jiff::civil::Date::ZERO;
        let mut others = self.store.list_odometer_readings(user.tenant_id, vehicle_id, oldest).await?;
        // Only one of them: another record of that day may correctly have the same reading.
        if let Some(at) = others.iter().position(|other| Some(*other) == old) {
            others.swap_remove(at);
        }
        let mut warnings = record_warnings(new, &others, self.utc_today());
        // An edit that does not change the day gives no new warning about it.
        if old.is_some_and(|old| old.on == new.on) {
            warnings.retain(|warning| {
                !matches!(warning, RecordWarning::DateGoesBack { .. } | RecordWarning::DateInFuture { .. })
            });
        }
        Ok(warnings)
    }
}

fn reading(change: &NewOilChange) -> OdometerReading {
    OdometerReading { on: change.change_date, mileage: change.mileage }
}
