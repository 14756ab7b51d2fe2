//! Pools several scans of one part into one answer, by the same rule as several photographs of one scan.

use std::sync::Arc;

use partsight_domain::{Candidate, OpinionPool, Scan, User, VehicleId, Verdict};
use partsight_store::ScanFeatures;

use crate::scanning::Scanning;
use crate::scanning::conditions::InForce;
use crate::{Identifier, Result};

/// What pooling of a user's scans needs.
pub(crate) struct Pooling {
    identifier: Arc<Identifier>,
    in_force: InForce,
}

/// The pooled answer of several photographs of one part.
#[derive(Debug, Clone, PartialEq)]
pub struct PooledAnswer {
    /// How sure it is.
    pub verdict: Verdict,
    /// The best guess.
    pub best: Candidate,
}

impl Scanning {
    /// What pooling of a user's scans needs, with this vehicle if there is one.
    pub(crate) async fn pooling(&self, user: &User, vehicle_id: Option<VehicleId>) -> Result<Pooling> {
        let vehicle = self.vehicle_if_kept(user, vehicle_id).await?;
        let in_force = self.in_force(user, vehicle.as_ref()).await?;
        Ok(Pooling { identifier: Arc::clone(&self.identifier), in_force })
    }
}

impl Pooling {
    /// The pooled answer of scans with their stored model outputs; `None` if none is of the model in use.
    ///
    /// Based only on the photographs: verdicts of the judge and part numbers that were read are not included.
    pub(crate) fn answer<'s>(
        &self,
        scans: impl Iterator<Item = (&'s Scan, &'s ScanFeatures)>,
    ) -> Option<PooledAnswer> {
        let (model, scorer) = (self.identifier.model_sha256(), self.identifier.scorer());
        // From the stored outputs, so that no photograph is needed.
        let seen_before =
            scans.filter(|(_, features)| features.model_sha256 == model).filter_map(|(scan, seen)| {
                scorer.restore(&seen.log_probabilities, &seen.taught_labels, scan.known_score)
            });
        let conditions = self.in_force.conditions(None, 1).with_taught(scorer.taught());
        let decision = OpinionPool::new(seen_before.collect())?.decide(&conditions)?;
        Some(PooledAnswer { verdict: decision.verdict, best: decision.best })
    }
}
