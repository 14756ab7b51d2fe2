use partsight_domain::{RecordPage, Repair, RepairId, User, VehicleId};

use crate::garage::Garage;
use crate::{Entity, Error, Result};

impl Garage {
    /// The newest repairs, of one vehicle if given.
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

    /// Deletes a repair.
    ///
    /// # Errors
    /// [`Error::NotFound`] for one that does not exist or belongs to somebody else.
    pub async fn delete_repair(&self, user: &User, id: RepairId) -> Result<()> {
        let is_deleted = self.store.delete_repair(user.tenant_id, id).await?;
        is_deleted.then_some(()).ok_or(Error::NotFound { entity: Entity::Repair })
    }
}
