//! One answer of several scans that show one part, by the rule for several photographs in one scan.

use std::sync::Arc;

use partsight_domain::{
    Candidate, Conditions, LookAlikes, OpinionPool, Scan, User, VehicleId, Verdict, VerdictThresholds,
};
use partsight_store::ScanFeatures;

use crate::recognition::vehicle_prior::VehiclePrior;
use crate::scanning::Scanning;
use crate::{Error, Identifier, Result};

/// What holds for the answers of a user at a moment.
pub(crate) struct Pooling {
    identifier: Arc<Identifier>,
    feedback_temperature: Option<f64>,
    thresholds: VerdictThresholds,
    look_alikes: LookAlikes,
    prior: Option<VehiclePrior>,
}

/// What several photographs of one part say together.
#[derive(Debug, Clone, PartialEq)]
pub struct PooledAnswer {
    /// How sure it is.
    pub verdict: Verdict,
    /// The best guess.
    pub best: Candidate,
}

impl Scanning {
    /// What pools scans of a user, of parts of this vehicle where there is one.
    pub(crate) async fn pooling(&self, user: &User, vehicle_id: Option<VehicleId>) -> Result<Pooling> {
        let vehicle = match vehicle_id {
            Some(id) => match self.garage.vehicle(user, id).await {
                Ok(vehicle) => Some(vehicle),
                // It was deleted since, and says nothing any more.
                Err(Error::NotFound { .. }) => None,
                Err(error) => return Err(error),
            },
            None => None,
        };
        Ok(Pooling {
            identifier: Arc::clone(&self.identifier),
            feedback_temperature: self.teaching.feedback_temperature(user.shop_tenant()).await?,
            thresholds: self.teaching.thresholds_of(user).await?,
            look_alikes: self.teaching.look_alikes_in_force(user).await?,
            prior: vehicle.map(|vehicle| self.prior_of(&vehicle.details)),
        })
    }
}

impl Pooling {
    /// The answer of some scans, each with what the model saw; `None` where none of them is of the model in use.
    ///
    /// It is by the photographs: what a judge or a number said of one of them is not in it.
    pub(crate) fn answer<'s>(
        &self,
        scans: impl Iterator<Item = (&'s Scan, &'s ScanFeatures)>,
    ) -> Option<PooledAnswer> {
        let (model, scorer) = (self.identifier.model_sha256(), self.identifier.scorer());
        // By what was kept of each scan, so that no photograph is needed.
        let seen_before =
            scans.filter(|(_, features)| features.model_sha256 == model).filter_map(|(scan, seen)| {
                scorer.restore(&seen.log_probabilities, &seen.taught_labels, scan.known_score)
            });
        let conditions = Conditions {
            feedback_temperature: self.feedback_temperature,
            is_unfit: &|label| self.prior.as_ref().is_some_and(|prior| prior.rules_out(label)),
            thresholds: self.thresholds,
            sets: None,
            look_alikes: Some(&self.look_alikes),
            taught: scorer.taught(),
            top: 1,
        };
        let decision = OpinionPool::new(seen_before.collect())?.decide(&conditions)?;
        Some(PooledAnswer { verdict: decision.verdict, best: decision.best })
    }
}
