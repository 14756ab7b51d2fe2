//! How people join a company: they are invited, and accept or decline. Nobody is added by somebody else.

use jiff::Timestamp;
use partsight_domain::{
    CompanyId, CompanyInvitation, INVITATION_VALID_FOR, InvitationId, MAX_COMPANY_MEMBERS, Membership,
    NewMember, OpenInvitation, REFUSAL_HOLDS_FOR, UserId, display_name,
};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Row};

use crate::accounts::{CLOSING_AT_MOST, NewMail};
use crate::authority::lock_tenant_for;
use crate::transaction::retried;
use crate::{Error, Store, rows};

/// An invitation to insert.
#[derive(Debug, Clone, Copy)]
pub struct NewInvitation<'a> {
    /// The company, with its tenant.
    pub company: &'a Membership,
    /// Id of the invitation, and of the membership that replaces it.
    pub id: InvitationId,
    /// Who invites.
    pub invited_by: UserId,
    /// SHA-256 of the secret in the link.
    pub token_sha256: &'a str,
    /// Current time, from which the invitation is valid.
    pub now: Timestamp,
}

/// The result of an invitation. It does not tell whether the address has an account, except for members of the company,
/// whom the other members can see anyway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Invite {
    /// They are invited.
    Invited(CompanyInvitation),
    /// They are a member already; nothing was changed.
    IsMember,
    /// Their invitation is open; nothing was changed.
    IsInvited,
    /// They have declined recently; nothing was changed.
    HasDeclined,
    /// The company has as many members as allowed; nothing was changed.
    IsFull,
}

/// What gives access to an invitation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvitationKey<'a> {
    /// The SHA-256 of the secret in the link. Anybody who has the link may answer.
    Link(&'a str),
    /// It was sent to the address of this user's account, which must be verified: anybody can claim an address.
    Address {
        /// The invitation.
        id: InvitationId,
        /// Who answers.
        user_id: UserId,
    },
}

/// The result of accepting an invitation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JoinCompany {
    /// The user is a member.
    Joined,
    /// The invitation is no longer open.
    NotOpen,
    /// The user is in a company; the invitation stays open.
    IsElsewhere,
}

/// An open invitation at $1, for a person who may answer it; a further condition must follow.
const OPEN: &str = "SELECT invitation_id, company.tenant_id, company.name AS company_name, \
            owner.plan AS owner_plan, company_invitation.email, role, expires_at, \
            inviter.first_name, inviter.last_name, inviter.email AS inviter_email \
     FROM company_invitation JOIN company ON company.company_id = company_invitation.company_id \
     JOIN app_user AS owner ON owner.user_id = company.owner_id \
     JOIN app_user AS inviter \
         ON inviter.user_id = COALESCE(company_invitation.invited_by, company.owner_id) \
     WHERE expires_at > $1 AND ";
/// Invitations to the verified address of the user $2.
const TO_ADDRESS: &str = "company_invitation.email = \
     (SELECT email FROM app_user WHERE user_id = $2 AND email_verified_at IS NOT NULL)";

impl Store {
    /// The open invitations of a company, the oldest first.
    pub async fn list_company_invitations(
        &self,
        company_id: CompanyId,
        now: Timestamp,
    ) -> Result<Vec<CompanyInvitation>, Error> {
        let query = sql!(
            "SELECT * FROM company_invitation WHERE company_id = $1 AND expires_at > $2 \
             ORDER BY created_at, invitation_id",
            [company_id, now]
        );
        self.list(query, invitation_from_row).await
    }

    /// Deletes the invitations and refusals that expired by `now`, with the addresses of people who may have no account.
    pub async fn purge_invitations(&self, now: Timestamp) -> Result<(), Error> {
        self.write(sql!("DELETE FROM company_invitation WHERE expires_at <= $1", [now])).await?;
        self.write(sql!("DELETE FROM company_refusal WHERE refused_until <= $1", [now])).await?;
        Ok(())
    }

    /// Invites the person with this address to a company, and queues `mails` about it. Of two concurrent invitations of the same person, one is
    /// created.
    ///
    /// # Errors
    /// [`Error::AccountClosing`] when the owner's account is being deleted; [`Error::NotManager`].
    pub async fn invite_to_company(
        &self,
        invitation: NewInvitation<'_>,
        new: &NewMember,
        mails: &[NewMail],
    ) -> Result<Invite, Error> {
        let NewInvitation { company, now, .. } = invitation;
        let company_id = company.company_id.to_string();
        retried(|| async {
        let mut tx = self.begin().await?;
        lock_tenant_for(invitation.invited_by, company.tenant_id, &mut tx).await?;
        lock_open_owner(OWNER_OF_COMPANY, &company_id, self.database_time(now), &mut tx).await?;
        for (table, end) in [("company_invitation", "expires_at"), ("company_refusal", "refused_until")] {
            let expired = format!("DELETE FROM {table} WHERE company_id = $1 AND {end} <= $2");
            sql!(AssertSqlSafe(expired), [company_id, now]).execute(&mut *tx).await?;
        }
        for (sql, found) in [
            (
                "SELECT COUNT(*) FROM company_member \
                 JOIN app_user ON app_user.user_id = company_member.user_id WHERE company_id = $1 AND email = $2",
                Invite::IsMember,
            ),
            (
                "SELECT COUNT(*) FROM company_invitation WHERE company_id = $1 AND email = $2",
                Invite::IsInvited,
            ),
            (
                "SELECT COUNT(*) FROM company_refusal WHERE company_id = $1 AND email = $2",
                Invite::HasDeclined,
            ),
        ] {
            let n: i64 = scalar!(sql, [company_id, new.email]).fetch_one(&mut *tx).await?;
            if n > 0 {
                // Only expired rows were deleted.
                tx.commit().await?;
                return Ok(found);
            }
        }
        // Invitations count as members; otherwise accepting them could exceed the limit.
        if count(company.company_id, &mut tx).await? >= i64::from(MAX_COMPANY_MEMBERS) {
            tx.rollback().await?;
            return Ok(Invite::IsFull);
        }
        let invited = insert_invitation(&invitation, new, &mut tx).await?;
        self.insert_mails(Some(invitation.invited_by), mails, now, &mut tx).await?;
        tx.commit().await?;
        Ok(Invite::Invited(invited))
        })
        .await
    }

    /// The open invitations to the verified address of a user's account, the oldest first.
    pub async fn list_invitations_to(
        &self,
        user_id: UserId,
        now: Timestamp,
    ) -> Result<Vec<OpenInvitation>, Error> {
        let sql = format!(
            "{OPEN} {TO_ADDRESS} ORDER BY company_invitation.created_at, company_invitation.invitation_id"
        );
        self.list(sql!(AssertSqlSafe(sql), [now, user_id]), open_from_row).await
    }

    /// The invitation with this key; `None` if it is no longer open.
    pub async fn find_invitation(
        &self,
        key: InvitationKey<'_>,
        now: Timestamp,
    ) -> Result<Option<OpenInvitation>, Error> {
        let row = match key {
            InvitationKey::Link(token_sha256) => {
                sql!(AssertSqlSafe(format!("{OPEN} token_sha256 = $2")), [now, token_sha256])
                    .fetch_optional(&self.db)
                    .await?
            }
            InvitationKey::Address { id, user_id } => {
                sql!(AssertSqlSafe(format!("{OPEN} {TO_ADDRESS} AND invitation_id = $3")), [now, user_id, id])
                    .fetch_optional(&self.db)
                    .await?
            }
        };
        row.as_ref().map(open_from_row).transpose()
    }

    /// Makes a user a member of the company whose invitation has this key.
    ///
    /// # Errors
    /// [`Error::AccountClosing`] when the owner's account is being deleted.
    pub async fn accept_invitation(
        &self,
        user_id: UserId,
        key: InvitationKey<'_>,
        now: Timestamp,
    ) -> Result<JoinCompany, Error> {
        // Outside the transaction, since everything below looks the invitation up by its id again.
        let Some(open) = self.find_invitation(key, now).await? else { return Ok(JoinCompany::NotOpen) };
        let id = open.id.to_string();
        retried(|| async {
            let mut tx = self.begin().await?;
            Self::lock_tenant(&mut tx, open.company_tenant_id).await?;
            lock_open_owner(OWNER_OF_INVITATION, &id, self.database_time(now), &mut tx).await?;
            let query = sql!(
                // One statement turns the invitation into a membership. A user who is in another company is a
                // conflict and no error.
                "INSERT INTO company_member (member_id, company_id, user_id, role, display_name, joined_at) \
             SELECT invitation_id, company_id, CAST($1 AS TEXT), role, display_name, CAST($2 AS BIGINT) \
             FROM company_invitation WHERE invitation_id = $3 AND expires_at > $2 \
             ON CONFLICT (user_id) DO NOTHING",
                [user_id, now, id]
            );
            let joined = query.execute(&mut *tx).await?;
            if joined.rows_affected() == 0 {
                tx.rollback().await?;
                // It was withdrawn or used meanwhile, or the user is in a company.
                let still_open = self.find_invitation(key, now).await?.is_some();
                return Ok(if still_open { JoinCompany::IsElsewhere } else { JoinCompany::NotOpen });
            }
            let used = sql!("DELETE FROM company_invitation WHERE invitation_id = $1", [id])
                .execute(&mut *tx)
                .await?;
            // Somebody else with the same link was first.
            if used.rows_affected() == 0 {
                tx.rollback().await?;
                return Ok(JoinCompany::NotOpen);
            }
            tx.commit().await?;
            Ok(JoinCompany::Joined)
        })
        .await
    }

    /// Deletes the invitation with this key, and keeps the company from inviting the same address again for
    /// [`REFUSAL_HOLDS_FOR`]; returns whether there was one.
    pub async fn decline_invitation(&self, key: InvitationKey<'_>, now: Timestamp) -> Result<bool, Error> {
        let Some(open) = self.find_invitation(key, now).await? else { return Ok(false) };
        retried(|| async {
            let mut tx = self.begin().await?;
            // As in accepting: of two concurrent answers, the second finds no invitation.
            Self::lock_tenant(&mut tx, open.company_tenant_id).await?;
            let query = sql!(
                "DELETE FROM company_invitation WHERE invitation_id = $1 RETURNING company_id, email",
                [open.id]
            );
            let declined = query.fetch_optional(&mut *tx).await?;
            let Some(declined) = declined else {
                tx.rollback().await?;
                return Ok(false);
            };
            let query = sql!(
                "INSERT INTO company_refusal (company_id, email, refused_until) VALUES ($1, $2, $3) \
             ON CONFLICT (company_id, email) DO UPDATE SET refused_until = $3",
                [declined.try_get::<String, _>("company_id")?, declined.try_get::<String, _>("email")?],
                [(now + REFUSAL_HOLDS_FOR).as_millisecond()]
            );
            query.execute(&mut *tx).await?;
            tx.commit().await?;
            Ok(true)
        })
        .await
    }

    /// Withdraws an invitation; returns whether there was one.
    pub async fn delete_company_invitation(
        &self,
        company_id: CompanyId,
        id: InvitationId,
    ) -> Result<bool, Error> {
        let query = sql!(
            "DELETE FROM company_invitation WHERE company_id = $1 AND invitation_id = $2",
            [company_id, id]
        );
        Ok(self.write(query).await? > 0)
    }
}

/// The owner of the company with this id.
const OWNER_OF_COMPANY: &str = "SELECT owner_id FROM company WHERE company_id = $1";
/// The owner of the company of this invitation.
const OWNER_OF_INVITATION: &str = "SELECT company.owner_id FROM company JOIN company_invitation \
     ON company_invitation.company_id = company.company_id WHERE company_invitation.invitation_id = $1";

/// Locks the account of the owner that `owner` selects for `key`, so that it is not closed before somebody has
/// joined. `now` is by the clock of the database.
///
/// # Errors
/// [`Error::AccountClosing`] when it is closed already.
async fn lock_open_owner(
    owner: &'static str,
    key: &str,
    now: Timestamp,
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    let at_most = (now + CLOSING_AT_MOST).as_millisecond();
    // As `lock_open_account`, but the statement that locks also finds the owner.
    let hold = format!(
        "UPDATE app_user SET closing_until = NULL WHERE user_id IN ({owner}) \
         AND (closing_until IS NULL OR closing_until <= $2 OR closing_until > $3)"
    );
    sql!(AssertSqlSafe(hold), [key, now, at_most]).execute(&mut *tx).await?;
    let closing = format!("SELECT COUNT(*) FROM app_user WHERE user_id IN ({owner}) AND closing_until > $2");
    let n_closing: i64 = scalar!(AssertSqlSafe(closing), [key, now]).fetch_one(tx).await?;
    if n_closing == 0 { Ok(()) } else { Err(Error::AccountClosing) }
}

/// Number of members and invitations of a company.
async fn count(company_id: CompanyId, tx: &mut AnyConnection) -> Result<i64, Error> {
    let query = scalar!(
        "SELECT (SELECT COUNT(*) FROM company_member WHERE company_id = $1) \
              + (SELECT COUNT(*) FROM company_invitation WHERE company_id = $1)",
        [company_id]
    );
    let n = query.fetch_one(tx).await?;
    Ok(n)
}

async fn insert_invitation(
    new: &NewInvitation<'_>,
    member: &NewMember,
    tx: &mut AnyConnection,
) -> Result<CompanyInvitation, Error> {
    let invitation = CompanyInvitation {
        id: new.id,
        email: member.email.as_str().to_owned(),
        role: member.role,
        display_name: member.display_name.clone(),
        created_at: new.now,
        expires_at: new.now + INVITATION_VALID_FOR,
    };
    let query = sql!(
        "INSERT INTO company_invitation (invitation_id, company_id, email, role, display_name, token_sha256, \
                                         created_at, expires_at, invited_by) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        [invitation.id, new.company.company_id, invitation.email, invitation.role],
        [invitation.display_name, new.token_sha256, invitation.created_at, invitation.expires_at],
        [new.invited_by]
    );
    query.execute(tx).await?;
    Ok(invitation)
}

fn invitation_from_row(row: &AnyRow) -> Result<CompanyInvitation, Error> {
    Ok(CompanyInvitation {
        id: rows::parsed(row, "invitation_id")?,
        email: row.try_get("email")?,
        role: rows::parsed(row, "role")?,
        display_name: row.try_get("display_name")?,
        created_at: rows::timestamp(row, "created_at")?,
        expires_at: rows::timestamp(row, "expires_at")?,
    })
}

fn open_from_row(row: &AnyRow) -> Result<OpenInvitation, Error> {
    let inviter_email: String = row.try_get("inviter_email")?;
    let (first_name, last_name): (String, String) = (row.try_get("first_name")?, row.try_get("last_name")?);
    Ok(OpenInvitation {
        id: rows::parsed(row, "invitation_id")?,
        company_tenant_id: rows::parsed(row, "tenant_id")?,
        company_name: row.try_get("company_name")?,
        owner_plan: rows::parsed(row, "owner_plan")?,
        invited_by: display_name(&first_name, &last_name, &inviter_email),
        inviter_email,
        email: row.try_get("email")?,
        role: rows::parsed(row, "role")?,
        expires_at: rows::timestamp(row, "expires_at")?,
    })
}
