//! A tenant's status and settings of the vision-LLM judge.

use axum::Json;
use partsight_app::{JudgeBudgetStatus, JudgeStatus};
use partsight_domain::JudgeBudgetChoice;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{JsonBody, SignedIn};
use crate::{ApiError, problems};

/// The judge, as it applies to the caller.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent fact")]
pub(crate) struct Judge {
    /// The server to which photographs are sent when the model is not sure, as host or host and port; null if this
    /// server has no judge.
    #[schema(required, example = "api.openai.com")]
    host: Option<String>,
    /// Name of the vision language model; null if this server has no judge.
    #[schema(required, example = "gpt-5-mini")]
    model: Option<String>,
    /// Whether the judge runs on this server, so that no photograph leaves it.
    on_this_machine: bool,
    /// Whether the caller's plan includes the judge.
    in_plan: bool,
    /// Whether the judge may be asked for the caller: it gets the caller's photographs if the model is not sure, and
    /// names of parts and vehicles if the caller requests missing data. True if the company (or the caller, if they are
    /// in none) allows it and the caller has not refused.
    allowed: bool,
    /// Whether the caller's company allows it for its members; null if they are in no company.
    #[schema(required)]
    allowed_by_company: Option<bool>,
    /// Whether the caller has refused for themselves. This takes precedence over the company.
    refused_by_you: bool,
    /// Whether the caller may decide for the company; always true without a company. Everybody may refuse for
    /// themselves.
    may_change: bool,
    today: JudgeBudget,
    this_month: JudgeBudget,
}

/// The budget of the judge for the caller or their company, in a day or month of UTC.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "each name has its unit in JSON")]
pub(crate) struct JudgeBudget {
    /// Spent so far, in millionths of a US dollar. A running call counts with its maximum cost.
    #[schema(example = 3500)]
    spent_micro_dollars: u64,
    /// The effective budget, in millionths of a US dollar. When the rest is too small for another call, scans are
    /// answered without the judge.
    #[schema(example = 500_000)]
    limit_micro_dollars: u64,
    /// The budget that the caller or the company chose, in millionths of a US dollar; null for the limit of the server.
    #[schema(required, example = 500_000)]
    chosen_micro_dollars: Option<u64>,
    /// The limit of the server, in millionths of a US dollar. The effective budget is never higher.
    #[schema(example = 1_000_000)]
    most_micro_dollars: u64,
}

impl From<JudgeBudgetStatus> for JudgeBudget {
    fn from(status: JudgeBudgetStatus) -> Self {
        Self {
            spent_micro_dollars: status.spent,
            limit_micro_dollars: status.limit,
            chosen_micro_dollars: status.chosen,
            most_micro_dollars: status.most,
        }
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
            allowed_by_company: status.is_allowed_by_company,
            refused_by_you: status.is_refused_by_self,
            may_change: status.may_change,
            today: status.day.into(),
            this_month: status.month.into(),
        }
    }
}

/// Permission for the judge.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct JudgeDecision {
    /// Whether the judge may get photographs if the model is not sure, and names of parts and vehicles if somebody
    /// requests missing data.
    #[schema(example = true)]
    allowed: bool,
}

/// Returns where photographs are sent when the model is not sure, whether this is allowed, and what it has cost.
#[utoipa::path(get, path = "/api/judge", tag = "scans",
    responses((status = OK, body = Judge), problems::SignedIn, problems::Unavailable))]
pub(crate) async fn get_judge(SignedIn { app, user }: SignedIn) -> Result<Json<Judge>, ApiError> {
    Ok(Json(app.judging.judge_status(&user).await?.into()))
}

/// Allows or forbids sending photographs to the judge, and using it to fill in data that the catalogue lacks.
///
/// Applies to all members of a company; only the owner and managers may decide. Permission does not apply to members
/// who have refused for themselves. Forbidding it also deletes the judge's earlier verdicts that are kept for reuse;
/// the scans do not change.
#[utoipa::path(put, path = "/api/judge", tag = "scans", request_body = JudgeDecision,
    responses((status = OK, body = Judge), problems::Write, problems::Body, problems::Unavailable))]
pub(crate) async fn set_judge(
    SignedIn { app, user }: SignedIn,
    JsonBody(decision): JsonBody<JudgeDecision>,
) -> Result<Json<Judge>, ApiError> {
    Ok(Json(app.judging.set_judge_consent(&user, decision.allowed).await?.into()))
}

/// Refuses the judge for your own photographs and requests, or withdraws this refusal.
///
/// A refusal takes precedence over the permission of the company. It also deletes the judge's earlier verdicts on your
/// photographs that are kept for reuse. Withdrawing it allows no more than the company does. Without a company, this
/// call is the same as `PUT /api/judge`.
#[utoipa::path(put, path = "/api/judge/own", tag = "scans", request_body = JudgeDecision,
    responses((status = OK, body = Judge), problems::Write, problems::Body, problems::Unavailable))]
pub(crate) async fn set_own_judge(
    SignedIn { app, user }: SignedIn,
    JsonBody(decision): JsonBody<JudgeDecision>,
) -> Result<Json<Judge>, ApiError> {
    Ok(Json(app.judging.set_own_judge_consent(&user, decision.allowed).await?.into()))
}

/// The budget of the judge.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct JudgeBudgetDecision {
    /// Budget per day in UTC, in millionths of a US dollar; null for the limit of the server.
    // `deserialize_with` makes a missing field an error instead of null.
    #[serde(deserialize_with = "Option::deserialize")]
    #[schema(required, example = 500_000)]
    day_micro_dollars: Option<u64>,
    /// Budget per month in UTC, in millionths of a US dollar; null for the limit of the server.
    #[serde(deserialize_with = "Option::deserialize")]
    #[schema(required, example = 5_000_000)]
    month_micro_dollars: Option<u64>,
}

/// Sets the budget of the judge, within the limits of the server. It applies from the next question on, to all members
/// of a company together; only the owner and managers may set it.
#[utoipa::path(put, path = "/api/judge/budget", tag = "scans", request_body = JudgeBudgetDecision,
    responses((status = OK, body = Judge), problems::Write, problems::Body, problems::Unavailable))]
pub(crate) async fn set_judge_budget(
    SignedIn { app, user }: SignedIn,
    JsonBody(decision): JsonBody<JudgeBudgetDecision>,
) -> Result<Json<Judge>, ApiError> {
    let choice = JudgeBudgetChoice { day: decision.day_micro_dollars, month: decision.month_micro_dollars };
    Ok(Json(app.judging.set_judge_budget(&user, choice).await?.into()))
}
