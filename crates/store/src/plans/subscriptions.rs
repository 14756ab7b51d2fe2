use jiff::{SignedDuration, Timestamp};
use partsight_domain::{CancellationState, PLAN_CHANGE_WAIT, Subscription, UserId};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

use crate::accounts::lock_user;
use crate::transaction::retried;
use crate::{Error, Store, rows};

/// How long the ids of events are stored. The provider stops resending an event after three days.
const EVENT_KEEP: SignedDuration = SignedDuration::from_hours(30 * 24);

/// A user's data at the payment provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BillingRecord {
    /// Who.
    pub user_id: UserId,
    /// Their customer id; `None` before their first order.
    pub customer_id: Option<String>,
    /// Their subscription as the provider last described it.
    pub subscription: Option<Subscription>,
    /// When the provider was last queried.
    pub checked_at: Option<Timestamp>,
    revision: i64,
}

/// The exclusive right to change somebody's subscription for a limited time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BillingClaim {
    /// The user.
    pub user_id: UserId,
    /// Prefix of the change's idempotency keys; that of the last change if its outcome is unknown.
    pub attempt_id: String,
    busy_until: Timestamp,
}

/// An event that was handled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentEventRow<'a> {
    /// Its id at the provider.
    pub id: &'a str,
    /// The type of the event.
    pub kind: &'a str,
    /// When the provider made the event.
    pub created_at: Timestamp,
}

impl Store {
    /// Claims the subscription of a user for one change; `None` while another change runs.
    ///
    /// The claim must be released. One that is not, because its server died, expires after two minutes.
    pub async fn claim_billing(
        &self,
        user_id: UserId,
        new_attempt_id: &str,
        now: Timestamp,
    ) -> Result<Option<BillingClaim>, Error> {
        let now = self.database_time(now);
        let busy_until = now + PLAN_CHANGE_WAIT;
        let mut tx = self.begin().await?;
        let query = scalar!(
            // One statement, so that of two concurrent orders one gets the claim. A claim that ends later than twice
            // its duration was made by a wrong clock, and is ignored. The attempt id of a change with an unknown
            // outcome is kept, so that the provider recognises the retry and charges once.
            "INSERT INTO subscription (user_id, attempt_id, busy_until) VALUES ($1, $2, $3) \
             ON CONFLICT (user_id) DO UPDATE \
                 SET busy_until = $3, attempt_id = COALESCE(subscription.attempt_id, $2) \
                 WHERE subscription.busy_until <= $4 OR subscription.busy_until > $3 + ($3 - $4) \
             RETURNING attempt_id",
            [user_id, new_attempt_id, busy_until, now]
        );
        let attempt_id: Option<String> = query.fetch_optional(&mut *tx).await?;
        tx.commit().await?;
        Ok(attempt_id.map(|attempt_id| BillingClaim { user_id, attempt_id, busy_until }))
    }

    /// Releases a claim. With `is_settled` false it is unknown what the provider has done: then the next change
    /// continues this one, with its attempt id.
    pub async fn release_billing(&self, claim: &BillingClaim, is_settled: bool) -> Result<(), Error> {
        let query = sql!(
            // The time tells this claim from one that was made after it had expired.
            "UPDATE subscription \
             SET busy_until = 0, attempt_id = CASE WHEN $3 = 1 THEN NULL ELSE attempt_id END \
             WHERE user_id = $1 AND busy_until = $2",
            [claim.user_id, claim.busy_until, is_settled]
        );
        self.write(query).await?;
        Ok(())
    }

    /// What is stored about a user at the provider; `None` for somebody who never ordered anything.
    pub async fn find_billing(&self, user_id: UserId) -> Result<Option<BillingRecord>, Error> {
        self.find(sql!("SELECT * FROM subscription WHERE user_id = $1", [user_id]), billing_from_row).await
    }

    /// The user who is this customer.
    pub async fn find_billing_by_customer(&self, customer_id: &str) -> Result<Option<BillingRecord>, Error> {
        let query = sql!("SELECT * FROM subscription WHERE customer_id = $1", [customer_id]);
        self.find(query, billing_from_row).await
    }

    /// Saves the customer id of a user, whose subscription must be claimed.
    pub async fn set_customer(&self, user_id: UserId, customer_id: &str) -> Result<(), Error> {
        let query = sql!(
            "UPDATE subscription SET customer_id = $2, revision = revision + 1 WHERE user_id = $1",
            [user_id, customer_id]
        );
        self.write(query).await?;
        Ok(())
    }

    /// Saves the provider's description of the subscription of `record`, sets the plan that follows for its user, and
    /// records the event that led to it, in one transaction.
    ///
    /// Returns whether it was saved: not if something else, which may be newer, was saved since `record` was read.
    pub async fn save_subscription(
        &self,
        record: &BillingRecord,
        subscription: Option<&Subscription>,
        event: Option<&PaymentEventRow<'_>>,
        now: Timestamp,
    ) -> Result<bool, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            // The account is locked first, and not with its plan: an event about the end of a subscription arrives
            // while its account is being deleted, and that locks the account before rows that belong to it.
            lock_user(record.user_id, &mut tx).await?;
            let query = sql!(
                // Answers can arrive in another order than the queries: the row must still have the revision that was
                // read. See docs/decisions/0029-stripe-is-the-truth.md.
                "UPDATE subscription SET provider_id = $3, status = $4, plan = $5, billing_interval = $6, \
                 price_id = $7, current_period_end = $8, cancel_at_period_end = $9, checked_at = $10, \
                 revision = revision + 1 \
             WHERE user_id = $1 AND revision = $2",
                [record.user_id, record.revision],
                [subscription.map(|subscription| subscription.provider_id.clone())],
                [subscription.map(|subscription| subscription.status)],
                [subscription.map(|subscription| subscription.plan)],
                [subscription.map(|subscription| subscription.interval)],
                [subscription.map(|subscription| subscription.price_id.clone())],
                [subscription.map(|subscription| subscription.current_period_end)],
                [subscription.is_some_and(|subscription| subscription.cancel_at_period_end), now]
            );
            let saved = query.execute(&mut *tx).await?;
            if saved.rows_affected() == 0 {
                tx.rollback().await?;
                return Ok(false);
            }
            if let Some(subscription) = subscription {
                set_plan_after(record, subscription, &mut tx).await?;
                void_cancellation_of(record, subscription, now, &mut tx).await?;
            }
            // In the same transaction as its effect, so that a recorded event was handled.
            if let Some(event) = event {
                note_event(record.user_id, event, now, &mut tx).await?;
            }
            tx.commit().await?;
            Ok(true)
        })
        .await
    }

    /// Whether this event was handled.
    pub async fn is_payment_event_known(&self, event_id: &str) -> Result<bool, Error> {
        let found: Option<i64> =
            scalar!("SELECT received_at FROM payment_event WHERE event_id = $1", [event_id])
                .fetch_optional(&self.db)
                .await?;
        Ok(found.is_some())
    }
}

/// Closes an open cancellation request whose subscription has ended or was replaced by another, so that it does not
/// cancel the next one.
async fn void_cancellation_of(
    record: &BillingRecord,
    subscription: &Subscription,
    now: Timestamp,
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    let before = record.subscription.as_ref();
    let is_another = before.is_some_and(|before| before.provider_id != subscription.provider_id);
    if is_another || !subscription.status.can_be_cancelled() {
        let query = sql!(
            "UPDATE cancellation_request SET state = $2, closed_at = $3 WHERE user_id = $1 AND state = 'open'",
            [record.user_id, CancellationState::Withdrawn, now]
        );
        query.execute(tx).await?;
    }
    Ok(())
}

async fn set_plan_after(
    record: &BillingRecord,
    subscription: &Subscription,
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    let row =
        sql!("SELECT plan FROM app_user WHERE user_id = $1", [record.user_id]).fetch_one(&mut *tx).await?;
    // The plan as it is now: an operator may have set it by hand, which the rule respects.
    let plan = rows::parsed(&row, "plan")?;
    let query = sql!(
        "UPDATE app_user SET plan = $2 WHERE user_id = $1",
        [record.user_id, subscription.plan_after(record.subscription.as_ref(), plan)]
    );
    query.execute(tx).await?;
    Ok(())
}

/// Records an event once, and deletes those of last month.
async fn note_event(
    user_id: UserId,
    event: &PaymentEventRow<'_>,
    now: Timestamp,
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    sql!("DELETE FROM payment_event WHERE received_at < $1", [now - EVENT_KEEP]).execute(&mut *tx).await?;
    let query = sql!(
        "INSERT INTO payment_event (event_id, kind, created_at, received_at) VALUES ($1, $2, $3, $4) \
         ON CONFLICT DO NOTHING",
        [event.id, event.kind, event.created_at, now]
    );
    query.execute(&mut *tx).await?;
    let query = sql!(
        // Events arrive out of order, so the newest counts and not the last one. `CASE`, because the databases have
        // different names for the maximum of two values (MAX and GREATEST).
        "UPDATE subscription SET last_event_at = CASE WHEN last_event_at > $2 THEN last_event_at ELSE $2 END \
         WHERE user_id = $1",
        [user_id, event.created_at]
    );
    query.execute(tx).await?;
    Ok(())
}

fn billing_from_row(row: &AnyRow) -> Result<BillingRecord, Error> {
    Ok(BillingRecord {
        user_id: rows::parsed(row, "user_id")?,
        customer_id: row.try_get("customer_id")?,
        subscription: subscription_from_row(row)?,
        checked_at: rows::optional_timestamp(row, "checked_at")?,
        revision: row.try_get("revision")?,
    })
}

fn subscription_from_row(row: &AnyRow) -> Result<Option<Subscription>, Error> {
    let Some(provider_id) = row.try_get("provider_id")? else { return Ok(None) };
    Ok(Some(Subscription {
        provider_id,
        status: rows::parsed(row, "status")?,
        plan: rows::parsed(row, "plan")?,
        interval: rows::parsed(row, "billing_interval")?,
        price_id: row.try_get("price_id")?,
        current_period_end: rows::timestamp(row, "current_period_end")?,
        cancel_at_period_end: rows::flag(row, "cancel_at_period_end")?,
    }))
}
