//! Reading the parts of a shop; `shop_part_changes.rs` writes them.

use std::collections::HashMap;

use partsight_domain::{
    NewShopPart, PartFitment, PartLabel, PartPrice, ReferenceId, ShopPart, ShopPartId, TenantId,
};
use sqlx::any::AnyRow;
use sqlx::{AssertSqlSafe, Row};

use crate::filter::Filter;
use crate::{Error, Store, rows};

/// Sorts after every id: a page without a cursor begins there.
const LAST_ID: &str = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/// Rows that are converted without yielding to other tasks: some milliseconds if each has its 500 fitments.
const ROWS_A_PIECE: usize = 100;

/// The texts of a part that text search uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShopPartTexts {
    /// Id of the part.
    pub id: ShopPartId,
    /// Its type.
    pub label: PartLabel,
    /// The shop's name for it.
    pub name: Option<String>,
    /// Its number.
    pub number: String,
    /// The brand.
    pub brand: Option<String>,
    /// Free text.
    pub notes: Option<String>,
}

impl Store {
    /// The newest parts of a tenant, of one type if given, after the part `before`.
    pub async fn list_shop_parts(
        &self,
        tenant_id: TenantId,
        label: Option<&PartLabel>,
        before: Option<ShopPartId>,
        limit: u32,
    ) -> Result<Vec<ShopPart>, Error> {
        let query = sql!(
            "SELECT * FROM shop_part WHERE tenant_id = $1 AND deleted_at IS NULL AND ($2 = '' OR label = $2) \
             AND shop_part_id < $3 ORDER BY shop_part_id DESC LIMIT $4",
            [tenant_id, label.map_or("", PartLabel::as_str)],
            [before.map_or_else(|| LAST_ID.to_owned(), |id| id.to_string()), limit]
        );
        let rows = query.fetch_all(&self.db).await?;
        let mut parts: Vec<ShopPart> = read_in_pieces(&rows, part_from_row).await?;
        if let (Some(newest), Some(oldest)) = (parts.first(), parts.last()) {
            // One query for the page, whose parts lie between its first and last id. For a page of one type it also
            // reads some photographs of other parts.
            let mut photos = self.photos_between(tenant_id, oldest.id, newest.id).await?;
            for part in &mut parts {
                part.details.photos = photos.remove(&part.id).unwrap_or_default();
            }
        }
        Ok(parts)
    }

    /// One part of a tenant.
    pub async fn find_shop_part(
        &self,
        tenant_id: TenantId,
        id: ShopPartId,
    ) -> Result<Option<ShopPart>, Error> {
        let query = sql!(
            "SELECT * FROM shop_part WHERE tenant_id = $1 AND shop_part_id = $2 AND deleted_at IS NULL",
            [tenant_id, id]
        );
        let row = query.fetch_optional(&self.db).await?;
        let Some(row) = row else { return Ok(None) };
        let mut part = part_from_row(&row)?;
        part.details.photos = self.photos_between(tenant_id, id, id).await?.remove(&id).unwrap_or_default();
        Ok(Some(part))
    }

    /// The parts of a tenant that any of these references show, each with those references.
    pub async fn list_shop_parts_shown(
        &self,
        tenant_id: TenantId,
        references: &[ReferenceId],
    ) -> Result<Vec<ShopPart>, Error> {
        let mut filter = Filter::new("shop_part.tenant_id", tenant_id);
        filter.and(|f| f.one_of("shop_part_photo.part_reference_id", references));
        let sql = format!(
            "SELECT shop_part.*, shop_part_photo.part_reference_id FROM shop_part \
             JOIN shop_part_photo ON shop_part_photo.shop_part_id = shop_part.shop_part_id \
             WHERE {} AND shop_part.deleted_at IS NULL \
             ORDER BY shop_part.shop_part_id, shop_part_photo.part_reference_id",
            filter.condition()
        );
        let rows = filter.bind(sqlx::query(AssertSqlSafe(sql))).fetch_all(&self.db).await?;
        let mut parts: Vec<ShopPart> = Vec::new();
        for row in &rows {
            let photo: ReferenceId = rows::parsed(row, "part_reference_id")?;
            let id: ShopPartId = rows::parsed(row, "shop_part_id")?;
            // The rows are sorted by part, so a part that was seen before is the last one.
            if let Some(last) = parts.last_mut().filter(|last| last.id == id) {
                last.details.photos.push(photo);
            } else {
                let mut part = part_from_row(row)?;
                part.details.photos.push(photo);
                parts.push(part);
            }
        }
        Ok(parts)
    }

    /// The texts of all parts of a tenant.
    pub async fn list_shop_part_texts(&self, tenant_id: TenantId) -> Result<Vec<ShopPartTexts>, Error> {
        // All of them, since no index of both databases finds a mistyped word; the quota of parts bounds their
        // number.
        let query = sql!(
            "SELECT shop_part_id, label, name, part_number, brand, notes FROM shop_part \
             WHERE tenant_id = $1 AND deleted_at IS NULL",
            [tenant_id]
        );
        let rows = query.fetch_all(&self.db).await?;
        read_in_pieces(&rows, texts_from_row).await
    }

    /// The texts of the newest parts of some types, at most `most` of each.
    pub async fn list_newest_shop_part_texts(
        &self,
        tenant_id: TenantId,
        labels: &[PartLabel],
        most: u32,
    ) -> Result<Vec<ShopPartTexts>, Error> {
        let mut filter = Filter::new("tenant_id", tenant_id);
        filter.and(|f| f.one_of("label", labels));
        let most = filter.number(most.into());
        let sql = format!(
            "SELECT shop_part_id, label, name, part_number, brand, notes FROM \
                 (SELECT shop_part_id, label, name, part_number, brand, notes, \
                         ROW_NUMBER() OVER (PARTITION BY label ORDER BY shop_part_id DESC) AS place \
                  FROM shop_part WHERE {} AND deleted_at IS NULL) AS newest \
             WHERE place <= {most} ORDER BY label, shop_part_id DESC",
            filter.condition()
        );
        let rows = filter.bind(sqlx::query(AssertSqlSafe(sql))).fetch_all(&self.db).await?;
        rows.iter().map(texts_from_row).collect()
    }

    /// The photographs of the parts of a tenant with ids from one to another, both inclusive.
    async fn photos_between(
        &self,
        tenant_id: TenantId,
        first: ShopPartId,
        last: ShopPartId,
    ) -> Result<HashMap<ShopPartId, Vec<ReferenceId>>, Error> {
        let query = sql!(
            "SELECT shop_part_photo.shop_part_id, shop_part_photo.part_reference_id FROM shop_part_photo \
             JOIN shop_part ON shop_part.shop_part_id = shop_part_photo.shop_part_id \
             JOIN part_reference ON part_reference.part_reference_id = shop_part_photo.part_reference_id \
             WHERE shop_part.tenant_id = $1 AND shop_part.shop_part_id BETWEEN $2 AND $3 \
               AND part_reference.deleted_at IS NULL \
             ORDER BY shop_part_photo.part_reference_id",
            [tenant_id, first, last]
        );
        let rows = query.fetch_all(&self.db).await?;
        let mut photos: HashMap<ShopPartId, Vec<ReferenceId>> = HashMap::new();
        for row in &rows {
            let id = rows::parsed(row, "shop_part_id")?;
            photos.entry(id).or_default().push(rows::parsed(row, "part_reference_id")?);
        }
        Ok(photos)
    }
}

/// Converts each row, and yields to other tasks between chunks.
async fn read_in_pieces<T>(
    rows: &[AnyRow],
    read: impl Fn(&AnyRow) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    let mut all = Vec::with_capacity(rows.len());
    for piece in rows.chunks(ROWS_A_PIECE) {
        for row in piece {
            all.push(read(row)?);
        }
        tokio::task::yield_now().await;
    }
    Ok(all)
}

pub(super) fn texts_from_row(row: &AnyRow) -> Result<ShopPartTexts, Error> {
    Ok(ShopPartTexts {
        id: rows::parsed(row, "shop_part_id")?,
        label: rows::label(row, "label")?,
        name: row.try_get("name")?,
        number: row.try_get("part_number")?,
        brand: row.try_get("brand")?,
        notes: row.try_get("notes")?,
    })
}

/// A part without its photographs.
fn part_from_row(row: &AnyRow) -> Result<ShopPart, Error> {
    let price_cents: Option<i64> = row.try_get("price_cents")?;
    let currency: Option<String> = row.try_get("currency")?;
    let price = price_cents.zip(currency).map(|(cents, currency)| PartPrice::new(cents, &currency));
    let fitments: Vec<PartFitment> = rows::json(row, "fitments")?;
    Ok(ShopPart {
        id: rows::parsed(row, "shop_part_id")?,
        tenant_id: rows::parsed(row, "tenant_id")?,
        details: NewShopPart {
            label: rows::label(row, "label")?,
            name: row.try_get("name")?,
            number: row.try_get("part_number")?,
            brand: row.try_get("brand")?,
            price: price.transpose().map_err(|error| rows::corrupt("price_cents", &error))?,
            notes: row.try_get("notes")?,
            fitments,
            photos: Vec::new(),
        },
        created_at: rows::timestamp(row, "created_at")?,
        updated_at: rows::timestamp(row, "updated_at")?,
        revision: row.try_get("revision")?,
    })
}
