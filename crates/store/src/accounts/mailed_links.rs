use jiff::Timestamp;
use partsight_domain::{LinkPurpose, UserId};
use sqlx::AnyConnection;

use super::outgoing_mails::NewMail;
use super::users::{end_keys, end_unverified_access, lock_company_of, set_password};
use crate::transaction::retried;
use crate::{Error, Store, rows};

impl Store {
    /// The address of the account that a link is for, if the link is valid at `now`. The link stays valid.
    pub async fn find_email_of_link(
        &self,
        token_sha256: &str,
        purpose: LinkPurpose,
        now: Timestamp,
    ) -> Result<Option<String>, Error> {
        let query = scalar!(
            "SELECT email FROM mailed_link JOIN app_user ON app_user.user_id = mailed_link.user_id \
             WHERE token_sha256 = $1 AND purpose = $2 AND expires_at > $3",
            [token_sha256, purpose, now]
        );
        let email = query.fetch_optional(&self.db).await?;
        Ok(email)
    }

    /// Consumes a link that verifies an address; returns whether it was valid.
    ///
    /// Unlike other first verifications, this ends no access. The person confirms that they signed up here, so the
    /// sessions and keys are theirs. The password stays: if somebody else had created the account, it would give them
    /// access again.
    pub async fn verify_email(&self, token_sha256: &str, now: Timestamp) -> Result<bool, Error> {
        let mut tx = self.begin().await?;
        let user_id = take(token_sha256, LinkPurpose::VerifyEmail, now, &mut tx).await?;
        let Some(user_id) = user_id else {
            tx.rollback().await?;
            return Ok(false);
        };
        mark_email_verified(user_id, now, &mut tx).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Consumes a link for a new password, sets the password, ends all sessions, and queues `mails`, in one transaction.
    ///
    /// Returns the user whose password it is, or `None` for an invalid link. A person who reads the mail owns the
    /// address, so it is verified too. If it was not verified before, API keys and the calendar address end as well, as
    /// they do with `keys_end`; other people leave a company of this user, and the user leaves a company of somebody
    /// else.
    pub async fn reset_password(
        &self,
        token_sha256: &str,
        password_hash: &str,
        keys_end: bool,
        mails: &[NewMail],
        now: Timestamp,
    ) -> Result<Option<UserId>, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            lock_company_of_link(token_sha256, &mut tx).await?;
            // Inside the transaction, so that the link stays valid if the new password cannot be saved.
            let user_id = take(token_sha256, LinkPurpose::ResetPassword, now, &mut tx).await?;
            let Some(user_id) = user_id else {
                tx.rollback().await?;
                return Ok(None);
            };
            set_password(user_id, password_hash, &mut tx).await?;
            if keys_end {
                end_keys(user_id, now, &mut tx).await?;
            }
            end_unverified_access(user_id, now, &mut tx).await?;
            mark_email_verified(user_id, now, &mut tx).await?;
            self.insert_mails(Some(user_id), mails, now, &mut tx).await?;
            tx.commit().await?;
            Ok(Some(user_id))
        })
        .await
    }
}

/// Locks the company of the user whom a link is for: companies come before accounts in the order of locks.
async fn lock_company_of_link(token_sha256: &str, tx: &mut AnyConnection) -> Result<(), Error> {
    let query = sql!("SELECT user_id FROM mailed_link WHERE token_sha256 = $1", [token_sha256]);
    match query.fetch_optional(&mut *tx).await? {
        Some(row) => lock_company_of(rows::parsed(&row, "user_id")?, tx).await,
        None => Ok(()),
    }
}

/// Deletes a valid link; of two concurrent calls, one gets it.
async fn take(
    token_sha256: &str,
    purpose: LinkPurpose,
    now: Timestamp,
    tx: &mut AnyConnection,
) -> Result<Option<UserId>, Error> {
    // Account before links, the order in which a change of the password locks them.
    let lock = "UPDATE app_user SET created_at = created_at \
                WHERE user_id IN (SELECT user_id FROM mailed_link WHERE token_sha256 = $1)";
    sql!(lock, [token_sha256]).execute(&mut *tx).await?;
    let query = sql!(
        "DELETE FROM mailed_link WHERE token_sha256 = $1 AND purpose = $2 AND expires_at > $3 \
         RETURNING user_id",
        [token_sha256, purpose, now]
    );
    let row = query.fetch_optional(tx).await?;
    row.as_ref().map(|row| rows::parsed(row, "user_id")).transpose()
}

/// Records that the address of a user is verified.
pub(crate) async fn mark_email_verified(
    user_id: UserId,
    now: Timestamp,
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    let query = sql!(
        // The first verification is kept.
        "UPDATE app_user SET email_verified_at = COALESCE(email_verified_at, $2) WHERE user_id = $1",
        [user_id, now]
    );
    query.execute(&mut *tx).await?;
    Ok(())
}
