use jiff::SignedDuration;
use partsight_domain::{
    EmailAddress, LinkPurpose, NewUser, Password, SessionId, SignInMethod, TERMS_VERSION, User, UserId,
    messages,
};
use partsight_store::{Error as StoreError, NewSession};
use uuid::Uuid;

use super::{Caller, SecretToken, SignedIn, mails};
use crate::accounts::Accounts;
use crate::{Error, Result};

impl Accounts {
    /// Creates an account, signs it in, and mails a link that verifies the address.
    ///
    /// # Errors
    /// [`Error::Conflict`] when an account with this e-mail exists; [`Error::Invalid`] for a password that is too
    /// easy to guess;
    /// [`Error::TooManyAttempts`].
    pub async fn sign_up(&self, new: NewUser, caller: &Caller) -> Result<SignedIn> {
        // First, so that a refused password does not count as an attempt.
        let password = new.password.clone().chosen_for(new.email.as_str())?;
        self.services.limits.take_mail(caller.address, self.clock.steady())?;
        // Trying which addresses have an account is limited like trying passwords.
        let attempt = self.services.limits.begin(new.email.as_str(), caller.address, self.clock.steady())?;
        let hash = self.passwords.hash(password, caller.network()).await?;
        let (token, session) = self.new_session(caller, SignInMethod::Password);
        let purpose = LinkPurpose::VerifyEmail;
        // Without the link the account is created all the same, and its owner asks for one later.
        let is_mailed = self.services.limits.take_link(&new.email, purpose, self.clock.steady()).is_ok();
        let mail = is_mailed.then(|| mails::verify_email(&new.email, &self.services.base_url));
        let id = UserId(Uuid::now_v7());
        let created = self.store.create_user(id, &new, &hash, &session, mail.as_slice()).await;
        let user = created.map_err(|error| {
            if is_mailed {
                // No mail is sent: signing up with an address must not keep its owner from the link.
                self.services.limits.give_back_link(&new.email, purpose);
            }
            match error {
                // The address is not looked up first: two concurrent sign-ups would both find it free.
                StoreError::Constraint(_) => {
                    Error::Conflict { field: "email", message: messages::EMAIL_IN_USE }
                }
                other => other.into(),
            }
        })?;
        attempt.succeeded();
        self.count_earlier_scans(&user).await;
        Ok(SignedIn { user, token })
    }

    /// Signs in with e-mail and password.
    ///
    /// # Errors
    /// [`Error::SignInFailed`], the same and after the same time for an unknown e-mail and a wrong password;
    /// [`Error::TooManyAttempts`].
    pub async fn sign_in(
        &self,
        email: &EmailAddress,
        password: Password,
        caller: &Caller,
    ) -> Result<SignedIn> {
        let check = self.services.limits.begin_check(email.as_str(), self.clock.steady())?;
        let attempt = self.services.limits.begin(email.as_str(), caller.address, self.clock.steady())?;
        let stored = self.store.find_user_by_email(email.as_str()).await?;
        let hash = stored.as_ref().and_then(|stored| stored.password_hash.clone());
        let verified = self.passwords.verify(password, hash.clone(), caller.network()).await?;
        // Checked only after the hashing, so that both errors take the same time.
        let (Some(stored), Some(hash), true) = (stored, hash, verified) else {
            return Err(Error::SignInFailed);
        };
        let (token, session) = self.new_session(caller, SignInMethod::Password);
        if !self.store.create_password_session(stored.user.id, &hash, &session).await? {
            return Err(Error::SignInFailed);
        }
        attempt.succeeded();
        check.succeeded();
        Ok(SignedIn { user: stored.user, token })
    }

    /// Ends a session. Ending one that does not exist is no error.
    pub async fn sign_out(&self, token: &SecretToken) -> Result<()> {
        Ok(self.store.delete_session(&token.sha256()).await?)
    }

    /// Records that the user accepted the current terms.
    pub async fn accept_terms(&self, user: &User) -> Result<User> {
        Ok(self.store.accept_terms(user.id, TERMS_VERSION, self.clock.now()).await?)
    }

    pub(super) fn new_session(&self, caller: &Caller, method: SignInMethod) -> (SecretToken, NewSession) {
        let token = SecretToken::generate();
        let created_at = self.clock.now();
        let session = NewSession {
            id: SessionId(Uuid::now_v7()),
            token_sha256: token.sha256(),
            created_at,
            expires_at: created_at + SignedDuration::from_hours(24 * i64::from(self.services.session_days)),
            browser: caller.browser.clone(),
            method,
        };
        (token, session)
    }
}
