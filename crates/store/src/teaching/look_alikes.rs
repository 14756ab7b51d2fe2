//! Pairs of part types that people marked as look-alikes.

use partsight_domain::{LookAlike, LookAlikePair, PartLabel, TenantId, UserId};
use sqlx::AnyConnection;
use sqlx::any::AnyRow;
use uuid::Uuid;

use crate::{Error, Store, rows};

impl Store {
    /// Marks a pair, unless its owner has marked it before; returns whether it is new.
    pub async fn mark_look_alike(
        &self,
        look_alike: &LookAlike,
        user_id: Option<UserId>,
    ) -> Result<bool, Error> {
        let mut tx = self.begin().await?;
        let is_new = insert_look_alike(look_alike, user_id, &mut tx).await?;
        tx.commit().await?;
        Ok(is_new)
    }

    /// Deletes the mark of an owner (`None`: all tenants) on a pair; returns whether there was one.
    pub async fn unmark_look_alike(
        &self,
        owner: Option<TenantId>,
        pair: &LookAlikePair,
    ) -> Result<bool, Error> {
        let [first, second] = pair.labels();
        let query = sql!(
            "DELETE FROM look_alike \
             WHERE COALESCE(tenant_id, '') = $1 AND first_label = $2 AND second_label = $3",
            [owner.map(|id| id.to_string()).unwrap_or_default(), first, second]
        );
        Ok(self.write(query).await? > 0)
    }

    /// The pairs that apply to a tenant, their own and the shared ones, by labels.
    pub async fn list_look_alikes(&self, tenant_id: TenantId) -> Result<Vec<LookAlike>, Error> {
        let query = sql!(
            "SELECT tenant_id, first_label, second_label, created_at FROM look_alike \
             WHERE tenant_id = $1 OR tenant_id IS NULL ORDER BY first_label, second_label, look_alike_id",
            [tenant_id]
        );
        self.list(query, look_alike_from_row).await
    }

    /// The labels of all references that a tenant may see, except deleted ones.
    pub async fn list_referenced_labels(&self, tenant_id: TenantId) -> Result<Vec<PartLabel>, Error> {
        let query = sql!(
            "SELECT DISTINCT label FROM part_reference \
             WHERE (tenant_id = $1 OR tenant_id IS NULL) AND deleted_at IS NULL",
            [tenant_id]
        );
        self.list(query, |row| rows::label(row, "label")).await
    }
}

/// Marks a pair, unless it is marked already; returns whether it is new.
pub(super) async fn insert_look_alike(
    look_alike: &LookAlike,
    user_id: Option<UserId>,
    tx: &mut AnyConnection,
) -> Result<bool, Error> {
    let [first, second] = look_alike.pair.labels();
    let query = sql!(
        "INSERT INTO look_alike (look_alike_id, tenant_id, first_label, second_label, created_by, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
        [Uuid::now_v7(), look_alike.tenant_id, first, second, user_id, look_alike.created_at]
    );
    Ok(query.execute(tx).await?.rows_affected() > 0)
}

/// Deletes the pairs of this label if it is a taught type without remaining references. Pairs of shipped types stay.
pub(super) async fn forget_look_alikes_of(label: &PartLabel, tx: &mut AnyConnection) -> Result<(), Error> {
    let query = sql!(
        "DELETE FROM look_alike WHERE (first_label = $1 OR second_label = $1) \
         AND EXISTS (SELECT 1 FROM taught_part_type AS taught WHERE taught.label = $1 \
             AND (taught.tenant_id = look_alike.tenant_id OR taught.tenant_id IS NULL)) \
         AND NOT EXISTS (SELECT 1 FROM part_reference AS kept WHERE kept.label = $1 \
             AND (kept.tenant_id = look_alike.tenant_id OR kept.tenant_id IS NULL))",
        [label]
    );
    query.execute(tx).await?;
    Ok(())
}

fn look_alike_from_row(row: &AnyRow) -> Result<LookAlike, Error> {
    let (first, second) = (rows::label(row, "first_label")?, rows::label(row, "second_label")?);
    Ok(LookAlike {
        tenant_id: rows::optional(row, "tenant_id")?,
        pair: LookAlikePair::new(first, second)
            .map_err(|error| rows::corrupt("second_label", &error.message))?,
        created_at: rows::timestamp(row, "created_at")?,
    })
}
