//! Teaching a part with scans of it.

use axum::Json;
use partsight_app::{Entity, Lesson};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::taught_parts::category_of;
use crate::extract::{JsonBody, SignedIn};
use crate::ids::{parse_id, part_label};
use crate::{ApiError, problems};

/// Scans that show a part, and which.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TeachScans {
    /// The scans, at most 100.
    #[schema(example = json!(["01997c3e-5f6a-7000-8000-000000000001"]))]
    scans: Vec<String>,
    /// The label of a part that is there; without it they show a new one.
    #[schema(example = "spark-plug")]
    label: Option<String>,
    /// The name of a new part.
    #[schema(example = "EGR valve, 2.0 TDI")]
    name: Option<String>,
    /// The category of a new part.
    #[schema(example = "engine")]
    category: Option<String>,
}

/// What came of it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TaughtScans {
    /// The label of the part.
    label: String,
    /// Scans that are photos of the part now; their feedback says that they show it.
    taught: Vec<String>,
    /// Scans that are not, each with the reason.
    refused: Vec<RefusedScan>,
}

/// A scan that cannot teach.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RefusedScan {
    id: String,
    reason: String,
}

/// Teaches a part with scans of it, a new one or one that is there: with what the model saw in them, so that no photo has to
/// be kept or sent again.
///
/// The scans are checked as photographs that teach are. One that fails, or looks more like another part, is left out and
/// told with its reason. `DELETE /api/scans/{id}/feedback` takes a scan back.
#[utoipa::path(post, path = "/api/catalog/types/from-scans", tag = "parts", request_body = TeachScans, responses(
    (status = OK, body = TaughtScans),
    problems::Write, problems::Body, problems::NotFound,
    (status = CONFLICT, description = "There is a part of this name, or the account has taught as much as it may."),
    (status = UNPROCESSABLE_ENTITY, description = "A field is wrong, or none of the scans can teach."),
))]
pub(crate) async fn teach_scans(
    SignedIn { app, user }: SignedIn,
    JsonBody(body): JsonBody<TeachScans>,
) -> Result<Json<TaughtScans>, ApiError> {
    let ids = body.scans.iter().map(|text| parse_id(text, Entity::Scan)).collect::<Result<Vec<_>, _>>()?;
    let lesson = if let Some(label) = body.label {
        Lesson::Known(part_label(&label)?)
    } else {
        let category = category_of(body.category.as_deref().unwrap_or_default())?;
        Lesson::NewType { name: body.name.unwrap_or_default(), category }
    };
    let taught = app.scanning.teach_scans(&user, lesson, &ids).await?;
    Ok(Json(TaughtScans {
        label: taught.label.to_string(),
        taught: taught.taught.iter().map(ToString::to_string).collect(),
        refused: taught
            .refused
            .into_iter()
            .map(|(id, reason)| RefusedScan { id: id.to_string(), reason })
            .collect(),
    }))
}
