//! Which engine oil a vehicle takes.

use partsight_domain::{InvalidInput, NewVehicle, User, VehicleId, VehicleName};
pub use partsight_vehicle_data::oil::{Fact, OilSource, OilSpecification};
use partsight_vehicle_data::oil::{KnownEngine, OilQuery, oil_specification};

use crate::{App, Result};

/// Which vehicle's oil is asked for, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OilQuestion {
    /// Year, make and model.
    pub vehicle: VehicleName,
    /// As the owner typed it.
    pub engine: Option<String>,
}

impl OilQuestion {
    /// Checks the texts under the rules of saved vehicles.
    ///
    /// # Errors
    /// Names the first that does not fit.
    pub fn new(
        year: i64,
        make: &str,
        model: &str,
        engine: Option<&str>,
    ) -> std::result::Result<Self, InvalidInput> {
        let vehicle = VehicleName::new(year, make, model)?;
        let checked = NewVehicle::new(vehicle, engine, None, None, None)?;
        Ok(Self { vehicle: checked.name, engine: checked.engine })
    }
}

impl App {
    /// What is known of the oil of a vehicle. The owner's own values win: those of the vehicle `vehicle_id`, else
    /// those of the user's vehicle of this name.
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound) for a `vehicle_id` that does not exist or belongs to somebody
    /// else.
    pub async fn oil_specification(
        &self,
        user: &User,
        question: &OilQuestion,
        vehicle_id: Option<VehicleId>,
    ) -> Result<OilSpecification> {
        let own = match vehicle_id {
            Some(id) => self.vehicle_oil(user, id).await?,
            None => self.owner_oil(user, &question.vehicle).await?,
        };
        let VehicleName { year, make, model } = &question.vehicle;
        let known_engines: Vec<KnownEngine> = self
            .reference
            .engines(make, model, year.get())
            .into_iter()
            .map(|engine| KnownEngine { name: engine.name, models: engine.listed_as })
            .collect();
        let query = OilQuery {
            // The table knows makes by the name of the list, whatever people call them.
            make: self.reference.make(make).map_or(make.as_str(), |known| &known.name),
            model,
            year: year.get(),
            engine: question.engine.as_deref(),
            known_engines: &known_engines,
        };
        Ok(oil_specification(&query, own.as_ref()))
    }
}
