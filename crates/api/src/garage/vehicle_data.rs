//! Makes, models, years, engines and VINs. These calls reveal nothing about any user, so they need no sign-in.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderName;
use axum::http::header::CACHE_CONTROL;
use partsight_app::App;
use partsight_app::vehicle_reference::{DecodedVin, Engine};
use partsight_app::vin_reading::{Stated, VinReading};
use partsight_domain::{InvalidInput, ModelYear, messages};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::extract::{PathSegment, PathSegments, QueryString};
use crate::{ApiError, problems};

/// The facts change only when newer ones are imported and the server is restarted: an hour is soon enough.
const CACHED: [(HeaderName, &str); 1] = [(CACHE_CONTROL, "public, max-age=3600")];
/// A VIN is personal, so only the client's own browser caches the response.
const CACHED_PRIVATELY: [(HeaderName, &str); 1] = [(CACHE_CONTROL, "private, max-age=3600")];

/// A response that may be cached for a while.
type Cached<T> = ([(HeaderName, &'static str); 1], Json<T>);

/// An entry of a list to choose from.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReferenceItem {
    /// The id of the entry in later calls.
    #[schema(example = "land-rover")]
    id: String,
    /// The name for people.
    #[schema(example = "Land Rover")]
    name: String,
}

/// An engine to choose, with its transmissions and drivetrains.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReferenceEngine {
    #[schema(example = "2-0l-4-cyl-regular-gasoline")]
    id: String,
    #[schema(example = "2.0L 4-cyl")]
    name: String,
    /// Such as `Automatic 8-spd`.
    #[schema(example = json!(["CVT", "Manual 6-spd"]))]
    transmissions: Vec<String>,
}

/// What to search makes for.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct MakeSearch {
    /// Part of the name; makes whose name begins with it come first.
    #[param(example = "toy")]
    search: Option<String>,
}

/// Which models to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ModelSearch {
    /// Only models sold in this model year.
    #[param(example = 2018)]
    year: Option<String>,
}

/// Which years to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub(crate) struct YearSearch {
    /// With `modelId`, only years in which this model was sold.
    #[param(example = "honda")]
    make_id: Option<String>,
    /// The model, by id or name.
    #[param(example = "civic")]
    model_id: Option<String>,
}

/// Lists the makes of light vehicles sold in the United States since 1984.
#[utoipa::path(get, path = "/api/vehicles/makes", tag = "reference", params(MakeSearch),
    responses((status = OK, body = Vec<ReferenceItem>), problems::Invalid))]
pub(crate) async fn list_makes(
    State(app): State<App>,
    QueryString(query): QueryString<MakeSearch>,
) -> Cached<Vec<ReferenceItem>> {
    let makes = app.garage.vehicle_reference().makes(query.search.as_deref().unwrap_or_default(), None);
    let items = makes.into_iter().map(|make| ReferenceItem { id: make.id.clone(), name: make.name.clone() });
    (CACHED, Json(items.collect()))
}

/// Lists the models of a make. Empty for an unknown make; vehicles may have models that are not listed.
#[utoipa::path(get, path = "/api/vehicles/models/{makeId}", tag = "reference",
    params(("makeId" = String, Path, description = "The make, by id or name.", example = "honda"), ModelSearch),
    responses((status = OK, body = Vec<ReferenceItem>), problems::NotFound, problems::Invalid))]
pub(crate) async fn list_models(
    State(app): State<App>,
    PathSegment(make): PathSegment,
    QueryString(query): QueryString<ModelSearch>,
) -> Result<Cached<Vec<ReferenceItem>>, ApiError> {
    let models = app.garage.vehicle_reference().models(&make, optional_year(query.year.as_deref())?);
    let items = models
        .into_iter()
        .map(|model| ReferenceItem { id: model.id.to_owned(), name: model.name.to_owned() });
    Ok((CACHED, Json(items.collect())))
}

/// Lists the model years, the latest first: all, or those in which a model was sold.
#[utoipa::path(get, path = "/api/vehicles/years", tag = "reference", params(YearSearch),
    responses((status = OK, body = Vec<ReferenceItem>), problems::Invalid))]
pub(crate) async fn list_years(
    State(app): State<App>,
    QueryString(query): QueryString<YearSearch>,
) -> Cached<Vec<ReferenceItem>> {
    let reference = app.garage.vehicle_reference();
    let years: Vec<u16> = match (filled(query.make_id.as_deref()), filled(query.model_id.as_deref())) {
        (Some(make), Some(model)) => reference.model_years(make, model),
        _ => reference.years().collect(),
    };
    let items = years.into_iter().map(|year| ReferenceItem { id: year.to_string(), name: year.to_string() });
    (CACHED, Json(items.collect()))
}

/// Lists the engines of a model in a year. Empty for an unknown model; vehicles may have engines that are not listed.
#[utoipa::path(get, path = "/api/vehicles/engines/{makeId}/{modelId}/{year}", tag = "reference",
    params(
        ("makeId" = String, Path, description = "The make, by id or name.", example = "honda"),
        ("modelId" = String, Path, description = "The model, by id or name.", example = "civic"),
        ("year" = i64, Path, description = "The model year.", example = 2018),
    ),
    responses((status = OK, body = Vec<ReferenceEngine>), problems::NotFound, problems::Invalid))]
pub(crate) async fn list_engines(
    State(app): State<App>,
    PathSegments(segments): PathSegments<3>,
) -> Result<Cached<Vec<ReferenceEngine>>, ApiError> {
    let [make, model, year] = segments;
    let engines = app.garage.vehicle_reference().engines(&make, &model, model_year(&year)?);
    let items = engines.into_iter().map(|engine| ReferenceEngine {
        id: engine.id,
        name: engine.name,
        transmissions: engine.transmissions,
    });
    Ok((CACHED, Json(items.collect())))
}

/// A query of the vehicle database.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub(crate) struct CarQuery {
    /// What to list: `makes`, `models` or `specs` (engine variants).
    #[param(required, example = "models")]
    carquery: Option<String>,
    /// The model year; required for `specs`.
    #[param(example = 2020)]
    year: Option<String>,
    /// The make, by id or name; required for `models` and `specs`.
    #[param(example = "honda")]
    make_id: Option<String>,
    /// The model, by id or name; required for `specs`.
    #[param(example = "civic")]
    model_id: Option<String>,
}

/// A make of the vehicle database.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DatabaseMake {
    #[schema(example = "honda")]
    id: String,
    #[schema(example = "Honda")]
    name: String,
    /// Country of the brand, if known.
    #[schema(required, example = "Japan")]
    country: Option<String>,
}

/// A model of the vehicle database.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DatabaseModel {
    #[schema(example = "civic")]
    id: String,
    #[schema(example = "Civic")]
    name: String,
    /// Body styles, if known.
    #[schema(required, example = "Sedan, Coupe, Hatchback")]
    body: Option<String>,
}

/// An engine variant of the vehicle database.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DatabaseSpec {
    #[schema(example = "2-0l-4-cyl-regular-gasoline-158hp")]
    id: String,
    /// In litres.
    #[schema(required, example = 2.0)]
    displacement: Option<f64>,
    #[schema(example = "2.0L 4-cyl")]
    engine: String,
    #[schema(required, example = 4)]
    cylinders: Option<u8>,
    /// Rated power in SAE horsepower; null if no source states it reliably.
    #[schema(required, example = 158)]
    power: Option<u16>,
    /// Always null: no open source states it.
    #[schema(required)]
    torque: Option<f64>,
    #[schema(example = "Regular gasoline")]
    fuel_type: String,
    /// All drivetrains that it was sold with.
    #[schema(required, example = "CVT, Manual 6-spd")]
    transmission: Option<String>,
    /// All drivetrains that it was sold with.
    #[schema(required, example = "Front-Wheel Drive")]
    drivetrain: Option<String>,
}

impl From<Engine> for DatabaseSpec {
    fn from(engine: Engine) -> Self {
        let joined = |names: &[String]| (!names.is_empty()).then(|| names.join(", "));
        Self {
            displacement: engine.displacement_l(),
            cylinders: engine.cylinders,
            power: engine.power_hp,
            torque: None,
            transmission: joined(&engine.transmissions),
            drivetrain: joined(&engine.drives),
            id: engine.id,
            engine: engine.name,
            fuel_type: engine.fuel,
        }
    }
}

/// The result of a query of the vehicle database: makes, models or engine variants.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum CarQueryAnswer {
    /// For `makes`.
    Makes(Vec<DatabaseMake>),
    /// For `models`.
    Models(Vec<DatabaseModel>),
    /// For `specs`.
    Specs(Vec<DatabaseSpec>),
}

/// Queries the vehicle database: makes of a year, models of a make, or engine variants of a model.
#[utoipa::path(get, path = "/api/suppliers", tag = "reference", params(CarQuery),
    responses((status = OK, body = CarQueryAnswer), problems::Invalid))]
pub(crate) async fn query_vehicle_database(
    State(app): State<App>,
    QueryString(query): QueryString<CarQuery>,
) -> Result<Cached<CarQueryAnswer>, ApiError> {
    let reference = app.garage.vehicle_reference();
    let year = optional_year(query.year.as_deref())?;
    let make = || needed("makeId", query.make_id.as_deref());
    let answer = match query.carquery.as_deref() {
        Some("makes") => CarQueryAnswer::Makes(
            reference
                .makes("", year)
                .into_iter()
                .map(|make| DatabaseMake {
                    id: make.id.clone(),
                    name: make.name.clone(),
                    country: make.country.clone(),
                })
                .collect(),
        ),
        Some("models") => CarQueryAnswer::Models(
            reference
                .models(make()?, year)
                .into_iter()
                .map(|model| DatabaseModel {
                    id: model.id.to_owned(),
                    name: model.name.to_owned(),
                    body: model.body.map(str::to_owned),
                })
                .collect(),
        ),
        Some("specs") => {
            let (make, model) = (make()?, needed("modelId", query.model_id.as_deref())?);
            let year =
                year.ok_or_else(|| InvalidInput::new("year", messages::VEHICLE_DATABASE_INCOMPLETE))?;
            let engines = reference.engines(make, model, year);
            CarQueryAnswer::Specs(engines.into_iter().map(DatabaseSpec::from).collect())
        }
        _ => return Err(InvalidInput::new("carquery", messages::VEHICLE_DATABASE_QUESTION).into()),
    };
    Ok((CACHED, Json(answer)))
}

/// The facts in a vehicle identification number (VIN).
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VinFacts {
    /// In upper case.
    #[schema(example = "1HGCM82633A004352")]
    vin: String,
    /// Whether the ninth character is the correct check digit. North America and China require it.
    check_digit_fits: bool,
    /// World manufacturer identifier, characters 1 to 3.
    #[schema(example = "1HG")]
    wmi: String,
    /// The continent or region of the manufacturer.
    #[schema(example = "North America")]
    region: String,
    /// Country of the manufacturer.
    #[schema(required, example = "United States")]
    country: Option<String>,
    #[schema(required, example = "Honda")]
    manufacturer: Option<String>,
    /// The make, as in the list of makes.
    #[schema(required, example = "Honda")]
    make: Option<String>,
    #[schema(required, example = 2003)]
    model_year: Option<u16>,
    /// Another model year that the VIN may mean, thirty years apart; null if there is none, or if it is in the future.
    #[schema(required)]
    other_model_year: Option<u16>,
    /// Possible models; empty if no source states any.
    #[schema(example = json!(["Accord"]))]
    models: Vec<String>,
    /// Facts that the manufacturer reported for vehicles with such a VIN.
    details: VinFactDetails,
    /// Characters 4 to 8, the vehicle descriptor.
    #[schema(example = "CM826")]
    description: String,
    /// Code of the plant, character 11.
    #[schema(example = "A")]
    plant: String,
    #[schema(example = "004352")]
    serial: String,
    /// Warnings, as sentences.
    warnings: Vec<String>,
}

/// Facts that the manufacturer reported for vehicles with such a VIN; null where no source states them.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VinFactDetails {
    #[schema(required)]
    series: Option<String>,
    #[schema(required, example = "EX-V6")]
    trim: Option<String>,
    #[schema(required, example = "Coupe")]
    body: Option<String>,
    /// Number of doors; a tailgate may be counted.
    #[schema(required, example = 2)]
    doors: Option<u8>,
    /// The engine, in the form that a saved vehicle uses.
    #[schema(required, example = "3.0L 6-cyl")]
    engine: Option<String>,
    /// The manufacturer's name of the engine.
    #[schema(required, example = "J30A4")]
    engine_code: Option<String>,
    #[schema(required, example = 6)]
    cylinders: Option<u8>,
    /// In litres.
    #[schema(required, example = 3.0)]
    displacement: Option<f64>,
    #[schema(required, example = "Gasoline")]
    fuel: Option<String>,
    /// The second fuel of a vehicle that uses two.
    #[schema(required)]
    second_fuel: Option<String>,
    /// In SAE horsepower.
    #[schema(required)]
    power: Option<StatedNumber>,
    #[schema(required)]
    drive: Option<StatedText>,
    #[schema(required)]
    transmission: Option<StatedText>,
    /// City, state and country of the plant.
    #[schema(required, example = "Marysville, Ohio, United States")]
    built_in: Option<String>,
    /// Seat belts and airbags, in the manufacturer's words.
    #[schema(required)]
    restraint: Option<String>,
}

/// A number with its source.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StatedNumber {
    #[schema(example = 240)]
    value: u16,
    /// `vpic`: the manufacturer, in NHTSA's list of VIN patterns. `epa`: the US Environmental Protection Agency, for
    /// all vehicles of this model, year and engine.
    #[schema(example = "epa")]
    source: &'static str,
}

/// A text with its source.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StatedText {
    #[schema(example = "Front-Wheel Drive")]
    value: String,
    /// Same as for numbers: `vpic` or `epa`.
    #[schema(example = "epa")]
    source: &'static str,
}

impl From<VinReading> for VinFacts {
    fn from(reading: VinReading) -> Self {
        let text = |Stated { value, source }: Stated<String>| StatedText { value, source: source.as_str() };
        let DecodedVin { details, .. } = &reading.vin;
        let details = VinFactDetails {
            series: details.series.clone(),
            trim: details.trim.clone(),
            body: details.body.clone(),
            doors: details.doors,
            engine: reading.engine,
            engine_code: details.engine_code.clone(),
            cylinders: details.cylinders,
            displacement: details.displacement_tenths().map(|tenths| f64::from(tenths) / 10.0),
            fuel: details.fuel.clone(),
            second_fuel: details.second_fuel.clone(),
            power: reading
                .power
                .map(|Stated { value, source }| StatedNumber { value, source: source.as_str() }),
            drive: reading.drive.map(text),
            transmission: reading.transmission.map(text),
            built_in: details.plant(),
            restraint: details.restraint.clone(),
        };
        let vin = reading.vin;
        Self {
            details,
            check_digit_fits: vin.check_digit_fits,
            wmi: vin.wmi,
            region: vin.region.to_owned(),
            country: vin.country.map(str::to_owned),
            manufacturer: vin.manufacturer,
            make: vin.make,
            model_year: vin.model_year,
            other_model_year: vin.other_model_year,
            models: vin.models,
            description: vin.description,
            plant: vin.plant.to_string(),
            serial: vin.serial,
            warnings: vin.warnings.iter().map(ToString::to_string).collect(),
            vin: vin.vin,
        }
    }
}

/// Decodes a vehicle identification number (VIN) with the tables of this server.
///
/// A wrong check digit of a vehicle for North America is only a warning, because some vehicles on the road have one.
#[utoipa::path(get, path = "/api/vehicles/vin/{vin}", tag = "reference",
    params(("vin" = String, Path, description = "The VIN, 17 characters.", example = "1HGCM82633A004352")),
    responses((status = OK, body = VinFacts), problems::NotFound, problems::Invalid))]
pub(crate) async fn decode_vin(
    State(app): State<App>,
    PathSegment(vin): PathSegment,
) -> Result<Cached<VinFacts>, ApiError> {
    Ok((CACHED_PRIVATELY, Json(app.garage.decode_vin(&vin)?.into())))
}

fn filled(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

fn needed<'a>(field: &'static str, text: Option<&'a str>) -> Result<&'a str, InvalidInput> {
    filled(text).ok_or_else(|| InvalidInput::new(field, messages::VEHICLE_DATABASE_INCOMPLETE))
}

/// Parses a year by the rule of saved vehicles. A text that is not a number fails like a year out of range.
pub(crate) fn model_year(text: &str) -> Result<u16, InvalidInput> {
    // Out of range, so that the message is the same.
    let number = text.trim().parse().unwrap_or(i64::MIN);
    ModelYear::new(number).map(ModelYear::get)
}

fn optional_year(text: Option<&str>) -> Result<Option<u16>, InvalidInput> {
    filled(text).map(model_year).transpose()
}
