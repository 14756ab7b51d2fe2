//! Distribution shift: whether scans resemble the photographs that the confidence was fitted on.

use axum::Json;
use jiff::Timestamp;
use partsight_domain::{self as domain, DRIFT_WINDOW, MIN_DRIFT_SCANS};
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::SignedIn;
use crate::{ApiError, problems};

/// The distribution of a score over the scans, compared with that over the photographs on which it was calibrated.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScoreShift {
    /// Share of the calibration photographs whose score is at most each mark of `at`, in 0..=1.
    fitted: Vec<f64>,
    /// Share of the scans whose score is at most each mark of `at`, in 0..=1.
    now: Vec<f64>,
    /// Largest distance of the two curves at the marks (Kolmogorov-Smirnov distance), in 0..=1.
    #[schema(minimum = 0, maximum = 1, example = 0.24)]
    distance: f64,
    /// The mark at which the two curves are farthest apart.
    #[schema(minimum = 0, maximum = 1, example = 0.9)]
    largest_at: f64,
    /// Whether scores at `largestAt` are lower than before: a larger share of the scans is at or below this mark.
    is_lower: bool,
    /// p-value of the Kolmogorov-Smirnov test: probability of a distance at least as large if both have the same
    /// distribution.
    #[schema(minimum = 0, maximum = 1)]
    p_value: f64,
    /// Whether the shift is both significant and at least 0.2.
    is_alert: bool,
}

/// The embeddings of the scans compared with those of earlier scans.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EmbeddingShift {
    /// Scans that were compared.
    scans: usize,
    /// Earlier scans that were compared, of the 90 days before.
    earlier_scans: usize,
    /// Squared maximum mean discrepancy (MMD), unbiased estimate: about 0 for equal distributions, always below 2.
    #[schema(example = 0.004)]
    mmd_squared: f64,
    /// p-value from 1,000 permutations: probability of an MMD at least as large if both have the same distribution.
    #[schema(minimum = 0, maximum = 1)]
    p_value: f64,
    /// Whether the shift is both significant and at least 0.03.
    is_alert: bool,
}

/// Drift: whether your recent scans are distributed like the photographs on which the confidence was calibrated.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Drift {
    /// When the comparison was made; it is cached for an hour.
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    looked_at: Timestamp,
    /// Number of days whose scans are compared.
    #[schema(example = 7)]
    days: i64,
    /// Scans that were compared: at most the newest 2,000.
    scans: usize,
    /// Minimum number of scans for a comparison.
    #[schema(example = 50)]
    least_scans: usize,
    /// The marks in 0..=1 at which the curves are given, ascending; empty if the model was not measured for this.
    at: Vec<f64>,
    /// Drift of the confidence of the model alone; null with too few scans, or if the model was not measured for this.
    #[schema(required)]
    confidence: Option<ScoreShift>,
    /// Drift of the known score; null with too few scans, or if the model was not measured for this.
    #[schema(required)]
    known_score: Option<ScoreShift>,
    /// Drift of the embeddings; null with too few scans in these days or before.
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

/// Returns whether your scans of the last seven days are distributed like the photographs on which the confidence was
/// calibrated.
///
/// Confidence and known score are those of the model alone, without taught parts, feedback and vehicle. In a company,
/// only the owner and managers can read this.
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
