//! Current values.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::Duration;

use partsight_domain::{OfferSource, ScanDrift};
use partsight_inference::{BATCH_SIZE_BOUNDS, BatcherStats};
use partsight_store::PoolSize;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

use super::Labels;
use super::index_status::{IndexCondition, IndexStatus};

/// Current values of the server.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Gauges {
    /// The engines and the queue before them.
    pub engines: BatcherStats,
    /// The model that they run.
    pub model: ModelLabels,
    /// Photographs that were refused because they could not have been answered in time.
    pub refused: u64,
    /// Current duration of a photograph, from its turn to the model's output.
    pub photograph_takes: Duration,
    /// Photographs that are not tried again for now.
    pub quarantined: usize,
    /// The connections to the database.
    pub database: PoolSize,
    /// How far the clock of the database is ahead of this server's, in seconds; behind if negative.
    pub database_ahead_seconds: f64,
    /// Free bytes on the file system of the data, if known.
    pub disk_free_bytes: Option<u64>,
    /// Calls of the judge in progress, those about photographs included.
    pub judge_in_flight: usize,
    /// Whether the judge's circuit breaker is open.
    pub judge_is_left_alone: bool,
    /// Whether the circuit breaker of each of [`OfferSource::OUTSIDE`] is open.
    pub suppliers_are_left_alone: [bool; OfferSource::OUTSIDE.len()],
    /// Progress of embedding the references of another model again.
    pub reembedding: ReembeddingProgress,
    /// Status of a vector index on a server; `None` for one in memory.
    pub index: Option<IndexStatus>,
    /// Result of the last drift check over all accounts; `None` before the first.
    pub drift: Option<Arc<ScanDrift>>,
}

/// Which model is loaded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelLabels {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// SHA-256 of its file, lower-case hex.
    pub sha256: String,
    /// What runs it: `CPU`, or `CUDA:N`.
    pub provider: String,
}

/// Progress of embedding the references of all tenants again, since this server started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReembeddingProgress {
    /// Whether it is running; scans are answered without references then.
    pub is_running: bool,
    /// References of other models with a picture, at the start.
    pub total: u64,
    /// Those that are embedded by the model in use now.
    pub done: u64,
    /// Those whose picture could not be used.
    pub failed: u64,
}

/// A gauge with this value.
pub(super) fn value(value: usize) -> Gauge<i64, AtomicI64> {
    let gauge = Gauge::default();
    gauge.set(i64::try_from(value).unwrap_or(i64::MAX));
    gauge
}

pub(super) fn gauge(registry: &mut Registry, name: &str, help: &str, is: usize) {
    registry.register(name, help, value(is));
}

/// A gauge for each value of a label.
fn gauges<const N: usize>(
    registry: &mut Registry,
    name: &str,
    help: &str,
    label: &'static str,
    values: [(&'static str, usize); N],
) {
    let family = Family::<Labels<1>, Gauge>::default();
    for (of, value) in values {
        family.get_or_create(&[(label, of)]).set(i64::try_from(value).unwrap_or(i64::MAX));
    }
    registry.register(name, help, family);
}

pub(super) fn register_connections(registry: &mut Registry, n_open: usize) {
    gauge(registry, "http_connections", "Connections that are open", n_open);
}

impl Gauges {
    pub(super) fn register(&self, registry: &mut Registry) {
        let version = vec![("version", env!("CARGO_PKG_VERSION").to_owned())];
        registry.register("build", "The version of the program", Info::new(version));
        let ModelLabels { name, version, sha256, provider } = self.model.clone();
        let model = vec![("name", name), ("version", version), ("sha256", sha256), ("provider", provider)];
        registry.register("model", "The model that is loaded", Info::new(model));
        self.register_engines(registry);
        registry.register(
            "scans_refused",
            "Scans refused with 503 because they could not have been answered in time",
            ConstCounter::new(self.refused),
        );
        registry.register_with_unit(
            "photograph_recent_duration",
            "How long a photograph took lately from its turn to the output of the model",
            Unit::Seconds,
            ConstGauge::new(self.photograph_takes.as_secs_f64()),
        );
        gauge(
            registry,
            "quarantined_photographs",
            "Photographs that are not tried again, because a worker was lost over them",
            self.quarantined,
        );
        let PoolSize { open, idle, max } = self.database;
        gauges(
            registry,
            "database_connections",
            "Connections to the database by what they do",
            "state",
            [("used", open.saturating_sub(idle)), ("idle", idle)],
        );
        gauge(registry, "database_connections_max", "Connections to the database at most", max);
        registry.register_with_unit(
            "database_clock_ahead",
            "How far the clock of the database is ahead of that of this server; behind if negative",
            Unit::Seconds,
            ConstGauge::new(self.database_ahead_seconds),
        );
        if let Some(free) = self.disk_free_bytes {
            let free = value(usize::try_from(free).unwrap_or(usize::MAX));
            registry.register_with_unit(
                "data_disk_free",
                "Space that is free for the data",
                Unit::Bytes,
                free,
            );
        }
        gauge(
            registry,
            "judge_requests_in_flight",
            "Questions that are with the judge, those about photographs among them",
            self.judge_in_flight,
        );
        gauge(
            registry,
            "judge_circuit_open",
            "1 while the judge is left alone after failures",
            usize::from(self.judge_is_left_alone),
        );
        let [first, second] = OfferSource::OUTSIDE.map(OfferSource::as_str);
        let [first_is, second_is] = self.suppliers_are_left_alone.map(usize::from);
        gauges(
            registry,
            "supplier_circuit_open",
            "1 while a supplier is left alone after failures",
            "source",
            [(first, first_is), (second, second_is)],
        );
        let ReembeddingProgress { is_running, total, done, failed } = self.reembedding;
        let waiting = total.saturating_sub(done + failed);
        let [done, failed, waiting] =
            [done, failed, waiting].map(|n| usize::try_from(n).unwrap_or(usize::MAX));
        gauges(
            registry,
            "reembedding_references",
            "References of another model since the start of the server, by what became of them",
            "outcome",
            [("done", done), ("failed", failed), ("waiting", waiting)],
        );
        gauge(
            registry,
            "references_held_back",
            "1 while scans are answered without references",
            usize::from(is_running),
        );
        if let Some(index) = self.index {
            register_index(registry, index);
        }
    }

    fn register_engines(&self, registry: &mut Registry) {
        let stats = self.engines;
        gauge(registry, "inference_queue_depth", "Photographs that wait for an engine", stats.waiting);
        // The crate's histogram can only observe single values, and the batcher keeps its own counts.
        registry.register_collector(Box::new(BatchSizes(stats)));
        gauges(
            registry,
            "inference_engines",
            "Engines that run or are lost, and threads that were given up and have not come back",
            "state",
            [
                ("running", stats.engines_alive),
                ("lost", stats.engines.saturating_sub(stats.engines_alive)),
                ("stuck", stats.threads_stuck),
            ],
        );
        for (name, help, count) in [
            (
                "inference_engine_restarts",
                "Engines started in place of one that stalled or panicked",
                stats.restarts,
            ),
            ("inference_batches_failed", "Runs of the model that failed", stats.failed_batches),
            ("inference_requests_refused", "Photographs refused because the queue was full", stats.refused),
            (
                "inference_requests_abandoned",
                "Photographs dropped because nobody waited for them any more",
                stats.abandoned,
            ),
        ] {
            registry.register(name, help, ConstCounter::new(count));
        }
    }
}

fn register_index(registry: &mut Registry, index: IndexStatus) {
    let condition =
        |condition: IndexCondition| (condition.as_str(), usize::from(index.condition == condition));
    gauges(
        registry,
        "index_condition",
        "1 for how the vector index on a server stands; scans search it while it is whole",
        "condition",
        IndexCondition::ALL.map(condition),
    );
    let IndexStatus { held, wanted, told, to_tell, .. } = index;
    let [held, wanted, waiting] =
        [held, wanted, to_tell.saturating_sub(told)].map(|n| usize::try_from(n).unwrap_or(usize::MAX));
    gauges(
        registry,
        "index_references",
        "References that the vector index held and the database had when they were last counted, and those that it is \
         still to be told",
        "state",
        [("held", held), ("wanted", wanted), ("waiting", waiting)],
    );
    registry.register(
        "index_repaired_references",
        "References that the vector index had otherwise than the database, and that were put right",
        ConstCounter::new(index.repaired),
    );
}

/// The sizes of the batches as the batcher counts them.
#[derive(Debug)]
struct BatchSizes(BatcherStats);

impl Collector for BatchSizes {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let bounds = BATCH_SIZE_BOUNDS.iter().map(|bound| *bound as f64).chain([f64::INFINITY]);
        let buckets: Vec<(f64, u64)> = bounds.zip(self.0.batch_sizes).collect();
        encoder
            .encode_descriptor(
                "inference_batch_size",
                "Photographs in one run of the model",
                None,
                MetricType::Histogram,
            )?
            .encode_histogram::<NoLabelSet>(self.0.images as f64, self.0.batches, &buckets, None)
    }
}
