//! Metrics of this server.

use partsight_domain::OfferSource;

use crate::judging::configured_judge::ConfiguredJudge;
use crate::metrics::{Gauges, Metrics, ModelLabels};
use crate::operations::Operations;

impl Operations {
    /// Counters since the start of the server.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Current values of the gauges.
    pub fn gauges(&self) -> Gauges {
        let judge = self.judging.judge();
        Gauges {
            engines: self.identifier.engine_stats(),
            model: ModelLabels {
                name: self.identifier.model_name().to_owned(),
                version: self.identifier.model_version().to_owned(),
                sha256: self.identifier.model_sha256().to_owned(),
                provider: self.identifier.provider().to_owned(),
            },
            refused: self.identifier.n_refused(),
            photograph_takes: self.identifier.usual_duration(),
            quarantined: self.identifier.n_quarantined(),
            database: self.store.pool(),
            database_ahead_seconds: self.store.database_ahead().as_secs_f64(),
            disk_free_bytes: self.ready.free_bytes(),
            judge_in_flight: judge.map_or(0, ConfiguredJudge::n_in_flight),
            judge_is_left_alone: judge.is_some_and(|judge| judge.client.is_left_alone()),
            suppliers_are_left_alone: OfferSource::OUTSIDE
                .map(|source| self.parts.outside_suppliers.is_left_alone(source)),
            index: self.teaching.index.status(),
            reembedding: self.teaching.index.reembedding().progress(),
            drift: self.evaluations.server_drift(),
        }
    }
}
