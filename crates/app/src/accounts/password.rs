use partsight_domain::{EmailAddress, InvalidInput, Password, messages};
use partsight_store::{NewMail, SessionRenewal};

use super::{Caller, CurrentSession, SecretToken, mails};
use crate::accounts::Accounts;
use crate::{Error, Result};

impl Accounts {
    /// Changes the user's password, ends all their sessions, and opens a new one for this browser. With `keys_end`,
    /// API keys and the calendar address end too.
    ///
    /// An account created by an external sign-in has no password; a recent sign-in replaces it.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a wrong `current` password and a new one that is too easy to guess,
    /// [`Error::FreshSignInNeeded`],
    /// [`Error::TooManyAttempts`], [`Error::NotSignedIn`] when the session has ended meanwhile.
    pub async fn change_password(
        &self,
        current: &CurrentSession,
        old: Option<Password>,
        new: Password,
        keys_end: bool,
        caller: &Caller,
    ) -> Result<SecretToken> {
        // Refused before the identity is confirmed, because a password that is not allowed is no attempt.
        let new = new.chosen_for(&current.user.email);
        let new = new.map_err(|error| InvalidInput { field: "newPassword", ..error })?;
        self.confirm_identity(current, old, "currentPassword", caller).await?;
        let hash = self.passwords.hash(new, caller.network()).await?;
        let (token, session) = self.new_session(caller, current.session.method);
        let mails = [self.password_changed_mail(&current.user.email, keys_end)];
        let (id, now) = (current.user.id, self.clock.now());
        let session = SessionRenewal { of_call: current.session.id, next: &session };
        self.store.change_password(id, &hash, Some(session), keys_end, &mails, now).await?;
        Ok(token)
    }

    /// Checks that the owner of the account is present, and not only their browser: by the password, or by an
    /// external sign-in in the last ten minutes.
    pub(crate) async fn confirm_identity(
        &self,
        current: &CurrentSession,
        password: Option<Password>,
        field: &'static str,
        caller: &Caller,
    ) -> Result<()> {
        let user = &current.user;
        // An account without a password has no other proof.
        if current.session.is_fresh_provider_sign_in(self.clock.now()) {
            return Ok(());
        }
        if !user.has_password {
            return Err(Error::FreshSignInNeeded);
        }
        let wrong = || InvalidInput::new(field, messages::CURRENT_PASSWORD_WRONG);
        let password = password.ok_or_else(wrong)?;
        // Counted like a sign-in: somebody at an open browser must not be able to guess the password without limit.
        let check = self.services.limits.begin_check(&user.email, self.clock.steady())?;
        let attempt = self.services.limits.begin(&user.email, caller.address, self.clock.steady())?;
        let stored = self.store.find_user(user.id).await?.ok_or(Error::NotSignedIn)?;
        if !self.passwords.verify(password, stored.password_hash, caller.network()).await? {
            return Err(wrong().into());
        }
        attempt.succeeded();
        check.succeeded();
        Ok(())
    }

    /// The mail that tells the owner of the account that its password has changed.
    pub(super) fn password_changed_mail(&self, email: &str, keys_end: bool) -> NewMail {
        let (to, parts) = (EmailAddress::kept(email.to_owned()), &self.services);
        mails::password_changed(&to, &parts.base_url, &parts.support_email, keys_end)
    }
}
