//! The events of an account in their order.

use jiff::Timestamp;
use partsight_domain::{AccountEvent, EventId, NewEvent, TenantId};
use sqlx::AnyConnection;
use sqlx::any::AnyRow;
use uuid::Uuid;

use crate::{Error, Store, rows};

/// Writes an event and a delivery for each endpoint that wants it, in the transaction of what it reports.
///
/// It must be the last statement before the commit: the tenant's other events wait from here on, and a lock that is
/// taken after this one could be held by somebody who waits for this one.
pub(crate) async fn append_event(
    tenant_id: TenantId,
    event: &NewEvent,
    now: Timestamp,
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    let query = scalar!(
        // The lock on this row until the commit is what makes numbers visible in their order: a stream that has read up
        // to one has missed none before it. A time or a random id would not. See
        // docs/decisions/0127-webhooks-as-an-outbox.md.
        "INSERT INTO event_counter (tenant_id, last_number) VALUES ($1, 1) \
         ON CONFLICT (tenant_id) DO UPDATE SET last_number = event_counter.last_number + 1 RETURNING last_number",
        [tenant_id]
    );
    let number: i64 = query.fetch_one(&mut *tx).await?;
    let id = EventId(Uuid::now_v7());
    let query = sql!(
        "INSERT INTO account_event (event_id, tenant_id, number, kind, subject_id, data, occurred_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        [id, tenant_id, number, event.kind, event.subject_id, rows::to_json("data", &event.data)?, now]
    );
    query.execute(&mut *tx).await?;
    let query = sql!(
        // Kinds are kept in one column with spaces between, so the spaces around both sides keep a kind from matching a
        // longer one that begins alike.
        "INSERT INTO webhook_delivery (event_id, webhook_endpoint_id, tenant_id, state, next_at) \
         SELECT CAST($1 AS TEXT), webhook_endpoint_id, tenant_id, 'waiting', CAST($3 AS BIGINT) FROM webhook_endpoint \
         WHERE tenant_id = $2 AND is_enabled = 1 AND ' ' || events || ' ' LIKE $4",
        [id, tenant_id, now, format!("% {} %", event.kind)]
    );
    query.execute(tx).await?;
    Ok(())
}

impl Store {
    /// At most `limit` events of a tenant after the one of number `after`, in their order.
    pub async fn list_events(
        &self,
        tenant_id: TenantId,
        after: u64,
        limit: u32,
    ) -> Result<Vec<AccountEvent>, Error> {
        let query = sql!(
            "SELECT * FROM account_event WHERE tenant_id = $1 AND number > $2 ORDER BY number LIMIT $3",
            [tenant_id, i64::try_from(after).unwrap_or(i64::MAX), limit]
        );
        self.list(query, event_from_row).await
    }

    /// The number of a tenant's last event; 0 before the first.
    pub async fn last_event_number(&self, tenant_id: TenantId) -> Result<u64, Error> {
        let query = scalar!("SELECT last_number FROM event_counter WHERE tenant_id = $1", [tenant_id]);
        let number: Option<i64> = query.fetch_optional(&self.db).await?;
        Ok(number.unwrap_or(0).unsigned_abs())
    }

    /// Deletes the events from before `moment` that nobody waits for, and all from before `oldest`; how many went.
    pub async fn purge_events(&self, moment: Timestamp, oldest: Timestamp) -> Result<u64, Error> {
        let query = sql!(
            // An event takes its deliveries along, so it stays while one is not made, but not for ever: an endpoint may
            // never come back.
            "DELETE FROM account_event WHERE occurred_at < $1 AND (occurred_at < $2 OR NOT EXISTS \
                 (SELECT 1 FROM webhook_delivery WHERE webhook_delivery.event_id = account_event.event_id \
                  AND webhook_delivery.state <> 'delivered'))",
            [moment, oldest]
        );
        self.write(query).await
    }
}

pub(super) fn event_from_row(row: &AnyRow) -> Result<AccountEvent, Error> {
    Ok(AccountEvent {
        id: rows::parsed(row, "event_id")?,
        number: rows::count(row, "number")?,
        kind: rows::parsed(row, "kind")?,
        data: rows::json(row, "data")?,
        occurred_at: rows::timestamp(row, "occurred_at")?,
    })
}
