//! Messages to support.

use std::collections::HashMap;
use std::time::Duration;

use jiff::SignedDuration;
use partsight_domain::{
    ContactMessage, ContactMessageId, EmailAddress, NewContactMessage, Plan, User, UserId,
};
use partsight_store::{NewMail, Store};
use uuid::Uuid;

use crate::accounts::network;
use crate::error::Entity;
use crate::limits::rate_limit::RateLimit;
use crate::plans::Plans;
use crate::{Caller, Error, Result};

/// Burst of messages from one address, and the interval until one more.
const AN_ADDRESS: u32 = 5;
const ADDRESS_INTERVAL: Duration = Duration::from_mins(10);
/// Burst of messages from all addresses, and the interval until one more: support has one mailbox.
const EVERYBODY: u32 = 100;
const EVERYBODY_INTERVAL: Duration = Duration::from_mins(1);

/// Rate limits of messages to support.
pub(crate) struct ContactLimits {
    by_address: RateLimit,
    of_everybody: RateLimit,
}

impl ContactLimits {
    /// Without limits if sign-in `attempts` have none.
    pub(crate) fn new(attempts: u32) -> Self {
        let burst = |messages| if attempts == 0 { 0 } else { messages };
        Self {
            by_address: RateLimit::new(burst(AN_ADDRESS), ADDRESS_INTERVAL),
            of_everybody: RateLimit::new(burst(EVERYBODY), EVERYBODY_INTERVAL),
        }
    }
}

/// A filled-in contact form.
#[derive(Debug, Clone)]
pub struct ContactForm {
    /// The message.
    pub message: NewContactMessage,
    /// Content of the honeypot field, which people never see.
    pub hidden_field: String,
    /// How long the form was open, if the page reports it.
    pub writing: Option<SignedDuration>,
}

impl Plans {
    /// Saves a message to support and mails it, with the writer as the reply address.
    ///
    /// A message that looks like spam is saved with a mark and not mailed; its sender is not told.
    ///
    /// # Errors
    /// [`Error::TooManyAttempts`].
    pub async fn contact_support(
        &self,
        user: Option<&User>,
        form: ContactForm,
        caller: &Caller,
    ) -> Result<()> {
        let now = self.clock.steady();
        let address = network(caller.address);
        self.contact_limits.by_address.take(&address, now)?;
        if let Err(error) = self.contact_limits.of_everybody.take("", now) {
            // It was refused, so it does not count for the address.
            self.contact_limits.by_address.give_back(&address);
            return Err(error);
        }
        let message = ContactMessage {
            id: ContactMessageId(Uuid::now_v7()),
            user_id: user.map(|user| user.id),
            trapped_by: form.message.trapped_by(&form.hidden_field, form.writing),
            details: form.message,
            created_at: self.clock.now(),
        };
        let mail = message.trapped_by.is_none().then(|| {
            let to = self.accounts.services.support_email.clone();
            mail(to, &message, user.map(|user| self.accounts.effective_plan(user)))
        });
        // Kept beside the mail: without a mail server the row is the only copy.
        Ok(self.store.save_contact_message(&message, mail.as_slice()).await?)
    }
}

/// The mail about a message. Its subject names the plan of a writer with priority or dedicated support.
fn mail(to: EmailAddress, message: &ContactMessage, plan: Option<Plan>) -> NewMail {
    let details = &message.details;
    let subject = details.subject.as_deref().unwrap_or("A question");
    let account = message.user_id.map_or_else(|| "none".to_owned(), |id| id.to_string());
    NewMail {
        to,
        subject: match plan {
            Some(plan) if turn(Some(plan)) < turn(None) => format!("[Partsight] [{}] {subject}", plan.name()),
            _ => format!("[Partsight] {subject}"),
        },
        text: format!(
            "From: {} <{}>\nAccount: {account}\nPlan: {}\nMessage: {}\n\n{}\n",
            details.name,
            details.email.as_str(),
            plan.map_or("none", Plan::name),
            message.id,
            details.message
        ),
        reply_to: Some(details.email.clone()),
        link: None,
    }
}

/// A message to support, with the current plan of its writer; no plan if nobody was signed in or the account was
/// deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupportMessage {
    /// What was written.
    pub message: ContactMessage,
    /// The plan.
    pub plan: Option<Plan>,
}

/// Priority of the messages from this plan; lower is earlier.
fn turn(plan: Option<Plan>) -> u8 {
    match plan {
        // Dedicated support.
        Some(Plan::Business) => 0,
        // Priority support.
        Some(Plan::Pro) => 1,
        Some(Plan::Basic) | None => 2,
    }
}

/// Messages to support for the server's operator, with or without mail.
#[derive(Debug, Clone)]
pub struct ContactAdmin {
    store: Store,
}

impl ContactAdmin {
    /// Reads the messages in `store`.
    pub fn new(store: Store) -> Self {
        Self { store }
    }

    /// The newest `limit` messages: first those of writers with dedicated support, then with priority support, then all
    /// others. Messages that look like spam are included only if requested.
    pub async fn list(&self, with_trapped: bool, limit: u32) -> Result<Vec<SupportMessage>> {
        let mut plans: HashMap<UserId, Option<Plan>> = HashMap::new();
        let mut messages = Vec::new();
        for message in self.store.list_contact_messages(with_trapped, limit).await? {
            let plan = match message.user_id {
                Some(id) => {
                    if let Some(plan) = plans.get(&id) {
                        *plan
                    } else {
                        let plan = self.store.find_user(id).await?.map(|found| found.user.subscribed_plan());
                        *plans.entry(id).or_insert(plan)
                    }
                }
                None => None,
            };
            messages.push(SupportMessage { message, plan });
        }
        // A stable sort: within one priority, the newest stay first.
        messages.sort_by_key(|message| turn(message.plan));
        Ok(messages)
    }

    /// One message.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn find(&self, id: ContactMessageId) -> Result<ContactMessage> {
        let found = self.store.find_contact_message(id).await?;
        found.ok_or(Error::NotFound { entity: Entity::ContactMessage })
    }
}
