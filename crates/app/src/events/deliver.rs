//! Delivers events to webhooks (with `send_loop.rs`). A repeated delivery has the same id.

use std::convert::Infallible;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use partsight_domain::{ENDPOINT_PATIENCE, ENDPOINT_QUIET, EVENT_KEPT_FOR, messages, next_try, rest_after};
use partsight_providers::{WebhookFailure, WebhookMessage, WebhookSender};
use partsight_store::{ClaimedDelivery, FailedTry, FailureRecord};

use super::problems::{GONE, problem};
use crate::Result;
use crate::events::Events;
use crate::send_loop::SendLoop;

/// Length of a lease: far longer than a delivery. After it another server delivers.
const LEASE: SignedDuration = SignedDuration::from_secs(60);
/// How long deliveries to an endpoint without the plan for it are postponed; they resume this soon after the plan
/// does.
const WITHOUT_PLAN: SignedDuration = SignedDuration::from_mins(10);
const SEND_LOOP: SendLoop = SendLoop {
    // Each mostly waits for a receiver, of which a slow one takes ten seconds.
    places: 32,
    idle: Duration::from_secs(1),
    unclaimed: "the next webhook could not be claimed",
    unsaved: "what came of a webhook could not be saved; it is sent again",
};

impl Events {
    /// Delivers events for as long as the server runs. Does nothing if nothing may leave it.
    pub async fn run(&self) -> Infallible {
        let send = |(sender, delivery): (WebhookSender, ClaimedDelivery)| {
            let events = self.clone();
            async move { events.deliver(&sender, &delivery).await }
        };
        SEND_LOOP.run(&self.tasks, || self.claim(), send).await
    }

    /// Makes one delivery; false if none is due. For tests.
    ///
    /// # Errors
    /// Those of the store. A failure of the endpoint is the outcome of the delivery.
    pub async fn deliver_next(&self) -> Result<bool> {
        let Some((sender, delivery)) = self.claim().await? else { return Ok(false) };
        self.deliver(&sender, &delivery).await?;
        Ok(true)
    }

    async fn claim(&self) -> Result<Option<(WebhookSender, ClaimedDelivery)>> {
        let Some(sender) = &self.sender else { return Ok(None) };
        let now = self.clock.now();
        // Checked without a write transaction first: every idle server asks every second.
        if !self.store.has_webhook_work(now).await? {
            return Ok(None);
        }
        let claimed = self.store.claim_webhook_delivery(self.worker, now, now + LEASE).await?;
        Ok(claimed.map(|delivery| (sender.clone(), delivery)))
    }

    async fn deliver(&self, sender: &WebhookSender, delivery: &ClaimedDelivery) -> Result<()> {
        let owner = self.store.find_user_of_tenant(delivery.tenant_id).await?;
        // Checked for each delivery: a plan can lapse while deliveries wait.
        if let Some(reason) = owner.as_ref().and_then(|owner| self.lapsed(owner)) {
            let until = self.clock.now() + WITHOUT_PLAN;
            self.store.postpone_webhook(&delivery.lease, reason, until).await?;
            return Ok(());
        }
        let (id, body) = (delivery.event.id.to_string(), delivery.event.payload().to_string());
        let message = WebhookMessage { id: &id, attempt: delivery.all_attempts, body: &body };
        let sent = sender.send(&delivery.url, &delivery.secret, message, self.clock.now()).await;
        // Read again, because the endpoint may have taken seconds.
        let now = self.clock.now();
        match sent {
            Ok(status) => {
                self.store.webhook_delivered(&delivery.lease, status, now).await?;
            }
            Err(failure) => {
                let failed = failed_try(failure, delivery, now);
                let recorded = self.store.webhook_failed(&delivery.lease, &failed, now).await?;
                if recorded == FailureRecord::Disabled {
                    // Without the address, which may hold a secret.
                    tracing::warn!(
                        webhook = %delivery.lease.webhook_id,
                        status = failed.status,
                        reason = failed.disabled,
                        "a webhook was disabled"
                    );
                }
            }
        }
        Ok(())
    }

    /// Deletes old events without waiting deliveries; returns how many.
    pub async fn purge(&self) -> Result<u64> {
        let now = self.clock.now();
        Ok(self.store.purge_events(now - EVENT_KEPT_FOR, now - EVENT_KEPT_FOR * 10).await?)
    }

    /// Releases the deliveries in progress, for another server or the next start.
    pub(crate) async fn give_back(&self) {
        if let Err(error) = self.store.release_webhook_leases(self.worker).await {
            tracing::warn!(%error, "the webhooks under way could not be given back");
        }
    }
}

fn failed_try(failure: WebhookFailure, delivery: &ClaimedDelivery, now: Timestamp) -> FailedTry<'static> {
    let is_gone = failure.status() == Some(GONE);
    let next_at = next_try(delivery.attempts, now).filter(|_| !is_gone);
    let patience_since = if is_gone { Timestamp::MAX } else { now - ENDPOINT_PATIENCE };
    FailedTry {
        status: failure.status(),
        problem: problem(failure),
        next_at,
        rest_until: rest_after(delivery.n_failures.saturating_add(1), now),
        quiet_since: now - ENDPOINT_QUIET,
        patience_since,
        // Of thousands that wait for an endpoint, each is tried so rarely that its last try may be weeks away.
        is_exhausted: next_at.is_none() || delivery.event.occurred_at < patience_since,
        disabled: if is_gone { messages::WEBHOOK_GONE } else { messages::WEBHOOK_DISABLED },
    }
}
