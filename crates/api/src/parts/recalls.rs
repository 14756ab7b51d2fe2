//! Recalls that name a part.

use axum::Json;
use jiff::Timestamp;
use partsight_app::PartRecalls as FoundRecalls;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::extract::{PathSegment, QueryString, SignedIn};
use crate::garage::safety::{Recall, RecallState};
use crate::garage::vehicles::VehicleSummary;
use crate::ids::{part_label, vehicle_filter};
use crate::{ApiError, problems};

/// For which vehicle.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct PartRecallsQuery {
    /// The id of the vehicle; the default vehicle if absent.
    vehicle_id: Option<String>,
}

/// Recalls of a vehicle's make, model and model year that name a part.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PartRecalls {
    state: RecallState,
    /// The vehicle name that was requested from NHTSA.
    asked_for: VehicleSummary,
    /// When the list was fetched; null if nothing is known.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment_if_any")]
    fetched_at: Option<Timestamp>,
    /// Recalls that name the part in their component or, if its name has several words, in their summary; the newest
    /// first.
    recalls: Vec<Recall>,
    /// All recalls of the vehicle; null if nothing is known.
    #[schema(required, example = 6)]
    vehicle_recall_count: Option<usize>,
}

impl From<FoundRecalls> for PartRecalls {
    fn from(FoundRecalls { of_vehicle, recalls }: FoundRecalls) -> Self {
        Self {
            state: of_vehicle.state.into(),
            asked_for: of_vehicle.asked_for.into(),
            fetched_at: of_vehicle.fetched_at,
            recalls: recalls.into_iter().map(Recall::from).collect(),
            vehicle_recall_count: of_vehicle.records.map(|records| records.recalls.len()),
        }
    }
}

/// Lists recalls of a vehicle that name a part type, from NHTSA (the US traffic safety administration).
///
/// They are requested and cached as by `GET /api/vehicles/{id}/recalls`.
#[utoipa::path(get, path = "/api/parts/{id}/recalls", tag = "parts",
    params(("id" = String, Path, description = "The label of the part type.", example = "brake-caliper"), PartRecallsQuery),
    responses(
        (status = OK, body = PartRecalls),
        problems::SignedIn, problems::NotFound,
        (status = UNPROCESSABLE_ENTITY, description = "There is no vehicle to look up."),
    ))]
pub(crate) async fn get_part_recalls(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
    QueryString(query): QueryString<PartRecallsQuery>,
) -> Result<Json<PartRecalls>, ApiError> {
    let vehicle = vehicle_filter(query.vehicle_id.as_deref())?;
    Ok(Json(app.parts.part_recalls(&user, &part_label(&id)?, vehicle).await?.into()))
}
