//! The events of an account, in order.

use std::sync::atomic::Ordering::Relaxed;

use jiff::Timestamp;
use partsight_domain::{AccountEvent, EventId, NewEvent, TenantId};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe};
use uuid::Uuid;

use crate::many_rows::{repeated, runs};
use crate::{Error, Store, rows};

impl Store {
    /// Inserts an event, and a delivery for each endpoint that subscribes to it, in the transaction that it reports.
    ///
    /// Must be the last statement before the commit: from here on the tenant's other events wait, and a transaction that
    /// already waits for this one might hold the next lock.
    pub(crate) async fn append_event(
        &self,
        tenant_id: TenantId,
        event: &NewEvent,
        now: Timestamp,
        tx: &mut AnyConnection,
    ) -> Result<(), Error> {
        self.append_events(tenant_id, &[(event.clone(), now)], tx).await
    }

    /// As [`append_event`](Self::append_event) for several events of a tenant in order, each with its time.
    pub(crate) async fn append_events(
        &self,
        tenant_id: TenantId,
        events: &[(NewEvent, Timestamp)],
        tx: &mut AnyConnection,
    ) -> Result<(), Error> {
        if events.is_empty() {
            return Ok(());
        }
        let n_events = i64::try_from(events.len()).unwrap_or(i64::MAX);
        let query = scalar!(
            // The lock on this row until the commit makes events visible in the order of their numbers: a reader that has
            // seen one number has missed none before it. A time or a random id would not ensure that. See
            // docs/decisions/0127-webhooks-as-an-outbox.md.
            "INSERT INTO event_counter (tenant_id, last_number) VALUES ($1, $2) \
             ON CONFLICT (tenant_id) DO UPDATE SET last_number = event_counter.last_number + excluded.last_number \
             RETURNING last_number",
            [tenant_id, n_events]
        );
        let last: i64 = query.fetch_one(&mut *tx).await?;
        let numbered: Vec<_> = events.iter().zip(last - n_events + 1..).collect();
        for run in runs(&numbered) {
            let mut query = sqlx::query(AssertSqlSafe(format!(
                "INSERT INTO account_event (event_id, tenant_id, number, kind, subject_id, data, occurred_at) VALUES {}",
                repeated("($1, $2, $3, $4, $5, $6, $7)", 7, run.len(), 0)
            )));
            for ((event, at), number) in run {
                query = with_values!(
                    query,
                    [EventId(Uuid::now_v7()), tenant_id, number, event.kind, event.subject_id],
                    [rows::to_json("data", &event.data)?, at]
                );
            }
            query.execute(&mut *tx).await?;
        }
        let query = sql!(
            // The types are stored in one column, separated by spaces; the spaces around both sides keep a type from
            // matching a longer one with the same beginning.
            "INSERT INTO webhook_delivery (event_id, webhook_endpoint_id, tenant_id, state, next_at) \
             SELECT account_event.event_id, webhook_endpoint.webhook_endpoint_id, account_event.tenant_id, 'waiting', \
                    account_event.occurred_at + $4 \
             FROM webhook_endpoint JOIN account_event ON account_event.tenant_id = webhook_endpoint.tenant_id \
             WHERE webhook_endpoint.tenant_id = $1 AND webhook_endpoint.is_enabled = 1 \
               AND account_event.number > $2 AND account_event.number <= $3 \
               AND ' ' || webhook_endpoint.events || ' ' LIKE '% ' || account_event.kind || ' %'",
            [tenant_id, last - n_events, last, self.database_ahead_ms.load(Relaxed)]
        );
        query.execute(tx).await?;
        Ok(())
    }

    /// At most `limit` events of a tenant with a number above `after`, in order.
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

    /// Deletes events from before `moment` without waiting deliveries, and all from before `oldest`; returns how
    /// many.
    pub async fn purge_events(&self, moment: Timestamp, oldest: Timestamp) -> Result<u64, Error> {
        let query = sql!(
            // Deleting an event deletes its deliveries, so it stays while one is waiting, but not forever: an endpoint
            // may never work again.
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
