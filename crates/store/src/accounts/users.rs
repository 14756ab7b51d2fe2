use jiff::{SignedDuration, Timestamp};
use partsight_domain::{LinkPurpose, NewUser, PersonName, Plan, SessionId, TenantId, User, UserId};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Row};

use super::outgoing_mails::NewMail;
use super::sessions::{NewSession, end_sessions, lock_session};
use super::user_rows::{UserRow, fetch_user, select_users, user_from_row};
use crate::departures::keep_names_of_parts;
use crate::{Error, Store};

/// How long an account stays closed: longer than ending its subscription can take.
// Cancelling a subscription takes seconds. Otherwise somebody could join the company in that time, and would be left
// without its plan.
const CLOSING_FOR: SignedDuration = SignedDuration::from_mins(2);
/// A closing time further ahead than this was set by a wrong clock, and the account counts as open. Twice the duration,
/// since the clocks of two servers differ.
pub(crate) const CLOSING_AT_MOST: SignedDuration = SignedDuration::from_mins(4);

/// A user, with the password hash that only sign-in may see.
#[derive(Debug, Clone)]
pub struct StoredUser {
    /// The user.
    pub user: User,
    /// The Argon2id hash in PHC format; `None` for an account that only signs in externally.
    pub password_hash: Option<String>,
}

/// The session of a call that ends all sessions, and the one that takes its place.
#[derive(Debug, Clone, Copy)]
pub struct SessionRenewal<'a> {
    /// The session of the call.
    pub of_call: SessionId,
    /// The next session of its browser.
    pub next: &'a NewSession,
}

impl Store {
    /// Adds a user with their first session, a tenant of their own and these mails, in one transaction.
    ///
    /// The tenant has the id of the user, like those of accounts from before tenants were introduced.
    ///
    /// # Errors
    /// [`Error::Constraint`] when an account with this e-mail exists.
    pub async fn create_user(
        &self,
        id: UserId,
        new: &NewUser,
        password_hash: &str,
        session: &NewSession,
        mails: &[NewMail],
    ) -> Result<User, Error> {
        let mut tx = self.begin().await?;
        let user = UserRow::with_password(id, new, password_hash, session.created_at).insert(&mut tx).await?;
        session.insert(id, &mut tx).await?;
        self.insert_mails(Some(id), mails, session.created_at, &mut tx).await?;
        tx.commit().await?;
        Ok(user)
    }

    /// Adds a user with a tenant of their own and without a session.
    ///
    /// # Errors
    /// [`Error::Constraint`] when an account with this e-mail exists.
    pub async fn create_user_without_session(
        &self,
        id: UserId,
        new: &NewUser,
        password_hash: &str,
        now: Timestamp,
    ) -> Result<User, Error> {
        let mut tx = self.begin().await?;
        let user = UserRow::with_password(id, new, password_hash, now).insert(&mut tx).await?;
        tx.commit().await?;
        Ok(user)
    }

    /// The user of this id.
    pub async fn find_user(&self, id: UserId) -> Result<Option<StoredUser>, Error> {
        self.find(sql!(AssertSqlSafe(select_users("WHERE app_user.user_id = $1")), [id]), stored_user).await
    }

    /// The oldest user of a tenant.
    pub async fn find_user_of_tenant(&self, tenant_id: TenantId) -> Result<Option<User>, Error> {
        let sql = select_users(
            "WHERE app_user.tenant_id = $1 ORDER BY app_user.created_at, app_user.user_id LIMIT 1",
        );
        self.find(sql!(AssertSqlSafe(sql), [tenant_id]), user_from_row).await
    }

    /// All users, the oldest account first.
    pub async fn list_users(&self) -> Result<Vec<User>, Error> {
        // Without those whose rows are still being erased.
        let sql = select_users(
            "WHERE app_user.tenant_id NOT IN (SELECT tenant_id FROM tenant WHERE is_deleted = 1) \
             ORDER BY app_user.created_at, app_user.user_id",
        );
        self.list(sqlx::query(AssertSqlSafe(sql)), user_from_row).await
    }

    /// The user of this lower-case e-mail address.
    pub async fn find_user_by_email(&self, email: &str) -> Result<Option<StoredUser>, Error> {
        let query = sql!(AssertSqlSafe(select_users("WHERE app_user.email = $1")), [email]);
        self.find(query, stored_user).await
    }

    /// Records that the user accepted this version of the terms; the first time is kept.
    pub async fn accept_terms(&self, id: UserId, version: &str, now: Timestamp) -> Result<User, Error> {
        let query = sql!(
            "UPDATE app_user SET terms_version = $2, \
                 terms_accepted_at = CASE WHEN terms_version = $2 THEN terms_accepted_at ELSE $3 END \
             WHERE user_id = $1",
            [id, version, now]
        );
        self.write(query).await?;
        self.user(id).await
    }

    /// Gives the user these names.
    pub async fn rename_user(
        &self,
        id: UserId,
        first: &PersonName,
        last: &PersonName,
    ) -> Result<User, Error> {
        let mut tx = self.begin().await?;
        sql!("UPDATE app_user SET first_name = $2, last_name = $3 WHERE user_id = $1", [id, first, last])
            .execute(&mut *tx)
            .await?;
        let user = fetch_user(id, &mut tx).await?;
        // Nobody else can change the company's name for them, so their own choice is the newer one. If they remove all
        // their names, it stays, since lists show the address beside it.
        if !(first.as_str().is_empty() && last.as_str().is_empty()) {
            sql!("UPDATE company_member SET display_name = $2 WHERE user_id = $1", [id, user.display_name()])
                .execute(&mut *tx)
                .await?;
        }
        tx.commit().await?;
        Ok(user)
    }

    /// Gives the user this plan.
    pub async fn set_plan(&self, id: UserId, plan: Plan) -> Result<User, Error> {
        self.write(sql!("UPDATE app_user SET plan = $2 WHERE user_id = $1", [id, plan])).await?;
        self.user(id).await
    }

    /// The user with this id, who must exist.
    async fn user(&self, id: UserId) -> Result<User, Error> {
        fetch_user(id, &mut *self.db.acquire().await?).await
    }

    /// Sets another password, ends the user's sessions and mailed links, and queues `mails`, in one transaction. With
    /// `keys_end`, API keys and the calendar address end too.
    ///
    /// # Errors
    /// [`Error::SessionEnded`] when the session of the call has ended: a reset by mail must not be undone by the
    /// person that it locked out.
    pub async fn change_password(
        &self,
        id: UserId,
        password_hash: &str,
        session: Option<SessionRenewal<'_>>,
        keys_end: bool,
        mails: &[NewMail],
        now: Timestamp,
    ) -> Result<(), Error> {
        let mut tx = self.begin().await?;
        lock_user(id, &mut tx).await?;
        if let Some(session) = &session {
            lock_session(id, session.of_call, &mut tx).await?;
        }
        set_password(id, password_hash, &mut tx).await?;
        if keys_end {
            end_keys(id, now, &mut tx).await?;
        }
        if let Some(session) = session {
            session.next.insert(id, &mut tx).await?;
        }
        self.insert_mails(Some(id), mails, now, &mut tx).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Closes an account for two minutes: nobody can join its company, and it can neither create nor take over one.
    /// So [`Self::delete_user`] cannot be refused once its subscription is cancelled, which cannot be undone.
    ///
    /// Returns until when it is closed, by the clock of the database, for [`Self::reopen_account`].
    ///
    /// # Errors
    /// [`Error::OwnsCompany`] for the owner of a company with other members; it stays open then.
    pub async fn close_account(&self, id: UserId, now: Timestamp) -> Result<Timestamp, Error> {
        let closing_until = self.database_time(now) + CLOSING_FOR;
        let mut tx = self.begin().await?;
        // Written before members are counted: a person who joins later waits for the row, and then finds the account
        // closed.
        sql!("UPDATE app_user SET closing_until = $2 WHERE user_id = $1", [id, closing_until])
            .execute(&mut *tx)
            .await?;
        // A person who was joining held the row, and is a member by now.
        let query = scalar!(
            "SELECT COUNT(*) FROM company_member \
             JOIN company ON company.company_id = company_member.company_id \
             WHERE company.owner_id = $1 AND company_member.user_id <> $1",
            [id]
        );
        let n_others: i64 = query.fetch_one(&mut *tx).await?;
        if n_others > 0 {
            // The rollback keeps the account open.
            tx.rollback().await?;
            return Err(Error::OwnsCompany);
        }
        tx.commit().await?;
        Ok(closing_until)
    }

    /// Undoes [`Self::close_account`] if the account stays after all, unless it was closed again since.
    pub async fn reopen_account(&self, id: UserId, closing_until: Timestamp) -> Result<(), Error> {
        let query = sql!(
            // Compared exactly: the end of an earlier closing must not undo a later one.
            "UPDATE app_user SET closing_until = NULL WHERE user_id = $1 AND closing_until = $2",
            [id, closing_until]
        );
        self.write(query).await?;
        Ok(())
    }

    /// Scans of this user that returned an answer.
    pub async fn scans_used(&self, id: UserId) -> Result<u32, Error> {
        let used: i64 =
            scalar!("SELECT scans_used FROM app_user WHERE user_id = $1", [id]).fetch_one(&self.db).await?;
        Ok(u32::try_from(used).unwrap_or(u32::MAX))
    }
}

/// Locks a user's account until the transaction ends; to be called before rows that belong to it are locked.
pub(crate) async fn lock_user(id: UserId, tx: &mut AnyConnection) -> Result<(), Error> {
    sql!("UPDATE app_user SET created_at = created_at WHERE user_id = $1", [id]).execute(tx).await?;
    Ok(())
}

/// Locks the account of a company's owner until the transaction ends, so that it cannot be closed meanwhile. `now` is by
/// the clock of the database.
///
/// # Errors
/// [`Error::AccountClosing`] when it is closed or deleted already.
pub(crate) async fn lock_open_account(
    id: UserId,
    now: Timestamp,
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    let query = sql!(
        "UPDATE app_user SET closing_until = NULL \
         WHERE user_id = $1 AND (closing_until IS NULL OR closing_until <= $2 OR closing_until > $3) \
           AND tenant_id NOT IN (SELECT tenant_id FROM tenant WHERE is_deleted = 1)",
        [id, now, now + CLOSING_AT_MOST]
    );
    // The update changes nothing; it locks the row.
    let held = query.execute(tx).await?;
    if held.rows_affected() == 0 { Err(Error::AccountClosing) } else { Ok(()) }
}

/// Sets a password, and ends all access that was opened with the old one.
pub(crate) async fn set_password(id: UserId, hash: &str, tx: &mut AnyConnection) -> Result<(), Error> {
    sql!("UPDATE app_user SET password_hash = $2 WHERE user_id = $1", [id, hash]).execute(&mut *tx).await?;
    end_sessions(id, tx).await?;
    // Links to set a password are deleted, since an old one in a mailbox would undo the change; one that verifies the
    // address stays. Mails that wait come first, because a server that holds one may be making its link.
    let waiting = "DELETE FROM outgoing_mail WHERE link_purpose = $2 \
                   AND recipient = (SELECT email FROM app_user WHERE user_id = $1)";
    sql!(waiting, [id, LinkPurpose::ResetPassword]).execute(&mut *tx).await?;
    sql!("DELETE FROM mailed_link WHERE user_id = $1 AND purpose = $2", [id, LinkPurpose::ResetPassword])
        .execute(tx)
        .await?;
    Ok(())
}

/// Locks a user's company, to be called before the account is locked: verifying an address can change its members.
pub(super) async fn lock_company_of(id: UserId, tx: &mut AnyConnection) -> Result<(), Error> {
    let query = sql!(
        "UPDATE tenant SET created_at = created_at WHERE tenant_id IN \
             (SELECT company.tenant_id FROM company \
              JOIN company_member ON company_member.company_id = company.company_id \
              WHERE company_member.user_id = $1)",
        [id]
    );
    query.execute(tx).await?;
    Ok(())
}

/// Ends all access to the account other than by its password, and deletes its webhooks, unless its address is
/// verified.
///
/// To be called before the verification is recorded: the person who created the account may not own the address, and
/// would keep access. The company must be locked ([`lock_company_of`]).
pub(crate) async fn end_unverified_access(
    id: UserId,
    now: Timestamp,
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    let n_unverified: i64 =
        scalar!("SELECT COUNT(*) FROM app_user WHERE user_id = $1 AND email_verified_at IS NULL", [id])
            .fetch_one(&mut *tx)
            .await?;
    if n_unverified == 0 {
        return Ok(());
    }
    end_sessions(id, tx).await?;
    end_keys(id, now, tx).await?;
    for query in [
        // Webhooks would send the owner's events to somebody else.
        "DELETE FROM webhook_endpoint WHERE tenant_id = (SELECT tenant_id FROM app_user WHERE user_id = $1)",
        // Consent to the judge was not given by the owner. A refusal stays.
        "DELETE FROM judge_consent WHERE is_allowed = 1 AND tenant_id IN \
             (SELECT tenant_id FROM app_user WHERE user_id = $1 \
              UNION SELECT tenant_id FROM company WHERE owner_id = $1)",
    ] {
        sql!(query, [id]).execute(&mut *tx).await?;
    }
    end_unverified_company(id, tx).await
}

/// Ends what opens the account without its password: the calendar address and the API keys.
pub(super) async fn end_keys(id: UserId, now: Timestamp, tx: &mut AnyConnection) -> Result<(), Error> {
    sql!("DELETE FROM calendar_feed WHERE user_id = $1", [id]).execute(&mut *tx).await?;
    sql!("UPDATE api_key SET revoked_at = $2 WHERE user_id = $1 AND revoked_at IS NULL", [id, now])
        .execute(tx)
        .await?;
    Ok(())
}

/// Separates an account whose address is not verified from others in a company: they see, and as managers can delete,
/// what is saved for the shop. It leaves a company of somebody else, and other members leave its own.
async fn end_unverified_company(id: UserId, tx: &mut AnyConnection) -> Result<(), Error> {
    let query = sql!(
        "SELECT company.company_id, company.owner_id FROM company \
         JOIN company_member ON company_member.company_id = company.company_id \
         WHERE company_member.user_id = $1",
        [id]
    );
    let Some(company) = query.fetch_optional(&mut *tx).await? else { return Ok(()) };
    let (company_id, owner_id): (String, String) =
        (company.try_get("company_id")?, company.try_get("owner_id")?);
    let leaving: Vec<String> = if owner_id == id.to_string() {
        let query = scalar!(
            "SELECT user_id FROM company_member WHERE company_id = $1 AND user_id <> $2 ORDER BY user_id",
            [company_id, owner_id]
        );
        let others = query.fetch_all(&mut *tx).await?;
        let query = sql!("DELETE FROM company_invitation WHERE company_id = $1", [company_id]);
        let n_invitations = query.execute(&mut *tx).await?.rows_affected();
        if !others.is_empty() || n_invitations > 0 {
            tracing::info!(
                n_members = others.len(),
                n_invitations,
                "an address was proved that others had not: all but the owner are out of the company"
            );
        }
        others
    } else {
        vec![id.to_string()]
    };
    for user_id in leaving {
        keep_names_of_parts(&company_id, &user_id, &mut *tx).await?;
        sql!("DELETE FROM company_member WHERE company_id = $1 AND user_id = $2", [company_id, user_id])
            .execute(&mut *tx)
            .await?;
    }
    Ok(())
}

fn stored_user(row: &AnyRow) -> Result<StoredUser, Error> {
    Ok(StoredUser { user: user_from_row(row)?, password_hash: row.try_get("password_hash")? })
}
