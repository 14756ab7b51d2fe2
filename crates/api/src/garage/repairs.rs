//! Logged repairs.

use axum::Json;
use axum::http::{HeaderMap, StatusCode};
use jiff::Timestamp;
use partsight_app::Logged;
use partsight_domain::{Cost, RecordCursor, RepairForm};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{JsonBody, PathSegment, QueryString, SignedIn};
use crate::garage::records::{NumberText, PageQuery, Warning};
use crate::garage::vehicles::VehicleSummary;
use crate::ids::{repair_id, scan_id, vehicle_filter, vehicle_id};
use crate::{ApiError, problems};

const PATH: &str = "/api/repair-history";

/// A recorded repair.
#[expect(clippy::struct_field_names, reason = "the names of the specification")]
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Repair {
    id: String,
    vehicle_id: String,
    /// The current name of the vehicle.
    vehicle: VehicleSummary,
    /// Miles, 1 to 999,999.
    #[schema(example = 52_000)]
    mileage: u32,
    #[schema(example = "Alternator")]
    part_replaced: String,
    /// Label of the part type that was installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "alternator")]
    part_label: Option<String>,
    /// Number of the installed part.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "AL-130")]
    part_number: Option<String>,
    /// Brand of the installed part.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Bosch")]
    part_brand: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notes: Option<String>,
    /// US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 349.5)]
    cost: Option<f64>,
    /// The local day of the repair.
    #[schema(format = Date, example = "2025-03-05")]
    repair_date: String,
    /// The maintenance item that was marked as done with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "coolant")]
    maintenance_item: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    created_at: Timestamp,
}

impl From<partsight_domain::Repair> for Repair {
    fn from(repair: partsight_domain::Repair) -> Self {
        let details = repair.details;
        Self {
            id: repair.id.to_string(),
            vehicle_id: details.vehicle_id.to_string(),
            vehicle: repair.vehicle.into(),
            mileage: details.mileage.get(),
            part_replaced: details.part_replaced,
            part_label: details.part_label.map(String::from),
            part_number: details.part_number,
            part_brand: details.part_brand,
            notes: details.notes,
            cost: details.cost.map(Cost::dollars),
            repair_date: details.repair_date.to_string(),
            maintenance_item: details.maintenance_item.map(|item| item.to_string()),
            created_at: repair.created_at,
        }
    }
}

/// A saved repair, with warnings.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SavedRepair {
    #[serde(flatten)]
    repair: Repair,
    /// Warnings about dates or mileages that decrease; the record was saved nevertheless.
    warnings: Vec<Warning>,
}

impl From<Logged<partsight_domain::Repair>> for SavedRepair {
    fn from(logged: Logged<partsight_domain::Repair>) -> Self {
        Self {
            repair: logged.record.into(),
            warnings: logged.warnings.into_iter().map(Warning::from).collect(),
        }
    }
}

/// A repair to record.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(example = json!({
    "vehicleId": "0190a0a0-0000-7000-8000-000000000000", "mileage": 52_000, "partReplaced": "Alternator",
    "partLabel": "alternator", "partNumber": "AL-130", "partBrand": "Bosch", "notes": "Belt replaced as well.",
    "cost": 349.5, "repairDate": "2025-03-05",
}))]
pub(crate) struct NewRepair {
    /// Only for a new repair: the id of a scan that fills in absent fields: the vehicle, the part with its label, the
    /// day in UTC, and number and brand if they are known.
    #[schema(example = "0190a0a0-0000-7000-8000-000000000000")]
    scan_id: Option<String>,
    /// Required without `scanId`.
    vehicle_id: Option<String>,
    /// Whole miles, 1 to 999,999.
    #[schema(required, value_type = NumberText, example = 52_000)]
    mileage: Option<NumberText>,
    /// Name of the part, at most 120 characters. Required without `scanId`.
    #[schema(example = "Alternator")]
    part_replaced: Option<String>,
    /// The label of a part type of the catalogue.
    #[schema(example = "alternator")]
    part_label: Option<String>,
    /// At most 60 characters.
    #[schema(example = "AL-130")]
    part_number: Option<String>,
    /// At most 60 characters.
    #[schema(example = "Bosch")]
    part_brand: Option<String>,
    /// At most 2,000 characters.
    notes: Option<String>,
    /// In US dollars, at most two decimals.
    #[schema(value_type = Option<NumberText>, example = 349.5)]
    cost: Option<NumberText>,
    /// Required without `scanId`.
    #[schema(format = Date, example = "2025-03-05")]
    repair_date: Option<String>,
}

impl NewRepair {
    fn form(self) -> Result<RepairForm, ApiError> {
        let id = self.vehicle_id.filter(|id| !id.trim().is_empty());
        Ok(RepairForm {
            vehicle_id: id.as_deref().map(vehicle_id).transpose()?,
            mileage: self.mileage.map(|mileage| mileage.0),
            part_replaced: self.part_replaced,
            part_label: self.part_label,
            part_number: self.part_number,
            part_brand: self.part_brand,
            notes: self.notes,
            cost: self.cost.map(|cost| cost.0),
            repair_date: self.repair_date,
        })
    }
}

/// Lists the repairs of all vehicles or of one, the newest first.
///
/// With `limit`, the list is paged: the headers `X-Next-Cursor` and `Link` lead to the next page.
#[utoipa::path(get, path = "/api/repair-history", tag = "maintenance", params(PageQuery), responses(
    (status = OK, body = Vec<Repair>, headers(
        ("X-Next-Cursor" = String, description = "Value of `before` for the next page; absent on the last page."),
        ("Link" = String, description = "Address of the next page, with `rel=\"next\"`; absent on the last page."),
    )),
    problems::SignedIn, problems::NotFound, problems::Invalid,
))]
pub(crate) async fn list_repairs(
    SignedIn { app, user }: SignedIn,
    QueryString(query): QueryString<PageQuery>,
) -> Result<(HeaderMap, Json<Vec<Repair>>), ApiError> {
    let page = query.page()?;
    let vehicle = vehicle_filter(query.vehicle_id.as_deref())?;
    // One more than requested shows whether another page follows, without counting all.
    let mut repairs = app.garage.list_repairs(&user, vehicle, page.and_one_more()).await?;
    let has_more = page.cut(&mut repairs);
    let last = repairs.last().map(|last| RecordCursor { on: last.details.repair_date, id: last.id.0 });
    let headers = query.next_headers(PATH, has_more, last);
    Ok((headers, Json(repairs.into_iter().map(Repair::from).collect())))
}

/// Records a repair. With `scanId`, missing fields are filled from the scan, and only the mileage is required.
#[utoipa::path(post, path = "/api/repair-history", tag = "maintenance", request_body = NewRepair,
    responses((status = CREATED, body = SavedRepair), problems::Write, problems::NotFound, problems::Body))]
pub(crate) async fn create_repair(
    SignedIn { app, user }: SignedIn,
    JsonBody(body): JsonBody<NewRepair>,
) -> Result<(StatusCode, Json<SavedRepair>), ApiError> {
    let scan = body.scan_id.as_deref().filter(|id| !id.trim().is_empty()).map(scan_id).transpose()?;
    let logged = app.scanning.create_repair(&user, body.form()?, scan).await?;
    Ok((StatusCode::CREATED, Json(logged.into())))
}

/// Replaces the details of a repair.
#[utoipa::path(put, path = "/api/repair-history/{id}", tag = "maintenance", request_body = NewRepair,
    params(("id" = String, Path, description = "The id of the repair.")),
    responses((status = OK, body = SavedRepair), problems::Write, problems::NotFound, problems::Body))]
pub(crate) async fn update_repair(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
    JsonBody(body): JsonBody<NewRepair>,
) -> Result<Json<SavedRepair>, ApiError> {
    let logged = app.scanning.update_repair(&user, repair_id(&id)?, &body.form()?).await?;
    Ok(Json(logged.into()))
}

/// Deletes a repair.
#[utoipa::path(delete, path = "/api/repair-history/{id}", tag = "maintenance",
    params(("id" = String, Path, description = "The id of the repair.")),
    responses((status = NO_CONTENT), problems::Write, problems::NotFound))]
pub(crate) async fn delete_repair(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<StatusCode, ApiError> {
    app.garage.delete_repair(&user, repair_id(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}
