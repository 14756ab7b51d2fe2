//! Reminders as push notifications in browsers: subscriptions and sending.
//!
//! A message for each browser is inserted when a reminder is sent (`reminder_mails.rs`). Servers claim messages as they
//! claim deliveries of webhooks, so that each is sent at least once; a browser shows a repeated message only once.

use std::convert::Infallible;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use partsight_domain::{
    Alert, InvalidInput, MAX_PUSH_SUBSCRIPTIONS, PUSH_KEPT_FOR, PushMessage, PushSubscription,
    PushSubscriptionId, User, messages, next_try,
};
use partsight_providers::{PushFailure, PushSender, PushTarget, PushTargetFault, VapidKey};
use partsight_store::{ClaimedPush, PushSubscriptionRow, Store};
use serde_json::json;
use tokio::sync::OnceCell;
use uuid::Uuid;

use crate::accounts::CurrentSession;
use crate::garage::Garage;
use crate::send_loop::SendLoop;
use crate::{Entity, Error, Result, SecretToken, Settings};

/// Name of the stored key pair.
const KEY_NAME: &str = "vapid";
/// Length of a lease: far longer than sending a message takes.
const LEASE: SignedDuration = SignedDuration::from_secs(60);
const SEND_LOOP: SendLoop = SendLoop {
    places: 32,
    // Reminders are not urgent.
    idle: Duration::from_secs(5),
    unclaimed: "the next notification could not be claimed",
    unsaved: "what came of a notification could not be saved; it is sent again",
};
/// Longest wait that a push service may request; longer ones are cut to this.
const LONGEST_WAIT: Duration = Duration::from_hours(6);

/// What sends notifications.
pub(crate) struct PushService {
    sender: PushSender,
    /// Loaded or generated when it is first needed.
    key: OnceCell<VapidKey>,
    /// Names this server among those that share the database.
    worker: Uuid,
}

impl PushService {
    /// `None` if the settings allow no notifications.
    pub(super) fn new(settings: &Settings) -> Result<Option<Self>> {
        if !settings.push.enabled {
            return Ok(None);
        }
        let sender = PushSender::new(&settings.webhooks, settings.push_contact())?;
        Ok(Some(Self { sender, key: OnceCell::new(), worker: Uuid::now_v7() }))
    }

    async fn key(&self, store: &Store, now: Timestamp) -> Result<&VapidKey> {
        self.key
            .get_or_try_init(|| async move {
                let kept = match store.find_server_key(KEY_NAME).await? {
                    Some(kept) => kept,
                    None => store.keep_server_key(KEY_NAME, &VapidKey::generate().secret(), now).await?,
                };
                VapidKey::from_secret(&kept).ok_or_else(|| Error::internal("the key for web push is none"))
            })
            .await
    }
}

/// A browser to send notifications to: the fields of its `PushSubscription`.
#[derive(Clone)]
pub struct NewPushSubscription {
    /// Its address at the push service.
    pub endpoint: String,
    /// Its public key, in base64url.
    pub p256dh: String,
    /// The secret that it shares, in base64url.
    pub auth: String,
}

partsight_domain::debug_fields!(NewPushSubscription {});

/// Whether notifications are available, and the browsers of the user that get them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushStatus {
    /// The key that a browser subscribes with, in base64url; `None` if this server sends no notifications.
    pub public_key: Option<String>,
    /// The newest first.
    pub subscriptions: Vec<PushSubscription>,
}

impl Garage {
    /// Whether notifications are available, and the browsers of the user that get them.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn push_status(&self, user: &User) -> Result<PushStatus> {
        let public_key = match &self.push {
            Some(push) => Some(push.key(&self.store, self.clock.now()).await?.public()),
            None => None,
        };
        Ok(PushStatus { public_key, subscriptions: self.push_subscriptions(user).await? })
    }

    /// The browsers of the user that get notifications, the newest first.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn push_subscriptions(&self, user: &User) -> Result<Vec<PushSubscription>> {
        Ok(self.store.list_push_subscriptions(user.id).await?)
    }

    /// Subscribes the browser of this session to notifications. The same browser again updates its row; beyond 20
    /// browsers the oldest subscription is removed.
    ///
    /// # Errors
    /// [`Error::Forbidden`] if this server sends none; [`Error::Invalid`] for an address that is refused, and for
    /// malformed keys.
    pub async fn subscribe_push(
        &self,
        current: &CurrentSession,
        new: &NewPushSubscription,
    ) -> Result<PushSubscription> {
        let push = self.push.as_ref().ok_or(Error::Forbidden { message: messages::PUSH_FORBIDDEN })?;
        let target = PushTarget { endpoint: &new.endpoint, p256dh: &new.p256dh, auth: &new.auth };
        push.sender.check(target).map_err(|fault| match fault {
            PushTargetFault::Endpoint => InvalidInput::new("endpoint", messages::PUSH_ENDPOINT),
            PushTargetFault::Keys => InvalidInput::new("p256dh", messages::PUSH_KEYS),
        })?;
        let subscription = PushSubscription {
            id: id_of(&new.endpoint),
            browser: current.session.browser.clone(),
            created_at: self.clock.now(),
        };
        let row = PushSubscriptionRow {
            id: &subscription.id,
            endpoint: &new.endpoint,
            p256dh: &new.p256dh,
            auth: &new.auth,
            session_id: current.session.id,
            browser: &subscription.browser,
            created_at: subscription.created_at,
        };
        self.store.save_push_subscription(&current.user, row, MAX_PUSH_SUBSCRIPTIONS).await?;
        Ok(subscription)
    }

    /// Ends the notifications of one browser of the user, even if this server no longer sends any.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a browser without notifications, or of somebody else.
    pub async fn unsubscribe_push(&self, user: &User, id: &PushSubscriptionId) -> Result<()> {
        let is_ended = self.store.delete_push_subscription(user.id, id).await?;
        is_ended.then_some(()).ok_or(Error::NotFound { entity: Entity::PushSubscription })
    }

    /// The notification about newly due alerts; `None` if there are none, or this server sends no notifications.
    pub(super) fn push_message<'a>(&self, alerts: impl IntoIterator<Item = &'a Alert>) -> Option<String> {
        self.push.as_ref()?;
        let message = PushMessage::of(alerts)?;
        Some(json!({ "title": message.title, "text": message.text, "path": message.path }).to_string())
    }

    /// Sends messages for as long as the server runs. Does nothing if no notifications are sent.
    pub async fn run_push(&self) -> Infallible {
        let Some(push) = &self.push else { return pending().await };
        let send = |message: ClaimedPush| {
            let (garage, push) = (self.clone(), Arc::clone(push));
            async move { garage.send_push(&push, &message).await }
        };
        SEND_LOOP.run(&self.tasks, || self.claim_push(push), send).await
    }

    /// Sends one message; false if none is due, or this server sends none. For tests.
    ///
    /// # Errors
    /// Those of the store. A refusal by the push service is no error: it decides what happens to the message.
    pub async fn send_next_push(&self) -> Result<bool> {
        let Some(push) = &self.push else { return Ok(false) };
        let Some(message) = self.claim_push(push).await? else { return Ok(false) };
        self.send_push(push, &message).await?;
        Ok(true)
    }

    async fn claim_push(&self, push: &PushService) -> Result<Option<ClaimedPush>> {
        let now = self.clock.now();
        let since = now - PUSH_KEPT_FOR;
        // Checked without a write transaction first, because every idle server checks again and again.
        if !self.store.has_push_work(now, since).await? {
            return Ok(None);
        }
        Ok(self.store.claim_push_message(push.worker, now, since, now + LEASE).await?)
    }

    async fn send_push(&self, push: &PushService, message: &ClaimedPush) -> Result<()> {
        let key = push.key(&self.store, self.clock.now()).await?;
        let target = PushTarget { endpoint: &message.endpoint, p256dh: &message.p256dh, auth: &message.auth };
        let sent = push.sender.send(key, target, message.body.as_bytes(), self.clock.now()).await;
        // Read again, because the push service may have taken seconds.
        let now = self.clock.now();
        let again = match sent {
            Ok(()) => None,
            Err(PushFailure::Gone) => {
                // This deletes the message too.
                self.store.delete_push_subscription(message.user_id, &message.subscription_id).await?;
                return Ok(());
            }
            Err(PushFailure::Later(wait)) => next_try(message.attempts, now).map(|at| {
                let wait = wait.unwrap_or_default().min(LONGEST_WAIT);
                at.max(now.saturating_add(wait).unwrap_or(at))
            }),
            Err(PushFailure::Refused(status)) => {
                tracing::warn!(status, "a push service refused a notification");
                None
            }
        };
        match again {
            Some(at) => self.store.postpone_push_message(&message.lease, at).await?,
            None => self.store.finish_push_message(&message.lease).await?,
        };
        Ok(())
    }

    /// Releases the claimed messages, for another server or the next start.
    pub(crate) async fn give_back(&self) {
        let Some(push) = &self.push else { return };
        if let Err(error) = self.store.release_push_leases(push.worker).await {
            tracing::warn!(%error, "the notifications under way could not be given back");
        }
    }
}

/// The browser computes its id in the same way, to find itself in the list.
fn id_of(endpoint: &str) -> PushSubscriptionId {
    let hash = SecretToken::from_text(endpoint).sha256();
    hash.parse().expect("BUG: a SHA-256 has 64 hexadecimal digits")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_is_named_by_the_hash_of_its_address() {
        // FIPS 180-2, appendix B.1.
        assert_eq!(id_of("abc").as_str(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
