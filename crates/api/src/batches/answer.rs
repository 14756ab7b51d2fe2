use partsight_app::PartTypes;
use partsight_domain::Scan;
use serde::Serialize;
use utoipa::ToSchema;

use crate::scanning::answer::ScanVerdict;
use crate::scanning::feedback::ScanFeedback;

/// The answer to a photograph of a batch; the whole is at `/api/scans/{id}`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BatchAnswer {
    /// The scan.
    id: String,
    verdict: ScanVerdict,
    #[schema(example = "Spark Plug")]
    part_name: String,
    #[schema(example = "spark-plug")]
    label: String,
    /// Calibrated probability in 0..=1 that the label is right.
    #[schema(minimum = 0, maximum = 1)]
    confidence: f32,
    /// Where a small picture is; null where none is kept.
    #[schema(required)]
    thumbnail_url: Option<String>,
    /// What was said of the answer; null where nothing was.
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
            thumbnail_url: scan.has_thumbnail.then(|| format!("/api/scans/{}/thumbnail", scan.id)),
            feedback: scan.feedback.map(|feedback| ScanFeedback::new(types, feedback)),
        }
    }
}
