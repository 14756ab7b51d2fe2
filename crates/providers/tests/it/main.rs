//! Mails, payments, the judge and suppliers against real connections, and a real folder.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "what fails outside a test function fails the test as well"
)]

mod ebay_peer;
mod judge;
mod judge_fill;
mod judge_peer;
mod localstripe;
mod outbox;
mod recorder;
mod smtp_server;
mod suppliers;
