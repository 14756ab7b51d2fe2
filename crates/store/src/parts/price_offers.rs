//! Finds a part in the price lists of a tenant.

use partsight_domain::{Currency, Fitment, Price, PriceListDetails, TenantId, VehicleName};
use sqlx::any::AnyRow;
use sqlx::{AssertSqlSafe, Row};

use super::price_lists::details_from_row;
use crate::filter::Filter;
use crate::{Error, Store, rows};

/// Most prices of one list and currency that are returned: the lowest.
const PRICES_OF_LIST: i64 = 20;

/// The keys by which a part is found.
#[derive(Debug, Clone, Copy)]
pub enum PartKeys<'k> {
    /// Label and names of its type, each as `part_key` writes it.
    Type(&'k [String]),
    /// Its part numbers, each as `number_key` writes it.
    Number(&'k [String]),
}

/// A row of a price list that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedPrice {
    /// The details of its list.
    pub details: PriceListDetails,
    /// When the list was published.
    pub published_at: jiff::Timestamp,
    /// The shop's name for the part.
    pub name: Option<String>,
    /// The number as the shop writes it.
    pub part_number: Option<String>,
    /// The brand.
    pub brand: Option<String>,
    /// What it costs.
    pub price: Price,
    /// Whether it is in stock, if the row says so.
    pub in_stock: Option<bool>,
    /// Shipping of this part.
    pub shipping_info: Option<String>,
    /// The page of this part.
    pub url: Option<String>,
    /// Further notes.
    pub notes: Option<String>,
    /// Whether the row lists the vehicles that the part fits.
    pub names_vehicles: bool,
}

impl Store {
    /// The lowest prices of a part in each published list of a tenant, by currency and price. Rows that list vehicles
    /// are left out if `vehicle` is not among them.
    pub async fn find_listed_prices(
        &self,
        tenant_id: TenantId,
        keys: PartKeys<'_>,
        vehicle: Option<&VehicleName>,
    ) -> Result<Vec<ListedPrice>, Error> {
        let (column, keys) = match keys {
            PartKeys::Type(keys) => ("item.type_key", keys),
            PartKeys::Number(keys) => ("item.number_key", keys),
        };
        // An empty key stands for "none" and must match nothing.
        let keys: Vec<&String> = keys.iter().filter(|key| !key.is_empty()).collect();
        let mut filter = Filter::new("list.tenant_id", tenant_id);
        filter.and(|_| "list.published_at IS NOT NULL AND list.deleted_at IS NULL".to_owned());
        filter.and(|f| f.one_of(column, &keys));
        if let Some(vehicle) = vehicle {
            filter.and(|f| {
                let make = f.text(Fitment::normalised(&vehicle.make));
                let model = f.text(Fitment::normalised(&vehicle.model));
                let year = f.number(vehicle.year.get().into());
                format!(
                    "(item.make_key = '' OR (item.make_key = {make} AND item.model_key IN ('', {model}))) \
                     AND item.first_year <= {year} AND item.last_year >= {year}"
                )
            });
        }
        // The lowest of each list and currency: prices in different currencies are never compared, and a list with
        // many rows of one part must not crowd out the others.
        let condition = filter.condition();
        let sql = format!(
            "SELECT * FROM (SELECT list.price_list_id, list.name, list.supplier, list.currency, list.website, list.url_template, \
                    list.phone, list.shipping_info, list.published_at, item.row_number, item.name AS item_name, \
                    item.part_number, item.brand, item.ten_thousandths, item.currency AS item_currency, \
                    item.in_stock, item.shipping_info AS item_shipping_info, item.url, item.notes, \
                    item.make_key, item.first_year, item.last_year, \
                    ROW_NUMBER() OVER (PARTITION BY list.price_list_id, item.currency \
                                       ORDER BY item.ten_thousandths, item.row_number) AS place \
             FROM price_list AS list JOIN price_list_item AS item ON item.price_list_id = list.price_list_id \
             WHERE {condition}) AS found WHERE place <= {PRICES_OF_LIST} \
             ORDER BY item_currency, ten_thousandths, supplier, price_list_id, row_number"
        );
        self.list(filter.bind(sqlx::query(AssertSqlSafe(sql))), price_from_row).await
    }
}

fn price_from_row(row: &AnyRow) -> Result<ListedPrice, Error> {
    let currency: String = row.try_get("item_currency")?;
    let currency = Currency::new(&currency).map_err(|error| rows::corrupt("currency", &error))?;
    let amount: i64 = row.try_get("ten_thousandths")?;
    let in_stock: Option<i64> = row.try_get("in_stock")?;
    let make: String = row.try_get("make_key")?;
    Ok(ListedPrice {
        details: details_from_row(row)?,
        published_at: rows::timestamp(row, "published_at")?,
        name: row.try_get("item_name")?,
        part_number: row.try_get("part_number")?,
        brand: row.try_get("brand")?,
        price: Price::new(amount, currency).ok_or_else(|| rows::corrupt("ten_thousandths", &amount))?,
        in_stock: in_stock.map(|truth| truth != 0),
        shipping_info: row.try_get("item_shipping_info")?,
        url: row.try_get("url")?,
        notes: row.try_get("notes")?,
        names_vehicles: !make.is_empty(),
    })
}
