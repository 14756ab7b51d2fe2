//! What was counted of suppliers elsewhere.

use std::sync::atomic::{AtomicU64, Ordering};

use partsight_domain::{OfferSource, SourceFailure};

use super::{Page, get};

/// What came of a question to a supplier elsewhere.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SupplierOutcome {
    /// It answered.
    Answered,
    /// An earlier answer was shown again.
    Cached,
    /// It has not answered.
    Failed(SourceFailure),
}

/// The counters of one source.
#[derive(Debug, Default)]
struct SourceCounts {
    answered: AtomicU64,
    cached: AtomicU64,
    failed: [AtomicU64; SourceFailure::ALL.len()],
}

/// The counters of all sources.
#[derive(Debug, Default)]
pub(super) struct SupplierMetrics([SourceCounts; OfferSource::OUTSIDE.len()]);

impl SupplierMetrics {
    pub(super) fn count(&self, source: OfferSource, outcome: SupplierOutcome) {
        let Some(at) = OfferSource::OUTSIDE.iter().position(|outside| *outside == source) else { return };
        let counts = &self.0[at];
        let counter = match outcome {
            SupplierOutcome::Answered => &counts.answered,
            SupplierOutcome::Cached => &counts.cached,
            SupplierOutcome::Failed(failure) => &counts.failed[failure as usize],
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// `left_alone` is whether each source is left alone after failures.
    pub(super) fn render(&self, page: &mut Page, left_alone: [bool; OfferSource::OUTSIDE.len()]) {
        let sources = || OfferSource::OUTSIDE.into_iter().zip(&self.0);
        let name = "partsight_supplier_questions_total";
        page.head(name, "counter", "Questions to suppliers elsewhere by what came of them.");
        for (source, counts) in sources() {
            let failed: u64 = counts.failed.iter().map(get).sum();
            let outcomes =
                [("answered", get(&counts.answered)), ("cached", get(&counts.cached)), ("failed", failed)];
            for (outcome, count) in outcomes {
                let labels = format!("{{source=\"{}\",outcome=\"{outcome}\"}}", source.as_str());
                page.line(name, &labels, count);
            }
        }
        let name = "partsight_supplier_failures_total";
        page.head(name, "counter", "Questions without an answer, by the reason.");
        for (source, counts) in sources() {
            for (failure, count) in SourceFailure::ALL.into_iter().zip(&counts.failed) {
                let labels = format!("{{source=\"{}\",reason=\"{}\"}}", source.as_str(), failure.as_str());
                page.line(name, &labels, get(count));
            }
        }
        let name = "partsight_supplier_circuit_open";
        page.head(name, "gauge", "1 while a supplier is left alone after failures.");
        for (source, is_left_alone) in OfferSource::OUTSIDE.into_iter().zip(left_alone) {
            page.line(name, &format!("{{source=\"{}\"}}", source.as_str()), u8::from(is_left_alone));
        }
    }
}
