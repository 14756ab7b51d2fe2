//! The result of a scan, and the scans of the home screen. The fields of an answer are in `answer.rs`.

use axum::Json;
use axum::http::StatusCode;
use partsight_app::{App, PartTypes};
use partsight_domain::Scan;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::answer::{ScanAnswer, Timings};
use crate::extract::{QueryString, SignedIn};
use crate::ids::{vehicle_filter, vehicle_id};
use crate::parts::part_types::IdentifiedPart;
use crate::scanning::feedback::ScanFeedback;
use crate::scanning::pictures::{photo_url, thumbnail_url};
use crate::scanning::readings::ScanReading;
use crate::scanning::regions::RegionsOfScan;
use crate::{ApiError, problems};

/// Default number of scans, as the home screen shows them (specification 1, section 9).
const DEFAULT_RECENT: u32 = 3;

/// The answer of a scan.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScanResult {
    #[serde(flatten)]
    answer: ScanAnswer,
    identified_part: IdentifiedPart,
    /// The text on the photographs; only with `read=wait`.
    #[serde(skip_serializing_if = "Option::is_none")]
    reading: Option<ScanReading>,
    /// The parts on the photograph; only with `several=true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    regions: Option<RegionsOfScan>,
}

impl ScanResult {
    pub(crate) fn new(app: &App, types: &PartTypes, scan: Scan) -> Result<Self, ApiError> {
        let (answer, identified_part) = ScanAnswer::with_part(app, types, scan)?;
        Ok(Self { answer, identified_part, reading: None, regions: None })
    }

    /// With the text on the photographs.
    pub(crate) fn with_reading(self, reading: Option<ScanReading>) -> Self {
        Self { reading, ..self }
    }

    /// With the parts on the photograph.
    pub(crate) fn with_regions(self, regions: Option<RegionsOfScan>) -> Self {
        Self { regions, ..self }
    }

    pub(crate) fn timings(&self) -> &Timings {
        &self.answer.timings_ms
    }
}

/// A scan of the history.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RecentScan {
    #[serde(flatten)]
    answer: ScanAnswer,
    part_id: String,
    part: IdentifiedPart,
    /// Calibrated probability that the label is correct, in 0..=1.
    #[schema(minimum = 0, maximum = 1)]
    confidence: f32,
    /// Address of the thumbnail; null if there is none.
    #[schema(required, example = "/api/scans/0190a0a0-0000-7000-8000-000000000000/thumbnail")]
    thumbnail_url: Option<String>,
    /// Address of the whole photograph as it was sent, of several the lead one; null if it is not kept.
    #[schema(required, example = "/api/scans/0190a0a0-0000-7000-8000-000000000000/photo")]
    photo_url: Option<String>,
    /// Feedback on the answer; null if there is none.
    #[schema(required)]
    feedback: Option<ScanFeedback>,
}

impl RecentScan {
    pub(crate) fn new(app: &App, types: &PartTypes, mut scan: Scan) -> Result<Self, ApiError> {
        let (thumbnail_url, photo_url) = (thumbnail_url(&scan), photo_url(&scan));
        let feedback = scan.feedback.take().map(|feedback| ScanFeedback::new(types, feedback));
        let (answer, part) = ScanAnswer::with_part(app, types, scan)?;
        Ok(Self {
            part_id: answer.identification.label.clone(),
            confidence: answer.identification.confidence,
            answer,
            part,
            thumbnail_url,
            photo_url,
            feedback,
        })
    }

    pub(crate) fn all(app: &App, types: &PartTypes, scans: Vec<Scan>) -> Result<Vec<Self>, ApiError> {
        scans.into_iter().map(|scan| Self::new(app, types, scan)).collect()
    }
}

/// Which scans to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct RecentScansQuery {
    /// Maximum number of scans; 3 by default. At most 100 are answered, or 5 on the Basic plan.
    limit: Option<u32>,
    /// Only scans for this vehicle. On the Basic plan only those among the last 5 scans of all vehicles.
    vehicle_id: Option<String>,
}

/// Lists the newest scans first.
#[utoipa::path(get, path = "/api/scans/recent", tag = "scans", params(RecentScansQuery), responses(
    (status = OK, body = Vec<RecentScan>),
    problems::SignedIn, problems::NotFound, problems::Invalid,
))]
pub(crate) async fn list_recent_scans(
    SignedIn { app, user }: SignedIn,
    QueryString(query): QueryString<RecentScansQuery>,
) -> Result<Json<Vec<RecentScan>>, ApiError> {
    let vehicle = vehicle_filter(query.vehicle_id.as_deref())?;
    if let Some(id) = vehicle {
        app.garage.vehicle(&user, id).await?;
    }
    let scans = app.scanning.recent_scans(&user, vehicle, query.limit.unwrap_or(DEFAULT_RECENT)).await?;
    let types = app.scanning.part_types_of(&user, &scans).await?;
    Ok(Json(RecentScan::all(&app, &types, scans)?))
}

/// Which scans to delete.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct DeleteScansQuery {
    /// Only scans for this vehicle; all scans if absent.
    vehicle_id: Option<String>,
}

/// Deletes the scan history, including feedback and saved verdicts of the judge. The allowance does not increase.
#[utoipa::path(delete, path = "/api/scans", tag = "scans", params(DeleteScansQuery),
    responses((status = NO_CONTENT), problems::Write, problems::NotFound, problems::Invalid))]
pub(crate) async fn delete_scans(
    SignedIn { app, user }: SignedIn,
    QueryString(query): QueryString<DeleteScansQuery>,
) -> Result<StatusCode, ApiError> {
    // An empty id is refused here: what was meant for one vehicle must not delete the scans of all.
    let vehicle = query.vehicle_id.as_deref().map(vehicle_id).transpose()?;
    if let Some(id) = vehicle {
        app.garage.vehicle(&user, id).await?;
    }
    app.scanning.clear_scans(&user, vehicle).await?;
    Ok(StatusCode::NO_CONTENT)
}
