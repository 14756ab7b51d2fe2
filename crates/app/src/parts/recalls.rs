//! The recalls of a vehicle that name a part.

use partsight_domain::{InvalidInput, PartLabel, Recall, RecalledPart, User, VehicleId, messages};

use crate::garage::safety::VehicleSafety;
use crate::parts::Parts;
use crate::{Entity, Error, Result};

/// The recalls of a vehicle, and those among them that name a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartRecalls {
    /// All safety records of the vehicle.
    pub of_vehicle: VehicleSafety,
    /// Recalls that name the part, newest first.
    pub recalls: Vec<Recall>,
}

impl Parts {
    /// The recalls that name a part type, for one of the user's vehicles; by default for the default vehicle.
    ///
    /// # Errors
    /// [`Error::NotFound`] for an unknown part or vehicle; [`Error::Invalid`] for a user without a vehicle.
    pub async fn part_recalls(
        &self,
        user: &User,
        label: &PartLabel,
        vehicle_id: Option<VehicleId>,
    ) -> Result<PartRecalls> {
        let types = self.part_types(user).await?;
        types.get(label).ok_or(Error::NotFound { entity: Entity::Part })?;
        let vehicle = match vehicle_id {
            Some(id) => self.garage.vehicle(user, id).await?,
            None => self
                .garage
                .default_vehicle(user)
                .await?
                .ok_or_else(|| InvalidInput::new("vehicleId", messages::RECALLS_VEHICLE_MISSING))?,
        };
        let of_vehicle = self.garage.safety_of(user, &vehicle).await?;
        let own_name = types.name(label);
        let others = self.catalog.get(label).map_or(&[][..], |part_type| &part_type.also_known_as);
        let names: Vec<&str> =
            std::iter::once(own_name.as_str()).chain(others.iter().map(String::as_str)).collect();
        // All names of the catalogue, because a longer name that contains this one means another part.
        let all = self.catalog.iter().flat_map(|part_type| {
            std::iter::once(part_type.name.as_str()).chain(part_type.also_known_as.iter().map(String::as_str))
        });
        let part = RecalledPart::new(&names, all);
        let listed = of_vehicle.records.iter().flat_map(|records| &records.recalls);
        let recalls = listed.filter(|recall| part.is_named_in(recall)).cloned().collect();
        Ok(PartRecalls { of_vehicle, recalls })
    }
}
