//! The history of scans: its pages, single scans, their pictures, and the whole history as CSV.

use axum::Json;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use partsight_app::{App, HistoryQuery};
use partsight_domain::{Category, InvalidInput, PhotoSize, User, Verdict};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::extract::{JsonBody, PathSegment, QueryString, SignedIn};
use crate::files::download;
use crate::ids::scan_id;
use crate::ids::vehicle_filter;
use crate::scanning::scans::RecentScan;
use crate::{ApiError, problems};

/// Which scans to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct ScansQuery {
    /// Only scans for this vehicle.
    vehicle_id: Option<String>,
    /// Only scans whose part or vehicle contains every word of this text; at most 100 characters.
    #[param(example = "honda rotor")]
    q: Option<String>,
    /// Only scans of parts in this category.
    #[param(example = "brake")]
    category: Option<String>,
    /// Only photographs with this verdict: `identified` or `not-sure`.
    #[param(example = "not-sure")]
    verdict: Option<String>,
    /// `true` for scans with feedback only, `false` for the others only; both by default.
    #[param(example = false)]
    has_feedback: Option<bool>,
    /// `true` for scans only that were hidden from the list, `false` for the others only; both by default.
    #[param(example = false)]
    discarded: Option<bool>,
    /// The value of `next` in the previous page.
    before: Option<String>,
    /// Page size, 1 to 100; 20 by default.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u32>,
}

/// A page of the history.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScansPage {
    /// The newest first.
    scans: Vec<RecentScan>,
    /// Value of `before` for the next page; null on the last page.
    #[schema(required, example = "1800000000000.0190a0a0-0000-7000-8000-000000000000")]
    next: Option<String>,
    /// Number of older scans that the plan does not show: the Basic plan shows the last five.
    #[schema(example = 0)]
    hidden_by_plan: u64,
}

/// Lists the scans, the newest first, in pages.
#[utoipa::path(get, path = "/api/scans", tag = "scans", params(ScansQuery), responses(
    (status = OK, body = ScansPage),
    problems::SignedIn, problems::Invalid,
    (status = NOT_FOUND, description = "No such vehicle."),
))]
pub(crate) async fn list_scans(
    SignedIn { app, user }: SignedIn,
    QueryString(query): QueryString<ScansQuery>,
) -> Result<Json<ScansPage>, ApiError> {
    let query = HistoryQuery {
        vehicle_id: vehicle_filter(query.vehicle_id.as_deref())?,
        search: query.q,
        category: query.category.as_deref().map(category).transpose()?,
        verdict: query.verdict.as_deref().map(verdict).transpose()?,
        has_feedback: query.has_feedback,
        is_discarded: query.discarded,
        before: query.before.as_deref().map(str::parse).transpose()?,
        limit: query.limit,
    };
    let page = app.scanning.scan_history(&user, &query).await?;
    let types = app.scanning.part_types_of(&user, &page.scans).await?;
    Ok(Json(ScansPage {
        scans: RecentScan::all(&app, &types, page.scans)?,
        next: page.next.map(|next| next.to_string()),
        hidden_by_plan: page.n_hidden,
    }))
}

fn verdict(name: &str) -> Result<Verdict, InvalidInput> {
    // Photographs without a part are refused and never saved, so there is nothing to list.
    let verdict = Verdict::from_name(name).filter(|verdict| *verdict != Verdict::NotAPart);
    verdict.ok_or_else(|| InvalidInput::new("verdict", "`verdict` must be `identified` or `not-sure`."))
}

fn category(name: &str) -> Result<Category, InvalidInput> {
    Category::from_name(name).ok_or_else(|| {
        let names = Category::ALL.map(Category::as_str).join(", ");
        InvalidInput::new("category", format!("There is no such category; there are {names}."))
    })
}

/// Returns one scan, on every plan: the Basic plan limits only the lists of older scans.
#[utoipa::path(get, path = "/api/scans/{id}", tag = "scans",
    params(("id" = String, Path, description = "The id of the scan.")),
    responses((status = OK, body = RecentScan), problems::SignedIn, problems::NotFound))]
pub(crate) async fn get_scan(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<RecentScan>, ApiError> {
    let scan = app.scanning.scan_of(&user, scan_id(&id)?).await?;
    let types = app.scanning.part_types_of(&user, std::slice::from_ref(&scan)).await?;
    Ok(Json(RecentScan::new(&app, &types, scan)?))
}

/// Scans to hide in the list of past scans, or to show again.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DiscardScans {
    /// The ids of 1 to 500 scans.
    #[schema(example = json!(["01997c3e-5f6a-7000-8000-000000000001"]))]
    scans: Vec<String>,
    /// `true` to hide, `false` to show again.
    discarded: bool,
}

/// Hides scans in the list of past scans, or shows them again. They stay in the history and in its export.
///
/// Scans that no longer exist are ignored.
#[utoipa::path(post, path = "/api/scans/discard", tag = "scans", request_body = DiscardScans,
    responses((status = NO_CONTENT), problems::Write, problems::Body, problems::NotFound))]
pub(crate) async fn discard_scans(
    SignedIn { app, user }: SignedIn,
    JsonBody(named): JsonBody<DiscardScans>,
) -> Result<StatusCode, ApiError> {
    let ids = named.scans.iter().map(|id| scan_id(id)).collect::<Result<Vec<_>, _>>()?;
    app.scanning.discard_scans(&user, &ids, named.discarded).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Deletes one scan with its pictures and its feedback, which then counts in no figure. The allowance does not
/// increase.
#[utoipa::path(delete, path = "/api/scans/{id}", tag = "scans",
    params(("id" = String, Path, description = "The id of the scan.")),
    responses((status = NO_CONTENT), problems::Write, problems::NotFound))]
pub(crate) async fn delete_scan(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<StatusCode, ApiError> {
    app.scanning.delete_scan(&user, scan_id(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the thumbnail of a scan: a JPEG of at most 256 pixels a side, without metadata.
#[utoipa::path(get, path = "/api/scans/{id}/thumbnail", tag = "scans",
    params(("id" = String, Path, description = "The id of the scan.")),
    responses(
        (status = OK, body = Vec<u8>, content_type = "image/jpeg"),
        problems::SignedIn, problems::NotFound,
    ))]
pub(crate) async fn get_scan_thumbnail(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Response, ApiError> {
    picture(&app, &user, &id, PhotoSize::Thumbnail).await
}

/// Returns the photograph of a scan as it was sent, if the server keeps photographs.
#[utoipa::path(get, path = "/api/scans/{id}/photo", tag = "scans",
    params(("id" = String, Path, description = "The id of the scan.")),
    responses(
        (status = OK, body = Vec<u8>, content_type = "image/*"),
        problems::SignedIn, problems::NotFound,
    ))]
pub(crate) async fn get_scan_photo(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Response, ApiError> {
    let mut response = picture(&app, &user, &id, PhotoSize::Full).await?;
    // An uploaded file is downloaded, never shown as a page of ours.
    response.headers_mut().insert(CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
    Ok(response)
}

async fn picture(app: &App, user: &User, id: &str, size: PhotoSize) -> Result<Response, ApiError> {
    let photo = app.scanning.scan_photo(user, scan_id(id)?, size).await?;
    let media_type = HeaderValue::from_str(&photo.media_type).map_err(ApiError::internal)?;
    Ok(([(CONTENT_TYPE, media_type)], photo.bytes).into_response())
}

/// Exports the scans in the history as a table (CSV, UTF-8, one row per scan).
///
/// A text that a spreadsheet could execute as a formula begins with an apostrophe.
#[utoipa::path(get, path = "/api/export/scans.csv", tag = "scans",
    responses((status = OK, body = String, content_type = "text/csv"), problems::SignedIn, problems::Unavailable))]
pub(crate) async fn export_scans(SignedIn { app, user }: SignedIn) -> Result<Response, ApiError> {
    let table = app.scanning.scans_csv(&user).await?;
    Ok(download("text/csv; charset=utf-8", "scans.csv", table))
}
