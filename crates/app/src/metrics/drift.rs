//! The result of the last drift check over all accounts.

use std::sync::atomic::AtomicU64;

use partsight_domain::{ScanDrift, ScoreShift};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::registry::Registry;

use super::Labels;
use super::gauges::gauge;

/// A comparison with too little data has no series: neither an alert nor its absence would be true.
pub(super) fn register(registry: &mut Registry, drift: &ScanDrift) {
    gauge(
        registry,
        "drift_scans",
        "Scans of seven days that were looked at for drift, at most 2,000; fewer than 50 are not compared",
        drift.n_scans,
    );
    let scores: [(&'static str, Option<&ScoreShift>); 2] =
        [("confidence", drift.confidence.as_ref()), ("known-score", drift.known_score.as_ref())];
    let alerts = Family::<Labels<1>, Gauge>::default();
    let distances = Family::<Labels<1>, Gauge<f64, AtomicU64>>::default();
    for (of, shift) in scores {
        let Some(shift) = shift else { continue };
        alerts.get_or_create(&[("of", of)]).set(shift.is_alert().into());
        distances.get_or_create(&[("of", of)]).set(shift.distance());
    }
    if let Some(embedding) = drift.embedding {
        alerts.get_or_create(&[("of", "embedding")]).set(embedding.is_alert().into());
        registry.register(
            "drift_embedding_mmd_squared",
            "Squared maximum mean discrepancy of the embeddings of these scans and of earlier ones",
            ConstGauge::new(embedding.mmd_squared),
        );
    }
    registry.register(
        "drift_alert",
        "1 where the scans of seven days are unlike what the confidence was fitted on, or, by embedding, unlike earlier ones",
        alerts,
    );
    registry.register(
        "drift_distance",
        "Largest distance of the distribution of a score from that over the calibration photographs",
        distances,
    );
}
