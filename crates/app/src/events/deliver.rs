//! The deliveries of a server (`send_loop.rs`). One that is made again has the same id.

use std::convert::Infallible;
use std::time::Duration;

use jiff::SignedDuration;
use partsight_domain::{ENDPOINT_PATIENCE, EVENT_KEPT_FOR, next_try, rest_after};
use partsight_providers::{WebhookMessage, WebhookSender};
use partsight_store::{ClaimedDelivery, FailedTry};

use super::problems::problem;
use crate::Result;
use crate::events::Events;
use crate::send_loop::SendLoop;

/// How long a delivery is a server's: far more than one takes. Then another server makes it.
const LEASE: SignedDuration = SignedDuration::from_secs(60);
/// How long an endpoint without its plan is left alone: so soon it goes on once the plan is there.
const WITHOUT_PLAN: SignedDuration = SignedDuration::from_mins(10);
const SEND_LOOP: SendLoop = SendLoop {
    idle: Duration::from_secs(1),
    unclaimed: "the next webhook could not be claimed",
    unsaved: "what came of a webhook could not be saved; it is sent again",
};

impl Events {
    /// Makes deliveries for as long as the server runs. Does nothing where nothing may leave it.
    pub async fn run(&self) -> Infallible {
        let send = |(sender, delivery): (WebhookSender, ClaimedDelivery)| {
            let events = self.clone();
            async move { events.deliver(&sender, &delivery).await }
        };
        SEND_LOOP.run(|| self.claim(), send).await
    }

    /// Makes one delivery; false where none is due. For tests, which wait for it.
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
