//! Which engine oil a vehicle takes, with a language model for vehicles that our table lacks.

use partsight_domain::{FillQuestion, OwnerOil, User, VehicleId};
use partsight_vehicle_data::oil::{OilSource, OilSpecification};

use crate::Result;
use crate::fill::{FillState, FillSubject};
use crate::garage::oil_specs::{OilAnswer, OilQuestion};
use crate::judging::Judging;
use crate::judging::fills::may_discard;

impl Judging {
    /// The oil specification of a vehicle. Precedence: the owner's own values (of the vehicle `vehicle_id`, else of the
    /// user's vehicle of this name), our table, a saved answer of the language model, common values.
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
            Some(id) => self.garage.vehicle_oil(user, id).await?,
            None => self.garage.owner_oil(user, &question.vehicle).await?,
        };
        let question = &self.with_engine(user, question, vehicle_id).await?;
        let known = self.garage.known_oil(question);
        let fill = match lacking(&known, question) {
            Some(subject) => Some(self.fill_state(user, &subject).await),
            None => None,
        };
        Ok(answer(known, own.as_ref(), fill))
    }

    /// The question, with the engine by the saved vehicle's VIN if the question names none.
    async fn with_engine(
        &self,
        user: &User,
        question: &OilQuestion,
        vehicle_id: Option<VehicleId>,
    ) -> Result<OilQuestion> {
        if let Some(id) = vehicle_id.filter(|_| question.engine.is_none()) {
            let saved = self.garage.oil_question(user, id).await?;
            // The question may be about another vehicle than the saved one.
            if saved.vehicle == question.vehicle {
                return Ok(saved);
            }
        }
        Ok(question.clone())
    }

    /// As [`oil_specification`](Self::oil_specification) for one of the user's vehicles, but first asks the language
    /// model if our table lacks it.
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound) for a vehicle that does not exist or belongs to somebody else,
    /// [`Error::TooManyAttempts`](crate::Error::TooManyAttempts) beyond the shop's rate limit.
    pub async fn ask_for_oil(&self, user: &User, vehicle_id: VehicleId) -> Result<OilAnswer> {
        let question = self.garage.oil_question(user, vehicle_id).await?;
        let own = self.garage.vehicle_oil(user, vehicle_id).await?;
        let known = self.garage.known_oil(&question);
        let fill = match lacking(&known, &question) {
            Some(subject) => Some(self.fill(user, &subject).await?),
            None => None,
        };
        Ok(answer(known, own.as_ref(), fill))
    }

    /// Discards the language model's oil specification of a vehicle.
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound) for a vehicle that does not exist, belongs to somebody else, or has
    /// no such specification; [`Error::Forbidden`](crate::Error::Forbidden) for a member of a company who is no
    /// manager.
    pub async fn discard_oil(&self, user: &User, vehicle_id: VehicleId) -> Result<()> {
        let question = self.garage.oil_question(user, vehicle_id).await?;
        let subject = subject(&question);
        may_discard(user, &subject)?;
        self.discard_fill(user, &subject).await
    }
}

/// The question for the language model, if our table lacks the vehicle.
fn lacking(known: &OilSpecification, question: &OilQuestion) -> Option<FillSubject> {
    (known.source == OilSource::Fallback).then(|| subject(question))
}

/// The question, without an owner: its answer is shared by all tenants.
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
    // Last, because the owner's own values take precedence.
    if let Some(own) = own {
        oil.put_owner(own);
    }
    OilAnswer { oil, fill }
}
