//! How many wrong answers a shop accepts, and what that costs.

use axum::Json;
use partsight_app::DialStatus;
use partsight_domain::{DialMark, ErrorRate};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{JsonBody, SignedIn};
use crate::{ApiError, problems};

/// How many wrong answers the caller, or the company, accepts, and what the model offers.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Dial {
    /// What was chosen, in percent of the answers; null where the model's own threshold holds.
    #[schema(required, example = 5.0)]
    max_wrong_percent: Option<f64>,
    /// Whether the caller may choose; members of a company who do not manage it only read.
    may_change: bool,
    /// The confidence in 0..=1 from which scans are identified now.
    #[schema(minimum = 0, maximum = 1, example = 0.858_808)]
    identified_confidence: f32,
    /// The same by the model's own choice.
    #[schema(minimum = 0, maximum = 1, example = 0.858_808)]
    model_identified_confidence: f32,
    /// How the choices came about, and with which probability what is guaranteed holds.
    rule: String,
    /// What the shares were measured on; null where this model's were not.
    #[schema(required)]
    measured_on: Option<String>,
    /// Whether the confidence is fitted to the caller's feedback. The choices were measured without that, so nothing is
    /// guaranteed then.
    confidence_is_fitted: bool,
    /// By rising share of wrong answers; none for a model that was not measured.
    choices: Vec<DialChoice>,
}

/// A choice, and what it was measured to lead to on photographs of known parts.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DialChoice {
    /// At most this share of the answers is to be wrong.
    #[schema(example = 5.0)]
    max_wrong_percent: f64,
    /// The confidence in 0..=1 from which scans are then identified.
    #[schema(minimum = 0, maximum = 1, example = 0.858_808)]
    identified_confidence: f32,
    /// Whether it holds now because it was chosen.
    in_force: bool,
    /// Whether it is the same as the model's own.
    is_models_own: bool,
    /// Whether the share is guaranteed for photographs like those measured, by the rule. If not, they were too few to
    /// promise it; the choice is then the strictest there is, and lets none of their wrong answers through.
    is_guaranteed: bool,
    /// What can be said at most of the share of wrong answers, in 0..=1.
    #[schema(minimum = 0, maximum = 1, example = 0.0498)]
    error_upper_bound: f64,
    /// Photographs that it was measured on.
    #[schema(example = 351)]
    n: u64,
    /// Share of them that the model answers by itself, in 0..=1; null where it was not measured.
    #[schema(required, minimum = 0, maximum = 1, example = 0.8262)]
    answered_locally: Option<f64>,
    /// Wrong ones among those answered.
    #[schema(required, example = 4)]
    answered_wrong: Option<u64>,
    /// Share of them that would go to the judge, in 0..=1. The rest is called "not a part".
    #[schema(required, minimum = 0, maximum = 1, example = 0.1595)]
    to_judge: Option<f64>,
    /// What the judge would cost for 1,000 scans, in millionths of a dollar: that share of them at what the configured
    /// prices set aside for a question, which is more than is usually billed. Null without a judge.
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

/// How many wrong answers are accepted.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct DialDecision {
    /// One of the `choices`, in percent; null for the model's own threshold.
    // `deserialize_with` makes a missing field an error instead of null.
    #[serde(deserialize_with = "Option::deserialize")]
    #[schema(required, example = 5.0)]
    max_wrong_percent: Option<f64>,
}

/// How many wrong answers are accepted, and for each choice what is answered locally, what goes to the judge, and what
/// that costs.
///
/// All figures were measured with the model; parts that were taught, feedback and other photographs than those move them.
#[utoipa::path(get, path = "/api/dial", tag = "scans",
    responses((status = OK, body = Dial), problems::SignedIn, problems::Unavailable))]
pub(crate) async fn get_dial(SignedIn { app, user }: SignedIn) -> Result<Json<Dial>, ApiError> {
    Ok(Json(app.teaching.dial(&user).await?.into()))
}

/// Chooses how many wrong answers are accepted. Holds from the next scan on, for all members of a company.
#[utoipa::path(put, path = "/api/dial", tag = "scans", request_body = DialDecision,
    responses((status = OK, body = Dial), problems::Write, problems::Body, problems::Unavailable))]
pub(crate) async fn set_dial(
    SignedIn { app, user }: SignedIn,
    JsonBody(decision): JsonBody<DialDecision>,
) -> Result<Json<Dial>, ApiError> {
    Ok(Json(app.teaching.set_dial(&user, decision.max_wrong_percent).await?.into()))
}
