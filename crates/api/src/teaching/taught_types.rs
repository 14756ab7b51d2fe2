//! Renaming, recategorising, deleting and restoring a taught part.

use axum::Json;
use axum::http::StatusCode;
use partsight_app::Owner;
use serde::Deserialize;
use utoipa::ToSchema;

use super::taught_parts::{TaughtPartType, category_of};
use crate::extract::{JsonBody, PathSegment, SignedIn};
use crate::ids::part_label;
use crate::{ApiError, problems};

/// What a taught part is called and where it belongs.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct PartTypeChange {
    /// As you call it; at most 60 characters.
    #[schema(example = "EGR valve, 2.0 TDI")]
    name: String,
    /// Where it belongs.
    #[schema(example = "engine")]
    category: String,
}

/// Gives a part that you taught another name and category. Its id stays.
#[utoipa::path(put, path = "/api/catalog/types/{id}", tag = "parts", request_body = PartTypeChange,
    params(("id" = String, Path, description = "The label of the part type.", example = "egr-valve-2-0-tdi")),
    responses(
        (status = OK, body = TaughtPartType),
        problems::Write, problems::Body, problems::Invalid,
        (status = NOT_FOUND, description = "You have taught no such part."),
        (status = CONFLICT, description = "Another part has this name."),
    ))]
pub(crate) async fn change_part_type(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
    JsonBody(body): JsonBody<PartTypeChange>,
) -> Result<Json<TaughtPartType>, ApiError> {
    let (label, category) = (part_label(&id)?, category_of(&body.category)?);
    let changed = app.teaching.change_type(&Owner::of(&user), &label, &body.name, Some(category)).await?;
    Ok(Json(changed.into()))
}

/// Deletes a part that you taught with all its photographs; it can be restored for 30 days. Scans, feedback and repairs
/// that name it stay as they are.
#[utoipa::path(delete, path = "/api/catalog/types/{id}", tag = "parts",
    params(("id" = String, Path, description = "The label of the part type.", example = "egr-valve-2-0-tdi")),
    responses(
        (status = NO_CONTENT),
        problems::Write,
        (status = NOT_FOUND, description = "You have taught no such part."),
        (status = CONFLICT, description = "Parts of your shop are of this type."),
    ))]
pub(crate) async fn delete_part_type(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<StatusCode, ApiError> {
    app.teaching.delete_type(&Owner::of(&user), &part_label(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Brings a deleted part back, with the photographs that were deleted with it.
#[utoipa::path(post, path = "/api/catalog/types/{id}/restore", tag = "parts",
    params(("id" = String, Path, description = "The label of the part type.", example = "egr-valve-2-0-tdi")),
    responses(
        (status = OK, body = TaughtPartType),
        problems::Write,
        (status = NOT_FOUND, description = "You have taught no such part, or it is not deleted."),
        (status = CONFLICT, description = "Another part has its name by now."),
    ))]
pub(crate) async fn restore_part_type(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<TaughtPartType>, ApiError> {
    Ok(Json(app.teaching.restore_type(&Owner::of(&user), &part_label(&id)?).await?.into()))
}
