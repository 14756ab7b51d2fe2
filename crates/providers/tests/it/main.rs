//! Mails, payments, the judge and suppliers against real connections, and a real folder.

#![expect(clippy::unwrap_used, reason = "what fails outside a test function fails the test as well")]

mod judge;
mod judge_fill;
mod localstripe;
mod mailer;
mod object_storage;
mod suppliers;
