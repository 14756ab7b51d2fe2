use jiff::Timestamp;
use partsight_domain::{SessionId, User, UserId};

use sqlx::AnyConnection;

use crate::users::user_from_row;
use crate::{Error, Store};

/// A session to open.
#[derive(Debug, Clone)]
pub struct NewSession {
    /// Its id, which is no secret.
    pub id: SessionId,
    /// SHA-256 of the secret in the cookie, in hex.
    pub token_sha256: String,
    /// When it begins.
    pub created_at: Timestamp,
    /// From when on it opens nothing any more.
    pub expires_at: Timestamp,
}

impl NewSession {
    pub(crate) async fn insert(&self, user_id: UserId, db: &mut AnyConnection) -> Result<(), Error> {
        sqlx::query(
            "INSERT INTO session (session_id, user_id, token_sha256, created_at, expires_at) \
             VALUES ($1, $2, $3, $4, $5)",
        )
        .bind(self.id.to_string())
        .bind(user_id.to_string())
        .bind(&self.token_sha256)
        .bind(self.created_at.as_millisecond())
        .bind(self.expires_at.as_millisecond())
        .execute(db)
        .await?;
        Ok(())
    }
}

impl Store {
    /// Opens a session of `user_id`, and forgets the sessions that have expired.
    pub async fn create_session(&self, user_id: UserId, new: &NewSession) -> Result<(), Error> {
        let mut tx = self.db.begin().await?;
        sqlx::query("DELETE FROM session WHERE expires_at <= $1")
            .bind(new.created_at.as_millisecond())
            .execute(&mut *tx)
            .await?;
        new.insert(user_id, &mut tx).await?;
        tx.commit().await?;
        Ok(())
    }

    /// The user behind a session secret that has not expired at `now`.
    pub async fn find_session_user(&self, token_sha256: &str, now: Timestamp) -> Result<Option<User>, Error> {
        let row = sqlx::query(
            "SELECT app_user.* FROM session JOIN app_user ON app_user.user_id = session.user_id \
             WHERE session.token_sha256 = $1 AND session.expires_at > $2",
        )
        .bind(token_sha256)
        .bind(now.as_millisecond())
        .fetch_optional(&self.db)
        .await?;
        row.as_ref().map(user_from_row).transpose()
    }

    /// Ends the session of this secret, if there is one.
    pub async fn delete_session(&self, token_sha256: &str) -> Result<(), Error> {
        sqlx::query("DELETE FROM session WHERE token_sha256 = $1")
            .bind(token_sha256)
            .execute(&self.db)
            .await?;
        Ok(())
    }
}
