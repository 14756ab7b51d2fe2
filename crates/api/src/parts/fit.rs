//! Whether parts fit a vehicle.

use axum::Json;
use partsight_app::{FillState, FitSubject, PartFit, PartTypes};
use partsight_domain::{FitSource, FitmentNotes, User, VehicleId};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::ai_fill::AiFill;
use crate::extract::{PathSegment, QueryString, SignedIn};
use crate::garage::vehicles::VehicleSummary;
use crate::ids::{part_label, vehicle_filter};
use crate::parts::shop_parts::ShopPart;
use crate::{ApiError, problems};

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
    pub(crate) fn new(types: &PartTypes, found: PartFit, user: &User) -> Self {
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
        problems::SignedIn, problems::NotFound,
        (status = FORBIDDEN, description = "The plan does not include it."),
        (status = UNPROCESSABLE_ENTITY, description = "There is no vehicle to check for."),
    ))]
pub(crate) async fn get_part_fits(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
    QueryString(query): QueryString<PartFitsQuery>,
) -> Result<Json<PartFits>, ApiError> {
    let (subject, vehicle) = fit_question(&id, &query)?;
    let found = app.judging.part_fit(&user, &subject, vehicle).await?;
    Ok(Json(PartFits::new(&app.parts.part_types(&user).await?, found, &user)))
}

/// Parses a part and, if given, a vehicle.
pub(crate) fn fit_question(
    id: &str,
    query: &PartFitsQuery,
) -> Result<(FitSubject, Option<VehicleId>), ApiError> {
    // Tried first: every id is also a valid label, but no part type has an id as its label.
    let subject = match id.parse() {
        Ok(id) => FitSubject::Part(id),
        Err(_) => FitSubject::Type(part_label(id)?),
    };
    let vehicle = vehicle_filter(query.vehicle_id.as_deref())?;
    Ok((subject, vehicle))
}

/// What a language model says of a kind of part on a vehicle. It says nothing of whether a part fits.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FitNotes {
    /// What to know, such as variants of the vehicle that take different parts; at most 6 of 240 characters.
    #[schema(example = json!(["The 1.8 and the 2.4 take rotors of different diameters."]))]
    notes: Vec<String>,
    /// What to compare between the old part and the new one; at most 6 of 240 characters.
    #[schema(example = json!(["Outer diameter"]))]
    compare: Vec<String>,
}

impl From<&FitmentNotes> for FitNotes {
    fn from(FitmentNotes { notes, compare }: &FitmentNotes) -> Self {
        Self { notes: notes.clone(), compare: compare.clone() }
    }
}
