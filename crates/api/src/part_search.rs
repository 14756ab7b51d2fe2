//! Finding parts by words, and whether they fit.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use partsight_app::{App, FillState, FitSubject, FoundPart, PartFit, PartTypes};
use partsight_domain::{Category, FitSource, InvalidInput, PartLabel, PartQuery, User, VehicleId, messages};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::extract::{PathSegment, QueryString, SignedIn};
use crate::fills::{AiFill, FitNotes};
use crate::parts::PartCategory;
use crate::shop_parts::ShopPart;
use crate::vehicles::{VehicleSummary, vehicle_id};
use crate::{ApiError, Problem};

/// Parts in one answer unless asked for another number.
const DEFAULT_LIMIT: i64 = 20;
/// Most parts in one answer.
const MAX_LIMIT: i64 = 50;

/// What to look for.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PartSearchQuery {
    /// A name, a number or a brand, at most 100 characters.
    #[param(required, example = "sparc plug")]
    q: Option<String>,
    /// One of the values of `PartCategory`.
    category: Option<String>,
    /// Most parts in the answer, 1 to 50; 20 unless given.
    limit: Option<i64>,
}

/// A part type of the catalogue, or a part of the shop, that a search found.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FoundPartItem {
    /// Of a part of the shop its id, of a part type its label.
    #[schema(example = "spark-plug")]
    id: String,
    kind: FoundPartKind,
    /// The label of the part type.
    #[schema(example = "spark-plug")]
    label: String,
    #[schema(example = "Spark Plug")]
    name: String,
    category: PartCategory,
    /// Of a part of the shop; else null.
    #[schema(required, example = "ILZKR7B-11S")]
    number: Option<String>,
    /// Of a part of the shop; else null.
    #[schema(required, example = "NGK")]
    brand: Option<String>,
    /// Whether a scan can answer with the part type as it is.
    model_knows: bool,
    /// How well it is what was looked for; above 0, higher for better.
    #[schema(example = 0.97)]
    score: f32,
}

/// What was found.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FoundPartKind {
    /// A part type.
    Type,
    /// A part of the shop.
    Part,
}

impl From<FoundPart> for FoundPartItem {
    fn from(found: FoundPart) -> Self {
        Self {
            id: found.id.map_or_else(|| found.label.to_string(), |id| id.to_string()),
            kind: if found.id.is_some() { FoundPartKind::Part } else { FoundPartKind::Type },
            label: found.label.to_string(),
            name: found.name,
            category: found.category.into(),
            number: found.number,
            brand: found.brand,
            model_knows: found.model_knows,
            score: found.score,
        }
    }
}

/// Finds part types by name, other names and description, and parts of the shop by name, number and brand, the best
/// first. Typing errors are forgiven: one letter from four letters on, two from eight on.
#[utoipa::path(get, path = "/api/parts/search", tag = "parts", params(PartSearchQuery), responses(
    (status = OK, body = Vec<FoundPartItem>),
    (status = UNAUTHORIZED, body = Problem, content_type = "application/problem+json"),
    (status = NOT_FOUND, body = Problem, content_type = "application/problem+json", description = "There is no such category."),
    (status = UNPROCESSABLE_ENTITY, body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn search_parts(
    State(app): State<App>,
    SignedIn(user): SignedIn,
    QueryString(query): QueryString<PartSearchQuery>,
) -> Result<Json<Vec<FoundPartItem>>, ApiError> {
    let limit = query.limit.unwrap_or(DEFAULT_LIMIT);
    if !(1..=MAX_LIMIT).contains(&limit) {
        return Err(InvalidInput::new("limit", "Please ask for 1 to 50 parts at a time.").into());
    }
    let category = match query.category.as_deref().filter(|name| !name.is_empty()) {
        None => None,
        Some(name) => Some(
            Category::from_name(name)
                .ok_or_else(|| ApiError::not_found(messages::PART_CATEGORY_NOT_FOUND))?,
        ),
    };
    let words = PartQuery::new(query.q.as_deref().unwrap_or_default())?;
    let limit = usize::try_from(limit).map_err(ApiError::internal)?;
    let found = app.search_parts(&user, words, category, limit).await?;
    Ok(Json(found.into_iter().map(FoundPartItem::from).collect()))
}

/// For which vehicle.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct PartFitsQuery {
    /// The default vehicle unless given.
    vehicle_id: Option<String>,
}

/// Whether a part fits a vehicle.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PartFits {
    /// `fits`, `does-not-fit` or `unknown`.
    #[schema(example = "does-not-fit")]
    verdict: &'static str,
    /// Who says so: `shop` for the shop's own word, `fitment-data` for an imported file, `vehicle` for its fuel,
    /// transmission or drive; null where nobody does.
    #[schema(required, example = "vehicle")]
    source: Option<&'static str>,
    /// A sentence that says why.
    #[schema(
        example = "A 2021 Tesla Model 3 has no engine with spark ignition, so Spark Plug cannot be on it."
    )]
    reason: String,
    vehicle: VehicleSummary,
    /// For a part type: parts of the shop that are said to fit, at most 20.
    parts: Vec<ShopPart>,
    /// What a language model has to say where the verdict is `unknown`, which it does not change; else null.
    #[schema(required)]
    notes: Option<FitNotes>,
    /// Where those notes stand; null where the verdict is not `unknown`.
    #[schema(required)]
    ai: Option<AiFill>,
}

impl PartFits {
    fn new(types: &PartTypes, found: PartFit, user: &User) -> Self {
        Self {
            verdict: found.fit.verdict.as_str(),
            source: found.fit.source.map(FitSource::as_str),
            reason: found.fit.reason,
            vehicle: found.vehicle.details.name.into(),
            parts: found.parts.into_iter().map(|part| ShopPart::new(types, part, user)).collect(),
            notes: found.fill.as_ref().and_then(FillState::fitment).map(FitNotes::from),
            ai: found.fill.as_ref().map(AiFill::from),
        }
    }
}

/// Whether a part type, or a part of the shop, fits a vehicle. Part of the Pro and Business plans.
#[utoipa::path(get, path = "/api/parts/{id}/fits", tag = "parts",
    params(
        ("id" = String, Path, description = "The label of a part type, or the id of a part of the shop.", example = "spark-plug"),
        PartFitsQuery,
    ),
    responses(
        (status = OK, body = PartFits),
        (status = UNAUTHORIZED, body = Problem, content_type = "application/problem+json"),
        (status = FORBIDDEN, body = Problem, content_type = "application/problem+json", description = "The plan does not include it."),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
        (status = UNPROCESSABLE_ENTITY, body = Problem, content_type = "application/problem+json", description = "There is no vehicle to check for."),
    ))]
pub(crate) async fn get_part_fits(
    State(app): State<App>,
    SignedIn(user): SignedIn,
    PathSegment(id): PathSegment,
    QueryString(query): QueryString<PartFitsQuery>,
) -> Result<Json<PartFits>, ApiError> {
    let (subject, vehicle) = fit_question(&id, &query)?;
    let found = app.part_fit(&user, &subject, vehicle).await?;
    Ok(Json(PartFits::new(&app.part_types(&user).await?, found, &user)))
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
        (status = UNAUTHORIZED, body = Problem, content_type = "application/problem+json"),
        (status = FORBIDDEN, body = Problem, content_type = "application/problem+json", description = "The plan does not include it."),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
        (status = UNPROCESSABLE_ENTITY, body = Problem, content_type = "application/problem+json", description = "There is no vehicle to check for."),
        (status = TOO_MANY_REQUESTS, body = Problem, content_type = "application/problem+json"),
    ))]
pub(crate) async fn ask_part_fits(
    State(app): State<App>,
    SignedIn(user): SignedIn,
    PathSegment(id): PathSegment,
    QueryString(query): QueryString<PartFitsQuery>,
) -> Result<Json<PartFits>, ApiError> {
    let (subject, vehicle) = fit_question(&id, &query)?;
    let found = app.ask_for_fitment(&user, &subject, vehicle).await?;
    Ok(Json(PartFits::new(&app.part_types(&user).await?, found, &user)))
}

/// Throws away the notes of a language model on a part and a vehicle, for you or your company alone.
#[utoipa::path(delete, path = "/api/parts/{id}/fits", tag = "parts",
    params(
        ("id" = String, Path, description = "The label of a part type, or the id of a part of the shop.", example = "spark-plug"),
        PartFitsQuery,
    ),
    responses(
        (status = NO_CONTENT),
        (status = UNAUTHORIZED, body = Problem, content_type = "application/problem+json"),
        (status = FORBIDDEN, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
        (status = UNPROCESSABLE_ENTITY, body = Problem, content_type = "application/problem+json"),
    ))]
pub(crate) async fn discard_part_fits(
    State(app): State<App>,
    SignedIn(user): SignedIn,
    PathSegment(id): PathSegment,
    QueryString(query): QueryString<PartFitsQuery>,
) -> Result<StatusCode, ApiError> {
    let (subject, vehicle) = fit_question(&id, &query)?;
    app.discard_fitment(&user, &subject, vehicle).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Which part, and which vehicle where one is named.
fn fit_question(id: &str, query: &PartFitsQuery) -> Result<(FitSubject, Option<VehicleId>), ApiError> {
    // An id is a label by its form; but no type has one for a label.
    let subject = match id.parse() {
        Ok(id) => FitSubject::Part(id),
        Err(_) => {
            FitSubject::Type(PartLabel::new(id).map_err(|_| ApiError::not_found(messages::PART_NOT_FOUND))?)
        }
    };
    let vehicle = query.vehicle_id.as_deref().filter(|id| !id.is_empty()).map(vehicle_id).transpose()?;
    Ok((subject, vehicle))
}
