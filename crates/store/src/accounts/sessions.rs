use jiff::Timestamp;
use partsight_domain::{Session, SessionId, SignInMethod, User, UserId};

use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Row};

use super::user_rows::{MEMBERSHIP_COLUMNS, MEMBERSHIP_JOINS, user_from_row};
use crate::transaction::retried;
use crate::{Error, Store, rows};

/// Sessions that a user may have. With one more, the one that was used least recently ends.
const MAX_SESSIONS: u32 = 100;

/// A session to insert.
#[derive(Debug, Clone)]
pub struct NewSession {
    /// Its id, which is no secret.
    pub id: SessionId,
    /// SHA-256 of the secret in the cookie, in hex.
    pub token_sha256: String,
    /// When it was opened.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Timestamp,
    /// Name of the browser, by which its owner recognises it; may be empty.
    pub browser: String,
    /// How the person signed in.
    pub method: SignInMethod,
}

/// The session of a request, with its user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenSession {
    /// Whose it is.
    pub user: User,
    /// The session.
    pub session: Session,
}

impl NewSession {
    pub(crate) async fn insert(&self, user_id: UserId, db: &mut AnyConnection) -> Result<(), Error> {
        let query = sql!(
            "INSERT INTO session (session_id, user_id, token_sha256, created_at, last_seen_at, expires_at, \
                                  browser, sign_in_method) \
             VALUES ($1, $2, $3, $4, $4, $5, $6, $7)",
            [self.id, user_id, self.token_sha256, self.created_at, self.expires_at, self.browser],
            [self.method]
        );
        query.execute(&mut *db).await?;
        let query = sql!(
            // The new one stays, also if the clock of the server that opened another one is ahead.
            "DELETE FROM session WHERE user_id = $1 AND session_id NOT IN \
                 (SELECT session_id FROM session WHERE user_id = $1 \
                  ORDER BY CASE WHEN session_id = $2 THEN 0 ELSE 1 END, last_seen_at DESC, session_id DESC LIMIT $3) \
             RETURNING session_id",
            [user_id, self.id, MAX_SESSIONS]
        );
        for ended in query.fetch_all(&mut *db).await? {
            let session_id: String = ended.try_get("session_id")?;
            let query = sql!(
                "DELETE FROM push_subscription WHERE user_id = $1 AND session_id = $2",
                [user_id, session_id]
            );
            query.execute(&mut *db).await?;
        }
        Ok(())
    }

    /// Expired rows are deleted wherever new ones are inserted; nothing else deletes them.
    async fn insert_and_clear(&self, user_id: UserId, db: &mut AnyConnection) -> Result<(), Error> {
        self.insert(user_id, db).await?;
        sql!("DELETE FROM session WHERE expires_at <= $1", [self.created_at]).execute(db).await?;
        Ok(())
    }
}

impl Store {
    /// Inserts a session of `user_id`, and deletes expired ones.
    pub async fn create_session(&self, user_id: UserId, new: &NewSession) -> Result<(), Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            new.insert_and_clear(user_id, &mut tx).await?;
            tx.commit().await?;
            Ok(())
        })
        .await
    }

    /// As [`create_session`](Self::create_session), if the user's password still has the hash that was checked; else
    /// returns false and inserts nothing.
    pub async fn create_password_session(
        &self,
        user_id: UserId,
        password_hash: &str,
        new: &NewSession,
    ) -> Result<bool, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            // Meanwhile the owner may have changed the password to lock somebody out. The update waits for that
            // change; a later change waits for this session, and then ends it.
            let query = sql!(
                "UPDATE app_user SET created_at = created_at WHERE user_id = $1 AND password_hash = $2",
                [user_id, password_hash]
            );
            if query.execute(&mut *tx).await?.rows_affected() == 0 {
                tx.rollback().await?;
                return Ok(false);
            }
            new.insert_and_clear(user_id, &mut tx).await?;
            tx.commit().await?;
            Ok(true)
        })
        .await
    }

    /// The session with this secret and its user, unless it has expired at `now` or was last used at or before
    /// `idle_since`.
    pub async fn find_session(
        &self,
        token_sha256: &str,
        now: Timestamp,
        idle_since: Timestamp,
    ) -> Result<Option<OpenSession>, Error> {
        let query = sql!(
            AssertSqlSafe(format!(
                "SELECT app_user.*, {MEMBERSHIP_COLUMNS}, session.session_id, session.created_at AS opened_at, \
                    session.last_seen_at, session.expires_at, session.browser, session.sign_in_method \
             FROM session JOIN app_user ON app_user.user_id = session.user_id {MEMBERSHIP_JOINS} \
             WHERE session.token_sha256 = $1 AND session.expires_at > $2 AND session.last_seen_at > $3",
            )),
            [token_sha256, now, idle_since]
        );
        self.find(query, |row| Ok(OpenSession { user: user_from_row(row)?, session: session_from_row(row)? }))
            .await
    }

    /// Notes that a session was used at `now`.
    pub async fn touch_session(&self, user_id: UserId, id: SessionId, now: Timestamp) -> Result<(), Error> {
        let query = sql!(
            "UPDATE session SET last_seen_at = $3 WHERE user_id = $1 AND session_id = $2",
            [user_id, id, now]
        );
        self.write(query).await?;
        Ok(())
    }

    /// The valid sessions of `user_id`, the last used first.
    pub async fn list_sessions(
        &self,
        user_id: UserId,
        now: Timestamp,
        idle_since: Timestamp,
    ) -> Result<Vec<Session>, Error> {
        let query = sql!(
            "SELECT session_id, created_at AS opened_at, last_seen_at, expires_at, browser, sign_in_method \
             FROM session WHERE user_id = $1 AND expires_at > $2 AND last_seen_at > $3 \
             ORDER BY last_seen_at DESC, session_id DESC",
            [user_id, now, idle_since]
        );
        self.list(query, session_from_row).await
    }

    /// Deletes the session with this secret, if there is one, and the push subscription of its browser.
    pub async fn delete_session(&self, token_sha256: &str) -> Result<(), Error> {
        let mut tx = self.begin().await?;
        let ended: Option<String> =
            scalar!("DELETE FROM session WHERE token_sha256 = $1 RETURNING session_id", [token_sha256])
                .fetch_optional(&mut *tx)
                .await?;
        if let Some(session_id) = ended {
            sql!("DELETE FROM push_subscription WHERE session_id = $1", [session_id])
                .execute(&mut *tx)
                .await?;
        }
        tx.commit().await?;
        Ok(())
    }

    /// Deletes a session of `user_id` by its id, and the push subscription of its browser; returns whether there was
    /// one.
    pub async fn delete_session_of(&self, user_id: UserId, id: SessionId) -> Result<bool, Error> {
        let mut tx = self.begin().await?;
        let query = sql!("DELETE FROM session WHERE user_id = $1 AND session_id = $2", [user_id, id]);
        let n_ended = query.execute(&mut *tx).await?.rows_affected();
        let query =
            sql!("DELETE FROM push_subscription WHERE user_id = $1 AND session_id = $2", [user_id, id]);
        query.execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(n_ended > 0)
    }

    /// Deletes all sessions of `user_id`, and the push subscriptions of all their browsers.
    pub async fn delete_sessions(&self, user_id: UserId) -> Result<(), Error> {
        let mut tx = self.begin().await?;
        end_sessions(user_id, &mut tx).await?;
        tx.commit().await?;
        Ok(())
    }
}

/// Locks the session of a call until the transaction ends, and checks that it is still there.
///
/// To be called before a row is inserted that lives longer than the session: whoever ends the session deletes its row
/// first, and so waits for this transaction, and finds what it inserted.
///
/// # Errors
/// [`Error::SessionEnded`].
pub(crate) async fn lock_session(
    user_id: UserId,
    id: SessionId,
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    let query = sql!(
        "UPDATE session SET created_at = created_at WHERE user_id = $1 AND session_id = $2",
        [user_id, id]
    );
    let held = query.execute(tx).await?.rows_affected();
    if held == 0 { Err(Error::SessionEnded) } else { Ok(()) }
}

/// Deletes all sessions of a user, and the push subscriptions of all their browsers, those of expired sessions
/// included.
pub(super) async fn end_sessions(user_id: UserId, tx: &mut AnyConnection) -> Result<(), Error> {
    for sql in ["DELETE FROM session WHERE user_id = $1", "DELETE FROM push_subscription WHERE user_id = $1"]
    {
        sql!(sql, [user_id]).execute(&mut *tx).await?;
    }
    Ok(())
}

fn session_from_row(row: &AnyRow) -> Result<Session, Error> {
    Ok(Session {
        id: rows::parsed(row, "session_id")?,
        created_at: rows::timestamp(row, "opened_at")?,
        last_seen_at: rows::timestamp(row, "last_seen_at")?,
        expires_at: rows::timestamp(row, "expires_at")?,
        browser: row.try_get("browser")?,
        method: rows::parsed(row, "sign_in_method")?,
    })
}
