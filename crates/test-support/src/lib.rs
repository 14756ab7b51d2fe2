//! What the tests of several crates share: outside services on this machine that speak the real protocols, and
//! databases of their own. For `[dev-dependencies]` alone.
//!
//! The services take their connections through a [`recorder`], which fails the test where something has left the
//! program that must not. What a machine may lack is asked for with [`is_missing`].

#![expect(
    missing_docs,
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    clippy::panic,
    reason = "only tests call it, and what goes wrong in it fails the test"
)]

pub mod fake_bucket;
pub mod fake_ebay;
pub mod fake_judge;
pub mod log_lines;
pub mod onnx_graph;
pub mod ordinary_user;
pub mod postgres;
pub mod process;
pub mod qdrant_server;
pub mod recorder;
pub mod smtp_server;

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

/// How long a test waits for what is to happen. Longer than anything takes on a machine that is busy with other work:
/// whoever waits in vain has failed, and whoever does not loses nothing.
pub const PATIENCE: Duration = Duration::from_mins(3);

/// An address of this machine that nobody else of this process listens at, so that its ports stay free from one
/// listener to the next.
pub(crate) fn own_address() -> Ipv4Addr {
    static COUNT: AtomicU16 = AtomicU16::new(1);
    // On Linux all of 127.0.0.0/8 is this machine.
    let [high, low] = COUNT.fetch_add(1, Ordering::SeqCst).to_be_bytes();
    Ipv4Addr::new(127, 1, high, low)
}

/// An address of this machine with a port at which nobody listens, and nobody of this process begins to.
pub fn free_address() -> SocketAddr {
    TcpListener::bind((own_address(), 0)).unwrap().local_addr().unwrap()
}

/// The CPU time that this thread has had, which other work on the machine does not make longer.
pub fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.try_into().unwrap()
}

/// Says that a test is skipped because this machine lacks something. Where `CI` is set, which is to test everything,
/// the test fails instead.
///
/// Photographs and original data that the repository does not hold may be absent there as well: tests of those only
/// print why they are skipped.
///
/// # Panics
/// Where `CI` is set.
#[track_caller]
pub fn is_missing(what: &str) {
    assert!(std::env::var_os("CI").is_none(), "CI must have what its tests need: {what}");
    eprintln!("skipped: {what}");
}
