//! Listing, reading, cancelling and deleting evaluations.

use axum::Json;
use axum::http::StatusCode;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::figures::EvaluationReport;
use crate::extract::{PathSegment, SignedIn};
use crate::ids::evaluation_id;
use crate::wire_enum::wire_enum;
use crate::{ApiError, problems};

wire_enum!(
    /// The state of an evaluation, in this order: photographs are arriving; waiting; running; finished, with a report;
    /// failed, with a `problem`; cancelled.
    EvaluationState from partsight_domain::EvaluationState { Receiving, Waiting, Running, Done, Failed, Cancelled }
);

/// A measurement of the model on labelled photographs.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Evaluation {
    id: String,
    #[schema(example = "June.zip")]
    name: String,
    state: EvaluationState,
    /// Why it failed and what to do; otherwise null.
    #[schema(required)]
    problem: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    created_at: Timestamp,
    /// When processing started; set again after an interruption.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    #[serde(serialize_with = "crate::wire_time::moment_if_any")]
    started_at: Option<Timestamp>,
    #[schema(value_type = Option<String>, format = DateTime, required)]
    #[serde(serialize_with = "crate::wire_time::moment_if_any")]
    ended_at: Option<Timestamp>,
    /// All photographs.
    photos: u64,
    /// Photographs that have been measured.
    done: u64,
    /// Name and version of the model; null before it is finished.
    #[schema(required, example = "partsight-50 3.1.0")]
    model: Option<String>,
    /// Photographs with labels that the model knows; null before it is finished.
    #[schema(required, example = 142)]
    known: Option<u64>,
    /// Photographs among `known` with a correct best guess (top-1); null before it is finished.
    #[schema(required, example = 129)]
    right: Option<u64>,
    /// The figures; null before it is finished, and in lists.
    #[schema(required)]
    report: Option<EvaluationReport>,
}

impl From<partsight_domain::Evaluation> for Evaluation {
    fn from(evaluation: partsight_domain::Evaluation) -> Self {
        Self {
            id: evaluation.id.to_string(),
            name: evaluation.name,
            state: evaluation.state.into(),
            problem: evaluation.problem,
            created_at: evaluation.created_at,
            started_at: evaluation.started_at,
            ended_at: evaluation.ended_at,
            photos: evaluation.n_photos,
            done: evaluation.n_done,
            model: evaluation.model,
            known: evaluation.n_known,
            right: evaluation.n_right,
            report: evaluation.report.map(Into::into),
        }
    }
}

/// Lists the evaluations of your shop, the newest first. In a company, only the owner and managers can read them.
#[utoipa::path(get, path = "/api/evaluations", tag = "evaluations",
    responses((status = OK, body = Vec<Evaluation>), problems::Write))]
pub(crate) async fn list_evaluations(
    SignedIn { app, user }: SignedIn,
) -> Result<Json<Vec<Evaluation>>, ApiError> {
    Ok(Json(app.evaluations.list(&user).await?.into_iter().map(Into::into).collect()))
}

/// Returns one evaluation with its figures.
#[utoipa::path(get, path = "/api/evaluations/{id}", tag = "evaluations",
    params(("id" = String, Path, description = "The id of the evaluation.")),
    responses((status = OK, body = Evaluation), problems::Write, problems::NotFound))]
pub(crate) async fn get_evaluation(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<Evaluation>, ApiError> {
    Ok(Json(app.evaluations.get(&user, evaluation_id(&id)?).await?.into()))
}

/// Cancels an evaluation and deletes its photographs. If it has already ended, nothing changes.
#[utoipa::path(post, path = "/api/evaluations/{id}/cancel", tag = "evaluations",
    params(("id" = String, Path, description = "The id of the evaluation.")),
    responses((status = OK, body = Evaluation), problems::Write, problems::NotFound))]
pub(crate) async fn cancel_evaluation(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<Evaluation>, ApiError> {
    Ok(Json(app.evaluations.cancel(&user, evaluation_id(&id)?).await?.into()))
}

/// Deletes an evaluation with its report. A running evaluation is cancelled.
#[utoipa::path(delete, path = "/api/evaluations/{id}", tag = "evaluations",
    params(("id" = String, Path, description = "The id of the evaluation.")),
    responses((status = NO_CONTENT), problems::Write, problems::NotFound))]
pub(crate) async fn delete_evaluation(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<StatusCode, ApiError> {
    app.evaluations.delete(&user, evaluation_id(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}
