use partsight_domain::{DeletedVehicle, InvalidInput, NewVehicle, User, Vehicle, VehicleId};
use uuid::Uuid;

use crate::garage::Garage;
use crate::{Entity, Error, Result};

/// Default number of vehicles in a page.
const DEFAULT_PAGE: u32 = 100;
/// Most vehicles in a page.
const MAX_PAGE: u32 = 200;

/// A page of the list of vehicles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VehiclePage {
    /// Most vehicles in it, 1 to 200.
    pub limit: u32,
    /// The last vehicle of the page before.
    pub after: Option<VehicleId>,
}

impl VehiclePage {
    /// Checks the parameters of a query; `None` for one without any.
    ///
    /// # Errors
    /// Names the field `limit` or `after`.
    pub fn new(limit: Option<i64>, after: Option<&str>) -> Result<Option<Self>, InvalidInput> {
        if limit.is_none() && after.is_none() {
            return Ok(None);
        }
        let limit = u32::try_from(limit.unwrap_or(DEFAULT_PAGE.into()))
            .ok()
            .filter(|limit| (1..=MAX_PAGE).contains(limit))
            .ok_or_else(|| InvalidInput::new("limit", "Please ask for 1 to 200 vehicles at a time."))?;
        let after = after.map(str::parse).transpose().map_err(|_| {
            InvalidInput::new(
                "after",
                "This is no place in the list. Please use the value of the X-Next-Cursor header.",
            )
        })?;
        Ok(Some(Self { limit, after }))
    }
}

impl Garage {
    /// All vehicles of the user, the default first.
    pub async fn list_vehicles(&self, user: &User) -> Result<Vec<Vehicle>> {
        Ok(self.store.list_vehicles(user.tenant_id).await?)
    }

    /// A page of the user's vehicles, and the position of the next one, if there is one.
    pub async fn vehicles_on(
        &self,
        user: &User,
        page: VehiclePage,
    ) -> Result<(Vec<Vehicle>, Option<VehicleId>)> {
        // One more shows whether another page follows.
        let mut vehicles = self.store.list_vehicles_after(user.tenant_id, page.after, page.limit + 1).await?;
        let has_more = vehicles.len() > page.limit as usize;
        vehicles.truncate(page.limit as usize);
        let next = vehicles.last().filter(|_| has_more).map(|last| {
            // The default comes first, whenever it was added.
            if last.is_default { VehicleId(Uuid::nil()) } else { last.id }
        });
        Ok((vehicles, next))
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
        let (id, plan) = (VehicleId(Uuid::now_v7()), self.accounts.effective_plan(user));
        Ok(self.store.create_vehicle(user.tenant_id, id, new, plan, self.clock.now()).await?)
    }

    /// Replaces the details of a vehicle.
    ///
    /// # Errors
    /// [`Error::NotFound`] for one that does not exist or belongs to somebody else.
    pub async fn update_vehicle(&self, user: &User, id: VehicleId, details: &NewVehicle) -> Result<Vehicle> {
        let vehicle = self.store.update_vehicle(user.tenant_id, id, details).await?;
        vehicle.ok_or(Error::NotFound { entity: Entity::Vehicle })
    }

    /// Deletes a vehicle with its records, and returns what was deleted; its scans stay. If it was the default, the
    /// vehicle that was added first becomes the default.
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
