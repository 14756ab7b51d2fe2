//! What a language model was asked to fill in.

use std::sync::atomic::{AtomicU64, Ordering};

use partsight_domain::{FillKind, NotJudged};
use partsight_store::JudgeCost;

use super::{Page, get};
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

/// Counters of what was filled in, by kind.
#[derive(Debug, Default)]
pub(super) struct FillMetrics {
    outcomes: [[AtomicU64; Outcome::ALL.len()]; FillKind::ALL.len()],
    micro_dollars: [AtomicU64; FillKind::ALL.len()],
    input_tokens: AtomicU64,
    output_tokens: AtomicU64,
}

impl FillMetrics {
    pub(super) fn count(&self, kind: FillKind, state: &Result<FillState, NotJudged>, cost: JudgeCost) {
        self.outcomes[kind as usize][Outcome::of(state) as usize].fetch_add(1, Ordering::Relaxed);
        self.micro_dollars[kind as usize].fetch_add(cost.micro_dollars, Ordering::Relaxed);
        self.input_tokens.fetch_add(cost.input_tokens, Ordering::Relaxed);
        self.output_tokens.fetch_add(cost.output_tokens, Ordering::Relaxed);
    }

    pub(super) fn render(&self, page: &mut Page) {
        let name = "partsight_fills_total";
        page.head(name, "counter", "Questions for what the catalogue lacks, by kind and outcome.");
        for (kind, outcomes) in FillKind::ALL.into_iter().zip(&self.outcomes) {
            for (outcome, count) in Outcome::ALL.into_iter().zip(outcomes) {
                let labels = format!("{{kind=\"{}\",outcome=\"{}\"}}", kind.as_str(), outcome.name());
                page.line(name, &labels, get(count));
            }
        }
        let name = "partsight_fill_cost_dollars_total";
        page.head(name, "counter", "What those questions cost, beside what the judge has charged for scans.");
        for (kind, micro_dollars) in FillKind::ALL.into_iter().zip(&self.micro_dollars) {
            let labels = format!("{{kind=\"{}\"}}", kind.as_str());
            page.line(name, &labels, get(micro_dollars) as f64 / 1e6);
        }
        let name = "partsight_fill_tokens_total";
        page.head(name, "counter", "Tokens of those questions and their answers.");
        page.line(name, "{kind=\"input\"}", get(&self.input_tokens));
        page.line(name, "{kind=\"output\"}", get(&self.output_tokens));
    }
}
