//! What the server may learn from a shop's feedback, and what it has learnt.

use axum::Json;
use jiff::Timestamp;
use partsight_app::{LearningStatus, MIN_FEEDBACK};
use partsight_domain::{CalibrationFigures, FeedbackDoubt, LearningChoice, RefitOutcome, TenantCalibration};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{JsonBody, SignedIn};
use crate::wire_enum::wire_enum;
use crate::{ApiError, problems};

/// What the server may learn from feedback, and what it has learnt.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Learning {
    /// Whether a scan becomes a reference of its part type when feedback states what it shows.
    confirmed_scans_teach: bool,
    /// Whether the confidence is calibrated to the feedback, every hour in which there was some.
    refit_calibration: bool,
    /// Whether you may decide. In a company, only the owner and managers may.
    may_change: bool,
    feedback: FeedbackCounts,
    /// Minimum number of scans with a known part for a calibration.
    #[schema(example = 50)]
    least_feedback: usize,
    /// The latest calibration of the model in use to feedback; null if there was none.
    #[schema(required)]
    calibration: Option<FittedCalibration>,
}

/// Feedback on the scans that are still stored, by answer.
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

/// A calibration of the confidence to feedback.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FittedCalibration {
    /// Temperature by which the logarithms of the probabilities are divided; null while the model's own calibration is
    /// used.
    #[schema(required, example = 1.31)]
    temperature: Option<f64>,
    outcome: CalibrationOutcome,
    /// Why the feedback was not relied on; null unless the previous calibration was kept for that reason.
    #[schema(required)]
    doubt: Option<CalibrationDoubt>,
    /// Scans that could be used.
    #[schema(example = 68)]
    n: u64,
    /// Quality of the previous calibration on these scans; null if there were too few.
    #[schema(required)]
    before: Option<CalibrationQuality>,
    /// Quality of the new calibration, by cross-validation on these scans; null if nothing was fitted.
    #[schema(required)]
    after: Option<CalibrationQuality>,
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    attempted_at: Timestamp,
}

wire_enum!(
    /// The result of a calibration: changed; kept, because the new one was not better; or not done, because of too few
    /// scans.
    CalibrationOutcome from RefitOutcome { Changed, Kept, TooFew }
);

wire_enum!(
    /// Why feedback was not relied on: it has too few wrong answers, fewer than five, to say how often such answers are
    /// wrong; or the best temperature is outside 0.5 to 4, which is more likely unreliable feedback.
    CalibrationDoubt from FeedbackDoubt { TooFewWrong, OutOfRange }
);

/// Quality of a calibration on scans whose correct parts are known.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CalibrationQuality {
    /// Log loss: mean of `-ln p` of the correct part, or of the best guess being wrong where the correct part had no
    /// probability; lower is better.
    log_loss: f64,
    /// Expected calibration error, in 0..=1; lower is better.
    #[schema(minimum = 0, maximum = 1)]
    ece: f64,
    /// Scans whose confidence reaches the threshold of `identified`.
    identified: u64,
    /// Wrong answers among them.
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
            doubt: calibration.doubt.map(Into::into),
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

/// What the server may learn from feedback.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct LearningDecision {
    /// Whether a scan becomes a reference of its part type when feedback states what it shows.
    #[schema(example = true)]
    confirmed_scans_teach: bool,
    /// Whether the confidence is calibrated to new feedback.
    #[schema(example = true)]
    refit_calibration: bool,
}

/// Returns what the server may learn from your feedback (in a company, from that of all members), and what it has
/// learnt.
#[utoipa::path(get, path = "/api/learning", tag = "scans",
    responses((status = OK, body = Learning), problems::SignedIn, problems::Unavailable))]
pub(crate) async fn get_learning(SignedIn { app, user }: SignedIn) -> Result<Json<Learning>, ApiError> {
    Ok(Json(app.teaching.learning(&user).await?.into()))
}

/// Sets what the server may learn from your feedback. In a company, only the owner and managers may set it, for all
/// members. By default, confirmed scans do not become references, and the confidence is calibrated to the feedback.
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

/// Calibrates the confidence to the feedback now. In a company, only the owner and managers may do this.
///
/// The new calibration is used only if it is better in cross-validation, on scans that it was not fitted on; `outcome`
/// and the figures give the result.
#[utoipa::path(post, path = "/api/learning/calibration", tag = "scans",
    responses((status = OK, body = Learning), problems::Write, problems::Unavailable))]
pub(crate) async fn refit_calibration(SignedIn { app, user }: SignedIn) -> Result<Json<Learning>, ApiError> {
    app.teaching.refit_calibration(&user).await?;
    Ok(Json(app.teaching.learning(&user).await?.into()))
}

/// Returns to the model's own calibration, until calibration to the feedback is allowed again. In a company, only the
/// owner and managers may do this.
#[utoipa::path(delete, path = "/api/learning/calibration", tag = "scans",
    responses((status = OK, body = Learning), problems::Write, problems::Unavailable))]
pub(crate) async fn undo_calibration(SignedIn { app, user }: SignedIn) -> Result<Json<Learning>, ApiError> {
    app.teaching.undo_calibration(&user).await?;
    Ok(Json(app.teaching.learning(&user).await?.into()))
}
