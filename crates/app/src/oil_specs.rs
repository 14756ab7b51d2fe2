//! Which engine oil a vehicle takes.

use partsight_domain::{FillQuestion, InvalidInput, NewVehicle, OwnerOil, User, VehicleId, VehicleName};
pub use partsight_vehicle_data::oil::{Fact, OilSource, OilSpecification};
use partsight_vehicle_data::oil::{KnownEngine, OilQuery, oil_specification};

use crate::fills::{FillSubject, may_discard};
use crate::{App, FillState, Result};

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

/// What is known of the oil of a vehicle.
#[derive(Debug, Clone, PartialEq)]
pub struct OilAnswer {
    /// The values, with where they come from.
    pub oil: OilSpecification,
    /// What a language model has to do with it; `None` where our table knows the engine, or there is no oil.
    pub fill: Option<FillState>,
}

impl App {
    /// What is known of the oil of a vehicle. The owner's own values win: those of the vehicle `vehicle_id`, else
    /// those of the user's vehicle of this name. Then comes our table, then what a language model was asked to fill in,
    /// and then common values.
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound) for a `vehicle_id` that does not exist or belongs to somebody
    /// else.
    pub async fn oil_specification(
        &self,
        user: &User,
        question: &OilQuestion,
        vehicle_id: Option<VehicleId>,
    ) -> Result<OilAnswer> {
        let own = match vehicle_id {
            Some(id) => self.vehicle_oil(user, id).await?,
            None => self.owner_oil(user, &question.vehicle).await?,
        };
        let known = self.known_oil(question);
        let fill = match lacking(&known, question) {
            Some(subject) => Some(self.fill_state(user, &subject).await),
            None => None,
        };
        Ok(answer(known, own.as_ref(), fill))
    }

    /// As [`oil_specification`](Self::oil_specification) of a vehicle of the user, with a language model asked first for
    /// what our table lacks.
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound) for a vehicle that does not exist or belongs to somebody else,
    /// [`Error::TooManyAttempts`](crate::Error::TooManyAttempts) for too many questions at once.
    pub async fn ask_for_oil(&self, user: &User, vehicle_id: VehicleId) -> Result<OilAnswer> {
        let question = self.oil_question(user, vehicle_id).await?;
        let own = self.vehicle_oil(user, vehicle_id).await?;
        let known = self.known_oil(&question);
        let fill = match lacking(&known, &question) {
            Some(subject) => Some(self.fill(user, &subject).await?),
            None => None,
        };
        Ok(answer(known, own.as_ref(), fill))
    }

    /// Throws away what a language model filled in of the oil of a vehicle.
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound) for a vehicle that does not exist or belongs to somebody else, and
    /// where nothing was filled in; [`Error::Forbidden`](crate::Error::Forbidden) for a member of a company who is no
    /// manager.
    pub async fn discard_oil(&self, user: &User, vehicle_id: VehicleId) -> Result<()> {
        let question = self.oil_question(user, vehicle_id).await?;
        let subject = subject(&question);
        may_discard(user, &subject)?;
        self.discard_fill(user, &subject).await
    }

    async fn oil_question(&self, user: &User, vehicle_id: VehicleId) -> Result<OilQuestion> {
        let details = self.vehicle(user, vehicle_id).await?.details;
        Ok(OilQuestion { vehicle: details.name, engine: details.engine })
    }

    /// What our table knows, or common values.
    fn known_oil(&self, question: &OilQuestion) -> OilSpecification {
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
        oil_specification(&query, None)
    }
}

/// What a language model may be asked where our table knows nothing.
fn lacking(known: &OilSpecification, question: &OilQuestion) -> Option<FillSubject> {
    (known.source == OilSource::Fallback).then(|| subject(question))
}

/// The oil of a vehicle of the market concerns all tenants alike.
fn subject(question: &OilQuestion) -> FillSubject {
    let OilQuestion { vehicle, engine } = question.clone();
    FillSubject { owner: None, question: FillQuestion::Oil { vehicle, engine } }
}

fn answer(known: OilSpecification, own: Option<&OwnerOil>, fill: Option<FillState>) -> OilAnswer {
    let mut oil = known;
    if let Some(fill) = &fill
        && let (Some(filled), Some(by)) = (fill.oil(), fill.by())
    {
        oil.put_filled(filled, &by);
    }
    if let Some(own) = own {
        oil.put_owner(own);
    }
    OilAnswer { oil, fill }
}
