use jiff::Timestamp;
use sqlx::Row;

use crate::{Error, Store, rows};

/// What is stored while a browser is at a sign-in provider.
#[derive(Clone, PartialEq, Eq)]
pub struct SignInAttempt {
    /// Must come back in the redirect.
    pub state: String,
    /// Must come back in the signed ID token.
    pub nonce: String,
    /// Needed to redeem the authorization code.
    pub pkce_verifier: String,
    /// Where the browser goes after signing in.
    pub return_path: String,
    /// When the attempt expires.
    pub expires_at: Timestamp,
}

partsight_domain::debug_fields!(SignInAttempt {});

impl Store {
    /// Stores an attempt of the browser with this secret, and deletes expired ones.
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

    /// Takes the attempt of the browser with this secret; it can be taken only once.
    pub async fn take_sign_in_attempt(
        &self,
        token_sha256: &str,
        now: Timestamp,
    ) -> Result<Option<SignInAttempt>, Error> {
        let mut tx = self.begin().await?;
        let query = sql!(
            // The deletion makes sure that of two concurrent callbacks one gets the row. It is committed before the
            // row is parsed, so that an unreadable one is consumed as well.
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
