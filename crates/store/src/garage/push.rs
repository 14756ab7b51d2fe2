//! The browsers that get notifications, and the queue of their messages. A server claims a message like a delivery to a
//! webhook.

use jiff::Timestamp;
use partsight_domain::{PushSubscription, PushSubscriptionId, SessionId, TenantId, User, UserId};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Row};
use uuid::Uuid;

use crate::accounts::lock_session;
use crate::transaction::retried;
use crate::{Error, Store, rows};

/// A browser's push subscription to insert.
#[derive(Clone, Copy)]
pub struct PushSubscriptionRow<'a> {
    /// SHA-256 of its address.
    pub id: &'a PushSubscriptionId,
    /// Its address at the push service.
    pub endpoint: &'a str,
    /// Its public key, in base64url.
    pub p256dh: &'a str,
    /// The authentication secret of the browser, in base64url.
    pub auth: &'a str,
    /// The session of the browser; when a person ends it, this row is deleted.
    pub session_id: SessionId,
    /// Name of the browser, by which its owner recognises it.
    pub browser: &'a str,
    /// Now.
    pub created_at: Timestamp,
}

/// A server's lease on a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PushLease {
    /// The message.
    pub message_id: Uuid,
    /// The server.
    pub worker: Uuid,
}

/// A message that a server has claimed.
#[derive(Clone)]
pub struct ClaimedPush {
    /// The lease.
    pub lease: PushLease,
    /// The user whose browser it is for.
    pub user_id: UserId,
    /// Which browser.
    pub subscription_id: PushSubscriptionId,
    /// The browser's address at the push service.
    pub endpoint: String,
    /// Its public key, in base64url.
    pub p256dh: String,
    /// The authentication secret of the browser, in base64url.
    pub auth: String,
    /// The payload, a JSON object.
    pub body: String,
    /// Number of attempts, this one included.
    pub attempts: u32,
}

partsight_domain::debug_fields!(ClaimedPush { lease, attempts });

/// Messages that were created after `$2` and are claimable at `$1`, except those of people who have left the tenant, and of
/// people with eight under way, a quarter of the places of a server: browsers name the push service, which may be slow.
const CLAIMABLE: &str = "push_message.next_at <= $1 AND push_message.created_at > $2 \
     AND (push_message.lease_until IS NULL OR push_message.lease_until <= $1) \
     AND (SELECT COUNT(*) FROM push_message AS held \
          WHERE held.user_id = push_message.user_id AND held.lease_until > $1) < 8 \
     AND EXISTS (SELECT 1 FROM app_user WHERE app_user.user_id = push_message.user_id \
                 AND app_user.tenant_id = push_message.tenant_id)";

impl Store {
    /// The stored key with this name, which all servers on this database share, if there is one.
    pub async fn find_server_key(&self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        let query = sql!("SELECT secret FROM server_key WHERE name = $1", [name]);
        self.find(query, |row| Ok(row.try_get("secret")?)).await
    }

    /// Stores a key with this name unless there is one, and returns the stored one.
    pub async fn keep_server_key(&self, name: &str, secret: &[u8], now: Timestamp) -> Result<Vec<u8>, Error> {
        let mut tx = self.begin().await?;
        let query = sql!(
            // If two servers start at once, the first one's key is stored, and both use it.
            "INSERT INTO server_key (name, secret, created_at) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING",
            [name, secret, now]
        );
        query.execute(&mut *tx).await?;
        let query = scalar!("SELECT secret FROM server_key WHERE name = $1", [name]);
        let kept: Vec<u8> = query.fetch_one(&mut *tx).await?;
        tx.commit().await?;
        Ok(kept)
    }

    /// Subscribes a browser of `user` to notifications; beyond `limit` browsers, the oldest one is removed.
    ///
    /// # Errors
    /// [`Error::SessionEnded`].
    pub async fn save_push_subscription(
        &self,
        user: &User,
        row: PushSubscriptionRow<'_>,
        limit: u32,
    ) -> Result<(), Error> {
        // The row of another user may be deleted, which no order of locks covers.
        retried(|| async {
            let mut tx = self.begin().await?;
            // Without the lock two concurrent calls could both take the last place.
            Self::lock_tenant(&mut tx, user.tenant_id).await?;
            lock_session(user.id, row.session_id, &mut tx).await?;
            let query = sql!(
                // The same browser, in which somebody else was signed in before, must not show their reminders to
                // this user. Only the browser itself knows the secret `auth`.
                "DELETE FROM push_subscription WHERE push_subscription_id = $1 AND user_id <> $2 AND auth = $3",
                [row.id, user.id, row.auth]
            );
            query.execute(&mut *tx).await?;
            let query = sql!(
                "INSERT INTO push_subscription (user_id, push_subscription_id, endpoint, p256dh, auth, session_id, \
                                                browser, created_at) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8) \
                 ON CONFLICT (user_id, push_subscription_id) DO UPDATE \
                 SET p256dh = $4, auth = $5, session_id = $6, browser = $7, created_at = $8",
                [
                    user.id,
                    row.id,
                    row.endpoint,
                    row.p256dh,
                    row.auth,
                    row.session_id,
                    row.browser,
                    row.created_at
                ]
            );
            query.execute(&mut *tx).await?;
            let query = sql!(
                "DELETE FROM push_subscription WHERE user_id = $1 AND push_subscription_id NOT IN \
                     (SELECT push_subscription_id FROM push_subscription WHERE user_id = $1 \
                      ORDER BY CASE WHEN push_subscription_id = $2 THEN 0 ELSE 1 END, created_at DESC, \
                               push_subscription_id LIMIT $3)",
                [user.id, row.id, limit]
            );
            query.execute(&mut *tx).await?;
            tx.commit().await?;
            Ok(())
        })
        .await
    }

    /// The browsers of a user that get notifications, the newest first.
    pub async fn list_push_subscriptions(&self, user_id: UserId) -> Result<Vec<PushSubscription>, Error> {
        let query = sql!(
            "SELECT push_subscription_id, browser, created_at FROM push_subscription WHERE user_id = $1 \
             ORDER BY created_at DESC, push_subscription_id",
            [user_id]
        );
        self.list(query, subscription_from_row).await
    }

    /// Deletes the subscription of a user's browser and its waiting messages; returns whether there was one.
    pub async fn delete_push_subscription(
        &self,
        user_id: UserId,
        id: &PushSubscriptionId,
    ) -> Result<bool, Error> {
        let query = sql!(
            "DELETE FROM push_subscription WHERE user_id = $1 AND push_subscription_id = $2",
            [user_id, id]
        );
        Ok(self.write(query).await? > 0)
    }

    /// Whether there is a message to claim that was created after `since`; a read without a write lock.
    pub async fn has_push_work(&self, now: Timestamp, since: Timestamp) -> Result<bool, Error> {
        let query = sql!(
            AssertSqlSafe(format!("SELECT 1 FROM push_message WHERE {CLAIMABLE} LIMIT 1")),
            [self.database_time(now), since]
        );
        Ok(query.fetch_optional(&self.db).await?.is_some())
    }

    /// Claims for `worker`, until `until`, a message that was created after `since`; `None` also if another server
    /// got it first.
    pub async fn claim_push_message(
        &self,
        worker: Uuid,
        now: Timestamp,
        since: Timestamp,
        until: Timestamp,
    ) -> Result<Option<ClaimedPush>, Error> {
        let mut tx = self.begin().await?;
        // The condition is repeated outside the subquery: of two servers on PostgreSQL the second waits for the row,
        // and then sees what the first changed.
        let query = sql!(
            AssertSqlSafe(format!(
                "UPDATE push_message SET lease_worker = $3, lease_until = $4, attempts = attempts + 1 \
                 WHERE push_message_id = (SELECT push_message_id FROM push_message WHERE {CLAIMABLE} \
                                          ORDER BY next_at, push_message_id LIMIT 1) AND {CLAIMABLE} \
                 RETURNING push_message_id, user_id, push_subscription_id, body, attempts"
            )),
            [self.database_time(now), since, worker, self.database_time(until)]
        );
        let Some(claimed) = query.fetch_optional(&mut *tx).await? else {
            tx.rollback().await?;
            return Ok(None);
        };
        let user_id: UserId = rows::parsed(&claimed, "user_id")?;
        let subscription_id: PushSubscriptionId = rows::parsed(&claimed, "push_subscription_id")?;
        let query = sql!(
            "SELECT endpoint, p256dh, auth FROM push_subscription \
             WHERE user_id = $1 AND push_subscription_id = $2",
            [user_id, subscription_id]
        );
        // Read in the transaction of the claim: if the subscription is deleted a moment later, its messages are too.
        let row = query.fetch_one(&mut *tx).await?;
        tx.commit().await?;
        Ok(Some(ClaimedPush {
            lease: PushLease { message_id: rows::parsed(&claimed, "push_message_id")?, worker },
            user_id,
            subscription_id,
            endpoint: row.try_get("endpoint")?,
            p256dh: row.try_get("p256dh")?,
            auth: row.try_get("auth")?,
            body: claimed.try_get("body")?,
            attempts: u32::try_from(rows::count(&claimed, "attempts")?).unwrap_or(u32::MAX),
        }))
    }

    /// Deletes a held message that was sent or is given up; false if another server has it by now.
    pub async fn finish_push_message(&self, lease: &PushLease) -> Result<bool, Error> {
        let query = sql!(
            "DELETE FROM push_message WHERE push_message_id = $1 AND lease_worker = $2",
            [lease.message_id, lease.worker]
        );
        Ok(self.write(query).await? > 0)
    }

    /// Postpones a held message until `next_at`; false if another server has it by now.
    pub async fn postpone_push_message(&self, lease: &PushLease, next_at: Timestamp) -> Result<bool, Error> {
        let query = sql!(
            "UPDATE push_message SET lease_worker = NULL, lease_until = NULL, next_at = $3 \
             WHERE push_message_id = $1 AND lease_worker = $2",
            [lease.message_id, lease.worker, self.database_time(next_at)]
        );
        Ok(self.write(query).await? > 0)
    }

    /// Releases all messages that `worker` holds, for other servers; the attempts do not count.
    pub async fn release_push_leases(&self, worker: Uuid) -> Result<u64, Error> {
        let query = sql!(
            "UPDATE push_message SET lease_worker = NULL, lease_until = NULL, attempts = attempts - 1 \
             WHERE lease_worker = $1",
            [worker]
        );
        self.write(query).await
    }

    /// Deletes messages that were created before `moment`; returns how many.
    pub async fn purge_push_messages(&self, moment: Timestamp) -> Result<u64, Error> {
        self.write(sql!("DELETE FROM push_message WHERE created_at < $1", [moment])).await
    }

    /// Inserts a message for each browser of a tenant's people, in the transaction of the reminder.
    pub(super) async fn append_push_messages(
        &self,
        tenant_id: TenantId,
        body: &str,
        now: Timestamp,
        tx: &mut AnyConnection,
    ) -> Result<(), Error> {
        let query = sql!(
            "SELECT push_subscription.user_id, push_subscription_id FROM push_subscription \
             JOIN app_user ON app_user.user_id = push_subscription.user_id WHERE app_user.tenant_id = $1",
            [tenant_id]
        );
        for row in query.fetch_all(&mut *tx).await? {
            let user_id: UserId = rows::parsed(&row, "user_id")?;
            let subscription_id: PushSubscriptionId = rows::parsed(&row, "push_subscription_id")?;
            let query = sql!(
                // Only if the subscription still exists: somebody may be deleting it at this moment.
                "INSERT INTO push_message (push_message_id, user_id, push_subscription_id, tenant_id, body, next_at, \
                                           created_at) \
                 SELECT CAST($1 AS TEXT), user_id, push_subscription_id, CAST($4 AS TEXT), CAST($5 AS TEXT), \
                        CAST($6 AS BIGINT), CAST($7 AS BIGINT) \
                 FROM push_subscription WHERE user_id = $2 AND push_subscription_id = $3",
                [Uuid::now_v7(), user_id, subscription_id, tenant_id, body],
                [self.database_time(now), now]
            );
            query.execute(&mut *tx).await?;
        }
        Ok(())
    }
}

fn subscription_from_row(row: &AnyRow) -> Result<PushSubscription, Error> {
    Ok(PushSubscription {
        id: rows::parsed(row, "push_subscription_id")?,
        browser: row.try_get("browser")?,
        created_at: rows::timestamp(row, "created_at")?,
    })
}
