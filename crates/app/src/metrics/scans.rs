//! What was counted of scans and of the judge.

use std::sync::atomic::{AtomicU64, Ordering};

use partsight_domain::{JudgingReceipt, NotJudged, StageTimings, Verdict, VerdictPath};
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::registry::Registry;

use super::{Counts, Durations, Labels, counter, durations};

/// The stages of a scan, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    Decode,
    Preprocess,
    Queue,
    Inference,
    Search,
    Judge,
    Store,
    Total,
}

impl Stage {
    const fn name(self) -> &'static str {
        match self {
            Self::Decode => "decode",
            Self::Preprocess => "preprocess",
            Self::Queue => "queue",
            Self::Inference => "inference",
            Self::Search => "search",
            Self::Judge => "judge",
            Self::Store => "store",
            Self::Total => "total",
        }
    }
}

/// Outcomes of the decision whether to call the judge.
const OUTCOMES: [&str; 5] = ["answered", "reused", "failed", "skipped-by-budget", "skipped"];

fn outcome(receipt: &JudgingReceipt) -> &'static str {
    match receipt.not_judged {
        None if receipt.verdict_path == VerdictPath::Reused => "reused",
        None => "answered",
        Some(
            NotJudged::TenantDayBudget
            | NotJudged::TenantMonthBudget
            | NotJudged::ServerDayBudget
            | NotJudged::ServerMonthBudget,
        ) => "skipped-by-budget",
        Some(
            NotJudged::Sure
            | NotJudged::LookAlikes
            | NotJudged::NotConfigured
            | NotJudged::NotAllowed
            | NotJudged::NotInPlan
            | NotJudged::NotPossible
            | NotJudged::Busy
            | NotJudged::CircuitOpen,
        ) => "skipped",
        Some(_) => "failed",
    }
}

/// The counters of scans.
#[derive(Debug)]
pub(super) struct ScanMetrics {
    /// By verdict (identified, not-sure) and by path.
    scans: Counts<2>,
    photographs: Counter,
    pub(super) second_looks: Counter,
    pub(super) not_a_part: Counter,
    pub(super) without_taught_parts: Counter,
    judged: Counts<1>,
    not_judged: Counts<1>,
    tokens: Counts<1>,
    stages: Durations<Labels<1>>,
    /// Integers, so that sums have no rounding errors.
    micro_dollars: AtomicU64,
}

impl ScanMetrics {
    /// Registers the counters, each label value with an initial zero.
    pub(super) fn register(registry: &mut Registry) -> Self {
        let metrics = Self {
            scans: counter(registry, "scans", "Answered scans by verdict and by what answered"),
            photographs: counter(registry, "scan_photographs", "Photographs of the answered scans"),
            second_looks: counter(
                registry,
                "scan_second_looks",
                "Photographs of scans, answered or not, that were looked at again because the first look was unsure",
            ),
            not_a_part: counter(registry, "scans_not_a_part", "Scans refused because they show no part"),
            without_taught_parts: counter(
                registry,
                "scans_without_taught_parts",
                "Answered scans that lack taught parts, because their index was not to be had",
            ),
            judged: counter(registry, "judge_scans", "Answered scans by what the judge had to do with them"),
            not_judged: counter(registry, "judge_not_asked", "Scans without a judgement, by the reason"),
            tokens: counter(registry, "judge_tokens", "Tokens of questions and answers"),
            stages: durations(
                registry,
                "scan_stage_duration",
                "How long each stage of a scan took, of all its photographs together",
            ),
            micro_dollars: AtomicU64::new(0),
        };
        for verdict in [Verdict::Identified, Verdict::NotSure] {
            for path in VerdictPath::ALL {
                drop(metrics.scans.get_or_create(&[("verdict", verdict.as_str()), ("path", path.as_str())]));
            }
        }
        for outcome in OUTCOMES {
            drop(metrics.judged.get_or_create(&[("outcome", outcome)]));
        }
        for reason in NotJudged::ALL {
            drop(metrics.not_judged.get_or_create(&[("reason", reason.as_str())]));
        }
        metrics
    }

    /// Adds the costs, which are stored in another unit than they are exported in.
    pub(super) fn register_costs(&self, registry: &mut Registry) {
        let dollars = self.micro_dollars.load(Ordering::Relaxed) as f64 / 1e6;
        let help = "What the judge has charged for scans";
        registry.register("judge_cost_dollars", help, ConstCounter::new(dollars));
    }

    pub(super) fn count(
        &self,
        n_photos: usize,
        verdict: Verdict,
        timings: &StageTimings,
        judging: &JudgingReceipt,
    ) {
        self.photographs.inc_by(n_photos as u64);
        // Answers are never `NotAPart`, so two series are enough.
        let verdict = if verdict == Verdict::Identified { verdict } else { Verdict::NotSure };
        let labels = [("verdict", verdict.as_str()), ("path", judging.verdict_path.as_str())];
        self.scans.get_or_create(&labels).inc();
        self.judged.get_or_create(&[("outcome", outcome(judging))]).inc();
        if let Some(reason) = judging.not_judged {
            self.not_judged.get_or_create(&[("reason", reason.as_str())]).inc();
        }
        self.micro_dollars.fetch_add(judging.cost_micro_dollars, Ordering::Relaxed);
        self.tokens.get_or_create(&[("kind", "input")]).inc_by(judging.input_tokens);
        self.tokens.get_or_create(&[("kind", "output")]).inc_by(judging.output_tokens);
        let StageTimings { decode, preprocess, queue, inference, judge, total } = *timings;
        for (stage, millis) in [
            (Stage::Decode, decode),
            (Stage::Preprocess, preprocess),
            (Stage::Queue, queue),
            (Stage::Inference, inference),
            (Stage::Judge, judge),
            (Stage::Total, total),
        ] {
            // A stage that did not take place must not count as a fast one.
            if stage != Stage::Judge || millis > 0.0 {
                self.observe_stage(stage, f64::from(millis) / 1000.0);
            }
        }
    }

    pub(super) fn observe_stage(&self, stage: Stage, seconds: f64) {
        self.stages.get_or_create(&[("stage", stage.name())]).observe(seconds);
    }
}
