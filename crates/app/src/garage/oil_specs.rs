//! Which engine oil a vehicle takes.

use partsight_domain::{InvalidInput, NewVehicle, User, VehicleId, VehicleName};
pub use partsight_vehicle_data::oil::{Fact, OilSource, OilSpecification};
use partsight_vehicle_data::oil::{KnownEngine, OilQuery, oil_specification};

use crate::Result;
use crate::fill::FillState;
use crate::garage::Garage;

/// The vehicle whose oil is requested, validated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OilQuestion {
    /// Year, make and model.
    pub vehicle: VehicleName,
    /// As the owner typed it.
    pub engine: Option<String>,
}

impl OilQuestion {
    /// Checks the texts by the rules of saved vehicles.
    ///
    /// # Errors
    /// Names the first text that breaks a rule.
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

/// What is known about the oil of a vehicle.
#[derive(Debug, Clone, PartialEq)]
pub struct OilAnswer {
    /// The values with their sources.
    pub oil: OilSpecification,
    /// The state of a language model's answer; `None` if our table knows the engine, or there is no oil.
    pub fill: Option<FillState>,
}

impl Garage {
    pub(crate) async fn oil_question(&self, user: &User, vehicle_id: VehicleId) -> Result<OilQuestion> {
        let details = self.vehicle(user, vehicle_id).await?.details;
        let engine = self.engine_of(&details);
        Ok(OilQuestion { vehicle: details.name, engine })
    }

    /// The values of our table, or common ones.
    pub(crate) fn known_oil(&self, question: &OilQuestion) -> OilSpecification {
        let VehicleName { year, make, model } = &question.vehicle;
        let known_engines: Vec<KnownEngine> = self
            .vehicle_reference
            .engines(make, model, year.get())
            .into_iter()
            .map(|engine| KnownEngine { name: engine.name, models: engine.listed_as })
            .collect();
        let query = OilQuery {
            // The table uses the listed name of a make, whatever people type.
            make: self.vehicle_reference.make(make).map_or(make.as_str(), |known| &known.name),
            model,
            year: year.get(),
            engine: question.engine.as_deref(),
            known_engines: &known_engines,
        };
        oil_specification(&query, None)
    }
}
