use jiff::Timestamp;
use partsight_domain::{CancellationRequest, CancellationRequestId, CancellationState, UserId};
use sqlx::any::AnyRow;
use sqlx::{AssertSqlSafe, Row};

use crate::accounts::NewMail;
use crate::transaction::retried;
use crate::{Error, Store, rows};

const SELECT: &str = "SELECT cancellation_request.*, app_user.email FROM cancellation_request \
                      JOIN app_user ON app_user.user_id = cancellation_request.user_id";

impl Store {
    /// Inserts a user's request to cancel their subscription and queues `mails` about it; returns whether it is new:
    /// nothing is inserted or queued while one is open.
    pub async fn request_cancellation(
        &self,
        id: CancellationRequestId,
        user_id: UserId,
        mails: &[NewMail],
        now: Timestamp,
    ) -> Result<bool, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            let query = sql!(
                "INSERT INTO cancellation_request (cancellation_request_id, user_id, requested_at) \
                 VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                [id, user_id, now]
            );
            let is_new = query.execute(&mut *tx).await?.rows_affected() == 1;
            if is_new {
                self.insert_mails(Some(user_id), mails, now, &mut tx).await?;
            }
            tx.commit().await?;
            Ok(is_new)
        })
        .await
    }

    /// The open request of a user.
    pub async fn find_open_cancellation(
        &self,
        user_id: UserId,
    ) -> Result<Option<CancellationRequest>, Error> {
        let sql = format!("{SELECT} WHERE cancellation_request.user_id = $1 AND state = 'open'");
        self.find(sql!(AssertSqlSafe(sql), [user_id]), request_from_row).await
    }

    /// The request with this id, for the server's operator.
    pub async fn find_cancellation(
        &self,
        id: CancellationRequestId,
    ) -> Result<Option<CancellationRequest>, Error> {
        let sql = format!("{SELECT} WHERE cancellation_request_id = $1");
        self.find(sql!(AssertSqlSafe(sql), [id]), request_from_row).await
    }

    /// All requests of a user, the oldest first.
    pub async fn list_cancellations_of(&self, user_id: UserId) -> Result<Vec<CancellationRequest>, Error> {
        let sql = format!(
            "{SELECT} WHERE cancellation_request.user_id = $1 ORDER BY requested_at, cancellation_request_id"
        );
        self.list(sql!(AssertSqlSafe(sql), [user_id]), request_from_row).await
    }

    /// All requests, the oldest first, for the server's operator.
    pub async fn list_cancellations(&self) -> Result<Vec<CancellationRequest>, Error> {
        let sql = format!("{SELECT} ORDER BY requested_at, cancellation_request_id");
        self.list(sqlx::query(AssertSqlSafe(sql)), request_from_row).await
    }

    /// Closes the open request of a user with a state and queues `mails` about it; returns whether there was one.
    pub async fn close_cancellation(
        &self,
        user_id: UserId,
        state: CancellationState,
        mails: &[NewMail],
        now: Timestamp,
    ) -> Result<bool, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            let query = sql!(
                "UPDATE cancellation_request SET state = $2, closed_at = $3 \
                 WHERE user_id = $1 AND state = 'open'",
                [user_id, state, now]
            );
            let was_open = query.execute(&mut *tx).await?.rows_affected() > 0;
            if was_open {
                self.insert_mails(Some(user_id), mails, now, &mut tx).await?;
            }
            tx.commit().await?;
            Ok(was_open)
        })
        .await
    }
}

fn request_from_row(row: &AnyRow) -> Result<CancellationRequest, Error> {
    Ok(CancellationRequest {
        id: rows::parsed(row, "cancellation_request_id")?,
        user_id: rows::parsed(row, "user_id")?,
        email: row.try_get("email")?,
        requested_at: rows::timestamp(row, "requested_at")?,
        state: rows::parsed(row, "state")?,
    })
}
