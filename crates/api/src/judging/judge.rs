//! A tenant's status and settings of the vision-LLM judge.

use axum::Json;
use partsight_app::{JudgeBudgetStatus, JudgeStatus};
use partsight_domain::JudgeBudgetChoice;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{JsonBody, SignedIn};
use crate::{ApiError, problems};

/// What the judge means for the caller.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent fact")]
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
    /// Whether the caller's photographs may be sent there, and names of parts and vehicles where the caller asks for
    /// what the catalogue lacks: the company, or the caller without one, allows it, and the caller has not refused it.
    allowed: bool,
    /// Whether the company that the caller is in allows it for its members; null without a company.
    #[schema(required)]
    allowed_by_company: Option<bool>,
    /// Whether the caller has refused it for themselves, which holds whatever the company allows.
    refused_by_you: bool,
    /// Whether the caller may decide about it for the company; without one always. For themselves everybody may.
    may_change: bool,
    today: JudgeBudget,
    this_month: JudgeBudget,
}

/// What the judge may cost the caller, or the company, in a period of UTC.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "each name has its unit in JSON")]
pub(crate) struct JudgeBudget {
    /// Millionths of a dollar; a call that runs counts at the most it can cost.
    #[schema(example = 3500)]
    spent_micro_dollars: u64,
    /// Millionths of a dollar. Once no further call fits, scans are answered without the judge.
    #[schema(example = 500_000)]
    limit_micro_dollars: u64,
    /// What the caller, or the company, wants to spend at most, in millionths of a dollar; null for all that the server
    /// allows.
    #[schema(required, example = 500_000)]
    chosen_micro_dollars: Option<u64>,
    /// What the server allows, in millionths of a dollar. The limit is never more.
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

/// A decision about the judge.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct JudgeDecision {
    /// Whether photographs that the model is not sure of may be sent to the judge, and names of parts and vehicles where
    /// somebody asks it for what the catalogue lacks.
    #[schema(example = true)]
    allowed: bool,
}

/// Where photographs would be sent when the model is not sure, whether that is allowed, and what it has cost.
#[utoipa::path(get, path = "/api/judge", tag = "scans",
    responses((status = OK, body = Judge), problems::SignedIn, problems::Unavailable))]
pub(crate) async fn get_judge(SignedIn { app, user }: SignedIn) -> Result<Json<Judge>, ApiError> {
    Ok(Json(app.judging.judge_status(&user).await?.into()))
}

/// Allows or forbids that photographs are sent to the judge, and that it fills in what the catalogue lacks.
///
/// Holds for all members of a company, whose owner and managers alone may decide it. Allowing it is an offer: it does not hold
/// for members who have refused for themselves. Forbidding it also deletes what the judge said of earlier photographs, as
/// far as it is kept for new ones; the scans stay as they are.
#[utoipa::path(put, path = "/api/judge", tag = "scans", request_body = JudgeDecision,
    responses((status = OK, body = Judge), problems::Write, problems::Body, problems::Unavailable))]
pub(crate) async fn set_judge(
    SignedIn { app, user }: SignedIn,
    JsonBody(decision): JsonBody<JudgeDecision>,
) -> Result<Json<Judge>, ApiError> {
    Ok(Json(app.judging.set_judge_consent(&user, decision.allowed).await?.into()))
}

/// Refuses that one's own photographs are sent to the judge, and that it is asked to fill in anything for one, or takes
/// the refusal back.
///
/// A refusal holds whatever the company allows, and also deletes what the judge said of the caller's earlier photographs,
/// as far as it is kept for new ones. Taking it back allows no more than the company does; without a company it is the
/// same as `PUT /api/judge`.
#[utoipa::path(put, path = "/api/judge/own", tag = "scans", request_body = JudgeDecision,
    responses((status = OK, body = Judge), problems::Write, problems::Body, problems::Unavailable))]
pub(crate) async fn set_own_judge(
    SignedIn { app, user }: SignedIn,
    JsonBody(decision): JsonBody<JudgeDecision>,
) -> Result<Json<Judge>, ApiError> {
    Ok(Json(app.judging.set_own_judge_consent(&user, decision.allowed).await?.into()))
}

/// What the judge may cost at most.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct JudgeBudgetDecision {
    /// In a day of UTC, in millionths of a dollar; null for all that the server allows.
    // `deserialize_with` makes a missing field an error instead of null.
    #[serde(deserialize_with = "Option::deserialize")]
    #[schema(required, example = 500_000)]
    day_micro_dollars: Option<u64>,
    /// In a month of UTC, in millionths of a dollar; null for all that the server allows.
    #[serde(deserialize_with = "Option::deserialize")]
    #[schema(required, example = 5_000_000)]
    month_micro_dollars: Option<u64>,
}

/// Sets what the judge may cost at most, within what the server allows. Holds from the next question on, for all members
/// of a company together, whose owner and managers alone may decide it.
#[utoipa::path(put, path = "/api/judge/budget", tag = "scans", request_body = JudgeBudgetDecision,
    responses((status = OK, body = Judge), problems::Write, problems::Body, problems::Unavailable))]
pub(crate) async fn set_judge_budget(
    SignedIn { app, user }: SignedIn,
    JsonBody(decision): JsonBody<JudgeBudgetDecision>,
) -> Result<Json<Judge>, ApiError> {
    let choice = JudgeBudgetChoice { day: decision.day_micro_dollars, month: decision.month_micro_dollars };
    Ok(Json(app.judging.set_judge_budget(&user, choice).await?.into()))
}
