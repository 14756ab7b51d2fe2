//! What a tenant can know and decide about the vision-LLM judge.

use axum::Json;
use axum::extract::State;
use partsight_app::{App, JudgeStatus};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{JsonBody, SignedIn};
use crate::{ApiError, Problem};

/// What the judge means for the caller.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Judge {
    /// Where photographs that the model is not sure of would be sent, as host or host and port; null where this
    /// server has no judge.
    #[schema(required, example = "api.openai.com")]
    host: Option<String>,
    /// The judge's model.
    #[schema(required, example = "gpt-5-mini")]
    model: Option<String>,
    /// Whether the judge runs on the server itself, so that no photograph leaves it.
    on_this_machine: bool,
    /// Whether the caller's plan includes it.
    in_plan: bool,
    /// Whether the caller, or the company, allows that photographs are sent there.
    allowed: bool,
    today: JudgeBudget,
    this_month: JudgeBudget,
}

/// What the judge may cost the caller, or the company, in a period of UTC.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct JudgeBudget {
    /// Millionths of a dollar; a call that runs counts at the most it can cost.
    #[schema(example = 3500)]
    spent_micro_dollars: u64,
    /// Millionths of a dollar. Once no further call fits, scans are answered without the judge.
    #[schema(example = 1_000_000)]
    limit_micro_dollars: u64,
}

impl From<(u64, u64)> for JudgeBudget {
    fn from((spent_micro_dollars, limit_micro_dollars): (u64, u64)) -> Self {
        Self { spent_micro_dollars, limit_micro_dollars }
    }
}

impl From<JudgeStatus> for Judge {
    fn from(status: JudgeStatus) -> Self {
        Self {
            host: status.host,
            model: status.model,
            on_this_machine: status.is_on_this_machine,
            in_plan: status.is_in_plan,
            allowed: status.is_allowed,
            today: status.day.into(),
            this_month: status.month.into(),
        }
    }
}

/// A decision about the judge.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct JudgeDecision {
    /// Whether photographs that the model is not sure of may be sent to the judge.
    #[schema(example = true)]
    allowed: bool,
}

/// Where photographs would be sent when the model is not sure, whether that is allowed, and what it has cost.
#[utoipa::path(get, path = "/api/judge", tag = "scans", responses(
    (status = OK, body = Judge),
    (status = UNAUTHORIZED, body = Problem, content_type = "application/problem+json"),
    (status = SERVICE_UNAVAILABLE, body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn get_judge(
    State(app): State<App>,
    SignedIn(user): SignedIn,
) -> Result<Json<Judge>, ApiError> {
    Ok(Json(app.judge_status(&user).await?.into()))
}

/// Allows or forbids that photographs are sent to the judge.
///
/// Holds for all members of a company, whose owner and managers alone may decide it. Forbidding it also deletes what the judge said of earlier photographs, as far
/// as it is kept for new ones; the scans stay as they are.
#[utoipa::path(put, path = "/api/judge", tag = "scans", request_body = JudgeDecision, responses(
    (status = OK, body = Judge),
    (status = UNAUTHORIZED, body = Problem, content_type = "application/problem+json"),
    (status = FORBIDDEN, body = Problem, content_type = "application/problem+json"),
    (status = PAYLOAD_TOO_LARGE, body = Problem, content_type = "application/problem+json"),
    (status = UNSUPPORTED_MEDIA_TYPE, body = Problem, content_type = "application/problem+json"),
    (status = UNPROCESSABLE_ENTITY, body = Problem, content_type = "application/problem+json"),
    (status = SERVICE_UNAVAILABLE, body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn set_judge(
    State(app): State<App>,
    SignedIn(user): SignedIn,
    JsonBody(decision): JsonBody<JudgeDecision>,
) -> Result<Json<Judge>, ApiError> {
    Ok(Json(app.set_judge_consent(&user, decision.allowed).await?.into()))
}
