//! Sends the mails that wait in the database (with `send_loop.rs`).
//!
//! A mail is queued in the transaction of what it tells of, so that none is lost if the server dies. The secret of a
//! link is made when the mail is sent, since the database must not hold it; so each attempt has another one.

use std::convert::Infallible;
use std::time::Duration;

use jiff::SignedDuration;
use partsight_domain::next_try;
use partsight_providers::{Error as ProviderError, Mail};
use partsight_store::ClaimedMail;
use uuid::Uuid;

use crate::accounts::{Accounts, SecretToken};
use crate::send_loop::SendLoop;
use crate::{Result, logged};

/// Stands in a queued mail where the secret of its link belongs: a control character (SUBSTITUTE), which no name or
/// message of a user contains.
pub(crate) const SECRET: char = '\u{1a}';
/// Length of a lease: longer than a delivery, which takes a minute at most. After it another server sends.
const LEASE: SignedDuration = SignedDuration::from_mins(2);
const SEND_LOOP: SendLoop = SendLoop {
    // Each is a connection to the mail server, which limits them.
    places: 8,
    idle: Duration::from_secs(1),
    unclaimed: "the next mail could not be claimed",
    unsaved: "what came of a mail could not be saved; it is sent again",
};

impl Accounts {
    /// Sends mails for as long as the server runs.
    pub async fn run_mails(&self) -> Infallible {
        let send = |mail: ClaimedMail| {
            let accounts = self.clone();
            async move { accounts.send_mail(&mail).await }
        };
        SEND_LOOP.run(&self.tasks, || self.claim_mail(), send).await
    }

    /// Sends one mail; false if none is due. For tests.
    ///
    /// # Errors
    /// Those of the store. What the mail server says decides what becomes of the mail.
    pub async fn send_next_mail(&self) -> Result<bool> {
        let Some(mail) = self.claim_mail().await? else { return Ok(false) };
        self.send_mail(&mail).await?;
        Ok(true)
    }

    async fn claim_mail(&self) -> Result<Option<ClaimedMail>> {
        let now = self.clock.now();
        // Checked without a write transaction first: every idle server asks every second.
        if !self.store.has_mail_work(now).await? {
            return Ok(None);
        }
        Ok(self.store.claim_mail(self.worker, now, now + LEASE).await?)
    }

    async fn send_mail(&self, claimed: &ClaimedMail) -> Result<()> {
        let (queued, lease) = (&claimed.mail, &claimed.lease);
        let (id, text) = match queued.link {
            // Always the same id, so that a receiver can recognise a duplicate.
            None => (lease.mail_id, queued.text.clone()),
            Some(link) => {
                let token = SecretToken::generate();
                if !self.store.open_mail_link(claimed, link, &token.sha256(), self.clock.now()).await? {
                    // No account has this address, or the invitation was withdrawn.
                    self.store.finish_mail(lease).await?;
                    return Ok(());
                }
                (Uuid::now_v7(), queued.text.replace(SECRET, token.as_str()))
            }
        };
        let mail = Mail {
            to: queued.to.clone(),
            subject: queued.subject.clone(),
            text,
            reply_to: queued.reply_to.clone(),
            unsubscribe_url: None,
        };
        let Err(error) = self.services.mailer.send(&mail, id).await else {
            self.store.finish_mail(lease).await?;
            return Ok(());
        };
        // Read again, because the mail server may have taken a minute.
        let again = may_work_later(&error).then(|| next_try(claimed.attempts, self.clock.now())).flatten();
        if let Some(at) = again {
            if claimed.attempts == 1 {
                tracing::warn!(error = logged(&error), "a mail has not left yet, and is tried again");
            }
            self.store.postpone_mail(lease, at).await?;
        } else {
            tracing::error!(error = logged(&error), "a mail did not leave");
            self.store.finish_mail(lease).await?;
        }
        Ok(())
    }

    /// Releases the mails in progress, for another server or the next start.
    pub(crate) async fn give_back_mails(&self) {
        if let Err(error) = self.store.release_mail_leases(self.worker).await {
            tracing::warn!(%error, "the mails under way could not be given back");
        }
    }
}

fn may_work_later(error: &ProviderError) -> bool {
    match error {
        ProviderError::Deliver(failure) => failure.is_temporary(),
        // Such as a full disk.
        ProviderError::WriteMail { .. } => true,
        _ => false,
    }
}
