use jiff::Timestamp;
use partsight_domain::{ApiKey, ApiKeyId, MAX_API_KEYS, NewApiKey, SessionId, UnknownName, User, UserId};
use sqlx::any::AnyRow;
use sqlx::{AssertSqlSafe, Row};

use super::sessions::lock_session;
use super::user_rows::{MEMBERSHIP_COLUMNS, MEMBERSHIP_JOINS, user_from_row};
use crate::{Error, Store, rows};

/// An API key to insert.
#[derive(Debug, Clone)]
pub struct ApiKeyRow<'a> {
    /// Its id, which is no secret.
    pub id: ApiKeyId,
    /// Name, scopes and expiry, as its owner chose them.
    pub details: &'a NewApiKey,
    /// The beginning of the secret.
    pub prefix: &'a str,
    /// SHA-256 of the secret, in hex.
    pub token_sha256: &'a str,
    /// When it is made.
    pub created_at: Timestamp,
    /// The session of the call that makes it; `None` for the server's operator.
    pub session_id: Option<SessionId>,
}

impl Store {
    /// Inserts a key of a user; `None` when they have as many as allowed. Revoked keys without usage are deleted: those
    /// with usage stay, since it is listed under their names.
    ///
    /// # Errors
    /// [`Error::SessionEnded`].
    pub async fn create_api_key(&self, user: &User, row: &ApiKeyRow<'_>) -> Result<Option<ApiKey>, Error> {
        let mut tx = self.begin().await?;
        // Without the lock, two concurrent calls would both count before either key is inserted, and exceed the
        // limit.
        Self::lock_tenant(&mut tx, user.tenant_id).await?;
        if let Some(session_id) = row.session_id {
            lock_session(user.id, session_id, &mut tx).await?;
        }
        let n: i64 =
            scalar!("SELECT COUNT(*) FROM api_key WHERE user_id = $1 AND revoked_at IS NULL", [user.id])
                .fetch_one(&mut *tx)
                .await?;
        if n >= i64::from(MAX_API_KEYS) {
            tx.rollback().await?;
            return Ok(None);
        }
        let query = sql!(
            "DELETE FROM api_key WHERE user_id = $1 AND revoked_at IS NOT NULL AND NOT EXISTS \
                 (SELECT 1 FROM scan_usage WHERE scan_usage.user_id = $1 AND scan_usage.source = api_key.key_id)",
            [user.id]
        );
        query.execute(&mut *tx).await?;
        let scopes: Vec<&str> = row.details.scopes.iter().map(|scope| scope.as_str()).collect();
        let query = sql!(
            "INSERT INTO api_key (key_id, user_id, name, prefix, token_sha256, scopes, created_at, expires_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            [row.id, user.id, row.details.name, row.prefix, row.token_sha256, scopes.join(" ")],
            [row.created_at, row.details.expires_at]
        );
        query.execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(Some(ApiKey {
            id: row.id,
            name: row.details.name.clone(),
            prefix: row.prefix.to_owned(),
            scopes: row.details.scopes.clone(),
            created_at: row.created_at,
            expires_at: row.details.expires_at,
            last_used_at: None,
        }))
    }

    /// The keys of a user that are not revoked, the newest first.
    pub async fn list_api_keys(&self, user_id: UserId) -> Result<Vec<ApiKey>, Error> {
        let query = sql!(
            "SELECT key_id, name, prefix, scopes, created_at AS made_at, expires_at, last_used_at \
             FROM api_key WHERE user_id = $1 AND revoked_at IS NULL ORDER BY created_at DESC, key_id DESC",
            [user_id]
        );
        self.list(query, key_from_row).await
    }

    /// The key with this secret and its user, unless it is revoked. An expired key is found.
    pub async fn find_api_key(&self, token_sha256: &str) -> Result<Option<(User, ApiKey)>, Error> {
        let query = sql!(
            AssertSqlSafe(format!(
                // `app_user.*` and a key share column names (`created_at`), so the key's own are renamed. An expired
                // key is found, so that its owner gets the error that it has expired.
                "SELECT app_user.*, {MEMBERSHIP_COLUMNS}, api_key.key_id, api_key.name, api_key.prefix, \
                    api_key.scopes, api_key.created_at AS made_at, api_key.expires_at, api_key.last_used_at \
             FROM api_key JOIN app_user ON app_user.user_id = api_key.user_id {MEMBERSHIP_JOINS} \
             WHERE api_key.token_sha256 = $1 AND api_key.revoked_at IS NULL",
            )),
            [token_sha256]
        );
        self.find(query, |row| Ok((user_from_row(row)?, key_from_row(row)?))).await
    }

    /// Notes that a key of a user was used at `now`.
    pub async fn touch_api_key(&self, user_id: UserId, id: ApiKeyId, now: Timestamp) -> Result<(), Error> {
        let query = sql!(
            "UPDATE api_key SET last_used_at = $3 WHERE user_id = $1 AND key_id = $2",
            [user_id, id, now]
        );
        self.write(query).await?;
        Ok(())
    }

    /// Revokes a key of a user; returns whether there was one.
    pub async fn revoke_api_key(&self, user_id: UserId, id: ApiKeyId, now: Timestamp) -> Result<bool, Error> {
        let query = sql!(
            // The row stays until the next key is made, and with usage for good: past usage is listed under the name of
            // its key.
            "UPDATE api_key SET revoked_at = $3 WHERE user_id = $1 AND key_id = $2 AND revoked_at IS NULL",
            [user_id, id, now]
        );
        Ok(self.write(query).await? > 0)
    }
}

fn key_from_row(row: &AnyRow) -> Result<ApiKey, Error> {
    let scopes: String = row.try_get("scopes")?;
    let scopes = scopes
        .split_whitespace()
        .map(|name| name.parse().map_err(|error: UnknownName| rows::corrupt("scopes", &error)))
        .collect::<Result<_, _>>()?;
    Ok(ApiKey {
        id: rows::parsed(row, "key_id")?,
        name: row.try_get("name")?,
        prefix: row.try_get("prefix")?,
        scopes,
        created_at: rows::timestamp(row, "made_at")?,
        expires_at: rows::optional_timestamp(row, "expires_at")?,
        last_used_at: rows::optional_timestamp(row, "last_used_at")?,
    })
}
