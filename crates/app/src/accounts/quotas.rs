//! Quotas: how much an account may store.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use partsight_domain::{Plan, Quota, TenantId, User};

use crate::accounts::Accounts;
use crate::{Error, Result};

/// How long a count of an account's scans and pictures is reused; what this server saves meanwhile is added to it.
const COUNT_HOLDS_FOR: Duration = Duration::from_hours(1);
/// A full account is counted again after this time, since it may have deleted something.
const RECOUNT_AFTER: Duration = Duration::from_secs(5);
/// Most accounts whose counts are cached.
const MAX_ACCOUNTS: usize = 10_000;

impl Accounts {
    /// Refuses early what the store would refuse when it is saved, before work is spent on it. `tenant_id` may be the
    /// user's company.
    ///
    /// The store counts again in the transaction of the write, except for [`Quota::PictureBytes`]: concurrent calls can
    /// exceed that one by what they save, since it protects the disk, and nobody pays for it.
    ///
    /// # Errors
    /// [`Error::QuotaReached`].
    pub(crate) async fn check_quota(
        &self,
        tenant_id: TenantId,
        plan: Plan,
        quota: Quota,
        n_more: u64,
    ) -> Result<()> {
        let n_kept = self.store.count_kept(tenant_id, quota).await?;
        if n_kept + n_more > quota.limit(plan) {
            return Err(Error::QuotaReached { quota, plan });
        }
        Ok(())
    }

    /// Whether `n_bytes` of pictures can be stored with one more scan. The counts are read at most once an hour, so
    /// that scans do not wait for it; several servers on one database can each miss what the others saved in that
    /// hour.
    ///
    /// # Errors
    /// [`Error::QuotaReached`] if the history is full. Without room for pictures the scan is still answered.
    pub(crate) async fn scan_room(&self, user: &User, n_bytes: u64) -> Result<bool> {
        let (tenant_id, plan) = (user.tenant_id, self.effective_plan(user));
        let (max_scans, max_bytes) = (Quota::Scans.limit(plan), Quota::PictureBytes.limit(plan));
        let fits = |kept: Kept| (kept.n_scans < max_scans, kept.n_bytes + n_bytes <= max_bytes);
        let now = self.clock.steady();
        let mut kept = match self.kept_scans.get(tenant_id) {
            Some(kept) if now.saturating_duration_since(kept.counted_at) < COUNT_HOLDS_FOR => kept,
            _ => self.count_scans(tenant_id).await?,
        };
        // A full account is counted again soon, since it may have deleted something.
        if fits(kept) != (true, true) && now.saturating_duration_since(kept.counted_at) >= RECOUNT_AFTER {
            kept = self.count_scans(tenant_id).await?;
        }
        let (has_scan_room, has_picture_room) = fits(kept);
        if !has_scan_room {
            return Err(Error::QuotaReached { quota: Quota::Scans, plan });
        }
        Ok(has_picture_room)
    }

    async fn count_scans(&self, tenant_id: TenantId) -> Result<Kept> {
        let counted_at = self.clock.steady();
        let n_scans = self.store.count_kept(tenant_id, Quota::Scans).await?;
        let n_bytes = self.store.count_kept(tenant_id, Quota::PictureBytes).await?;
        let kept = Kept { n_scans, n_bytes, counted_at };
        self.kept_scans.set(tenant_id, kept);
        Ok(kept)
    }
}

/// The counts of an account.
#[derive(Debug, Clone, Copy)]
struct Kept {
    n_scans: u64,
    n_bytes: u64,
    counted_at: Instant,
}

/// The last counts of accounts, including what was saved since.
#[derive(Debug, Default)]
pub(crate) struct KeptScans(Mutex<HashMap<TenantId, Kept>>);

impl KeptScans {
    fn get(&self, tenant_id: TenantId) -> Option<Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&tenant_id).copied()
    }

    fn set(&self, tenant_id: TenantId, kept: Kept) {
        let mut accounts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // All are dropped at once: tracking the oldest would cost more than a count, which is two queries.
        if accounts.len() >= MAX_ACCOUNTS && !accounts.contains_key(&tenant_id) {
            accounts.clear();
        }
        accounts.insert(tenant_id, kept);
    }

    /// Adds a scan that was saved.
    pub(crate) fn add(&self, tenant_id: TenantId, n_bytes: u64) {
        let mut accounts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Without a count there is nothing to add to; the first count will include this scan.
        if let Some(kept) = accounts.get_mut(&tenant_id) {
            kept.n_scans += 1;
            kept.n_bytes += n_bytes;
        }
    }
}
