//! How much of each quota a tenant uses.

use partsight_domain::{Plan, Quota, TenantId};
use sqlx::AnyConnection;

use crate::transaction::Transaction;
use crate::{Error, Store};

impl Store {
    /// How much of `quota` a tenant uses: rows, or bytes for [`Quota::PictureBytes`].
    ///
    /// Deleted rows that can still be restored count, because they take space. Reads an index entry for each row: 1
    /// ms for some ten thousand, and 3 ms of pictures; on PostgreSQL the row of each picture, without its bytes.
    pub async fn count_kept(&self, tenant_id: TenantId, quota: Quota) -> Result<u64, Error> {
        count_kept(tenant_id, quota, &mut *self.db.acquire().await?).await
    }
}

impl Transaction {
    /// Continues if the tenant may store `n_more` of what `quota` limits; otherwise rolls back. Must follow a statement
    /// that locks the counted rows, such as `lock_tenant`: otherwise concurrent calls can exceed the quota by their
    /// number.
    ///
    /// # Errors
    /// [`Error::QuotaReached`].
    pub(crate) async fn within_quota(
        mut self,
        tenant_id: TenantId,
        quota: Quota,
        plan: Plan,
        n_more: usize,
    ) -> Result<Self, Error> {
        let n_kept = count_kept(tenant_id, quota, &mut self).await?;
        if n_kept + n_more as u64 > quota.limit(plan) {
            self.rollback().await?;
            return Err(Error::QuotaReached { quota, plan });
        }
        Ok(self)
    }
}

/// The bytes of the pictures of the tenant $1.
pub(crate) const PICTURE_BYTES: &str = "SELECT (SELECT COALESCE(SUM(LENGTH(bytes)), 0) FROM scan_photo WHERE tenant_id = $1) \
      + (SELECT COALESCE(CAST(SUM(photo_object.n_bytes) AS BIGINT), 0) FROM photo_object \
         JOIN scan_photo ON scan_photo.scan_id = photo_object.scan_id \
           AND scan_photo.size = photo_object.size \
         WHERE scan_photo.tenant_id = $1 AND scan_photo.is_outside = 1 AND photo_object.is_stored = 1) \
      + (SELECT COALESCE(SUM(LENGTH(bytes)), 0) FROM batch_photo WHERE tenant_id = $1) \
      + (SELECT COALESCE(SUM(LENGTH(bytes)), 0) FROM evaluation_photo WHERE tenant_id = $1) \
      + (SELECT COALESCE(SUM(LENGTH(bytes)), 0) FROM evaluation_file WHERE tenant_id = $1) \
      + (SELECT COALESCE(SUM(LENGTH(part_reference_photo.bytes)), 0) FROM part_reference_photo \
         JOIN part_reference \
           ON part_reference.part_reference_id = part_reference_photo.part_reference_id \
         WHERE part_reference.tenant_id = $1)";

async fn count_kept(tenant_id: TenantId, quota: Quota, db: &mut AnyConnection) -> Result<u64, Error> {
    let sql = match quota {
        Quota::Vehicles => "SELECT COUNT(*) FROM vehicle WHERE tenant_id = $1",
        Quota::Records => {
            "SELECT (SELECT COUNT(*) FROM oil_change WHERE tenant_id = $1) \
                  + (SELECT COUNT(*) FROM repair WHERE tenant_id = $1) \
                  + (SELECT COUNT(*) FROM odometer_reading WHERE tenant_id = $1)"
        }
        Quota::MaintenanceItems => "SELECT COUNT(*) FROM maintenance_item WHERE tenant_id = $1",
        Quota::ShopParts => "SELECT COUNT(*) FROM shop_part WHERE tenant_id = $1",
        Quota::PriceListRows => {
            "SELECT COUNT(*) FROM price_list_item \
             JOIN price_list ON price_list.price_list_id = price_list_item.price_list_id \
             WHERE price_list.tenant_id = $1"
        }
        Quota::TaughtPhotos => "SELECT COUNT(*) FROM part_reference WHERE tenant_id = $1",
        Quota::Scans => "SELECT COUNT(*) FROM scan WHERE tenant_id = $1",
        Quota::PictureBytes => PICTURE_BYTES,
    };
    let n: i64 = scalar!(sql, [tenant_id]).fetch_one(db).await?;
    Ok(n.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query_plans::assert_plan;

    #[tokio::test]
    async fn the_bytes_of_pictures_are_summed_from_indexes() {
        let indexes = [
            "scan_photo_bytes_by_tenant",
            "scan_photo_outside",
            "batch_photo_bytes_by_tenant",
            "evaluation_photo_bytes_by_tenant",
            "evaluation_file_bytes_by_tenant",
            "COVERING INDEX part_reference_of_tenant",
            "part_reference_photo_bytes",
        ];
        assert_plan(PICTURE_BYTES, 1, &indexes).await;
    }
}
