//! Photographs being judged now, so that of concurrent near-duplicates only one is sent.
//!
//! In this process only: two servers on one database may each send one of a concurrent pair.

use std::sync::{Arc, Mutex, PoisonError};

use partsight_domain::{Embedding, Judgement, NotJudged, PartLabel, TenantId};
use tokio::sync::watch;

/// The judgement that followers take over.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shared {
    pub(crate) judgement: Judgement,
    /// The types that the judge could choose from.
    pub(crate) offered: Vec<PartLabel>,
    pub(crate) judge_model: String,
}

type Outcome = Result<Shared, NotJudged>;

/// The open cases. The limit on photographs in flight keeps them few, so a linear search will do.
#[derive(Debug, Default)]
pub(super) struct InFlight(Mutex<Vec<Case>>);

#[derive(Debug)]
struct Case {
    tenant_id: TenantId,
    embedding: Arc<Embedding>,
    outcome: watch::Receiver<Option<Outcome>>,
}

/// Role of a photograph.
pub(super) enum Entry<'f> {
    /// It is judged itself.
    Lead(Lead<'f>),
    /// A near-duplicate is being judged.
    Follow(Follow),
}

/// An open case; dropping it closes the case, with or without an outcome.
pub(super) struct Lead<'f> {
    in_flight: &'f InFlight,
    embedding: Arc<Embedding>,
    sender: watch::Sender<Option<Outcome>>,
}

/// The open case of another photograph.
pub(super) struct Follow {
    /// Cosine similarity of the two photographs, in -1..=1.
    pub(super) similarity: f32,
    receiver: watch::Receiver<Option<Outcome>>,
}

impl InFlight {
    /// Opens a case, unless the shop has an open case with a cosine similarity of at least `least`.
    pub(super) fn enter(&self, tenant_id: TenantId, embedding: &Arc<Embedding>, least: f32) -> Entry<'_> {
        let mut cases = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Any case above the bound will do: saved verdicts are reused by the same bound.
        let alike = cases.iter().filter(|case| case.tenant_id == tenant_id).find_map(|case| {
            let similarity = case.embedding.similarity(embedding, least)?;
            Some(Follow { similarity, receiver: case.outcome.clone() })
        });
        if let Some(follow) = alike {
            return Entry::Follow(follow);
        }
        let (sender, outcome) = watch::channel(None);
        let embedding = Arc::clone(embedding);
        cases.push(Case { tenant_id, embedding: Arc::clone(&embedding), outcome });
        Entry::Lead(Lead { in_flight: self, embedding, sender })
    }
}

impl Lead<'_> {
    /// Passes the outcome to the followers.
    pub(super) fn finish(self, outcome: Outcome) {
        self.sender.send_replace(Some(outcome));
    }
}

impl Drop for Lead<'_> {
    fn drop(&mut self) {
        let mut cases = self.in_flight.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Each case has its own allocation, so pointer equality identifies it even among equal embeddings.
        cases.retain(|case| !Arc::ptr_eq(&case.embedding, &self.embedding));
    }
}

impl Follow {
    /// The outcome; `None` if the leader was cancelled or gave up its lead.
    pub(super) async fn outcome(mut self) -> Option<Outcome> {
        match self.receiver.wait_for(Option::is_some).await {
            Ok(outcome) => outcome.clone(),
            Err(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn embedding(values: [f32; 2]) -> Arc<Embedding> {
        Arc::new(Embedding::new(values.to_vec()).unwrap())
    }

    fn leads(entry: &Entry<'_>) -> bool {
        matches!(entry, Entry::Lead(_))
    }

    #[tokio::test]
    async fn one_of_those_alike_leads_and_the_others_take_over_what_it_got() {
        let (in_flight, tenant, other) =
            (InFlight::default(), TenantId(Uuid::now_v7()), TenantId(Uuid::now_v7()));
        let (first, alike, unlike) = (embedding([1.0, 0.0]), embedding([1.0, 0.01]), embedding([0.0, 1.0]));
        let Entry::Lead(lead) = in_flight.enter(tenant, &first, 0.98) else { panic!("the first leads") };
        let Entry::Follow(follow) = in_flight.enter(tenant, &alike, 0.98) else {
            panic!("the second follows")
        };
        assert!(leads(&in_flight.enter(tenant, &unlike, 0.98)));
        assert!(leads(&in_flight.enter(other, &alike, 0.98)));
        lead.finish(Err(NotJudged::TimedOut));
        assert_eq!(follow.outcome().await, Some(Err(NotJudged::TimedOut)));
        assert!(leads(&in_flight.enter(tenant, &alike, 0.98)));
    }

    #[tokio::test]
    async fn a_leader_who_goes_away_makes_room_for_the_next() {
        let (in_flight, tenant) = (InFlight::default(), TenantId(Uuid::now_v7()));
        let (first, second) = (embedding([1.0, 0.0]), embedding([1.0, 0.0]));
        let lead = in_flight.enter(tenant, &first, 0.98);
        let Entry::Follow(follow) = in_flight.enter(tenant, &second, 0.98) else {
            panic!("the second follows")
        };
        drop(lead);
        assert_eq!(follow.outcome().await, None);
        assert!(leads(&in_flight.enter(tenant, &second, 0.98)));
    }
}
