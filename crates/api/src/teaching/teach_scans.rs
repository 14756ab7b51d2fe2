//! Teaching a part with scans of it.

use axum::Json;
use partsight_app::{Entity, Lesson};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::taught_parts::category_of;
use crate::extract::{JsonBody, SignedIn};
use crate::ids::{parse_id, part_label};
use crate::{ApiError, problems};

/// Scans of a part to teach, and which part it is.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TeachScans {
    /// The ids of the scans, at most 100.
    #[schema(example = json!(["01997c3e-5f6a-7000-8000-000000000001"]))]
    scans: Vec<String>,
    /// The label of an existing part type; absent for a new one.
    #[schema(example = "spark-plug")]
    label: Option<String>,
    /// The name of a new part type.
    #[schema(example = "EGR valve, 2.0 TDI")]
    name: Option<String>,
    /// The category of a new part type.
    #[schema(example = "engine")]
    category: Option<String>,
}

/// The result of teaching with scans.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TaughtScans {
    /// The label of the part type.
    label: String,
    /// Scans that became references; their feedback now states this part type.
    taught: Vec<String>,
    /// Scans that did not become references, each with the reason.
    refused: Vec<RefusedScan>,
}

/// A scan that is not suitable as a reference.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RefusedScan {
    id: String,
    reason: String,
}

/// Teaches a new or existing part type with scans of it. The saved embeddings of the scans are used, so no photograph
/// has to be kept or sent again.
///
/// The scans pass the same checks as photographs that teach. A scan that fails a check, or looks more like another part
/// type, is skipped and listed with the reason. To undo it for one scan, call `DELETE /api/scans/{id}/feedback`.
#[utoipa::path(post, path = "/api/catalog/types/from-scans", tag = "parts", request_body = TeachScans, responses(
    (status = OK, body = TaughtScans),
    problems::Write, problems::Body, problems::NotFound,
    (status = CONFLICT, description = "A part type with this name exists, or the account has reached its limit of taught parts."),
    (status = UNPROCESSABLE_ENTITY, description = "A field is invalid, or none of the scans is suitable."),
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
