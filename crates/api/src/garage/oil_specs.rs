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
    /// The saved vehicle whose own oil values come first; without it, a saved vehicle of this name.
    #[param(example = "0193b0a5-0000-7000-8000-000000000001")]
    vehicle_id: Option<String>,
}

wire_enum!(
    /// Where a value comes from.
    ValueSource from OilSource { Table, Fallback, Owner, Ai, None }
);

/// What a value rests on.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ValueBasis {
    source: ValueSource,
    /// In a sentence or two.
    #[schema(example = "You entered this value.")]
    basis: String,
    /// How sure we are that the value is right for this vehicle, 0 to 1; null where that says nothing.
    #[schema(required, minimum = 0, maximum = 1, example = 0.9)]
    confidence: Option<f64>,
}

impl ValueBasis {
    fn of<T>(fact: &Fact<T>) -> Self {
        Self { source: fact.source.into(), basis: fact.basis.clone(), confidence: fact.confidence }
    }
}

/// What each value of an oil specification rests on; null for what is not known.
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

/// Which oil a vehicle takes, how much and how often.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OilSpecs {
    /// Viscosity, or words that say why there is none.
    #[schema(example = "0W-20")]
    oil_type: String,
    /// With a new filter, in US quarts, or words that say why there is none.
    #[schema(example = "4.6 quarts")]
    oil_capacity: String,
    /// Filters by maker and number; empty where we know none.
    #[schema(example = json!(["Toyota 04152-YZZA1"]))]
    oil_filter: Vec<String>,
    #[schema(example = "10,000 miles or 12 months, whichever comes first")]
    change_interval: String,
    /// The brand that the car's maker sells or names in its manuals, by make; empty where we know none. Any other oil of
    /// this grade and quality will do.
    #[schema(example = json!(["Toyota Genuine"]))]
    recommended_brands: Vec<String>,
    /// What an owner should know beside the values; may be empty.
    notes: String,
    /// The quality that the maker asks for, where known.
    #[schema(required, example = "VW 502 00")]
    standard: Option<String>,
    /// The engine that the values are for, where our table has it.
    #[schema(required, example = "Toyota 2.5 (2AR)")]
    engine: Option<String>,
    /// The capacity as a number.
    #[schema(required, example = 4.6)]
    oil_capacity_quarts: Option<f64>,
    #[schema(required, example = 10_000)]
    change_interval_miles: Option<u32>,
    #[schema(required, example = 12)]
    change_interval_months: Option<u16>,
    /// Whether the vehicle itself says when, with miles and months as the latest moment.
    has_oil_life_monitor: bool,
    /// Where most of the answer comes from.
    source: ValueSource,
    basis: OilSpecsBasis,
    /// What to do before buying; null where there is nothing to buy.
    #[schema(required, example = "Check your owner's manual before you buy or pour oil.")]
    verify: Option<&'static str>,
    /// What a language model has to do with the values that have the source `ai`; null where our table knows the engine,
    /// or there is nothing to know.
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

/// The engine oil of a vehicle, whichever engine it has.
///
/// Where its engines take different oils, this is what most of them take, and `notes` lists them all. What the owner
/// entered comes first, then our table, then what a language model was asked to fill in, then common values. This call
/// asks no language model; see `POST /api/vehicles/{id}/oil/ai`.
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

/// The engine oil of a vehicle with one engine.
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
