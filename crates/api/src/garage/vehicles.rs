//! Saved vehicles.

use axum::Json;
use axum::http::{HeaderMap, StatusCode};
use jiff::Timestamp;
use partsight_app::VehiclePage;
use partsight_domain::{InvalidInput, VehicleName, Vin, messages};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::extract::{JsonBody, PathSegment, QueryString, SignedIn, null_as_absent};
use crate::garage::records::NumberText;
use crate::garage::vehicle_data::model_year;
use crate::ids::vehicle_id;
use crate::{ApiError, next_page, problems};

const PATH: &str = "/api/vehicles";

/// A saved vehicle.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Vehicle {
    id: String,
    #[schema(example = "Honda")]
    make: String,
    #[schema(example = "Civic")]
    model: String,
    #[schema(example = 2015)]
    year: u16,
    #[schema(required)]
    engine: Option<String>,
    #[schema(required)]
    transmission: Option<String>,
    #[schema(required)]
    vin_number: Option<String>,
    #[schema(required)]
    license_plate: Option<String>,
    /// Whether it is the default vehicle.
    is_default: bool,
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    created_at: Timestamp,
}

impl From<partsight_domain::Vehicle> for Vehicle {
    fn from(vehicle: partsight_domain::Vehicle) -> Self {
        let details = vehicle.details;
        Self {
            id: vehicle.id.to_string(),
            make: details.name.make,
            model: details.name.model,
            year: details.name.year.get(),
            engine: details.engine,
            transmission: details.transmission,
            vin_number: details.vin.as_ref().map(|vin| Vin::as_str(vin).to_owned()),
            license_plate: details.license_plate,
            is_default: vehicle.is_default,
            created_at: vehicle.created_at,
        }
    }
}

/// Year, make and model of a vehicle.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VehicleSummary {
    year: u16,
    make: String,
    model: String,
}

impl From<VehicleName> for VehicleSummary {
    fn from(name: VehicleName) -> Self {
        Self { year: name.year.get(), make: name.make, model: name.model }
    }
}

/// A vehicle to add.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(example = json!({
    "make": "Honda", "model": "Civic", "year": 2015, "engine": "1.8L 4-cylinder", "transmission": "Automatic",
    "vinNumber": "1HGCM82633A004352", "licensePlate": "ABC 123",
}))]
pub(crate) struct NewVehicle {
    #[serde(default, deserialize_with = "null_as_absent")]
    #[schema(required, example = "Honda")]
    make: String,
    #[serde(default, deserialize_with = "null_as_absent")]
    #[schema(required, example = "Civic")]
    model: String,
    /// 1886 to 2100.
    #[schema(required, value_type = NumberText, example = 2015)]
    year: Option<NumberText>,
    engine: Option<String>,
    transmission: Option<String>,
    /// At most 17 letters and digits; stored in upper case.
    vin_number: Option<String>,
    license_plate: Option<String>,
}

impl NewVehicle {
    /// Validates the details by the rules of vehicles. `missing` is the message if make, model or year is missing.
    fn checked(&self, missing: &'static str) -> Result<partsight_domain::NewVehicle, InvalidInput> {
        // Reports the first missing field in the order of the form.
        let blank = [("make", &self.make), ("model", &self.model)];
        if let Some((field, _)) = blank.into_iter().find(|(_, text)| text.trim().is_empty()) {
            return Err(InvalidInput::new(field, missing));
        }
        let year = self.year.as_ref().map(|year| year.0.as_str()).filter(|year| !year.trim().is_empty());
        let year = model_year(year.ok_or_else(|| InvalidInput::new("year", missing))?)?;
        partsight_domain::NewVehicle::new(
            VehicleName::new(year.into(), &self.make, &self.model)?,
            self.engine.as_deref(),
            self.transmission.as_deref(),
            self.vin_number.as_deref(),
            self.license_plate.as_deref(),
        )
    }
}

/// Which vehicles to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct VehiclesQuery {
    /// Page size, 1 to 200. By default all vehicles, or 100 with `after`.
    limit: Option<i64>,
    /// The value of the header `X-Next-Cursor` in the previous answer.
    after: Option<String>,
}

/// Lists the user's vehicles: the default vehicle first, then by the time they were added.
///
/// With `limit`, the list is paged: the headers `X-Next-Cursor` and `Link` lead to the next page.
#[utoipa::path(get, path = "/api/vehicles", tag = "vehicles", params(VehiclesQuery), responses(
    (status = OK, body = Vec<Vehicle>, headers(
        ("X-Next-Cursor" = String, description = "Value of `after` for the next page; absent on the last page."),
        ("Link" = String, description = "Address of the next page, with `rel=\"next\"`; absent on the last page."),
    )),
    problems::SignedIn, problems::Invalid,
))]
pub(crate) async fn list_vehicles(
    SignedIn { app, user }: SignedIn,
    QueryString(query): QueryString<VehiclesQuery>,
) -> Result<(HeaderMap, Json<Vec<Vehicle>>), ApiError> {
    let mut headers = HeaderMap::new();
    let vehicles = match VehiclePage::new(query.limit, query.after.as_deref())? {
        None => app.garage.list_vehicles(&user).await?,
        Some(page) => {
            let (vehicles, next) = app.garage.vehicles_on(&user, page).await?;
            if let Some(next) = next {
                headers = next_page::headers(next, &format!("{PATH}?after={next}&limit={}", page.limit));
            }
            vehicles
        }
    };
    Ok((headers, Json(vehicles.into_iter().map(Vehicle::from).collect())))
}

/// Adds a vehicle. The first one becomes the default vehicle.
#[utoipa::path(post, path = "/api/vehicles", tag = "vehicles", request_body = NewVehicle,
    responses((status = CREATED, body = Vehicle), problems::Write, problems::Body))]
pub(crate) async fn create_vehicle(
    SignedIn { app, user }: SignedIn,
    JsonBody(body): JsonBody<NewVehicle>,
) -> Result<(StatusCode, Json<Vehicle>), ApiError> {
    let new = body.checked(messages::VEHICLE_FIELDS_MISSING)?;
    let vehicle = app.garage.create_vehicle(&user, &new).await?;
    Ok((StatusCode::CREATED, Json(vehicle.into())))
}

/// Replaces the details of a vehicle. Optional fields that are absent are removed.
#[utoipa::path(put, path = "/api/vehicles/{id}", tag = "vehicles", request_body = NewVehicle,
    params(("id" = String, Path, description = "The id of the vehicle.")),
    responses((status = OK, body = Vehicle), problems::Write, problems::NotFound, problems::Body))]
pub(crate) async fn update_vehicle(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
    JsonBody(body): JsonBody<NewVehicle>,
) -> Result<Json<Vehicle>, ApiError> {
    let id = vehicle_id(&id)?;
    let details = body.checked(messages::VEHICLE_EDIT_FIELDS_MISSING)?;
    Ok(Json(app.garage.update_vehicle(&user, id, &details).await?.into()))
}

/// What was deleted with a vehicle.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeletedVehicle {
    /// Oil changes that were deleted.
    #[schema(example = 4)]
    oil_changes: u64,
    /// Repairs that were deleted.
    #[schema(example = 1)]
    repairs: u64,
    /// Its own maintenance items that were deleted.
    #[schema(example = 0)]
    maintenance_items: u64,
    /// Separately entered odometer readings that were deleted.
    #[schema(example = 12)]
    odometer_readings: u64,
    /// Whether the owner's own oil values were deleted.
    #[schema(example = false)]
    own_oil: bool,
    /// The new default vehicle; null if no vehicle is left.
    #[schema(required)]
    default_vehicle: Option<Vehicle>,
}

/// Deletes a vehicle with its records, and returns what was deleted.
///
/// Scans stay, with the name of the vehicle. If it was the default vehicle, the vehicle that was added first becomes
/// the default.
#[utoipa::path(delete, path = "/api/vehicles/{id}", tag = "vehicles",
    params(("id" = String, Path, description = "The id of the vehicle.")),
    responses((status = OK, body = DeletedVehicle), problems::Write, problems::NotFound))]
pub(crate) async fn delete_vehicle(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<DeletedVehicle>, ApiError> {
    let deleted = app.garage.delete_vehicle(&user, vehicle_id(&id)?).await?;
    Ok(Json(DeletedVehicle {
        oil_changes: deleted.n_oil_changes,
        repairs: deleted.n_repairs,
        maintenance_items: deleted.n_maintenance_items,
        odometer_readings: deleted.n_odometer_readings,
        own_oil: deleted.had_own_oil,
        default_vehicle: deleted.default.map(Vehicle::from),
    }))
}

/// Returns one vehicle.
#[utoipa::path(get, path = "/api/vehicles/{id}", tag = "vehicles",
    params(("id" = String, Path, description = "The id of the vehicle.")),
    responses((status = OK, body = Vehicle), problems::SignedIn, problems::NotFound))]
pub(crate) async fn get_vehicle(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<Vehicle>, ApiError> {
    Ok(Json(app.garage.vehicle(&user, vehicle_id(&id)?).await?.into()))
}

/// Returns the default vehicle, or null if there is none.
#[utoipa::path(get, path = "/api/vehicles/default", tag = "vehicles",
    responses((status = OK, body = Option<Vehicle>), problems::SignedIn))]
pub(crate) async fn get_default_vehicle(
    SignedIn { app, user }: SignedIn,
) -> Result<Json<Option<Vehicle>>, ApiError> {
    Ok(Json(app.garage.default_vehicle(&user).await?.map(Vehicle::from)))
}

/// Makes a vehicle the default vehicle.
#[utoipa::path(put, path = "/api/vehicles/{id}/default", tag = "vehicles",
    params(("id" = String, Path, description = "The id of the vehicle.")),
    responses((status = OK, body = Vehicle), problems::Write, problems::NotFound))]
pub(crate) async fn set_default_vehicle(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<Vehicle>, ApiError> {
    Ok(Json(app.garage.set_default_vehicle(&user, vehicle_id(&id)?).await?.into()))
}
