use std::fmt;

use jiff::SignedDuration;
use partsight_domain::{EmailAddress, NewUser, Password, SessionId, User, UserId, messages};
use partsight_store::{Error as StoreError, NewSession};
use rand::RngCore;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::{App, Error, Result};

const TOKEN_BYTES: usize = 32;

/// The secret in a session cookie: 32 random bytes in hex. Its `Debug` output does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct SessionToken(String);

impl SessionToken {
    /// Takes over the text of a cookie, whatever it is.
    pub fn from_cookie(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text for the cookie.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn generate() -> Self {
        let mut bytes = [0_u8; TOKEN_BYTES];
        rand::rng().fill_bytes(&mut bytes);
        Self(hex(&bytes))
    }

    /// What the database keeps instead of the secret. One plain SHA-256 is enough for 256 random bits.
    fn sha256(&self) -> String {
        hex(&Sha256::digest(self.0.as_bytes()))
    }
}

impl fmt::Debug for SessionToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionToken(..)")
    }
}

fn hex(bytes: &[u8]) -> String {
    use fmt::Write as _;
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A user who has just signed in, with the secret for their cookie.
#[derive(Debug, Clone)]
pub struct SignedIn {
    /// Who.
    pub user: User,
    /// For the cookie.
    pub token: SessionToken,
}

impl App {
    /// Makes an account and signs it in.
    ///
    /// # Errors
    /// [`Error::Conflict`] when the e-mail has an account.
    pub async fn sign_up(&self, new: NewUser) -> Result<SignedIn> {
        let hash = self.passwords.hash(new.password.clone()).await?;
        let (token, session) = self.new_session();
        let created = self.store.create_user(UserId(Uuid::now_v7()), &new, &hash, &session).await;
        let user = created.map_err(|error| match error {
            StoreError::Constraint { .. } => {
                Error::Conflict { field: "email", message: messages::EMAIL_IN_USE }
            }
            other => other.into(),
        })?;
        Ok(SignedIn { user, token })
    }

    /// Signs in with e-mail and password.
    ///
    /// # Errors
    /// [`Error::SignInFailed`], the same and after the same time for an unknown e-mail and a wrong password.
    pub async fn sign_in(&self, email: &EmailAddress, password: Password) -> Result<SignedIn> {
        let stored = self.store.find_user_by_email(email.as_str()).await?;
        let hash = stored.as_ref().map(|stored| stored.password_hash.clone());
        let verified = self.passwords.verify(password, hash).await?;
        match stored {
            Some(stored) if verified => {
                let (token, session) = self.new_session();
                self.store.create_session(stored.user.id, &session).await?;
                Ok(SignedIn { user: stored.user, token })
            }
            _ => Err(Error::SignInFailed),
        }
    }

    /// The user behind a session cookie.
    ///
    /// # Errors
    /// [`Error::NotSignedIn`] for an unknown or expired one.
    pub async fn session_user(&self, token: &SessionToken) -> Result<User> {
        self.store.find_session_user(&token.sha256(), self.now()).await?.ok_or(Error::NotSignedIn)
    }

    /// Ends a session. Ending one that does not exist is no error.
    pub async fn sign_out(&self, token: &SessionToken) -> Result<()> {
        Ok(self.store.delete_session(&token.sha256()).await?)
    }

    /// Notes that the user accepted the terms.
    pub async fn accept_terms(&self, user: &User) -> Result<User> {
        Ok(self.store.accept_terms(user.id, self.now()).await?)
    }

    fn new_session(&self) -> (SessionToken, NewSession) {
        let token = SessionToken::generate();
        let created_at = self.now();
        let session = NewSession {
            id: SessionId(Uuid::now_v7()),
            token_sha256: token.sha256(),
            created_at,
            expires_at: created_at + SignedDuration::from_hours(24 * i64::from(self.session_days)),
        };
        (token, session)
    }
}
