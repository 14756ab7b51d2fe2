//! What this server has counted since its start, for Prometheus.
//!
//! Written by hand: a dozen atomics and one text format (version 0.0.4 of Prometheus' exposition formats) are less
//! than a registry. No label holds anything of a user, so the number of series is fixed.

mod fills;
mod suppliers;

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

use partsight_domain::{
    FillKind, JudgingReceipt, NotJudged, OfferSource, StageTimings, Verdict, VerdictPath,
};
use partsight_store::JudgeCost;

use fills::FillMetrics;
use suppliers::SupplierMetrics;

pub(crate) use suppliers::SupplierOutcome;

use crate::{FillState, ReembeddingProgress};

/// Upper bounds of the buckets of a duration, in seconds: from one stage of a small photograph to the slowest judge.
const BUCKETS: [f64; 14] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 20.0, 120.0];

/// Durations that were seen, by bucket.
#[derive(Debug, Default)]
struct Histogram {
    /// Of each bucket alone; the last holds what is longer than all bounds.
    counts: [AtomicU64; BUCKETS.len() + 1],
    sum_micros: AtomicU64,
}

impl Histogram {
    fn observe(&self, millis: f32) {
        let seconds = f64::from(millis) / 1000.0;
        let bucket = BUCKETS.iter().position(|bound| seconds <= *bound).unwrap_or(BUCKETS.len());
        self.counts[bucket].fetch_add(1, Ordering::Relaxed);
        self.sum_micros.fetch_add((seconds * 1e6) as u64, Ordering::Relaxed);
    }
}

/// The stages of a scan, in their order.
const STAGES: [&str; 6] = ["decode", "preprocess", "queue", "inference", "judge", "total"];

/// What became of the question whether to ask the judge.
#[derive(Debug, Clone, Copy)]
enum Judging {
    Asked,
    Reused,
    Failed,
    SkippedByBudget,
    Skipped,
}

impl Judging {
    const ALL: [Self; 5] = [Self::Asked, Self::Reused, Self::Failed, Self::SkippedByBudget, Self::Skipped];

    fn name(self) -> &'static str {
        match self {
            Self::Asked => "answered",
            Self::Reused => "reused",
            Self::Failed => "failed",
            Self::SkippedByBudget => "skipped-by-budget",
            Self::Skipped => "skipped",
        }
    }

    fn of(receipt: &JudgingReceipt) -> Self {
        match receipt.not_judged {
            None if receipt.verdict_path == VerdictPath::Reused => Self::Reused,
            None => Self::Asked,
            Some(
                NotJudged::TenantDayBudget
                | NotJudged::TenantMonthBudget
                | NotJudged::ServerDayBudget
                | NotJudged::ServerMonthBudget,
            ) => Self::SkippedByBudget,
            Some(
                NotJudged::Sure
                | NotJudged::NotConfigured
                | NotJudged::NotAllowed
                | NotJudged::NotInPlan
                | NotJudged::NotPossible
                | NotJudged::Busy
                | NotJudged::CircuitOpen,
            ) => Self::Skipped,
            Some(_) => Self::Failed,
        }
    }
}

/// What is true at this moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Gauges {
    /// Photographs that wait for an engine.
    pub queue_depth: usize,
    /// Questions that are with the judge, those about photographs among them.
    pub judge_in_flight: usize,
    /// Whether the judge is left alone after failures.
    pub judge_is_left_alone: bool,
    /// Whether each of [`OfferSource::OUTSIDE`] is left alone after failures.
    pub suppliers_are_left_alone: [bool; OfferSource::OUTSIDE.len()],
    /// How far the references of another model are.
    pub reembedding: ReembeddingProgress,
}

/// The counters of a server.
#[derive(Debug, Default)]
pub struct Metrics {
    /// By verdict (identified, not-sure) and by path.
    scans: [[AtomicU64; VerdictPath::ALL.len()]; 2],
    photos: AtomicU64,
    not_a_part: AtomicU64,
    judging: [AtomicU64; Judging::ALL.len()],
    not_judged: [AtomicU64; NotJudged::ALL.len()],
    judge_micro_dollars: AtomicU64,
    judge_input_tokens: AtomicU64,
    judge_output_tokens: AtomicU64,
    stages: [Histogram; STAGES.len()],
    fills: FillMetrics,
    suppliers: SupplierMetrics,
}

impl Metrics {
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
        self.photos.fetch_add(n_photos as u64, Ordering::Relaxed);
        let verdict = usize::from(verdict != Verdict::Identified);
        self.scans[verdict][judging.verdict_path as usize].fetch_add(1, Ordering::Relaxed);
        self.judging[Judging::of(judging) as usize].fetch_add(1, Ordering::Relaxed);
        if let Some(reason) = judging.not_judged {
            self.not_judged[reason as usize].fetch_add(1, Ordering::Relaxed);
        }
        self.judge_micro_dollars.fetch_add(judging.cost_micro_dollars, Ordering::Relaxed);
        self.judge_input_tokens.fetch_add(judging.input_tokens, Ordering::Relaxed);
        self.judge_output_tokens.fetch_add(judging.output_tokens, Ordering::Relaxed);
        let StageTimings { decode, preprocess, queue, inference, judge, total } = *timings;
        for (index, millis) in [decode, preprocess, queue, inference, judge, total].into_iter().enumerate() {
            // A stage that did not take place is not a quick one.
            if STAGES[index] != "judge" || millis > 0.0 {
                self.stages[index].observe(millis);
            }
        }
    }

    pub(crate) fn count_not_a_part(&self) {
        self.not_a_part.fetch_add(1, Ordering::Relaxed);
    }

    /// All counters and `gauges` in Prometheus' text format.
    pub fn render(&self, gauges: &Gauges) -> String {
        let mut page = Page(String::with_capacity(8192));
        page.head("partsight_scans_total", "counter", "Answered scans by verdict and path.");
        for (verdict, paths) in [Verdict::Identified, Verdict::NotSure].into_iter().zip(&self.scans) {
            for (path, count) in VerdictPath::ALL.into_iter().zip(paths) {
                let labels = format!("{{verdict=\"{}\",path=\"{}\"}}", verdict.as_str(), path.as_str());
                page.line("partsight_scans_total", &labels, get(count));
            }
        }
        page.head("partsight_scan_photographs_total", "counter", "Photographs of the answered scans.");
        page.line("partsight_scan_photographs_total", "", get(&self.photos));
        page.head("partsight_not_a_part_total", "counter", "Scans refused because they show no part.");
        page.line("partsight_not_a_part_total", "", get(&self.not_a_part));
        page.head(
            "partsight_judge_total",
            "counter",
            "Answered scans by what the judge had to do with them.",
        );
        for (judging, count) in Judging::ALL.into_iter().zip(&self.judging) {
            page.line("partsight_judge_total", &format!("{{outcome=\"{}\"}}", judging.name()), get(count));
        }
        page.head("partsight_judge_unasked_total", "counter", "Scans without a judgement, by the reason.");
        for (reason, count) in NotJudged::ALL.into_iter().zip(&self.not_judged) {
            page.line(
                "partsight_judge_unasked_total",
                &format!("{{reason=\"{}\"}}", reason.as_str()),
                get(count),
            );
        }
        page.head("partsight_judge_cost_dollars_total", "counter", "What the judge has charged.");
        let dollars = get(&self.judge_micro_dollars) as f64 / 1e6;
        page.line("partsight_judge_cost_dollars_total", "", dollars);
        page.head("partsight_judge_tokens_total", "counter", "Tokens of questions and answers.");
        page.line("partsight_judge_tokens_total", "{kind=\"input\"}", get(&self.judge_input_tokens));
        page.line("partsight_judge_tokens_total", "{kind=\"output\"}", get(&self.judge_output_tokens));
        page.head("partsight_stage_seconds", "histogram", "How long each stage of a scan took.");
        for (stage, histogram) in STAGES.into_iter().zip(&self.stages) {
            page.histogram("partsight_stage_seconds", stage, histogram);
        }
        page.head("partsight_queue_depth", "gauge", "Photographs that wait for an engine.");
        page.line("partsight_queue_depth", "", gauges.queue_depth);
        page.head(
            "partsight_judge_in_flight",
            "gauge",
            "Questions that are with the judge, those about photographs among them.",
        );
        page.line("partsight_judge_in_flight", "", gauges.judge_in_flight);
        page.head("partsight_judge_circuit_open", "gauge", "1 while the judge is left alone after failures.");
        page.line("partsight_judge_circuit_open", "", u8::from(gauges.judge_is_left_alone));
        self.fills.render(&mut page);
        self.suppliers.render(&mut page, gauges.suppliers_are_left_alone);
        let ReembeddingProgress { is_running, total, done, failed } = gauges.reembedding;
        let name = "partsight_reembedding_references";
        page.head(
            name,
            "gauge",
            "References of another model since the start of the server, by what became of them.",
        );
        for (outcome, n) in
            [("done", done), ("failed", failed), ("waiting", total.saturating_sub(done + failed))]
        {
            page.line(name, &format!("{{outcome=\"{outcome}\"}}"), n);
        }
        page.head(
            "partsight_references_held_back",
            "gauge",
            "1 while scans are answered without references.",
        );
        page.line("partsight_references_held_back", "", u8::from(is_running));
        page.0
    }
}

fn get(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

/// The text as it grows. Writing to a `String` cannot fail.
struct Page(String);

impl Page {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn line(&mut self, name: &str, labels: &str, value: impl std::fmt::Display) {
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }

    fn histogram(&mut self, name: &str, stage: &str, histogram: &Histogram) {
        let mut cumulative = 0;
        let bounds = BUCKETS.iter().map(ToString::to_string).chain(["+Inf".to_owned()]);
        for (bound, count) in bounds.zip(&histogram.counts) {
            cumulative += get(count);
            let labels = format!("{{stage=\"{stage}\",le=\"{bound}\"}}");
            self.line(&format!("{name}_bucket"), &labels, cumulative);
        }
        let labels = format!("{{stage=\"{stage}\"}}");
        self.line(&format!("{name}_sum"), &labels, get(&histogram.sum_micros) as f64 / 1e6);
        self.line(&format!("{name}_count"), &labels, cumulative);
    }
}

#[cfg(test)]
mod tests {
    use partsight_domain::SourceFailure;

    use super::*;

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
        metrics.count_supplier(OfferSource::Ebay, SupplierOutcome::Answered);
        metrics.count_supplier(OfferSource::Service, SupplierOutcome::Failed(SourceFailure::TimedOut));
        let page = metrics.render(&Gauges {
            queue_depth: 3,
            judge_in_flight: 1,
            judge_is_left_alone: true,
            suppliers_are_left_alone: [true, false],
            reembedding: ReembeddingProgress { is_running: true, total: 9, done: 4, failed: 1 },
        });
        for line in [
            "partsight_scans_total{verdict=\"identified\",path=\"llm\"} 1",
            "partsight_scans_total{verdict=\"not-sure\",path=\"local\"} 3",
            "partsight_scan_photographs_total 7",
            "partsight_not_a_part_total 1",
            "partsight_judge_total{outcome=\"answered\"} 1",
            "partsight_judge_total{outcome=\"reused\"} 1",
            "partsight_judge_total{outcome=\"failed\"} 1",
            "partsight_judge_total{outcome=\"skipped-by-budget\"} 1",
            "partsight_judge_total{outcome=\"skipped\"} 1",
            "partsight_judge_unasked_total{reason=\"timed-out\"} 1",
            "partsight_judge_cost_dollars_total 0.0025",
            "partsight_judge_tokens_total{kind=\"input\"} 900",
            "partsight_stage_seconds_bucket{stage=\"judge\",le=\"0.5\"} 0",
            "partsight_stage_seconds_bucket{stage=\"judge\",le=\"1\"} 2",
            "partsight_stage_seconds_bucket{stage=\"judge\",le=\"+Inf\"} 2",
            "partsight_stage_seconds_sum{stage=\"judge\"} 1.4",
            "partsight_stage_seconds_count{stage=\"total\"} 5",
            "partsight_queue_depth 3",
            "partsight_judge_circuit_open 1",
            "partsight_supplier_questions_total{source=\"ebay\",outcome=\"answered\"} 1",
            "partsight_supplier_questions_total{source=\"service\",outcome=\"failed\"} 1",
            "partsight_supplier_failures_total{source=\"service\",reason=\"timed-out\"} 1",
            "partsight_supplier_circuit_open{source=\"service\"} 1",
            "partsight_supplier_circuit_open{source=\"ebay\"} 0",
            "partsight_reembedding_references{outcome=\"waiting\"} 4",
            "partsight_references_held_back 1",
        ] {
            assert!(page.lines().any(|found| found == line), "{line}\n{page}");
        }
    }
}
