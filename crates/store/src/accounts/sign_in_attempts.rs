use jiff::Timestamp;
use sqlx::Row;

use crate::{Error, Store, rows};

/// What must be remembered while a browser is at a sign-in provider.
#[derive(Clone, PartialEq, Eq)]
pub struct SignInAttempt {
    /// Must come back with the browser.
    pub state: String,
    /// Must come back inside the signed identity.
    pub nonce: String,
    /// Redeems the code.
    pub pkce_verifier: String,
    /// Where the browser goes after signing in.
    pub return_path: String,
    /// From when on it is forgotten.
    pub expires_at: Timestamp,
}

partsight_domain::debug_fields!(SignInAttempt {});

impl Store {
    /// Keeps an attempt for the browser with this secret, and forgets those that have expired.
    pub async fn save_sign_in_attempt(
        &self,
        token_sha256: &str,
        attempt: &SignInAttempt,
        now: Timestamp,
    ) -> Result<(), Error> {
        let mut tx = self.begin().await?;
        sql!("DELETE FROM sign_in_attempt WHERE expires_at <= $1", [now]).execute(&mut *tx).await?;
        let query = sql!(
            "INSERT INTO sign_in_attempt (token_sha256, state, nonce, pkce_verifier, return_path, expires_at) \
             VALUES ($1, $2, $3, $4, $5, $6)",
            [token_sha256, attempt.state, attempt.nonce, attempt.pkce_verifier, attempt.return_path],
            [attempt.expires_at]
        );
        query.execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(())
    }

    /// The attempt of the browser with this secret, which is used up by this.
    pub async fn take_sign_in_attempt(
        &self,
        token_sha256: &str,
        now: Timestamp,
    ) -> Result<Option<SignInAttempt>, Error> {
        let mut tx = self.begin().await?;
        let query = sql!(
            // Deleting is what makes an attempt count once: of two callbacks at once, one gets the row. The commit
            // comes before the row is read, so that an unreadable one is used up as well.
            "DELETE FROM sign_in_attempt WHERE token_sha256 = $1 AND expires_at > $2 \
             RETURNING state, nonce, pkce_verifier, return_path, expires_at",
            [token_sha256, now]
        );
        let row = query.fetch_optional(&mut *tx).await?;
        tx.commit().await?;
        row.map(|row| {
            Ok(SignInAttempt {
                state: row.try_get("state")?,
                nonce: row.try_get("nonce")?,
                pkce_verifier: row.try_get("pkce_verifier")?,
                return_path: row.try_get("return_path")?,
                expires_at: rows::timestamp(&row, "expires_at")?,
            })
        })
        .transpose()
    }
}
