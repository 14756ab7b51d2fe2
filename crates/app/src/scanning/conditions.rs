//! The conditions of a user's answers beside the photographs: the shop's feedback and dial, and the vehicle.

use std::sync::Arc;

use partsight_domain::{
    Conditions, LookAlikes, PartLabel, SetRule, User, Vehicle, VehicleId, VerdictThresholds,
};

use crate::recognition::vehicle_prior::VehiclePrior;
use crate::scanning::Scanning;
use crate::{Error, Result};

/// The conditions in force for the answers to a user.
pub(super) struct InForce {
    /// As [`Conditions::feedback_temperature`].
    pub(super) feedback_temperature: Option<f64>,
    /// Verdict thresholds, each in 0..=1.
    pub(super) thresholds: VerdictThresholds,
    /// As [`Conditions::model_identified_confidence`].
    model_identified_confidence: f32,
    /// The pairs that the shop marked as look-alikes.
    pub(super) look_alikes: LookAlikes,
    /// The vehicle that the part is for.
    pub(super) prior: Option<Arc<VehiclePrior>>,
    is_unfit: Box<dyn Fn(&PartLabel) -> bool + Send + Sync>,
}

impl InForce {
    /// The conditions with this rule for candidate sets, and with `top` named types; see [`Conditions`]. When a
    /// taught part may be identified is decided by the model ([`Conditions::with_taught`]).
    pub(super) fn conditions<'a>(&'a self, sets: Option<SetRule<'a>>, top: usize) -> Conditions<'a> {
        Conditions {
            feedback_temperature: self.feedback_temperature,
            is_unfit: &self.is_unfit,
            thresholds: self.thresholds,
            model_identified_confidence: self.model_identified_confidence,
            sets,
            look_alikes: Some(&self.look_alikes),
            taught: None,
            top,
        }
    }
}

/// What a user's scans at about one time have in common.
pub(crate) struct Ground {
    /// What the parts are for.
    pub(super) vehicle: Option<Vehicle>,
    pub(super) in_force: InForce,
}

impl Scanning {
    /// The common ground of a user's scans now, with this vehicle if there is one.
    pub(super) async fn ground(&self, user: &User, vehicle: Option<Vehicle>) -> Result<Ground> {
        let in_force = self.in_force(user, vehicle.as_ref()).await?;
        Ok(Ground { vehicle, in_force })
    }

    /// As [`ground`](Self::ground) for the photographs of a batch, which names its vehicle or has none.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a vehicle that was deleted.
    pub(crate) async fn ground_of_batch(&self, user: &User, vehicle_id: Option<VehicleId>) -> Result<Ground> {
        let vehicle = match vehicle_id {
            Some(id) => Some(self.garage.vehicle(user, id).await?),
            None => None,
        };
        self.ground(user, vehicle).await
    }

    /// The conditions for a user now, with this vehicle if there is one.
    pub(super) async fn in_force(&self, user: &User, vehicle: Option<&Vehicle>) -> Result<InForce> {
        let prior = vehicle.map(|vehicle| Arc::new(self.prior_of(&vehicle.details)));
        let of_vehicle = prior.clone();
        Ok(InForce {
            feedback_temperature: self.teaching.feedback_temperature(user.shop_tenant()).await?,
            thresholds: self.teaching.thresholds_of(user.shop_tenant()).await?,
            model_identified_confidence: self.identifier.thresholds().identified_confidence,
            look_alikes: self.teaching.look_alikes_in_force(user.visible_tenants()).await?,
            prior,
            // Ruled-out types are down-weighted and not excluded: people mistype their vehicle, and parts lie on
            // benches. See docs/decisions/0042-vehicle-as-prior.md.
            is_unfit: Box::new(move |label: &PartLabel| {
                of_vehicle.as_ref().is_some_and(|prior| prior.rules_out(label))
            }),
        })
    }

    /// The vehicle of an earlier scan or of a batch; `None` if it was deleted since.
    pub(super) async fn vehicle_if_kept(
        &self,
        user: &User,
        id: Option<VehicleId>,
    ) -> Result<Option<Vehicle>> {
        let Some(id) = id else { return Ok(None) };
        match self.garage.vehicle(user, id).await {
            Ok(vehicle) => Ok(Some(vehicle)),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
