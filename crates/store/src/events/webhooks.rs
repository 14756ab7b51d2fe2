//! The webhook endpoints of accounts.

use jiff::Timestamp;
use partsight_domain::{EventKind, NewWebhook, TenantId, UnknownName, Webhook, WebhookId};
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::{Error, Store, rows};

/// An endpoint to insert.
#[derive(Debug, Clone, Copy)]
pub struct WebhookRow<'a> {
    /// Id of the webhook.
    pub id: WebhookId,
    /// Its address and events, as its owner chose them.
    pub details: &'a NewWebhook,
    /// The secret that signs deliveries.
    pub secret: &'a str,
    /// When it is made.
    pub created_at: Timestamp,
    /// Whether events are sent to it.
    pub is_enabled: bool,
}

const SELECT: &str = "SELECT webhook_endpoint.*, \
     (SELECT COUNT(*) FROM webhook_delivery WHERE state = 'waiting' \
      AND webhook_delivery.webhook_endpoint_id = webhook_endpoint.webhook_endpoint_id) AS n_waiting, \
     (SELECT COUNT(*) FROM webhook_delivery WHERE state = 'dead' \
      AND webhook_delivery.webhook_endpoint_id = webhook_endpoint.webhook_endpoint_id) AS n_dead \
     FROM webhook_endpoint";

impl Store {
    /// Inserts an endpoint of a tenant; false if they have `limit` of them.
    pub async fn create_webhook(
        &self,
        tenant_id: TenantId,
        row: &WebhookRow<'_>,
        limit: u64,
    ) -> Result<bool, Error> {
        let mut tx = self.begin().await?;
        // Without the lock two concurrent calls could both take the last place.
        Self::lock_tenant(&mut tx, tenant_id).await?;
        let n: i64 = scalar!("SELECT COUNT(*) FROM webhook_endpoint WHERE tenant_id = $1", [tenant_id])
            .fetch_one(&mut *tx)
            .await?;
        if n.unsigned_abs() >= limit {
            tx.rollback().await?;
            return Ok(false);
        }
        let query = sql!(
            "INSERT INTO webhook_endpoint (webhook_endpoint_id, tenant_id, url, secret, events, created_at, is_enabled) \
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
            [row.id, tenant_id, row.details.url, row.secret, names(&row.details.events), row.created_at],
            [row.is_enabled]
        );
        query.execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// The endpoints of a tenant, the oldest first.
    pub async fn list_webhooks(&self, tenant_id: TenantId) -> Result<Vec<Webhook>, Error> {
        let query = sql!(
            sqlx::AssertSqlSafe(format!(
                "{SELECT} WHERE tenant_id = $1 ORDER BY created_at, webhook_endpoint_id"
            )),
            [tenant_id]
        );
        self.list(query, webhook_from_row).await
    }

    /// One endpoint of a tenant, with its secret.
    pub async fn find_webhook(
        &self,
        tenant_id: TenantId,
        id: WebhookId,
    ) -> Result<Option<(Webhook, String)>, Error> {
        let query = sql!(
            sqlx::AssertSqlSafe(format!("{SELECT} WHERE tenant_id = $1 AND webhook_endpoint_id = $2")),
            [tenant_id, id]
        );
        self.find(query, |row| Ok((webhook_from_row(row)?, row.try_get("secret")?))).await
    }

    /// Changes an endpoint of a tenant, and resets its failures; returns whether there is one. Deliveries to a
    /// disabled endpoint wait until it is enabled again; until then it shows since when it had failed.
    pub async fn update_webhook(
        &self,
        tenant_id: TenantId,
        id: WebhookId,
        details: &NewWebhook,
        is_enabled: bool,
    ) -> Result<bool, Error> {
        let query = sql!(
            "UPDATE webhook_endpoint SET url = $3, events = $4, is_enabled = $5, n_failures = 0, rest_until = NULL, \
                    failing_since = CASE WHEN is_enabled = 0 AND is_enabled = $5 THEN failing_since END \
             WHERE tenant_id = $1 AND webhook_endpoint_id = $2",
            [tenant_id, id, details.url, names(&details.events), is_enabled]
        );
        Ok(self.write(query).await? > 0)
    }

    /// Resets the failures of an endpoint of a tenant, so that deliveries go to it at once.
    pub async fn forget_webhook_failures(&self, tenant_id: TenantId, id: WebhookId) -> Result<(), Error> {
        let query = sql!(
            "UPDATE webhook_endpoint SET n_failures = 0, rest_until = NULL, \
                    failing_since = CASE WHEN is_enabled = 0 THEN failing_since END \
             WHERE tenant_id = $1 AND webhook_endpoint_id = $2 AND n_failures > 0",
            [tenant_id, id]
        );
        self.write(query).await?;
        Ok(())
    }

    /// Replaces the secret of an endpoint of a tenant; returns whether there is one.
    pub async fn set_webhook_secret(
        &self,
        tenant_id: TenantId,
        id: WebhookId,
        secret: &str,
    ) -> Result<bool, Error> {
        let query = sql!(
            "UPDATE webhook_endpoint SET secret = $3 WHERE tenant_id = $1 AND webhook_endpoint_id = $2",
            [tenant_id, id, secret]
        );
        Ok(self.write(query).await? > 0)
    }

    /// Deletes an endpoint of a tenant with its deliveries; returns whether there was one.
    pub async fn delete_webhook(&self, tenant_id: TenantId, id: WebhookId) -> Result<bool, Error> {
        let query = sql!(
            "DELETE FROM webhook_endpoint WHERE tenant_id = $1 AND webhook_endpoint_id = $2",
            [tenant_id, id]
        );
        Ok(self.write(query).await? > 0)
    }
}

fn names(kinds: &[EventKind]) -> String {
    let names: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
    names.join(" ")
}

fn webhook_from_row(row: &AnyRow) -> Result<Webhook, Error> {
    let events: String = row.try_get("events")?;
    let events = events
        .split_whitespace()
        .map(|name| name.parse().map_err(|error: UnknownName| rows::corrupt("events", &error)))
        .collect::<Result<_, _>>()?;
    Ok(Webhook {
        id: rows::parsed(row, "webhook_endpoint_id")?,
        url: row.try_get("url")?,
        events,
        is_enabled: rows::flag(row, "is_enabled")?,
        failing_since: rows::optional_timestamp(row, "failing_since")?,
        created_at: rows::timestamp(row, "created_at")?,
        n_waiting: rows::count(row, "n_waiting")?,
        n_dead: rows::count(row, "n_dead")?,
    })
}
