use partsight_domain::{EmailAddress, InvalidInput, LinkPurpose, Password, User, messages};

use super::{Caller, SecretToken, mails};
use crate::Result;
use crate::accounts::Accounts;

impl Accounts {
    /// Mails the link that verifies an address again. Does nothing for a verified one.
    ///
    /// # Errors
    /// [`Error::TooManyAttempts`](crate::Error::TooManyAttempts).
    pub async fn resend_verification(&self, user: &User, caller: &Caller) -> Result<()> {
        self.services.limits.take_mail(caller.address, self.clock.steady())?;
        if user.email_verified_at.is_none() {
            let email = EmailAddress::new(&user.email)?;
            self.services.limits.take_link(&email, LinkPurpose::VerifyEmail, self.clock.steady())?;
            let mail = mails::verify_email(&email, &self.services.base_url);
            self.store.queue_mail(Some(user.id), &mail, self.clock.now()).await?;
        }
        Ok(())
    }

    /// Consumes a link that verifies an address.
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) for an invalid link.
    pub async fn verify_email(&self, token: &SecretToken, caller: &Caller) -> Result<()> {
        // Counted only if the link is invalid: a valid one must not fail because many people share an IP address.
        if self.store.verify_email(&token.sha256(), self.clock.now()).await? {
            return Ok(());
        }
        // Counted because it costs a query, although nobody guesses 256 bits.
        self.services.limits.take_mail(caller.address, self.clock.steady())?;
        Err(InvalidInput::new("token", messages::LINK_NOT_VALID).into())
    }

    /// Mails a link for a new password to this address, if there is an account with it.
    ///
    /// Whether there is one is looked up when the mail is sent: until the response, every address gets a row, and
    /// the time does not tell who has an account.
    ///
    /// # Errors
    /// [`Error::TooManyAttempts`](crate::Error::TooManyAttempts).
    pub async fn forgot_password(&self, email: &EmailAddress, caller: &Caller) -> Result<()> {
        let now = self.clock.steady();
        self.services.limits.take_mail(caller.address, now)?;
        if self.services.limits.take_link(email, LinkPurpose::ResetPassword, now).is_ok() {
            let mail = mails::reset_password(email, &self.services.base_url);
            self.store.queue_mail(None, &mail, self.clock.now()).await?;
        }
        Ok(())
    }

    /// Sets a new password with a mailed link, which it consumes, and ends all sessions of the account. With
    /// `keys_end`, API keys and the calendar address end too.
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) for an invalid link, and for a password that is too easy to guess;
    /// the link stays valid then.
    pub async fn reset_password(
        &self,
        token: &SecretToken,
        new: Password,
        keys_end: bool,
        caller: &Caller,
    ) -> Result<()> {
        let token_sha256 = token.sha256();
        let invalid = || InvalidInput::new("token", messages::LINK_NOT_VALID);
        // Checked first, so that a made-up link does not cause the work of hashing a password.
        let purpose = LinkPurpose::ResetPassword;
        let Some(email) = self.store.find_email_of_link(&token_sha256, purpose, self.clock.now()).await?
        else {
            // Counted because it costs a query, although nobody guesses 256 bits.
            self.services.limits.take_mail(caller.address, self.clock.steady())?;
            return Err(invalid().into());
        };
        let hash = self.passwords.hash(new.chosen_for(&email)?, caller.network()).await?;
        // Two tabs may use one link at once: the second one finds it consumed after the hashing.
        let mails = [self.password_changed_mail(&email, keys_end)];
        let reset =
            self.store.reset_password(&token_sha256, &hash, keys_end, &mails, self.clock.now()).await?;
        reset.ok_or_else(invalid)?;
        Ok(())
    }
}
