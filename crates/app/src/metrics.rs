//! Metrics of this server since its start, for Prometheus.
//!
//! Names follow the field's conventions: base units as suffix (`_seconds`, `_bytes`), and `_total` for counters. No
//! label holds anything of a user, so the number of series is bounded. The text format is `OpenMetrics` 1.0, which
//! Prometheus reads.

mod connections;
mod drift;
mod fills;
mod gauges;
pub(crate) mod index_status;
mod process;
mod scans;
mod suppliers;

use std::time::Duration;

use partsight_domain::{FillKind, JudgingReceipt, NotJudged, OfferSource, StageTimings, Verdict};
use partsight_store::JudgeCost;
use prometheus_client::encoding::text;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Metric, Registry, Unit};

pub use connections::{OpenConnection, OpenConnections};
use fills::FillMetrics;
pub use gauges::{Gauges, ModelLabels, ReembeddingProgress};
use scans::ScanMetrics;
pub(crate) use scans::Stage;
use suppliers::SupplierMetrics;

pub(crate) use suppliers::SupplierOutcome;

use crate::FillState;

/// The media type of [`Metrics::render`].
pub const TEXT_FORMAT: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Upper bounds of the buckets of a duration, in seconds: from one stage of a small photograph to the slowest judge.
const DURATION_BUCKETS: [f64; 14] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 20.0, 120.0];

/// Name and value of each label.
type Labels<const N: usize> = [(&'static str, &'static str); N];
/// Counters by labels with fixed values.
type Counts<const N: usize> = Family<Labels<N>, Counter>;
/// Histograms of durations by labels `L`.
type Durations<L> = Family<L, Histogram, fn() -> Histogram>;

/// A new counter, registered under this name.
fn counter<C: Metric + Clone + Default>(registry: &mut Registry, name: &str, help: &str) -> C {
    let counter = C::default();
    registry.register(name, help, counter.clone());
    counter
}

/// New histograms of durations, registered under this name.
fn durations<L>(registry: &mut Registry, name: &str, help: &str) -> Durations<L>
where
    L: Clone + std::hash::Hash + Eq,
    Durations<L>: Metric,
{
    let durations: Durations<L> = Family::new_with_constructor(|| Histogram::new(DURATION_BUCKETS));
    registry.register_with_unit(name, help, Unit::Seconds, durations.clone());
    durations
}

/// The counters of a server.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    scans: ScanMetrics,
    fills: FillMetrics,
    suppliers: SupplierMetrics,
    /// By method, route and class of status.
    requests: Durations<[(&'static str, String); 3]>,
    connections: OpenConnections,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("partsight");
        Self {
            requests: durations(
                &mut registry,
                "http_request_duration",
                "How long requests took by method, route and class of status, uploads included",
            ),
            scans: ScanMetrics::register(&mut registry),
            fills: FillMetrics::register(&mut registry),
            suppliers: SupplierMetrics::register(&mut registry),
            connections: OpenConnections::default(),
            registry,
        }
    }
}

impl Metrics {
    /// The gauge of open connections, for the code that accepts them.
    pub fn connections(&self) -> &OpenConnections {
        &self.connections
    }

    /// Counts an answered request: `route` is the template and not the path, `status` the code.
    pub fn observe_request(&self, method: &str, route: &str, status: u16, took: Duration) {
        // Clients can send any method name, so others share one value.
        const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
        let method = if METHODS.contains(&method) { method } else { "other" };
        let labels = [
            ("method", method.to_owned()),
            ("route", route.to_owned()),
            // The class and not the code: there would otherwise be many times as many series.
            ("status", format!("{}xx", status / 100)),
        ];
        self.requests.get_or_create(&labels).observe(took.as_secs_f64());
    }

    pub(crate) fn count_supplier(&self, source: OfferSource, outcome: SupplierOutcome) {
        self.suppliers.count(source, outcome);
    }

    pub(crate) fn count_fill(&self, kind: FillKind, state: &Result<FillState, NotJudged>, cost: JudgeCost) {
        self.fills.count(kind, state, cost);
    }

    pub(crate) fn count_scan(
        &self,
        n_photos: usize,
        verdict: Verdict,
        timings: &StageTimings,
        judging: &JudgingReceipt,
    ) {
        self.scans.count(n_photos, verdict, timings, judging);
    }

    pub(crate) fn observe_stage(&self, stage: Stage, took: Duration) {
        self.scans.observe_stage(stage, took.as_secs_f64());
    }

    pub(crate) fn count_second_looks(&self, n_photos: usize) {
        self.scans.second_looks.inc_by(n_photos as u64);
    }

    pub(crate) fn count_without_taught_parts(&self) {
        self.scans.without_taught_parts.inc();
    }

    pub(crate) fn count_not_a_part(&self) {
        self.scans.not_a_part.inc();
    }

    /// All counters and `gauges` in the text format of `OpenMetrics`.
    pub fn render(&self, gauges: &Gauges) -> String {
        // A new registry for each page: gauges are current values, and are not stored.
        let mut now = Registry::with_prefix("partsight");
        gauges.register(&mut now);
        if let Some(found) = &gauges.drift {
            drift::register(&mut now, found);
        }
        gauges::register_connections(&mut now, self.connections.count());
        self.scans.register_costs(&mut now);
        self.fills.register_costs(&mut now);
        // Without the prefix, because `process_…` names are the same for all programs.
        let mut process = Registry::default();
        process::register(&mut process);
        let mut page = String::with_capacity(32 * 1024);
        // Writing to a `String` cannot fail.
        // Encoded last, because only `encode` writes the final `# EOF`.
        let _ = text::encode_registry(&mut page, &self.registry);
        let _ = text::encode_registry(&mut page, &now);
        let _ = text::encode(&mut page, &process);
        page
    }
}

#[cfg(test)]
mod tests {
    use partsight_domain::{SourceFailure, VerdictPath};
    use partsight_inference::BatcherStats;
    use partsight_store::PoolSize;

    use super::*;
    use crate::{IndexCondition, IndexStatus};

    fn has(page: &str, lines: &[&str]) {
        for line in lines {
            assert!(page.lines().any(|found| found == *line), "{line}\n{page}");
        }
    }

    #[test]
    fn scans_are_counted_by_verdict_path_and_reason() {
        let metrics = Metrics::default();
        let timings = StageTimings { decode: 4.0, total: 30.0, judge: 700.0, ..StageTimings::default() };
        let judged = JudgingReceipt {
            verdict_path: VerdictPath::Llm,
            cost_micro_dollars: 2500,
            input_tokens: 900,
            output_tokens: 80,
            ..JudgingReceipt::default()
        };
        metrics.count_scan(3, Verdict::Identified, &timings, &judged);
        let reused = JudgingReceipt { verdict_path: VerdictPath::Reused, ..JudgingReceipt::default() };
        metrics.count_scan(1, Verdict::NotSure, &timings, &reused);
        for reason in [NotJudged::ServerDayBudget, NotJudged::TimedOut, NotJudged::Sure] {
            let receipt = JudgingReceipt { not_judged: Some(reason), ..JudgingReceipt::default() };
            metrics.count_scan(1, Verdict::NotSure, &StageTimings::default(), &receipt);
        }
        metrics.count_not_a_part();
        metrics.count_without_taught_parts();
        metrics.count_second_looks(2);
        metrics.observe_stage(Stage::Store, Duration::from_millis(2));
        metrics.count_supplier(OfferSource::Ebay, SupplierOutcome::Answered);
        metrics.count_supplier(OfferSource::Service, SupplierOutcome::Failed(SourceFailure::TimedOut));
        let page = metrics.render(&Gauges {
            judge_in_flight: 1,
            judge_is_left_alone: true,
            suppliers_are_left_alone: [true, false],
            reembedding: ReembeddingProgress { is_running: true, total: 9, done: 4, failed: 1 },
            index: Some(IndexStatus {
                condition: IndexCondition::Filling,
                held: 7,
                wanted: 9,
                told: 4,
                to_tell: 6,
                repaired: 3,
                ..IndexStatus::default()
            }),
            ..Gauges::default()
        });
        has(
            &page,
            &[
                "partsight_scans_total{verdict=\"identified\",path=\"llm\"} 1",
                "partsight_scans_total{verdict=\"not-sure\",path=\"local\"} 3",
                "partsight_scan_photographs_total 7",
                "partsight_scan_second_looks_total 2",
                "partsight_scans_not_a_part_total 1",
                "partsight_scans_without_taught_parts_total 1",
                "partsight_index_condition{condition=\"filling\"} 1",
                "partsight_index_condition{condition=\"whole\"} 0",
                "partsight_index_references{state=\"held\"} 7",
                "partsight_index_references{state=\"wanted\"} 9",
                "partsight_index_references{state=\"waiting\"} 2",
                "partsight_index_repaired_references_total 3",
                "partsight_judge_scans_total{outcome=\"answered\"} 1",
                "partsight_judge_scans_total{outcome=\"reused\"} 1",
                "partsight_judge_scans_total{outcome=\"failed\"} 1",
                "partsight_judge_scans_total{outcome=\"skipped-by-budget\"} 1",
                "partsight_judge_scans_total{outcome=\"skipped\"} 1",
                "partsight_judge_not_asked_total{reason=\"timed-out\"} 1",
                "partsight_judge_cost_dollars_total 0.0025",
                "partsight_judge_tokens_total{kind=\"input\"} 900",
                "partsight_scan_stage_duration_seconds_bucket{le=\"0.5\",stage=\"judge\"} 0",
                "partsight_scan_stage_duration_seconds_bucket{le=\"1.0\",stage=\"judge\"} 2",
                "partsight_scan_stage_duration_seconds_bucket{le=\"+Inf\",stage=\"judge\"} 2",
                "partsight_scan_stage_duration_seconds_sum{stage=\"judge\"} 1.4",
                "partsight_scan_stage_duration_seconds_sum{stage=\"store\"} 0.002",
                "partsight_scan_stage_duration_seconds_count{stage=\"total\"} 5",
                "partsight_judge_requests_in_flight 1",
                "partsight_judge_circuit_open 1",
                "partsight_supplier_questions_total{source=\"ebay\",outcome=\"answered\"} 1",
                "partsight_supplier_questions_total{source=\"service\",outcome=\"failed\"} 1",
                "partsight_supplier_failures_total{source=\"service\",reason=\"timed-out\"} 1",
                "partsight_supplier_circuit_open{source=\"service\"} 1",
                "partsight_supplier_circuit_open{source=\"ebay\"} 0",
                "partsight_reembedding_references{outcome=\"waiting\"} 4",
                "partsight_references_held_back 1",
            ],
        );
    }

    #[test]
    fn drift_is_told_once_there_is_enough_to_compare() {
        use std::sync::Arc;

        use jiff::Timestamp;
        use partsight_domain::{FittedScores, ModelScores, ScanDrift};

        let fitted = FittedScores {
            effective_n: 400.0,
            at: vec![0.5],
            confidence: vec![0.25],
            known_score: vec![1.0],
        };
        let page_of = |n_scans: usize| {
            let scores = vec![ModelScores { confidence: 0.25, known_score: 0.25 }; n_scans];
            let found = ScanDrift::new(Timestamp::UNIX_EPOCH, Some(&fitted), &scores, [&[], &[]]);
            Metrics::default().render(&Gauges { drift: Some(Arc::new(found)), ..Gauges::default() })
        };
        has(
            &page_of(200),
            &[
                "partsight_drift_scans 200",
                "partsight_drift_alert{of=\"confidence\"} 1",
                "partsight_drift_alert{of=\"known-score\"} 0",
                "partsight_drift_distance{of=\"confidence\"} 0.75",
                "partsight_drift_distance{of=\"known-score\"} 0.0",
            ],
        );
        let few = page_of(3);
        has(&few, &["partsight_drift_scans 3"]);
        assert!(
            few.contains("# HELP partsight_drift_scans Scans of seven days that were looked at"),
            "{few}"
        );
        assert!(!few.contains("partsight_drift_alert{"), "{few}");
        assert!(!Metrics::default().render(&Gauges::default()).contains("partsight_drift"));
    }

    #[test]
    fn the_state_of_the_server_is_told_in_gauges() {
        let metrics = Metrics::default();
        let (first, _second) = (metrics.connections().open(), metrics.connections().open());
        drop(first);
        let engines = BatcherStats {
            waiting: 3,
            batches: 5,
            images: 12,
            batch_sizes: [2, 1, 0, 2, 0, 0, 0],
            engines: 4,
            engines_alive: 3,
            threads_stuck: 1,
            restarts: 2,
            ..BatcherStats::default()
        };
        let page = metrics.render(&Gauges {
            engines,
            refused: 8,
            photograph_takes: Duration::from_millis(25),
            quarantined: 6,
            database: PoolSize { open: 5, idle: 4, max: 8 },
            database_ahead_seconds: -2.5,
            disk_free_bytes: Some(1_000_000),
            model: ModelLabels {
                name: "m\"".to_owned(),
                provider: "CPU".to_owned(),
                ..ModelLabels::default()
            },
            ..Gauges::default()
        });
        has(
            &page,
            &[
                "partsight_inference_queue_depth 3",
                "partsight_inference_batch_size_bucket{le=\"1.0\"} 2",
                "partsight_inference_batch_size_bucket{le=\"8.0\"} 5",
                "partsight_inference_batch_size_sum 12.0",
                "partsight_inference_batch_size_count 5",
                "partsight_inference_engines{state=\"running\"} 3",
                "partsight_inference_engines{state=\"lost\"} 1",
                "partsight_inference_engines{state=\"stuck\"} 1",
                "partsight_inference_engine_restarts_total 2",
                "partsight_scans_refused_total 8",
                "partsight_photograph_recent_duration_seconds 0.025",
                "partsight_quarantined_photographs 6",
                "partsight_database_connections{state=\"used\"} 1",
                "partsight_database_connections{state=\"idle\"} 4",
                "partsight_database_connections_max 8",
                "partsight_database_clock_ahead_seconds -2.5",
                "partsight_data_disk_free_bytes 1000000",
                "partsight_http_connections 1",
                "partsight_model_info{name=\"m\\\"\",version=\"\",sha256=\"\",provider=\"CPU\"} 1",
            ],
        );
        assert!(page.ends_with("# EOF\n"), "{page}");
    }

    #[test]
    fn requests_are_timed_by_method_route_and_class_of_status() {
        let metrics = Metrics::default();
        for (method, status) in [("GET", 200), ("GET", 204), ("GET", 404), ("BREW", 405)] {
            metrics.observe_request(method, "/api/vehicles/{id}", status, Duration::from_millis(30));
        }
        let page = metrics.render(&Gauges::default());
        let count = |method: &str, status: &str, n: u32| {
            format!(
                "partsight_http_request_duration_seconds_count{{method=\"{method}\",route=\"/api/vehicles/{{id}}\",\
                 status=\"{status}\"}} {n}"
            )
        };
        for line in [count("GET", "2xx", 2), count("GET", "4xx", 1), count("other", "4xx", 1)] {
            has(&page, &[&line]);
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_process_is_told_as_by_others() {
        let page = Metrics::default().render(&Gauges::default());
        for name in ["process_resident_memory_bytes", "process_open_fds", "process_max_fds"] {
            let line = page.lines().find(|line| line.starts_with(&format!("{name} "))).expect(name);
            assert!(line.rsplit(' ').next().unwrap().parse::<u64>().unwrap() > 0, "{line}");
        }
    }
}
