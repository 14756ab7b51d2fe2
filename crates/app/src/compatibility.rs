//! Whether a part fits a vehicle, as far as anything that is known says.

use partsight_domain::{
    Candidate, Feature, Fit, FitVerdict, InvalidInput, PartLabel, ShopPart, ShopPartId, User, Vehicle,
    VehicleDoubt, VehicleFacts, VehicleId, VehicleName, VehicleVariant, messages,
};

use crate::parts::PartTypes;
use crate::{App, Error, Result};

/// Parts of the shop that an answer names.
const MAX_NAMED_PARTS: usize = 20;

/// What is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FitSubject {
    /// A part type.
    Type(PartLabel),
    /// A part of the user's shop.
    Part(ShopPartId),
}

/// Whether a part fits a vehicle.
#[derive(Debug, Clone, PartialEq)]
pub struct PartFit {
    /// The answer.
    pub fit: Fit,
    /// The vehicle that it is about.
    pub vehicle: Vehicle,
    /// For a part type: the parts of the shop that are said to fit, at most 20.
    pub parts: Vec<ShopPart>,
}

impl App {
    /// Whether a part fits a vehicle of the user, the default one unless given.
    ///
    /// What the vehicle lacks comes first, such as an engine that a spark plug could be in; then what is said of the
    /// part: by the shop, or by fitment data that was imported.
    ///
    /// # Errors
    /// [`Error::Forbidden`] without the plan for it, [`Error::NotFound`] for a part or vehicle that does not exist or
    /// is somebody else's, [`Error::Invalid`] where no vehicle is given and none is the default.
    pub async fn part_fit(
        &self,
        user: &User,
        subject: &FitSubject,
        vehicle_id: Option<VehicleId>,
    ) -> Result<PartFit> {
        if !self.effective_plan(user).includes(Feature::CompatibilityChecker) {
            return Err(Error::Forbidden { message: messages::COMPATIBILITY_NEEDS_PLAN });
        }
        let types = self.part_types(user).await?;
        let (label, part) = match subject {
            FitSubject::Type(label) => {
                types.get(label).ok_or(Error::NotFound { entity: crate::Entity::Part })?;
                (label.clone(), None)
            }
            FitSubject::Part(id) => {
                let part = self.shop_part(user, *id).await?;
                (part.details.label.clone(), Some(part))
            }
        };
        let vehicle = match vehicle_id {
            Some(id) => self.vehicle(user, id).await?,
            None => self
                .default_vehicle(user)
                .await?
                .ok_or_else(|| InvalidInput::new("vehicleId", messages::FITS_VEHICLE_MISSING))?,
        };
        let name = &vehicle.details.name;
        let of_vehicle = self.unfit(&types, &label, name, &self.vehicle_facts(&vehicle));
        let (fit, parts) = match (of_vehicle, part) {
            (Some(fit), _) => (Some(fit), Vec::new()),
            (None, Some(part)) => (Fit::of_fitments(&part.details.fitments, name), Vec::new()),
            (None, None) => self.fit_of_type(user, &label, name).await?,
        };
        let fit = fit.unwrap_or_else(|| Fit::unknown(messages::FIT_UNKNOWN));
        Ok(PartFit { fit, vehicle, parts })
    }

    /// A part type fits where a part of it in the shop does; that none does says nothing of the type.
    async fn fit_of_type(
        &self,
        user: &User,
        label: &PartLabel,
        vehicle: &VehicleName,
    ) -> Result<(Option<Fit>, Vec<ShopPart>)> {
        let parts = self.shop_parts_for(user, label, Some(vehicle)).await?;
        let fits = |part: &ShopPart| {
            Fit::of_fitments(&part.details.fitments, vehicle).filter(|fit| fit.verdict == FitVerdict::Fits)
        };
        let Some((first, fit)) = parts.iter().find_map(|part| Some((part, fits(part)?))) else {
            return Ok((None, Vec::new()));
        };
        let brand = first.details.brand.as_ref().map(|brand| format!("{brand} ")).unwrap_or_default();
        let reason = format!("Your shop has {brand}{}: {}", first.details.number, fit.reason);
        let fitting =
            parts.iter().filter(|part| fits(part).is_some()).take(MAX_NAMED_PARTS).cloned().collect();
        Ok((Some(Fit { reason, ..fit }), fitting))
    }

    /// What is known of a vehicle beside its name: of its own engine where it is one of those listed, else of all with
    /// which it was sold.
    pub(crate) fn vehicle_facts(&self, vehicle: &Vehicle) -> VehicleFacts {
        let VehicleName { year, make, model } = &vehicle.details.name;
        let engines = self.reference.engines(make, model, year.get());
        let own = vehicle.details.engine.as_deref().map(str::trim).unwrap_or_default();
        let is_own = |name: &str| !own.is_empty() && name.eq_ignore_ascii_case(own);
        let has_own = engines.iter().any(|engine| is_own(&engine.name) || is_own(&engine.id));
        let variants = engines
            .into_iter()
            .filter(|engine| !has_own || is_own(&engine.name) || is_own(&engine.id))
            .map(|engine| VehicleVariant {
                has_engine: engine.propulsion.has_engine(),
                fuel: engine.fuel,
                transmissions: engine.transmissions,
                drives: engine.drives,
            });
        VehicleFacts { variants: variants.collect() }
    }

    /// Why a part type cannot be on a vehicle, if it cannot.
    fn unfit(
        &self,
        types: &PartTypes,
        label: &PartLabel,
        vehicle: &VehicleName,
        facts: &VehicleFacts,
    ) -> Option<Fit> {
        let need = self.catalog.vehicle_need(label)?;
        Fit::of_type(&types.name(label), Some(need), vehicle, facts)
    }

    /// Whether a vehicle of these facts surely lacks what a part type needs.
    pub(crate) fn is_unfit(&self, label: &PartLabel, facts: &VehicleFacts) -> bool {
        self.catalog.vehicle_need(label).is_some_and(|need| facts.lacks(need))
    }

    /// The sentences on the candidates that the vehicle speaks against; each has the probability that it had.
    pub(crate) fn vehicle_doubts(
        &self,
        types: &PartTypes,
        sunk: Vec<Candidate>,
        vehicle: &VehicleName,
        facts: &VehicleFacts,
    ) -> Vec<VehicleDoubt> {
        let doubts = sunk.into_iter().filter_map(|candidate| {
            let fit = self.unfit(types, &candidate.label, vehicle, facts)?;
            Some(VehicleDoubt {
                label: candidate.label,
                confidence_without_vehicle: candidate.confidence,
                reason: fit.reason,
            })
        });
        doubts.collect()
    }
}
