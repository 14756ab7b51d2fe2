//! How many scans the user may make.

use axum::Json;
use partsight_domain::ScanAllowance;
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::SignedIn;
use crate::{ApiError, problems};

/// The scan allowance of the user.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScanLimits {
    /// Scans that the plan includes; 999 means unlimited.
    #[schema(example = 2)]
    limit: u32,
    /// Scans that returned an answer.
    #[schema(example = 1)]
    used: u32,
    /// Scans left; 999 means unlimited.
    #[schema(example = 1)]
    remaining: u32,
}

impl From<ScanAllowance> for ScanLimits {
    fn from(allowance: ScanAllowance) -> Self {
        Self { limit: allowance.limit, used: allowance.used, remaining: allowance.remaining() }
    }
}

/// Returns the scan allowance.
#[utoipa::path(get, path = "/api/scans/limits", tag = "scans",
    responses((status = OK, body = ScanLimits), problems::SignedIn))]
pub(crate) async fn get_scan_limits(SignedIn { app, user }: SignedIn) -> Result<Json<ScanLimits>, ApiError> {
    Ok(Json(app.accounts.scan_allowance(&user).await?.into()))
}
