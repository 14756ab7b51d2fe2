use partsight_domain::{
    NewRepair, OdometerReading, RecordPage, Repair, RepairForm, RepairId, User, VehicleId,
};
use uuid::Uuid;

use crate::{App, Entity, Error, Logged, Result};

impl App {
    /// The newest repairs, of one vehicle where given.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a vehicle of somebody else.
    pub async fn list_repairs(
        &self,
        user: &User,
        vehicle_id: Option<VehicleId>,
        page: RecordPage,
    ) -> Result<Vec<Repair>> {
        if let Some(id) = vehicle_id {
            self.vehicle(user, id).await?;
        }
        Ok(self.store.list_repairs(user.tenant_id, vehicle_id, page).await?)
    }

    /// Logs a repair.
    ///
    /// # Errors
    /// [`Error::Invalid`] for what breaks a rule, [`Error::NotFound`] for a vehicle of somebody else.
    pub async fn create_repair(&self, user: &User, form: &RepairForm) -> Result<Logged<Repair>> {
        let new = NewRepair::from_form(form, self.utc_today())?;
        let warnings = self.warnings(user, new.vehicle_id, reading(&new), None).await?;
        let id = RepairId(Uuid::now_v7());
        let record = self.store.create_repair(user.tenant_id, id, &new, self.now()).await?;
        Ok(Logged { record: record.ok_or(Error::NotFound { entity: Entity::Vehicle })?, warnings })
    }

    /// Replaces what a repair says.
    ///
    /// # Errors
    /// [`Error::Invalid`] for what breaks a rule, [`Error::NotFound`] for a repair or vehicle of somebody else.
    pub async fn update_repair(
        &self,
        user: &User,
        id: RepairId,
        form: &RepairForm,
    ) -> Result<Logged<Repair>> {
        let missing = Error::NotFound { entity: Entity::Repair };
        let Some(old) = self.store.find_repair(user.tenant_id, id).await? else { return Err(missing) };
        let new = NewRepair::from_form(form, self.utc_today())?;
        self.vehicle(user, new.vehicle_id).await?;
        let warnings =
            self.warnings(user, new.vehicle_id, reading(&new), Some(reading(&old.details))).await?;
        let record = self.store.update_repair(user.tenant_id, id, &new).await?;
        Ok(Logged { record: record.ok_or(missing)?, warnings })
    }

    /// Deletes a repair.
    ///
    /// # Errors
    /// [`Error::NotFound`] for one that does not exist or belongs to somebody else.
    pub async fn delete_repair(&self, user: &User, id: RepairId) -> Result<()> {
        let is_deleted = self.store.delete_repair(user.tenant_id, id).await?;
        is_deleted.then_some(()).ok_or(Error::NotFound { entity: Entity::Repair })
    }
}

fn reading(repair: &NewRepair) -> OdometerReading {
    OdometerReading { on: repair.repair_date, mileage: repair.mileage }
}
