//! The vector indexes from outside: one contract for both kinds, and what each adds.

#![expect(clippy::unwrap_used, reason = "what fails outside a test function fails the test as well")]

mod contract;
mod exact;
mod qdrant;
mod references;
