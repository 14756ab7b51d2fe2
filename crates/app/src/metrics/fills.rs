//! Metrics of texts that a language model filled in.

use std::sync::atomic::{AtomicU64, Ordering};

use partsight_domain::{FillKind, NotJudged};
use partsight_store::JudgeCost;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

use super::{Counts, Labels, counter};
use crate::FillState;

/// What became of a question.
#[derive(Debug, Clone, Copy)]
enum Outcome {
    Filled,
    NotKnown,
    Failed,
    SkippedByBudget,
    Skipped,
}

impl Outcome {
    const ALL: [Self; 5] = [Self::Filled, Self::NotKnown, Self::Failed, Self::SkippedByBudget, Self::Skipped];

    fn name(self) -> &'static str {
        match self {
            Self::Filled => "filled",
            Self::NotKnown => "not-known",
            Self::Failed => "failed",
            Self::SkippedByBudget => "skipped-by-budget",
            Self::Skipped => "skipped",
        }
    }

    fn of(state: &Result<FillState, NotJudged>) -> Self {
        match state {
            Ok(FillState::Filled { .. }) => Self::Filled,
            Ok(_) => Self::NotKnown,
            Err(
                NotJudged::TenantDayBudget
                | NotJudged::TenantMonthBudget
                | NotJudged::ServerDayBudget
                | NotJudged::ServerMonthBudget,
            ) => Self::SkippedByBudget,
            Err(NotJudged::Busy | NotJudged::CircuitOpen) => Self::Skipped,
            Err(_) => Self::Failed,
        }
    }
}

/// Counters of filled-in texts, by kind.
#[derive(Debug)]
pub(super) struct FillMetrics {
    outcomes: Counts<2>,
    tokens: Counts<1>,
    /// Integers, so that sums have no rounding errors.
    micro_dollars: [AtomicU64; FillKind::ALL.len()],
}

impl FillMetrics {
    /// Registers the counters, each label value with an initial zero.
    pub(super) fn register(registry: &mut Registry) -> Self {
        let help = "Questions for what the catalogue lacks, by kind and outcome";
        let metrics = Self {
            outcomes: counter(registry, "fills", help),
            tokens: counter(registry, "fill_tokens", "Tokens of those questions and their answers"),
            micro_dollars: Default::default(),
        };
        for kind in FillKind::ALL {
            for outcome in Outcome::ALL {
                drop(metrics.outcomes.get_or_create(&[("kind", kind.as_str()), ("outcome", outcome.name())]));
            }
        }
        metrics
    }

    /// Adds the costs, which are stored in another unit than they are exported in.
    pub(super) fn register_costs(&self, registry: &mut Registry) {
        let costs = Family::<Labels<1>, Counter<f64, AtomicU64>>::default();
        for (kind, micro_dollars) in FillKind::ALL.into_iter().zip(&self.micro_dollars) {
            let dollars = micro_dollars.load(Ordering::Relaxed) as f64 / 1e6;
            costs.get_or_create(&[("kind", kind.as_str())]).inc_by(dollars);
        }
        let help = "What those questions cost, beside what the judge has charged for scans";
        registry.register("fill_cost_dollars", help, costs);
    }

    pub(super) fn count(&self, kind: FillKind, state: &Result<FillState, NotJudged>, cost: JudgeCost) {
        let labels = [("kind", kind.as_str()), ("outcome", Outcome::of(state).name())];
        self.outcomes.get_or_create(&labels).inc();
        // `ALL` lists the kinds in the order of their declaration, so the discriminant is the index.
        self.micro_dollars[kind as usize].fetch_add(cost.micro_dollars, Ordering::Relaxed);
        self.tokens.get_or_create(&[("kind", "input")]).inc_by(cost.input_tokens);
        self.tokens.get_or_create(&[("kind", "output")]).inc_by(cost.output_tokens);
    }
}
