//! All data of an account in one JSON document.

mod billing;
mod personal;

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use jiff::civil::Date;
use partsight_app::{App, CurrentSession};
use partsight_domain::{Interval, MaintenanceItem, Mileage, OdometerReading, OwnerOil, VehicleId};
use serde::Serialize;
use utoipa::ToSchema;

use self::billing::ExportedBilling;
use self::personal::ExportedPersonalData;
use crate::accounts::sessions::Session;
use crate::accounts::user::User;
use crate::batches::grades::ScanGrade;
use crate::batches::jobs::Batch;
use crate::evaluations::jobs::Evaluation;
use crate::events::webhooks::Webhook;
use crate::extract::SignedInSession;
use crate::garage::oil_changes::OilChange;
use crate::garage::push::PushSubscription;
use crate::garage::reminder_mails::ReminderMails;
use crate::garage::repairs::Repair;
use crate::garage::vehicle_oil::VehicleOil;
use crate::garage::vehicles::{Vehicle, VehicleSummary};
use crate::parts::shop_parts::ShopPart;
use crate::scanning::pictures::{photo_url, thumbnail_url};
use crate::scanning::regions::RegionArea;
use crate::{ApiError, problems};

/// All stored data about a person and their vehicles, without secrets.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AccountExport {
    user: User,
    #[schema(value_type = Option<String>, format = DateTime, required)]
    #[serde(serialize_with = "crate::wire_time::moment_if_any")]
    terms_accepted_at: Option<Timestamp>,
    /// The version of the terms that was accepted, as its date.
    #[schema(required, example = "2025-07-18")]
    terms_version: Option<String>,
    #[schema(value_type = Option<String>, format = DateTime, required)]
    #[serde(serialize_with = "crate::wire_time::moment_if_any")]
    email_verified_at: Option<Timestamp>,
    /// The sign-in providers that are linked to the account.
    #[schema(example = json!(["https://accounts.google.com"]))]
    sign_in_providers: Vec<String>,
    /// Null if the user has never ordered a plan.
    #[schema(required)]
    billing: Option<ExportedBilling>,
    sessions: Vec<Session>,
    vehicles: Vec<ExportedVehicle>,
    oil_changes: Vec<OilChange>,
    repairs: Vec<Repair>,
    /// The maintenance items that the owner changed or added.
    maintenance_items: Vec<ExportedMaintenance>,
    /// All readings, including those of oil changes and repairs.
    odometer_readings: Vec<ExportedReading>,
    /// The newest first, including scans that the plan does not show.
    scans: Vec<ExportedScan>,
    #[serde(flatten)]
    personal: ExportedPersonalData,
    /// Your own shop parts, the newest first. Those of a company belong to the company and are not included.
    parts: Vec<ShopPart>,
    /// The newest first.
    batches: Vec<ExportedBatch>,
    /// The newest first, without figures; `GET /api/evaluations/{id}` has them.
    evaluations: Vec<Evaluation>,
    webhooks: Vec<Webhook>,
    /// The settings for mails about maintenance that is due.
    reminder_mails: ReminderMails,
    /// The browsers that get notifications, the newest first.
    push_subscriptions: Vec<PushSubscription>,
}

/// A batch with its photographs.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExportedBatch {
    #[serde(flatten)]
    batch: Batch,
    items: Vec<ExportedBatchItem>,
}

/// A photograph of a batch; its answer is among the scans.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExportedBatchItem {
    key: String,
    file: String,
    #[schema(example = "answered")]
    state: &'static str,
    /// The id of the scan that is its answer.
    #[schema(required)]
    scan_id: Option<String>,
    /// The key of the first photograph of the same item; null for an item with one photograph.
    #[schema(required)]
    group: Option<String>,
    is_discarded: bool,
}

impl From<(partsight_domain::Batch, Vec<partsight_domain::BatchItem>)> for ExportedBatch {
    fn from((batch, items): (partsight_domain::Batch, Vec<partsight_domain::BatchItem>)) -> Self {
        let keys: HashMap<_, _> = items.iter().map(|item| (item.id, item.key.clone())).collect();
        let item = |item: partsight_domain::BatchItem| ExportedBatchItem {
            group: item.group_id.and_then(|id| keys.get(&id).cloned()),
            is_discarded: item.is_discarded,
            key: item.key,
            file: item.name,
            state: item.state.as_str(),
            scan_id: item.scan_id.map(|id| id.to_string()),
        };
        Self { batch: batch.into(), items: items.into_iter().map(item).collect() }
    }
}

/// A vehicle with its owner's own oil values.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExportedVehicle {
    #[serde(flatten)]
    vehicle: Vehicle,
    #[schema(required)]
    oil: Option<VehicleOil>,
}

/// The owner's settings for one maintenance item.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExportedMaintenance {
    vehicle_id: String,
    #[schema(example = "oil-change")]
    item: String,
    #[schema(required)]
    name: Option<String>,
    #[schema(required, example = 6)]
    interval_months: Option<u16>,
    #[schema(required, example = 7500)]
    interval_miles: Option<u32>,
    #[schema(value_type = Option<String>, format = Date, required)]
    last_done_on: Option<Date>,
    #[schema(required, example = 52_000)]
    last_done_mileage: Option<u32>,
    #[schema(value_type = Option<String>, format = Date, required)]
    snoozed_until: Option<Date>,
    enabled: bool,
}

impl From<(VehicleId, MaintenanceItem)> for ExportedMaintenance {
    fn from((vehicle_id, item): (VehicleId, MaintenanceItem)) -> Self {
        Self {
            vehicle_id: vehicle_id.to_string(),
            item: item.item.to_string(),
            name: item.name,
            interval_months: item.interval.and_then(Interval::months),
            interval_miles: item.interval.and_then(Interval::miles),
            last_done_on: item.last_done.as_ref().map(|done| done.on),
            last_done_mileage: item.last_done.as_ref().and_then(|done| done.mileage).map(Mileage::get),
            snoozed_until: item.snoozed_until,
            enabled: item.is_enabled,
        }
    }
}

/// An odometer reading.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExportedReading {
    vehicle_id: String,
    #[schema(value_type = String, format = Date)]
    on: Date,
    #[schema(example = 52_000)]
    mileage: u32,
}

impl From<(VehicleId, OdometerReading)> for ExportedReading {
    fn from((vehicle_id, reading): (VehicleId, OdometerReading)) -> Self {
        Self { vehicle_id: vehicle_id.to_string(), on: reading.on, mileage: reading.mileage.get() }
    }
}

/// A stored scan, without guides and suppliers, which are derived from the label.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExportedScan {
    id: String,
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    scanned_at: Timestamp,
    #[schema(required)]
    vehicle: Option<VehicleSummary>,
    /// `identified` or `not-sure`.
    #[schema(example = "identified")]
    verdict: &'static str,
    /// The label of the best guess.
    #[schema(example = "brake-caliper")]
    label: String,
    /// Calibrated probability that it is correct, in 0..=1.
    #[schema(example = 0.93)]
    confidence: f32,
    alternatives: Vec<ExportedCandidate>,
    /// The model that answered.
    #[schema(example = "partsight-50")]
    model: String,
    /// Your feedback: `right`, `other-part`, `not-a-part`; null if there is none.
    #[schema(required, example = "right")]
    feedback: Option<&'static str>,
    /// The correct part type by your feedback.
    #[schema(required, example = "brake-caliper")]
    right_label: Option<String>,
    /// The text on the photographs, with corrections.
    #[schema(example = json!(["BOSCH", "0 986 479 R51"]))]
    text: Vec<String>,
    /// The parts on the photograph, if it shows several and they were located.
    regions: Vec<ExportedRegion>,
    /// The condition grade of the part; null if there is none.
    #[schema(required)]
    grade: Option<ScanGrade>,
    /// Number of photographs.
    #[schema(minimum = 1, maximum = 5, example = 1)]
    photo_count: usize,
    /// Address of the thumbnail, as long as the server keeps it.
    #[schema(required, example = "/api/scans/0190a0a0-0000-7000-8000-000000000000/thumbnail")]
    thumbnail_url: Option<String>,
    /// Address of the photograph as it was sent, as long as the server keeps it.
    #[schema(required, example = "/api/scans/0190a0a0-0000-7000-8000-000000000000/photo")]
    photo_url: Option<String>,
}

/// One of several parts on a photograph.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExportedRegion {
    area: RegionArea,
    /// `identified`, `not-sure` or `not-a-part`.
    #[schema(example = "identified")]
    verdict: &'static str,
    /// The label of the best guess.
    #[schema(example = "brake-rotor")]
    label: String,
    /// Calibrated probability that it is correct, in 0..=1.
    #[schema(example = 0.93)]
    confidence: f32,
    /// The label that you corrected it to; null if you did not.
    #[schema(required, example = "brake-rotor")]
    corrected_label: Option<String>,
}

impl From<&partsight_domain::ScanRegion> for ExportedRegion {
    fn from(region: &partsight_domain::ScanRegion) -> Self {
        Self {
            area: region.area.into(),
            verdict: region.verdict.as_str(),
            label: region.best.label.to_string(),
            confidence: region.best.confidence,
            corrected_label: region.label.as_ref().map(ToString::to_string),
        }
    }
}

/// Another part type that the photograph may show.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ExportedCandidate {
    #[schema(example = "brake-rotor")]
    label: String,
    #[schema(example = 0.04)]
    confidence: f32,
}

impl ExportedScan {
    fn new(
        scan: partsight_domain::Scan,
        reading: Option<&partsight_domain::Reading>,
        regions: Option<&partsight_domain::ScanRegions>,
        grade: Option<partsight_domain::ScanGrade>,
    ) -> Self {
        let candidate = |candidate: partsight_domain::Candidate| ExportedCandidate {
            label: candidate.label.to_string(),
            confidence: candidate.confidence,
        };
        Self {
            text: reading
                .iter()
                .flat_map(|reading| &reading.lines)
                .map(|line| line.says().to_owned())
                .collect(),
            regions: regions.iter().flat_map(|found| &found.regions).map(Into::into).collect(),
            grade: grade.map(Into::into),
            photo_count: scan.n_photos(),
            thumbnail_url: thumbnail_url(&scan),
            photo_url: photo_url(&scan),
            id: scan.id.to_string(),
            scanned_at: scan.scanned_at,
            vehicle: scan.vehicle.map(Into::into),
            verdict: scan.verdict.as_str(),
            label: scan.best.label.to_string(),
            confidence: scan.best.confidence,
            alternatives: scan.alternatives.into_iter().map(candidate).collect(),
            model: scan.receipt.model,
            feedback: scan.feedback.as_ref().map(|feedback| feedback.kind.as_str()),
            right_label: scan.feedback.and_then(|feedback| feedback.label).map(|label| label.to_string()),
        }
    }
}

/// Exports all data of the signed-in user's account as a file.
#[utoipa::path(get, path = "/api/auth/user/export", tag = "auth", responses(
    (status = OK, body = AccountExport, description = "A JSON file, sent with `Content-Disposition: attachment`."),
    problems::SignedIn, problems::Unavailable,
))]
pub(crate) async fn export_user(
    State(app): State<App>,
    SignedInSession(current): SignedInSession,
) -> Result<Response, ApiError> {
    let file = write(app, current).await?;
    let headers = [
        (CONTENT_TYPE, "application/json"),
        (CONTENT_DISPOSITION, "attachment; filename=\"partsight-account.json\""),
        (CACHE_CONTROL, "no-store"),
    ];
    Ok((headers, file).into_response())
}

/// The document as JSON. Serialized on a thread for long work: years of history have many megabytes.
async fn write(app: App, current: CurrentSession) -> Result<Vec<u8>, ApiError> {
    let user = current.user.clone();
    let _room = app.operations.room_for_export(&user)?;
    let sessions = app.accounts.list_sessions(&user).await?;
    let sign_in_providers = app.accounts.list_identities(&user).await?;
    let billing = app.plans.export_billing(&user).await?;
    let reminder_mails = app.garage.digest(&user).await?;
    let push_subscriptions = app.garage.push_subscriptions(&user).await?;
    let data = app.operations.export_tenant(&user).await?;
    let personal = app.operations.export_personal_data(&user).await?;
    let taught = personal.taught_types.iter().map(|taught| &taught.label);
    let types = app.judging.part_types_with_guides(&user, taught).await?;
    let account = User::new(&app, user.clone()).await?;
    let paused = app.events.lapsed(&user);
    // Everything is read before this: the closure runs on a thread for long work, which must not wait for the
    // database.
    let operations = Arc::clone(&app.operations);
    let write = move || {
        let user = &current.user;
        let scan = |scan: partsight_domain::Scan| {
            let reading = data.readings.get(&scan.id);
            let regions = data.regions.get(&scan.id);
            let grade = data.grades.get(&scan.id).cloned();
            ExportedScan::new(scan, reading, regions, grade)
        };
        let vehicle = |(vehicle, oil): (partsight_domain::Vehicle, Option<OwnerOil>)| ExportedVehicle {
            vehicle: vehicle.into(),
            oil: oil.map(Into::into),
        };
        let export = AccountExport {
            terms_accepted_at: user.terms_accepted_at,
            terms_version: user.terms_version.clone(),
            email_verified_at: user.email_verified_at,
            sign_in_providers,
            billing: billing.map(Into::into),
            sessions: sessions.into_iter().map(|session| Session::new(session, &current)).collect(),
            vehicles: data.vehicles.into_iter().map(vehicle).collect(),
            oil_changes: data.oil_changes.into_iter().map(Into::into).collect(),
            repairs: data.repairs.into_iter().map(Into::into).collect(),
            maintenance_items: data.maintenance.into_iter().map(Into::into).collect(),
            odometer_readings: data.odometer_readings.into_iter().map(Into::into).collect(),
            scans: data.scans.into_iter().map(scan).collect(),
            personal: ExportedPersonalData::new(personal, &types, user)?,
            parts: data.shop_parts.into_iter().map(|part| ShopPart::new(&types, part, user)).collect(),
            batches: data.batches.into_iter().map(Into::into).collect(),
            evaluations: data.evaluations.into_iter().map(Into::into).collect(),
            webhooks: data.webhooks.into_iter().map(|webhook| Webhook::new(webhook, paused)).collect(),
            reminder_mails: reminder_mails.into(),
            push_subscriptions: push_subscriptions.into_iter().map(Into::into).collect(),
            user: account,
        };
        serde_json::to_vec(&export).map_err(ApiError::internal)
    };
    operations.run_export(&user, write).await?
}
