//! What the signed-in user scanned, and what it cost.

use axum::Json;
use axum::response::Response;
use partsight_domain::{FillUsageRow, UsagePath};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::extract::{QueryString, SignedIn};
use crate::files::download;
use crate::wire_enum::wire_enum;
use crate::{ApiError, problems};

/// Which days.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct UsageQuery {
    /// First day in UTC; by default 29 days before the last day. At most 366 days in total.
    #[param(example = "2027-01-01")]
    from: Option<String>,
    /// Last day in UTC; today by default.
    #[param(example = "2027-01-31")]
    to: Option<String>,
}

/// The scans of a period.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Usage {
    /// The first day, in UTC.
    #[schema(value_type = String, format = Date)]
    from: String,
    /// The last day, in UTC.
    #[schema(value_type = String, format = Date)]
    to: String,
    /// All scans of the period.
    scans: u64,
    /// Their cost, in millionths of a US dollar.
    cost_micros: u64,
    /// Scans by day, source and path, the oldest first. There is no row for a day without scans.
    rows: Vec<UsageRow>,
    /// Questions to a language model for missing data, by day and kind, the oldest first. They are paid from the
    /// judge's budget, and are not part of `scans` and `costMicros`.
    fills: Vec<FillUsage>,
}

/// Questions of one kind to a language model for missing data, on one day.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FillUsage {
    /// In UTC.
    #[schema(value_type = String, format = Date)]
    day: String,
    /// `guide`, `oil` or `fitment`.
    #[schema(example = "oil")]
    kind: &'static str,
    /// Number of questions.
    questions: u64,
    /// Cost in millionths of a US dollar. A running question counts with its maximum cost.
    cost_micros: u64,
}

impl From<FillUsageRow> for FillUsage {
    fn from(FillUsageRow { day, kind, n_questions, cost_micros }: FillUsageRow) -> Self {
        Self { day: day.to_string(), kind: kind.as_str(), questions: n_questions, cost_micros }
    }
}

/// The scans of one day, from one source and by one path.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UsageRow {
    /// In UTC.
    #[schema(value_type = String, format = Date)]
    day: String,
    /// `web`, or the id of an API key, which may be revoked.
    #[schema(example = "web")]
    source: String,
    /// The name of the API key; null for the web app.
    #[schema(required)]
    key_name: Option<String>,
    path: UsageVerdictPath,
    scans: u64,
    /// Cost in millionths of a US dollar; 0 if the model on this server answered alone.
    cost_micros: u64,
}

impl From<partsight_domain::UsageRow> for UsageRow {
    fn from(row: partsight_domain::UsageRow) -> Self {
        Self {
            day: row.day.to_string(),
            source: row.source.to_string(),
            key_name: row.key_name,
            path: row.path.into(),
            scans: row.n_scans,
            cost_micros: row.cost_micros,
        }
    }
}

wire_enum!(
    /// How scans were answered, or why they have no answer.
    UsageVerdictPath from UsagePath { Local, Reused, Llm, NotAPart, Error }
);

/// Counts the scans of the signed-in user by day, API key and verdict path, with their costs.
///
/// Scans that were deleted later are included.
#[utoipa::path(get, path = "/api/usage", tag = "keys", params(UsageQuery),
    responses((status = OK, body = Usage), problems::SignedIn, problems::Invalid, problems::Unavailable))]
pub(crate) async fn get_usage(
    SignedIn { app, user }: SignedIn,
    QueryString(query): QueryString<UsageQuery>,
) -> Result<Json<Usage>, ApiError> {
    let (days, rows) = app.accounts.usage(&user, query.from.as_deref(), query.to.as_deref()).await?;
    let fills = app.accounts.fill_usage(&user, days).await?;
    Ok(Json(Usage {
        from: days.from.to_string(),
        to: days.to.to_string(),
        scans: rows.iter().map(|row| row.n_scans).sum(),
        cost_micros: rows.iter().map(|row| row.cost_micros).sum(),
        rows: rows.into_iter().map(UsageRow::from).collect(),
        fills: fills.into_iter().map(FillUsage::from).collect(),
    }))
}

/// Exports the usage as a table (CSV, UTF-8, one row per day, source and path), with costs in US dollars.
///
/// Then follow the questions to a language model for missing data, with a path such as `fill-oil` and no scans. A text
/// that a spreadsheet could execute as a formula begins with an apostrophe.
#[utoipa::path(get, path = "/api/export/usage.csv", tag = "keys", params(UsageQuery), responses(
    (status = OK, body = String, content_type = "text/csv"),
    problems::SignedIn, problems::Invalid,
))]
pub(crate) async fn export_usage(
    SignedIn { app, user }: SignedIn,
    QueryString(query): QueryString<UsageQuery>,
) -> Result<Response, ApiError> {
    let table = app.accounts.usage_csv(&user, query.from.as_deref(), query.to.as_deref()).await?;
    Ok(download("text/csv; charset=utf-8", "usage.csv", table))
}
