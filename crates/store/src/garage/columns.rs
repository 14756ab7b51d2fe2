//! Columns that oil changes, repairs and readings have in common.

use partsight_domain::{Cost, Mileage, RecordPage, TenantId, VehicleId};
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::Error;
use crate::filter::Filter;

/// The rows of `table` on a page of a tenant's records, of one vehicle if given, the newest `day` first: the SQL
/// after `FROM`, and its values.
pub(crate) fn page_of(
    table: &str,
    day: &str,
    tenant_id: TenantId,
    vehicle_id: Option<VehicleId>,
    page: RecordPage,
) -> (Filter, String) {
    let mut filter = Filter::new(&format!("{table}.tenant_id"), tenant_id);
    if let Some(id) = vehicle_id {
        filter.and(|f| format!("{table}.vehicle_id = {}", f.text(id)));
    }
    if let Some(last) = page.before {
        // Paged by the last row and not by an offset: a record that is added meanwhile neither repeats nor hides one.
        filter.and(|f| {
            let (on, id) = (f.text(last.on), f.text(last.id));
            format!("({day} < {on} OR ({day} = {on} AND {table}_id < {id}))")
        });
    }
    let limit = filter.number(i64::from(page.limit));
    let rest = format!("WHERE {} ORDER BY {day} DESC, {table}_id DESC LIMIT {limit}", filter.condition());
    (filter, rest)
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
