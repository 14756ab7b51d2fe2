use jiff::Timestamp;
use partsight_domain::{
    CompanyId, CompanyInvitation, CompanyMember, CompanyRole, INVITATION_VALID_FOR, InvitationId,
    MAX_COMPANY_MEMBERS, MemberId, Membership, NewMember, OpenInvitation, User, UserId,
};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Row};
use uuid::Uuid;

use crate::users::{plan_from_name, select_users, user_from_row};
use crate::{Error, Store, rows};

/// What [`membership_from_row`] reads, to stand in a query of users.
pub(crate) const MEMBERSHIP_COLUMNS: &str = "company.company_id AS in_company_id, company.tenant_id AS company_tenant_id, \
     company.owner_id AS company_owner_id, company_owner.plan AS company_plan, \
     company_member.role AS company_role";
/// Where those columns are from. The owner's plan is read with every request, so that members fall back at once.
pub(crate) const MEMBERSHIP_JOINS: &str = "LEFT JOIN company_member ON company_member.user_id = app_user.user_id \
     LEFT JOIN company ON company.company_id = company_member.company_id \
     LEFT JOIN app_user AS company_owner ON company_owner.user_id = company.owner_id";

/// Where somebody is added, and how.
#[derive(Debug, Clone, Copy)]
pub struct MemberPlace<'a> {
    /// The company, with its tenant.
    pub company: &'a Membership,
    /// Of the membership or the invitation.
    pub id: Uuid,
    /// Whether an account whose address was never proved joins at once, too.
    pub trusts_unproved: bool,
    /// SHA-256 of the secret in the link, should it become an invitation.
    pub token_sha256: &'a str,
    /// When.
    pub now: Timestamp,
}

/// What became of adding somebody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AddMember {
    /// They have an account and are in.
    Joined(CompanyMember),
    /// They have to accept.
    Invited(CompanyInvitation),
    /// They are in already; nothing was changed.
    IsMember,
    /// Their invitation is open; nothing was changed.
    IsInvited,
    /// They are in another company; nothing was changed.
    IsElsewhere,
    /// There are as many as there may be; nothing was changed.
    IsFull,
}

/// What became of an invitation that was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JoinCompany {
    /// In.
    Joined,
    /// There is no such invitation any more.
    NotOpen,
    /// The user is in a company; the invitation stays.
    IsElsewhere,
}

impl Store {
    /// The members of a company, the owner first and then the longest in it.
    pub async fn list_company_members(&self, company_id: CompanyId) -> Result<Vec<CompanyMember>, Error> {
        let rows = sqlx::query(
            "SELECT company_member.*, app_user.email, app_user.first_name, app_user.last_name \
             FROM company_member JOIN app_user ON app_user.user_id = company_member.user_id \
             JOIN company ON company.company_id = company_member.company_id \
             WHERE company_member.company_id = $1 \
             ORDER BY CASE WHEN company.owner_id = company_member.user_id THEN 0 ELSE 1 END, \
                      company_member.joined_at, company_member.member_id",
        )
        .bind(company_id.to_string())
        .fetch_all(&self.db)
        .await?;
        rows.iter().map(member_from_row).collect()
    }

    /// The open invitations of a company, the oldest first.
    pub async fn list_company_invitations(
        &self,
        company_id: CompanyId,
        now: Timestamp,
    ) -> Result<Vec<CompanyInvitation>, Error> {
        let rows = sqlx::query(
            "SELECT * FROM company_invitation WHERE company_id = $1 AND expires_at > $2 \
             ORDER BY created_at, invitation_id",
        )
        .bind(company_id.to_string())
        .bind(now.as_millisecond())
        .fetch_all(&self.db)
        .await?;
        rows.iter().map(invitation_from_row).collect()
    }

    /// Adds whoever has this address to a company, or keeps an invitation for it. Of two that add the same person
    /// at once, one does.
    ///
    /// # Errors
    /// [`Error::AccountClosing`] when the owner's account is about to go.
    pub async fn add_company_member(
        &self,
        place: MemberPlace<'_>,
        new: &NewMember,
    ) -> Result<AddMember, Error> {
        let added = self.try_to_add_company_member(place, new).await;
        match added {
            // Somebody else's company took them between our look and our row.
            Err(Error::Constraint { .. }) => Ok(AddMember::IsElsewhere),
            result => result,
        }
    }

    async fn try_to_add_company_member(
        &self,
        place: MemberPlace<'_>,
        new: &NewMember,
    ) -> Result<AddMember, Error> {
        let company_id = place.company.company_id;
        let mut tx = self.db.begin().await?;
        Self::lock_tenant(&mut tx, place.company.tenant_id).await?;
        hold_owner(OWNER_OF_COMPANY, &company_id.to_string(), place.now, &mut tx).await?;
        sqlx::query("DELETE FROM company_invitation WHERE company_id = $1 AND expires_at <= $2")
            .bind(company_id.to_string())
            .bind(place.now.as_millisecond())
            .execute(&mut *tx)
            .await?;
        let account = sqlx::query(AssertSqlSafe(select_users("WHERE app_user.email = $1")))
            .bind(new.email.as_str())
            .fetch_optional(&mut *tx)
            .await?;
        let account = account.as_ref().map(user_from_row).transpose()?;
        if account.as_ref().and_then(|user| user.company).is_some_and(|its| its.company_id == company_id) {
            return Ok(AddMember::IsMember);
        }
        // Who has only claimed the address is invited like somebody without an account, and nothing is told.
        let account = account.filter(|user| place.trusts_unproved || user.email_verified_at.is_some());
        if account.as_ref().is_some_and(|user| user.company.is_some()) {
            return Ok(AddMember::IsElsewhere);
        }
        let is_invited = delete_or_find_invitation(&place, new, account.is_some(), &mut tx).await?;
        if is_invited {
            return Ok(AddMember::IsInvited);
        }
        if count(company_id, &mut tx).await? >= i64::from(MAX_COMPANY_MEMBERS) {
            return Ok(AddMember::IsFull);
        }
        let added = match account {
            Some(user) => AddMember::Joined(insert_member(&place, new, user, &mut tx).await?),
            None => AddMember::Invited(insert_invitation(&place, new, &mut tx).await?),
        };
        tx.commit().await?;
        Ok(added)
    }

    /// What the secret of an invitation opens; none for one that is not open any more.
    pub async fn find_invitation(
        &self,
        token_sha256: &str,
        now: Timestamp,
    ) -> Result<Option<OpenInvitation>, Error> {
        let row = sqlx::query(
            "SELECT company.name AS company_name, email, role, expires_at FROM company_invitation \
             JOIN company ON company.company_id = company_invitation.company_id \
             WHERE token_sha256 = $1 AND expires_at > $2",
        )
        .bind(token_sha256)
        .bind(now.as_millisecond())
        .fetch_optional(&self.db)
        .await?;
        row.map(|row| {
            Ok(OpenInvitation {
                company_name: row.try_get("company_name")?,
                email: row.try_get("email")?,
                role: role(&row, "role")?,
                expires_at: rows::timestamp(&row, "expires_at")?,
            })
        })
        .transpose()
    }

    /// Lets a user into the company whose invitation this secret opens.
    ///
    /// # Errors
    /// [`Error::AccountClosing`] when the owner's account is about to go.
    pub async fn accept_invitation(
        &self,
        user_id: UserId,
        token_sha256: &str,
        now: Timestamp,
    ) -> Result<JoinCompany, Error> {
        let mut tx = self.db.begin().await?;
        hold_owner(OWNER_OF_INVITATION, token_sha256, now, &mut tx).await?;
        let joined = sqlx::query(
            "INSERT INTO company_member (member_id, company_id, user_id, role, display_name, joined_at) \
             SELECT invitation_id, company_id, CAST($1 AS TEXT), role, display_name, CAST($2 AS BIGINT) \
             FROM company_invitation WHERE token_sha256 = $3 AND expires_at > $2 \
             ON CONFLICT (user_id) DO NOTHING",
        )
        .bind(user_id.to_string())
        .bind(now.as_millisecond())
        .bind(token_sha256)
        .execute(&mut *tx)
        .await?;
        if joined.rows_affected() == 0 {
            let open: i64 = sqlx::query_scalar(
                "SELECT COUNT(*) FROM company_invitation WHERE token_sha256 = $1 AND expires_at > $2",
            )
            .bind(token_sha256)
            .bind(now.as_millisecond())
            .fetch_one(&mut *tx)
            .await?;
            return Ok(if open == 0 { JoinCompany::NotOpen } else { JoinCompany::IsElsewhere });
        }
        let used = sqlx::query("DELETE FROM company_invitation WHERE token_sha256 = $1")
            .bind(token_sha256)
            .execute(&mut *tx)
            .await?;
        // Another who held the same link was first.
        if used.rows_affected() == 0 {
            return Ok(JoinCompany::NotOpen);
        }
        tx.commit().await?;
        Ok(JoinCompany::Joined)
    }

    /// Gives a member another role; `None` for somebody who is not in the company, or its owner.
    pub async fn set_company_role(
        &self,
        company_id: CompanyId,
        user_id: UserId,
        role: CompanyRole,
    ) -> Result<Option<CompanyMember>, Error> {
        let updated = sqlx::query(
            "UPDATE company_member SET role = $3 WHERE company_id = $1 AND user_id = $2 \
             AND NOT EXISTS (SELECT 1 FROM company WHERE company_id = $1 AND owner_id = $2)",
        )
        .bind(company_id.to_string())
        .bind(user_id.to_string())
        .bind(role.as_str())
        .execute(&self.db)
        .await?;
        if updated.rows_affected() == 0 {
            return Ok(None);
        }
        let row = sqlx::query(
            "SELECT company_member.*, app_user.email, app_user.first_name, app_user.last_name \
             FROM company_member JOIN app_user ON app_user.user_id = company_member.user_id \
             WHERE company_member.company_id = $1 AND company_member.user_id = $2",
        )
        .bind(company_id.to_string())
        .bind(user_id.to_string())
        .fetch_optional(&self.db)
        .await?;
        row.as_ref().map(member_from_row).transpose()
    }

    /// Takes somebody out of a company, never its owner; whether they were in it.
    pub async fn remove_company_member(&self, company_id: CompanyId, user_id: UserId) -> Result<bool, Error> {
        let removed = sqlx::query(
            "DELETE FROM company_member WHERE company_id = $1 AND user_id = $2 \
             AND NOT EXISTS (SELECT 1 FROM company WHERE company_id = $1 AND owner_id = $2)",
        )
        .bind(company_id.to_string())
        .bind(user_id.to_string())
        .execute(&self.db)
        .await?;
        Ok(removed.rows_affected() > 0)
    }

    /// Withdraws an invitation; whether there was one.
    pub async fn delete_company_invitation(
        &self,
        company_id: CompanyId,
        id: InvitationId,
    ) -> Result<bool, Error> {
        let deleted =
            sqlx::query("DELETE FROM company_invitation WHERE company_id = $1 AND invitation_id = $2")
                .bind(company_id.to_string())
                .bind(id.to_string())
                .execute(&self.db)
                .await?;
        Ok(deleted.rows_affected() > 0)
    }
}

/// The owner of the company with this id.
const OWNER_OF_COMPANY: &str = "SELECT owner_id FROM company WHERE company_id = $1";
/// The owner of the company whose invitation this secret opens.
const OWNER_OF_INVITATION: &str = "SELECT company.owner_id FROM company JOIN company_invitation \
     ON company_invitation.company_id = company.company_id WHERE company_invitation.token_sha256 = $1";
/// The owner of the company that would take this user in by their address: of the only one that has invited it.
const OWNER_OF_INVITED: &str = "SELECT company.owner_id FROM company \
     JOIN company_invitation ON company_invitation.company_id = company.company_id \
     JOIN app_user AS invited ON invited.email = company_invitation.email \
     WHERE invited.user_id = $1 AND invited.email_verified_at IS NOT NULL AND company_invitation.expires_at > $2 \
       AND NOT EXISTS (SELECT 1 FROM company_member WHERE company_member.user_id = invited.user_id) \
       AND NOT EXISTS (SELECT 1 FROM company_invitation AS other \
                       WHERE other.email = company_invitation.email AND other.expires_at > $2 \
                         AND other.invitation_id <> company_invitation.invitation_id)";

/// Holds the account of the owner that `owner` finds for `key`, so that it is not closed before somebody is in.
///
/// # Errors
/// [`Error::AccountClosing`] when it is closed already.
async fn hold_owner(
    owner: &'static str,
    key: &str,
    now: Timestamp,
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    // The update first: a transaction of SQLite that reads before it writes can fail as busy at once.
    let hold = format!(
        "UPDATE app_user SET closing_until = NULL \
         WHERE user_id IN ({owner}) AND (closing_until IS NULL OR closing_until <= $2)"
    );
    sqlx::query(AssertSqlSafe(hold)).bind(key).bind(now.as_millisecond()).execute(&mut *tx).await?;
    let closing = format!("SELECT COUNT(*) FROM app_user WHERE user_id IN ({owner}) AND closing_until > $2");
    let n_closing: i64 =
        sqlx::query_scalar(AssertSqlSafe(closing)).bind(key).bind(now.as_millisecond()).fetch_one(tx).await?;
    if n_closing == 0 { Ok(()) } else { Err(Error::AccountClosing) }
}

/// Lets a user whose address is proved into the company that has invited it, should they be in none. With
/// invitations of several companies the choice is theirs.
pub(crate) async fn join_by_address(
    user_id: UserId,
    now: Timestamp,
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    match hold_owner(OWNER_OF_INVITED, &user_id.to_string(), now, tx).await {
        // Whose address it is stands all the same; the invitation goes with the owner, or can be accepted later.
        Err(Error::AccountClosing) => return Ok(()),
        held => held?,
    }
    let joined = sqlx::query(
        "INSERT INTO company_member (member_id, company_id, user_id, role, display_name, joined_at) \
         SELECT invitation_id, company_id, user_id, role, display_name, CAST($2 AS BIGINT) \
         FROM company_invitation JOIN app_user ON app_user.email = company_invitation.email \
         WHERE user_id = $1 AND email_verified_at IS NOT NULL AND expires_at > $2 \
             AND NOT EXISTS (SELECT 1 FROM company_invitation AS other \
                             WHERE other.email = company_invitation.email AND other.expires_at > $2 \
                             AND other.invitation_id <> company_invitation.invitation_id) \
         ON CONFLICT (user_id) DO NOTHING",
    )
    .bind(user_id.to_string())
    .bind(now.as_millisecond())
    .execute(&mut *tx)
    .await?;
    if joined.rows_affected() > 0 {
        sqlx::query(
            "DELETE FROM company_invitation WHERE invitation_id IN \
                 (SELECT member_id FROM company_member WHERE user_id = $1)",
        )
        .bind(user_id.to_string())
        .execute(tx)
        .await?;
    }
    Ok(())
}

/// Whether an invitation of this address stands in the way. One of a person who can join at once does not: it
/// goes.
async fn delete_or_find_invitation(
    place: &MemberPlace<'_>,
    new: &NewMember,
    joins_at_once: bool,
    tx: &mut AnyConnection,
) -> Result<bool, Error> {
    let company_id = place.company.company_id.to_string();
    if joins_at_once {
        sqlx::query("DELETE FROM company_invitation WHERE company_id = $1 AND email = $2")
            .bind(company_id)
            .bind(new.email.as_str())
            .execute(tx)
            .await?;
        return Ok(false);
    }
    let n: i64 =
        sqlx::query_scalar("SELECT COUNT(*) FROM company_invitation WHERE company_id = $1 AND email = $2")
            .bind(company_id)
            .bind(new.email.as_str())
            .fetch_one(tx)
            .await?;
    Ok(n > 0)
}

/// Members and invitations of a company.
async fn count(company_id: CompanyId, tx: &mut AnyConnection) -> Result<i64, Error> {
    let n = sqlx::query_scalar(
        "SELECT (SELECT COUNT(*) FROM company_member WHERE company_id = $1) \
              + (SELECT COUNT(*) FROM company_invitation WHERE company_id = $1)",
    )
    .bind(company_id.to_string())
    .fetch_one(tx)
    .await?;
    Ok(n)
}

async fn insert_member(
    place: &MemberPlace<'_>,
    new: &NewMember,
    user: User,
    tx: &mut AnyConnection,
) -> Result<CompanyMember, Error> {
    sqlx::query(
        "INSERT INTO company_member (member_id, company_id, user_id, role, display_name, joined_at) \
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(place.id.to_string())
    .bind(place.company.company_id.to_string())
    .bind(user.id.to_string())
    .bind(new.role.as_str())
    .bind(&new.display_name)
    .bind(place.now.as_millisecond())
    .execute(tx)
    .await?;
    Ok(CompanyMember {
        id: MemberId(place.id),
        user_id: user.id,
        role: new.role,
        display_name: new.display_name.clone(),
        joined_at: place.now,
        email: user.email,
        first_name: user.first_name,
        last_name: user.last_name,
    })
}

async fn insert_invitation(
    place: &MemberPlace<'_>,
    new: &NewMember,
    tx: &mut AnyConnection,
) -> Result<CompanyInvitation, Error> {
    let invitation = CompanyInvitation {
        id: InvitationId(place.id),
        email: new.email.as_str().to_owned(),
        role: new.role,
        display_name: new.display_name.clone(),
        created_at: place.now,
        expires_at: place.now + INVITATION_VALID_FOR,
    };
    sqlx::query(
        "INSERT INTO company_invitation (invitation_id, company_id, email, role, display_name, token_sha256, \
                                         created_at, expires_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(invitation.id.to_string())
    .bind(place.company.company_id.to_string())
    .bind(&invitation.email)
    .bind(invitation.role.as_str())
    .bind(&invitation.display_name)
    .bind(place.token_sha256)
    .bind(invitation.created_at.as_millisecond())
    .bind(invitation.expires_at.as_millisecond())
    .execute(tx)
    .await?;
    Ok(invitation)
}

/// The company of the user in this row, if they are in one.
pub(crate) fn membership_from_row(row: &AnyRow) -> Result<Option<Membership>, Error> {
    if row.try_get::<Option<String>, _>("in_company_id")?.is_none() {
        return Ok(None);
    }
    let owner_id: UserId = rows::parsed(row, "company_owner_id")?;
    Ok(Some(Membership {
        company_id: rows::parsed(row, "in_company_id")?,
        tenant_id: rows::parsed(row, "company_tenant_id")?,
        role: role(row, "company_role")?,
        is_owner: owner_id == rows::parsed(row, "user_id")?,
        owner_plan: plan_from_name("company_plan", row.try_get("company_plan")?)?,
    }))
}

fn member_from_row(row: &AnyRow) -> Result<CompanyMember, Error> {
    Ok(CompanyMember {
        id: rows::parsed(row, "member_id")?,
        user_id: rows::parsed(row, "user_id")?,
        role: role(row, "role")?,
        display_name: row.try_get("display_name")?,
        joined_at: rows::timestamp(row, "joined_at")?,
        email: row.try_get("email")?,
        first_name: row.try_get("first_name")?,
        last_name: row.try_get("last_name")?,
    })
}

fn invitation_from_row(row: &AnyRow) -> Result<CompanyInvitation, Error> {
    Ok(CompanyInvitation {
        id: rows::parsed(row, "invitation_id")?,
        email: row.try_get("email")?,
        role: role(row, "role")?,
        display_name: row.try_get("display_name")?,
        created_at: rows::timestamp(row, "created_at")?,
        expires_at: rows::timestamp(row, "expires_at")?,
    })
}

fn role(row: &AnyRow, column: &'static str) -> Result<CompanyRole, Error> {
    let name: String = row.try_get(column)?;
    CompanyRole::from_name(&name).ok_or(Error::Corrupt { column, reason: name })
}
