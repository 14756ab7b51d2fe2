//! Whether the server works.

use axum::Json;
use axum::extract::State;
use partsight_app::App;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{ApiError, problems};

/// The state of the server.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Health {
    /// Always `ok`; otherwise the call fails.
    status: &'static str,
    /// The version of the program.
    version: &'static str,
    /// Name and version of the model.
    model: String,
}

/// Liveness check.
///
/// Answers only after the model has run once, and queries the database.
#[utoipa::path(get, path = "/health", tag = "operations",
    responses((status = OK, body = Health), problems::Unavailable))]
pub(crate) async fn get_health(State(app): State<App>) -> Result<Json<Health>, ApiError> {
    app.operations.check_health().await?;
    let model = format!("{} {}", app.recognition.model_name(), app.recognition.model_version());
    Ok(Json(Health { status: "ok", version: env!("CARGO_PKG_VERSION"), model }))
}
