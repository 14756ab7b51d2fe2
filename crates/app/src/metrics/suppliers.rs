//! What was counted of suppliers elsewhere.

use partsight_domain::{OfferSource, SourceFailure};
use prometheus_client::registry::Registry;

use super::{Counts, counter};

/// The outcome of a question to an external supplier.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SupplierOutcome {
    /// It answered.
    Answered,
    /// An earlier answer was shown again.
    Cached,
    /// It has not answered.
    Failed(SourceFailure),
}

/// The counters of all sources.
#[derive(Debug)]
pub(super) struct SupplierMetrics {
    questions: Counts<2>,
    failures: Counts<2>,
}

impl SupplierMetrics {
    /// Registers the counters, each label value with an initial zero.
    pub(super) fn register(registry: &mut Registry) -> Self {
        let metrics = Self {
            questions: counter(
                registry,
                "supplier_questions",
                "Questions to suppliers elsewhere by what came of them",
            ),
            failures: counter(registry, "supplier_failures", "Questions without an answer, by the reason"),
        };
        for source in OfferSource::OUTSIDE.map(OfferSource::as_str) {
            for outcome in ["answered", "cached", "failed"] {
                drop(metrics.questions.get_or_create(&[("source", source), ("outcome", outcome)]));
            }
            for reason in SourceFailure::ALL {
                drop(metrics.failures.get_or_create(&[("source", source), ("reason", reason.as_str())]));
            }
        }
        metrics
    }

    pub(super) fn count(&self, source: OfferSource, outcome: SupplierOutcome) {
        let name = match outcome {
            SupplierOutcome::Answered => "answered",
            SupplierOutcome::Cached => "cached",
            SupplierOutcome::Failed(_) => "failed",
        };
        self.questions.get_or_create(&[("source", source.as_str()), ("outcome", name)]).inc();
        if let SupplierOutcome::Failed(failure) = outcome {
            self.failures.get_or_create(&[("source", source.as_str()), ("reason", failure.as_str())]).inc();
        }
    }
}
