use jiff::Timestamp;
use partsight_domain::TenantId;
use sqlx::{AnyConnection, Row};

use crate::transaction::retried;
use crate::{Error, Store, rows};

/// A call that its client may send twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotentCall {
    /// The path that was called.
    pub path: String,
    /// What the client names this one call.
    pub key: String,
    /// SHA-256 of the body, in hex.
    pub request_sha256: String,
}

/// Which calls a new one forgets, by when they began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StaleCalls {
    /// Answered ones from before this.
    pub answered_before: Timestamp,
    /// Those without an answer from before this: their server died.
    pub running_before: Timestamp,
    /// Those without an answer from after this: their server's clock was wrong.
    pub running_after: Timestamp,
}

/// Whether a call may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// It may, and nobody else will run it until it is finished or released.
    New,
    /// It is running at this moment.
    Running,
    /// The key was used for another body.
    OtherRequest,
    /// It has run: its status and its body.
    Answered {
        /// The HTTP status.
        status: u16,
        /// The body, as text.
        body: String,
    },
}

impl Store {
    /// Reserves a call of a tenant, or says what came of it. Forgets those that are `stale`.
    pub async fn claim_call(
        &self,
        tenant_id: TenantId,
        call: &IdempotentCall,
        now: Timestamp,
        stale: StaleCalls,
    ) -> Result<Claim, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            sql!(
                "DELETE FROM idempotent_call \
             WHERE created_at < $1 OR (status IS NULL AND (created_at < $2 OR created_at > $3))",
                [stale.answered_before, stale.running_before, stale.running_after]
            )
            .execute(&mut *tx)
            .await?;
            // The insert is the claim: of two calls with one key at once, one row goes in.
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
            // Released between the two statements: the client may try again at once.
            let Some(row) = row else { return Ok(Claim::Running) };
            // A client that reuses a key by mistake must not get the answer to another question.
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

    /// Keeps the answer of a call that was claimed.
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

    /// Gives a claimed call up, so that it can be sent again: nothing came of it.
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

/// Answers a call in the transaction of what it makes, whether or not it is still claimed; false where it was answered
/// before, and what it makes must not be made again.
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
