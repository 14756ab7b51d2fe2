use partsight_domain::{DeletedVehicle, NewVehicle, Quota, User, Vehicle, VehicleId};
use uuid::Uuid;

use crate::garage::Garage;
use crate::{Entity, Error, Result};

impl Garage {
    /// All vehicles of the user, the default first.
    pub async fn list_vehicles(&self, user: &User) -> Result<Vec<Vehicle>> {
        Ok(self.store.list_vehicles(user.tenant_id).await?)
    }

    /// The default vehicle, if the user has any vehicle.
    pub async fn default_vehicle(&self, user: &User) -> Result<Option<Vehicle>> {
        Ok(self.store.find_default_vehicle(user.tenant_id).await?)
    }

    /// Saves a vehicle; the first becomes the default.
    ///
    /// # Errors
    /// [`Error::QuotaReached`].
    pub async fn create_vehicle(&self, user: &User, new: &NewVehicle) -> Result<Vehicle> {
        self.accounts.check_quota(user, Quota::Vehicles, 1).await?;
        Ok(self
            .store
            .create_vehicle(user.tenant_id, VehicleId(Uuid::now_v7()), new, self.clock.now())
            .await?)
    }

    /// Replaces the details of a vehicle.
    ///
    /// # Errors
    /// [`Error::NotFound`] for one that does not exist or belongs to somebody else.
    pub async fn update_vehicle(&self, user: &User, id: VehicleId, details: &NewVehicle) -> Result<Vehicle> {
        let vehicle = self.store.update_vehicle(user.tenant_id, id, details).await?;
        vehicle.ok_or(Error::NotFound { entity: Entity::Vehicle })
    }

    /// Deletes a vehicle with its records and says what went; its scans stay. When it was the default, the one
    /// that was added first becomes the default.
    ///
    /// # Errors
    /// [`Error::NotFound`] for one that does not exist or belongs to somebody else.
    pub async fn delete_vehicle(&self, user: &User, id: VehicleId) -> Result<DeletedVehicle> {
        let deleted = self.store.delete_vehicle(user.tenant_id, id).await?;
        deleted.ok_or(Error::NotFound { entity: Entity::Vehicle })
    }

    /// Makes one vehicle the default.
    pub async fn set_default_vehicle(&self, user: &User, id: VehicleId) -> Result<Vehicle> {
        let vehicle = self.store.set_default_vehicle(user.tenant_id, id).await?;
        vehicle.ok_or(Error::NotFound { entity: Entity::Vehicle })
    }

    /// One vehicle of the user.
    pub async fn vehicle(&self, user: &User, id: VehicleId) -> Result<Vehicle> {
        let vehicle = self.store.find_vehicle(user.tenant_id, id).await?;
        vehicle.ok_or(Error::NotFound { entity: Entity::Vehicle })
    }
}
