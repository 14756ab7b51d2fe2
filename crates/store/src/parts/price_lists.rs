//! Price lists: made unseen, published at once, deleted and restored.

use jiff::Timestamp;
use partsight_domain::{
    Currency, Fitment, LinkTemplate, PriceList, PriceListDetails, PriceListId, PriceListItem, TenantId,
    UserId,
};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Row};

use crate::{Error, Store, rows};

const INSERT: &str = "INSERT INTO price_list_item (price_list_id, row_number, type_key, number_key, name, part_number, \
                      brand, ten_thousandths, currency, in_stock, shipping_info, url, notes, make_key, model_key, \
                      first_year, last_year)";
/// Of [`INSERT`].
const VALUES_A_ROW: usize = 17;
/// Rows of one statement. SQLite finds each value's place by its name among all of them, so that a long statement
/// takes longer for each row: 100,000 rows took 30 s by 500 and 7 s by 40, in an unoptimised build.
const ROWS_A_STATEMENT: usize = 40;
/// Rows that are deleted at a time, so that nobody else's work waits for long.
const ROWS_A_DELETION: i64 = 10_000;
/// The model years of a row that names none.
const ANY_YEARS: (i64, i64) = (0, 9999);

const COLUMNS: &str = "price_list_id, name, supplier, currency, website, url_template, phone, shipping_info, n_items, \
                       published_at, deleted_at";

/// A price list that is about to arrive.
#[derive(Debug, Clone, Copy)]
pub struct NewPriceList<'l> {
    /// Its id.
    pub id: PriceListId,
    /// What it is.
    pub details: &'l PriceListDetails,
    /// Who uploads it.
    pub user_id: UserId,
    /// Now.
    pub created_at: Timestamp,
}

/// What became of a list that was to be published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PublishList {
    /// It is in force; whether it replaced one of its name.
    Published {
        /// Whether there was one.
        has_replaced: bool,
    },
    /// There are as many lists as there may be.
    TooManyLists,
    /// There are as many rows as there may be.
    TooManyRows,
    /// There is no such list, or it is published.
    Missing,
}

impl Store {
    /// Makes an empty price list of a tenant that nobody sees until it is published.
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

    /// Adds rows to a price list of a tenant that is not published, all or none; tells whether there is such a list.
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

    /// Puts a price list of a tenant into force in place of the one of its name, which can be restored until it is
    /// purged; an older one of that name that was deleted is purged with the next ones.
    ///
    /// `max_lists` and `max_rows` bound what a tenant may have in all, deleted lists among it.
    pub async fn publish_price_list(
        &self,
        tenant_id: TenantId,
        id: PriceListId,
        (max_lists, max_rows): (u64, u64),
        now: Timestamp,
    ) -> Result<PublishList, Error> {
        let mut tx = self.begin().await?;
        // The bounds are a rule over all lists of the tenant.
        Self::lock_tenant(&mut tx, tenant_id).await?;
        let query = sql!(
            "SELECT name_key FROM price_list \
             WHERE tenant_id = $1 AND price_list_id = $2 AND published_at IS NULL",
            [tenant_id, id]
        );
        let unpublished = query.fetch_optional(&mut *tx).await?;
        let Some(row) = unpublished else {
            tx.rollback().await?;
            return Ok(PublishList::Missing);
        };
        let name_key: String = row.try_get("name_key")?;
        // One version to go back to is enough: those before it make room. The moment is before any that is kept.
        let query = sql!(
            "UPDATE price_list SET deleted_at = 0 \
             WHERE tenant_id = $1 AND name_key = $2 AND published_at IS NOT NULL AND deleted_at IS NOT NULL",
            [tenant_id, name_key]
        );
        query.execute(&mut *tx).await?;
        let query = sql!(
            "UPDATE price_list SET deleted_at = $3 \
             WHERE tenant_id = $1 AND name_key = $2 AND published_at IS NOT NULL AND deleted_at IS NULL",
            [tenant_id, name_key, now]
        );
        let replaced = query.execute(&mut *tx).await?;
        let query = sql!(
            "SELECT COUNT(*) AS n_lists, CAST(COALESCE(SUM(n_items), 0) AS BIGINT) AS n_rows FROM price_list \
             WHERE tenant_id = $1 AND COALESCE(deleted_at, 1) > 0 \
                   AND (published_at IS NOT NULL OR price_list_id = $2)",
            [tenant_id, id]
        );
        // Counted after the older versions were marked, which a replacement does not have to make room for. A refusal
        // is rolled back with the transaction, so that the list before stays in force.
        let totals = query.fetch_one(&mut *tx).await?;
        if totals.try_get::<i64, _>("n_lists")?.unsigned_abs() > max_lists {
            tx.rollback().await?;
            return Ok(PublishList::TooManyLists);
        }
        if totals.try_get::<i64, _>("n_rows")?.unsigned_abs() > max_rows {
            tx.rollback().await?;
            return Ok(PublishList::TooManyRows);
        }
        let query = sql!(
            "UPDATE price_list SET published_at = $3 WHERE tenant_id = $1 AND price_list_id = $2",
            [tenant_id, id, now]
        );
        query.execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(PublishList::Published { has_replaced: replaced.rows_affected() > 0 })
    }

    /// Gives up a price list of a tenant that was not published.
    pub async fn discard_price_list(&self, tenant_id: TenantId, id: PriceListId) -> Result<(), Error> {
        let query = scalar!(
            "SELECT price_list_id FROM price_list \
             WHERE tenant_id = $1 AND price_list_id = $2 AND published_at IS NULL",
            [tenant_id, id]
        );
        // Whose list it is is checked here, and its id is what is deleted by: rows are erased in several transactions.
        let found: Option<String> = query.fetch_optional(&self.db).await?;
        match found {
            Some(id) => self.erase_price_list(&id).await,
            None => Ok(()),
        }
    }

    /// The price lists of a tenant, the newest first; deleted ones that can be restored among them.
    pub async fn list_price_lists(&self, tenant_id: TenantId) -> Result<Vec<PriceList>, Error> {
        let sql = format!(
            "SELECT {COLUMNS} FROM price_list \
             WHERE tenant_id = $1 AND published_at IS NOT NULL AND COALESCE(deleted_at, 1) > 0 \
             ORDER BY published_at DESC, price_list_id DESC"
        );
        self.list(sql!(AssertSqlSafe(sql), [tenant_id]), list_from_row).await
    }

    /// Marks a price list of a tenant as deleted at a moment, or restores it; tells whether that changed anything.
    ///
    /// # Errors
    /// [`Error::Constraint`] `price_list_name_taken` for one that is to be restored beside another of its name.
    pub async fn set_price_list_deleted(
        &self,
        tenant_id: TenantId,
        id: PriceListId,
        deleted_at: Option<Timestamp>,
    ) -> Result<bool, Error> {
        let query = sql!(
            "UPDATE price_list SET deleted_at = $3 \
             WHERE tenant_id = $1 AND price_list_id = $2 AND published_at IS NOT NULL \
                   AND COALESCE(deleted_at, 1) > 0 AND (deleted_at IS NULL) <> ($3 IS NULL)",
            [tenant_id, id, deleted_at]
        );
        Ok(self.write(query).await? > 0)
    }

    /// Deletes for good the price lists of all tenants that were deleted before one moment, and those that were made
    /// before another and never published; returns how many went.
    pub async fn purge_price_lists(
        &self,
        deleted_before: Timestamp,
        made_before: Timestamp,
    ) -> Result<u64, Error> {
        let query = scalar!(
            "SELECT price_list_id FROM price_list \
             WHERE deleted_at < $1 OR (published_at IS NULL AND created_at < $2)",
            [deleted_before, made_before]
        );
        let doomed: Vec<String> = query.fetch_all(&self.db).await?;
        for id in &doomed {
            self.erase_price_list(id).await?;
        }
        Ok(doomed.len() as u64)
    }

    /// Deletes a list that nobody sees any more, its rows some at a time.
    async fn erase_price_list(&self, id: &str) -> Result<(), Error> {
        let last: Option<i64> =
            scalar!("SELECT MAX(row_number) FROM price_list_item WHERE price_list_id = $1", [id])
                .fetch_one(&self.db)
                .await?;
        // By row numbers, which begin at 1 and are the key, so that each deletion reads only what it deletes.
        let mut up_to = 0;
        while up_to < last.unwrap_or(0) {
            up_to += ROWS_A_DELETION;
            let query = sql!(
                "DELETE FROM price_list_item WHERE price_list_id = $1 AND row_number <= $2",
                [id, up_to]
            );
            self.write(query).await?;
        }
        // Last: where this is interrupted, the list is still there, and the next purge goes on.
        self.write(sql!("DELETE FROM price_list WHERE price_list_id = $1", [id])).await?;
        Ok(())
    }
}

async fn insert_items(
    id: PriceListId,
    items: &[PriceListItem],
    connection: &mut AnyConnection,
) -> Result<(), Error> {
    let sql = format!("{INSERT} VALUES {}", placeholders(items.len()));
    let mut query = sqlx::query(AssertSqlSafe(sql));
    let id = id.to_string();
    // Empty texts and the widest years stand for "any", so that the query compares without asking for NULL.
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

/// `($1, $2, ...), ($18, ...)` for so many rows.
fn placeholders(n_rows: usize) -> String {
    let rows = (0..n_rows).map(|row| {
        let first = row * VALUES_A_ROW + 1;
        let places: Vec<String> = (first..first + VALUES_A_ROW).map(|place| format!("${place}")).collect();
        format!("({})", places.join(", "))
    });
    rows.collect::<Vec<_>>().join(", ")
}

/// What a price list is, from the columns of its table.
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
