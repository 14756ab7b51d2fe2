use partsight_app::PartTypes;
use partsight_domain::Scan;
use serde::Serialize;
use utoipa::ToSchema;

use crate::scanning::answer::ScanVerdict;
use crate::scanning::feedback::ScanFeedback;
use crate::scanning::pictures::{photo_url, thumbnail_url};

/// The answer to a photograph of a batch; `GET /api/scans/{id}` has all details.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BatchAnswer {
    /// The id of the scan.
    id: String,
    verdict: ScanVerdict,
    #[schema(example = "Spark Plug")]
    part_name: String,
    #[schema(example = "spark-plug")]
    label: String,
    /// Calibrated probability that the label is correct, in 0..=1.
    #[schema(minimum = 0, maximum = 1)]
    confidence: f32,
    /// Address of the thumbnail; null if there is none.
    #[schema(required)]
    thumbnail_url: Option<String>,
    /// Address of the whole photograph as it was sent; null if it is not kept.
    #[schema(required, example = "/api/scans/0190a0a0-0000-7000-8000-000000000000/photo")]
    photo_url: Option<String>,
    /// Feedback on the answer; null if there is none.
    #[schema(required)]
    feedback: Option<ScanFeedback>,
}

impl BatchAnswer {
    pub(super) fn new(types: &PartTypes, scan: Scan) -> Self {
        Self {
            id: scan.id.to_string(),
            verdict: scan.verdict.into(),
            part_name: types.name(&scan.best.label),
            label: scan.best.label.to_string(),
            confidence: scan.best.confidence,
            thumbnail_url: thumbnail_url(&scan),
            photo_url: photo_url(&scan),
            feedback: scan.feedback.map(|feedback| ScanFeedback::new(types, feedback)),
        }
    }
}
