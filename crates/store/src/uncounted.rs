//! Scans without an answer, to be counted together.

use std::collections::BTreeMap;
use std::mem;
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use partsight_domain::{ScanUsage, UserId};
use tokio::sync::Mutex as Turn;

/// Scans without an answer that are not yet counted in the database.
///
/// SQLite has one writer. If each of these scans waited for it, a few accounts that send broken photographs would keep
/// the answers of all others waiting to be saved.
#[derive(Debug, Default)]
pub(crate) struct Uncounted {
    scans: Mutex<BTreeMap<UserId, Vec<(ScanUsage, Timestamp)>>>,
    /// Of whoever counts all of them.
    pub(crate) turn: Turn<()>,
}

impl Uncounted {
    pub(crate) fn add(&self, user_id: UserId, scans: &[(ScanUsage, Timestamp)]) {
        let mut all = self.scans.lock().unwrap_or_else(PoisonError::into_inner);
        all.entry(user_id).or_default().extend(scans);
    }

    fn take(&self) -> BTreeMap<UserId, Vec<(ScanUsage, Timestamp)>> {
        mem::take(&mut self.scans.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Returns its scans unless they were counted: the request that counts them may be cancelled.
pub(crate) struct Counting<'u> {
    uncounted: &'u Uncounted,
    pub(crate) scans: BTreeMap<UserId, Vec<(ScanUsage, Timestamp)>>,
}

impl<'u> Counting<'u> {
    /// Takes all scans; the caller holds the turn.
    pub(crate) fn begin(uncounted: &'u Uncounted) -> Self {
        Self { uncounted, scans: uncounted.take() }
    }
}

impl Drop for Counting<'_> {
    fn drop(&mut self) {
        for (user_id, scans) in &self.scans {
            self.uncounted.add(*user_id, scans);
        }
    }
}
