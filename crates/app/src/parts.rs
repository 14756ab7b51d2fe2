use partsight_catalog::Supplier;
use partsight_domain::{PartLabel, PartType, User, VehicleName};

use crate::{App, Entity, Error, Result};

impl App {
    /// The part type of this label.
    pub fn part_type(&self, label: &PartLabel) -> Result<&PartType> {
        self.catalog.get(label).ok_or(Error::NotFound { entity: Entity::Part })
    }

    /// The name of a part type for people; the label itself for one that the catalogue does not know.
    pub fn part_name(&self, label: &PartLabel) -> String {
        self.catalog.get(label).map_or_else(|| label.to_string(), |part_type| part_type.name.clone())
    }

    /// Where to buy a part type for a vehicle.
    pub fn suppliers(&self, part_type: &PartType, vehicle: Option<&VehicleName>) -> Vec<Supplier> {
        self.catalog.suppliers(part_type, vehicle)
    }

    /// Where to buy a part type for the user's default vehicle.
    pub async fn part_suppliers(&self, user: &User, label: &PartLabel) -> Result<Vec<Supplier>> {
        let part_type = self.part_type(label)?;
        let vehicle = self.default_vehicle(user).await?;
        Ok(self.suppliers(part_type, vehicle.as_ref().map(|vehicle| &vehicle.details.name)))
    }
}
