//! What the server may learn from a shop's feedback, and what it has learnt.

use axum::Json;
use jiff::Timestamp;
use partsight_app::{LearningStatus, MIN_FEEDBACK};
use partsight_domain::{CalibrationFigures, LearningChoice, RefitOutcome, TenantCalibration};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{JsonBody, SignedIn};
use crate::wire_enum::wire_enum;
use crate::{ApiError, problems};

/// What feedback has led to.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Learning {
    /// Whether a scan becomes a photo of its part once somebody said what it shows.
    confirmed_scans_teach: bool,
    /// Whether the confidence is fitted to the feedback every hour in which there was some.
    refit_calibration: bool,
    /// Whether you may decide: in a company, the owner and managers do.
    may_change: bool,
    feedback: FeedbackCounts,
    /// Scans with a named part from which on the confidence is fitted.
    #[schema(example = 50)]
    least_feedback: usize,
    /// The last attempt to fit the confidence of the model in use; null where there was none.
    #[schema(required)]
    calibration: Option<FittedCalibration>,
}

/// What was said of the scans that are kept.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FeedbackCounts {
    #[schema(example = 61)]
    right: u64,
    #[schema(example = 7)]
    other_part: u64,
    #[schema(example = 2)]
    not_a_part: u64,
}

/// An attempt to fit the confidence to feedback.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FittedCalibration {
    /// What the logarithms of the probabilities are divided by; null while the model's own calibration holds.
    #[schema(required, example = 1.31)]
    temperature: Option<f64>,
    outcome: CalibrationOutcome,
    /// Scans that could be used.
    #[schema(example = 68)]
    n: u64,
    /// What was in force before, measured on these scans; null where they were too few.
    #[schema(required)]
    before: Option<CalibrationQuality>,
    /// The new fit, each scan measured with what the others gave; null where they were too few.
    #[schema(required)]
    after: Option<CalibrationQuality>,
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    attempted_at: Timestamp,
}

wire_enum!(
    /// What an attempt to fit the confidence came to.
    CalibrationOutcome from RefitOutcome { Changed, Kept, TooFew }
);

/// How good a calibration is on scans whose parts are known.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CalibrationQuality {
    /// Mean of `-ln p` of the right part; less is better.
    log_loss: f64,
    /// Expected calibration error in 0..=1; less is better.
    #[schema(minimum = 0, maximum = 1)]
    ece: f64,
    /// Scans whose confidence reaches the threshold of `identified`.
    identified: u64,
    /// Wrong ones among those.
    identified_wrong: u64,
}

impl From<CalibrationFigures> for CalibrationQuality {
    fn from(figures: CalibrationFigures) -> Self {
        let CalibrationFigures { log_loss, ece, identified, identified_wrong } = figures;
        Self { log_loss, ece, identified, identified_wrong }
    }
}

impl From<TenantCalibration> for FittedCalibration {
    fn from(calibration: TenantCalibration) -> Self {
        Self {
            temperature: calibration.temperature,
            outcome: calibration.outcome.into(),
            n: calibration.n,
            before: calibration.before.map(Into::into),
            after: calibration.after.map(Into::into),
            attempted_at: calibration.attempted_at,
        }
    }
}

impl From<LearningStatus> for Learning {
    fn from(status: LearningStatus) -> Self {
        Self {
            confirmed_scans_teach: status.choice.confirmed_scans_teach,
            refit_calibration: status.choice.refit_calibration,
            may_change: status.may_change,
            feedback: FeedbackCounts {
                right: status.counts.right,
                other_part: status.counts.other_part,
                not_a_part: status.counts.not_a_part,
            },
            least_feedback: MIN_FEEDBACK,
            calibration: status.calibration.map(Into::into),
        }
    }
}

/// What the server may learn.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct LearningDecision {
    /// Whether a scan becomes a photo of its part once somebody said what it shows.
    #[schema(example = true)]
    confirmed_scans_teach: bool,
    /// Whether the confidence is fitted to the feedback as it comes.
    #[schema(example = true)]
    refit_calibration: bool,
}

/// What the server may learn from your feedback, in a company from that of all its members, and what it has learnt.
#[utoipa::path(get, path = "/api/learning", tag = "scans",
    responses((status = OK, body = Learning), problems::SignedIn, problems::Unavailable))]
pub(crate) async fn get_learning(SignedIn { app, user }: SignedIn) -> Result<Json<Learning>, ApiError> {
    Ok(Json(app.teaching.learning(&user).await?.into()))
}

/// Decides what the server may learn from your feedback, or in a company as its owner or a manager from that of all its
/// members. Unless decided, no scan teaches, and the confidence is fitted.
#[utoipa::path(put, path = "/api/learning", tag = "scans", request_body = LearningDecision,
    responses((status = OK, body = Learning), problems::Write, problems::Body, problems::Unavailable))]
pub(crate) async fn set_learning(
    SignedIn { app, user }: SignedIn,
    JsonBody(decision): JsonBody<LearningDecision>,
) -> Result<Json<Learning>, ApiError> {
    let choice = LearningChoice {
        confirmed_scans_teach: decision.confirmed_scans_teach,
        refit_calibration: decision.refit_calibration,
    };
    Ok(Json(app.teaching.set_learning(&user, choice).await?.into()))
}

/// Fits the confidence to the feedback now; in a company, the owner and managers may.
///
/// The fit is taken over only where it is better on scans that it was not fitted on; `outcome` and the figures say what
/// came of it.
#[utoipa::path(post, path = "/api/learning/calibration", tag = "scans",
    responses((status = OK, body = Learning), problems::Write, problems::Unavailable))]
pub(crate) async fn refit_calibration(SignedIn { app, user }: SignedIn) -> Result<Json<Learning>, ApiError> {
    app.teaching.refit_calibration(&user).await?;
    Ok(Json(app.teaching.learning(&user).await?.into()))
}

/// Goes back to the model's own calibration, and stays there until the confidence may be fitted again. In a company, the
/// owner and managers may.
#[utoipa::path(delete, path = "/api/learning/calibration", tag = "scans",
    responses((status = OK, body = Learning), problems::Write, problems::Unavailable))]
pub(crate) async fn undo_calibration(SignedIn { app, user }: SignedIn) -> Result<Json<Learning>, ApiError> {
    app.teaching.undo_calibration(&user).await?;
    Ok(Json(app.teaching.learning(&user).await?.into()))
}
