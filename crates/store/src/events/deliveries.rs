//! The queue of webhook deliveries. A server claims one until a deadline (the lease); after that another server may
//! claim it, so that each delivery is made at least once.

use jiff::Timestamp;
use partsight_domain::{
    AccountEvent, DeliveryPage, DeliveryState, EventId, TenantId, WebhookDelivery, WebhookId,
};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Row};
use uuid::Uuid;

use super::log::event_from_row;
use crate::transaction::retried;
use crate::{Error, Store, rows};

/// Concurrent deliveries to one endpoint: a slow one must not take all places.
// Two servers that claim at once may exceed it by one: each counts before the other's claim is committed.
const IN_FLIGHT: i64 = 2;
/// Concurrent deliveries of one tenant: a quarter of the places of a server, so that many slow endpoints do not take
/// all either.
const IN_FLIGHT_OF_TENANT: i64 = 8;

/// A server's lease on a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeliveryLease {
    /// The event.
    pub event_id: EventId,
    /// The webhook that it is sent to.
    pub webhook_id: WebhookId,
    /// The server.
    pub worker: Uuid,
}

/// A delivery that a server has claimed.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimedDelivery {
    /// The lease.
    pub lease: DeliveryLease,
    /// The tenant that owns the endpoint.
    pub tenant_id: TenantId,
    /// The event that is sent.
    pub event: AccountEvent,
    /// The address that it is sent to.
    pub url: String,
    /// The secret that signs it.
    pub secret: String,
    /// Number of attempts since it was queued or last resent, this one included.
    pub attempts: u32,
    /// Number of all attempts, this one included.
    pub all_attempts: u32,
    /// Number of consecutive failures of the endpoint before.
    pub n_failures: u32,
}

/// A failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailedTry<'a> {
    /// The status of the answer, if there was one.
    pub status: Option<u16>,
    /// The reason, as a sentence.
    pub problem: &'a str,
    /// When it is retried; `None` if it is not.
    pub next_at: Option<Timestamp>,
    /// No deliveries go to the endpoint until then.
    pub rest_until: Timestamp,
    /// Failures of an endpoint without a try since this time are over: time in which nothing was sent is no failure.
    pub quiet_since: Timestamp,
    /// An endpoint that has been failing since before this time is disabled if the delivery is exhausted.
    pub patience_since: Timestamp,
    /// Whether the delivery had all its tries, or as much time as they take.
    pub is_exhausted: bool,
    /// What the list says of deliveries that are no longer sent because the endpoint is disabled, as a sentence.
    pub disabled: &'a str,
}

/// What recording a failed attempt did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureRecord {
    /// Nothing: another server has the delivery by now.
    NotHeld,
    /// The failure was saved.
    Saved,
    /// The failure was saved, and the endpoint disabled.
    Disabled,
}

/// Claimable deliveries at `$1`, among those in the state `waiting`.
const CLAIMABLE: &str = "webhook_delivery.next_at + 0 <= $1 AND (webhook_delivery.lease_until IS NULL OR webhook_delivery.lease_until <= $1)";

/// The keys of a claimable delivery, to a random endpoint of a tenant with the fewest deliveries under way.
///
/// 100,000 rows may wait for an endpoint that is disabled, unreachable or at its limit, and must not be read by each
/// query. So the query goes through the endpoints, and takes for each one the first row in the index over endpoint
/// and state, roughly the oldest. Both databases use this index only because `next_at` stands in a sum, and the state
/// is compared as an interval of one value that is also the sort key.
fn next_delivery() -> String {
    format!(
        "SELECT event_id, webhook_endpoint_id FROM \
             (SELECT webhook_endpoint.webhook_endpoint_id, \
                     (SELECT webhook_delivery.event_id FROM webhook_delivery \
                      WHERE webhook_delivery.webhook_endpoint_id = webhook_endpoint.webhook_endpoint_id \
                        AND webhook_delivery.state BETWEEN 'waiting' AND 'waiting' AND {CLAIMABLE} \
                      ORDER BY webhook_delivery.state LIMIT 1) AS event_id, \
                     (SELECT COUNT(*) FROM webhook_endpoint AS other \
                      JOIN webhook_delivery AS held ON held.webhook_endpoint_id = other.webhook_endpoint_id \
                      WHERE other.tenant_id = webhook_endpoint.tenant_id AND held.lease_until > $1) AS n_under_way \
              FROM webhook_endpoint \
              WHERE is_enabled = 1 AND (rest_until IS NULL OR rest_until <= $1) \
                AND (SELECT COUNT(*) FROM webhook_delivery AS held \
                     WHERE held.webhook_endpoint_id = webhook_endpoint.webhook_endpoint_id AND held.lease_until > $1) \
                    < {IN_FLIGHT}) AS due \
         WHERE event_id IS NOT NULL AND n_under_way < {IN_FLIGHT_OF_TENANT} \
         ORDER BY n_under_way, RANDOM() LIMIT 1"
    )
}

impl Store {
    /// Whether there is a delivery to claim; a read without a write lock.
    pub async fn has_webhook_work(&self, now: Timestamp) -> Result<bool, Error> {
        // On a connection for reading: servers ask every second, and SQLite has only one writer.
        let query = sql!(AssertSqlSafe(next_delivery()), [self.database_time(now)]);
        Ok(query.fetch_optional(&self.db).await?.is_some())
    }

    /// Claims a delivery for `worker` until `until`.
    pub async fn claim_webhook_delivery(
        &self,
        worker: Uuid,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Option<ClaimedDelivery>, Error> {
        let mut tx = self.begin().await?;
        // The condition is repeated outside the subquery: of two servers on PostgreSQL the second waits for the row,
        // and then sees what the first changed.
        let query = sql!(
            AssertSqlSafe(format!(
                "UPDATE webhook_delivery SET lease_worker = $2, lease_until = $3, attempts = attempts + 1 \
                 WHERE (event_id, webhook_endpoint_id) = ({}) AND state = 'waiting' AND {CLAIMABLE} \
                 RETURNING event_id, webhook_endpoint_id, tenant_id, attempts, \
                           attempts + earlier_attempts AS all_attempts",
                next_delivery()
            )),
            [self.database_time(now), worker, self.database_time(until)]
        );
        let Some(claimed) = query.fetch_optional(&mut *tx).await? else {
            tx.rollback().await?;
            return Ok(None);
        };
        let event_id: EventId = rows::parsed(&claimed, "event_id")?;
        let webhook_id: WebhookId = rows::parsed(&claimed, "webhook_endpoint_id")?;
        let query = sql!(
            "SELECT account_event.*, webhook_endpoint.url, webhook_endpoint.secret, webhook_endpoint.n_failures \
             FROM account_event, webhook_endpoint \
             WHERE account_event.event_id = $1 AND webhook_endpoint.webhook_endpoint_id = $2",
            [event_id, webhook_id]
        );
        // Read in the transaction of the claim: if the endpoint is deleted a moment later, its deliveries are too.
        let row = query.fetch_one(&mut *tx).await?;
        tx.commit().await?;
        let number = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        Ok(Some(ClaimedDelivery {
            lease: DeliveryLease { event_id, webhook_id, worker },
            tenant_id: rows::parsed(&claimed, "tenant_id")?,
            event: event_from_row(&row)?,
            url: row.try_get("url")?,
            secret: row.try_get("secret")?,
            attempts: number(rows::count(&claimed, "attempts")?),
            all_attempts: number(rows::count(&claimed, "all_attempts")?),
            n_failures: number(rows::count(&row, "n_failures")?),
        }))
    }

    /// Releases all deliveries that `worker` holds, for other servers; the attempts do not count.
    pub async fn release_webhook_leases(&self, worker: Uuid) -> Result<u64, Error> {
        let query = sql!(
            "UPDATE webhook_delivery SET lease_worker = NULL, lease_until = NULL, attempts = attempts - 1 \
             WHERE lease_worker = $1",
            [worker]
        );
        self.write(query).await
    }

    /// Marks a held delivery as delivered; false if another server has it by now.
    pub async fn webhook_delivered(
        &self,
        lease: &DeliveryLease,
        status: u16,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let mut tx = self.begin().await?;
        let query = sql!(
            // Only if something had failed, so that a healthy endpoint's row is not written for each delivery.
            // What a disabled one shows is why it was disabled.
            "UPDATE webhook_endpoint SET n_failures = 0, failing_since = NULL, rest_until = NULL \
             WHERE webhook_endpoint_id = $1 AND n_failures > 0 AND is_enabled = 1",
            [lease.webhook_id]
        );
        query.execute(&mut *tx).await?;
        let query = sql!(
            "UPDATE webhook_delivery SET state = 'delivered', lease_worker = NULL, lease_until = NULL, \
                                         last_status = $4, problem = NULL, tried_at = $5 \
             WHERE event_id = $1 AND webhook_endpoint_id = $2 AND lease_worker = $3",
            [lease.event_id, lease.webhook_id, lease.worker, status, now]
        );
        if query.execute(&mut *tx).await?.rows_affected() != 1 {
            tx.rollback().await?;
            return Ok(false);
        }
        tx.commit().await?;
        Ok(true)
    }

    /// Postpones a held delivery that was not attempted, with the reason, and sends nothing to its endpoint until
    /// then; false if another server has it by now.
    pub async fn postpone_webhook(
        &self,
        lease: &DeliveryLease,
        problem: &str,
        until: Timestamp,
    ) -> Result<bool, Error> {
        let mut tx = self.begin().await?;
        let query = sql!(
            // Its failures are over, since it is not tried.
            "UPDATE webhook_endpoint SET rest_until = $2, failing_since = NULL \
             WHERE webhook_endpoint_id = $1 AND is_enabled = 1",
            [lease.webhook_id, self.database_time(until)]
        );
        query.execute(&mut *tx).await?;
        let query = sql!(
            // Nothing was sent, so the attempt that the claim counted is subtracted.
            "UPDATE webhook_delivery SET lease_worker = NULL, lease_until = NULL, attempts = attempts - 1, problem = $4 \
             WHERE event_id = $1 AND webhook_endpoint_id = $2 AND lease_worker = $3",
            [lease.event_id, lease.webhook_id, lease.worker, problem]
        );
        if query.execute(&mut *tx).await?.rows_affected() != 1 {
            tx.rollback().await?;
            return Ok(false);
        }
        tx.commit().await?;
        Ok(true)
    }

    /// Records the failure of a held delivery, and disables an endpoint that has been failing for long. A failure at an
    /// endpoint that was disabled meanwhile does not count: it may be disabled because it said that it is gone, or by its
    /// owner.
    pub async fn webhook_failed(
        &self,
        lease: &DeliveryLease,
        failed: &FailedTry<'_>,
        now: Timestamp,
    ) -> Result<FailureRecord, Error> {
        // Without a further attempt the delivery is dead. It stays in the list, from which a person can resend it.
        let state = if failed.next_at.is_some() { DeliveryState::Waiting } else { DeliveryState::Dead };
        retried(|| async {
        let mut tx = self.begin().await?;
        let query = sql!(
            // The endpoint is locked before its deliveries: otherwise two concurrent failures at an endpoint that is
            // being disabled would each wait for a row that the other one holds.
            // The pause after the last failure is at most minutes long, so its end stands for the time of that try.
            "UPDATE webhook_endpoint SET n_failures = n_failures + is_enabled, \
                    rest_until = CASE WHEN is_enabled = 1 THEN $2 ELSE rest_until END, \
                    failing_since = CASE WHEN is_enabled = 0 THEN failing_since \
                                         WHEN rest_until >= $3 THEN COALESCE(failing_since, $4) ELSE $4 END \
             WHERE webhook_endpoint_id = $1 RETURNING is_enabled, n_failures, failing_since",
            [lease.webhook_id, self.database_time(failed.rest_until), self.database_time(failed.quiet_since), now]
        );
        let Some(endpoint) = query.fetch_optional(&mut *tx).await? else {
            tx.rollback().await?;
            return Ok(FailureRecord::NotHeld);
        };
        let was_enabled = rows::flag(&endpoint, "is_enabled")?;
        let is_disabled = if was_enabled {
            failed.is_exhausted && rows::timestamp(&endpoint, "failing_since")? < failed.patience_since
        } else {
            // By its failures, so that this delivery has no further tries either. One that its owner disabled has none:
            // its deliveries wait.
            rows::count(&endpoint, "n_failures")? > 0
        };
        let query = sql!(
            "UPDATE webhook_delivery SET state = $4, lease_worker = NULL, lease_until = NULL, last_status = $5, \
                                         problem = $6, tried_at = $7, next_at = $8 \
             WHERE event_id = $1 AND webhook_endpoint_id = $2 AND lease_worker = $3",
            [lease.event_id, lease.webhook_id, lease.worker, state, failed.status, failed.problem, now],
            // The column cannot be NULL; for a dead delivery nobody reads it.
            [self.database_time(failed.next_at.unwrap_or(now))]
        );
        if query.execute(&mut *tx).await?.rows_affected() != 1 {
            tx.rollback().await?;
            return Ok(FailureRecord::NotHeld);
        }
        if is_disabled {
            let query = sql!(
                "UPDATE webhook_endpoint SET is_enabled = 0 WHERE webhook_endpoint_id = $1",
                [lease.webhook_id]
            );
            query.execute(&mut *tx).await?;
            let query = sql!(
                // Except those that a server is sending: they may have arrived, and their own result decides. If one of
                // them fails, this code runs for it too.
                "UPDATE webhook_delivery SET state = 'dead', lease_worker = NULL, lease_until = NULL, problem = $3 \
                 WHERE webhook_endpoint_id = $1 AND state = 'waiting' \
                   AND (lease_until IS NULL OR lease_until <= $2)",
                [lease.webhook_id, self.database_time(now), failed.disabled]
            );
            query.execute(&mut *tx).await?;
        }
        tx.commit().await?;
        Ok(if is_disabled && was_enabled { FailureRecord::Disabled } else { FailureRecord::Saved })
        })
        .await
    }

    /// A page of the deliveries of an endpoint of a tenant, the newest event first; of one state if given.
    pub async fn list_webhook_deliveries(
        &self,
        tenant_id: TenantId,
        id: WebhookId,
        state: Option<DeliveryState>,
        page: DeliveryPage,
    ) -> Result<Vec<WebhookDelivery>, Error> {
        let query = sql!(
            "SELECT account_event.*, webhook_delivery.state, \
                    webhook_delivery.attempts + webhook_delivery.earlier_attempts AS attempts, webhook_delivery.next_at, \
                    webhook_delivery.tried_at, webhook_delivery.last_status, webhook_delivery.problem \
             FROM webhook_delivery JOIN account_event ON account_event.event_id = webhook_delivery.event_id \
             WHERE webhook_delivery.tenant_id = $1 AND webhook_delivery.webhook_endpoint_id = $2 \
               AND webhook_delivery.state IN ($3, $4, $5) AND account_event.number < $6 \
             ORDER BY account_event.number DESC LIMIT $7",
            [tenant_id, id],
            // Without a state all three are bound, otherwise the given one three times, so that one query text serves
            // both.
            [state.unwrap_or(DeliveryState::Waiting), state.unwrap_or(DeliveryState::Delivered)],
            [state.unwrap_or(DeliveryState::Dead), page.before.unwrap_or(i64::MAX), page.limit]
        );
        self.list(query, |row| self.delivery_from_row(row)).await
    }

    /// Makes deliveries of an endpoint of a tenant claimable again, with all their attempts: the dead ones, or the
    /// one of an event, whatever its state. Returns how many.
    pub async fn resend_webhook(
        &self,
        tenant_id: TenantId,
        id: WebhookId,
        event_id: Option<EventId>,
        now: Timestamp,
    ) -> Result<u64, Error> {
        let mut tx = self.begin().await?;
        // A person who resends expects the endpoint to work again.
        rest_no_more(tenant_id, id, &mut tx).await?;
        let n = if let Some(event_id) = event_id {
            let query = sql!(
                "UPDATE webhook_delivery SET state = 'waiting', earlier_attempts = earlier_attempts + attempts, attempts = 0, next_at = $4 \
                 WHERE tenant_id = $1 AND webhook_endpoint_id = $2 AND event_id = $3 \
                   AND (lease_worker IS NULL OR lease_until <= $4)",
                [tenant_id, id, event_id, self.database_time(now)]
            );
            query.execute(&mut *tx).await?.rows_affected()
        } else {
            let query = sql!(
                "UPDATE webhook_delivery SET state = 'waiting', earlier_attempts = earlier_attempts + attempts, attempts = 0, next_at = $3 \
                 WHERE tenant_id = $1 AND webhook_endpoint_id = $2 AND state = 'dead'",
                [tenant_id, id, self.database_time(now)]
            );
            query.execute(&mut *tx).await?.rows_affected()
        };
        tx.commit().await?;
        Ok(n)
    }

    fn delivery_from_row(&self, row: &AnyRow) -> Result<WebhookDelivery, Error> {
        let state: DeliveryState = rows::parsed(row, "state")?;
        let status: Option<i64> = row.try_get("last_status")?;
        let is_waiting = state == DeliveryState::Waiting;
        let next_at = is_waiting.then(|| rows::timestamp(row, "next_at")).transpose()?;
        Ok(WebhookDelivery {
            event: event_from_row(row)?,
            state,
            attempts: u32::try_from(rows::count(row, "attempts")?).unwrap_or(u32::MAX),
            next_at: next_at.map(|moment| self.own_time(moment)),
            tried_at: rows::optional_timestamp(row, "tried_at")?,
            last_status: status.and_then(|status| u16::try_from(status).ok()),
            problem: row.try_get("problem")?,
        })
    }
}

async fn rest_no_more(tenant_id: TenantId, id: WebhookId, tx: &mut AnyConnection) -> Result<(), Error> {
    let query = sql!(
        "UPDATE webhook_endpoint SET rest_until = NULL WHERE tenant_id = $1 AND webhook_endpoint_id = $2",
        [tenant_id, id]
    );
    query.execute(tx).await?;
    Ok(())
}
