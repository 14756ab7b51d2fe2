use jiff::Timestamp;
use partsight_domain::{EmailAddress, PersonName, User, UserId};
use sqlx::AssertSqlSafe;

use super::mailed_links::note_verified;
use super::sessions::NewSession;
use super::user_rows::{UserRow, fetch_user, select_users, user_from_row};
use super::users::{end_unproved_access, lock_company_of, lock_user};
use crate::transaction::retried;
use crate::{Error, Store};

/// An account at a sign-in provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The provider's address.
    pub issuer: String,
    /// The permanent name there.
    pub subject: String,
}

/// A user whom a sign-in provider vouches for.
#[derive(Debug, Clone)]
pub struct NewExternalUser {
    /// Proved to be theirs.
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

    /// Adds a user without a password, with this identity and a first session, all or nothing.
    ///
    /// # Errors
    /// [`Error::Constraint`] when the e-mail has an account or the identity has one.
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
            // The provider has proved whose the address is.
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

    /// Lets a user sign in with this identity from now on, and opens a session, all or nothing.
    ///
    /// The provider has proved whose the address is. Where that was not proved before, somebody else may have
    /// made the account and wait in it: its password ends here, with its sessions, API keys and calendar address,
    /// and nobody else stays in a company of theirs, nor they in one of somebody else.
    ///
    /// # Errors
    /// [`Error::Constraint`] when the identity belongs to a user.
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
            // Both ask whether the address was proved before, so they come before the proof is noted.
            end_unproved_access(user_id, session.created_at, &mut tx).await?;
            for sql in [
                "DELETE FROM mailed_link WHERE user_id = $1",
                "UPDATE app_user SET password_hash = NULL WHERE user_id = $1 AND email_verified_at IS NULL",
            ] {
                sql!(sql, [user_id]).execute(&mut *tx).await?;
            }
            note_verified(user_id, session.created_at, &mut tx).await?;
            // Last: what ends the sessions of an unproved account would end this one too.
            session.insert(user_id, &mut tx).await?;
            let user = fetch_user(user_id, &mut tx).await?;
            tx.commit().await?;
            Ok(user)
        })
        .await
    }

    /// The issuers at which a user has an account that signs in here.
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
