//! Tests of the vector indexes through their public interface: one contract for both kinds, and the specifics of
//! each.

#![expect(clippy::unwrap_used, reason = "a panic outside a test function fails the test as well")]

mod contract;
mod exact;
mod qdrant;
mod references;
