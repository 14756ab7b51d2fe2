//! Saving, deleting and restoring the parts of a shop.

use std::collections::{BTreeSet, HashSet};

use jiff::Timestamp;
use partsight_domain::{PartLabel, PartPrice, ShopPart, ShopPartId, TenantId, UserId};
use sqlx::{AnyConnection, AssertSqlSafe};

use crate::revision::next_revision;
use crate::transaction::retried;
use crate::{Error, Store, rows};

/// Rows in one statement; in a longer one each row takes longer (see `price_lists.rs`).
const ROWS_A_STATEMENT: usize = 40;

/// Why parts were not saved. None was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShopPartRefusal {
    /// There would be more parts than allowed.
    Full,
    /// A part to be changed was changed or deleted meanwhile.
    Changed,
    /// A photograph was not taught to this shop for this part type.
    PhotoMissing,
    /// A part gets a taught type that was deleted.
    TypeMissing,
    /// A part to be restored has a taught type that is deleted.
    TypeDeleted,
}

impl Store {
    /// Adds parts and changes others, in one transaction; the tenant has at most `most` afterwards. A changed part
    /// must have the revision that it was read with. `taught` are the taught types among those that the parts get:
    /// the user must see each of them, and none may be deleted.
    ///
    /// # Errors
    /// [`Error::Constraint`] if there is a part with the same number and brand.
    pub async fn save_shop_parts(
        &self,
        tenant_id: TenantId,
        user_id: UserId,
        added: &[ShopPart],
        changed: &[ShopPart],
        taught: &[PartLabel],
        most: u32,
    ) -> Result<Result<(), ShopPartRefusal>, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            Self::lock_tenant(&mut tx, tenant_id).await?;
            if !added.is_empty() && count(&mut tx, tenant_id).await? + added.len() as u64 > u64::from(most) {
                tx.rollback().await?;
                return Ok(Err(ShopPartRefusal::Full));
            }
            for part in changed {
                // Returning without a commit drops the transaction, which is then rolled back.
                if !update(&mut tx, tenant_id, part).await? {
                    tx.rollback().await?;
                    return Ok(Err(ShopPartRefusal::Changed));
                }
            }
            for parts in added.chunks(ROWS_A_STATEMENT) {
                insert(&mut tx, tenant_id, user_id, parts).await?;
            }
            let mut photos: BTreeSet<String> = BTreeSet::new();
            // SQLite has only one writer at a time, so parts that cannot have photographs are not queried for them.
            let with_photos = parts_with_photos(&mut tx, tenant_id, changed.len()).await?;
            let is_of_photos = |part: &&ShopPart| {
                !part.details.photos.is_empty() || with_photos.contains(&part.id.to_string())
            };
            for part in changed.iter().chain(added).filter(is_of_photos) {
                let before = take_photos(&mut tx, part).await?;
                if !set_photos(&mut tx, tenant_id, part).await? {
                    tx.rollback().await?;
                    return Ok(Err(ShopPartRefusal::PhotoMissing));
                }
                // Removed photographs count as changed too: the index stores facts of the part with each of them.
                photos.extend(before);
                photos.extend(part.details.photos.iter().map(ToString::to_string));
            }
            mark_photos_changed(&mut tx, tenant_id, photos).await?;
            for label in taught {
                if !lock_type(&mut tx, tenant_id, user_id, label).await? {
                    tx.rollback().await?;
                    return Ok(Err(ShopPartRefusal::TypeMissing));
                }
            }
            tx.commit().await?;
            Ok(Ok(()))
        })
        .await
    }

    /// Marks a part as deleted at a given time; returns whether there was one.
    pub async fn delete_shop_part(
        &self,
        tenant_id: TenantId,
        id: ShopPartId,
        deleted_at: Timestamp,
    ) -> Result<bool, Error> {
        let mut tx = self.begin().await?;
        let query = sql!(
            "UPDATE shop_part SET deleted_at = $3, revision = revision + 1 \
             WHERE tenant_id = $1 AND shop_part_id = $2 AND deleted_at IS NULL",
            [tenant_id, id, deleted_at]
        );
        let done = query.execute(&mut *tx).await?;
        if done.rows_affected() == 0 {
            tx.rollback().await?;
            return Ok(false);
        }
        let photos = photos_of(&mut tx, id).await?;
        mark_photos_changed(&mut tx, tenant_id, photos).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Restores a deleted part for a user; returns whether there was one. The tenant has at most `most` afterwards.
    /// If its type is taught, by `is_taught`, it must not be deleted.
    ///
    /// # Errors
    /// [`Error::Constraint`] if there is a part with the same number and brand by now.
    pub async fn restore_shop_part(
        &self,
        tenant_id: TenantId,
        user_id: UserId,
        id: ShopPartId,
        most: u32,
        is_taught: impl Fn(&PartLabel) -> bool,
    ) -> Result<Result<bool, ShopPartRefusal>, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            Self::lock_tenant(&mut tx, tenant_id).await?;
            let query = sql!(
                "UPDATE shop_part SET deleted_at = NULL, revision = revision + 1 \
                 WHERE tenant_id = $1 AND shop_part_id = $2 AND deleted_at IS NOT NULL RETURNING label",
                [tenant_id, id]
            );
            let Some(restored) = query.fetch_optional(&mut *tx).await? else {
                tx.rollback().await?;
                return Ok(Ok(false));
            };
            // Counted after the restoration, and only if the part is this tenant's: a full shop tells nothing about
            // another one.
            if count(&mut tx, tenant_id).await? > u64::from(most) {
                tx.rollback().await?;
                return Ok(Err(ShopPartRefusal::Full));
            }
            let photos = photos_of(&mut tx, id).await?;
            mark_photos_changed(&mut tx, tenant_id, photos).await?;
            let label = rows::label(&restored, "label")?;
            if is_taught(&label) && is_type_deleted(&mut tx, tenant_id, user_id, &label).await? {
                tx.rollback().await?;
                return Ok(Err(ShopPartRefusal::TypeDeleted));
            }
            tx.commit().await?;
            Ok(Ok(true))
        })
        .await
    }

    /// Permanently deletes the parts that were deleted before `moment`, of all tenants; returns how many.
    pub async fn purge_shop_parts(&self, moment: Timestamp) -> Result<u64, Error> {
        let query = sql!("DELETE FROM shop_part WHERE deleted_at < $1", [moment]);
        self.write(query).await
    }
}

async fn count(tx: &mut AnyConnection, tenant_id: TenantId) -> Result<u64, Error> {
    let n: i64 =
        scalar!("SELECT COUNT(*) FROM shop_part WHERE tenant_id = $1 AND deleted_at IS NULL", [tenant_id])
            .fetch_one(tx)
            .await?;
    Ok(n.unsigned_abs())
}

async fn insert(
    tx: &mut AnyConnection,
    tenant_id: TenantId,
    user_id: UserId,
    parts: &[ShopPart],
) -> Result<(), Error> {
    const VALUES_A_ROW: usize = 14;
    let rows: Vec<String> = (0..parts.len())
        .map(|row| {
            let first = row * VALUES_A_ROW + 1;
            let values: Vec<String> =
                (first..first + VALUES_A_ROW).map(|place| format!("${place}")).collect();
            format!("({}, 1)", values.join(", "))
        })
        .collect();
    let sql = format!(
        "INSERT INTO shop_part (shop_part_id, tenant_id, label, name, part_number, brand, part_key, price_cents, \
                                currency, notes, fitments, created_by, created_at, updated_at, revision) \
         VALUES {}",
        rows.join(", ")
    );
    let (tenant_id, user_id) = (tenant_id.to_string(), user_id.to_string());
    let mut query = sqlx::query(AssertSqlSafe(sql));
    for part in parts {
        let details = &part.details;
        query = query
            .bind(part.id.to_string())
            .bind(&tenant_id)
            .bind(details.label.as_str())
            .bind(details.name.as_deref())
            .bind(&details.number)
            .bind(details.brand.as_deref())
            .bind(details.key())
            .bind(details.price.as_ref().map(PartPrice::cents))
            .bind(details.price.as_ref().map(|price| price.currency().to_owned()))
            .bind(details.notes.as_deref())
            .bind(rows::to_json("fitments", &details.fitments)?)
            .bind(&user_id)
            .bind(part.created_at.as_millisecond())
            .bind(part.updated_at.as_millisecond());
    }
    query.execute(tx).await?;
    Ok(())
}

/// The parts of a tenant with photographs; none if none of `n_changed` parts can have any.
async fn parts_with_photos(
    tx: &mut AnyConnection,
    tenant_id: TenantId,
    n_changed: usize,
) -> Result<HashSet<String>, Error> {
    if n_changed == 0 {
        return Ok(HashSet::new());
    }
    let query = "SELECT DISTINCT shop_part_photo.shop_part_id FROM shop_part_photo \
                 JOIN shop_part ON shop_part.shop_part_id = shop_part_photo.shop_part_id \
                 WHERE shop_part.tenant_id = $1";
    let ids: Vec<String> = scalar!(query, [tenant_id]).fetch_all(tx).await?;
    Ok(ids.into_iter().collect())
}

/// Changes a part that still has the revision it was read with; returns whether it has.
async fn update(tx: &mut AnyConnection, tenant_id: TenantId, part: &ShopPart) -> Result<bool, Error> {
    let details = &part.details;
    let query = sql!(
        "UPDATE shop_part SET label = $4, name = $5, part_number = $6, brand = $7, part_key = $8, \
                price_cents = $9, currency = $10, notes = $11, fitments = $12, updated_at = $13, \
                revision = revision + 1 \
         WHERE tenant_id = $1 AND shop_part_id = $2 AND revision = $3 AND deleted_at IS NULL",
        [tenant_id, part.id, part.revision, details.label, details.name, details.number, details.brand],
        [details.key(), details.price.as_ref().map(PartPrice::cents)],
        [details.price.as_ref().map(|price| price.currency().to_owned()), details.notes],
        [rows::to_json("fitments", &details.fitments)?, part.updated_at]
    );
    let done = query.execute(tx).await?;
    Ok(done.rows_affected() > 0)
}

/// The taught types with label $3 that user $2 of shop $1 sees.
const SEEN_TYPES: &str = "label = $3 AND (tenant_id IS NULL OR tenant_id = $1 \
     OR tenant_id = (SELECT tenant_id FROM app_user WHERE user_id = $2))";

/// Locks a taught type that a user of a shop sees against deletion; returns whether there is one that is not deleted.
async fn lock_type(
    tx: &mut AnyConnection,
    tenant_id: TenantId,
    user_id: UserId,
    label: &PartLabel,
) -> Result<bool, Error> {
    // The lock of the tenant does not protect a shared type: its deletion looks for parts of that type in all shops,
    // and would miss uncommitted ones.
    let sql = format!("UPDATE taught_part_type SET label = label WHERE {SEEN_TYPES} AND deleted_at IS NULL");
    let query = sql!(AssertSqlSafe(sql), [tenant_id, user_id, label]);
    Ok(query.execute(tx).await?.rows_affected() > 0)
}

/// Whether a taught type that a user of a shop sees is deleted; if not, locks it as [`lock_type`] does. A type that
/// they do not see counts as not deleted: a person who left a company has parts of its types.
async fn is_type_deleted(
    tx: &mut AnyConnection,
    tenant_id: TenantId,
    user_id: UserId,
    label: &PartLabel,
) -> Result<bool, Error> {
    if lock_type(tx, tenant_id, user_id, label).await? {
        return Ok(false);
    }
    let sql = format!("SELECT 1 FROM taught_part_type WHERE {SEEN_TYPES} LIMIT 1");
    let query = sql!(AssertSqlSafe(sql), [tenant_id, user_id, label]);
    Ok(query.fetch_optional(tx).await?.is_some())
}

async fn photos_of(tx: &mut AnyConnection, id: ShopPartId) -> Result<Vec<String>, Error> {
    let query = "SELECT part_reference_id FROM shop_part_photo WHERE shop_part_id = $1";
    Ok(scalar!(query, [id]).fetch_all(tx).await?)
}

/// Detaches the photographs from a part, and returns them. Deleted ones of its type stay, since they can be restored.
async fn take_photos(tx: &mut AnyConnection, part: &ShopPart) -> Result<Vec<String>, Error> {
    let query = "DELETE FROM shop_part_photo WHERE shop_part_id = $1 AND NOT EXISTS \
                     (SELECT 1 FROM part_reference \
                      WHERE part_reference.part_reference_id = shop_part_photo.part_reference_id \
                        AND part_reference.label = $2 AND part_reference.deleted_at IS NOT NULL) \
                 RETURNING part_reference_id";
    Ok(scalar!(query, [part.id, part.details.label]).fetch_all(tx).await?)
}

/// Marks photographs of a tenant's parts as changed, since an index stores facts of the parts with each of them.
async fn mark_photos_changed(
    tx: &mut AnyConnection,
    tenant_id: TenantId,
    photos: impl IntoIterator<Item = String>,
) -> Result<(), Error> {
    let mut photos = photos.into_iter().peekable();
    if photos.peek().is_none() {
        return Ok(());
    }
    let revision = next_revision(tx).await?;
    for photo in photos {
        let query = sql!(
            "UPDATE part_reference SET revision = $3 WHERE tenant_id = $1 AND part_reference_id = $2",
            [tenant_id, photo, revision]
        );
        query.execute(&mut *tx).await?;
    }
    Ok(())
}

/// Attaches photographs to a part; returns whether the shop may see all of them and they show its type.
async fn set_photos(tx: &mut AnyConnection, tenant_id: TenantId, part: &ShopPart) -> Result<bool, Error> {
    for photo in &part.details.photos {
        let query = sql!(
            "INSERT INTO shop_part_photo (shop_part_id, part_reference_id) \
             SELECT $1, part_reference_id FROM part_reference WHERE part_reference_id = $2 AND label = $3 \
                AND deleted_at IS NULL AND (tenant_id = $4 OR tenant_id IS NULL)",
            [part.id, photo, part.details.label, tenant_id]
        );
        let done = query.execute(&mut *tx).await?;
        if done.rows_affected() == 0 {
            return Ok(false);
        }
    }
    Ok(true)
}
