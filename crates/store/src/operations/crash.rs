//! What a server that crashed has left behind: claims that nobody will finish.

use jiff::Timestamp;
use sqlx::AssertSqlSafe;

use crate::{Error, Store};

/// Queues of which a worker claims rows until a deadline (the lease).
const QUEUES: [&str; 5] = ["batch_item", "evaluation", "outgoing_mail", "webhook_delivery", "push_message"];

impl Store {
    /// Ends all leases as if their deadlines had passed, and forgets the idempotent calls that are running, so that
    /// nothing waits for claims to expire. The attempts still count: one of them may be why the server crashed.
    ///
    /// Only for a server that has the database for itself, before it claims anything.
    pub async fn end_claims(&self, now: Timestamp) -> Result<(), Error> {
        let now = self.database_time(now);
        let mut tx = self.begin().await?;
        for queue in QUEUES {
            let end = format!("UPDATE {queue} SET lease_until = $1 WHERE lease_until > $1");
            sql!(AssertSqlSafe(end), [now]).execute(&mut *tx).await?;
        }
        sqlx::query("DELETE FROM idempotent_call WHERE status IS NULL").execute(&mut *tx).await?;
        tx.commit().await
    }
}
