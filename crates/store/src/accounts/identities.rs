use jiff::Timestamp;
use partsight_domain::{EmailAddress, PersonName, User, UserId};
use sqlx::AssertSqlSafe;

use super::mailed_links::mark_email_verified;
use super::sessions::NewSession;
use super::user_rows::{UserRow, fetch_user, select_users, user_from_row};
use super::users::{end_unverified_access, lock_company_of, lock_user};
use crate::transaction::retried;
use crate::{Error, Store};

/// An account at an external sign-in provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The provider's address.
    pub issuer: String,
    /// The account's permanent id there.
    pub subject: String,
}

/// A user whose identity a sign-in provider asserts.
#[derive(Debug, Clone)]
pub struct NewExternalUser {
    /// Verified by the provider.
    pub email: EmailAddress,
    /// May be empty.
    pub first_name: PersonName,
    /// May be empty.
    pub last_name: PersonName,
}

impl Store {
    /// The user who signs in with this identity.
    pub async fn find_user_by_identity(&self, identity: &Identity) -> Result<Option<User>, Error> {
        let sql = select_users(
            "JOIN identity ON identity.user_id = app_user.user_id \
             WHERE identity.issuer = $1 AND identity.subject = $2",
        );
        self.find(sql!(AssertSqlSafe(sql), [identity.issuer, identity.subject]), user_from_row).await
    }

    /// Adds a user without a password, with this identity and a first session, in one transaction.
    ///
    /// # Errors
    /// [`Error::Constraint`] when an account with this e-mail or identity exists.
    pub async fn create_external_user(
        &self,
        id: UserId,
        new: &NewExternalUser,
        identity: &Identity,
        session: &NewSession,
    ) -> Result<User, Error> {
        let mut tx = self.begin().await?;
        let row = UserRow {
            id,
            email: &new.email,
            password_hash: None,
            first_name: &new.first_name,
            last_name: &new.last_name,
            // The provider has verified the address.
            email_verified_at: Some(session.created_at),
            created_at: session.created_at,
        };
        row.insert(&mut tx).await?;
        insert(id, identity, session.created_at, &mut tx).await?;
        session.insert(id, &mut tx).await?;
        let user = fetch_user(id, &mut tx).await?;
        tx.commit().await?;
        Ok(user)
    }

    /// Links this identity to a user and opens a session, in one transaction.
    ///
    /// The provider has verified the address. If it was not verified before, somebody else may have created the
    /// account and wait for its owner. So the password, the other sessions, the API keys and the calendar address end
    /// here; other people leave a company of this user, and the user leaves a company of somebody else.
    ///
    /// # Errors
    /// [`Error::Constraint`] when the identity is linked to a user already.
    pub async fn link_identity(
        &self,
        user_id: UserId,
        identity: &Identity,
        session: &NewSession,
    ) -> Result<User, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            lock_company_of(user_id, &mut tx).await?;
            lock_user(user_id, &mut tx).await?;
            insert(user_id, identity, session.created_at, &mut tx).await?;
            // Both depend on whether the address was verified before, so they run before that is recorded.
            end_unverified_access(user_id, session.created_at, &mut tx).await?;
            for sql in [
                "DELETE FROM outgoing_mail WHERE link_purpose IS NOT NULL \
                     AND recipient = (SELECT email FROM app_user WHERE user_id = $1)",
                "DELETE FROM mailed_link WHERE user_id = $1",
                "UPDATE app_user SET password_hash = NULL WHERE user_id = $1 AND email_verified_at IS NULL",
            ] {
                sql!(sql, [user_id]).execute(&mut *tx).await?;
            }
            mark_email_verified(user_id, session.created_at, &mut tx).await?;
            // Last, because ending the sessions of an unverified account would end this one too.
            session.insert(user_id, &mut tx).await?;
            let user = fetch_user(user_id, &mut tx).await?;
            tx.commit().await?;
            Ok(user)
        })
        .await
    }

    /// The issuers of a user's linked identities.
    pub async fn list_identities(&self, user_id: UserId) -> Result<Vec<String>, Error> {
        let issuers =
            scalar!("SELECT issuer FROM identity WHERE user_id = $1 ORDER BY issuer, subject", [user_id])
                .fetch_all(&self.db)
                .await?;
        Ok(issuers)
    }
}

async fn insert(
    user_id: UserId,
    identity: &Identity,
    now: Timestamp,
    tx: &mut sqlx::AnyConnection,
) -> Result<(), Error> {
    let query = sql!(
        "INSERT INTO identity (issuer, subject, user_id, created_at) VALUES ($1, $2, $3, $4)",
        [identity.issuer, identity.subject, user_id, now]
    );
    query.execute(tx).await?;
    Ok(())
}
