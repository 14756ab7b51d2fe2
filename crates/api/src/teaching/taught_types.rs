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

/// The new name and category of a taught part type.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct PartTypeChange {
    /// The name of the part type, at most 60 characters.
    #[schema(example = "EGR valve, 2.0 TDI")]
    name: String,
    /// The category of the part type.
    #[schema(example = "engine")]
    category: String,
}

/// Changes the name and category of a part type that you taught. Its id stays the same.
#[utoipa::path(put, path = "/api/catalog/types/{id}", tag = "parts", request_body = PartTypeChange,
    params(("id" = String, Path, description = "The label of the part type.", example = "egr-valve-2-0-tdi")),
    responses(
        (status = OK, body = TaughtPartType),
        problems::Write, problems::Body, problems::Invalid,
        (status = NOT_FOUND, description = "You have taught no such part type."),
        (status = CONFLICT, description = "Another part type has this name."),
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

/// Deletes a part type that you taught, with all its reference photographs. It can be restored for 30 days. Scans,
/// feedback and repairs that name it do not change.
#[utoipa::path(delete, path = "/api/catalog/types/{id}", tag = "parts",
    params(("id" = String, Path, description = "The label of the part type.", example = "egr-valve-2-0-tdi")),
    responses(
        (status = NO_CONTENT),
        problems::Write,
        (status = NOT_FOUND, description = "You have taught no such part type."),
        (status = CONFLICT, description = "Your shop has parts of this type."),
    ))]
pub(crate) async fn delete_part_type(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<StatusCode, ApiError> {
    app.teaching.delete_type(&Owner::of(&user), &part_label(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Restores a deleted part type with the reference photographs that were deleted with it.
#[utoipa::path(post, path = "/api/catalog/types/{id}/restore", tag = "parts",
    params(("id" = String, Path, description = "The label of the part type.", example = "egr-valve-2-0-tdi")),
    responses(
        (status = OK, body = TaughtPartType),
        problems::Write,
        (status = NOT_FOUND, description = "You have taught no such part type, or it is not deleted."),
        (status = CONFLICT, description = "Another part type now has its name."),
    ))]
pub(crate) async fn restore_part_type(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<TaughtPartType>, ApiError> {
    Ok(Json(app.teaching.restore_type(&Owner::of(&user), &part_label(&id)?).await?.into()))
}
