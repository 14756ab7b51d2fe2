//! Whether the server can do its work now.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, HeaderName};
use partsight_app::{App, Readiness, ReadyCheck};
use serde::Serialize;
use utoipa::ToSchema;

/// Whether the server can do its work now, and what was looked at.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Ready {
    /// `ready`, or `not-ready`.
    #[schema(example = "ready")]
    status: &'static str,
    /// What was looked at.
    checks: Vec<Check>,
}

/// One thing that was looked at.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Check {
    /// `engines`, `canary`, `database`, `disk`, or `index` for a vector index on a server; `serving` alone once the server was told to stop.
    #[schema(example = "canary")]
    name: &'static str,
    /// Whether it is as it should be.
    ok: bool,
    /// Whether the server is not ready without it. Without the index of taught parts it answers, and its receipts say so.
    required: bool,
    /// What was found.
    #[schema(example = "A photograph went through decoding and model 12 s ago.")]
    detail: String,
    /// How long the look took.
    milliseconds: f64,
}

impl From<Readiness> for Ready {
    fn from(readiness: Readiness) -> Self {
        let check = |ReadyCheck { name, is_required, is_ok, detail, duration }| Check {
            name,
            ok: is_ok,
            required: is_required,
            detail,
            milliseconds: (duration.as_secs_f64() * 1e6).round() / 1000.0,
        };
        Self {
            status: if readiness.is_ready { "ready" } else { "not-ready" },
            checks: readiness.checks.into_iter().map(check).collect(),
        }
    }
}

/// Readiness check for load balancers.
///
/// Ready is a server whose engines run, where a photograph went through decoding and model in the last minute and was
/// seen right, whose database takes a write, and that has 256 MB of disk left for its data. It is not ready once it was
/// told to stop, and after three engines were replaced within ten minutes. The answer holds for a second. `/health`
/// says only that the server is up.
#[utoipa::path(get, path = "/ready", tag = "operations", responses(
    (status = OK, body = Ready),
    (status = SERVICE_UNAVAILABLE, body = Ready, description = "Not ready; `checks` says why."),
))]
pub(crate) async fn get_ready(
    State(app): State<App>,
) -> (StatusCode, [(HeaderName, &'static str); 1], Json<Ready>) {
    let readiness = app.operations.readiness().await;
    let status = if readiness.is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    // Set here, because the `no-store` default applies only below `/api/`.
    (status, [(CACHE_CONTROL, "no-store")], Json(readiness.into()))
}
