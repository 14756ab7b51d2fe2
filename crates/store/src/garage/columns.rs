//! Columns that oil changes, repairs and readings have in common.

use partsight_domain::{Cost, Mileage, RecordPage};
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::Error;

/// Where a page begins: behind this day and id. Without a cursor it is behind a day that no record is of.
pub(crate) fn page_start(page: RecordPage) -> (String, String) {
    page.before.map_or_else(
        || ("9999-12-31".to_owned(), String::new()),
        |cursor| (cursor.on.to_string(), cursor.id.to_string()),
    )
}

/// The `mileage` of a row.
pub(crate) fn mileage(row: &AnyRow) -> Result<Mileage, Error> {
    stored_mileage("mileage", row.try_get("mileage")?)
}

pub(crate) fn stored_mileage(column: &'static str, miles: i64) -> Result<Mileage, Error> {
    Mileage::new(miles).ok_or_else(|| Error::Corrupt { column, reason: format!("`{miles}` is no mileage") })
}

/// The `cost_cents` of a row.
pub(crate) fn cost(row: &AnyRow) -> Result<Option<Cost>, Error> {
    let cents: Option<i64> = row.try_get("cost_cents")?;
    cents
        .map(|cents| {
            Cost::from_cents(cents).ok_or_else(|| Error::Corrupt {
                column: "cost_cents",
                reason: format!("`{cents}` is no cost"),
            })
        })
        .transpose()
}
