//! Recalls and complaints of a vehicle, as NHTSA lists them.

use axum::Json;
use jiff::Timestamp;
use jiff::civil::Date;
use partsight_app::safety::{SafetyState, VehicleSafety};
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::{PathSegment, SignedIn};
use crate::garage::vehicles::VehicleSummary;
use crate::ids::vehicle_id;
use crate::wire_enum::wire_enum;
use crate::{ApiError, problems};

wire_enum!(
    /// `current`: fetched within the last week. `old`: fetched earlier, and the service does not answer now. `away`:
    /// the service does not answer, and nothing was fetched earlier. `off`: this server does not request recalls; an
    /// earlier list, if there is one, is shown.
    RecallState from SafetyState { Current, Old, Away, Off }
);

/// A safety recall for a make, model and model year. Only the manufacturer knows, from the VIN, whether a certain
/// vehicle is affected or has been repaired.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Recall {
    /// NHTSA's campaign number.
    #[schema(example = "19V182000")]
    campaign: String,
    /// When NHTSA received the manufacturer's report; null if unknown.
    #[schema(required, value_type = Option<String>, format = Date, example = "2019-03-07")]
    reported_on: Option<Date>,
    /// Written as by NHTSA.
    #[schema(example = "AIR BAGS:FRONTAL:DRIVER SIDE:INFLATOR MODULE")]
    component: String,
    #[schema(required)]
    summary: Option<String>,
    /// The possible consequence of the defect.
    #[schema(required)]
    consequence: Option<String>,
    /// What the manufacturer does about it.
    #[schema(required)]
    remedy: Option<String>,
    /// Whether the vehicle should not be driven until it is repaired.
    do_not_drive: bool,
    /// Whether the vehicle should be parked outside because of a risk of fire.
    park_outside: bool,
}

impl From<partsight_domain::Recall> for Recall {
    fn from(recall: partsight_domain::Recall) -> Self {
        Self {
            campaign: recall.campaign,
            reported_on: recall.reported_on,
            component: recall.component,
            summary: recall.summary,
            consequence: recall.consequence,
            remedy: recall.remedy,
            do_not_drive: recall.is_do_not_drive,
            park_outside: recall.is_park_outside,
        }
    }
}

/// A complaint that a vehicle owner filed with NHTSA, unverified.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Complaint {
    /// NHTSA's number of the complaint.
    #[schema(example = 11_184_030)]
    number: u64,
    #[schema(required, value_type = Option<String>, format = Date, example = "2019-02-28")]
    filed_on: Option<Date>,
    #[schema(example = "AIR BAGS,ELECTRICAL SYSTEM")]
    components: String,
    /// The complaint in the owner's words.
    #[schema(required)]
    summary: Option<String>,
    crash: bool,
    fire: bool,
}

impl From<partsight_domain::Complaint> for Complaint {
    fn from(complaint: partsight_domain::Complaint) -> Self {
        Self {
            number: complaint.number,
            filed_on: complaint.filed_on,
            components: complaint.components,
            summary: complaint.summary,
            crash: complaint.is_crash,
            fire: complaint.is_fire,
        }
    }
}

/// The number of complaints about a component.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ComponentComplaints {
    #[schema(example = "AIR BAGS")]
    component: String,
    #[schema(example = 12)]
    count: u32,
}

/// Recalls and complaints for a vehicle's make, model and model year, from NHTSA.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VehicleRecalls {
    state: RecallState,
    /// The vehicle name that was requested from NHTSA: that of the VIN if it matches the vehicle.
    asked_for: VehicleSummary,
    /// When the list was fetched; null if nothing is known.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment_if_any")]
    fetched_at: Option<Timestamp>,
    /// The newest first.
    recalls: Vec<Recall>,
    /// All complaints; null if nothing is known.
    #[schema(required, example = 204)]
    complaint_count: Option<u32>,
    /// Complaints by component, the most frequent component first.
    complaints_by_component: Vec<ComponentComplaints>,
    /// The newest 50, the newest first.
    complaints: Vec<Complaint>,
}

impl From<VehicleSafety> for VehicleRecalls {
    fn from(safety: VehicleSafety) -> Self {
        let complaint_count = safety.records.as_ref().map(|records| records.n_complaints);
        let (recalls, by_component, complaints) = safety.records.map_or_else(Default::default, |records| {
            (records.recalls, records.by_component, records.complaints)
        });
        let by_component = by_component
            .into_iter()
            .map(|counted| ComponentComplaints { component: counted.component, count: counted.count });
        Self {
            state: safety.state.into(),
            asked_for: safety.asked_for.into(),
            fetched_at: safety.fetched_at,
            recalls: recalls.into_iter().map(Recall::from).collect(),
            complaint_count,
            complaints_by_component: by_component.collect(),
            complaints: complaints.into_iter().map(Complaint::from).collect(),
        }
    }
}

/// Lists recalls and complaints for a vehicle's make, model and model year, from NHTSA (the US traffic safety
/// administration).
///
/// They are requested at most once a week, and only if the setting `recalls_url` names a service; `recalls` of `GET
/// /api/settings` says whether it is set. The request contains make, model and model year, but no VIN. If the service
/// does not answer, `state` says so, and the last known list is returned with its time.
#[utoipa::path(get, path = "/api/vehicles/{id}/recalls", tag = "vehicles",
    params(("id" = String, Path, description = "The id of the vehicle.")),
    responses((status = OK, body = VehicleRecalls), problems::SignedIn, problems::NotFound))]
pub(crate) async fn get_vehicle_recalls(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<VehicleRecalls>, ApiError> {
    Ok(Json(app.garage.vehicle_safety(&user, vehicle_id(&id)?).await?.into()))
}
