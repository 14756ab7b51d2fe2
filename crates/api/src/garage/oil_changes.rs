//! Logged oil changes.

use axum::Json;
use axum::http::{HeaderMap, StatusCode};
use jiff::Timestamp;
use partsight_app::Logged;
use partsight_domain::{Cost, OilChangeForm, RecordCursor};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{JsonBody, PathSegment, QueryString, SignedIn};
use crate::garage::records::{NumberText, PageQuery, Warning};
use crate::ids::{oil_change_id, vehicle_filter, vehicle_id};
use crate::{ApiError, problems};

const PATH: &str = "/api/oil-changes";

/// A recorded oil change.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OilChange {
    id: String,
    vehicle_id: String,
    /// Miles, 0 to 999,999.
    #[schema(example = 52_000)]
    mileage: u32,
    #[schema(required, example = "0W-20")]
    oil_type: Option<String>,
    #[schema(required)]
    oil_brand: Option<String>,
    #[schema(required)]
    filter_brand: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notes: Option<String>,
    /// US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 49.99)]
    cost: Option<f64>,
    /// The local day of the change.
    #[schema(format = Date, example = "2025-03-05")]
    change_date: String,
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    created_at: Timestamp,
}

impl From<partsight_domain::OilChange> for OilChange {
    fn from(change: partsight_domain::OilChange) -> Self {
        let details = change.details;
        Self {
            id: change.id.to_string(),
            vehicle_id: details.vehicle_id.to_string(),
            mileage: details.mileage.get(),
            oil_type: details.oil_type,
            oil_brand: details.oil_brand,
            filter_brand: details.filter_brand,
            notes: details.notes,
            cost: details.cost.map(Cost::dollars),
            change_date: details.change_date.to_string(),
            created_at: change.created_at,
        }
    }
}

/// A saved oil change, with warnings.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SavedOilChange {
    #[serde(flatten)]
    oil_change: OilChange,
    /// Warnings about dates or mileages that decrease; the record was saved nevertheless.
    warnings: Vec<Warning>,
}

impl From<Logged<partsight_domain::OilChange>> for SavedOilChange {
    fn from(logged: Logged<partsight_domain::OilChange>) -> Self {
        Self {
            oil_change: logged.record.into(),
            warnings: logged.warnings.into_iter().map(Warning::from).collect(),
        }
    }
}

/// An oil change to record.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(example = json!({
    "vehicleId": "0190a0a0-0000-7000-8000-000000000000", "mileage": 52_000, "oilType": "0W-20", "oilBrand": "Mobil 1",
    "filterBrand": "Wix", "notes": "Drain plug washer replaced.", "cost": 49.99, "changeDate": "2025-03-05",
}))]
pub(crate) struct NewOilChange {
    #[schema(required, value_type = String)]
    vehicle_id: Option<String>,
    /// Whole miles, 0 to 999,999.
    #[schema(required, value_type = NumberText, example = 52_000)]
    mileage: Option<NumberText>,
    #[schema(example = "0W-20")]
    oil_type: Option<String>,
    oil_brand: Option<String>,
    filter_brand: Option<String>,
    /// At most 2,000 characters.
    notes: Option<String>,
    /// In US dollars, at most two decimals.
    #[schema(value_type = Option<NumberText>, example = 49.99)]
    cost: Option<NumberText>,
    /// The day; today by default. An edit without it does not change the day.
    #[schema(format = Date, example = "2025-03-05")]
    change_date: Option<String>,
}

impl NewOilChange {
    fn form(self) -> Result<OilChangeForm, ApiError> {
        let id = self.vehicle_id.filter(|id| !id.trim().is_empty());
        Ok(OilChangeForm {
            vehicle_id: id.as_deref().map(vehicle_id).transpose()?,
            mileage: self.mileage.map(|mileage| mileage.0),
            oil_type: self.oil_type,
            oil_brand: self.oil_brand,
            filter_brand: self.filter_brand,
            notes: self.notes,
            cost: self.cost.map(|cost| cost.0),
            change_date: self.change_date,
        })
    }
}

/// Lists the oil changes of the default vehicle or of another one, the newest first.
///
/// With `limit`, the list is paged: the headers `X-Next-Cursor` and `Link` lead to the next page.
#[utoipa::path(get, path = "/api/oil-changes", tag = "maintenance", params(PageQuery), responses(
    (status = OK, body = Vec<OilChange>, headers(
        ("X-Next-Cursor" = String, description = "Value of `before` for the next page; absent on the last page."),
        ("Link" = String, description = "Address of the next page, with `rel=\"next\"`; absent on the last page."),
    )),
    problems::SignedIn, problems::NotFound, problems::Invalid,
))]
pub(crate) async fn list_oil_changes(
    SignedIn { app, user }: SignedIn,
    QueryString(query): QueryString<PageQuery>,
) -> Result<(HeaderMap, Json<Vec<OilChange>>), ApiError> {
    let page = query.page()?;
    let vehicle = vehicle_filter(query.vehicle_id.as_deref())?;
    // One more than requested shows whether another page follows, without counting all.
    let mut changes = app.garage.list_oil_changes(&user, vehicle, page.and_one_more()).await?;
    let has_more = page.cut(&mut changes);
    let last = changes.last().map(|last| RecordCursor { on: last.details.change_date, id: last.id.0 });
    let headers = query.next_headers(PATH, has_more, last);
    Ok((headers, Json(changes.into_iter().map(OilChange::from).collect())))
}

/// Records an oil change.
#[utoipa::path(post, path = "/api/oil-changes", tag = "maintenance", request_body = NewOilChange, responses(
    (status = CREATED, body = SavedOilChange),
    problems::Write, problems::NotFound, problems::Body,
))]
pub(crate) async fn create_oil_change(
    SignedIn { app, user }: SignedIn,
    JsonBody(body): JsonBody<NewOilChange>,
) -> Result<(StatusCode, Json<SavedOilChange>), ApiError> {
    let logged = app.garage.create_oil_change(&user, &body.form()?).await?;
    Ok((StatusCode::CREATED, Json(logged.into())))
}

/// Replaces the details of an oil change.
#[utoipa::path(put, path = "/api/oil-changes/{id}", tag = "maintenance", request_body = NewOilChange,
    params(("id" = String, Path, description = "The id of the oil change.")),
    responses((status = OK, body = SavedOilChange), problems::Write, problems::NotFound, problems::Body))]
pub(crate) async fn update_oil_change(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
    JsonBody(body): JsonBody<NewOilChange>,
) -> Result<Json<SavedOilChange>, ApiError> {
    let logged = app.garage.update_oil_change(&user, oil_change_id(&id)?, &body.form()?).await?;
    Ok(Json(logged.into()))
}

/// Deletes an oil change.
#[utoipa::path(delete, path = "/api/oil-changes/{id}", tag = "maintenance",
    params(("id" = String, Path, description = "The id of the oil change.")),
    responses((status = NO_CONTENT), problems::Write, problems::NotFound))]
pub(crate) async fn delete_oil_change(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<StatusCode, ApiError> {
    app.garage.delete_oil_change(&user, oil_change_id(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}
