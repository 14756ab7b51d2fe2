//! The owner's own oil values of a vehicle.

use axum::Json;
use axum::http::StatusCode;
use partsight_domain::OwnerOil;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{JsonBody, PathSegment, SignedIn};
use crate::ids::vehicle_id;
use crate::{ApiError, problems};

/// The owner's own oil values for a vehicle.
#[expect(clippy::struct_field_names, reason = "the names of the specification")]
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(example = json!({ "oilType": "0W-20", "oilCapacityQuarts": 4.4, "oilFilter": "15400-PLM-A02" }))]
pub(crate) struct VehicleOil {
    #[schema(example = "0W-20")]
    oil_type: Option<String>,
    /// With a new filter, in US quarts: 0.1 to 60.
    #[schema(example = 4.4)]
    oil_capacity_quarts: Option<f64>,
    /// Number or name of the filter.
    oil_filter: Option<String>,
}

impl From<OwnerOil> for VehicleOil {
    fn from(oil: OwnerOil) -> Self {
        let oil_capacity_quarts = oil.capacity_quarts();
        Self { oil_type: oil.oil_type, oil_capacity_quarts, oil_filter: oil.oil_filter }
    }
}

/// Returns the owner's own oil values for a vehicle, or null if there are none.
#[utoipa::path(get, path = "/api/vehicles/{id}/oil", tag = "maintenance",
    params(("id" = String, Path, description = "The id of the vehicle.")),
    responses((status = OK, body = Option<VehicleOil>), problems::SignedIn, problems::NotFound))]
pub(crate) async fn get_vehicle_oil(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<Option<VehicleOil>>, ApiError> {
    Ok(Json(app.garage.vehicle_oil(&user, vehicle_id(&id)?).await?.map(VehicleOil::from)))
}

/// Sets the owner's own oil values for a vehicle. They take precedence over all tables.
#[utoipa::path(put, path = "/api/vehicles/{id}/oil", tag = "maintenance", request_body = VehicleOil,
    params(("id" = String, Path, description = "The id of the vehicle.")),
    responses((status = OK, body = VehicleOil), problems::Write, problems::NotFound, problems::Body))]
pub(crate) async fn set_vehicle_oil(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
    JsonBody(body): JsonBody<VehicleOil>,
) -> Result<Json<VehicleOil>, ApiError> {
    let id = vehicle_id(&id)?;
    // Checked first, so that a vehicle of another user gets 404, even if the values are invalid.
    app.garage.vehicle(&user, id).await?;
    let oil = OwnerOil::new(body.oil_type.as_deref(), body.oil_capacity_quarts, body.oil_filter.as_deref())?;
    app.garage.set_vehicle_oil(&user, id, &oil).await?;
    Ok(Json(oil.into()))
}

/// Deletes the owner's own oil values for a vehicle.
#[utoipa::path(delete, path = "/api/vehicles/{id}/oil", tag = "maintenance",
    params(("id" = String, Path, description = "The id of the vehicle.")),
    responses((status = NO_CONTENT), problems::Write, problems::NotFound))]
pub(crate) async fn delete_vehicle_oil(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<StatusCode, ApiError> {
    app.garage.delete_vehicle_oil(&user, vehicle_id(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}
