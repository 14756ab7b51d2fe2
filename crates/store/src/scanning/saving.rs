//! Saves scans and counts them against the allowance, in one transaction: several of one user together, because each
//! commit waits for the disk, however little it saves.

use partsight_domain::{Scan, ScanAllowance, ScanPhoto, ScanUsage, TenantId, UNLIMITED_SCANS, UserId};
use sqlx::{AnyConnection, AssertSqlSafe};

use super::feedback::{ScanFeatures, insert_features};
use super::idempotency::{IdempotentCall, answer_call};
use crate::accounts::count_usage;
use crate::many_rows::{repeated, runs};
use crate::nullable_float::NullableFloat;
use crate::transaction::retried;
use crate::{Error, Store, rows};

/// A scan to be saved, with its further rows.
#[derive(Debug, Clone, Copy)]
pub struct NewScan<'a> {
    /// The scan.
    pub scan: &'a Scan,
    /// The pictures to be stored with it.
    pub photos: &'a [ScanPhoto],
    /// The model outputs, if something can be learnt from them.
    pub features: Option<&'a ScanFeatures>,
    /// The number of scans that the user's plan allows, [`UNLIMITED_SCANS`] for no limit.
    pub limit: u32,
    /// Whether it counts against the user's own allowance.
    pub is_counted: bool,
    /// How it counts in the usage.
    pub usage: &'a ScanUsage,
    /// The client's idempotent call, if there is one: a photograph that waited in a browser is sent again if its
    /// answer was lost.
    pub call: Option<&'a IdempotentCall>,
}

impl Store {
    /// As [`Store::save_scans`], for one scan.
    ///
    /// # Errors
    /// Those of [`Store::save_scans`].
    pub async fn save_scan(
        &self,
        tenant_id: TenantId,
        user_id: UserId,
        new: &NewScan<'_>,
    ) -> Result<ScanAllowance, Error> {
        self.save_scans(tenant_id, user_id, std::slice::from_ref(new)).await
    }

    /// Saves answered scans of one user with their further rows, and counts them for the user, against the allowance
    /// and in the usage: all of them in one transaction, or none. Returns the user's allowance afterwards.
    ///
    /// A scan can be marked as not counted against the allowance; it is still refused if the allowance is used up. One
    /// statement checks and raises the count, so concurrent scans can never exceed the allowance. If a scan has a
    /// `call`, its id is saved as the answer in the same transaction, so that a repeated call is never saved or counted
    /// again.
    ///
    /// # Errors
    /// [`Error::LimitReached`] if the allowance is too small for all of them, [`Error::CallAnswered`] if one of the
    /// calls was answered meanwhile. After any error nothing is saved; each scan can still be saved by itself.
    pub async fn save_scans(
        &self,
        tenant_id: TenantId,
        user_id: UserId,
        new: &[NewScan<'_>],
    ) -> Result<ScanAllowance, Error> {
        let save = async || retried(|| self.try_to_save_scans(tenant_id, user_id, new)).await;
        match save().await {
            // On PostgreSQL the vehicle can be deleted between the look-up and the insertion.
            Err(Error::ReferenceMissing(_)) => match save().await {
                // Then the account was deleted, and its allowance with it.
                Err(Error::ReferenceMissing(_)) => Err(Error::LimitReached { limit: lowest_limit(new) }),
                result => result,
            },
            result => result,
        }
    }

    async fn try_to_save_scans(
        &self,
        tenant_id: TenantId,
        user_id: UserId,
        new: &[NewScan<'_>],
    ) -> Result<ScanAllowance, Error> {
        let mut tx = self.begin().await?;
        match save_calls_in(tenant_id, user_id, new, &mut tx).await {
            Ok(allowance) => {
                let events: Vec<_> =
                    new.iter().map(|new| (new.scan.answered(None), new.scan.scanned_at)).collect();
                // The events last: see `append_event`.
                self.append_events(tenant_id, &events, &mut tx).await?;
                tx.commit().await?;
                Ok(allowance)
            }
            // Expected answers, so the connection goes back to the pool; after any other error it is closed.
            Err(error @ (Error::LimitReached { .. } | Error::CallAnswered)) => {
                tx.rollback().await?;
                Err(error)
            }
            Err(error) => Err(error),
        }
    }
}

/// As [`Store::save_scans`], within a larger transaction, which must be rolled back after an error.
async fn save_calls_in(
    tenant_id: TenantId,
    user_id: UserId,
    new: &[NewScan<'_>],
    tx: &mut AnyConnection,
) -> Result<ScanAllowance, Error> {
    // First of all, so that a repeated call neither counts nor saves anything.
    for NewScan { scan, call, .. } in new {
        if let Some(call) = call
            && !answer_call(tenant_id, call, 200, &scan.id.to_string(), scan.scanned_at, &mut *tx).await?
        {
            return Err(Error::CallAnswered);
        }
    }
    save_scans_in(tenant_id, user_id, new, tx).await
}

/// Saves scans of one user with their further rows and counts them, within a larger transaction, which must be rolled
/// back after an error. Their `call` is ignored.
///
/// # Errors
/// [`Error::LimitReached`] if the allowance is too small for all of them.
pub(crate) async fn save_scans_in(
    tenant_id: TenantId,
    user_id: UserId,
    new: &[NewScan<'_>],
    tx: &mut AnyConnection,
) -> Result<ScanAllowance, Error> {
    check_allowance(user_id, tenant_id, new, &mut *tx).await?;
    // Before the account: the rows refer to the tenant, which a deletion of the account locks first.
    insert_scans(tenant_id, user_id, new, &mut *tx).await?;
    let allowance = count_scans(user_id, tenant_id, new, &mut *tx).await?;
    let scans: Vec<_> = new.iter().map(|new| (*new.usage, new.scan.scanned_at)).collect();
    count_usage(user_id, &scans, &mut *tx).await?;
    insert_photos(tenant_id, new, &mut *tx).await?;
    let seen: Vec<_> = new.iter().filter_map(|new| Some((new.scan.id, new.features?))).collect();
    insert_features(tenant_id, &seen, tx).await?;
    Ok(allowance)
}

/// Checks without a lock, so that nothing is written if the allowance is used up. [`count_scans`] decides.
async fn check_allowance(
    user_id: UserId,
    tenant_id: TenantId,
    new: &[NewScan<'_>],
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    let limit = lowest_limit(new);
    if limit == UNLIMITED_SCANS {
        return Ok(());
    }
    let query = scalar!(
        "SELECT scans_used FROM app_user WHERE user_id = $1 AND tenant_id = $2",
        [user_id, tenant_id]
    );
    let used: Option<i64> = query.fetch_optional(&mut *tx).await?;
    if used.is_some_and(|used| used >= i64::from(limit)) {
        return Err(Error::LimitReached { limit });
    }
    Ok(())
}

/// The lowest limit, in case the plan changed between two of them.
fn lowest_limit(new: &[NewScan<'_>]) -> u32 {
    new.iter().map(|new| new.limit).min().unwrap_or(UNLIMITED_SCANS)
}

/// Counts scans of one user against the allowance, if it is large enough for all of them.
async fn count_scans(
    user_id: UserId,
    tenant_id: TenantId,
    new: &[NewScan<'_>],
    tx: &mut AnyConnection,
) -> Result<ScanAllowance, Error> {
    let limit = lowest_limit(new);
    let n_used = new.iter().filter(|new| new.is_counted && new.scan.uses_allowance()).count();
    // Scans that are not counted also need at least one scan left.
    let n_needed = n_used.max(1);
    let query = scalar!(
        "UPDATE app_user SET scans_used = scans_used + $5 \
         WHERE user_id = $1 AND tenant_id = $4 AND ($2 = $3 OR scans_used + $6 <= $2) RETURNING scans_used",
        [user_id, limit, UNLIMITED_SCANS, tenant_id],
        [u32::try_from(n_used).unwrap_or(u32::MAX), u32::try_from(n_needed).unwrap_or(u32::MAX)]
    );
    // The row stays locked until the commit: two scans of one account are saved one after the other.
    let used: Option<i64> = query.fetch_optional(tx).await?;
    let used = used.ok_or(Error::LimitReached { limit })?;
    Ok(ScanAllowance { limit, used: u32::try_from(used).unwrap_or(u32::MAX) })
}

async fn insert_scans(
    tenant_id: TenantId,
    user_id: UserId,
    new: &[NewScan<'_>],
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    // A vehicle deleted while its photograph was being scanned must not lose the scan. Nor must a cleared history that is
    // still being erased: its newest scan may be later than this one by the clock of another server.
    const ROW: &str = "($1, $2, (SELECT vehicle_id FROM vehicle WHERE tenant_id = $16 AND vehicle_id = $3), \
                        $4, $5, $6, $7, $8, $9, $10, $11, $12, \
                        (SELECT COALESCE(MAX(CASE WHEN scanned_until >= $13 THEN scanned_until + 1 END), $13) \
                         FROM cleared_history WHERE tenant_id = $16), \
                        $14, $15, $16)";
    for run in runs(new) {
        let mut query = sqlx::query(AssertSqlSafe(format!(
            "INSERT INTO scan (scan_id, user_id, vehicle_id, vehicle_year, vehicle_make, vehicle_model, verdict, \
                               label, confidence, known_score, alternatives, receipt, scanned_at, \
                               category, category_confidence, tenant_id) \
             VALUES {}",
            repeated(ROW, 16, run.len(), 0)
        )));
        for NewScan { scan, .. } in run {
            query = with_values!(
                query,
                [scan.id, user_id, scan.vehicle_id],
                [scan.vehicle.as_ref().map(|vehicle| i64::from(vehicle.year.get()))],
                [scan.vehicle.as_ref().map(|vehicle| vehicle.make.as_str())],
                [scan.vehicle.as_ref().map(|vehicle| vehicle.model.as_str()), scan.verdict, scan.best.label],
                [NullableFloat(Some(f64::from(scan.best.confidence)))],
                [NullableFloat(Some(f64::from(scan.known_score)))],
                [
                    rows::to_json("alternatives", &scan.alternatives)?,
                    rows::to_json("receipt", &scan.receipt)?
                ],
                [scan.scanned_at, scan.category.map(|guess| guess.category)],
                [NullableFloat(scan.category.map(|guess| f64::from(guess.confidence))), tenant_id]
            );
        }
        query.execute(&mut *tx).await?;
    }
    Ok(())
}

async fn insert_photos(
    tenant_id: TenantId,
    new: &[NewScan<'_>],
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    let photos: Vec<(&Scan, &ScanPhoto)> =
        new.iter().flat_map(|new| new.photos.iter().map(|photo| (new.scan, photo))).collect();
    for run in runs(&photos) {
        let mut query = sqlx::query(AssertSqlSafe(format!(
            "INSERT INTO scan_photo (scan_id, tenant_id, size, media_type, bytes, created_at) VALUES {}",
            repeated("($1, $2, $3, $4, $5, $6)", 6, run.len(), 0)
        )));
        for (scan, photo) in run {
            query = with_values!(
                query,
                [scan.id, tenant_id, photo.size, photo.media_type, photo.bytes, scan.scanned_at]
            );
        }
        query.execute(&mut *tx).await?;
    }
    Ok(())
}
