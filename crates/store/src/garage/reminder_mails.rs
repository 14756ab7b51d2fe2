//! Which reminders were sent, and the users' choices of mails about them.

use jiff::Timestamp;
use partsight_domain::{DigestChoice, NewEvent, ReminderDigest, TenantId, UserId};
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::transaction::retried;
use crate::{Error, Store, rows};

/// Number of tenants that one check tries to claim: with up to this many servers at once, each finds one while there is
/// work.
const CANDIDATES: i64 = 16;

/// The first tenants after $3 with vehicles that were not checked between $1 and $2. Each table is bounded by $3: PostgreSQL
/// joins them by merging, and would read the others from their beginning.
pub(crate) const TO_CHECK: &str = "SELECT tenant_id, MIN(user_id) AS user_id FROM app_user \
     WHERE tenant_id > $3 \
       AND EXISTS (SELECT 1 FROM vehicle WHERE vehicle.tenant_id = app_user.tenant_id AND vehicle.tenant_id > $3) \
       AND tenant_id NOT IN (SELECT tenant.tenant_id FROM tenant WHERE tenant.is_deleted = 1) \
       AND NOT EXISTS (SELECT 1 FROM reminder_check \
                       WHERE reminder_check.tenant_id = app_user.tenant_id AND reminder_check.tenant_id > $3 \
                         AND checked_at > $1 AND checked_at <= $2) \
     GROUP BY tenant_id ORDER BY tenant_id LIMIT $4";

impl Store {
    /// Claims a tenant with vehicles that was not checked since `since`, and returns one of its users. A last check
    /// in the future was dated by a wrong clock, and does not count.
    ///
    /// Tenants are claimed in the order of their ids, beginning after `after`. Whoever claims one after the other names
    /// the last one there: from the beginning, each claim would pass all that are checked by then.
    pub async fn claim_reminder_check(
        &self,
        after: Option<TenantId>,
        since: Timestamp,
        now: Timestamp,
    ) -> Result<Option<(TenantId, UserId)>, Error> {
        let after = after.map(|id| id.to_string()).unwrap_or_default();
        let query = sql!(TO_CHECK, [since, now, after, CANDIDATES]);
        // Read outside a transaction: several servers may see the same tenants, and the update below decides.
        let candidates = self.list(query, |row| {
            Ok((rows::parsed::<TenantId>(row, "tenant_id")?, rows::parsed::<UserId>(row, "user_id")?))
        });
        for (tenant_id, user_id) in candidates.await? {
            let query = sql!(
                "INSERT INTO reminder_check (tenant_id, checked_at) VALUES ($1, $2) \
                 ON CONFLICT (tenant_id) DO UPDATE SET checked_at = $2 \
                 WHERE reminder_check.checked_at <= $3 OR reminder_check.checked_at > $2",
                [tenant_id, now, since]
            );
            // The second server's update re-checks the condition once it has the row, and then changes nothing.
            if self.write(query).await? > 0 {
                return Ok(Some((tenant_id, user_id)));
            }
        }
        Ok(None)
    }

    /// Records each of these alert ids and appends its event, unless it was recorded before; returns how many are
    /// new. `message` builds the notification for browsers from the indices of the new ones, if there is one.
    pub async fn tell_reminders(
        &self,
        tenant_id: TenantId,
        reminders: &[(String, NewEvent)],
        message: impl Fn(&[usize]) -> Option<String> + Send + Sync,
        now: Timestamp,
    ) -> Result<usize, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            let mut new = Vec::new();
            for (place, (id, _)) in reminders.iter().enumerate() {
                let query = sql!(
                    "INSERT INTO reminder_notice (tenant_id, alert_id, told_at) VALUES ($1, $2, $3) \
                     ON CONFLICT (tenant_id, alert_id) DO NOTHING",
                    [tenant_id, id, now]
                );
                if query.execute(&mut *tx).await?.rows_affected() > 0 {
                    new.push(place);
                }
            }
            if let Some(message) = message(&new) {
                self.append_push_messages(tenant_id, &message, now, &mut tx).await?;
            }
            // After everything else, because an event locks the tenant's counter, which must come last (see
            // `append_event`).
            for &place in &new {
                self.append_event(tenant_id, &reminders[place].1, now, &mut tx).await?;
            }
            tx.commit().await?;
            Ok(new.len())
        })
        .await
    }

    /// Deletes the records of reminders from before `moment`; returns how many.
    pub async fn purge_reminder_notices(&self, moment: Timestamp) -> Result<u64, Error> {
        self.write(sql!("DELETE FROM reminder_notice WHERE told_at < $1", [moment])).await
    }

    /// A user's choice of reminder mails, if any.
    pub async fn find_reminder_digest(&self, user_id: UserId) -> Result<Option<ReminderDigest>, Error> {
        self.find(sql!("SELECT * FROM reminder_digest WHERE user_id = $1", [user_id]), digest_from_row).await
    }

    /// Saves a user's choice of reminder mails; `token` is the unsubscribe secret if they had none before.
    pub async fn save_reminder_digest(
        &self,
        user_id: UserId,
        choice: DigestChoice,
        next_at: Timestamp,
        token: &str,
    ) -> Result<(), Error> {
        let weekday = i64::from(choice.weekday_utc.to_monday_one_offset());
        let query = sql!(
            "INSERT INTO reminder_digest (user_id, rhythm, hour_utc, weekday_utc, next_at, unsubscribe_token) \
             VALUES ($1, $2, $3, $4, $5, $6) \
             ON CONFLICT (user_id) DO UPDATE SET rhythm = $2, hour_utc = $3, weekday_utc = $4, next_at = $5",
            [user_id, choice.rhythm, choice.hour_utc, weekday, next_at, token]
        );
        self.write(query).await?;
        Ok(())
    }

    /// Deletes a user's choice of reminder mails; returns whether there was one.
    pub async fn delete_reminder_digest(&self, user_id: UserId) -> Result<bool, Error> {
        Ok(self.write(sql!("DELETE FROM reminder_digest WHERE user_id = $1", [user_id])).await? > 0)
    }

    /// Unsubscribes the user with this secret; returns whether there was one.
    pub async fn unsubscribe_reminder_digest(&self, token: &str) -> Result<bool, Error> {
        Ok(self.write(sql!("DELETE FROM reminder_digest WHERE unsubscribe_token = $1", [token])).await? > 0)
    }

    /// The mail that is overdue the longest at `now`.
    pub async fn due_reminder_digest(&self, now: Timestamp) -> Result<Option<ReminderDigest>, Error> {
        let query = sql!(
            "SELECT * FROM reminder_digest WHERE next_at <= $1 ORDER BY next_at, user_id LIMIT 1",
            [now]
        );
        self.find(query, digest_from_row).await
    }

    /// Moves a user's next mail; false if another server did so first, or the user has unsubscribed.
    pub async fn move_reminder_digest(
        &self,
        user_id: UserId,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<bool, Error> {
        let query = sql!(
            // Compared with the old time, so that only one server moves and sends the mail. It is claimed before it
            // is sent: one mail too few is better than the same mail from every server. See
            // docs/decisions/0129-reminders-told-once.md.
            "UPDATE reminder_digest SET next_at = $3 WHERE user_id = $1 AND next_at = $2",
            [user_id, from, to]
        );
        Ok(self.write(query).await? > 0)
    }

    /// Records which alerts the last mail of a user contained.
    pub async fn note_reminders_mailed(&self, user_id: UserId, alerts: &[String]) -> Result<(), Error> {
        let query = sql!(
            "UPDATE reminder_digest SET mailed = $2 WHERE user_id = $1",
            [user_id, rows::to_json("mailed", &alerts)?]
        );
        self.write(query).await?;
        Ok(())
    }
}

fn digest_from_row(row: &AnyRow) -> Result<ReminderDigest, Error> {
    let rhythm: String = row.try_get("rhythm")?;
    let choice = DigestChoice::new(&rhythm, row.try_get("hour_utc")?, row.try_get("weekday_utc")?);
    Ok(ReminderDigest {
        user_id: rows::parsed(row, "user_id")?,
        choice: choice.map_err(|error| rows::corrupt("reminder_digest", &error))?,
        next_at: rows::timestamp(row, "next_at")?,
        unsubscribe_token: row.try_get("unsubscribe_token")?,
        mailed: rows::json(row, "mailed")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query_plans::assert_plan;

    #[tokio::test]
    async fn a_search_begins_after_the_tenant_that_was_claimed_last() {
        assert_plan(TO_CHECK, 4, &["app_user_by_tenant (tenant_id>?)", "tenant_deleted"]).await;
    }
}
