use jiff::Timestamp;
use partsight_domain::TenantId;
use sqlx::{AnyConnection, Row};

use crate::transaction::retried;
use crate::{Error, Store, rows};

/// An idempotent call: one that its client may repeat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotentCall {
    /// The path that was called.
    pub path: String,
    /// The idempotency key that the client chose.
    pub key: String,
    /// SHA-256 of the body, in hex.
    pub request_sha256: String,
}

/// Which calls are deleted when a new one is claimed, by the time of their claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StaleCalls {
    /// Answered calls from before this.
    pub answered_before: Timestamp,
    /// Unanswered calls from before this: their server died.
    pub running_before: Timestamp,
    /// Unanswered calls from after this: a clock was wrong.
    pub running_after: Timestamp,
}

/// The result of claiming a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// The call may run, and nobody else will run it until it is finished or released.
    New,
    /// It is running.
    Running,
    /// The key was used for a different request.
    OtherRequest,
    /// It has been answered.
    Answered {
        /// The HTTP status.
        status: u16,
        /// The body, as text.
        body: String,
    },
}

pub(crate) const DELETE_ANSWERED: &str = "DELETE FROM idempotent_call WHERE created_at < $1";
pub(crate) const DELETE_DEAD: &str =
    "DELETE FROM idempotent_call WHERE status IS NULL AND (created_at < $1 OR created_at > $2)";

impl Store {
    /// Claims a call of a tenant at `now`, or returns its state or answer. Deletes calls that are `stale`. All times are
    /// those of the [database's clock](Self::database_ahead).
    pub async fn claim_call(
        &self,
        tenant_id: TenantId,
        call: &IdempotentCall,
        now: Timestamp,
        stale: StaleCalls,
    ) -> Result<Claim, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            // Two statements, each answered by an index: one with both conditions reads every call of the last day.
            sql!(DELETE_ANSWERED, [stale.answered_before]).execute(&mut *tx).await?;
            sql!(DELETE_DEAD, [stale.running_before, stale.running_after]).execute(&mut *tx).await?;
            // The insert is the claim: of two concurrent calls with one key, one row is inserted.
            let inserted = sql!(
                "INSERT INTO idempotent_call (tenant_id, path, call_key, request_sha256, created_at) \
             VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
                [tenant_id, call.path, call.key, call.request_sha256, now]
            )
            .execute(&mut *tx)
            .await?
            .rows_affected();
            if inserted == 1 {
                tx.commit().await?;
                return Ok(Claim::New);
            }
            let query = sql!(
                "SELECT request_sha256, status, answer FROM idempotent_call \
             WHERE tenant_id = $1 AND path = $2 AND call_key = $3",
                [tenant_id, call.path, call.key]
            );
            let row = query.fetch_optional(&mut *tx).await?;
            tx.commit().await?;
            // It was released between the two statements: the client may retry at once.
            let Some(row) = row else { return Ok(Claim::Running) };
            // A client that reuses a key by mistake must not get the answer to another request.
            if row.try_get::<String, _>("request_sha256")? != call.request_sha256 {
                return Ok(Claim::OtherRequest);
            }
            let status: Option<i64> = row.try_get("status")?;
            let body: Option<String> = row.try_get("answer")?;
            let Some((status, body)) = status.zip(body) else { return Ok(Claim::Running) };
            let status = u16::try_from(status).map_err(|error| rows::corrupt("status", &error))?;
            Ok(Claim::Answered { status, body })
        })
        .await
    }

    /// Saves the answer of a claimed call.
    pub async fn finish_call(
        &self,
        tenant_id: TenantId,
        call: &IdempotentCall,
        status: u16,
        body: &str,
    ) -> Result<(), Error> {
        let query = sql!(
            "UPDATE idempotent_call SET status = $4, answer = $5 \
             WHERE tenant_id = $1 AND path = $2 AND call_key = $3",
            [tenant_id, call.path, call.key, status, body]
        );
        self.write(query).await?;
        Ok(())
    }

    /// Releases a claimed call without a result, so that it can be repeated.
    pub async fn release_call(&self, tenant_id: TenantId, call: &IdempotentCall) -> Result<(), Error> {
        let query = sql!(
            "DELETE FROM idempotent_call \
             WHERE tenant_id = $1 AND path = $2 AND call_key = $3 AND status IS NULL",
            [tenant_id, call.path, call.key]
        );
        self.write(query).await?;
        Ok(())
    }
}

/// Saves the answer of a call in the transaction that saves its result, whether or not it is still claimed; false if
/// it was answered before, and the result must not be saved again.
pub(crate) async fn answer_call(
    tenant_id: TenantId,
    call: &IdempotentCall,
    status: u16,
    answer: &str,
    now: Timestamp,
    tx: &mut AnyConnection,
) -> Result<bool, Error> {
    let query = sql!(
        "INSERT INTO idempotent_call (tenant_id, path, call_key, request_sha256, status, answer, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7) \
         ON CONFLICT (tenant_id, path, call_key) DO UPDATE SET status = $5, answer = $6 \
         WHERE idempotent_call.status IS NULL",
        [tenant_id, call.path, call.key, call.request_sha256, status, answer, now]
    );
    let result = query.execute(tx).await?;
    Ok(result.rows_affected() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query_plans::assert_plan;

    #[tokio::test]
    async fn a_claim_reads_only_the_calls_that_it_deletes() {
        assert_plan(DELETE_ANSWERED, 1, &["idempotent_call_by_age (created_at<?)"]).await;
        assert_plan(DELETE_DEAD, 2, &["idempotent_call_running"]).await;
    }
}
