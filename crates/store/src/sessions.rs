use jiff::Timestamp;
use partsight_domain::{SessionId, User, UserId};

use crate::users::user_from_row;
use crate::{Error, Store};

impl Store {
    /// Opens a session whose secret hashes to `token_sha256`, and forgets the ones that have expired.
    pub async fn create_session(
        &self,
        id: SessionId,
        user_id: UserId,
        token_sha256: &str,
        now: Timestamp,
        expires_at: Timestamp,
    ) -> Result<(), Error> {
        sqlx::query("DELETE FROM session WHERE expires_at <= $1")
            .bind(now.as_millisecond())
            .execute(&self.db)
            .await?;
        sqlx::query(
            "INSERT INTO session (session_id, user_id, token_sha256, created_at, expires_at) \
             VALUES ($1, $2, $3, $4, $5)",
        )
        .bind(id.to_string())
        .bind(user_id.to_string())
        .bind(token_sha256)
        .bind(now.as_millisecond())
        .bind(expires_at.as_millisecond())
        .execute(&self.db)
        .await?;
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
