//! Whether a part fits a vehicle, by everything that is known.

use partsight_domain::{
    Feature, FillQuestion, Fit, FitVerdict, InvalidInput, PartLabel, PartType, ShopPart, ShopPartId, User,
    Vehicle, VehicleFacts, VehicleId, VehicleName, messages,
};

use crate::fill::{FillState, FillSubject};
use crate::parts::Parts;
use crate::parts::part_types::PartTypes;
use crate::vehicle_facts::vehicle_facts;
use crate::{Entity, Error, PartFacts, Result};

/// Most parts of the shop in an answer.
const MAX_NAMED_PARTS: usize = 20;

/// The part that is checked.
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
    /// For a part type: the parts of the shop that fit, at most 20.
    pub parts: Vec<ShopPart>,
    /// The state of a language model's answer; `None` if the verdict is not [`FitVerdict::Unknown`].
    pub fill: Option<FillState>,
}

/// An answer, with the question for a language model if it is unknown.
pub(crate) struct CheckedFit {
    pub(crate) found: PartFit,
    pub(crate) lacking: Option<FillSubject>,
}

impl Parts {
    /// Whether a part fits a vehicle of the user, by default the default one, by everything that is known here.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::NotFound`] and [`Error::Invalid`].
    pub(crate) async fn checked_fit(
        &self,
        user: &User,
        subject: &FitSubject,
        vehicle_id: Option<VehicleId>,
    ) -> Result<CheckedFit> {
        if !self.accounts.effective_plan(user).includes(Feature::CompatibilityChecker) {
            return Err(Error::Forbidden { message: messages::COMPATIBILITY_NEEDS_PLAN });
        }
        let types = self.part_types(user).await?;
        let (label, part) = match subject {
            FitSubject::Type(label) => {
                types.get(label).ok_or(Error::NotFound { entity: Entity::Part })?;
                (label.clone(), None)
            }
            FitSubject::Part(id) => {
                let part = self.shop_part(user, *id).await?;
                (part.details.label.clone(), Some(part))
            }
        };
        let vehicle = match vehicle_id {
            Some(id) => self.garage.vehicle(user, id).await?,
            None => self
                .garage
                .default_vehicle(user)
                .await?
                .ok_or_else(|| InvalidInput::new("vehicleId", messages::FITS_VEHICLE_MISSING))?,
        };
        let name = &vehicle.details.name;
        let of_vehicle = self.unfit(&types, &label, name, &self.vehicle_facts(&vehicle));
        // A vehicle that lacks what the type needs outweighs statements about the part.
        let (fit, parts) = match (of_vehicle, part) {
            (Some(fit), _) => (Some(fit), Vec::new()),
            (None, Some(part)) => (Fit::of_fitments(&part.details.fitments, name), Vec::new()),
            (None, None) => self.fit_of_type(user, &label, name).await?,
        };
        let lacking = if fit.is_none() { fitment_subject(&types, &label, &vehicle) } else { None };
        let fit = fit.unwrap_or_else(|| Fit::unknown(messages::FIT_UNKNOWN));
        Ok(CheckedFit { found: PartFit { fit, vehicle, parts, fill: None }, lacking })
    }

    /// A part type fits if a part of it in the shop fits; if none does, nothing follows.
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
        // The first part that fits gives the reason; the list below names the others.
        let Some((first, fit)) = parts.iter().find_map(|part| Some((part, fits(part)?))) else {
            return Ok((None, Vec::new()));
        };
        let brand = first.details.brand.as_ref().map(|brand| format!("{brand} ")).unwrap_or_default();
        let reason = format!("Your shop has {brand}{}: {}", first.details.number, fit.reason);
        let fitting =
            parts.iter().filter(|part| fits(part).is_some()).take(MAX_NAMED_PARTS).cloned().collect();
        Ok((Some(Fit { reason, ..fit }), fitting))
    }

    /// Facts about a vehicle: of its own engine if that is listed, else of all engines with which it was sold.
    pub(crate) fn vehicle_facts(&self, vehicle: &Vehicle) -> VehicleFacts {
        let details = &vehicle.details;
        let engine = self.garage.engine_of(details);
        let of_vin = || self.garage.variant_of_vin(details);
        vehicle_facts(&self.garage.vehicle_reference, &details.name, engine.as_deref(), of_vin)
    }

    /// Why each of these part types cannot be on a vehicle; `None` for one that can or might.
    pub fn unfit_reasons(&self, part_types: &[&PartType], vehicle: &Vehicle) -> Vec<Option<String>> {
        let facts = self.vehicle_facts(vehicle);
        let reason = |part_type: &&PartType| {
            let need = self.catalog.vehicle_need(&part_type.label)?;
            Some(Fit::of_type(&part_type.name, Some(need), &vehicle.details.name, &facts)?.reason)
        };
        part_types.iter().map(reason).collect()
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
}

/// The question for a language model about a part type on a vehicle: for a shipped type shared by all tenants, for a
/// taught one only of its tenant.
fn fitment_subject(types: &PartTypes, label: &PartLabel, vehicle: &Vehicle) -> Option<FillSubject> {
    let facts = types.get(label)?;
    let (owner, part, category) = match facts {
        PartFacts::Shipped(part_type) => (None, &part_type.name, part_type.category),
        PartFacts::Taught(part_type) => (part_type.tenant_id, &part_type.name, part_type.category),
    };
    let details = &vehicle.details;
    let question = FillQuestion::Fitment {
        part: part.clone(),
        category,
        vehicle: details.name.clone(),
        engine: details.engine.clone(),
    };
    Some(FillSubject { owner, question })
}
