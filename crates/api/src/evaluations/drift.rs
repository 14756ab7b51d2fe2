//! Distribution shift: whether scans resemble the photographs that the confidence was fitted on.

use axum::Json;
use jiff::Timestamp;
use partsight_domain::{self as domain, DRIFT_WINDOW, MIN_DRIFT_SCANS};
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::SignedIn;
use crate::{ApiError, problems};

/// How a score is distributed over the scans, beside how it was over the photographs that it was fitted on.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScoreShift {
    /// Share of the fitted photographs whose score is at most each mark of `at`.
    fitted: Vec<f64>,
    /// Share of the scans.
    now: Vec<f64>,
    /// Largest distance of the two over the marks.
    #[schema(minimum = 0, maximum = 1, example = 0.24)]
    distance: f64,
    /// The mark where they are so far apart.
    #[schema(minimum = 0, maximum = 1, example = 0.9)]
    largest_at: f64,
    /// Whether scores are lower there than they were: a larger share of the scans lies at or below the mark.
    is_lower: bool,
    /// How probable such a distance is by chance (Kolmogorov and Smirnov).
    #[schema(minimum = 0, maximum = 1)]
    p_value: f64,
    /// Whether the distance is both beyond chance and at least 0.2.
    is_alert: bool,
}

/// Embeddings of the scans beside those of earlier scans.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EmbeddingShift {
    /// Scans that were compared.
    scans: usize,
    /// Earlier scans, of the 90 days before.
    earlier_scans: usize,
    /// Squared maximum mean discrepancy, the unbiased estimate: about 0 where both are alike, less than 2.
    #[schema(example = 0.004)]
    mmd_squared: f64,
    /// How probable so much is by chance, over 1,000 permutations.
    #[schema(minimum = 0, maximum = 1)]
    p_value: f64,
    /// Whether it is both beyond chance and at least 0.03.
    is_alert: bool,
}

/// Whether your scans of the last days are like what the confidence was fitted on.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Drift {
    /// When it was looked; a look holds for an hour.
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    looked_at: Timestamp,
    /// The scans are those of so many days.
    #[schema(example = 7)]
    days: i64,
    /// Scans that were compared, at most the newest 2,000.
    scans: usize,
    /// How many it takes at least.
    #[schema(example = 50)]
    least_scans: usize,
    /// The marks of the curves, rising; empty for a model that was not measured for this.
    at: Vec<f64>,
    /// The confidence, by the model alone; null with too few scans, or for a model that was not measured for this.
    #[schema(required)]
    confidence: Option<ScoreShift>,
    /// How surely scans show a part that the model knows.
    #[schema(required)]
    known_score: Option<ScoreShift>,
    /// What the pictures look like to the model; null with too few scans, in these days or before.
    #[schema(required)]
    embedding: Option<EmbeddingShift>,
}

impl From<&domain::ScoreShift> for ScoreShift {
    fn from(shift: &domain::ScoreShift) -> Self {
        Self {
            fitted: shift.fitted.clone(),
            now: shift.now.clone(),
            distance: shift.distance(),
            largest_at: shift.at,
            is_lower: shift.difference > 0.0,
            p_value: shift.p_value,
            is_alert: shift.is_alert(),
        }
    }
}

impl From<domain::EmbeddingShift> for EmbeddingShift {
    fn from(shift: domain::EmbeddingShift) -> Self {
        Self {
            scans: shift.n_now,
            earlier_scans: shift.n_before,
            mmd_squared: shift.mmd_squared,
            p_value: shift.p_value,
            is_alert: shift.is_alert(),
        }
    }
}

/// Whether your own scans of the last seven days are like the photographs that the confidence was fitted on.
///
/// Confidence and known score are those of the model alone, without taught parts, feedback and vehicle. Members of a
/// company who do not manage it see none.
#[utoipa::path(get, path = "/api/drift", tag = "evaluations",
    responses((status = OK, body = Drift), problems::Write, problems::Unavailable))]
pub(crate) async fn get_drift(SignedIn { app, user }: SignedIn) -> Result<Json<Drift>, ApiError> {
    let found = app.evaluations.drift(&user).await?;
    Ok(Json(Drift {
        looked_at: found.looked_at,
        days: DRIFT_WINDOW.as_hours() / 24,
        scans: found.n_scans,
        least_scans: MIN_DRIFT_SCANS,
        at: found.at.clone(),
        confidence: found.confidence.as_ref().map(Into::into),
        known_score: found.known_score.as_ref().map(Into::into),
        embedding: found.embedding.map(Into::into),
    }))
}
