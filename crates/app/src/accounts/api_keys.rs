//! API keys for programs.

use std::time::Duration;

use jiff::SignedDuration;
use partsight_domain::{
    ApiKey, ApiKeyId, ApiScope, Feature, InvalidInput, NewApiKey, SessionId, User, messages,
};
use partsight_store::{ApiKeyRow, Store};
use uuid::Uuid;

use crate::accounts::{Accounts, CurrentSession, NOTING_PATIENCE};
use crate::clock::Clock;
use crate::error::Entity;
use crate::limits::rate_limit::{RateLimit, RateLimitState};
use crate::{Error, Result, SecretToken, Settings};

/// Prefix of every key, by which a leaked one is recognised.
const KEY_PREFIX: &str = "ps_live_";
/// Characters of a key that lists show, the prefix included: they reveal 24 of 256 secret bits.
const PREFIX_CHARS: usize = KEY_PREFIX.len() + 6;
/// The use of a key is recorded at most once in this time, so that most reads write nothing.
const TOUCH_INTERVAL: SignedDuration = SignedDuration::from_mins(1);
/// The window in which requests with a key are counted.
pub(crate) const RATE_WINDOW: Duration = Duration::from_mins(1);

/// Keeps one program from using up the server.
pub(crate) fn key_limit(settings: &Settings) -> RateLimit {
    let requests = settings.accounts.api_key_requests;
    // 0 means no limit, which `RateLimit` handles; `max` only keeps the division from failing.
    let interval = RATE_WINDOW / requests.max(1);
    RateLimit::new(requests, interval)
}

/// A new key, with the secret that is shown only this once.
#[derive(Debug, Clone)]
pub struct CreatedApiKey {
    /// The key.
    pub key: ApiKey,
    /// Its secret.
    pub secret: SecretToken,
}

/// A caller with an API key.
#[derive(Debug, Clone)]
pub struct KeyCaller {
    /// The user who owns the key.
    pub user: User,
    /// The key.
    pub key: ApiKey,
}

impl KeyCaller {
    /// Checks that the key has the scope `scope`.
    ///
    /// # Errors
    /// [`Error::ScopeMissing`].
    pub fn check_scope(&self, scope: ApiScope) -> Result<()> {
        self.key.scopes.contains(&scope).then_some(()).ok_or(Error::ScopeMissing { scope })
    }
}

impl Accounts {
    /// Creates a key of the user.
    ///
    /// # Errors
    /// [`Error::Forbidden`] if the plan includes no keys; [`Error::Invalid`] beyond 20 keys; [`Error::NotSignedIn`] when
    /// the session has ended meanwhile; [`Error::TooManyAttempts`].
    pub async fn create_api_key(&self, current: &CurrentSession, new: &NewApiKey) -> Result<CreatedApiKey> {
        if !self.effective_plan(&current.user).includes(Feature::ApiAccess) {
            return Err(Error::Forbidden { message: messages::API_KEY_PLAN_NEEDED });
        }
        self.services.limits.take_key(current.user.id, self.clock.steady())?;
        create(&self.store, &current.user, Some(current.session.id), new, &self.clock).await
    }

    /// The keys of a user, the newest first.
    pub async fn api_keys(&self, user: &User) -> Result<Vec<ApiKey>> {
        Ok(self.store.list_api_keys(user.id).await?)
    }

    /// Revokes a key of the user; it is refused from then on.
    ///
    /// # Errors
    /// [`Error::NotFound`] for one that is not theirs.
    pub async fn revoke_api_key(&self, user: &User, id: ApiKeyId) -> Result<()> {
        let is_revoked = self.store.revoke_api_key(user.id, id, self.clock.now()).await?;
        is_revoked.then_some(()).ok_or(Error::NotFound { entity: Entity::ApiKey })
    }

    /// The caller with this key.
    ///
    /// # Errors
    /// [`Error::ApiKeyRefused`] for one that is unknown, revoked or expired.
    pub async fn key_caller(&self, secret: &SecretToken) -> Result<KeyCaller> {
        let now = self.clock.now();
        let refuse = |message| Error::ApiKeyRefused { message };
        // The index compares hashes, so the time of a look-up does not tell how much of a guess was right.
        let found = self.store.find_api_key(&secret.sha256()).await?;
        let (user, key) = found.ok_or_else(|| refuse(messages::API_KEY_UNKNOWN))?;
        if !key.is_open(now) {
            return Err(refuse(messages::API_KEY_EXPIRED));
        }
        let is_noted = key.last_used_at.is_some_and(|noted| now.duration_since(noted) < TOUCH_INTERVAL);
        if !is_noted {
            let (store, user_id, id) = (self.store.clone(), user.id, key.id);
            let note = async move {
                if let Err(error) = store.touch_api_key(user_id, id, now).await {
                    // The next call will record it.
                    tracing::warn!(%error, "the use of an API key could not be noted");
                }
            };
            self.tasks.begin_and_wait(NOTING_PATIENCE, note).await;
        }
        Ok(KeyCaller { user, key })
    }

    /// Counts a request with a key, and returns what is left of the limit; `None` if there is none.
    ///
    /// # Errors
    /// The second value: [`Error::RateLimited`] if nothing was left.
    pub fn count_key_request(&self, caller: &KeyCaller) -> (Option<RateLimitState>, Result<()>) {
        let (key, now) = (caller.key.id.to_string(), self.clock.steady());
        let taken = self.key_limit.take(&key, now).map_err(|error| match error {
            Error::TooManyAttempts { retry_after } => Error::RateLimited { retry_after },
            other => other,
        });
        (self.key_limit.state(&key, now), taken)
    }

    /// Whether the plan of the key's owner still includes keys.
    ///
    /// # Errors
    /// [`Error::Forbidden`].
    pub fn check_key_plan(&self, caller: &KeyCaller) -> Result<()> {
        let is_included = self.effective_plan(&caller.user).includes(Feature::ApiAccess);
        is_included.then_some(()).ok_or(Error::Forbidden { message: messages::API_KEY_PLAN_LAPSED })
    }
}

/// Creates a key, whatever the plan.
async fn create(
    store: &Store,
    user: &User,
    session_id: Option<SessionId>,
    new: &NewApiKey,
    clock: &Clock,
) -> Result<CreatedApiKey> {
    let secret = SecretToken::from_text(format!("{KEY_PREFIX}{}", SecretToken::generate().as_str()));
    let row = ApiKeyRow {
        id: ApiKeyId(Uuid::now_v7()),
        details: new,
        // All of it is ASCII, so any cut is valid UTF-8.
        prefix: &secret.as_str()[..PREFIX_CHARS],
        token_sha256: &secret.sha256(),
        created_at: clock.now(),
        session_id,
    };
    let key = store.create_api_key(user, &row).await?;
    let key = key.ok_or_else(|| InvalidInput::new("name", messages::API_KEYS_FULL))?;
    Ok(CreatedApiKey { key, secret })
}

/// Operations on API keys for the server's operator.
#[derive(Clone)]
pub struct KeyAdmin {
    store: Store,
    clock: Clock,
}

partsight_domain::debug_fields!(KeyAdmin {});

impl KeyAdmin {
    /// Operates on the keys in `store`.
    pub fn new(store: Store, clock: Clock) -> Self {
        Self { store, clock }
    }

    /// Creates a key for an account. It works only while the account's plan, or that of the server, includes keys.
    ///
    /// # Errors
    /// [`Error::Invalid`] for malformed details, and beyond 20 keys.
    pub async fn create(
        &self,
        user: &User,
        name: &str,
        scopes: &[String],
        valid_for: Option<SignedDuration>,
    ) -> Result<CreatedApiKey> {
        let now = self.clock.now();
        let expires_at = valid_for.map(|duration| now.saturating_add(duration)).transpose();
        let expires_at = expires_at.map_err(Error::internal)?;
        let new = NewApiKey::new(name, scopes, expires_at, now)?;
        create(&self.store, user, None, &new, &self.clock).await
    }

    /// The keys of an account, the newest first.
    pub async fn list(&self, user: &User) -> Result<Vec<ApiKey>> {
        Ok(self.store.list_api_keys(user.id).await?)
    }

    /// Revokes a key of an account; returns whether there was one.
    pub async fn revoke(&self, user: &User, id: ApiKeyId) -> Result<bool> {
        Ok(self.store.revoke_api_key(user.id, id, self.clock.now()).await?)
    }
}
