use serde_json::json;

use crate::{BatchId, BatchItemId, EventKind, NewEvent, Scan};

impl Scan {
    /// The event for this answer; `item` is the photograph of a batch that it answers.
    pub fn answered(&self, item: Option<(BatchId, BatchItemId)>) -> NewEvent {
        let data = json!({
            "scanId": self.id,
            "vehicleId": self.vehicle_id,
            "verdict": self.verdict.as_str(),
            "label": self.best.label.as_str(),
            // Rounded, because further digits are an artefact of the conversion from f32.
            "confidence": (f64::from(self.best.confidence) * 1e6).round() / 1e6,
            "batchId": item.map(|(batch, _)| batch),
            "batchItemId": item.map(|(_, item)| item),
        });
        NewEvent::about(EventKind::ScanAnswered, &self.id, data)
    }
}
