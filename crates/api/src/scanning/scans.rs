//! Answered scans.

use axum::Json;
use axum::http::StatusCode;
use jiff::Timestamp;
use partsight_app::{App, Entity, PartFacts, PartTypes};
use partsight_domain::{Candidate, CategoryGuess, Scan, StageTimings, Verdict};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::extract::{QueryString, SignedIn};
use crate::garage::vehicles::VehicleSummary;
use crate::ids::{vehicle_filter, vehicle_id};
use crate::parts::part_types::{IdentifiedPart, InstallationVideo, PartCategory, PurchaseRecommendations};
use crate::parts::suppliers::Supplier;
use crate::scanning::feedback::ScanFeedback;
use crate::scanning::readings::ScanReading;
use crate::scanning::receipts::ScanReceipt;
use crate::scanning::regions::RegionsOfScan;
use crate::shop_part_text::ShopPartText;
use crate::wire_enum::wire_enum;
use crate::{ApiError, problems};

/// Scans that the home screen shows (specification 1, section 9).
const DEFAULT_RECENT: u32 = 3;

/// How sure the answer of a scan is.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ScanVerdict {
    /// Sure enough to act on.
    Identified,
    /// A part, but which one is open.
    NotSure,
}

impl From<Verdict> for ScanVerdict {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Identified => Self::Identified,
            // A photograph without a part is refused, so no scan of one can come here.
            Verdict::NotSure | Verdict::NotAPart => Self::NotSure,
        }
    }
}

/// What the answer to a scan and the history of scans both say.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScanAnswer {
    id: String,
    verdict: ScanVerdict,
    identification: Identification,
    /// What else it could be, most probable first.
    alternatives: Vec<Alternative>,
    /// The category that answers where the best guess ties with its siblings; else null.
    #[schema(required)]
    rolled_up: Option<RolledUp>,
    /// The few types that the part is one of, where the answer is not sure; null where nothing is promised.
    #[schema(required)]
    candidate_set: Option<CandidateSet>,
    /// Which views would tell the best guess from what else it could be; at most two, often none.
    telling_apart: Vec<TellingApart>,
    /// What the vehicle speaks against, the most probable first; usually nothing.
    vehicle_doubts: Vec<VehicleDoubt>,
    /// How many photographs of the part were sent, 1 to 5.
    #[schema(minimum = 1, maximum = 5, example = 1)]
    photo_count: usize,
    /// What each of several photographs says, in the order in which they were sent; empty for one photograph.
    photos: Vec<PhotoFinding>,
    suppliers: Vec<Supplier>,
    #[schema(required)]
    vehicle: Option<VehicleSummary>,
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    scanned_at: Timestamp,
    timings_ms: Timings,
    receipt: ScanReceipt,
}

/// What a part was identified as.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScanResult {
    #[serde(flatten)]
    answer: ScanAnswer,
    identified_part: IdentifiedPart,
    /// The text on the photographs, where it was asked for by `read=wait`; else left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    reading: Option<ScanReading>,
    /// The parts on the photograph, where they were asked for by `several=true`; else left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    regions: Option<RegionsOfScan>,
}

/// The best guess of a scan.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Identification {
    #[schema(example = "Spark Plug")]
    part_name: String,
    #[schema(example = "spark-plug")]
    label: String,
    category: PartCategory,
    /// Calibrated probability in 0..=1 that the label is right.
    #[schema(minimum = 0, maximum = 1)]
    confidence: f32,
    /// How surely the photograph shows one of the known types, in 0..=1.
    #[schema(minimum = 0, maximum = 1)]
    known_score: f32,
    description: String,
    installation_videos: Vec<InstallationVideo>,
    purchase_recommendations: PurchaseRecommendations,
}

/// Another part that the photograph may show.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Alternative {
    label: String,
    name: String,
    /// Null for a part that is no longer in the catalogue.
    #[schema(required)]
    category: Option<PartCategory>,
    /// Calibrated probability in 0..=1.
    #[schema(minimum = 0, maximum = 1)]
    confidence: f32,
}

/// Why an answer is one of several types: their probabilities reach a threshold that was measured, or people marked them as
/// look-alikes, between which no picture decides.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SetReason {
    Measured,
    LookAlikes,
}

/// The types that an answer which is not sure is one of.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CandidateSet {
    reason: SetReason,
    /// How often such a set holds the right type, at least: for photographs of known types like those that this was
    /// chosen on. Null for look-alikes, of which nothing was measured.
    #[schema(required, minimum = 0, maximum = 1, example = 0.95)]
    coverage: Option<f64>,
    /// The most probable first, the best guess among them.
    #[schema(min_items = 1, max_items = 5)]
    labels: Vec<SetCandidate>,
}

/// A type of a candidate set, with what tells it from the others.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SetCandidate {
    #[serde(flatten)]
    candidate: Alternative,
    /// The newest parts of this type in your shop, at most three.
    shop_parts: Vec<ShopPartText>,
}

wire_enum!(
    /// How to take a photograph that shows more of a part: the whole of it, from the side, straight at its face, both
    /// sides, close at its numbers, close at its connections, or beside a thing of known size.
    PhotoView from partsight_domain::PhotoView { Whole, Side, Face, BothSides, Marking, Connections, Scale }
);

/// Which view tells the best guess from another part that the photograph fits about as well.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TellingApart {
    /// The labels of the two, in no order.
    #[schema(example = json!(["cylinder-head", "engine-block"]), min_items = 2, max_items = 2)]
    between: Vec<String>,
    /// Their names, in the order of the labels.
    #[schema(example = json!(["Cylinder Head", "Engine Block"]), min_items = 2, max_items = 2)]
    names: Vec<String>,
    view: PhotoView,
    /// What to look for, one or two sentences.
    #[schema(
        example = "An engine block has whole cylinders to look into; a head has only shallow chambers with valves."
    )]
    sentence: String,
}

/// A part type that cannot be on the vehicle of the scan, and therefore counts for less.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VehicleDoubt {
    #[schema(example = "spark-plug")]
    label: String,
    #[schema(example = "Spark Plug")]
    name: String,
    /// Calibrated probability in 0..=1 by the photograph alone.
    #[schema(minimum = 0, maximum = 1)]
    confidence_without_vehicle: f32,
    /// A sentence that says what the vehicle lacks.
    #[schema(
        example = "A 2021 Tesla Model 3 has no engine with spark ignition, so Spark Plug cannot be on it."
    )]
    reason: String,
}

/// What one of several photographs of a scan says by itself, without the vehicle and the judge.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PhotoFinding {
    #[schema(example = "spark-plug")]
    label: String,
    #[schema(example = "Spark Plug")]
    name: String,
    /// Calibrated probability in 0..=1 that the label is right, by this photograph alone.
    #[schema(minimum = 0, maximum = 1)]
    confidence: f32,
    /// How surely this photograph shows one of the known types, in 0..=1.
    #[schema(minimum = 0, maximum = 1)]
    known_score: f32,
    /// How much it counts in the answer, in 0..=1; those of a scan sum to 1.
    #[schema(minimum = 0, maximum = 1)]
    weight: f32,
    /// Whether it stands for the scan: its picture is kept, the judge sees it, and feedback teaches it.
    is_lead: bool,
}

/// The category that answers for parts which fit the photograph about equally well.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RolledUp {
    category: PartCategory,
    /// The category for people.
    #[schema(example = "Brake System")]
    name: String,
    /// Calibrated probability in 0..=1 that the part is of this category.
    #[schema(minimum = 0, maximum = 1)]
    confidence: f32,
}

impl From<CategoryGuess> for RolledUp {
    fn from(CategoryGuess { category, confidence }: CategoryGuess) -> Self {
        Self { category: category.into(), name: category.title().to_owned(), confidence }
    }
}

/// Milliseconds that each stage of a scan took.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Timings {
    decode: f32,
    preprocess: f32,
    queue: f32,
    inference: f32,
    /// Asking the judge; 0 where it was not asked.
    judge: f32,
    total: f32,
}

impl From<StageTimings> for Timings {
    fn from(timings: StageTimings) -> Self {
        let StageTimings { decode, preprocess, queue, inference, judge, total } = timings;
        Self { decode, preprocess, queue, inference, judge, total }
    }
}

impl Timings {
    /// The `Server-Timing` header of the answer.
    pub(crate) fn header(&self) -> String {
        let judge = if self.judge > 0.0 { format!("judge;dur={:.2}, ", self.judge) } else { String::new() };
        format!(
            "decode;dur={:.2}, preprocess;dur={:.2}, queue;dur={:.2}, inference;dur={:.2}, {judge}identify;dur={:.2}",
            self.decode, self.preprocess, self.queue, self.inference, self.total
        )
    }
}

impl ScanAnswer {
    /// The answer, and beside it the part with its guide, for which the two have names of their own.
    fn with_part(app: &App, types: &PartTypes, scan: Scan) -> Result<(Self, IdentifiedPart), ApiError> {
        let parts = ScanParts::new(app, types, &scan)?;
        let answer = Self {
            id: scan.id.to_string(),
            verdict: scan.verdict.into(),
            identification: parts.identification,
            alternatives: alternatives(types, &scan.alternatives),
            telling_apart: telling_apart(types, &scan),
            rolled_up: scan.category.map(RolledUp::from),
            candidate_set: candidate_set(types, &scan),
            vehicle_doubts: vehicle_doubts(types, &scan),
            photo_count: scan.n_photos(),
            photos: photos(types, &scan),
            suppliers: parts.suppliers,
            vehicle: scan.vehicle.map(VehicleSummary::from),
            scanned_at: scan.scanned_at,
            timings_ms: scan.receipt.timings_ms.into(),
            receipt: scan.receipt.into(),
        };
        Ok((answer, parts.part))
    }
}

impl ScanResult {
    pub(crate) fn new(app: &App, types: &PartTypes, scan: Scan) -> Result<Self, ApiError> {
        let (answer, identified_part) = ScanAnswer::with_part(app, types, scan)?;
        Ok(Self { answer, identified_part, reading: None, regions: None })
    }

    /// With the text on the photographs.
    pub(crate) fn with_reading(self, reading: Option<ScanReading>) -> Self {
        Self { reading, ..self }
    }

    /// With the parts on the photograph.
    pub(crate) fn with_regions(self, regions: Option<RegionsOfScan>) -> Self {
        Self { regions, ..self }
    }

    pub(crate) fn timings(&self) -> &Timings {
        &self.answer.timings_ms
    }
}

/// A scan of the history.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RecentScan {
    #[serde(flatten)]
    answer: ScanAnswer,
    part_id: String,
    part: IdentifiedPart,
    /// Calibrated probability in 0..=1 that the label is right.
    #[schema(minimum = 0, maximum = 1)]
    confidence: f32,
    /// Where a small picture of the photograph is; null when none is kept.
    #[schema(required, example = "/api/scans/0190a0a0-0000-7000-8000-000000000000/thumbnail")]
    thumbnail_url: Option<String>,
    /// What somebody said of the answer; null where nobody did.
    #[schema(required)]
    feedback: Option<ScanFeedback>,
}

impl RecentScan {
    pub(crate) fn new(app: &App, types: &PartTypes, mut scan: Scan) -> Result<Self, ApiError> {
        let thumbnail_url = scan.has_thumbnail.then(|| format!("/api/scans/{}/thumbnail", scan.id));
        let feedback = scan.feedback.take().map(|feedback| ScanFeedback::new(types, feedback));
        let (answer, part) = ScanAnswer::with_part(app, types, scan)?;
        Ok(Self {
            part_id: answer.identification.label.clone(),
            confidence: answer.identification.confidence,
            answer,
            part,
            thumbnail_url,
            feedback,
        })
    }

    /// The scans that can be shown: a type that a later catalogue has dropped must not hide the rest.
    pub(crate) fn all(app: &App, types: &PartTypes, scans: Vec<Scan>) -> Result<Vec<Self>, ApiError> {
        let scans = scans.into_iter().filter_map(|scan| match Self::new(app, types, scan) {
            Err(error) if error.status() == StatusCode::NOT_FOUND => None,
            result => Some(result),
        });
        scans.collect()
    }
}

/// What the catalogue adds to a scan.
struct ScanParts {
    identification: Identification,
    part: IdentifiedPart,
    suppliers: Vec<Supplier>,
}

impl ScanParts {
    fn new(app: &App, types: &PartTypes, scan: &Scan) -> Result<Self, ApiError> {
        let label = &scan.best.label;
        let facts = types.get(label).ok_or_else(|| ApiError::missing(Entity::Part))?;
        let vehicle = scan.vehicle.as_ref();
        let part = IdentifiedPart::of(types, label)?;
        let (installation_videos, purchase_recommendations, suppliers) = match facts {
            PartFacts::Shipped(part_type) => (
                InstallationVideo::list(part_type, vehicle),
                PurchaseRecommendations::new(part_type),
                app.parts.suppliers(part_type, vehicle).into_iter().map(Supplier::from).collect(),
            ),
            // People taught it with a name and pictures: there is nothing to say of buying it.
            PartFacts::Taught(_) => (Vec::new(), PurchaseRecommendations::none(), Vec::new()),
        };
        Ok(Self {
            identification: Identification {
                part_name: types.name(label),
                label: label.to_string(),
                category: part.category(),
                confidence: scan.best.confidence,
                known_score: scan.known_score,
                description: part.description().to_owned(),
                installation_videos,
                purchase_recommendations,
            },
            part,
            suppliers,
        })
    }
}

pub(crate) fn alternatives(types: &PartTypes, candidates: &[Candidate]) -> Vec<Alternative> {
    candidates
        .iter()
        .map(|candidate| Alternative {
            label: candidate.label.to_string(),
            name: types.name(&candidate.label),
            category: types.category(&candidate.label).map(PartCategory::from),
            confidence: candidate.confidence,
        })
        .collect()
}

fn candidate_set(types: &PartTypes, scan: &Scan) -> Option<CandidateSet> {
    let set = scan.receipt.candidate_set.as_ref()?;
    let labels = alternatives(types, &set.candidates).into_iter().zip(&set.candidates);
    let labels = labels.map(|(named, candidate)| SetCandidate {
        candidate: named,
        shop_parts: types.shop_parts(&candidate.label).iter().cloned().map(ShopPartText::from).collect(),
    });
    let reason = if set.is_of_look_alikes() { SetReason::LookAlikes } else { SetReason::Measured };
    Some(CandidateSet { reason, coverage: set.coverage, labels: labels.collect() })
}

fn telling_apart(types: &PartTypes, scan: &Scan) -> Vec<TellingApart> {
    // Between marked look-alikes a hint is worth it however little the picture says for the other.
    let set = scan.receipt.candidate_set.as_ref().filter(|set| set.is_of_look_alikes());
    let marked = set.into_iter().flat_map(|set| &set.candidates).filter(|one| one.label != scan.best.label);
    let mut others: Vec<Candidate> =
        marked.map(|one| Candidate { label: one.label.clone(), confidence: scan.best.confidence }).collect();
    for other in &scan.alternatives {
        if others.iter().all(|known| known.label != other.label) {
            others.push(other.clone());
        }
    }
    let hints = types.telling_apart(&scan.best, &others).into_iter().map(|hint| TellingApart {
        between: hint.between.iter().map(ToString::to_string).collect(),
        names: hint.between.iter().map(|label| types.name(label)).collect(),
        view: hint.view.into(),
        sentence: hint.sentence.clone(),
    });
    hints.collect()
}

fn vehicle_doubts(types: &PartTypes, scan: &Scan) -> Vec<VehicleDoubt> {
    let doubts = scan.receipt.vehicle_doubts.iter().map(|doubt| VehicleDoubt {
        label: doubt.label.to_string(),
        name: types.name(&doubt.label),
        confidence_without_vehicle: doubt.confidence_without_vehicle,
        reason: doubt.reason.clone(),
    });
    doubts.collect()
}

fn photos(types: &PartTypes, scan: &Scan) -> Vec<PhotoFinding> {
    let photos = scan.receipt.photos.iter().map(|photo| PhotoFinding {
        label: photo.best.label.to_string(),
        name: types.name(&photo.best.label),
        confidence: photo.best.confidence,
        known_score: photo.known_score,
        weight: photo.weight,
        is_lead: photo.is_lead,
    });
    photos.collect()
}

/// Which scans to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct RecentScansQuery {
    /// At most this many; 3 unless given, 100 at most, 5 at most on Basic.
    limit: Option<u32>,
    /// Only those of this vehicle. Basic shows those that are among the last 5 of all vehicles.
    vehicle_id: Option<String>,
}

/// The newest scans first.
#[utoipa::path(get, path = "/api/scans/recent", tag = "scans", params(RecentScansQuery), responses(
    (status = OK, body = Vec<RecentScan>),
    problems::SignedIn, problems::NotFound, problems::Invalid,
))]
pub(crate) async fn list_recent_scans(
    SignedIn { app, user }: SignedIn,
    QueryString(query): QueryString<RecentScansQuery>,
) -> Result<Json<Vec<RecentScan>>, ApiError> {
    let vehicle = vehicle_filter(query.vehicle_id.as_deref())?;
    if let Some(id) = vehicle {
        app.garage.vehicle(&user, id).await?;
    }
    let scans = app.scanning.recent_scans(&user, vehicle, query.limit.unwrap_or(DEFAULT_RECENT)).await?;
    let types = app.scanning.part_types_of(&user, &scans).await?;
    Ok(Json(RecentScan::all(&app, &types, scans)?))
}

/// Which scans to delete.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct DeleteScansQuery {
    /// Only those of this vehicle; all without it.
    vehicle_id: Option<String>,
}

/// Clears the scan history, with feedback and with what the judge said of the photographs. Gives no allowance back.
#[utoipa::path(delete, path = "/api/scans", tag = "scans", params(DeleteScansQuery),
    responses((status = NO_CONTENT), problems::Write, problems::NotFound))]
pub(crate) async fn delete_scans(
    SignedIn { app, user }: SignedIn,
    QueryString(query): QueryString<DeleteScansQuery>,
) -> Result<StatusCode, ApiError> {
    // An empty id is refused here: what was meant for one vehicle must not delete the scans of all.
    let vehicle = query.vehicle_id.as_deref().map(vehicle_id).transpose()?;
    if let Some(id) = vehicle {
        app.garage.vehicle(&user, id).await?;
    }
    app.scanning.clear_scans(&user, vehicle).await?;
    Ok(StatusCode::NO_CONTENT)
}
