use partsight_domain::{EmailAddress, InvalidInput, LinkPurpose, Password, User, messages};

use super::{Caller, SecretToken, mails};
use crate::{App, Result};

impl App {
    /// Mails the link that proves an address once more. Nothing happens for one that is proved.
    ///
    /// # Errors
    /// [`Error::TooManyAttempts`](crate::Error::TooManyAttempts).
    pub async fn resend_verification(&self, user: &User, caller: &Caller) -> Result<()> {
        self.accounts.limits.take_mail(caller.address, self.now())?;
        if user.email_verified_at.is_none() {
            self.send_verification(&EmailAddress::new(&user.email)?).await?;
        }
        Ok(())
    }

    /// Uses up a link that proves an address.
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) for a link that is not open any more.
    pub async fn verify_email(&self, token: &SecretToken, caller: &Caller) -> Result<()> {
        if self.store.verify_email(&token.sha256(), self.now()).await? {
            return Ok(());
        }
        // Counted, though nobody guesses 256 bits: it costs a query.
        self.accounts.limits.take_mail(caller.address, self.now())?;
        Err(InvalidInput::new("token", messages::LINK_NOT_VALID).into())
    }

    /// Mails a link for a new password to whoever has this address, if anybody has an account with it. The answer
    /// is the same and takes the same time for an unknown address.
    ///
    /// # Errors
    /// [`Error::TooManyAttempts`](crate::Error::TooManyAttempts).
    pub async fn forgot_password(&self, email: &EmailAddress, caller: &Caller) -> Result<()> {
        let now = self.now();
        self.accounts.limits.take_mail(caller.address, now)?;
        if !self.accounts.limits.may_mail(email, now) {
            return Ok(());
        }
        let token = SecretToken::generate();
        let purpose = LinkPurpose::ResetPassword;
        if self.store.create_mailed_link(email, purpose, &token.sha256(), now).await? {
            self.accounts.outbox.send(mails::reset_password(email, &self.accounts.base_url, &token));
        }
        Ok(())
    }

    /// Sets a new password with a mailed link, which is used up by it, and ends all sessions of the account.
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) for a link that is not open any more.
    pub async fn reset_password(&self, token: &SecretToken, new: Password, caller: &Caller) -> Result<()> {
        let token_sha256 = token.sha256();
        let invalid = || InvalidInput::new("token", messages::LINK_NOT_VALID);
        // Asked first, because hashing a password is work that nobody gets for a made-up link.
        if !self.store.is_mailed_link_open(&token_sha256, LinkPurpose::ResetPassword, self.now()).await? {
            // Counted, though nobody guesses 256 bits: it costs a query.
            self.accounts.limits.take_mail(caller.address, self.now())?;
            return Err(invalid().into());
        }
        let hash = self.passwords.hash(new).await?;
        let reset = self.store.reset_password(&token_sha256, &hash, self.now()).await?;
        let user_id = reset.ok_or_else(invalid)?;
        if let Some(stored) = self.store.find_user(user_id).await? {
            self.mail_password_changed(&stored.user.email);
        }
        Ok(())
    }

    pub(super) async fn send_verification(&self, email: &EmailAddress) -> Result<()> {
        if !self.accounts.limits.may_mail(email, self.now()) {
            return Ok(());
        }
        let token = SecretToken::generate();
        let purpose = LinkPurpose::VerifyEmail;
        if self.store.create_mailed_link(email, purpose, &token.sha256(), self.now()).await? {
            self.accounts.outbox.send(mails::verify_email(email, &self.accounts.base_url, &token));
        }
        Ok(())
    }
}
