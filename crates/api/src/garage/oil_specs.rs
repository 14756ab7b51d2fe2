//! The engine oil that a vehicle needs.

use axum::Json;
use partsight_app::App;
use partsight_app::oil_specs::{Fact, OilAnswer, OilQuestion, OilSource};
use partsight_domain::User;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::ai_fill::AiFill;
use crate::extract::{PathSegments, QueryString, SignedIn};
use crate::garage::vehicle_data::model_year;
use crate::ids::vehicle_filter;
use crate::wire_enum::wire_enum;
use crate::{ApiError, problems};

/// Whose own values count.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub(crate) struct OilSpecsQuery {
    /// The id of the saved vehicle whose own oil values come first; if absent, a saved vehicle with this year, make and
    /// model.
    #[param(example = "0193b0a5-0000-7000-8000-000000000001")]
    vehicle_id: Option<String>,
}

wire_enum!(
    /// The source of a value.
    ValueSource from OilSource { Table, Fallback, Owner, Ai, None }
);

/// The basis of a value.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ValueBasis {
    source: ValueSource,
    /// The basis in one or two sentences.
    #[schema(example = "You entered this value.")]
    basis: String,
    /// Estimated probability that the value is correct for this vehicle, in 0..=1; null if the basis allows no
    /// estimate.
    #[schema(required, minimum = 0, maximum = 1, example = 0.9)]
    confidence: Option<f64>,
}

impl ValueBasis {
    fn of<T>(fact: &Fact<T>) -> Self {
        Self { source: fact.source.into(), basis: fact.basis.clone(), confidence: fact.confidence }
    }
}

/// The basis of each value of an oil specification; null for unknown values.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OilSpecsBasis {
    #[schema(required)]
    oil_type: Option<ValueBasis>,
    #[schema(required)]
    oil_capacity: Option<ValueBasis>,
    #[schema(required)]
    standard: Option<ValueBasis>,
    #[schema(required)]
    change_interval: Option<ValueBasis>,
    /// In the order of `oilFilter`.
    oil_filter: Vec<ValueBasis>,
}

/// The engine oil of a vehicle: type, capacity and interval.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OilSpecs {
    /// Viscosity, or a text that explains why there is none.
    #[schema(example = "0W-20")]
    oil_type: String,
    /// With a new filter, in US quarts, or a text that explains why there is none.
    #[schema(example = "4.6 quarts")]
    oil_capacity: String,
    /// Filters by manufacturer and number; empty if none is known.
    #[schema(example = json!(["Toyota 04152-YZZA1"]))]
    oil_filter: Vec<String>,
    #[schema(example = "10,000 miles or 12 months, whichever comes first")]
    change_interval: String,
    /// The brand that the vehicle's manufacturer sells or names in its manuals; empty if none is known. Any other oil
    /// with this viscosity and standard is suitable too.
    #[schema(example = json!(["Toyota Genuine"]))]
    recommended_brands: Vec<String>,
    /// Remarks for the owner; may be empty.
    notes: String,
    /// The quality standard that the manufacturer requires, if known.
    #[schema(required, example = "VW 502 00")]
    standard: Option<String>,
    /// The engine for which the values are, if the server's table has it.
    #[schema(required, example = "Toyota 2.5 (2AR)")]
    engine: Option<String>,
    /// The capacity as a number, in US quarts; null if it is unknown.
    #[schema(required, example = 4.6)]
    oil_capacity_quarts: Option<f64>,
    #[schema(required, example = 10_000)]
    change_interval_miles: Option<u32>,
    #[schema(required, example = 12)]
    change_interval_months: Option<u16>,
    /// Whether the vehicle itself shows when the oil is due; the intervals are then upper limits.
    has_oil_life_monitor: bool,
    /// Source of most of the values.
    source: ValueSource,
    basis: OilSpecsBasis,
    /// What to check before buying; null if there is nothing to buy.
    #[schema(required, example = "Check your owner's manual before you buy or pour oil.")]
    verify: Option<&'static str>,
    /// The part of a language model in the values whose source is `ai`; null if the server's table has the engine, or
    /// if the vehicle needs no oil.
    #[schema(required)]
    ai: Option<AiFill>,
}

impl From<OilAnswer> for OilSpecs {
    fn from(OilAnswer { oil, fill }: OilAnswer) -> Self {
        let interval = oil.interval.as_ref().map(|fact| fact.value);
        Self {
            oil_type: oil.type_text(),
            oil_capacity: oil.capacity_text(),
            change_interval: oil.interval_text(),
            recommended_brands: oil.brands.clone(),
            notes: oil.notes.join(" "),
            oil_capacity_quarts: oil.capacity_quarts.as_ref().map(|fact| fact.value),
            change_interval_miles: interval.and_then(|interval| interval.miles),
            change_interval_months: interval.and_then(|interval| interval.months),
            has_oil_life_monitor: interval.is_some_and(|interval| interval.has_monitor),
            source: oil.source.into(),
            basis: OilSpecsBasis {
                oil_type: oil.oil_type.as_ref().map(ValueBasis::of),
                oil_capacity: oil.capacity_quarts.as_ref().map(ValueBasis::of),
                standard: oil.standard.as_ref().map(ValueBasis::of),
                change_interval: oil.interval.as_ref().map(ValueBasis::of),
                oil_filter: oil.filters.iter().map(ValueBasis::of).collect(),
            },
            verify: oil.verify_text(),
            ai: fill.as_ref().map(AiFill::from),
            oil_filter: oil.filters.into_iter().map(|filter| filter.value).collect(),
            standard: oil.standard.map(|fact| fact.value),
            engine: oil.engine,
        }
    }
}

/// Returns the engine oil of a vehicle, without its engine being known.
///
/// If its engines need different oils, this is the oil of most of them, and `notes` lists all. Values that the owner
/// entered come first, then those of the server's table, then those that a language model filled in, then common
/// values. This call asks no language model; see `POST /api/vehicles/{id}/oil/ai`.
#[utoipa::path(get, path = "/api/vehicles/ai/oil-specs/{make}/{model}/{year}", tag = "reference",
    params(
        ("make" = String, Path, description = "At most 80 characters.", example = "Toyota"),
        ("model" = String, Path, description = "At most 80 characters.", example = "Camry"),
        ("year" = i64, Path, description = "The model year.", example = 2015),
        OilSpecsQuery,
    ),
    responses((status = OK, body = OilSpecs), problems::SignedIn, problems::NotFound, problems::Invalid))]
pub(crate) async fn get_oil_specs(
    SignedIn { app, user }: SignedIn,
    segments: PathSegments<3>,
    QueryString(query): QueryString<OilSpecsQuery>,
) -> Result<Json<OilSpecs>, ApiError> {
    let PathSegments([make, model, year]) = segments;
    answer(&app, &user, [&make, &model, &year], None, &query).await
}

/// Returns the engine oil of a vehicle with a given engine.
#[utoipa::path(get, path = "/api/vehicles/ai/oil-specs/{make}/{model}/{year}/{engine}", tag = "reference",
    params(
        ("make" = String, Path, description = "At most 80 characters.", example = "Toyota"),
        ("model" = String, Path, description = "At most 80 characters.", example = "Camry"),
        ("year" = i64, Path, description = "The model year.", example = 2015),
        ("engine" = String, Path, description = "As on the list of engines, or as people write it; at most 80 \
                                                 characters.", example = "2.5L 4-cyl"),
        OilSpecsQuery,
    ),
    responses((status = OK, body = OilSpecs), problems::SignedIn, problems::NotFound, problems::Invalid))]
pub(crate) async fn get_engine_oil_specs(
    SignedIn { app, user }: SignedIn,
    segments: PathSegments<4>,
    QueryString(query): QueryString<OilSpecsQuery>,
) -> Result<Json<OilSpecs>, ApiError> {
    let PathSegments([make, model, year, engine]) = segments;
    answer(&app, &user, [&make, &model, &year], Some(&engine), &query).await
}

async fn answer(
    app: &App,
    user: &User,
    [make, model, year]: [&str; 3],
    engine: Option<&str>,
    query: &OilSpecsQuery,
) -> Result<Json<OilSpecs>, ApiError> {
    let question = OilQuestion::new(i64::from(model_year(year)?), make, model, engine)?;
    let vehicle = vehicle_filter(query.vehicle_id.as_deref())?;
    Ok(Json(app.judging.oil_specification(user, &question, vehicle).await?.into()))
}
