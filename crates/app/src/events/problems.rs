//! The sentences about faults of webhooks.

use partsight_domain::messages;
use partsight_providers::{WebhookAddressFault, WebhookFailure};

/// The status by which a receiver ends its webhook, as Standard Webhooks has it.
pub(super) const GONE: u16 = 410;

/// Why a delivery failed, as a sentence for people.
pub(super) fn problem(failure: WebhookFailure) -> &'static str {
    match failure {
        WebhookFailure::Address(fault) => address_problem(fault),
        WebhookFailure::Redirect(_) => messages::WEBHOOK_REDIRECT,
        WebhookFailure::Status(GONE) => messages::WEBHOOK_GONE,
        WebhookFailure::Status(_) => messages::WEBHOOK_STATUS,
        WebhookFailure::TimedOut => messages::WEBHOOK_TIMED_OUT,
        WebhookFailure::NoConnection => messages::WEBHOOK_NO_CONNECTION,
        WebhookFailure::NoAnswer => messages::WEBHOOK_NO_ANSWER,
    }
}

/// What is wrong with an address, as a sentence for people.
pub(super) fn address_problem(fault: WebhookAddressFault) -> &'static str {
    match fault {
        WebhookAddressFault::Malformed => messages::WEBHOOK_URL,
        WebhookAddressFault::TooLong => messages::WEBHOOK_URL_TOO_LONG,
        WebhookAddressFault::NotEncrypted => messages::WEBHOOK_NOT_ENCRYPTED,
        WebhookAddressFault::Inside => messages::WEBHOOK_INSIDE,
    }
}
