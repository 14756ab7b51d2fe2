//! Mails against a real connection and a real folder.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "what fails outside a test function fails the test as well"
)]

mod outbox;
mod smtp_server;
