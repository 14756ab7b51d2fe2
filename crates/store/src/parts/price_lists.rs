//! Price lists and their rows; published, deleted and restored by `uploaded_lists.rs`.

use jiff::Timestamp;
use partsight_domain::{
    Currency, Fitment, LinkTemplate, PriceList, PriceListDetails, PriceListId, PriceListItem, TenantId,
    UserId,
};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Row};

use crate::many_rows::repeated;
use crate::{Error, Store, rows};

const INSERT: &str = "INSERT INTO price_list_item (price_list_id, row_number, type_key, number_key, name, part_number, \
                      brand, ten_thousandths, currency, in_stock, shipping_info, url, notes, make_key, model_key, \
                      first_year, last_year)";
/// The placeholders of a row of [`INSERT`].
const ROW: &str = "($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)";
/// Rows in one statement. SQLite looks each placeholder up by name among all of them, so that each row of a long
/// statement takes longer: 100,000 rows took 30 s in statements of 500 and 7 s in statements of 40, in an unoptimised
/// build.
const ROWS_A_STATEMENT: usize = 40;
/// The model years of a row without any.
const ANY_YEARS: (i64, i64) = (0, 9999);

const COLUMNS: &str = "price_list_id, name, supplier, currency, website, url_template, phone, shipping_info, n_items, \
                       published_at, deleted_at";

/// A price list to insert.
#[derive(Debug, Clone, Copy)]
pub struct NewPriceList<'l> {
    /// Id of the list.
    pub id: PriceListId,
    /// Name, supplier and the other facts about it.
    pub details: &'l PriceListDetails,
    /// The user who uploads it.
    pub user_id: UserId,
    /// Now.
    pub created_at: Timestamp,
}

impl Store {
    /// Creates an empty price list of a tenant that is invisible until it is published.
    pub async fn create_price_list(&self, tenant_id: TenantId, new: NewPriceList<'_>) -> Result<(), Error> {
        let query = sql!(
            "INSERT INTO price_list (price_list_id, tenant_id, name, name_key, supplier, currency, website, \
                                     url_template, phone, shipping_info, n_items, created_by, created_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, $11, $12)",
            [new.id, tenant_id, new.details.name, new.details.name_key(), new.details.supplier],
            [new.details.currency, new.details.website, new.details.url_template, new.details.phone],
            [new.details.shipping_info, new.user_id, new.created_at]
        );
        self.write(query).await?;
        Ok(())
    }

    /// Adds rows to an unpublished price list of a tenant, all or none; returns whether there is such a list.
    pub async fn add_price_list_items(
        &self,
        tenant_id: TenantId,
        id: PriceListId,
        items: &[PriceListItem],
    ) -> Result<bool, Error> {
        // One of many short transactions: half a million rows in one would keep all other writers of SQLite waiting.
        let mut tx = self.begin().await?;
        let query = sql!(
            "UPDATE price_list SET n_items = n_items + $3 \
             WHERE price_list_id = $2 AND tenant_id = $1 AND published_at IS NULL",
            [tenant_id, id, i64::try_from(items.len()).unwrap_or(i64::MAX)]
        );
        let counted = query.execute(&mut *tx).await?;
        if counted.rows_affected() == 0 {
            tx.rollback().await?;
            return Ok(false);
        }
        for items in items.chunks(ROWS_A_STATEMENT) {
            insert_items(id, items, &mut tx).await?;
        }
        tx.commit().await?;
        Ok(true)
    }

    /// The price lists of a tenant, the newest first, including deleted ones that can be restored.
    pub async fn list_price_lists(&self, tenant_id: TenantId) -> Result<Vec<PriceList>, Error> {
        let sql = format!(
            "SELECT {COLUMNS} FROM price_list \
             WHERE tenant_id = $1 AND published_at IS NOT NULL AND COALESCE(deleted_at, 1) > 0 \
             ORDER BY published_at DESC, price_list_id DESC"
        );
        self.list(sql!(AssertSqlSafe(sql), [tenant_id]), list_from_row).await
    }
}

async fn insert_items(
    id: PriceListId,
    items: &[PriceListItem],
    connection: &mut AnyConnection,
) -> Result<(), Error> {
    let sql = format!("{INSERT} VALUES {}", repeated(ROW, 17, items.len(), 0));
    let mut query = sqlx::query(AssertSqlSafe(sql));
    let id = id.to_string();
    // Empty texts and the widest range of years stand for "any", so that the query need not check for NULL.
    let key = |text: Option<&str>| text.map(Fitment::normalised).unwrap_or_default();
    let year = |year: Option<u16>, any: i64| year.map_or(any, i64::from);
    for item in items {
        let fitment = item.fitment.as_ref();
        query = query
            .bind(&id)
            .bind(i64::from(item.row))
            .bind(&item.type_key)
            .bind(&item.number_key)
            .bind(item.name.as_deref())
            .bind(item.part_number.as_deref())
            .bind(item.brand.as_deref())
            .bind(item.price.ten_thousandths())
            .bind(item.price.currency().to_string())
            .bind(item.in_stock.map(i64::from))
            .bind(item.shipping_info.as_deref())
            .bind(item.url.as_deref())
            .bind(item.notes.as_deref())
            .bind(key(fitment.map(|fitment| fitment.make.as_str())))
            .bind(key(fitment.and_then(|fitment| fitment.model.as_deref())))
            .bind(year(fitment.and_then(|fitment| fitment.first_year), ANY_YEARS.0))
            .bind(year(fitment.and_then(|fitment| fitment.last_year), ANY_YEARS.1));
    }
    query.execute(connection).await?;
    Ok(())
}

/// The details of a price list, from the columns of its table.
pub(crate) fn details_from_row(row: &AnyRow) -> Result<PriceListDetails, Error> {
    let currency: String = row.try_get("currency")?;
    let template: Option<String> = row.try_get("url_template")?;
    let template = template.map(|text| LinkTemplate::new("urlTemplate", &text)).transpose();
    Ok(PriceListDetails {
        name: row.try_get("name")?,
        supplier: row.try_get("supplier")?,
        currency: Currency::new(&currency).map_err(|error| rows::corrupt("currency", &error))?,
        website: row.try_get("website")?,
        url_template: template.map_err(|error| rows::corrupt("url_template", &error))?,
        phone: row.try_get("phone")?,
        shipping_info: row.try_get("shipping_info")?,
    })
}

fn list_from_row(row: &AnyRow) -> Result<PriceList, Error> {
    Ok(PriceList {
        id: rows::parsed(row, "price_list_id")?,
        details: details_from_row(row)?,
        n_items: rows::count(row, "n_items")?,
        published_at: rows::timestamp(row, "published_at")?,
        deleted_at: rows::optional_timestamp(row, "deleted_at")?,
    })
}
