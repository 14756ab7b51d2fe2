use partsight_domain::{EmailAddress, InvalidInput, Password, messages};

use super::{Caller, CurrentSession, SecretToken, mails};
use crate::accounts::Accounts;
use crate::{Error, Result};

impl Accounts {
    /// Gives the user another password, ends all their sessions, and opens a new one for this browser.
    ///
    /// An account made by a sign-in provider has no password; a fresh sign-in stands in for it.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a wrong `current` password and a new one that is too easy to guess,
    /// [`Error::FreshSignInNeeded`],
    /// [`Error::TooManyAttempts`].
    pub async fn change_password(
        &self,
        current: &CurrentSession,
        old: Option<Password>,
        new: Password,
        caller: &Caller,
    ) -> Result<SecretToken> {
        // Refused before the identity is confirmed, because a password that may not be chosen is no attempt.
        let new = new.chosen_for(&current.user.email);
        let new = new.map_err(|error| InvalidInput { field: "newPassword", ..error })?;
        self.confirm_identity(current, old, "currentPassword", caller).await?;
        let hash = self.passwords.hash(new).await?;
        let (token, session) = self.new_session(caller, current.session.method);
        self.store.change_password(current.user.id, &hash, Some(&session)).await?;
        self.mail_password_changed(&current.user.email);
        Ok(token)
    }

    /// Makes sure that the owner of the account is there, and not only their browser: by the password, or by a
    /// sign-in with the provider in the last ten minutes.
    pub(crate) async fn confirm_identity(
        &self,
        current: &CurrentSession,
        password: Option<Password>,
        field: &'static str,
        caller: &Caller,
    ) -> Result<()> {
        let user = &current.user;
        // An account without a password has nothing else to prove itself with.
        if current.session.is_fresh_provider_sign_in(self.clock.now()) {
            return Ok(());
        }
        if !user.has_password {
            return Err(Error::FreshSignInNeeded);
        }
        let wrong = || InvalidInput::new(field, messages::CURRENT_PASSWORD_WRONG);
        let password = password.ok_or_else(wrong)?;
        // Counted like a sign-in: whoever finds a browser open must not guess the password in it without
        // limit.
        let attempt = self.services.limits.begin(&user.email, caller.address, self.clock.steady())?;
        let stored = self.store.find_user(user.id).await?.ok_or(Error::NotSignedIn)?;
        if !self.passwords.verify(password, stored.password_hash).await? {
            return Err(wrong().into());
        }
        attempt.succeeded();
        Ok(())
    }

    /// Tells the owner of the account that its password is another one.
    pub(super) fn mail_password_changed(&self, email: &str) {
        let parts = &self.services;
        parts.mail(email, |to: &EmailAddress| {
            mails::password_changed(to, &parts.base_url, &parts.support_email)
        });
    }
}
