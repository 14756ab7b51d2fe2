//! The queue of mails. A server claims one like a delivery to a webhook, and deletes it when it is sent or given up.
//!
//! The secret of a link is not stored: it is made for each attempt, and only its hash is kept, where the link is
//! looked up.

use jiff::Timestamp;
use partsight_domain::{EmailAddress, InvitationId, LinkPurpose, UserId};
use sqlx::{AnyConnection, AssertSqlSafe, Row};
use uuid::Uuid;

use crate::transaction::retried;
use crate::{Error, Store, rows};

/// What the link in a mail opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailLink {
    /// The account with the address of the mail.
    Account(LinkPurpose),
    /// An invitation to a company.
    Invitation(InvitationId),
}

/// A mail to queue.
#[derive(Clone, PartialEq, Eq)]
pub struct NewMail {
    /// The recipient.
    pub to: EmailAddress,
    /// The subject line.
    pub subject: String,
    /// The body, with a mark where the secret of the link belongs.
    pub text: String,
    /// Address for replies; the sender's if `None`.
    pub reply_to: Option<EmailAddress>,
    /// What its link opens, if it has one.
    pub link: Option<MailLink>,
}

partsight_domain::debug_fields!(NewMail { link });

/// A server's lease on a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MailLease {
    /// The mail.
    pub mail_id: Uuid,
    /// The server.
    pub worker: Uuid,
}

/// A mail that a server has claimed.
#[derive(Clone, PartialEq, Eq)]
pub struct ClaimedMail {
    /// The lease.
    pub lease: MailLease,
    /// The mail.
    pub mail: NewMail,
    /// Number of attempts, this one included.
    pub attempts: u32,
}

partsight_domain::debug_fields!(ClaimedMail { lease, mail, attempts });

/// Mails that are claimable at `$1`.
const CLAIMABLE: &str = "outgoing_mail.next_at <= $1 \
     AND (outgoing_mail.lease_until IS NULL OR outgoing_mail.lease_until <= $1)";

impl Store {
    /// Queues a mail about this user's account; with `None`, the account of its link is looked up when it is sent.
    pub async fn queue_mail(
        &self,
        user_id: Option<UserId>,
        mail: &NewMail,
        now: Timestamp,
    ) -> Result<(), Error> {
        let mut tx = self.begin().await?;
        self.insert_mails(user_id, std::slice::from_ref(mail), now, &mut tx).await?;
        tx.commit().await
    }

    /// Whether there is a mail to claim; a read without a write lock.
    pub async fn has_mail_work(&self, now: Timestamp) -> Result<bool, Error> {
        let query = sql!(
            AssertSqlSafe(format!("SELECT 1 FROM outgoing_mail WHERE {CLAIMABLE} LIMIT 1")),
            [self.database_time(now)]
        );
        Ok(query.fetch_optional(&self.db).await?.is_some())
    }

    /// Claims a mail for `worker` until `until`; `None` also if another server got it first.
    pub async fn claim_mail(
        &self,
        worker: Uuid,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Option<ClaimedMail>, Error> {
        let mut tx = self.begin().await?;
        // The condition is repeated outside the subquery: of two servers on PostgreSQL the second waits for the row,
        // and then sees what the first changed.
        let query = sql!(
            AssertSqlSafe(format!(
                "UPDATE outgoing_mail SET lease_worker = $2, lease_until = $3, attempts = attempts + 1 \
                 WHERE outgoing_mail_id = (SELECT outgoing_mail_id FROM outgoing_mail WHERE {CLAIMABLE} \
                                           ORDER BY next_at, outgoing_mail_id LIMIT 1) AND {CLAIMABLE} \
                 RETURNING *"
            )),
            [self.database_time(now), worker, self.database_time(until)]
        );
        let Some(row) = query.fetch_optional(&mut *tx).await? else {
            tx.rollback().await?;
            return Ok(None);
        };
        tx.commit().await?;
        let purpose = rows::optional(&row, "link_purpose")?.map(MailLink::Account);
        let invitation = rows::optional(&row, "invitation_id")?.map(MailLink::Invitation);
        Ok(Some(ClaimedMail {
            lease: MailLease { mail_id: rows::parsed(&row, "outgoing_mail_id")?, worker },
            mail: NewMail {
                to: EmailAddress::kept(row.try_get("recipient")?),
                subject: row.try_get("subject")?,
                text: row.try_get("body")?,
                reply_to: row.try_get::<Option<String>, _>("reply_to")?.map(EmailAddress::kept),
                link: purpose.or(invitation),
            },
            attempts: u32::try_from(rows::count(&row, "attempts")?).unwrap_or(u32::MAX),
        }))
    }

    /// Lets a secret with this hash open what the link of a held mail is for; false if that is gone, or the mail.
    ///
    /// Earlier secrets of an account's links stay valid, that of an invitation is replaced.
    pub async fn open_mail_link(
        &self,
        claimed: &ClaimedMail,
        link: MailLink,
        token_sha256: &str,
        now: Timestamp,
    ) -> Result<bool, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            // A new password deletes waiting mails before links: it either deletes this mail first, or the link too.
            let query = sql!(
                "UPDATE outgoing_mail SET lease_until = lease_until \
                 WHERE outgoing_mail_id = $1 AND lease_worker = $2",
                [claimed.lease.mail_id, claimed.lease.worker]
            );
            let is_held = query.execute(&mut *tx).await?.rows_affected() > 0;
            let is_open = is_held
                && match link {
                    MailLink::Account(purpose) => {
                        insert_link(&claimed.mail.to, purpose, token_sha256, now, &mut tx).await?
                    }
                    MailLink::Invitation(id) => {
                        let query = sql!(
                            "UPDATE company_invitation SET token_sha256 = $2 \
                             WHERE invitation_id = $1 AND expires_at > $3",
                            [id, token_sha256, now]
                        );
                        query.execute(&mut *tx).await?.rows_affected() > 0
                    }
                };
            tx.commit().await?;
            Ok(is_open)
        })
        .await
    }

    /// Deletes a held mail that was sent or is given up; false if another server has it by now.
    pub async fn finish_mail(&self, lease: &MailLease) -> Result<bool, Error> {
        let query = sql!(
            "DELETE FROM outgoing_mail WHERE outgoing_mail_id = $1 AND lease_worker = $2",
            [lease.mail_id, lease.worker]
        );
        Ok(self.write(query).await? > 0)
    }

    /// Postpones a held mail until `next_at`; false if another server has it by now.
    pub async fn postpone_mail(&self, lease: &MailLease, next_at: Timestamp) -> Result<bool, Error> {
        let query = sql!(
            "UPDATE outgoing_mail SET lease_worker = NULL, lease_until = NULL, next_at = $3 \
             WHERE outgoing_mail_id = $1 AND lease_worker = $2",
            [lease.mail_id, lease.worker, self.database_time(next_at)]
        );
        Ok(self.write(query).await? > 0)
    }

    /// Releases all mails that `worker` holds, for other servers; the attempts do not count.
    pub async fn release_mail_leases(&self, worker: Uuid) -> Result<u64, Error> {
        let query = sql!(
            "UPDATE outgoing_mail SET lease_worker = NULL, lease_until = NULL, attempts = attempts - 1 \
             WHERE lease_worker = $1",
            [worker]
        );
        self.write(query).await
    }

    /// Queues mails about this user's account, in the transaction of what they tell of.
    pub(crate) async fn insert_mails(
        &self,
        user_id: Option<UserId>,
        mails: &[NewMail],
        now: Timestamp,
        tx: &mut AnyConnection,
    ) -> Result<(), Error> {
        for mail in mails {
            let (purpose, invitation) = match mail.link {
                Some(MailLink::Account(purpose)) => (Some(purpose), None),
                Some(MailLink::Invitation(id)) => (None, Some(id)),
                None => (None, None),
            };
            let query = sql!(
                "INSERT INTO outgoing_mail (outgoing_mail_id, user_id, recipient, subject, body, reply_to, link_purpose, \
                                            invitation_id, next_at, created_at) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
                [
                    Uuid::now_v7(),
                    user_id,
                    mail.to,
                    mail.subject,
                    mail.text,
                    mail.reply_to,
                    purpose,
                    invitation
                ],
                [self.database_time(now), now]
            );
            query.execute(&mut *tx).await?;
        }
        Ok(())
    }
}

/// Inserts a link for the account with this e-mail address, and deletes expired ones; returns whether there is such an
/// account.
async fn insert_link(
    email: &EmailAddress,
    purpose: LinkPurpose,
    token_sha256: &str,
    now: Timestamp,
    tx: &mut AnyConnection,
) -> Result<bool, Error> {
    let query = sql!(
        "INSERT INTO mailed_link (token_sha256, user_id, purpose, expires_at) \
         SELECT CAST($1 AS TEXT), user_id, CAST($2 AS TEXT), CAST($3 AS BIGINT) FROM app_user WHERE email = $4",
        [token_sha256, purpose, now + purpose.valid_for(), email]
    );
    let created = query.execute(&mut *tx).await?;
    sql!("DELETE FROM mailed_link WHERE expires_at <= $1", [now]).execute(tx).await?;
    Ok(created.rows_affected() > 0)
}
