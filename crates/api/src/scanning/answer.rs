//! The fields that the result of a scan and the scans of the history share.

use jiff::Timestamp;
use partsight_app::{App, PartFacts, PartTypes};
use partsight_domain::{CategoryGuess, Scan, StageTimings, Verdict};
use serde::Serialize;
use utoipa::ToSchema;

use super::candidates::{
    Alternative, CandidateSet, TellingApart, alternatives, candidate_set, telling_apart,
};
use crate::ApiError;
use crate::garage::vehicles::VehicleSummary;
use crate::parts::part_types::{IdentifiedPart, InstallationVideo, PartCategory, PurchaseRecommendations};
use crate::parts::suppliers::Supplier;
use crate::scanning::receipts::ScanReceipt;

/// The verdict of a scan.
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
            // A photograph without a part is refused, so no saved scan has `NotAPart`.
            Verdict::NotSure | Verdict::NotAPart => Self::NotSure,
        }
    }
}

/// The part of an answer that scans and the history have in common.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScanAnswer {
    id: String,
    verdict: ScanVerdict,
    pub(super) identification: Identification,
    /// Other part types that it may be, the most probable first.
    alternatives: Vec<Alternative>,
    /// The category as the answer, if several of its part types are about equally probable; otherwise null.
    #[schema(required)]
    rolled_up: Option<RolledUp>,
    /// The part types that the part may be, if the answer is not sure; null if no set is available.
    #[schema(required)]
    candidate_set: Option<CandidateSet>,
    /// Views that would distinguish the best guess from the alternatives; at most two, often none.
    telling_apart: Vec<TellingApart>,
    /// Part types that cannot be on the vehicle, the most probable first; usually empty.
    vehicle_doubts: Vec<VehicleDoubt>,
    /// Number of photographs that were sent, 1 to 5.
    #[schema(minimum = 1, maximum = 5, example = 1)]
    photo_count: usize,
    /// The result of each photograph alone, in the order in which they were sent; empty for one photograph.
    photos: Vec<PhotoFinding>,
    suppliers: Vec<Supplier>,
    #[schema(required)]
    vehicle: Option<VehicleSummary>,
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    scanned_at: Timestamp,
    pub(super) timings_ms: Timings,
    receipt: ScanReceipt,
}

/// The best guess of a scan.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Identification {
    #[schema(example = "Spark Plug")]
    part_name: String,
    #[schema(example = "spark-plug")]
    pub(super) label: String,
    /// Null if the part type is no longer in the catalogue.
    #[schema(required)]
    category: Option<PartCategory>,
    /// Calibrated probability that the label is correct, in 0..=1.
    #[schema(minimum = 0, maximum = 1)]
    pub(super) confidence: f32,
    /// How likely it is that the photograph shows any known part type, in 0..=1.
    #[schema(minimum = 0, maximum = 1)]
    known_score: f32,
    description: String,
    installation_videos: Vec<InstallationVideo>,
    purchase_recommendations: PurchaseRecommendations,
}

/// A part type that cannot be on the vehicle of the scan, so that its probability was reduced.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VehicleDoubt {
    #[schema(example = "spark-plug")]
    label: String,
    #[schema(example = "Spark Plug")]
    name: String,
    /// Calibrated probability by the photographs alone, in 0..=1.
    #[schema(minimum = 0, maximum = 1)]
    confidence_without_vehicle: f32,
    /// The reason, as a sentence that says what the vehicle lacks.
    #[schema(
        example = "A 2021 Tesla Model 3 has no engine with spark ignition, so Spark Plug cannot be on it."
    )]
    reason: String,
}

/// The result of one of several photographs of a scan alone, without vehicle and judge.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PhotoFinding {
    #[schema(example = "spark-plug")]
    label: String,
    #[schema(example = "Spark Plug")]
    name: String,
    /// Calibrated probability that the label is correct, by this photograph alone, in 0..=1.
    #[schema(minimum = 0, maximum = 1)]
    confidence: f32,
    /// How likely it is that this photograph shows any known part type, in 0..=1.
    #[schema(minimum = 0, maximum = 1)]
    known_score: f32,
    /// Its weight in the answer, in 0..=1. The weights of a scan sum to 1.
    #[schema(minimum = 0, maximum = 1)]
    weight: f32,
    /// Whether it represents the scan: its picture is kept, the judge sees it, and it becomes the reference if feedback
    /// teaches the part.
    is_lead: bool,
}

/// A category as the answer, if several part types of it are about equally probable.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RolledUp {
    category: PartCategory,
    /// The name of the category for people.
    #[schema(example = "Brake System")]
    name: String,
    /// Calibrated probability that the part is of this category, in 0..=1.
    #[schema(minimum = 0, maximum = 1)]
    confidence: f32,
}

impl From<CategoryGuess> for RolledUp {
    fn from(CategoryGuess { category, confidence }: CategoryGuess) -> Self {
        Self { category: category.into(), name: category.title().to_owned(), confidence }
    }
}

/// Duration of each stage of a scan, in milliseconds.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Timings {
    decode: f32,
    preprocess: f32,
    queue: f32,
    inference: f32,
    /// Duration of asking the judge; 0 if it was not asked.
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
    /// The value of the `Server-Timing` header.
    pub(crate) fn header(&self) -> String {
        // Left out at 0: a stage of 0 ms would look as if the judge had been called.
        let judge = if self.judge > 0.0 { format!("judge;dur={:.2}, ", self.judge) } else { String::new() };
        format!(
            "decode;dur={:.2}, preprocess;dur={:.2}, queue;dur={:.2}, inference;dur={:.2}, {judge}identify;dur={:.2}",
            self.decode, self.preprocess, self.queue, self.inference, self.total
        )
    }
}

impl ScanAnswer {
    /// Returns the answer, and separately the part with its guide, whose field name differs between the two
    /// responses.
    pub(super) fn with_part(
        app: &App,
        types: &PartTypes,
        scan: Scan,
    ) -> Result<(Self, IdentifiedPart), ApiError> {
        // First, since the fields below are moved out of the scan.
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

/// What the catalogue adds to a scan.
struct ScanParts {
    identification: Identification,
    part: IdentifiedPart,
    suppliers: Vec<Supplier>,
}

impl ScanParts {
    fn new(app: &App, types: &PartTypes, scan: &Scan) -> Result<Self, ApiError> {
        let label = &scan.best.label;
        let vehicle = scan.vehicle.as_ref();
        let part = IdentifiedPart::of_scan(types, label)?;
        let (installation_videos, purchase_recommendations, suppliers) = match types.get(label) {
            Some(PartFacts::Shipped(part_type)) => (
                InstallationVideo::list(part_type, vehicle),
                PurchaseRecommendations::new(part_type),
                app.parts.suppliers(part_type, vehicle).into_iter().map(Supplier::from).collect(),
            ),
            // A taught part, or a deleted one: there is no purchase advice.
            Some(PartFacts::Taught(_)) | None => (Vec::new(), PurchaseRecommendations::none(), Vec::new()),
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
