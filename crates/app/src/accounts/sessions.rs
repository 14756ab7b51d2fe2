use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use partsight_domain::{Session, SessionId, User};

use super::{CurrentSession, SecretToken};
use crate::accounts::Accounts;
use crate::error::Entity;
use crate::{Error, Result};

/// The use of a session is recorded at most once in this time, so that most reads write nothing.
const TOUCH_INTERVAL: SignedDuration = SignedDuration::from_mins(5);

/// How long a call waits for recording the use of a session or key: a call that reads must not wait for writers.
pub(crate) const NOTING_PATIENCE: Duration = Duration::from_millis(500);

impl Accounts {
    /// The user and session behind a session cookie.
    ///
    /// # Errors
    /// [`Error::NotSignedIn`] for one that is unknown, expired, or has not been used for too long.
    pub async fn session(&self, token: &SecretToken) -> Result<CurrentSession> {
        let now = self.clock.now();
        let found = self.store.find_session(&token.sha256(), now, self.idle_since(now)).await?;
        let found = found.ok_or(Error::NotSignedIn)?;
        if now.duration_since(found.session.last_seen_at) >= TOUCH_INTERVAL {
            let (store, user_id, id) = (self.store.clone(), found.user.id, found.session.id);
            let note = async move {
                if let Err(error) = store.touch_session(user_id, id, now).await {
                    // The next call will record it.
                    tracing::warn!(%error, "the use of a session could not be noted");
                }
            };
            self.tasks.begin_and_wait(NOTING_PATIENCE, note).await;
        }
        Ok(CurrentSession { user: found.user, session: found.session })
    }

    /// The sessions of a user, the last used first.
    pub async fn list_sessions(&self, user: &User) -> Result<Vec<Session>> {
        let now = self.clock.now();
        Ok(self.store.list_sessions(user.id, now, self.idle_since(now)).await?)
    }

    /// Ends one session of a user.
    ///
    /// # Errors
    /// [`Error::NotFound`] for one that is not theirs.
    pub async fn end_session(&self, user: &User, id: SessionId) -> Result<()> {
        let is_ended = self.store.delete_session_of(user.id, id).await?;
        is_ended.then_some(()).ok_or(Error::NotFound { entity: Entity::Session })
    }

    /// Ends all sessions of a user, this one included.
    pub async fn sign_out_everywhere(&self, user: &User) -> Result<()> {
        Ok(self.store.delete_sessions(user.id).await?)
    }

    fn idle_since(&self, now: Timestamp) -> Timestamp {
        now - SignedDuration::from_hours(24 * i64::from(self.services.session_idle_days))
    }
}
