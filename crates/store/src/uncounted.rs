//! Scans without an answer, to be counted together.

use std::collections::BTreeMap;
use std::mem;
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use partsight_domain::{ScanUsage, UserId};
use tokio::sync::Mutex as Turn;

/// Scans of each user.
pub(crate) type UserScans = BTreeMap<UserId, Vec<(ScanUsage, Timestamp)>>;

/// Scans without an answer that are not yet counted in the database.
///
/// SQLite has one writer. If each of these scans waited for it, a few accounts that send broken photographs would keep
/// the answers of all others waiting to be saved.
#[derive(Debug, Default)]
pub(crate) struct Uncounted {
    scans: Mutex<UserScans>,
    /// Of whoever counts all of them.
    pub(crate) turn: Turn<()>,
}

impl Uncounted {
    pub(crate) fn add(&self, user_id: UserId, usage: ScanUsage, at: Timestamp) {
        let mut scans = self.scans.lock().unwrap_or_else(PoisonError::into_inner);
        scans.entry(user_id).or_default().push((usage, at));
    }

    /// All of them; the caller holds the turn, and counts them.
    pub(crate) fn take(&self) -> UserScans {
        mem::take(&mut self.scans.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
