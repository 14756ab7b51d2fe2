//! The guide of a part.

use axum::Json;
use partsight_domain::PartLabel;

use crate::extract::{PathSegment, SignedIn};
use crate::ids::part_label;
use crate::parts::part_types::IdentifiedPart;
use crate::{ApiError, problems};

/// Returns a part type with its installation guide, if there is one.
#[utoipa::path(get, path = "/api/parts/{id}/guide", tag = "parts",
    params(("id" = String, Path, description = "The label of the part type.", example = "spark-plug")),
    responses((status = OK, body = IdentifiedPart), problems::SignedIn, problems::NotFound))]
pub(crate) async fn get_part_guide(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<IdentifiedPart>, ApiError> {
    let label: PartLabel = part_label(&id)?;
    let types = app.judging.part_types_with_guides(&user, [&label].into_iter()).await?;
    Ok(Json(IdentifiedPart::of(&types, &label)?))
}
