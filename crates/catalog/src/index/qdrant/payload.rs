//! How a reference looks on the server. Every field is always there, so that each filter is a plain match.

use partsight_domain::{Category, Fitment};
use qdrant_client::Payload;
use qdrant_client::qdrant::{Condition, Filter, PointStruct, Range, Value};

use super::super::{IndexEntry, SearchFilter};

/// Owner, or [`SHARED`].
pub(super) const TENANT: &str = "tenant_id";
/// The label.
pub(super) const LABEL: &str = "label";
/// The category, or [`ANY`].
pub(super) const CATEGORY: &str = "category";
const KIND: &str = "kind";
const MAKE: &str = "make";
const MODEL: &str = "model";
/// First model year, or [`NO_FIRST_YEAR`].
pub(super) const FIRST_YEAR: &str = "first_year";
/// Last model year, or [`NO_LAST_YEAR`].
pub(super) const LAST_YEAR: &str = "last_year";
/// The fields that are matched as a whole.
pub(super) const TEXT_FIELDS: [&str; 6] = [TENANT, LABEL, CATEGORY, KIND, MAKE, MODEL];

/// The owner of what all tenants share; no UUID reads so.
const SHARED: &str = "shared";
/// Stands for no category, no make or no model in particular.
const ANY: &str = "";
const NO_FIRST_YEAR: i64 = 0;
const NO_LAST_YEAR: i64 = 9999;

pub(super) fn point(entry: &IndexEntry) -> PointStruct {
    let fitment = entry.fitment.as_ref();
    let make = fitment.map_or_else(String::new, |fitment| Fitment::normalised(&fitment.make));
    let model = fitment.and_then(|fitment| fitment.model.as_deref()).map(Fitment::normalised);
    let first_year = fitment.and_then(|fitment| fitment.first_year).map_or(NO_FIRST_YEAR, i64::from);
    let last_year = fitment.and_then(|fitment| fitment.last_year).map_or(NO_LAST_YEAR, i64::from);
    let payload: [(&str, Value); 8] = [
        (TENANT, entry.tenant_id.map_or_else(|| SHARED.to_owned(), |id| id.to_string()).into()),
        (LABEL, entry.label.as_str().into()),
        (CATEGORY, entry.category.map_or(ANY, Category::as_str).into()),
        (KIND, entry.kind.as_str().into()),
        (MAKE, make.into()),
        (MODEL, model.unwrap_or_else(|| ANY.to_owned()).into()),
        (FIRST_YEAR, first_year.into()),
        (LAST_YEAR, last_year.into()),
    ];
    PointStruct::new(entry.id.to_string(), entry.embedding.clone(), Payload::from(payload))
}

pub(super) fn filter(filter: &SearchFilter) -> Filter {
    let mut conditions =
        vec![Condition::matches(TENANT, vec![filter.tenant_id.to_string(), SHARED.to_owned()])];
    if let Some(category) = filter.category {
        conditions.push(Condition::matches(CATEGORY, category.as_str().to_owned()));
    }
    if let Some(kind) = filter.kind {
        conditions.push(Condition::matches(KIND, kind.as_str().to_owned()));
    }
    if let Some(vehicle) = &filter.vehicle {
        let year = f64::from(vehicle.year.get());
        let or_any = |name: &str| vec![Fitment::normalised(name), ANY.to_owned()];
        conditions.extend([
            Condition::matches(MAKE, or_any(&vehicle.make)),
            Condition::matches(MODEL, or_any(&vehicle.model)),
            Condition::range(FIRST_YEAR, Range { lte: Some(year), ..Range::default() }),
            Condition::range(LAST_YEAR, Range { gte: Some(year), ..Range::default() }),
        ]);
    }
    Filter::must(conditions)
}
