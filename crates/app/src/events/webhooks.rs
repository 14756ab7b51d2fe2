//! The endpoints of an account.

use std::time::Duration;

use partsight_domain::{
    DeliveryPage, DeliveryState, EventId, Feature, InvalidInput, MAX_WEBHOOKS, NewWebhook, User, Webhook,
    WebhookDelivery, WebhookId, messages,
};
use partsight_providers::{WebhookMessage, WebhookSender, new_webhook_secret};
use partsight_store::WebhookRow;
use serde_json::json;
use uuid::Uuid;

use super::problems::{address_problem, problem};
use crate::events::Events;
use crate::{Entity, Error, Result};

const NOT_FOUND: Error = Error::NotFound { entity: Entity::Webhook };
/// The event type of a test delivery.
const TEST_TYPE: &str = "webhook.test";

/// An endpoint with the secret that its deliveries are signed with.
#[derive(Debug, Clone)]
pub struct CreatedWebhook {
    /// The endpoint.
    pub webhook: Webhook,
    /// Begins with `whsec_`.
    pub secret: String,
}

/// The result of a test delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookTest {
    /// HTTP status of the answer, if there was one.
    pub status: Option<u16>,
    /// Why it failed, as a sentence for people; `None` if it succeeded.
    pub problem: Option<&'static str>,
    /// Time until the endpoint answered.
    pub took: Duration,
}

impl Events {
    /// Creates an endpoint, which gets events from now on.
    ///
    /// # Errors
    /// [`Error::Forbidden`] if the plan includes no webhooks, or no data may leave this server; [`Error::Invalid`] for
    /// an address that is refused; [`Error::Conflict`] beyond ten endpoints.
    pub async fn create_webhook(
        &self,
        user: &User,
        new: &NewWebhook,
        is_enabled: bool,
    ) -> Result<CreatedWebhook> {
        self.check_plan(user)?;
        self.check_address(new)?;
        let (id, secret) = (WebhookId(Uuid::now_v7()), new_webhook_secret());
        let row = WebhookRow { id, details: new, secret: &secret, created_at: self.clock.now(), is_enabled };
        if !self.store.create_webhook(user.tenant_id, &row, MAX_WEBHOOKS).await? {
            return Err(Error::Conflict { field: "webhooks", message: messages::TOO_MANY_WEBHOOKS });
        }
        let (webhook, secret) = self.find(user, id).await?;
        Ok(CreatedWebhook { webhook, secret })
    }

    /// The endpoints of the user, the oldest first.
    pub async fn webhooks(&self, user: &User) -> Result<Vec<Webhook>> {
        Ok(self.store.list_webhooks(user.tenant_id).await?)
    }

    /// One endpoint of the user.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn webhook(&self, user: &User, id: WebhookId) -> Result<Webhook> {
        Ok(self.find(user, id).await?.0)
    }

    /// Changes an endpoint, and resets its failures.
    ///
    /// # Errors
    /// [`Error::NotFound`], and those of [`Self::create_webhook`].
    pub async fn update_webhook(
        &self,
        user: &User,
        id: WebhookId,
        new: &NewWebhook,
        is_enabled: bool,
    ) -> Result<Webhook> {
        self.find(user, id).await?;
        // Disabling an endpoint must always be possible.
        if is_enabled {
            self.check_plan(user)?;
            self.check_address(new)?;
        }
        if !self.store.update_webhook(user.tenant_id, id, new, is_enabled).await? {
            return Err(NOT_FOUND);
        }
        self.webhook(user, id).await
    }

    /// Replaces the secret of an endpoint: from now on deliveries are signed only with the new one.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn renew_webhook_secret(&self, user: &User, id: WebhookId) -> Result<CreatedWebhook> {
        let secret = new_webhook_secret();
        if !self.store.set_webhook_secret(user.tenant_id, id, &secret).await? {
            return Err(NOT_FOUND);
        }
        Ok(CreatedWebhook { webhook: self.webhook(user, id).await?, secret })
    }

    /// Deletes an endpoint with its deliveries.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn delete_webhook(&self, user: &User, id: WebhookId) -> Result<()> {
        if self.store.delete_webhook(user.tenant_id, id).await? { Ok(()) } else { Err(NOT_FOUND) }
    }

    /// Sends a message of the type `webhook.test` at once, also to a disabled endpoint, and stores nothing. If it
    /// arrives, the failures of the endpoint are reset.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::TooManyAttempts`] after ten in a short time; [`Error::Forbidden`] if no data may
    /// leave this server.
    pub async fn test_webhook(&self, user: &User, id: WebhookId) -> Result<WebhookTest> {
        let (webhook, secret) = self.find(user, id).await?;
        self.check_plan(user)?;
        let sender = self.sender()?;
        // Counted per account and not per endpoint, since endpoints can be created and deleted at will.
        self.tests.take(&user.tenant_id.to_string(), self.clock.steady())?;
        let (id, now) = (Uuid::now_v7().to_string(), self.clock.now());
        let body = json!({
            "id": id,
            "type": TEST_TYPE,
            "timestamp": format!("{now:.3}"),
            "data": { "webhookId": webhook.id },
        });
        let message = WebhookMessage { id: &id, attempt: 1, body: &body.to_string() };
        let start = self.clock.steady();
        let sent = sender.send(&webhook.url, &secret, message, now).await;
        let took = self.clock.steady().saturating_duration_since(start);
        if sent.is_ok() && webhook.failing_since.is_some() {
            self.store.forget_webhook_failures(user.tenant_id, webhook.id).await?;
        }
        Ok(match sent {
            Ok(status) => WebhookTest { status: Some(status), problem: None, took },
            Err(failure) => WebhookTest { status: failure.status(), problem: Some(problem(failure)), took },
        })
    }

    /// A page of the deliveries of an endpoint, of one state if given. While nothing is sent to the endpoint, none has a next
    /// attempt.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn deliveries(
        &self,
        user: &User,
        id: WebhookId,
        state: Option<DeliveryState>,
        page: DeliveryPage,
    ) -> Result<Vec<WebhookDelivery>> {
        let (webhook, _) = self.find(user, id).await?;
        let mut deliveries = self.store.list_webhook_deliveries(user.tenant_id, id, state, page).await?;
        if !webhook.is_enabled || self.lapsed(user).is_some() {
            // They wait until it is switched on, or the plan is there again, whatever was planned before.
            for delivery in &mut deliveries {
                delivery.next_at = None;
            }
        }
        Ok(deliveries)
    }

    /// Makes all dead deliveries of an endpoint claimable again; returns how many.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::TooManyAttempts`] after ten in a short time, tests included.
    pub async fn resend_dead(&self, user: &User, id: WebhookId) -> Result<u64> {
        self.find(user, id).await?;
        self.tests.take(&user.tenant_id.to_string(), self.clock.steady())?;
        Ok(self.store.resend_webhook(user.tenant_id, id, None, self.clock.now()).await?)
    }

    /// Makes one delivery of an endpoint claimable again, whatever its state.
    ///
    /// # Errors
    /// [`Error::NotFound`], also for a delivery that is being sent now; [`Error::TooManyAttempts`] after ten in a short
    /// time, tests included.
    pub async fn resend(&self, user: &User, id: WebhookId, event_id: EventId) -> Result<()> {
        self.find(user, id).await?;
        // It ends the rest of an endpoint that fails.
        self.tests.take(&user.tenant_id.to_string(), self.clock.steady())?;
        let now = self.clock.now();
        match self.store.resend_webhook(user.tenant_id, id, Some(event_id), now).await? {
            0 => Err(Error::NotFound { entity: Entity::WebhookDelivery }),
            _ => Ok(()),
        }
    }

    async fn find(&self, user: &User, id: WebhookId) -> Result<(Webhook, String)> {
        self.store.find_webhook(user.tenant_id, id).await?.ok_or(NOT_FOUND)
    }

    /// Why nothing is sent to the endpoints of the user, as a sentence; `None` while their plan includes webhooks.
    pub fn lapsed(&self, user: &User) -> Option<&'static str> {
        let is_included = self.accounts.effective_plan(user).includes(Feature::ApiAccess);
        (!is_included).then_some(messages::WEBHOOK_PLAN_LAPSED)
    }

    fn check_plan(&self, user: &User) -> Result<()> {
        match self.lapsed(user) {
            None => Ok(()),
            Some(_) => Err(Error::Forbidden { message: messages::WEBHOOK_PLAN_NEEDED }),
        }
    }

    fn sender(&self) -> Result<&WebhookSender> {
        self.sender.as_ref().ok_or(Error::Forbidden { message: messages::WEBHOOKS_FORBIDDEN })
    }

    fn check_address(&self, new: &NewWebhook) -> Result<()> {
        // An early check for the person who enters the address. The check at each delivery decides, when the name is
        // resolved. See docs/decisions/0127-webhooks-as-an-outbox.md.
        self.sender()?
            .check(&new.url)
            .map_err(|fault| InvalidInput::new("url", address_problem(fault)).into())
    }
}
