use jiff::Timestamp;
use partsight_domain::{
    Candidate, Category, CategoryGuess, EventKind, PartLabel, PhotoSize, Scan, ScanAllowance, ScanId,
    ScanPhoto, ScanPosition, ScanUsage, TenantId, UNLIMITED_SCANS, UserId, VehicleId, VehicleName, Verdict,
};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Row};

use super::feedback::feedback_from_row;
use super::idempotency::{IdempotentCall, answer_call};
use crate::accounts::count_usage;
use crate::events::append_event;
use crate::filter::Filter;
use crate::garage::name_from_parts;
use crate::many_rows::{repeated, runs};
use crate::nullable_float::NullableFloat;
use crate::transaction::retried;
use crate::{Error, Store, rows};

/// A scan with whether it has a small picture, and what was said of it.
const SELECT: &str = "SELECT scan.*, (SELECT COUNT(*) FROM scan_photo \
                                      WHERE scan_photo.scan_id = scan.scan_id AND size = 'thumbnail') \
                                     AS n_thumbnails, \
     (SELECT kind FROM scan_feedback WHERE scan_feedback.scan_id = scan.scan_id) AS feedback_kind, \
     (SELECT scan_feedback.label FROM scan_feedback WHERE scan_feedback.scan_id = scan.scan_id) AS feedback_label, \
     (SELECT part_reference_id FROM scan_feedback WHERE scan_feedback.scan_id = scan.scan_id) AS feedback_reference, \
     (SELECT changed_at FROM scan_feedback WHERE scan_feedback.scan_id = scan.scan_id) AS feedback_changed_at \
     FROM scan";
/// The newest first.
const ORDER: &str = "ORDER BY scanned_at DESC, scan_id DESC";
/// The vehicle of a scan as people write it.
const VEHICLE: &str = "CAST(vehicle_year AS TEXT) || ' ' || vehicle_make || ' ' || vehicle_model";

/// A scan to be saved, and what goes with it.
#[derive(Debug, Clone, Copy)]
pub struct NewScan<'a> {
    /// The scan.
    pub scan: &'a Scan,
    /// The pictures that are kept of it.
    pub photos: &'a [ScanPhoto],
    /// The number of scans that the user's plan allows, [`UNLIMITED_SCANS`] for no limit.
    pub limit: u32,
    /// How it counts in the usage.
    pub usage: &'a ScanUsage,
    /// What its client names it, where it may be sent twice: a photograph that waited in a browser is sent again
    /// because its answer was lost.
    pub call: Option<&'a IdempotentCall>,
}

/// Which scans of a history to list. The default is all.
#[derive(Debug, Clone, Default)]
pub struct ScanFilter {
    /// Only these.
    pub ids: Option<Vec<ScanId>>,
    /// Only those of this vehicle.
    pub vehicle_id: Option<VehicleId>,
    /// Only those whose answer has this verdict.
    pub verdict: Option<Verdict>,
    /// Only those of whose answer somebody said something, or only the others.
    pub has_feedback: Option<bool>,
    /// Only those that somebody took out of the list, or only the others.
    pub is_discarded: Option<bool>,
    /// Only those of one of these parts.
    pub labels: Option<Vec<PartLabel>>,
    /// For each word that was searched for: only those of one of its parts or vehicles.
    pub words: Vec<(Vec<PartLabel>, Vec<VehicleName>)>,
    /// Only those after this place in the list, which has the newest first.
    pub before: Option<ScanPosition>,
    /// Only those among this many of the tenant's newest.
    pub among_newest: Option<u32>,
}

impl ScanFilter {
    fn build(&self, tenant_id: TenantId) -> Filter {
        let mut filter = Filter::new("tenant_id", tenant_id.to_string());
        if let Some(ids) = &self.ids {
            filter.and(|f| f.one_of("scan_id", ids));
        }
        if let Some(id) = self.vehicle_id {
            filter.and(|f| format!("vehicle_id = {}", f.text(id)));
        }
        if let Some(verdict) = self.verdict {
            filter.and(|f| format!("verdict = {}", f.text(verdict)));
        }
        if let Some(has_feedback) = self.has_feedback {
            let not = if has_feedback { "" } else { "NOT " };
            filter.and(|_| {
                format!(
                    "{not}EXISTS (SELECT 1 FROM scan_feedback WHERE scan_feedback.scan_id = scan.scan_id)"
                )
            });
        }
        if let Some(is_discarded) = self.is_discarded {
            filter.and(|f| format!("is_discarded = {}", f.number(i64::from(is_discarded))));
        }
        if let Some(labels) = &self.labels {
            filter.and(|f| f.one_of("label", labels));
        }
        for (labels, vehicles) in &self.words {
            // Each word may stand in the part or in the vehicle, and every word has to be found.
            filter.and(|f| format!("({} OR {})", f.one_of("label", labels), f.one_of(VEHICLE, vehicles)));
        }
        if let Some(before) = self.before {
            filter.and(|f| {
                let moment = f.number(before.scanned_at.as_millisecond());
                format!("(scanned_at, scan_id) < ({moment}, {})", f.text(before.id))
            });
        }
        if let Some(n) = self.among_newest {
            filter.and(|f| {
                let (tenant, n) = (f.text(tenant_id), f.number(i64::from(n)));
                format!("scan_id IN (SELECT scan_id FROM scan WHERE tenant_id = {tenant} {ORDER} LIMIT {n})")
            });
        }
        filter
    }
}

impl Store {
    /// Saves an answered scan of a tenant with its pictures and counts it for the user who made it, against the
    /// allowance and in the usage, all or nothing, and returns their allowance after it.
    ///
    /// An answer of which the scan says so uses no allowance; there must be some all the same.
    /// The count is raised by one statement that also checks it, so two scans at once can never use one allowance
    /// twice. A call that names the scan is answered with its id in the same transaction, so that sent again it is
    /// never saved or counted a second time.
    ///
    /// # Errors
    /// [`Error::LimitReached`] when nothing is left, [`Error::CallAnswered`] where the call was answered meanwhile;
    /// nothing is saved then.
    pub async fn save_scan(
        &self,
        tenant_id: TenantId,
        user_id: UserId,
        new: &NewScan<'_>,
    ) -> Result<ScanAllowance, Error> {
        let save = async || retried(|| self.try_to_save_scan(tenant_id, user_id, new)).await;
        match save().await {
            // In PostgreSQL the vehicle can go between being looked up and being referred to.
            Err(Error::ReferenceMissing { .. }) => match save().await {
                // Then it is the account that has gone, and whatever it was allowed.
                Err(Error::ReferenceMissing { .. }) => Err(Error::LimitReached { limit: new.limit }),
                result => result,
            },
            result => result,
        }
    }

    async fn try_to_save_scan(
        &self,
        tenant_id: TenantId,
        user_id: UserId,
        new: &NewScan<'_>,
    ) -> Result<ScanAllowance, Error> {
        let mut tx = self.begin().await?;
        match save_scan_in(tenant_id, user_id, new, &mut tx).await {
            Ok(allowance) => {
                // The event last: see `append_event`.
                append_event(tenant_id, &new.scan.answered(None), new.scan.scanned_at, &mut tx).await?;
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

    /// The newest `limit` scans of a tenant that pass `filter`.
    pub async fn list_scans(
        &self,
        tenant_id: TenantId,
        filter: &ScanFilter,
        limit: u32,
    ) -> Result<Vec<Scan>, Error> {
        let mut filter = filter.build(tenant_id);
        let limit = filter.number(i64::from(limit));
        let sql = format!("{SELECT} WHERE {} {ORDER} LIMIT {limit}", filter.condition());
        self.list(filter.bind(sqlx::query(AssertSqlSafe(sql))), scan_from_row).await
    }

    /// How many scans of a tenant pass `filter`.
    pub async fn count_scans(&self, tenant_id: TenantId, filter: &ScanFilter) -> Result<u64, Error> {
        let filter = filter.build(tenant_id);
        let sql = format!("SELECT COUNT(*) AS n FROM scan WHERE {}", filter.condition());
        let row = filter.bind(sqlx::query(AssertSqlSafe(sql))).fetch_one(&self.db).await?;
        rows::count(&row, "n")
    }

    /// The vehicles that the scans of a tenant name, each once.
    pub async fn list_scanned_vehicles(&self, tenant_id: TenantId) -> Result<Vec<VehicleName>, Error> {
        let query = sql!(
            "SELECT DISTINCT vehicle_year, vehicle_make, vehicle_model FROM scan \
             WHERE tenant_id = $1 AND vehicle_year IS NOT NULL",
            [tenant_id]
        );
        self.list(query, |row| {
            let (make, model) = (row.try_get("vehicle_make")?, row.try_get("vehicle_model")?);
            name_from_parts(row.try_get("vehicle_year")?, make, model)
        })
        .await
    }

    /// One scan of a tenant.
    pub async fn find_scan(&self, tenant_id: TenantId, id: ScanId) -> Result<Option<Scan>, Error> {
        let query =
            sql!(AssertSqlSafe(format!("{SELECT} WHERE tenant_id = $1 AND scan_id = $2")), [tenant_id, id]);
        self.find(query, scan_from_row).await
    }

    /// Takes scans of a tenant out of the list of past scans, or puts them back; returns how many of them that changed.
    pub async fn discard_scans(
        &self,
        tenant_id: TenantId,
        ids: &[ScanId],
        is_discarded: bool,
    ) -> Result<u64, Error> {
        let mut filter = Filter::new("tenant_id", tenant_id);
        filter.and(|f| f.one_of("scan_id", ids));
        let value = i64::from(is_discarded);
        filter.and(|f| format!("is_discarded <> {}", f.number(value)));
        let sql = format!("UPDATE scan SET is_discarded = {value} WHERE {}", filter.condition());
        self.write(filter.bind(sqlx::query(AssertSqlSafe(sql)))).await
    }

    /// Deletes one scan of a tenant with its pictures, its event and what the judge said of it, and tells whether there
    /// was one.
    pub async fn delete_scan(&self, tenant_id: TenantId, id: ScanId) -> Result<bool, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            // By hand, since a judgement can be older than its scan and so does not refer to it.
            sql!("DELETE FROM judged_verdict WHERE tenant_id = $1 AND scan_id = $2", [tenant_id, id])
                .execute(&mut *tx)
                .await?;
            sql!("DELETE FROM account_event WHERE tenant_id = $1 AND subject_id = $2", [tenant_id, id])
                .execute(&mut *tx)
                .await?;
            let result = sql!("DELETE FROM scan WHERE tenant_id = $1 AND scan_id = $2", [tenant_id, id])
                .execute(&mut *tx)
                .await?;
            tx.commit().await?;
            Ok(result.rows_affected() > 0)
        })
        .await
    }

    /// Deletes the scans of a tenant, of one vehicle where given, with their events and what the judge said of them, and
    /// returns how many went.
    pub async fn delete_scans(
        &self,
        tenant_id: TenantId,
        vehicle_id: Option<VehicleId>,
    ) -> Result<u64, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            let deleted = if let Some(vehicle_id) = vehicle_id {
                let query = sql!(
                    "DELETE FROM judged_verdict WHERE tenant_id = $1 AND scan_id IN \
                     (SELECT scan_id FROM scan WHERE tenant_id = $1 AND vehicle_id = $2)",
                    [tenant_id, vehicle_id]
                );
                query.execute(&mut *tx).await?;
                let query = sql!(
                    "DELETE FROM account_event WHERE tenant_id = $1 AND subject_id IN \
                     (SELECT scan_id FROM scan WHERE tenant_id = $1 AND vehicle_id = $2)",
                    [tenant_id, vehicle_id]
                );
                query.execute(&mut *tx).await?;
                sql!("DELETE FROM scan WHERE tenant_id = $1 AND vehicle_id = $2", [tenant_id, vehicle_id])
                    .execute(&mut *tx)
                    .await?
            } else {
                // Those of scans that were never saved, and of times when it was not noted whose they are, go as well.
                sql!("DELETE FROM judged_verdict WHERE tenant_id = $1", [tenant_id])
                    .execute(&mut *tx)
                    .await?;
                let query = sql!(
                    "DELETE FROM account_event WHERE tenant_id = $1 AND kind = $2",
                    [tenant_id, EventKind::ScanAnswered]
                );
                query.execute(&mut *tx).await?;
                sql!("DELETE FROM scan WHERE tenant_id = $1", [tenant_id]).execute(&mut *tx).await?
            };
            tx.commit().await?;
            Ok(deleted.rows_affected())
        })
        .await
    }

    /// A kept picture of a tenant's scan.
    pub async fn find_scan_photo(
        &self,
        tenant_id: TenantId,
        id: ScanId,
        size: PhotoSize,
    ) -> Result<Option<ScanPhoto>, Error> {
        let query = sql!(
            "SELECT media_type, bytes FROM scan_photo WHERE tenant_id = $1 AND scan_id = $2 AND size = $3",
            [tenant_id, id, size]
        );
        self.find(query, |row| {
            Ok(ScanPhoto { size, media_type: row.try_get("media_type")?, bytes: row.try_get("bytes")? })
        })
        .await
    }

    /// The scans of a tenant with a kept picture of this size.
    pub async fn list_scans_with_photo(
        &self,
        tenant_id: TenantId,
        size: PhotoSize,
    ) -> Result<Vec<ScanId>, Error> {
        let query =
            sql!("SELECT scan_id FROM scan_photo WHERE tenant_id = $1 AND size = $2", [tenant_id, size]);
        self.list(query, |row| rows::parsed(row, "scan_id")).await
    }

    /// Deletes the pictures of one size, of all tenants, that are older than `moment`, and returns how many
    /// went. The scans stay.
    pub async fn delete_scan_photos(&self, size: PhotoSize, moment: Timestamp) -> Result<u64, Error> {
        let query = sql!("DELETE FROM scan_photo WHERE size = $1 AND created_at < $2", [size, moment]);
        self.write(query).await
    }
}

/// As [`Store::save_scan`], in a transaction that does more. After an error it is to be rolled back.
async fn save_scan_in(
    tenant_id: TenantId,
    user_id: UserId,
    new: &NewScan<'_>,
    tx: &mut AnyConnection,
) -> Result<ScanAllowance, Error> {
    // First of all, so that a repeated call neither counts nor saves anything.
    if let Some(call) = new.call
        && !answer_call(tenant_id, call, 200, &new.scan.id.to_string(), new.scan.scanned_at, &mut *tx).await?
    {
        return Err(Error::CallAnswered);
    }
    save_scans_in(tenant_id, user_id, std::slice::from_ref(new), tx).await
}

/// Saves scans of one user with their pictures and counts them, in a transaction that does more; the calls that name them
/// are left alone. After an error it is to be rolled back.
///
/// # Errors
/// [`Error::LimitReached`] where the allowance is not enough for all of them.
pub(crate) async fn save_scans_in(
    tenant_id: TenantId,
    user_id: UserId,
    new: &[NewScan<'_>],
    tx: &mut AnyConnection,
) -> Result<ScanAllowance, Error> {
    check_allowance(user_id, tenant_id, new, &mut *tx).await?;
    // Before the account: the rows refer to the tenant, which whoever deletes the account locks first.
    insert_scans(tenant_id, user_id, new, &mut *tx).await?;
    let allowance = count_scans(user_id, tenant_id, new, &mut *tx).await?;
    let scans: Vec<_> = new.iter().map(|new| (*new.usage, new.scan.scanned_at)).collect();
    count_usage(user_id, &scans, &mut *tx).await?;
    insert_photos(tenant_id, new, tx).await?;
    Ok(allowance)
}

/// A look without a lock, so that nothing is written where the allowance is used up. What [`count_scans`] says is what
/// counts.
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

/// The lowest, should the plan have changed between two of them.
fn lowest_limit(new: &[NewScan<'_>]) -> u32 {
    new.iter().map(|new| new.limit).min().unwrap_or(UNLIMITED_SCANS)
}

/// Counts scans of one user against the allowance, where there is enough for all of them.
async fn count_scans(
    user_id: UserId,
    tenant_id: TenantId,
    new: &[NewScan<'_>],
    tx: &mut AnyConnection,
) -> Result<ScanAllowance, Error> {
    let limit = lowest_limit(new);
    let n_used = new.iter().filter(|new| new.scan.uses_allowance()).count();
    // One that uses none needs some all the same.
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
    // A vehicle deleted while its photograph was being scanned must not lose the scan.
    const ROW: &str = "($1, $2, (SELECT vehicle_id FROM vehicle WHERE tenant_id = $16 AND vehicle_id = $3), \
                        $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)";
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

fn scan_from_row(row: &AnyRow) -> Result<Scan, Error> {
    let vehicle = match row.try_get::<Option<i64>, _>("vehicle_year")? {
        Some(year) => {
            Some(name_from_parts(year, row.try_get("vehicle_make")?, row.try_get("vehicle_model")?)?)
        }
        None => None,
    };
    Ok(Scan {
        id: rows::parsed(row, "scan_id")?,
        vehicle_id: rows::optional(row, "vehicle_id")?,
        vehicle,
        verdict: rows::parsed(row, "verdict")?,
        best: Candidate {
            label: rows::label(row, "label")?,
            confidence: row.try_get::<f64, _>("confidence")? as f32,
        },
        known_score: row.try_get::<f64, _>("known_score")? as f32,
        alternatives: rows::json(row, "alternatives")?,
        category: category_from_row(row)?,
        receipt: rows::json(row, "receipt")?,
        scanned_at: rows::timestamp(row, "scanned_at")?,
        has_thumbnail: row.try_get::<i64, _>("n_thumbnails")? > 0,
        feedback: feedback_from_row(row)?,
    })
}

fn category_from_row(row: &AnyRow) -> Result<Option<CategoryGuess>, Error> {
    let category: Option<Category> = rows::optional(row, "category")?;
    let confidence: Option<f64> = row.try_get("category_confidence")?;
    let guess = category.zip(confidence);
    Ok(guess.map(|(category, confidence)| CategoryGuess { category, confidence: confidence as f32 }))
}
