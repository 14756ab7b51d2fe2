//! Drift: whether a week's scans are distributed like the photographs on which the confidence was calibrated; for one
//! account on request of its owner, and for the whole server once a day.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::SignedDuration;
use partsight_domain::{
    CalibratedScores, DRIFT_WINDOW, FittedScores, ModelScores, RawScores, ScanDrift, TenantId, User,
};
use partsight_inference::Manifest;
use partsight_store::{RawScanScores, ScanSpan};
use tokio::time::timeout;

use super::Evaluations;
use crate::accounts::owner::may_decide;
use crate::clock::Clock;
use crate::limits::heavy_work::Deadline;
use crate::limits::one_at_a_time::OneAtATime;
use crate::limits::person::Person;
use crate::recognition::identify::calibration_of;
use crate::{Error, Result};

/// Newest scans whose scores are compared: with so many, a distance of 0.05 between the curves is significant.
const MAX_SCORES: u32 = 2000;
/// Most embeddings that are compared of each side: about a tenth of a second of one core.
const MAX_EMBEDDINGS: u32 = 300;
/// How far back earlier scans are compared: what a shop works on also changes with the seasons.
const EARLIER: SignedDuration = SignedDuration::from_hours(90 * 24);
/// How long a result is reused, however often somebody asks.
const FRESH: Duration = Duration::from_hours(1);
/// Interval of the check of all scans: the p-value of an alert assumes one check a day.
const LOOK_EVERY: Duration = Duration::from_hours(24);
/// Most cached results, each about 1 KB.
const MAX_KEPT: usize = 1000;
/// How long a call waits for the same check of another call.
const WAIT: Duration = Duration::from_secs(10);

/// Cached results, by account, and that of the whole server.
#[derive(Debug, Default)]
pub(super) struct DriftLooks {
    tenants: Mutex<HashMap<TenantId, Look>>,
    /// The accounts whose scans are being checked.
    looking: OneAtATime<TenantId>,
    server: Mutex<Option<Look>>,
}

#[derive(Debug, Clone)]
struct Look {
    at: Instant,
    found: Arc<ScanDrift>,
}

impl DriftLooks {
    /// The cached result of an account, or otherwise that of `look`, which reads thousands of scans: of several
    /// concurrent calls one runs it, and the others wait for the result.
    async fn shared(
        &self,
        tenant_id: TenantId,
        clock: &Clock,
        look: impl Future<Output = Result<ScanDrift>>,
    ) -> Result<Arc<ScanDrift>> {
        if let Some(found) = self.fresh(tenant_id, clock.steady()) {
            return Ok(found);
        }
        let _turn = timeout(WAIT, self.looking.enter(tenant_id)).await.map_err(|_| Error::Busy)?;
        let now = clock.steady();
        // Cached by the call that had the turn before.
        if let Some(found) = self.fresh(tenant_id, now) {
            return Ok(found);
        }
        let found = Arc::new(look.await?);
        self.keep(tenant_id, Look { at: now, found: Arc::clone(&found) });
        Ok(found)
    }

    fn fresh(&self, tenant_id: TenantId, now: Instant) -> Option<Arc<ScanDrift>> {
        let looks = locked(&self.tenants);
        let look = looks.get(&tenant_id).filter(|look| now.duration_since(look.at) < FRESH)?;
        Some(Arc::clone(&look.found))
    }

    fn keep(&self, tenant_id: TenantId, look: Look) {
        let mut looks = locked(&self.tenants);
        if looks.len() >= MAX_KEPT {
            let now = look.at;
            looks.retain(|_, look| now.duration_since(look.at) < FRESH);
        }
        // If more accounts ask at once than fit, the others are not cached; they are computed in turn, like all heavy
        // work.
        if looks.len() < MAX_KEPT {
            looks.insert(tenant_id, look);
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Evaluations {
    /// Whether the user's own scans of the last seven days are distributed like the photographs on which the confidence
    /// was calibrated; computed at most once an hour.
    ///
    /// # Errors
    /// [`Error::Forbidden`] for a member of a company who does not manage it, [`Error::Busy`] if too much heavy work is
    /// waiting.
    pub async fn drift(&self, user: &User) -> Result<Arc<ScanDrift>> {
        may_decide(user)?;
        let look = self.look(Some(user.tenant_id), user.tenant_id.into());
        self.drift.shared(user.tenant_id, &self.clock, look).await
    }

    /// Checks the scans of all accounts together, unless that was done within a day. The result is exported as
    /// metrics, and an alert is also logged.
    ///
    /// # Errors
    /// As [`drift`](Self::drift).
    pub async fn look_for_drift(&self) -> Result<()> {
        let now = self.clock.steady();
        if locked(&self.drift.server).as_ref().is_some_and(|look| now.duration_since(look.at) < LOOK_EVERY) {
            return Ok(());
        }
        let found = Arc::new(self.look(None, Person::SERVER).await?);
        for (of, shift) in [("confidence", &found.confidence), ("known-score", &found.known_score)] {
            if let Some(shift) = shift.as_ref().filter(|shift| shift.is_alert()) {
                tracing::warn!(
                    drift.of = of,
                    drift.distance = shift.distance(),
                    drift.p_value = shift.p_value,
                    drift.n_scans = found.n_scans,
                    "the scans of the last seven days are unlike the photographs that the confidence was fitted on"
                );
            }
        }
        *locked(&self.drift.server) = Some(Look { at: now, found });
        Ok(())
    }

    /// The last result for the scans of all accounts.
    pub(crate) fn server_drift(&self) -> Option<Arc<ScanDrift>> {
        locked(&self.drift.server).as_ref().map(|look| Arc::clone(&look.found))
    }

    async fn look(&self, tenant_id: Option<TenantId>, person: Person) -> Result<ScanDrift> {
        let now = self.clock.now();
        let since = now - DRIFT_WINDOW;
        let window = ScanSpan {
            tenant_id,
            model_sha256: self.identifier.model_sha256(),
            from: since,
            before: now,
            limit: MAX_SCORES,
        };
        let raw = self.store.list_scan_scores(window).await?;
        let recent = self.store.list_scan_embeddings(ScanSpan { limit: MAX_EMBEDDINGS, ..window }).await?;
        let earlier = ScanSpan { from: since - EARLIER, before: since, limit: MAX_EMBEDDINGS, ..window };
        let earlier = self.store.list_scan_embeddings(earlier).await?;
        let fitted = fitted_of(self.identifier.manifest());
        let calibration = calibration_of(&self.identifier.manifest().calibration);
        let work = move |_: &Deadline| {
            let scores = |RawScanScores { logits, known }: RawScanScores| {
                let scores = CalibratedScores::new(&calibration, RawScores { logits: &logits, known });
                ModelScores { confidence: scores.confidence(), known_score: scores.known_score }
            };
            let scores: Vec<ModelScores> = raw.into_iter().map(scores).collect();
            Ok(ScanDrift::new(now, fitted.as_ref(), &scores, [&earlier, &recent]))
        };
        self.heavy.run(person, work).await
    }
}

/// The curves of a manifest, for the comparison.
fn fitted_of(manifest: &Manifest) -> Option<FittedScores> {
    let drift = manifest.drift.as_ref()?;
    Some(FittedScores {
        effective_n: drift.effective_n.into(),
        at: drift.at.clone(),
        confidence: drift.confidence.clone(),
        known_score: drift.known_score.clone(),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use jiff::Timestamp;
    use tokio::task::yield_now;
    use uuid::Uuid;

    use super::*;
    use crate::system_clock;

    fn nothing_found() -> ScanDrift {
        ScanDrift::new(Timestamp::UNIX_EPOCH, None, &[], [&[], &[]])
    }

    fn look(at: Instant) -> Look {
        Look { at, found: Arc::new(nothing_found()) }
    }

    #[tokio::test]
    async fn calls_of_an_account_at_a_time_share_one_look() {
        let (looks, clock, n_looks) = (DriftLooks::default(), system_clock(), AtomicUsize::new(0));
        let (ann, bob) = (TenantId(Uuid::from_u128(1)), TenantId(Uuid::from_u128(2)));
        let look = || async {
            n_looks.fetch_add(1, Ordering::Relaxed);
            yield_now().await;
            Ok(nothing_found())
        };
        let (one, other, of_bob) = tokio::join!(
            looks.shared(ann, &clock, look()),
            looks.shared(ann, &clock, look()),
            looks.shared(bob, &clock, look()),
        );
        assert!(Arc::ptr_eq(&one.unwrap(), &other.unwrap()));
        of_bob.unwrap();
        assert_eq!(n_looks.load(Ordering::Relaxed), 2);
    }

    #[tokio::test]
    async fn a_look_that_failed_is_made_again_by_whoever_waited_for_it() {
        let (looks, clock) = (DriftLooks::default(), system_clock());
        let ann = TenantId(Uuid::from_u128(1));
        let failed = async {
            yield_now().await;
            Err(Error::TooLong)
        };
        let (one, other) = tokio::join!(
            looks.shared(ann, &clock, failed),
            looks.shared(ann, &clock, async { Ok(nothing_found()) }),
        );
        assert!(matches!(one, Err(Error::TooLong)), "{one:?}");
        other.unwrap();
    }

    #[test]
    fn a_look_holds_for_an_hour_and_for_its_account() {
        let looks = DriftLooks::default();
        let (ann, bob) = (TenantId(Uuid::from_u128(1)), TenantId(Uuid::from_u128(2)));
        let start = Instant::now();
        looks.keep(ann, look(start));
        assert!(looks.fresh(ann, start + FRESH.mul_f64(0.99)).is_some());
        assert!(looks.fresh(ann, start + FRESH).is_none());
        assert!(looks.fresh(bob, start).is_none());
    }

    #[test]
    fn looks_are_bounded_and_old_ones_make_room() {
        let looks = DriftLooks::default();
        let start = Instant::now();
        for number in 0..MAX_KEPT as u128 + 5 {
            looks.keep(TenantId(Uuid::from_u128(number)), look(start));
        }
        assert_eq!(locked(&looks.tenants).len(), MAX_KEPT);
        let new = TenantId(Uuid::from_u128(u128::MAX));
        looks.keep(new, look(start + FRESH));
        assert_eq!(locked(&looks.tenants).len(), 1);
        assert!(looks.fresh(new, start + FRESH).is_some());
    }
}
