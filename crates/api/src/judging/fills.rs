//! Requesting what the catalogue lacks from a language model, and discarding its answers.

use axum::Json;
use axum::http::StatusCode;

use crate::extract::{PathSegment, QueryString, SignedIn};
use crate::garage::oil_specs::OilSpecs;
use crate::ids::{part_label, vehicle_id};
use crate::parts::fit::{PartFits, PartFitsQuery, fit_question};
use crate::parts::part_types::IdentifiedPart;
use crate::{ApiError, problems};

/// Asks a language model for the engine oil of a vehicle that is not in the server's table.
///
/// Year, make, model and engine are sent to the judge, if you or your company have allowed it. Each question is paid
/// only once: if it was asked before, the saved values are returned. Impossible values are left out. If the question
/// fails, the answer is the oil specification without it, and `ai` gives the reason.
#[utoipa::path(post, path = "/api/vehicles/{id}/oil/ai", tag = "maintenance",
    params(("id" = String, Path, description = "The id of the vehicle.")),
    responses(
        (status = OK, body = OilSpecs),
        problems::Write, problems::NotFound, problems::Limited,
    ))]
pub(crate) async fn ask_vehicle_oil(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<OilSpecs>, ApiError> {
    Ok(Json(app.judging.ask_for_oil(&user, vehicle_id(&id)?).await?.into()))
}

/// Deletes the oil values that the language model filled in for a vehicle, only for you or your company.
#[utoipa::path(delete, path = "/api/vehicles/{id}/oil/ai", tag = "maintenance",
    params(("id" = String, Path, description = "The id of the vehicle.")),
    responses((status = NO_CONTENT), problems::Write, problems::NotFound))]
pub(crate) async fn discard_vehicle_oil(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<StatusCode, ApiError> {
    app.judging.discard_oil(&user, vehicle_id(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Asks a language model to write an installation guide for a taught part type.
///
/// The name and the category of the type are sent to the judge, if you or your company have allowed it. Each guide is
/// paid only once: if it was written before, or the catalogue has a guide, that one is returned. If the question fails,
/// the part is returned without a guide, and `ai` gives the reason.
#[utoipa::path(post, path = "/api/parts/{id}/guide", tag = "parts",
    params(("id" = String, Path, description = "The label of the part type.", example = "spark-plug")),
    responses(
        (status = OK, body = IdentifiedPart),
        problems::Write, problems::NotFound, problems::Limited,
    ))]
pub(crate) async fn ask_part_guide(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<IdentifiedPart>, ApiError> {
    let label = part_label(&id)?;
    let types = app.judging.ask_for_guide(&user, &label).await?;
    Ok(Json(IdentifiedPart::of(&types, &label)?))
}

/// Deletes the guide that the language model wrote, so that it can be requested again.
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

/// Same as the GET call, but if it is unknown whether the part fits, first asks a language model for notes.
///
/// The name of the part type, and year, make, model and engine of the vehicle are sent to the judge, if you or your
/// company have allowed it. Each question is paid only once: if it was asked before, the saved notes are returned. The
/// verdict stays `unknown`.
#[utoipa::path(post, path = "/api/parts/{id}/fits", tag = "parts",
    params(
        ("id" = String, Path, description = "The label of a part type, or the id of a shop part.", example = "spark-plug"),
        PartFitsQuery,
    ),
    responses(
        (status = OK, body = PartFits),
        problems::SignedIn, problems::NotFound, problems::Limited,
        (status = FORBIDDEN, description = "The plan does not include this call."),
        (status = UNPROCESSABLE_ENTITY, description = "There is no vehicle to check."),
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

/// Deletes the notes of the language model about a part and a vehicle, only for you or your company.
#[utoipa::path(delete, path = "/api/parts/{id}/fits", tag = "parts",
    params(
        ("id" = String, Path, description = "The label of a part type, or the id of a shop part.", example = "spark-plug"),
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
