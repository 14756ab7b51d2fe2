//! Part types that people taught: named, changed, deleted and brought back.

use jiff::Timestamp;
use partsight_domain::{Category, PartLabel, TaughtPartType, TenantId, UserId};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Row};
use uuid::Uuid;

use crate::revision::next_revision;
use crate::transaction::retried;
use crate::{Error, Store, rows};

/// Whose rows a tenant may see: their own and the shared ones.
pub(super) const VISIBLE: &str = "(tenant_id = $1 OR tenant_id IS NULL)";
/// Whose rows an owner may change: a tenant's own, or without a tenant the shared ones.
pub(super) const OWNED: &str = "COALESCE(tenant_id, '') = $1";

impl Store {
    /// The part types that a tenant may see, deleted ones included: their own, then the shared ones; each by label.
    pub async fn list_taught_types(&self, tenant_id: TenantId) -> Result<Vec<TaughtPartType>, Error> {
        let sql = format!(
            "SELECT tenant_id, label, name, category, created_at, deleted_at FROM taught_part_type WHERE {VISIBLE} \
             ORDER BY CASE WHEN tenant_id IS NULL THEN 1 ELSE 0 END, label"
        );
        self.list(sql!(AssertSqlSafe(sql), [tenant_id]), taught_type_from_row).await
    }

    /// Gives a part type of an owner, `None` for all tenants, another name and category; tells whether there is one that is
    /// not deleted.
    pub async fn change_taught_type(
        &self,
        owner: Option<TenantId>,
        label: &PartLabel,
        name: &str,
        category: Category,
    ) -> Result<bool, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            let revision = next_revision(&mut tx).await?;
            let query = sql!(
                "UPDATE taught_part_type SET name = $3, category = $4 \
                 WHERE COALESCE(tenant_id, '') = $1 AND label = $2 AND deleted_at IS NULL",
                [owner_text(owner), label, name, category]
            );
            if query.execute(&mut *tx).await?.rows_affected() == 0 {
                tx.rollback().await?;
                return Ok(false);
            }
            // An index searches within a category, which it keeps beside each photograph.
            let query = sql!(
                "UPDATE part_reference SET category = $3, revision = $4 WHERE COALESCE(tenant_id, '') = $1 AND label = $2 \
                 AND COALESCE(category, '') <> $3",
                [owner_text(owner), label, category, revision]
            );
            query.execute(&mut *tx).await?;
            tx.commit().await?;
            Ok(true)
        })
        .await
    }

    /// Marks a part type of an owner, `None` for all tenants, and its photographs as deleted at a moment, unless a part of
    /// their shop, or of any, is of this type; tells whether it did.
    pub async fn delete_taught_type(
        &self,
        owner: Option<TenantId>,
        label: &PartLabel,
        deleted_at: Timestamp,
    ) -> Result<bool, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            // Whoever adds a part to the shop locks it as well.
            if let Some(tenant_id) = owner {
                Self::lock_tenant(&mut tx, tenant_id).await?;
            }
            let revision = next_revision(&mut tx).await?;
            let query = sql!(
                "UPDATE taught_part_type SET deleted_at = $3 \
                 WHERE COALESCE(tenant_id, '') = $1 AND label = $2 AND deleted_at IS NULL AND NOT EXISTS \
                     (SELECT 1 FROM shop_part WHERE ($1 = '' OR shop_part.tenant_id = $1) AND shop_part.label = $2 \
                      AND shop_part.deleted_at IS NULL)",
                [owner_text(owner), label, deleted_at]
            );
            if query.execute(&mut *tx).await?.rows_affected() == 0 {
                tx.rollback().await?;
                return Ok(false);
            }
            let query = sql!(
                "UPDATE part_reference SET deleted_at = $3, revision = $4 \
                 WHERE COALESCE(tenant_id, '') = $1 AND label = $2 AND deleted_at IS NULL",
                [owner_text(owner), label, deleted_at, revision]
            );
            query.execute(&mut *tx).await?;
            tx.commit().await?;
            Ok(true)
        })
        .await
    }

    /// Brings back a part type of an owner, `None` for all tenants, that was deleted at `since` or later, with the
    /// photographs that went with it; tells whether there was one.
    pub async fn restore_taught_type(
        &self,
        owner: Option<TenantId>,
        label: &PartLabel,
        since: Timestamp,
    ) -> Result<bool, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            let revision = next_revision(&mut tx).await?;
            // The photographs first, while the type still says when they went.
            let query = sql!(
                "UPDATE part_reference SET deleted_at = NULL, revision = $4 \
                 WHERE COALESCE(tenant_id, '') = $1 AND label = $2 AND deleted_at >= $3 AND deleted_at = \
                     (SELECT taught.deleted_at FROM taught_part_type AS taught \
                      WHERE COALESCE(taught.tenant_id, '') = $1 AND taught.label = $2)",
                [owner_text(owner), label, since, revision]
            );
            query.execute(&mut *tx).await?;
            let query = sql!(
                "UPDATE taught_part_type SET deleted_at = NULL \
                 WHERE COALESCE(tenant_id, '') = $1 AND label = $2 AND deleted_at >= $3",
                [owner_text(owner), label, since]
            );
            if query.execute(&mut *tx).await?.rows_affected() == 0 {
                tx.rollback().await?;
                return Ok(false);
            }
            tx.commit().await?;
            Ok(true)
        })
        .await
    }
}

/// An owner as [`OWNED`] compares them.
pub(super) fn owner_text(owner: Option<TenantId>) -> String {
    owner.map(|id| id.to_string()).unwrap_or_default()
}

/// Saves a new part type, in the place of a deleted one of the same label where its owner has one.
pub(super) async fn insert_taught_type(
    part_type: &TaughtPartType,
    user_id: Option<UserId>,
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    let TaughtPartType { tenant_id, label, name, category, created_at, deleted_at } = part_type;
    let sql = format!(
        "UPDATE taught_part_type SET name = $3, category = $4, created_by = $5, created_at = $6, deleted_at = NULL \
         WHERE {OWNED} AND label = $2 AND deleted_at IS NOT NULL"
    );
    let query =
        sql!(AssertSqlSafe(sql), [owner_text(*tenant_id), label, name, category, user_id, created_at]);
    if query.execute(&mut *tx).await?.rows_affected() > 0 {
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

/// Whether an owner, `None` for all tenants, has deleted their part type of this label.
pub(super) async fn is_type_deleted(
    owner: Option<TenantId>,
    label: &PartLabel,
    tx: &mut AnyConnection,
) -> Result<bool, Error> {
    let sql = format!(
        "SELECT COUNT(*) FROM taught_part_type WHERE {OWNED} AND label = $2 AND deleted_at IS NOT NULL"
    );
    let query = scalar!(AssertSqlSafe(sql), [owner_text(owner), label]);
    let n: i64 = query.fetch_one(tx).await?;
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
