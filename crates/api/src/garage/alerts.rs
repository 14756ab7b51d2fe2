//! Alerts: what is overdue or due soon.

use axum::Json;
use partsight_domain::DueState;
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::{QueryString, SignedIn};
use crate::garage::records::TodayQuery;
use crate::{ApiError, problems};

/// A maintenance item that is overdue, due today or due within 30 days.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Alert {
    /// Stable until the work is done or the `type` changes.
    id: String,
    /// `overdue`, `due_today` or `due_soon`.
    #[serde(rename = "type")]
    #[schema(example = "due_soon")]
    kind: &'static str,
    #[schema(example = "Oil change due soon")]
    title: String,
    #[schema(example = "Oil change for your 2015 Honda Civic is due in 12 days.")]
    message: String,
    /// Name of the vehicle as in the message. If several vehicles have the same name, the license plate or the end of
    /// the VIN precedes it.
    #[schema(example = "2015 Honda Civic")]
    vehicle_name: String,
    vehicle_id: String,
    /// The id of the maintenance item; `engine-oil` for an oil change.
    #[schema(example = "engine-oil")]
    item: String,
    #[schema(format = Date, example = "2025-03-05")]
    due_date: String,
    /// Days since it was due; absent if it is not overdue.
    #[serde(skip_serializing_if = "Option::is_none")]
    days_overdue: Option<u32>,
    /// Days until it is due, 0 for today; absent if it is overdue.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 12)]
    days_due: Option<u32>,
}

impl From<partsight_domain::Alert> for Alert {
    fn from(alert: partsight_domain::Alert) -> Self {
        let is_overdue = alert.state == DueState::Overdue;
        Self {
            id: alert.id,
            kind: alert.state.as_str(),
            title: alert.title,
            message: alert.message,
            vehicle_name: alert.vehicle_name,
            vehicle_id: alert.vehicle_id.to_string(),
            item: alert.item.to_string(),
            due_date: alert.due.to_string(),
            days_overdue: is_overdue.then_some(alert.days),
            days_due: (!is_overdue).then_some(alert.days),
        }
    }
}

/// The maintenance of all vehicles that is overdue, due today or due within 30 days, the most urgent first.
///
/// An oil change is due three calendar months after the previous one. Other items are due at the intervals that the
/// owner has set.
#[utoipa::path(get, path = "/api/alerts", tag = "maintenance", params(TodayQuery),
    responses((status = OK, body = Vec<Alert>), problems::SignedIn, problems::Invalid))]
pub(crate) async fn list_alerts(
    SignedIn { app, user }: SignedIn,
    QueryString(query): QueryString<TodayQuery>,
) -> Result<Json<Vec<Alert>>, ApiError> {
    let today = app.garage.today(query.today.as_deref())?;
    let alerts = app.garage.alerts(&user, today).await?;
    Ok(Json(alerts.into_iter().map(Alert::from).collect()))
}
