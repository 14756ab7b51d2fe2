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
/// After this share of the room for pictures, but at least after these bytes, an upload counts again, since others may
/// arrive at the same time. A count reads an entry for each picture: an upload of 50 GB counts some 80 times.
const RECOUNT_AFTER_SHARE: u64 = 16;
const RECOUNT_AFTER_BYTES: u64 = 16 * 1024 * 1024;
/// Most accounts whose counts are cached.
const MAX_ACCOUNTS: usize = 10_000;

impl Accounts {
    /// Refuses early what the store would refuse when it is saved, before work is spent on it. `tenant_id` may be the
    /// user's company.
    ///
    /// The store counts again in the transaction of the write, except for [`Quota::Scans`] and [`Quota::PictureBytes`],
    /// whose rows take too long to count for each write. Concurrent calls can exceed these by what they save at that
    /// moment: they protect the disk, and nobody pays for them.
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

    /// What an upload may add to the pictures of a tenant, which may be the user's company.
    pub(crate) async fn picture_room(&self, tenant_id: TenantId, plan: Plan) -> Result<PictureRoom> {
        let mut room = PictureRoom { tenant_id, plan, bytes_left: 0, recount_after: 0 };
        self.count_picture_room(&mut room).await?;
        Ok(room)
    }

    /// Takes `n_bytes` that were stored from the room of their upload.
    pub(crate) async fn use_picture_room(&self, room: &mut PictureRoom, n_bytes: u64) -> Result<()> {
        room.bytes_left = room.bytes_left.saturating_sub(n_bytes);
        room.recount_after = room.recount_after.saturating_sub(n_bytes);
        if room.recount_after > 0 { Ok(()) } else { self.count_picture_room(room).await }
    }

    async fn count_picture_room(&self, room: &mut PictureRoom) -> Result<()> {
        let n_kept = self.store.count_kept(room.tenant_id, Quota::PictureBytes).await?;
        room.bytes_left = Quota::PictureBytes.limit(room.plan).saturating_sub(n_kept);
        room.recount_after = RECOUNT_AFTER_BYTES.max(room.bytes_left / RECOUNT_AFTER_SHARE);
        Ok(())
    }

    /// Whether the account has room for one more scan by which its pictures need `n_bytes` more. The counts are read
    /// at most once an hour, so that scans do not wait for it; several servers on one database can each miss what the
    /// others saved in that hour.
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

/// What an upload may still add to the pictures of a tenant.
#[derive(Debug)]
pub(crate) struct PictureRoom {
    tenant_id: TenantId,
    plan: Plan,
    bytes_left: u64,
    /// Bytes until `bytes_left` is counted again.
    recount_after: u64,
}

impl PictureRoom {
    pub(crate) fn has(&self, n_bytes: u64) -> bool {
        n_bytes <= self.bytes_left
    }

    /// # Errors
    /// [`Error::QuotaReached`].
    pub(crate) fn check(&self, n_bytes: u64) -> Result<()> {
        let (quota, plan) = (Quota::PictureBytes, self.plan);
        if self.has(n_bytes) { Ok(()) } else { Err(Error::QuotaReached { quota, plan }) }
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
