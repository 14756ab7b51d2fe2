//! Integration tests of the vehicle facts.

#![expect(clippy::unwrap_used, reason = "what fails outside a test function fails the test as well")]

mod oil;
mod schedule;
mod epa;
mod format;
mod import;
mod reference;
mod sources;
mod vin;
