//! Users as rows, each with the company that they are in. The owner's plan holds for all members, so it is read with
//! every user.

use jiff::Timestamp;
use partsight_domain::{EmailAddress, Membership, NewUser, PersonName, User, UserId};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Row};

use crate::{Error, rows};

/// The columns that [`membership_from_row`] reads, for a query of users.
pub(crate) const MEMBERSHIP_COLUMNS: &str = "company.company_id AS in_company_id, company.tenant_id AS company_tenant_id, \
     company.owner_id AS company_owner_id, company_owner.plan AS company_plan, \
     company_member.role AS company_role";
/// The joins for those columns. The owner's plan is read with every request, so that a change takes effect at once.
pub(crate) const MEMBERSHIP_JOINS: &str = "LEFT JOIN company_member ON company_member.user_id = app_user.user_id \
     LEFT JOIN company ON company.company_id = company_member.company_id \
     LEFT JOIN app_user AS company_owner ON company_owner.user_id = company.owner_id";

/// A user to insert, with a tenant of the same id, like accounts from before tenants were introduced.
pub(crate) struct UserRow<'a> {
    pub(crate) id: UserId,
    pub(crate) email: &'a EmailAddress,
    pub(crate) password_hash: Option<&'a str>,
    pub(crate) first_name: &'a PersonName,
    pub(crate) last_name: &'a PersonName,
    pub(crate) email_verified_at: Option<Timestamp>,
    pub(crate) created_at: Timestamp,
}

impl<'a> UserRow<'a> {
    /// For somebody who signs in with a password, and whose address is not verified yet.
    pub(crate) fn with_password(
        id: UserId,
        new: &'a NewUser,
        password_hash: &'a str,
        created_at: Timestamp,
    ) -> Self {
        Self {
            id,
            email: &new.email,
            password_hash: Some(password_hash),
            first_name: &new.first_name,
            last_name: &new.last_name,
            email_verified_at: None,
            created_at,
        }
    }

    pub(crate) async fn insert(&self, tx: &mut AnyConnection) -> Result<User, Error> {
        sql!("INSERT INTO tenant (tenant_id, created_at) VALUES ($1, $2)", [self.id, self.created_at])
            .execute(&mut *tx)
            .await?;
        let query = sql!(
            "INSERT INTO app_user (user_id, tenant_id, email, password_hash, first_name, last_name, plan, \
                                   created_at, email_verified_at) \
             VALUES ($1, $1, $2, $3, $4, $5, 'basic', $6, $7)",
            [self.id, self.email, self.password_hash, self.first_name, self.last_name, self.created_at],
            [self.email_verified_at]
        );
        query.execute(&mut *tx).await?;
        fetch_user(self.id, tx).await
    }
}

/// The user with this id, who must exist, as this transaction sees them.
pub(crate) async fn fetch_user(id: UserId, tx: &mut AnyConnection) -> Result<User, Error> {
    let row = sql!(AssertSqlSafe(select_users("WHERE app_user.user_id = $1")), [id]).fetch_one(tx).await?;
    user_from_row(&row)
}

/// A query of users with their companies, followed by `rest`.
pub(crate) fn select_users(rest: &'static str) -> String {
    format!("SELECT app_user.*, {MEMBERSHIP_COLUMNS} FROM app_user {MEMBERSHIP_JOINS} {rest}")
}

pub(crate) fn user_from_row(row: &AnyRow) -> Result<User, Error> {
    Ok(User {
        id: rows::parsed(row, "user_id")?,
        tenant_id: rows::parsed(row, "tenant_id")?,
        email: row.try_get("email")?,
        first_name: row.try_get("first_name")?,
        last_name: row.try_get("last_name")?,
        plan: rows::parsed(row, "plan")?,
        company: membership_from_row(row)?,
        created_at: rows::timestamp(row, "created_at")?,
        email_verified_at: rows::optional_timestamp(row, "email_verified_at")?,
        has_password: row.try_get::<Option<String>, _>("password_hash")?.is_some(),
        terms_accepted_at: rows::optional_timestamp(row, "terms_accepted_at")?,
        terms_version: row.try_get("terms_version")?,
    })
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
        role: rows::parsed(row, "company_role")?,
        is_owner: owner_id == rows::parsed(row, "user_id")?,
        owner_plan: rows::parsed(row, "company_plan")?,
    }))
}
