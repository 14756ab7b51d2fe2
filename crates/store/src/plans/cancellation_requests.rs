use jiff::Timestamp;
use partsight_domain::{CancellationRequest, CancellationRequestId, CancellationState, UserId};
use sqlx::any::AnyRow;
use sqlx::{AssertSqlSafe, Row};

use crate::{Error, Store, rows};

const SELECT: &str = "SELECT cancellation_request.*, app_user.email FROM cancellation_request \
                      JOIN app_user ON app_user.user_id = cancellation_request.user_id";

impl Store {
    /// Keeps a user's wish that their subscription ends; whether it is a new one: nothing is kept while one is
    /// open.
    pub async fn request_cancellation(
        &self,
        id: CancellationRequestId,
        user_id: UserId,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let inserted = sqlx::query(
            "INSERT INTO cancellation_request (cancellation_request_id, user_id, requested_at) \
             VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        )
        .bind(id.to_string())
        .bind(user_id.to_string())
        .bind(now.as_millisecond())
        .execute(&self.writer)
        .await?;
        Ok(inserted.rows_affected() == 1)
    }

    /// The open wish of a user.
    pub async fn find_open_cancellation(
        &self,
        user_id: UserId,
    ) -> Result<Option<CancellationRequest>, Error> {
        let sql = format!("{SELECT} WHERE cancellation_request.user_id = $1 AND state = 'open'");
        let row = sqlx::query(AssertSqlSafe(sql)).bind(user_id.to_string()).fetch_optional(&self.db).await?;
        row.as_ref().map(request_from_row).transpose()
    }

    /// The wish of this id, for whoever runs the server.
    pub async fn find_cancellation(
        &self,
        id: CancellationRequestId,
    ) -> Result<Option<CancellationRequest>, Error> {
        let sql = format!("{SELECT} WHERE cancellation_request_id = $1");
        let row = sqlx::query(AssertSqlSafe(sql)).bind(id.to_string()).fetch_optional(&self.db).await?;
        row.as_ref().map(request_from_row).transpose()
    }

    /// All wishes of a user, the oldest first.
    pub async fn list_cancellations_of(&self, user_id: UserId) -> Result<Vec<CancellationRequest>, Error> {
        let sql = format!(
            "{SELECT} WHERE cancellation_request.user_id = $1 ORDER BY requested_at, cancellation_request_id"
        );
        let rows = sqlx::query(AssertSqlSafe(sql)).bind(user_id.to_string()).fetch_all(&self.db).await?;
        rows.iter().map(request_from_row).collect()
    }

    /// All wishes, the oldest first, for whoever runs the server.
    pub async fn list_cancellations(&self) -> Result<Vec<CancellationRequest>, Error> {
        let sql = format!("{SELECT} ORDER BY requested_at, cancellation_request_id");
        let rows = sqlx::query(AssertSqlSafe(sql)).fetch_all(&self.db).await?;
        rows.iter().map(request_from_row).collect()
    }

    /// Says what became of the open wish of a user, if there is one; whether there was.
    pub async fn close_cancellation(
        &self,
        user_id: UserId,
        state: CancellationState,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let closed = sqlx::query(
            "UPDATE cancellation_request SET state = $2, closed_at = $3 WHERE user_id = $1 AND state = 'open'",
        )
        .bind(user_id.to_string())
        .bind(state.as_str())
        .bind(now.as_millisecond())
        .execute(&self.writer)
        .await?;
        Ok(closed.rows_affected() > 0)
    }
}

fn request_from_row(row: &AnyRow) -> Result<CancellationRequest, Error> {
    let state: String = row.try_get("state")?;
    Ok(CancellationRequest {
        id: rows::parsed(row, "cancellation_request_id")?,
        user_id: rows::parsed(row, "user_id")?,
        email: row.try_get("email")?,
        requested_at: rows::timestamp(row, "requested_at")?,
        state: CancellationState::from_name(&state)
            .ok_or(Error::Corrupt { column: "state", reason: state })?,
    })
}
