//! Queries that keep a vector index in sync with the table: changes, expected content, and tombstones.

use std::collections::HashMap;

use partsight_domain::{PartFitment, PartFitments, ReferenceId};
use sqlx::any::AnyRow;
use sqlx::{AssertSqlSafe, Row};

use super::{COLUMNS, StoredReference, reference_from_row};
use crate::filter::Filter;
use crate::{Error, Store, rows};

impl Store {
    /// The revision of the last change of any reference.
    pub async fn reference_revision(&self) -> Result<i64, Error> {
        Ok(sqlx::query_scalar("SELECT revision FROM part_reference_revision").fetch_one(&self.db).await?)
    }

    /// References of one model, of all tenants, that changed after `revision`, in the order of their changes. At most
    /// `limit`, and beyond it those with the same revision as the last one.
    pub async fn list_changed_references(
        &self,
        model_sha256: &str,
        revision: i64,
        limit: u32,
    ) -> Result<Vec<StoredReference>, Error> {
        let sql = format!(
            "SELECT {COLUMNS} FROM part_reference WHERE model_sha256 = $1 AND revision > $2 \
             AND revision <= COALESCE((SELECT MAX(revision) FROM (SELECT revision FROM part_reference \
                 WHERE model_sha256 = $1 AND revision > $2 ORDER BY revision LIMIT $3) AS page), 0) \
             ORDER BY revision, part_reference_id"
        );
        self.list(sql!(AssertSqlSafe(sql), [model_sha256, revision, limit]), reference_from_row).await
    }

    /// The fitments of the parts that changed references show, for revisions from `first` to `last`: one entry for
    /// each part of the shop that owns the reference. Shared references have none, since fitments differ between
    /// shops.
    pub async fn list_fitments_of_references(
        &self,
        model_sha256: &str,
        first: i64,
        last: i64,
    ) -> Result<HashMap<ReferenceId, Vec<PartFitments>>, Error> {
        let query = sql!(
            "SELECT part_reference.part_reference_id, shop_part.fitments FROM part_reference \
             JOIN shop_part_photo ON shop_part_photo.part_reference_id = part_reference.part_reference_id \
             JOIN shop_part ON shop_part.shop_part_id = shop_part_photo.shop_part_id \
             WHERE part_reference.model_sha256 = $1 AND part_reference.revision BETWEEN $2 AND $3 \
               AND shop_part.tenant_id = part_reference.tenant_id AND shop_part.deleted_at IS NULL",
            [model_sha256, first, last]
        );
        fitments_from_rows(&query.fetch_all(&self.db).await?)
    }

    /// As [`list_fitments_of_references`](Self::list_fitments_of_references), for these references.
    pub async fn list_fitments_by_id(
        &self,
        ids: &[ReferenceId],
    ) -> Result<HashMap<ReferenceId, Vec<PartFitments>>, Error> {
        let mut filter = Filter::default();
        let is_one = filter.one_of("part_reference.part_reference_id", ids);
        let sql = format!(
            "SELECT part_reference.part_reference_id, shop_part.fitments FROM part_reference \
             JOIN shop_part_photo ON shop_part_photo.part_reference_id = part_reference.part_reference_id \
             JOIN shop_part ON shop_part.shop_part_id = shop_part_photo.shop_part_id \
             WHERE {is_one} \
               AND shop_part.tenant_id = part_reference.tenant_id AND shop_part.deleted_at IS NULL"
        );
        fitments_from_rows(&filter.bind(sqlx::query(AssertSqlSafe(sql))).fetch_all(&self.db).await?)
    }

    /// The number of references of one model that changed after `revision`, of all tenants.
    pub async fn count_changed_references(&self, model_sha256: &str, revision: i64) -> Result<u64, Error> {
        let query = scalar!(
            "SELECT COUNT(*) FROM part_reference WHERE model_sha256 = $1 AND revision > $2",
            [model_sha256, revision]
        );
        let n: i64 = query.fetch_one(&self.db).await?;
        Ok(n.unsigned_abs())
    }

    /// Up to `limit` references of one model that are not deleted, of all tenants, each with the revision of its last
    /// change; sorted by id, and after the id `after`.
    pub async fn list_kept_references(
        &self,
        model_sha256: &str,
        after: Option<ReferenceId>,
        limit: u32,
    ) -> Result<Vec<(ReferenceId, i64)>, Error> {
        let query = sql!(
            "SELECT part_reference_id, revision FROM part_reference \
             WHERE model_sha256 = $1 AND deleted_at IS NULL AND part_reference_id > $2 \
             ORDER BY part_reference_id LIMIT $3",
            [model_sha256, after.map(|id| id.to_string()).unwrap_or_default(), limit]
        );
        self.list(query, |row| Ok((rows::parsed(row, "part_reference_id")?, row.try_get("revision")?))).await
    }

    /// Those of these references that are of one model, deleted ones included.
    pub async fn list_references_by_id(
        &self,
        model_sha256: &str,
        ids: &[ReferenceId],
    ) -> Result<Vec<StoredReference>, Error> {
        let mut filter = Filter::new("model_sha256", model_sha256);
        filter.and(|filter| filter.one_of("part_reference_id", ids));
        let sql = format!("SELECT {COLUMNS} FROM part_reference WHERE {}", filter.condition());
        let rows = filter.bind(sqlx::query(AssertSqlSafe(sql))).fetch_all(&self.db).await?;
        rows.iter().map(reference_from_row).collect()
    }

    /// Tombstones of references, of all models, that were deleted with their tenant after `revision`.
    pub async fn list_forgotten_references(&self, revision: i64) -> Result<Vec<ReferenceId>, Error> {
        let query = sql!("SELECT part_reference_id FROM forgotten_reference WHERE revision > $1", [revision]);
        self.list(query, |row| rows::parsed(row, "part_reference_id")).await
    }

    /// The reference that was changed last among those that an index of this model should hold, with its revision.
    pub async fn newest_reference(&self, model_sha256: &str) -> Result<Option<(ReferenceId, i64)>, Error> {
        let query = sql!(
            "SELECT part_reference_id, revision FROM part_reference \
             WHERE model_sha256 = $1 AND deleted_at IS NULL ORDER BY revision DESC, part_reference_id LIMIT 1",
            [model_sha256]
        );
        self.find(query, |row| Ok((rows::parsed(row, "part_reference_id")?, row.try_get("revision")?))).await
    }

    /// The number of references that an index of this model should hold.
    pub async fn count_references(&self, model_sha256: &str) -> Result<u64, Error> {
        let query = scalar!(
            "SELECT COUNT(*) FROM part_reference WHERE model_sha256 = $1 AND deleted_at IS NULL",
            [model_sha256]
        );
        let n: i64 = query.fetch_one(&self.db).await?;
        Ok(n.unsigned_abs())
    }
}

fn fitments_from_rows(rows: &[AnyRow]) -> Result<HashMap<ReferenceId, Vec<PartFitments>>, Error> {
    let mut parts: HashMap<ReferenceId, Vec<PartFitments>> = HashMap::new();
    for row in rows {
        let fitments: Vec<PartFitment> = rows::json(row, "fitments")?;
        parts.entry(rows::parsed(row, "part_reference_id")?).or_default().push(PartFitments::new(&fitments));
    }
    Ok(parts)
}
