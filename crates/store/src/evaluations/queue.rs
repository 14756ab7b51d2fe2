//! The queue of evaluations. A server claims one until a deadline (the lease). After that another server may claim
//! it, and what the first one returns is refused, because the lease is checked in the transaction that ends it.

use jiff::Timestamp;
use partsight_domain::{EvaluationId, EvaluationReport, EvaluationState, TenantId};
use sqlx::{AssertSqlSafe, Row};
use uuid::Uuid;

use crate::{Error, Store, rows};

/// An evaluation that a server has claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedEvaluation {
    /// Id of the evaluation.
    pub id: EvaluationId,
    /// The tenant that owns it.
    pub tenant_id: TenantId,
    /// Its name.
    pub name: String,
    /// Number of attempts, this one included.
    pub attempts: u32,
}

/// The results of an evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredEvaluation {
    /// The figures that people see.
    pub report: EvaluationReport,
    /// The files of the report, each with its name.
    pub files: Vec<(String, Vec<u8>)>,
}

/// How an evaluation ends.
#[derive(Debug, Clone, PartialEq)]
pub enum EvaluationOutcome {
    /// Measured, with its report.
    Done(Box<MeasuredEvaluation>),
    /// Failed, with a reason for people.
    Failed(String),
}

const CLAIMABLE: &str = "(state = 'waiting' OR (state = 'running' AND lease_until <= $1))";

impl Store {
    /// Whether there is an evaluation to claim; a read without a write lock.
    pub async fn has_evaluation_work(&self, now: Timestamp) -> Result<bool, Error> {
        let query = sql!(
            AssertSqlSafe(format!("SELECT evaluation_id FROM evaluation WHERE {CLAIMABLE} LIMIT 1")),
            [self.database_time(now)]
        );
        Ok(query.fetch_optional(&self.db).await?.is_some())
    }

    /// Claims the evaluation that has waited the longest for `worker`, until `until`.
    pub async fn claim_evaluation(
        &self,
        worker: Uuid,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Option<ClaimedEvaluation>, Error> {
        let mut tx = self.begin().await?;
        // The condition is repeated on the row itself: of two workers the second waits for the first, and sees what
        // it took.
        let query = sql!(
            AssertSqlSafe(format!(
                "UPDATE evaluation SET state = 'running', lease_worker = $2, lease_until = $3, started_at = $4, \
                                       n_done = 0, attempts = attempts + 1 \
                 WHERE evaluation_id = (SELECT evaluation_id FROM evaluation WHERE {CLAIMABLE} \
                                        ORDER BY created_at, evaluation_id LIMIT 1) AND {CLAIMABLE} \
                 RETURNING evaluation_id, tenant_id, name, attempts"
            )),
            [self.database_time(now), worker, self.database_time(until), now]
        );
        let Some(row) = query.fetch_optional(&mut *tx).await? else {
            tx.rollback().await?;
            return Ok(None);
        };
        tx.commit().await?;
        Ok(Some(ClaimedEvaluation {
            id: rows::parsed(&row, "evaluation_id")?,
            tenant_id: rows::parsed(&row, "tenant_id")?,
            name: row.try_get("name")?,
            attempts: u32::try_from(rows::count(&row, "attempts")?).unwrap_or(u32::MAX),
        }))
    }

    /// The sorted paths of the photographs, and of the list of labels, of a claimed evaluation.
    pub async fn list_evaluation_paths(
        &self,
        tenant_id: TenantId,
        id: EvaluationId,
    ) -> Result<Vec<String>, Error> {
        let query = sql!(
            "SELECT path FROM evaluation_photo WHERE tenant_id = $1 AND evaluation_id = $2 ORDER BY path",
            [tenant_id, id]
        );
        self.list(query, |row| Ok(row.try_get("path")?)).await
    }

    /// One of its photographs; `None` if the evaluation has ended meanwhile.
    pub async fn find_evaluation_photo(
        &self,
        tenant_id: TenantId,
        id: EvaluationId,
        path: &str,
    ) -> Result<Option<Vec<u8>>, Error> {
        let query = scalar!(
            "SELECT bytes FROM evaluation_photo WHERE tenant_id = $1 AND evaluation_id = $2 AND path = $3",
            [tenant_id, id, path]
        );
        Ok(query.fetch_optional(&self.db).await?)
    }

    /// Extends the lease on an evaluation until `until`, and saves its progress; false if it was cancelled or is
    /// claimed by another worker by now.
    pub async fn renew_evaluation(
        &self,
        tenant_id: TenantId,
        id: EvaluationId,
        worker: Uuid,
        until: Timestamp,
        n_done: u64,
    ) -> Result<bool, Error> {
        let query = sql!(
            "UPDATE evaluation SET lease_until = $4, n_done = $5 \
             WHERE tenant_id = $1 AND evaluation_id = $2 AND lease_worker = $3",
            [tenant_id, id, worker, self.database_time(until), n_done.cast_signed()]
        );
        Ok(self.write(query).await? > 0)
    }

    /// Releases what `worker` holds, for other workers; the attempt does not count.
    pub async fn release_evaluations(&self, worker: Uuid) -> Result<u64, Error> {
        let query = sql!(
            "UPDATE evaluation SET state = 'waiting', lease_worker = NULL, lease_until = NULL, \
                                   attempts = attempts - 1 \
             WHERE lease_worker = $1",
            [worker]
        );
        self.write(query).await
    }

    /// Ends a held evaluation, and deletes its photographs; false, with nothing saved, if it is no longer held.
    pub async fn end_evaluation(
        &self,
        tenant_id: TenantId,
        id: EvaluationId,
        worker: Uuid,
        outcome: &EvaluationOutcome,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let (state, measured, problem) = match outcome {
            EvaluationOutcome::Done(measured) => (EvaluationState::Done, Some(measured), None),
            EvaluationOutcome::Failed(problem) => (EvaluationState::Failed, None, Some(problem)),
        };
        let report = measured.map(|measured| &measured.report);
        let text = report.map(|report| rows::to_json("report", report)).transpose()?;
        let mut tx = self.begin().await?;
        let query = sql!(
            "UPDATE evaluation SET state = $4, problem = $5, ended_at = $6, lease_worker = NULL, lease_until = NULL, \
                                   n_done = CASE WHEN $7 = 1 THEN n_photos ELSE n_done END, \
                                   n_known = $8, n_right = $9, model = $10, report = $11 \
             WHERE tenant_id = $1 AND evaluation_id = $2 AND lease_worker = $3",
            [tenant_id, id, worker, state, problem, now, report.is_some()],
            [
                report.map(|report| report.top1.total.cast_signed()),
                report.map(|report| report.top1.count.cast_signed()),
                report.map(|report| format!("{} {}", report.model, report.model_version)),
                text
            ]
        );
        // Cancelled, or claimed by another worker after the lease expired: this result is discarded.
        if query.execute(&mut *tx).await?.rows_affected() != 1 {
            tx.rollback().await?;
            return Ok(false);
        }
        for (name, bytes) in measured.map(|measured| &measured.files).into_iter().flatten() {
            let query = sql!(
                "INSERT INTO evaluation_file (evaluation_id, tenant_id, name, bytes) VALUES ($1, $2, $3, $4)",
                [id, tenant_id, name, bytes]
            );
            query.execute(&mut *tx).await?;
        }
        tx.commit().await?;
        // It has ended even if this fails: `erase_photos_of_ended_evaluations` continues.
        if let Err(error) = self.erase_photos_of(id).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "not all photographs of an evaluation could be erased; this is continued within a minute"
            );
        }
        Ok(true)
    }
}
