//! Integration tests of the vehicle facts.

#![expect(clippy::unwrap_used, reason = "what fails outside a test function fails the test as well")]

mod epa;
mod format;
mod import;
mod oil;
mod reference;
mod schedule;
mod sources;
mod vin;
mod vin_patterns;
