//! Texts of mails about subscriptions.

use jiff::Timestamp;
use partsight_domain::{CancellationRequestId, EmailAddress, Subscription, User};
use partsight_store::NewMail;

/// Tells support who asks to cancel, and the command that approves it.
pub(super) fn cancellation_wanted(
    to: &EmailAddress,
    user: &User,
    request: CancellationRequestId,
    subscription: &Subscription,
) -> NewMail {
    mail(
        to,
        "A subscription is to be cancelled",
        format!(
            "{email} asks for the end of their subscription.\n\n\
             Plan: {plan}, by the {interval}\n\
             Paid until: {end}\n\
             Subscription: {subscription}\n\
             User: {user}\n\n\
             Please see to it within 24 hours:\n\n\
             partsight admin cancellations approve {request}\n",
            email = user.email,
            plan = subscription.plan.name(),
            interval = subscription.interval.as_str(),
            end = day(subscription.current_period_end),
            subscription = subscription.provider_id,
            user = user.id,
        ),
    )
}

/// Tells the customer that their request was received.
pub(super) fn cancellation_received(
    to: &EmailAddress,
    subscription: &Subscription,
    support: &EmailAddress,
) -> NewMail {
    mail(
        to,
        "We have received your cancellation request",
        format!(
            "Hello,\n\n\
             we have received your request to cancel your {plan} plan and will see to it within 24 hours.\n\
             You keep the plan until the end of the billing period, {end}. We will confirm by another mail.\n\n\
             If you did not ask for this, please write to {support}.\n",
            plan = subscription.plan.name(),
            end = day(subscription.current_period_end),
            support = support.as_str(),
        ),
    )
}

/// Tells support that a request was withdrawn.
pub(super) fn cancellation_withdrawn(
    to: &EmailAddress,
    user: &User,
    request: CancellationRequestId,
) -> NewMail {
    mail(
        to,
        "A cancellation request is taken back",
        format!(
            "{email} takes the request to cancel their subscription back.\n\n\
             User: {user}\n\
             Request: {request}\n\n\
             There is nothing left to do.\n",
            email = user.email,
            user = user.id,
        ),
    )
}

/// Tells the customer that the subscription is cancelled, with a link to the page that reactivates it if the public
/// address is known.
pub(super) fn cancellation_approved(
    to: &EmailAddress,
    subscription: &Subscription,
    public_url: Option<&str>,
) -> NewMail {
    let place = match public_url {
        Some(url) => format!(":\n\n{url}/manage-subscription"),
        None => " on the page Manage Subscription.".to_owned(),
    };
    mail(
        to,
        "Your subscription is cancelled",
        format!(
            "Hello,\n\n\
             your {plan} plan is cancelled and will not be renewed. You keep it until {end}.\n\n\
             If you change your mind before then, you can reactivate it{place}\n",
            plan = subscription.plan.name(),
            end = day(subscription.current_period_end),
        ),
    )
}

/// A date such as `November 29, 2026`.
fn day(moment: Timestamp) -> String {
    moment.strftime("%B %-d, %Y").to_string()
}

fn mail(to: &EmailAddress, subject: &str, text: String) -> NewMail {
    NewMail { to: to.clone(), subject: subject.to_owned(), text, reply_to: None, link: None }
}
