//! The maintenance items of a vehicle: what is due, and the owner's settings.

use axum::Json;
use axum::http::StatusCode;
use partsight_app::{DoneForm, Entity, VehicleMaintenance};
use partsight_domain::{Interval, ItemId, MaintenanceForm, Mileage, Reminder};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::extract::{JsonBody, PathSegment, PathSegments, QueryString, SignedIn};
use crate::garage::records::{NumberText, TodayQuery, Warning};
use crate::ids::{parse_id, vehicle_id};
use crate::{ApiError, problems};

/// The maintenance of a vehicle.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MaintenancePlan {
    vehicle_id: String,
    /// In the list of all vehicles, equal ones have the license plate, or else the end of the VIN, before the name.
    #[schema(example = "2015 Honda Civic")]
    vehicle_name: String,
    /// Null if there is no reading yet.
    #[schema(required)]
    odometer: Option<Odometer>,
    /// The items of the default schedule, then the owner's own.
    items: Vec<MaintenanceItem>,
}

/// The latest odometer reading, and the average use of the vehicle.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Odometer {
    /// Miles at the latest reading.
    #[schema(example = 52_000)]
    mileage: u32,
    /// The day of the latest reading.
    #[schema(format = Date, example = "2025-03-05")]
    on: String,
    /// Typical miles per day in the last 12 months; null if there are too few readings.
    #[schema(required, example = 31.5)]
    miles_per_day: Option<f64>,
}

/// A recurring maintenance item.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MaintenanceItem {
    #[schema(example = "tire-rotation")]
    item: String,
    #[schema(example = "Tire rotation")]
    name: String,
    #[schema(required, example = 6)]
    interval_months: Option<u16>,
    #[schema(required, example = 7500)]
    interval_miles: Option<u32>,
    /// Whether the owner set the interval.
    own_interval: bool,
    /// Whether the item is in the default schedule.
    scheduled: bool,
    /// Source of the interval in the default schedule; null if there is none.
    #[schema(required)]
    basis: Option<String>,
    #[schema(required, format = Date)]
    last_done_on: Option<String>,
    #[schema(required)]
    last_done_mileage: Option<u32>,
    /// The date on which it is due by `intervalMonths`.
    #[schema(required, format = Date)]
    due_on: Option<String>,
    /// The mileage at which it is due by `intervalMiles`.
    #[schema(required)]
    due_mileage: Option<u32>,
    /// The date on which the odometer is expected to reach `dueMileage`.
    #[schema(required, format = Date)]
    projected_on: Option<String>,
    /// When the item is due: the earlier of `dueOn` and `projectedOn`, or `dueOn` alone for an oil change with the
    /// default interval.
    #[schema(required, format = Date)]
    due_date: Option<String>,
    /// Days until `dueDate`; negative if it is past; null without a due date.
    #[schema(required)]
    days_left: Option<i32>,
    /// `overdue`, `due_today`, `due_soon`, `later`, `unknown`, `snoozed` or `off`.
    #[schema(example = "due_soon")]
    state: &'static str,
    #[schema(required, format = Date)]
    snoozed_until: Option<String>,
}

impl MaintenanceItem {
    fn new(reminder: Reminder, today: jiff::civil::Date) -> Self {
        let day = |day: Option<jiff::civil::Date>| day.map(|day| day.to_string());
        Self {
            days_left: reminder.days_left(today),
            item: reminder.item.to_string(),
            name: reminder.name,
            interval_months: reminder.interval.and_then(Interval::months),
            interval_miles: reminder.interval.and_then(Interval::miles),
            own_interval: reminder.is_own_interval,
            scheduled: reminder.is_scheduled,
            basis: reminder.basis,
            last_done_on: day(reminder.last_done.map(|last| last.on)),
            last_done_mileage: reminder.last_done.and_then(|last| last.mileage).map(Mileage::get),
            due_on: day(reminder.due_on),
            due_mileage: reminder.due_mileage,
            projected_on: day(reminder.projected_on),
            due_date: day(reminder.due),
            state: reminder.state.as_str(),
            snoozed_until: day(reminder.snoozed_until),
        }
    }
}

impl MaintenancePlan {
    fn new(due: VehicleMaintenance, today: jiff::civil::Date) -> Self {
        Self {
            vehicle_id: due.vehicle.id.to_string(),
            vehicle_name: due.name,
            odometer: due.odometer.map(|trend| Odometer {
                mileage: trend.latest.mileage.get(),
                on: trend.latest.on.to_string(),
                miles_per_day: trend.miles_per_day.map(|miles| (miles * 10.0).round() / 10.0),
            }),
            items: due.reminders.into_iter().map(|reminder| MaintenanceItem::new(reminder, today)).collect(),
        }
    }
}

/// Settings of a maintenance item. Absent fields use the default schedule.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(example = json!({
    "name": "Wheel alignment", "intervalMonths": 12, "intervalMiles": 15_000, "lastDoneOn": "2025-03-05",
    "lastDoneMileage": 52_000, "enabled": true,
}))]
pub(crate) struct NewMaintenanceItem {
    /// Required for an item that is not in the default schedule.
    #[schema(example = "Wheel alignment")]
    name: Option<String>,
    /// 1 to 240.
    #[schema(example = 12)]
    interval_months: Option<i64>,
    /// 100 to 300,000.
    #[schema(example = 15_000)]
    interval_miles: Option<i64>,
    #[schema(format = Date, example = "2025-03-05")]
    last_done_on: Option<String>,
    #[schema(value_type = Option<NumberText>, example = 52_000)]
    last_done_mileage: Option<NumberText>,
    /// Whether to remind; `true` by default.
    enabled: Option<bool>,
}

/// Until when an item is snoozed.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Snooze {
    /// A date after today, at most one year ahead.
    #[schema(required, value_type = String, format = Date, example = "2025-04-01")]
    until: Option<String>,
}

/// A completed maintenance item, with warnings about its record.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FinishedItem {
    #[serde(flatten)]
    item: MaintenanceItem,
    /// Warnings about dates or mileages that decrease; the record was saved nevertheless.
    warnings: Vec<Warning>,
}

/// The record of a completed maintenance item.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(example = json!({ "mileage": 52_000, "date": "2025-03-05", "cost": 49.99, "notes": "At the dealer." }))]
pub(crate) struct MaintenanceDone {
    #[schema(required, value_type = NumberText, example = 52_000)]
    mileage: Option<NumberText>,
    /// The day; today by default.
    #[schema(format = Date, example = "2025-03-05")]
    date: Option<String>,
    #[schema(value_type = Option<NumberText>, example = 49.99)]
    cost: Option<NumberText>,
    notes: Option<String>,
}

/// Lists the maintenance of a vehicle: the items of the default schedule, and the owner's own items.
///
/// An item that was never done has no due date, because the earlier maintenance of the vehicle is unknown.
#[utoipa::path(get, path = "/api/vehicles/{id}/maintenance", tag = "maintenance",
    params(("id" = String, Path, description = "The id of the vehicle."), TodayQuery),
    responses(
        (status = OK, body = MaintenancePlan),
        problems::SignedIn, problems::NotFound, problems::Invalid,
    ))]
pub(crate) async fn get_maintenance(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
    QueryString(query): QueryString<TodayQuery>,
) -> Result<Json<MaintenancePlan>, ApiError> {
    let today = app.garage.today(query.today.as_deref())?;
    let due = app.garage.maintenance(&user, vehicle_id(&id)?, today).await?;
    Ok(Json(MaintenancePlan::new(due, today)))
}

/// Which items of all vehicles to return.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct AllMaintenanceQuery {
    /// Today's date where the caller is, such as 2025-03-05; by default the current date in UTC.
    today: Option<String>,
    /// Only this maintenance item of each vehicle, such as `engine-oil`.
    #[param(example = "engine-oil")]
    item: Option<String>,
}

/// Lists the maintenance of all vehicles, in the order of the list of vehicles.
#[utoipa::path(get, path = "/api/maintenance", tag = "maintenance", params(AllMaintenanceQuery),
    responses((status = OK, body = Vec<MaintenancePlan>), problems::SignedIn, problems::Invalid))]
pub(crate) async fn list_maintenance(
    SignedIn { app, user }: SignedIn,
    QueryString(query): QueryString<AllMaintenanceQuery>,
) -> Result<Json<Vec<MaintenancePlan>>, ApiError> {
    let today = app.garage.today(query.today.as_deref())?;
    let item = query.item.as_deref().filter(|item| !item.is_empty());
    let item = item.map(str::parse::<ItemId>).transpose()?;
    let due = app.garage.all_maintenance(&user, today, item).await?;
    Ok(Json(due.into_iter().map(|due| MaintenancePlan::new(due, today)).collect()))
}

/// Returns one maintenance item of a vehicle.
#[utoipa::path(get, path = "/api/vehicles/{id}/maintenance/{item}", tag = "maintenance",
    params(
        ("id" = String, Path, description = "The id of the vehicle."),
        ("item" = String, Path, description = "The id of the item, such as `tire-rotation`."),
        TodayQuery,
    ),
    responses(
        (status = OK, body = MaintenanceItem),
        problems::SignedIn, problems::NotFound, problems::Invalid,
    ))]
pub(crate) async fn get_maintenance_item(
    SignedIn { app, user }: SignedIn,
    segments: PathSegments<2>,
    QueryString(query): QueryString<TodayQuery>,
) -> Result<Json<MaintenanceItem>, ApiError> {
    let PathSegments([id, item]) = segments;
    let today = app.garage.today(query.today.as_deref())?;
    let reminder = app.garage.maintenance_item(&user, vehicle_id(&id)?, &known_item(&item)?, today).await?;
    Ok(Json(MaintenanceItem::new(reminder, today)))
}

/// Changes a maintenance item of a vehicle, or adds one of the owner's own.
#[utoipa::path(put, path = "/api/vehicles/{id}/maintenance/{item}", tag = "maintenance",
    request_body = NewMaintenanceItem,
    params(
        ("id" = String, Path, description = "The id of the vehicle."),
        ("item" = String, Path, description = "The id of the item: lower-case letters, digits and hyphens."),
        TodayQuery,
    ),
    responses((status = OK, body = MaintenanceItem), problems::Write, problems::NotFound, problems::Body))]
pub(crate) async fn set_maintenance_item(
    SignedIn { app, user }: SignedIn,
    segments: PathSegments<2>,
    QueryString(query): QueryString<TodayQuery>,
    JsonBody(body): JsonBody<NewMaintenanceItem>,
) -> Result<Json<MaintenanceItem>, ApiError> {
    let PathSegments([id, item]) = segments;
    let today = app.garage.today(query.today.as_deref())?;
    let id = vehicle_id(&id)?;
    // Checked first, so that a vehicle of another user gets 404, even if the item is invalid.
    app.garage.vehicle(&user, id).await?;
    let item: ItemId = item.parse()?;
    let form = MaintenanceForm {
        name: body.name,
        interval_months: body.interval_months,
        interval_miles: body.interval_miles,
        last_done_on: body.last_done_on,
        last_done_mileage: body.last_done_mileage.map(|mileage| mileage.0),
        enabled: body.enabled,
    };
    let reminder = app.garage.set_maintenance_item(&user, id, &item, &form, today).await?;
    Ok(Json(MaintenanceItem::new(reminder, today)))
}

/// Resets a maintenance item to the default schedule. An item of the owner's own is deleted.
#[utoipa::path(delete, path = "/api/vehicles/{id}/maintenance/{item}", tag = "maintenance",
    params(
        ("id" = String, Path, description = "The id of the vehicle."),
        ("item" = String, Path, description = "The id of the item."),
    ),
    responses((status = NO_CONTENT), problems::Write, problems::NotFound))]
pub(crate) async fn reset_maintenance_item(
    SignedIn { app, user }: SignedIn,
    segments: PathSegments<2>,
) -> Result<StatusCode, ApiError> {
    let PathSegments([id, item]) = segments;
    app.garage.reset_maintenance_item(&user, vehicle_id(&id)?, &known_item(&item)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Snoozes a maintenance item until a date.
#[utoipa::path(post, path = "/api/vehicles/{id}/maintenance/{item}/snooze", tag = "maintenance",
    request_body = Snooze,
    params(
        ("id" = String, Path, description = "The id of the vehicle."),
        ("item" = String, Path, description = "The id of the item."),
        TodayQuery,
    ),
    responses((status = OK, body = MaintenanceItem), problems::Write, problems::NotFound, problems::Body))]
pub(crate) async fn snooze_maintenance_item(
    SignedIn { app, user }: SignedIn,
    segments: PathSegments<2>,
    QueryString(query): QueryString<TodayQuery>,
    JsonBody(body): JsonBody<Snooze>,
) -> Result<Json<MaintenanceItem>, ApiError> {
    let PathSegments([id, item]) = segments;
    let today = app.garage.today(query.today.as_deref())?;
    let until = body.until.unwrap_or_default();
    let (id, item) = (vehicle_id(&id)?, known_item(&item)?);
    let reminder = app.garage.snooze_maintenance_item(&user, id, &item, Some(&until), today).await?;
    Ok(Json(MaintenanceItem::new(reminder, today)))
}

/// Ends the snooze of a maintenance item.
#[utoipa::path(delete, path = "/api/vehicles/{id}/maintenance/{item}/snooze", tag = "maintenance",
    params(
        ("id" = String, Path, description = "The id of the vehicle."),
        ("item" = String, Path, description = "The id of the item."),
        TodayQuery,
    ),
    responses((status = OK, body = MaintenanceItem), problems::Write, problems::NotFound, problems::Invalid))]
pub(crate) async fn wake_maintenance_item(
    SignedIn { app, user }: SignedIn,
    segments: PathSegments<2>,
    QueryString(query): QueryString<TodayQuery>,
) -> Result<Json<MaintenanceItem>, ApiError> {
    let PathSegments([id, item]) = segments;
    let today = app.garage.today(query.today.as_deref())?;
    let (id, item) = (vehicle_id(&id)?, known_item(&item)?);
    let reminder = app.garage.snooze_maintenance_item(&user, id, &item, None, today).await?;
    Ok(Json(MaintenanceItem::new(reminder, today)))
}

/// Records that an item was done: `engine-oil` as an oil change, any other item as a repair.
#[utoipa::path(post, path = "/api/vehicles/{id}/maintenance/{item}/done", tag = "maintenance",
    request_body = MaintenanceDone,
    params(
        ("id" = String, Path, description = "The id of the vehicle."),
        ("item" = String, Path, description = "The id of the item."),
        TodayQuery,
    ),
    responses((status = OK, body = FinishedItem), problems::Write, problems::NotFound, problems::Body))]
pub(crate) async fn finish_maintenance_item(
    SignedIn { app, user }: SignedIn,
    segments: PathSegments<2>,
    QueryString(query): QueryString<TodayQuery>,
    JsonBody(body): JsonBody<MaintenanceDone>,
) -> Result<Json<FinishedItem>, ApiError> {
    let PathSegments([id, item]) = segments;
    let today = app.garage.today(query.today.as_deref())?;
    let form = DoneForm {
        mileage: body.mileage.map(|mileage| mileage.0),
        date: body.date,
        cost: body.cost.map(|cost| cost.0),
        notes: body.notes,
    };
    let (id, item) = (vehicle_id(&id)?, known_item(&item)?);
    let logged = app.garage.maintenance_done(&user, id, &item, &form, today).await?;
    Ok(Json(FinishedItem {
        item: MaintenanceItem::new(logged.record, today),
        warnings: logged.warnings.into_iter().map(Warning::from).collect(),
    }))
}

/// A text that is not the id of an item gets 404, like an item that the vehicle does not have.
fn known_item(text: &str) -> Result<ItemId, ApiError> {
    parse_id(text, Entity::MaintenanceItem)
}
