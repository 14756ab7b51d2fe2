//! The payload of a reference on the server. Every field is always present, so that each filter is a plain match.

use partsight_domain::{Category, FitmentKey, ModelKey, PartFitments, VehicleKey};
use qdrant_client::Payload;
use qdrant_client::qdrant::{Condition, FieldType, Filter, PointStruct, Range, Value};

use super::super::{IndexEntry, SearchFilter};

/// The owner, or [`SHARED`].
pub(super) const TENANT: &str = "tenant_id";
/// The label.
pub(super) const LABEL: &str = "label";
/// The category, or [`ANY`].
pub(super) const CATEGORY: &str = "category";
/// The revision with which it was inserted.
pub(super) const REVISION: &str = "revision";
const KIND: &str = "kind";
/// Whether it shows a shop part.
const SHOWS_PART: &str = "shows_part";
/// An object for each part that it shows.
const PARTS: &str = "parts";
/// In a part: an object for each fitment that states that it fits.
const LISTED: &str = "listed";
/// In a part: an object for each fitment that states that it does not fit.
const EXCLUDED: &str = "excluded";
/// In a part: whether the listed vehicles are all that it fits.
const IS_COMPLETE: &str = "is_complete";
const MAKE: &str = "make";
/// The model, or [`ANY`].
const MODEL: &str = "model";
/// A list: the model, and the names with whose words it begins.
const MODEL_STARTS: &str = "model_starts";
/// First model year, or [`NO_FIRST_YEAR`].
const FIRST_YEAR: &str = "first_year";
/// Last model year, or [`NO_LAST_YEAR`].
const LAST_YEAR: &str = "last_year";

/// The owner of references that all tenants share; no UUID has this form.
const SHARED: &str = "shared";
/// No category, or no particular model.
const ANY: &str = "";
const NO_FIRST_YEAR: i64 = 0;
const NO_LAST_YEAR: i64 = 9999;

/// The fields used in filters, with the names that a payload index needs.
pub(super) fn indexed_fields() -> Vec<(String, FieldType)> {
    let of_reference = [
        (TENANT, FieldType::Keyword),
        (LABEL, FieldType::Keyword),
        (CATEGORY, FieldType::Keyword),
        (KIND, FieldType::Keyword),
        (SHOWS_PART, FieldType::Bool),
    ];
    let of_fitment = [
        (MAKE, FieldType::Keyword),
        (MODEL, FieldType::Keyword),
        (FIRST_YEAR, FieldType::Integer),
        (LAST_YEAR, FieldType::Integer),
    ];
    let mut fields: Vec<(String, FieldType)> =
        of_reference.into_iter().map(|(name, kind)| (name.to_owned(), kind)).collect();
    fields.push((format!("{PARTS}[].{IS_COMPLETE}"), FieldType::Bool));
    fields.push((format!("{PARTS}[].{LISTED}[].{MODEL_STARTS}"), FieldType::Keyword));
    for list in [LISTED, EXCLUDED] {
        let path = |name| format!("{PARTS}[].{list}[].{name}");
        fields.extend(of_fitment.map(|(name, kind)| (path(name), kind)));
    }
    fields
}

pub(super) fn point(entry: &IndexEntry) -> PointStruct {
    let payload: [(&str, Value); 7] = [
        (TENANT, entry.tenant_id.map_or_else(|| SHARED.to_owned(), |id| id.to_string()).into()),
        (LABEL, entry.label.as_str().into()),
        (CATEGORY, entry.category.map_or(ANY, Category::as_str).into()),
        (KIND, entry.kind.as_str().into()),
        (REVISION, entry.revision.into()),
        (SHOWS_PART, (!entry.parts.is_empty()).into()),
        (PARTS, entry.parts.iter().map(part).collect::<Vec<_>>().into()),
    ];
    PointStruct::new(entry.id.to_string(), entry.embedding.clone(), Payload::from(payload))
}

fn part(part: &PartFitments) -> Value {
    let list = |fitments: &[FitmentKey]| Value::from(fitments.iter().map(fitment).collect::<Vec<_>>());
    let payload: [(&str, Value); 3] = [
        (LISTED, list(part.listed())),
        (EXCLUDED, list(part.excluded())),
        (IS_COMPLETE, part.is_complete().into()),
    ];
    Payload::from(payload).into()
}

fn fitment(fitment: &FitmentKey) -> Value {
    let starts = fitment.model.iter().flat_map(ModelKey::starts).map(Value::from);
    let payload: [(&str, Value); 5] = [
        (MAKE, fitment.make.as_str().into()),
        (MODEL, fitment.model.as_ref().map_or(ANY, ModelKey::as_str).into()),
        (MODEL_STARTS, starts.collect::<Vec<_>>().into()),
        (FIRST_YEAR, fitment.first_year.map_or(NO_FIRST_YEAR, i64::from).into()),
        (LAST_YEAR, fitment.last_year.map_or(NO_LAST_YEAR, i64::from).into()),
    ];
    Payload::from(payload).into()
}

pub(super) fn filter(filter: &SearchFilter) -> Filter {
    let mut conditions =
        // One condition that matches both the tenant's own and the shared ones.
        vec![Condition::matches(TENANT, vec![filter.tenant_id.to_string(), SHARED.to_owned()])];
    if let Some(category) = filter.category {
        conditions.push(Condition::matches(CATEGORY, category.as_str().to_owned()));
    }
    if let Some(kind) = filter.kind {
        conditions.push(Condition::matches(KIND, kind.as_str().to_owned()));
    }
    if filter.parts_only {
        let is_shared = Condition::matches(TENANT, SHARED.to_owned());
        conditions.push(Filter::should([is_shared, Condition::matches(SHOWS_PART, true)]).into());
    }
    if let Some(vehicle) = &filter.vehicle {
        let of_a_part = Condition::nested(PARTS, may_fit(&vehicle.into()));
        conditions.push(Filter::should([Condition::matches(SHOWS_PART, false), of_a_part]).into());
    }
    Filter::must(conditions)
}

/// Matches an object of [`PARTS`] under the same rule as [`PartFitments::may_fit`].
fn may_fit(vehicle: &VehicleKey) -> Filter {
    let year = f64::from(vehicle.year());
    let model = vehicle.model().as_str().to_owned();
    let of_make = Condition::matches(MAKE, vehicle.make().to_owned());
    let names_model =
        Filter::must([of_make.clone(), Condition::matches(MODEL, vec![model.clone(), ANY.to_owned()])]);
    let of_year = Filter::must([
        Condition::range(FIRST_YEAR, Range { lte: Some(year), ..Range::default() }),
        Condition::range(LAST_YEAR, Range { gte: Some(year), ..Range::default() }),
    ]);
    let covers = Filter::must([names_model.clone().into(), of_year.clone().into()]);
    // The model of one of the two begins with the words of the other.
    let starts = vehicle.model().starts().map(str::to_owned).chain([ANY.to_owned()]).collect::<Vec<_>>();
    let may_be_model =
        Filter::should([Condition::matches(MODEL, starts), Condition::matches(MODEL_STARTS, model)]);
    let may_cover = Filter::must([of_make, may_be_model.into(), of_year.into()]);
    // The model is not mentioned: the list may be incomplete, and it has no entry for the model in any year.
    let is_silent = Filter {
        must: vec![Condition::matches(IS_COMPLETE, false)],
        must_not: vec![Condition::nested(LISTED, names_model)],
        ..Filter::default()
    };
    Filter {
        // An exclusion takes precedence over a listing.
        should: vec![Condition::nested(LISTED, may_cover), is_silent.into()],
        must_not: vec![Condition::nested(EXCLUDED, covers)],
        ..Filter::default()
    }
}
