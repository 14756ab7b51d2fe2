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
    /// The id of the vehicle; the default vehicle if absent.
    vehicle_id: Option<String>,
}

/// Whether a part fits a vehicle.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PartFits {
    /// `fits`, `does-not-fit` or `unknown`.
    #[schema(example = "does-not-fit")]
    verdict: &'static str,
    /// Source of the verdict: `shop` for an entry of the shop, `fitment-data` for an imported file, `vehicle` for the
    /// vehicle's fuel, transmission or drive; null if there is none.
    #[schema(required, example = "vehicle")]
    source: Option<&'static str>,
    /// The reason, as a sentence.
    #[schema(
        example = "A 2021 Tesla Model 3 has no engine with spark ignition, so Spark Plug cannot be on it."
    )]
    reason: String,
    vehicle: VehicleSummary,
    /// For a part type: shop parts that are stated to fit, at most 20.
    parts: Vec<ShopPart>,
    /// Notes of a language model, if the verdict is `unknown`; they do not change it. Otherwise null.
    #[schema(required)]
    notes: Option<FitNotes>,
    /// The state of `notes`; null if the verdict is not `unknown`.
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

/// Returns whether a part type or a shop part fits a vehicle. Needs the Pro or Business plan.
#[utoipa::path(get, path = "/api/parts/{id}/fits", tag = "parts",
    params(
        ("id" = String, Path, description = "The label of a part type, or the id of a shop part.", example = "spark-plug"),
        PartFitsQuery,
    ),
    responses(
        (status = OK, body = PartFits),
        problems::SignedIn, problems::NotFound,
        (status = FORBIDDEN, description = "The plan does not include this call."),
        (status = UNPROCESSABLE_ENTITY, description = "There is no vehicle to check."),
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

/// Notes of a language model about a part type on a vehicle. They do not state whether a part fits.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FitNotes {
    /// What to know, such as variants of the vehicle that need different parts; at most 6 texts of 240 characters.
    #[schema(example = json!(["The 1.8 and the 2.4 take rotors of different diameters."]))]
    notes: Vec<String>,
    /// What to compare between the old part and the new one; at most 6 texts of 240 characters.
    #[schema(example = json!(["Outer diameter"]))]
    compare: Vec<String>,
}

impl From<&FitmentNotes> for FitNotes {
    fn from(FitmentNotes { notes, compare }: &FitmentNotes) -> Self {
        Self { notes: notes.clone(), compare: compare.clone() }
    }
}
