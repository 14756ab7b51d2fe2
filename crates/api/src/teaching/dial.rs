//! How many wrong answers a shop accepts, and what that costs.

use axum::Json;
use partsight_app::DialStatus;
use partsight_domain::{DialMark, ErrorRate};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{JsonBody, SignedIn};
use crate::{ApiError, problems};

/// The accepted error rate of the caller or their company, and the choices that the model offers.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Dial {
    /// The chosen error rate in percent of the answers; null for the model's own threshold.
    #[schema(required, example = 5.0)]
    max_wrong_percent: Option<f64>,
    /// Whether the caller may choose. In a company, only the owner and managers may.
    may_change: bool,
    /// The current confidence threshold of `identified`, in 0..=1.
    #[schema(minimum = 0, maximum = 1, example = 0.858_808)]
    identified_confidence: f32,
    /// The model's own confidence threshold of `identified`, in 0..=1.
    #[schema(minimum = 0, maximum = 1, example = 0.858_808)]
    model_identified_confidence: f32,
    /// How the model's own thresholds were computed. What it says of photographs of other parts and things holds only
    /// from `modelIdentifiedConfidence` on: a laxer choice calls more of them `identified`.
    rule: String,
    /// The photographs on which the shares were measured; null if they were not measured for this model.
    #[schema(required)]
    measured_on: Option<String>,
    /// Whether the confidence is calibrated to the caller's feedback. The choices were measured without this, so none
    /// of them is guaranteed then.
    confidence_is_fitted: bool,
    /// The possible error rates, ascending; empty if the model was not measured.
    choices: Vec<DialChoice>,
}

/// A possible error rate, with its measured effect on photographs of known parts.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DialChoice {
    /// Maximum share of wrong answers, in percent of the answers.
    #[schema(example = 5.0)]
    max_wrong_percent: f64,
    /// The confidence threshold of `identified` with this choice, in 0..=1.
    #[schema(minimum = 0, maximum = 1, example = 0.858_808)]
    identified_confidence: f32,
    /// Whether this choice is active.
    in_force: bool,
    /// Whether it equals the model's own threshold.
    is_models_own: bool,
    /// Whether the error rate is guaranteed, with 95% confidence, for photographs of learnt types like those measured. If
    /// not, there were too few photographs to guarantee it; the choice then has the lowest threshold above every wrong
    /// answer on them, or that of a laxer choice if it is higher.
    is_guaranteed: bool,
    /// Upper bound of the error rate, in 0..=1, at 95% confidence.
    #[schema(minimum = 0, maximum = 1, example = 0.0498)]
    error_upper_bound: f64,
    /// Photographs on which it was measured.
    #[schema(example = 351)]
    n: u64,
    /// Coverage: share of the photographs that are `identified` by the model, in 0..=1; null if it was not measured.
    #[schema(required, minimum = 0, maximum = 1, example = 0.8262)]
    answered_locally: Option<f64>,
    /// Wrong answers among them; null if they were not counted.
    #[schema(required, example = 4)]
    answered_wrong: Option<u64>,
    /// Share of the photographs that would be sent to the judge, in 0..=1; null if it was not measured. The rest is
    /// `not-a-part`.
    #[schema(required, minimum = 0, maximum = 1, example = 0.1595)]
    to_judge: Option<f64>,
    /// Estimated cost of the judge for 1,000 scans, in millionths of a US dollar: the share `toJudge` times the amount
    /// that is reserved for a question, which is usually more than is billed. Null without a judge.
    #[schema(required, example = 1_595_000)]
    judge_micro_dollars_per_1000_scans: Option<u64>,
}

impl From<DialStatus> for Dial {
    fn from(status: DialStatus) -> Self {
        let in_force = status.dial.mark(status.choice);
        let choice = |mark: &DialMark| DialChoice {
            max_wrong_percent: mark.max_wrong.percent(),
            identified_confidence: mark.identified_confidence as f32,
            in_force: in_force == Some(mark),
            is_models_own: status.dial.is_models_own(mark),
            is_guaranteed: status.is_guaranteed(mark),
            error_upper_bound: mark.error_upper_bound,
            n: mark.n,
            answered_locally: mark.share(|counts| counts.identified).map(rounded),
            answered_wrong: mark.counts.map(|counts| counts.identified_wrong),
            to_judge: mark.share(|counts| counts.not_sure).map(rounded),
            judge_micro_dollars_per_1000_scans: status.judge_cost_of_1000(mark),
        };
        Self {
            max_wrong_percent: status.choice.map(ErrorRate::percent),
            may_change: status.may_change,
            identified_confidence: status.dial.thresholds(status.choice).identified_confidence,
            model_identified_confidence: status.dial.model.identified_confidence,
            confidence_is_fitted: status.is_confidence_fitted,
            choices: status.dial.marks.iter().map(choice).collect(),
            rule: status.rule,
            measured_on: status.measured_on,
        }
    }
}

/// Rounds a share to four decimals: it is measured on a few hundred photographs.
fn rounded(share: f64) -> f64 {
    (share * 10_000.0).round() / 10_000.0
}

/// The accepted error rate.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct DialDecision {
    /// One of the `choices`, in percent; null for the model's own threshold.
    // `deserialize_with` makes a missing field an error instead of null.
    #[serde(deserialize_with = "Option::deserialize")]
    #[schema(required, example = 5.0)]
    max_wrong_percent: Option<f64>,
}

/// Returns the accepted error rate (the share of wrong answers), and for each possible rate the measured share of scans
/// answered by the model, the share sent to the judge, and the cost.
///
/// The figures were measured with the model alone. Taught parts, feedback and different photographs change them.
#[utoipa::path(get, path = "/api/dial", tag = "scans",
    responses((status = OK, body = Dial), problems::SignedIn, problems::Unavailable))]
pub(crate) async fn get_dial(SignedIn { app, user }: SignedIn) -> Result<Json<Dial>, ApiError> {
    Ok(Json(app.teaching.dial(&user).await?.into()))
}

/// Sets the accepted error rate. It applies from the next scan on, and to all members of a company.
#[utoipa::path(put, path = "/api/dial", tag = "scans", request_body = DialDecision,
    responses((status = OK, body = Dial), problems::Write, problems::Body, problems::Unavailable))]
pub(crate) async fn set_dial(
    SignedIn { app, user }: SignedIn,
    JsonBody(decision): JsonBody<DialDecision>,
) -> Result<Json<Dial>, ApiError> {
    Ok(Json(app.teaching.set_dial(&user, decision.max_wrong_percent).await?.into()))
}
