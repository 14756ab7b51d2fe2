//! Whether the server can do its work now.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, HeaderName};
use partsight_app::{App, Readiness, ReadyCheck};
use serde::Serialize;
use utoipa::ToSchema;

/// Whether the server is ready, with the checks.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Ready {
    /// `ready`, or `not-ready`.
    #[schema(example = "ready")]
    status: &'static str,
    /// The readiness checks.
    checks: Vec<Check>,
}

/// One readiness check.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Check {
    /// `engines`, `canary`, `database`, `disk`, `index` for a vector index on a server, or `photo-storage`.
    #[schema(example = "canary")]
    name: &'static str,
    /// Whether the check passed.
    ok: bool,
    /// Whether the server is not ready if this check fails. Without the index of taught parts it still answers, and the
    /// receipts of its scans say so; without the photograph storage, photographs wait in the database.
    required: bool,
    /// The finding, as text.
    #[schema(example = "A photograph went through decoding and model 12 s ago.")]
    detail: String,
    /// Duration of the check.
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
/// The server is ready if its engines run; if a test photograph was decoded and identified correctly within the last
/// minute; if its database accepts a write; and if at least 256 MB of disk are free for its data. It is not ready after
/// three engines were replaced within ten minutes. The result is cached for one second. A server that was told to stop
/// takes no further connections, so a probe is refused. `/health` only says that the server is up.
#[utoipa::path(get, path = "/ready", tag = "operations", responses(
    (status = OK, body = Ready),
    (status = SERVICE_UNAVAILABLE, body = Ready, description = "Not ready; `checks` gives the reasons."),
))]
pub(crate) async fn get_ready(
    State(app): State<App>,
) -> (StatusCode, [(HeaderName, &'static str); 1], Json<Ready>) {
    let readiness = app.operations.readiness().await;
    let status = if readiness.is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    // Set here, because the `no-store` default applies only below `/api/`.
    (status, [(CACHE_CONTROL, "no-store")], Json(readiness.into()))
}
