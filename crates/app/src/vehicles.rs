use partsight_domain::{NewVehicle, User, Vehicle, VehicleId};
use uuid::Uuid;

use crate::{App, Entity, Error, Result};

impl App {
    /// All vehicles of the user, the default first.
    pub async fn list_vehicles(&self, user: &User) -> Result<Vec<Vehicle>> {
        Ok(self.store.list_vehicles(user.id).await?)
    }

    /// The default vehicle, if the user has any vehicle.
    pub async fn default_vehicle(&self, user: &User) -> Result<Option<Vehicle>> {
        Ok(self.store.find_default_vehicle(user.id).await?)
    }

    /// Saves a vehicle; the first becomes the default.
    pub async fn create_vehicle(&self, user: &User, new: &NewVehicle) -> Result<Vehicle> {
        Ok(self.store.create_vehicle(user.id, VehicleId(Uuid::now_v7()), new, self.now()).await?)
    }

    /// Makes one vehicle the default.
    pub async fn set_default_vehicle(&self, user: &User, id: VehicleId) -> Result<Vehicle> {
        let vehicle = self.store.set_default_vehicle(user.id, id).await?;
        vehicle.ok_or(Error::NotFound { entity: Entity::Vehicle })
    }

    /// One vehicle of the user.
    pub async fn vehicle(&self, user: &User, id: VehicleId) -> Result<Vehicle> {
        let vehicle = self.store.find_vehicle(user.id, id).await?;
        vehicle.ok_or(Error::NotFound { entity: Entity::Vehicle })
    }
}
