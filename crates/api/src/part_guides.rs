//! The guide of a part, and having a language model write one where there is none.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use partsight_app::App;
use partsight_domain::PartLabel;

use crate::catalog::part_label;
use crate::extract::{PathSegment, SignedIn};
use crate::parts::IdentifiedPart;
use crate::{ApiError, Problem};

/// A part type with its guide, as far as there is one.
#[utoipa::path(get, path = "/api/parts/{id}/guide", tag = "parts",
    params(("id" = String, Path, description = "The label of the part type.", example = "spark-plug")),
    responses(
        (status = OK, body = IdentifiedPart),
        (status = UNAUTHORIZED, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
    ))]
pub(crate) async fn get_part_guide(
    State(app): State<App>,
    SignedIn(user): SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<IdentifiedPart>, ApiError> {
    let label: PartLabel = part_label(&id)?;
    let types = app.part_types_with_guides(&user, [&label].into_iter()).await?;
    Ok(Json(IdentifiedPart::of(&types, &label)?))
}

/// Has a language model write a guide for a part type that people taught.
///
/// The name and the category of the type are sent to it, where you or your company allowed the second opinion. Paid for
/// once: where it was asked before, and for a part with a guide of our own, this only reads. Whatever goes wrong, the
/// part comes without a guide, and `ai` says why.
#[utoipa::path(post, path = "/api/parts/{id}/guide", tag = "parts",
    params(("id" = String, Path, description = "The label of the part type.", example = "spark-plug")),
    responses(
        (status = OK, body = IdentifiedPart),
        (status = UNAUTHORIZED, body = Problem, content_type = "application/problem+json"),
        (status = FORBIDDEN, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
        (status = TOO_MANY_REQUESTS, body = Problem, content_type = "application/problem+json"),
    ))]
pub(crate) async fn ask_part_guide(
    State(app): State<App>,
    SignedIn(user): SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<IdentifiedPart>, ApiError> {
    let label = part_label(&id)?;
    let types = app.ask_for_guide(&user, &label).await?;
    Ok(Json(IdentifiedPart::of(&types, &label)?))
}

/// Throws away the guide that a language model wrote, so that it can be asked for anew.
#[utoipa::path(delete, path = "/api/parts/{id}/guide", tag = "parts",
    params(("id" = String, Path, description = "The label of the part type.", example = "spark-plug")),
    responses(
        (status = NO_CONTENT),
        (status = UNAUTHORIZED, body = Problem, content_type = "application/problem+json"),
        (status = FORBIDDEN, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
    ))]
pub(crate) async fn discard_part_guide(
    State(app): State<App>,
    SignedIn(user): SignedIn,
    PathSegment(id): PathSegment,
) -> Result<StatusCode, ApiError> {
    app.discard_guide(&user, &part_label(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}
