//! The settings of the server that its pages show or obey.

use axum::Json;
use axum::extract::State;

use crate::ApiState;
use crate::public_settings::PublicSettings;

/// Returns the public settings of this server.
#[utoipa::path(get, path = "/api/settings", tag = "operations", responses((status = OK, body = PublicSettings)))]
pub(crate) async fn get_settings(State(state): State<ApiState>) -> Json<PublicSettings> {
    Json(state.public_settings)
}
