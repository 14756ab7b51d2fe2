//! Part types that people taught: created, changed, deleted and restored.

use jiff::Timestamp;
use partsight_domain::{Category, PartLabel, TaughtPartType, TenantId, UserId};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Row};
use uuid::Uuid;

use crate::revision::next_revision;
use crate::transaction::retried;
use crate::{Error, Store, rows};

/// The rows that a tenant may see: their own and the shared ones.
pub(super) const VISIBLE: &str = "(tenant_id = $1 OR tenant_id IS NULL)";
/// The rows that an owner may change: a tenant's own, or without a tenant the shared ones.
pub(super) const OWNED: &str = "COALESCE(tenant_id, '') = $1";
/// The references of a type of an owner. For a shared type these include references that tenants added to it, unless
/// the tenant has its own type with this label.
const OF_TYPE: &str = "part_reference.label = $2 AND (COALESCE(tenant_id, '') = $1 OR $1 = '' AND NOT EXISTS \
                           (SELECT 1 FROM taught_part_type AS own WHERE own.tenant_id = part_reference.tenant_id \
                            AND own.label = $2 AND own.deleted_at IS NULL))";

/// The result of deleting a part type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeDeletion {
    /// It is deleted, with its references.
    Deleted,
    /// Parts of a shop are of this type.
    InUse,
    /// There is no such type, or it is deleted already.
    Missing,
}

impl Store {
    /// The part types that a tenant may see, deleted ones included: their own, then the shared ones, each by label.
    pub async fn list_taught_types(&self, tenant_id: TenantId) -> Result<Vec<TaughtPartType>, Error> {
        let sql = format!(
            "SELECT tenant_id, label, name, category, created_at, deleted_at FROM taught_part_type WHERE {VISIBLE} \
             ORDER BY CASE WHEN tenant_id IS NULL THEN 1 ELSE 0 END, label"
        );
        self.list(sql!(AssertSqlSafe(sql), [tenant_id]), taught_type_from_row).await
    }

    /// Changes name and category of a part type of these owners (`None`: all tenants); returns whether any of them
    /// has one that is not deleted.
    pub async fn change_taught_type(
        &self,
        owners: &[Option<TenantId>],
        label: &PartLabel,
        name: &str,
        category: Category,
    ) -> Result<bool, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            let revision = next_revision(&mut tx).await?;
            let mut is_changed = false;
            for owner in owners.iter().map(|owner| owner_text(*owner)) {
                let sql = format!(
                    "UPDATE taught_part_type SET name = $3, category = $4 \
                     WHERE {OWNED} AND label = $2 AND deleted_at IS NULL"
                );
                let query = sql!(AssertSqlSafe(sql), [owner, label, name, category]);
                if query.execute(&mut *tx).await?.rows_affected() == 0 {
                    continue;
                }
                is_changed = true;
                // An index filters by category, which it stores with each reference.
                let sql = format!(
                    "UPDATE part_reference SET category = $3, revision = $4 \
                     WHERE {OF_TYPE} AND COALESCE(category, '') <> $3"
                );
                sql!(AssertSqlSafe(sql), [owner, label, category, revision]).execute(&mut *tx).await?;
            }
            tx.commit().await?;
            Ok(is_changed)
        })
        .await
    }

    /// Marks a part type of these owners (`None`: all tenants) and its references as deleted at a given time, unless
    /// a part of one of these shops is of this type; for a shared type, a part of any shop.
    pub async fn delete_taught_type(
        &self,
        owners: &[Option<TenantId>],
        shops: &[TenantId],
        label: &PartLabel,
        deleted_at: Timestamp,
    ) -> Result<TypeDeletion, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            // Adding a part to a shop locks the tenant as well.
            for shop in shops {
                Self::lock_tenant(&mut tx, *shop).await?;
            }
            let revision = next_revision(&mut tx).await?;
            let mut is_deleted = false;
            for owner in owners.iter().map(|owner| owner_text(*owner)) {
                // The references first: which of them belong to a shared type depends on the types that are not
                // deleted.
                let sql = format!(
                    "UPDATE part_reference SET deleted_at = $3, revision = $4 WHERE {OF_TYPE} AND deleted_at IS NULL"
                );
                sql!(AssertSqlSafe(sql), [owner, label, deleted_at, revision]).execute(&mut *tx).await?;
                let sql = format!(
                    "UPDATE taught_part_type SET deleted_at = $3 WHERE {OWNED} AND label = $2 AND deleted_at IS NULL"
                );
                let query = sql!(AssertSqlSafe(sql), [owner, label, deleted_at]);
                is_deleted |= query.execute(&mut *tx).await?.rows_affected() > 0;
            }
            let of_all = owners.contains(&None).then(String::new);
            let mut is_in_use = false;
            for shop in shops.iter().map(ToString::to_string).chain(of_all) {
                let query = scalar!(
                    "SELECT COUNT(*) FROM shop_part WHERE ($1 = '' OR tenant_id = $1) AND label = $2 \
                     AND deleted_at IS NULL",
                    [shop, label]
                );
                let n: i64 = query.fetch_one(&mut *tx).await?;
                is_in_use |= n > 0;
            }
            if is_in_use || !is_deleted {
                tx.rollback().await?;
                return Ok(if is_deleted { TypeDeletion::InUse } else { TypeDeletion::Missing });
            }
            tx.commit().await?;
            Ok(TypeDeletion::Deleted)
        })
        .await
    }

    /// Restores a part type of these owners (`None`: all tenants) that was deleted at `since` or later, with the
    /// references that were deleted with it; returns whether there was one.
    pub async fn restore_taught_type(
        &self,
        owners: &[Option<TenantId>],
        label: &PartLabel,
        since: Timestamp,
    ) -> Result<bool, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            let revision = next_revision(&mut tx).await?;
            let mut is_restored = false;
            for owner in owners.iter().map(|owner| owner_text(*owner)) {
                // The references first, while the type still holds the time of its deletion.
                let sql = format!(
                    "UPDATE part_reference SET deleted_at = NULL, revision = $4 \
                     WHERE {OF_TYPE} AND deleted_at >= $3 AND deleted_at = \
                         (SELECT taught.deleted_at FROM taught_part_type AS taught \
                          WHERE COALESCE(taught.tenant_id, '') = $1 AND taught.label = $2)"
                );
                sql!(AssertSqlSafe(sql), [owner, label, since, revision]).execute(&mut *tx).await?;
                let sql = format!(
                    "UPDATE taught_part_type SET deleted_at = NULL WHERE {OWNED} AND label = $2 AND deleted_at >= $3"
                );
                let query = sql!(AssertSqlSafe(sql), [owner, label, since]);
                is_restored |= query.execute(&mut *tx).await?.rows_affected() > 0;
            }
            tx.commit().await?;
            Ok(is_restored)
        })
        .await
    }
}

/// An owner in the form that [`OWNED`] compares.
pub(super) fn owner_text(owner: Option<TenantId>) -> String {
    owner.map(|id| id.to_string()).unwrap_or_default()
}

/// Inserts a new part type, in place of a deleted one of its owner with the same label. The look-alike pairs of the
/// deleted one are deleted, since they do not apply to the new one.
pub(super) async fn insert_taught_type(
    part_type: &TaughtPartType,
    user_id: Option<UserId>,
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    let TaughtPartType { tenant_id, label, name, category, created_at, deleted_at } = part_type;
    let owner = owner_text(*tenant_id);
    let sql = format!(
        "UPDATE taught_part_type SET name = $3, category = $4, created_by = $5, created_at = $6, deleted_at = NULL \
         WHERE {OWNED} AND label = $2 AND deleted_at IS NOT NULL"
    );
    let query = sql!(AssertSqlSafe(sql), [owner, label, name, category, user_id, created_at]);
    if query.execute(&mut *tx).await?.rows_affected() > 0 {
        let sql = format!("DELETE FROM look_alike WHERE {OWNED} AND (first_label = $2 OR second_label = $2)");
        sql!(AssertSqlSafe(sql), [owner, label]).execute(tx).await?;
        return Ok(());
    }
    let query = sql!(
        "INSERT INTO taught_part_type \
             (taught_part_type_id, tenant_id, label, name, category, created_by, created_at, deleted_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        [Uuid::now_v7(), tenant_id, label, name, category, user_id, created_at, deleted_at]
    );
    query.execute(tx).await?;
    Ok(())
}

/// Whether an owner (`None`: all tenants) has deleted their part type with this label, and there is no shared one.
pub(super) async fn is_type_deleted(
    owner: Option<TenantId>,
    label: &PartLabel,
    tx: &mut AnyConnection,
) -> Result<bool, Error> {
    let sql = format!(
        "SELECT COUNT(*) FROM taught_part_type WHERE {OWNED} AND label = $2 AND deleted_at IS NOT NULL \
         AND NOT EXISTS (SELECT 1 FROM taught_part_type AS shared \
                         WHERE shared.tenant_id IS NULL AND shared.label = $2 AND shared.deleted_at IS NULL)"
    );
    let n: i64 = scalar!(AssertSqlSafe(sql), [owner_text(owner), label]).fetch_one(tx).await?;
    Ok(n > 0)
}

fn taught_type_from_row(row: &AnyRow) -> Result<TaughtPartType, Error> {
    Ok(TaughtPartType {
        tenant_id: rows::optional(row, "tenant_id")?,
        label: rows::label(row, "label")?,
        name: row.try_get("name")?,
        category: rows::parsed(row, "category")?,
        created_at: rows::timestamp(row, "created_at")?,
        deleted_at: rows::optional_timestamp(row, "deleted_at")?,
    })
}
