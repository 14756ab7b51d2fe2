//! Evaluations themselves, their photographs until they are measured, and the files of their reports.

use jiff::Timestamp;
use partsight_domain::{Evaluation, EvaluationId, EvaluationState, TenantId};
use sqlx::any::AnyRow;
use sqlx::{AssertSqlSafe, Row};

use crate::slices::EVALUATION_PHOTOS;
use crate::{Error, Store, rows};

/// An evaluation to insert.
#[derive(Debug, Clone, Copy)]
pub struct NewEvaluation<'a> {
    /// Id of the evaluation.
    pub id: EvaluationId,
    /// Its name.
    pub name: &'a str,
}

/// The columns of a list: all but the figures.
const LISTED: &str = "SELECT evaluation_id, name, state, problem, created_at, started_at, ended_at, n_photos, n_done, \
                             n_known, n_right, model \
                      FROM evaluation WHERE tenant_id = $1 ORDER BY created_at DESC, evaluation_id DESC";

impl Store {
    /// Inserts an evaluation that accepts photographs; false if the tenant has one that has not ended.
    pub async fn create_evaluation(
        &self,
        tenant_id: TenantId,
        new: &NewEvaluation<'_>,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let query = sql!(
            "INSERT INTO evaluation (evaluation_id, tenant_id, name, state, created_at) VALUES ($1, $2, $3, $4, $5) \
             ON CONFLICT DO NOTHING",
            [new.id, tenant_id, new.name, EvaluationState::Receiving, now]
        );
        Ok(self.write(query).await? > 0)
    }

    /// Adds a photograph, or a list of labels, to an evaluation that accepts them; false for another one. A second
    /// file with the same path replaces the first.
    pub async fn add_evaluation_photo(
        &self,
        tenant_id: TenantId,
        id: EvaluationId,
        path: &str,
        bytes: &[u8],
    ) -> Result<bool, Error> {
        let mut tx = self.begin().await?;
        // The row is locked: otherwise a photograph that arrives during a cancellation would stay, and count, forever.
        let query = sql!(
            "UPDATE evaluation SET n_done = n_done WHERE tenant_id = $1 AND evaluation_id = $2 AND state = $3",
            [tenant_id, id, EvaluationState::Receiving]
        );
        if query.execute(&mut *tx).await?.rows_affected() == 0 {
            tx.rollback().await?;
            return Ok(false);
        }
        let query = sql!(
            "INSERT INTO evaluation_photo (evaluation_id, tenant_id, path, bytes) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (evaluation_id, path) DO UPDATE SET bytes = excluded.bytes",
            [id, tenant_id, path, bytes]
        );
        query.execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Makes an evaluation with all its photographs claimable; false if it was cancelled meanwhile.
    pub async fn submit_evaluation(
        &self,
        tenant_id: TenantId,
        id: EvaluationId,
        n_photos: u64,
    ) -> Result<bool, Error> {
        let query = sql!(
            "UPDATE evaluation SET state = $3, n_photos = $4 \
             WHERE tenant_id = $1 AND evaluation_id = $2 AND state = $5",
            [tenant_id, id, EvaluationState::Waiting, n_photos.cast_signed(), EvaluationState::Receiving]
        );
        Ok(self.write(query).await? > 0)
    }

    /// The evaluations of a tenant, the newest first, without their figures.
    pub async fn list_evaluations(&self, tenant_id: TenantId) -> Result<Vec<Evaluation>, Error> {
        self.list(sql!(LISTED, [tenant_id]), evaluation_from_row).await
    }

    /// One evaluation of a tenant, with its figures.
    pub async fn find_evaluation(
        &self,
        tenant_id: TenantId,
        id: EvaluationId,
    ) -> Result<Option<Evaluation>, Error> {
        let query =
            sql!("SELECT * FROM evaluation WHERE tenant_id = $1 AND evaluation_id = $2", [tenant_id, id]);
        self.find(query, |row| {
            let mut evaluation = evaluation_from_row(row)?;
            if row.try_get::<Option<String>, _>("report")?.is_some() {
                evaluation.report = Some(rows::json(row, "report")?);
            }
            Ok(evaluation)
        })
        .await
    }

    /// A file of a report.
    pub async fn find_evaluation_file(
        &self,
        tenant_id: TenantId,
        id: EvaluationId,
        name: &str,
    ) -> Result<Option<Vec<u8>>, Error> {
        let query = scalar!(
            "SELECT bytes FROM evaluation_file WHERE tenant_id = $1 AND evaluation_id = $2 AND name = $3",
            [tenant_id, id, name]
        );
        Ok(query.fetch_optional(&self.db).await?)
    }

    /// Cancels an evaluation that has not ended, and deletes its photographs. Returns whether there is such an
    /// evaluation, ended or not.
    pub async fn cancel_evaluation(
        &self,
        tenant_id: TenantId,
        id: EvaluationId,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let is_cancelled = self.set_cancelled(tenant_id, id, now).await?;
        if is_cancelled {
            self.erase_photos_of(id).await?;
        }
        // An evaluation that had already ended also exists: cancelling it twice is no error.
        Ok(is_cancelled || self.find_evaluation(tenant_id, id).await?.is_some())
    }

    /// Marks an evaluation that has not ended as cancelled, so that nobody works on it; returns whether there was one.
    async fn set_cancelled(
        &self,
        tenant_id: TenantId,
        id: EvaluationId,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let query = sql!(
            "UPDATE evaluation SET state = $3, ended_at = $4, lease_worker = NULL, lease_until = NULL \
             WHERE tenant_id = $1 AND evaluation_id = $2 AND state IN ($5, $6, $7)",
            [
                tenant_id,
                id,
                EvaluationState::Cancelled,
                now,
                EvaluationState::Receiving,
                EvaluationState::Waiting,
                EvaluationState::Running
            ]
        );
        Ok(self.write(query).await? > 0)
    }

    /// Deletes an evaluation with everything that belongs to it. Returns whether there was one.
    pub async fn delete_evaluation(
        &self,
        tenant_id: TenantId,
        id: EvaluationId,
        now: Timestamp,
    ) -> Result<bool, Error> {
        if self.set_cancelled(tenant_id, id, now).await? {
            self.erase_photos_of(id).await?;
        }
        let query =
            sql!("DELETE FROM evaluation WHERE tenant_id = $1 AND evaluation_id = $2", [tenant_id, id]);
        Ok(self.write(query).await? > 0)
    }

    /// Deletes evaluations of all tenants whose photographs were still arriving before `before`: their upload was
    /// interrupted.
    pub async fn delete_stale_evaluations(&self, before: Timestamp, now: Timestamp) -> Result<u64, Error> {
        let query = sql!(
            "SELECT tenant_id, evaluation_id FROM evaluation WHERE state = $1 AND created_at < $2",
            [EvaluationState::Receiving, before]
        );
        let read = |row: &AnyRow| Ok((rows::parsed(row, "tenant_id")?, rows::parsed(row, "evaluation_id")?));
        let mut n_deleted = 0;
        for (tenant_id, id) in self.list(query, read).await? {
            n_deleted += u64::from(self.delete_evaluation(tenant_id, id, now).await?);
        }
        Ok(n_deleted)
    }

    /// Erases the photographs of evaluations that have ended; returns how many. Continues what an interruption has
    /// left.
    pub async fn erase_photos_of_ended_evaluations(&self) -> Result<u64, Error> {
        let ended = "evaluation_id IN (SELECT evaluation_id FROM evaluation \
                                       WHERE state IN ('done', 'failed', 'cancelled'))";
        // Read first: a write would wait for other writers each time.
        let query = format!("SELECT 1 FROM evaluation_photo WHERE {ended} LIMIT 1");
        if sqlx::query(AssertSqlSafe(query)).fetch_optional(&self.db).await?.is_none() {
            return Ok(0);
        }
        let deletion = EVALUATION_PHOTOS.deletion(ended, "");
        let mut n_erased = 0;
        loop {
            let n = self.write(sqlx::query(AssertSqlSafe(deletion.clone()))).await?;
            n_erased += n;
            if n == 0 {
                return Ok(n_erased);
            }
        }
    }

    /// Erases the photographs of one evaluation: up to 5,000 of several megabytes each.
    pub(super) async fn erase_photos_of(&self, id: EvaluationId) -> Result<(), Error> {
        let deletion = EVALUATION_PHOTOS.deletion("evaluation_id = $1", "");
        while self.write(sql!(AssertSqlSafe(deletion.clone()), [id])).await? > 0 {}
        Ok(())
    }
}

fn evaluation_from_row(row: &AnyRow) -> Result<Evaluation, Error> {
    let optional_count =
        |column: &'static str| Ok::<_, Error>(row.try_get::<Option<i64>, _>(column)?.map(i64::unsigned_abs));
    Ok(Evaluation {
        id: rows::parsed(row, "evaluation_id")?,
        name: row.try_get("name")?,
        state: rows::parsed(row, "state")?,
        problem: row.try_get("problem")?,
        created_at: rows::timestamp(row, "created_at")?,
        started_at: rows::optional_timestamp(row, "started_at")?,
        ended_at: rows::optional_timestamp(row, "ended_at")?,
        n_photos: rows::count(row, "n_photos")?,
        n_done: rows::count(row, "n_done")?,
        model: row.try_get("model")?,
        n_known: optional_count("n_known")?,
        n_right: optional_count("n_right")?,
        report: None,
    })
}
