//! Reminders that are sent: as events, mails and notifications (`push.rs`).
//!
//! Servers that share a database take turns: one of them checks the vehicles of an account, each reminder is sent once,
//! and a mail is claimed before it is sent. If a server dies between the claim and the mail, that mail is lost, and the
//! next one contains the same reminders: a late mail is better than two.

use std::convert::Infallible;
use std::time::Duration;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use partsight_domain::{
    Alert, DigestChoice, EmailAddress, NewEvent, PUSH_KEPT_FOR, ReminderDigest, TenantId, User, UserId,
};
use partsight_providers::{Error as ProviderError, Mail};
use tokio::time::sleep;
use uuid::Uuid;

use crate::garage::Garage;
use crate::garage::day::Day;
use crate::{Result, SecretToken, logged};

/// How often the vehicles of an account are checked.
const CHECK_EVERY: SignedDuration = SignedDuration::from_hours(4);
/// A sent reminder is forgotten after this time; if it is still due, it is sent again.
const NOTICE_KEPT_FOR: SignedDuration = SignedDuration::from_hours(24 * 400);
/// How often a server looks for work.
const LOOK_EVERY: Duration = Duration::from_mins(1);
/// When a mail that the mail server refused is sent again.
const MAIL_RETRY: SignedDuration = SignedDuration::from_mins(15);
/// Path of one-click unsubscription by mail programs, before the secret.
const UNSUBSCRIBE_PATH: &str = "/api/reminders/unsubscribe/";

/// A person's choice of mails, and whether they can arrive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DigestStatus {
    /// The mails that they chose, if any.
    pub digest: Option<ReminderDigest>,
    /// Whether this server has a mail server.
    pub sends_mails: bool,
    /// Whether their address is verified: others get no mails.
    pub is_verified: bool,
}

impl Garage {
    /// Checks vehicles for as long as the server runs.
    pub async fn run_reminders(&self) -> Infallible {
        until_nothing_is_left(async || self.check_reminders().await.map(|()| false)).await
    }

    /// Sends the mails about due maintenance for as long as the server runs; separate from
    /// [`run_reminders`](Self::run_reminders), which a slow mail server must not delay.
    pub async fn run_digests(&self) -> Infallible {
        until_nothing_is_left(async || self.send_next_digest().await).await
    }

    /// Checks the vehicles of each account that has to be checked, and sends reminders for newly due items.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn check_reminders(&self) -> Result<()> {
        let mut last = None;
        loop {
            let now = self.clock.now();
            let claimed = self.store.claim_reminder_check(last, now - CHECK_EVERY, now).await?;
            let Some((tenant_id, user_id)) = claimed else { return Ok(()) };
            self.remind(tenant_id, user_id, now).await?;
            last = Some(tenant_id);
        }
    }

    async fn remind(&self, tenant_id: TenantId, user_id: UserId, now: Timestamp) -> Result<()> {
        // The account may have been deleted in the meantime.
        if let Some(stored) = self.store.find_user(user_id).await? {
            let alerts = self.alerts_on(&stored.user, Day::of_utc(self.utc_today())).await?;
            let told: Vec<(String, NewEvent)> =
                alerts.iter().map(|alert| (alert.id.clone(), alert.event())).collect();
            // The store leaves out reminders that were sent before, in the transaction that records the new ones.
            if !told.is_empty() {
                let message = |new: &[usize]| self.push_message(new.iter().map(|&place| &alerts[place]));
                self.store.tell_reminders(tenant_id, &told, message, now).await?;
            }
        }
        Ok(())
    }

    /// The local day at the place where the mail is read, if it is seven in the morning there.
    fn day_of_mail(&self, choice: DigestChoice) -> Day {
        let hour = i64::from(choice.hour_utc);
        // From 13 hours ahead of UTC to ten behind it; hardly anybody lives further behind.
        let hours_ahead = if hour >= 18 { 31 - hour } else { 7 - hour };
        let now = self.clock.now() + SignedDuration::from_hours(hours_ahead);
        Day::of_reader(now.to_zoned(TimeZone::UTC).date())
    }

    /// Sends one mail that is due, or skips it if no maintenance is due; false if no mail is due, or this server has no
    /// mail server.
    ///
    /// # Errors
    /// Those of the store. A mail that cannot be sent is logged, and retried in a quarter of an hour.
    pub async fn send_next_digest(&self) -> Result<bool> {
        if !self.accounts.services.sends_mails {
            return Ok(false);
        }
        let now = self.clock.now();
        let Some(digest) = self.store.due_reminder_digest(now).await? else { return Ok(false) };
        // A server that stops waits for it: between the claim and the mail, the mail would be lost.
        let garage = self.clone();
        self.tasks.run(async move { garage.claim_and_send(&digest, now).await }).await
    }

    async fn claim_and_send(&self, digest: &ReminderDigest, now: Timestamp) -> Result<bool> {
        let next = digest.choice.next_after(now);
        // Another server has moved it, and sends the mail.
        if !self.store.move_reminder_digest(digest.user_id, digest.next_at, next).await? {
            return Ok(true);
        }
        let sent = self.send_digest(digest, next).await;
        if sent.is_err() {
            // A failure may be temporary, and the next regular mail may be a week away.
            self.store.move_reminder_digest(digest.user_id, next, now + MAIL_RETRY).await?;
        }
        sent.map(|()| true)
    }

    /// Sends the mail of a choice whose next turn is at `next`, or skips it if there is nothing to report.
    async fn send_digest(&self, digest: &ReminderDigest, next: Timestamp) -> Result<()> {
        let Some(stored) = self.store.find_user(digest.user_id).await? else { return Ok(()) };
        let user = stored.user;
        // An unverified address may be somebody else's.
        let (Some(_), Ok(address)) = (user.email_verified_at, EmailAddress::new(&user.email)) else {
            return Ok(());
        };
        let alerts = self.alerts_on(&user, self.day_of_mail(digest.choice)).await?;
        let ids: Vec<String> = alerts.iter().map(|alert| alert.id.clone()).collect();
        if digest.is_worth_it(&alerts) {
            let services = &self.accounts.services;
            let mail = digest_mail(&address, &services.base_url, digest, &alerts);
            match services.mailer.send(&mail, Uuid::now_v7()).await {
                Ok(()) => {}
                Err(ProviderError::Deliver(failure)) if failure.is_temporary() => {
                    tracing::warn!(%failure, "a mail of what is due did not leave; it is tried again");
                    // Only if the time is still the one set above: a time that the person chose meanwhile stays.
                    self.store
                        .move_reminder_digest(digest.user_id, next, self.clock.now() + MAIL_RETRY)
                        .await?;
                    return Ok(());
                }
                // Not retried: the mail server would refuse it again.
                Err(error) => {
                    tracing::error!(error = logged(&error), "a mail of what is due did not leave");
                    return Ok(());
                }
            }
        }
        // Also without a mail: a reminder that is no longer due must be forgotten, or it would not count as new when
        // it returns.
        if ids != digest.mailed
            && let Err(error) = self.store.note_reminders_mailed(digest.user_id, &ids).await
        {
            // The mail was sent, and must not be repeated in a quarter of an hour.
            tracing::warn!(
                error = logged(&error),
                "what a mail told could not be noted; the next one tells it again"
            );
        }
        Ok(())
    }

    /// What the user has chosen.
    pub async fn digest(&self, user: &User) -> Result<DigestStatus> {
        Ok(DigestStatus {
            digest: self.store.find_reminder_digest(user.id).await?,
            sends_mails: self.accounts.services.sends_mails,
            is_verified: user.email_verified_at.is_some(),
        })
    }

    /// Turns on mails about due maintenance for the user, or turns them off.
    pub async fn choose_digest(&self, user: &User, choice: Option<DigestChoice>) -> Result<DigestStatus> {
        match choice {
            Some(choice) => {
                let (next, token) = (choice.next_after(self.clock.now()), SecretToken::generate());
                // Stored unencrypted, unlike other secrets: each mail has to contain it, and it gives access to
                // nothing else.
                self.store.save_reminder_digest(user.id, choice, next, token.as_str()).await?;
            }
            None => {
                self.store.delete_reminder_digest(user.id).await?;
            }
        }
        self.digest(user).await
    }

    /// Unsubscribes the user with this secret. An unknown secret is no error: the link may have been used before.
    pub async fn unsubscribe_digest(&self, token: &SecretToken) -> Result<()> {
        self.store.unsubscribe_reminder_digest(token.as_str()).await?;
        Ok(())
    }

    /// Deletes old records of sent reminders, and notifications that could not be sent; returns how many.
    pub async fn purge_reminders(&self) -> Result<u64> {
        let now = self.clock.now();
        let n_notices = self.store.purge_reminder_notices(now - NOTICE_KEPT_FOR).await?;
        Ok(n_notices + self.store.purge_push_messages(now - PUSH_KEPT_FOR).await?)
    }
}

/// Runs `work` each minute, until it returns false.
async fn until_nothing_is_left(work: impl AsyncFn() -> Result<bool>) -> Infallible {
    loop {
        loop {
            match work().await {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    tracing::warn!(
                        error = logged(&error),
                        "reminders could not be told; they are when this works again"
                    );
                    break;
                }
            }
        }
        sleep(LOOK_EVERY).await;
    }
}

fn digest_mail(to: &EmailAddress, base_url: &str, digest: &ReminderDigest, alerts: &[Alert]) -> Mail {
    let lines = alerts.iter().fold(String::new(), |mut lines, alert| {
        lines.extend(["- ", &alert.message, "\n"]);
        lines
    });
    let what = if alerts.len() == 1 {
        "1 thing is due".to_owned()
    } else {
        format!("{} things are due", alerts.len())
    };
    let token = &digest.unsubscribe_token;
    Mail {
        to: to.clone(),
        subject: format!("{what} on your vehicles"),
        text: format!(
            "Hello,\n\n\
             this is due on your vehicles:\n\n\
             {lines}\n\
             See and log it here: {base_url}/vehicle\n\n\
             You get this mail because you chose {rhythm} mails on your account page.\n\
             To stop them, follow this link: {base_url}/unsubscribe#{token}\n",
            rhythm = digest.choice.rhythm
        ),
        reply_to: None,
        // Mail programs call this address themselves (RFC 8058), so the secret cannot be in the fragment as in the
        // link.
        unsubscribe_url: Some(format!("{base_url}{UNSUBSCRIBE_PATH}{token}")),
    }
}
