//! Requesting what the catalogue lacks from a language model, and discarding its answers.

use axum::Json;
use axum::http::StatusCode;

use crate::extract::{PathSegment, QueryString, SignedIn};
use crate::garage::oil_specs::OilSpecs;
use crate::ids::{part_label, vehicle_id};
use crate::parts::fit::{PartFits, PartFitsQuery, fit_question};
use crate::parts::part_types::IdentifiedPart;
use crate::{ApiError, problems};

/// Has a language model fill in the oil of a vehicle that our table does not know.
///
/// Year, make, model and engine are sent to it, where you or your company allowed the second opinion. Paid for once: where
/// it was asked before, this only reads. Values that no vehicle can have are left out. Whatever goes wrong, the answer is
/// that of the oil specification without it, and `ai` says why.
#[utoipa::path(post, path = "/api/vehicles/{id}/oil/ai", tag = "maintenance",
    params(("id" = String, Path, description = "The vehicle.")),
    responses(
        (status = OK, body = OilSpecs),
        problems::Write, problems::NotFound,
        (status = TOO_MANY_REQUESTS),
    ))]
pub(crate) async fn ask_vehicle_oil(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<OilSpecs>, ApiError> {
    Ok(Json(app.judging.ask_for_oil(&user, vehicle_id(&id)?).await?.into()))
}

/// Deletes what a language model filled in of the oil of a vehicle, for you or your company alone.
#[utoipa::path(delete, path = "/api/vehicles/{id}/oil/ai", tag = "maintenance",
    params(("id" = String, Path, description = "The vehicle.")),
    responses((status = NO_CONTENT), problems::Write, problems::NotFound))]
pub(crate) async fn discard_vehicle_oil(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<StatusCode, ApiError> {
    app.judging.discard_oil(&user, vehicle_id(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
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
        problems::Write, problems::NotFound,
        (status = TOO_MANY_REQUESTS),
    ))]
pub(crate) async fn ask_part_guide(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<IdentifiedPart>, ApiError> {
    let label = part_label(&id)?;
    let types = app.judging.ask_for_guide(&user, &label).await?;
    Ok(Json(IdentifiedPart::of(&types, &label)?))
}

/// Deletes the guide that a language model wrote, so that it can be requested again.
#[utoipa::path(delete, path = "/api/parts/{id}/guide", tag = "parts",
    params(("id" = String, Path, description = "The label of the part type.", example = "spark-plug")),
    responses((status = NO_CONTENT), problems::Write, problems::NotFound))]
pub(crate) async fn discard_part_guide(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<StatusCode, ApiError> {
    app.judging.discard_guide(&user, &part_label(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// As the call to read it, with a language model asked first for notes where nothing says whether the part fits.
///
/// The name of the part type, and year, make, model and engine of the vehicle are sent to it, where you or your company
/// allowed the second opinion. Paid for once: where it was asked before, this only reads. The verdict stays `unknown`.
#[utoipa::path(post, path = "/api/parts/{id}/fits", tag = "parts",
    params(
        ("id" = String, Path, description = "The label of a part type, or the id of a part of the shop.", example = "spark-plug"),
        PartFitsQuery,
    ),
    responses(
        (status = OK, body = PartFits),
        problems::SignedIn, problems::NotFound,
        (status = FORBIDDEN, description = "The plan does not include it."),
        (status = UNPROCESSABLE_ENTITY, description = "There is no vehicle to check for."),
        (status = TOO_MANY_REQUESTS),
    ))]
pub(crate) async fn ask_part_fits(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
    QueryString(query): QueryString<PartFitsQuery>,
) -> Result<Json<PartFits>, ApiError> {
    let (subject, vehicle) = fit_question(&id, &query)?;
    let found = app.judging.ask_for_fitment(&user, &subject, vehicle).await?;
    Ok(Json(PartFits::new(&app.parts.part_types(&user).await?, found, &user)))
}

/// Deletes the notes of a language model on a part and a vehicle, for you or your company alone.
#[utoipa::path(delete, path = "/api/parts/{id}/fits", tag = "parts",
    params(
        ("id" = String, Path, description = "The label of a part type, or the id of a part of the shop.", example = "spark-plug"),
        PartFitsQuery,
    ),
    responses((status = NO_CONTENT), problems::Write, problems::NotFound, problems::Invalid))]
pub(crate) async fn discard_part_fits(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
    QueryString(query): QueryString<PartFitsQuery>,
) -> Result<StatusCode, ApiError> {
    let (subject, vehicle) = fit_question(&id, &query)?;
    app.judging.discard_fitment(&user, &subject, vehicle).await?;
    Ok(StatusCode::NO_CONTENT)
}
