//! Mails, payments and the judge against real connections, and a real folder.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "what fails outside a test function fails the test as well"
)]

mod judge;
mod judge_peer;
mod localstripe;
mod outbox;
mod smtp_server;
