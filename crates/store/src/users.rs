use jiff::Timestamp;
use partsight_domain::{NewUser, Plan, User, UserId};
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::{Error, NewSession, Store, rows};

/// A user with what only signing in may see.
#[derive(Debug, Clone)]
pub struct StoredUser {
    /// The user.
    pub user: User,
    /// The Argon2id hash in PHC form.
    pub password_hash: String,
}

impl Store {
    /// Adds a user with their first session, both or neither.
    ///
    /// # Errors
    /// [`Error::Constraint`] when the e-mail has an account.
    pub async fn create_user(
        &self,
        id: UserId,
        new: &NewUser,
        password_hash: &str,
        session: &NewSession,
    ) -> Result<User, Error> {
        let mut tx = self.db.begin().await?;
        let row = sqlx::query(
            "INSERT INTO app_user (user_id, email, password_hash, first_name, last_name, plan, created_at) \
             VALUES ($1, $2, $3, $4, $5, 'basic', $6) RETURNING *",
        )
        .bind(id.to_string())
        .bind(new.email.as_str())
        .bind(password_hash)
        .bind(new.first_name.as_str())
        .bind(new.last_name.as_str())
        .bind(session.created_at.as_millisecond())
        .fetch_one(&mut *tx)
        .await?;
        session.insert(id, &mut tx).await?;
        tx.commit().await?;
        user_from_row(&row)
    }

    /// The user of this lower-case e-mail address.
    pub async fn find_user_by_email(&self, email: &str) -> Result<Option<StoredUser>, Error> {
        let row = sqlx::query("SELECT * FROM app_user WHERE email = $1")
            .bind(email)
            .fetch_optional(&self.db)
            .await?;
        row.map(|row| {
            Ok(StoredUser { user: user_from_row(&row)?, password_hash: row.try_get("password_hash")? })
        })
        .transpose()
    }

    /// Notes that the user accepted the terms; the first time counts.
    pub async fn accept_terms(&self, id: UserId, now: Timestamp) -> Result<User, Error> {
        let row = sqlx::query(
            "UPDATE app_user SET terms_accepted_at = COALESCE(terms_accepted_at, $2) WHERE user_id = $1 RETURNING *",
        )
        .bind(id.to_string())
        .bind(now.as_millisecond())
        .fetch_one(&self.db)
        .await?;
        user_from_row(&row)
    }

    /// Scans of this user that returned an answer.
    pub async fn scans_used(&self, id: UserId) -> Result<u32, Error> {
        let used: i64 = sqlx::query_scalar("SELECT scans_used FROM app_user WHERE user_id = $1")
            .bind(id.to_string())
            .fetch_one(&self.db)
            .await?;
        Ok(u32::try_from(used).unwrap_or(u32::MAX))
    }
}

pub(crate) fn user_from_row(row: &AnyRow) -> Result<User, Error> {
    let plan: String = row.try_get("plan")?;
    Ok(User {
        id: rows::parsed(row, "user_id")?,
        email: row.try_get("email")?,
        first_name: row.try_get("first_name")?,
        last_name: row.try_get("last_name")?,
        plan: Plan::from_name(&plan).ok_or(Error::Corrupt { column: "plan", reason: plan })?,
        created_at: rows::timestamp(row, "created_at")?,
        terms_accepted_at: rows::optional_timestamp(row, "terms_accepted_at")?,
    })
}
