//! The files of a report, and the comparison of two evaluations.

use axum::Json;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::extract::{PathSegment, PathSegments, QueryString, SignedIn};
use crate::files::download;
use crate::ids::evaluation_id;
use crate::{ApiError, problems};

/// The page shows only inline styles and embedded images, loads nothing and cannot be framed. Its own policy, which
/// applies as well, names the hash of its only script, which makes a file of what was decided about labels. In the
/// sandbox the page has an origin of its own, so that no script could reach the app or its cookies.
const PAGE_POLICY: &str = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
                           base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
                           sandbox allow-scripts allow-downloads";

/// Returns a file of the report: `index.html`, a page for people; `report.json` with all figures; `photos.csv`,
/// `classes.csv`, `confusion.csv`, `rejection.csv`, `curves.csv`, `wrong-labels.csv`; or a thumbnail by the file name
/// that the figures give.
#[utoipa::path(get, path = "/api/evaluations/{id}/files/{name}", tag = "evaluations",
    params(
        ("id" = String, Path, description = "The id of the evaluation."),
        ("name" = String, Path, description = "The name of the file.", example = "report.json"),
    ),
    responses(
        (status = OK, body = String, content_type = "text/html"),
        problems::Write, problems::NotFound,
    ))]
pub(crate) async fn get_evaluation_file(
    SignedIn { app, user }: SignedIn,
    PathSegments(segments): PathSegments<2>,
) -> Result<Response, ApiError> {
    let [id, name] = segments;
    let bytes = app.evaluations.file(&user, evaluation_id(&id)?, &name).await?;
    let shown = |headers: [(HeaderName, &'static str); 3]| (headers, bytes.clone()).into_response();
    Ok(match name.rsplit('.').next() {
        Some("html") => shown([
            (CONTENT_TYPE, "text/html; charset=utf-8"),
            (CONTENT_DISPOSITION, "inline"),
            (CONTENT_SECURITY_POLICY, PAGE_POLICY),
        ]),
        Some("jpg") => shown([
            (CONTENT_TYPE, "image/jpeg"),
            (CONTENT_DISPOSITION, "inline"),
            (CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"),
        ]),
        Some("json") => download("application/json", &name, bytes),
        _ => download("text/csv; charset=utf-8", &name, bytes),
    })
}

/// What to compare an evaluation with.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ComparisonQuery {
    /// The id of the other evaluation, such as that of an earlier model.
    #[serde(default)]
    #[param(required)]
    with: String,
}

/// Comparison of two evaluations on the photographs that both contain, by content.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EvaluationComparison {
    /// Common photographs whose label both models know. The labels are those of this evaluation.
    photos: u64,
    /// Correct only in this evaluation.
    only_this: u64,
    /// Correct only in the other evaluation.
    only_other: u64,
    /// Top-1 accuracy of this evaluation minus that of the other, in -1..=1; null without common photographs.
    #[schema(required, example = 0.021)]
    difference: Option<f64>,
    /// Lower end of its 95% interval (Newcombe's paired method), in -1..=1.
    #[schema(required)]
    low: Option<f64>,
    /// Upper end of that interval.
    #[schema(required)]
    high: Option<f64>,
    /// p-value of `McNemar`'s exact test: probability of so unequal counts if both models are equally good.
    #[schema(minimum = 0, maximum = 1)]
    p_value: f64,
}

/// Compares two evaluations on the photographs that both contain.
#[utoipa::path(get, path = "/api/evaluations/{id}/comparison", tag = "evaluations",
    params(("id" = String, Path, description = "The id of the evaluation."), ComparisonQuery),
    responses(
        (status = OK, body = EvaluationComparison),
        problems::Write, problems::NotFound, problems::Invalid,
    ))]
pub(crate) async fn compare_evaluations(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
    QueryString(ComparisonQuery { with }): QueryString<ComparisonQuery>,
) -> Result<Json<EvaluationComparison>, ApiError> {
    let id = evaluation_id(&id)?;
    // Checked first: if both are missing, the error is about the one in the path.
    app.evaluations.get(&user, id).await?;
    let found = app.evaluations.compare(&user, evaluation_id(&with)?, id).await?;
    Ok(Json(EvaluationComparison {
        photos: found.n,
        only_this: found.only_second,
        only_other: found.only_first,
        difference: found.difference,
        low: found.interval.map(|[low, _]| low),
        high: found.interval.map(|[_, high]| high),
        p_value: found.p_value,
    }))
}
