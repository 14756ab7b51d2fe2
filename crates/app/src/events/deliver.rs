//! The deliveries of a server. Each is claimed, made, and noted; a server that dies in between leaves its claim behind,
//! and another one makes the delivery again after a minute, with the same id.

use std::convert::Infallible;
use std::future::pending;
use std::time::Duration;

use jiff::SignedDuration;
use partsight_domain::{ENDPOINT_PATIENCE, EVENT_KEPT_FOR, next_try, rest_after};
use partsight_providers::{WebhookMessage, WebhookSender};
use partsight_store::{ClaimedDelivery, FailedTry};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::problems::problem;
use crate::Result;
use crate::events::Events;

/// How long a delivery is a server's: far more than one takes.
const LEASE: SignedDuration = SignedDuration::from_secs(60);
/// How long an endpoint without its plan is left alone: so soon it goes on once the plan is there.
const WITHOUT_PLAN: SignedDuration = SignedDuration::from_mins(10);
/// Deliveries at a time.
const PLACES: usize = 8;
/// How often a server without work looks for some.
const IDLE: Duration = Duration::from_secs(1);

impl Events {
    /// Makes deliveries for as long as the server runs. Does nothing where nothing may leave it.
    pub async fn run(&self) -> Infallible {
        let mut under_way = JoinSet::new();
        loop {
            // Finished tasks leave the set only when somebody takes them out.
            while under_way.try_join_next().is_some() {}
            if under_way.len() >= PLACES {
                let _ = under_way.join_next().await;
                continue;
            }
            match self.claim().await {
                Ok(Some((sender, delivery))) => {
                    let events = self.clone();
                    under_way.spawn(async move {
                        if let Err(error) = events.deliver(&sender, &delivery).await {
                            tracing::warn!(
                                error = &error as &dyn std::error::Error,
                                "what came of a webhook could not be noted; it is sent again"
                            );
                        }
                    });
                }
                Ok(None) if under_way.is_empty() => sleep(IDLE).await,
                // One that ends makes room for the next one to the same endpoint.
                Ok(None) => {
                    let _ = timeout(IDLE, under_way.join_next()).await;
                }
                Err(error) if error.is_closed() => return pending().await,
                Err(error) => {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "the next webhook could not be claimed"
                    );
                    // Not at once: what keeps the store from answering lasts longer than a moment.
                    sleep(IDLE * 5).await;
                }
            }
        }
    }

    /// Makes one delivery; false where none is due.
    ///
    /// # Errors
    /// Those of the store. What the endpoint says is the outcome of the delivery.
    pub async fn deliver_next(&self) -> Result<bool> {
        let Some((sender, delivery)) = self.claim().await? else { return Ok(false) };
        self.deliver(&sender, &delivery).await?;
        Ok(true)
    }

    async fn claim(&self) -> Result<Option<(WebhookSender, ClaimedDelivery)>> {
        let Some(sender) = &self.sender else { return Ok(None) };
        let now = self.clock.now();
        // Asked without a write transaction first: every idle server asks every second.
        if !self.store.has_webhook_work(now).await? {
            return Ok(None);
        }
        let claimed = self.store.claim_webhook_delivery(self.worker, now, now + LEASE).await?;
        Ok(claimed.map(|delivery| (sender.clone(), delivery)))
    }

    async fn deliver(&self, sender: &WebhookSender, delivery: &ClaimedDelivery) -> Result<()> {
        let owner = self.store.find_user_of_tenant(delivery.tenant_id).await?;
        // Asked at each delivery: a plan can lapse while deliveries wait.
        if let Some(reason) = owner.as_ref().and_then(|owner| self.lapsed(owner)) {
            let until = self.clock.now() + WITHOUT_PLAN;
            self.store.postpone_webhook(&delivery.lease, reason, until).await?;
            return Ok(());
        }
        let (id, body) = (delivery.event.id.to_string(), delivery.event.payload().to_string());
        let message = WebhookMessage { id: &id, attempt: delivery.attempts, body: &body };
        let sent = sender.send(&delivery.url, &delivery.secret, message, self.clock.now()).await;
        // Taken anew, because the endpoint may have kept us waiting for seconds.
        let now = self.clock.now();
        match sent {
            Ok(status) => self.store.webhook_delivered(&delivery.lease, status, now).await?,
            Err(failure) => {
                let failed = FailedTry {
                    status: failure.status(),
                    problem: problem(failure),
                    next_at: next_try(delivery.attempts, now),
                    rest_until: rest_after(delivery.n_failures.saturating_add(1), now),
                    patience_since: now - ENDPOINT_PATIENCE,
                };
                self.store.webhook_failed(&delivery.lease, &failed, now).await?
            }
        };
        Ok(())
    }

    /// Deletes events that nobody waits for any more; how many went.
    pub async fn purge(&self) -> Result<u64> {
        let now = self.clock.now();
        Ok(self.store.purge_events(now - EVENT_KEPT_FOR, now - EVENT_KEPT_FOR * 10).await?)
    }

    /// Gives the deliveries under way back, for another server or the next start.
    pub(crate) async fn give_back(&self) {
        if let Err(error) = self.store.release_webhook_leases(self.worker).await {
            tracing::warn!(%error, "the webhooks under way could not be given back");
        }
    }
}
