//! One answer of several scans that show one part, by the rule for several photographs in one scan.

use std::sync::Arc;

use partsight_domain::{Candidate, OpinionPool, Scan, User, VehicleId, Verdict};
use partsight_store::ScanFeatures;

use crate::scanning::Scanning;
use crate::scanning::conditions::InForce;
use crate::{Identifier, Result};

/// What pools scans of a user at a moment.
pub(crate) struct Pooling {
    identifier: Arc<Identifier>,
    in_force: InForce,
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
        let vehicle = self.vehicle_if_kept(user, vehicle_id).await?;
        let in_force = self.in_force(user, vehicle.as_ref()).await?;
        Ok(Pooling { identifier: Arc::clone(&self.identifier), in_force })
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
        let conditions = self.in_force.conditions(None, 1).with_taught(scorer.taught());
        let decision = OpinionPool::new(seen_before.collect())?.decide(&conditions)?;
        Some(PooledAnswer { verdict: decision.verdict, best: decision.best })
    }
}
