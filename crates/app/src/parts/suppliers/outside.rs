//! External suppliers, with a cache and a rate limit.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use partsight_domain::{Offer, OfferSource, SourceFailure, User};
use partsight_inference::sha256;
use partsight_providers::{Ebay, SupplierQuestion, SupplierService};
use partsight_store::SupplierAnswer;

use super::{KEEP_ANSWERS, SourceStatus};
use crate::limits::rate_limit::RateLimit;
use crate::limits::reads::outside;
use crate::metrics::SupplierOutcome;
use crate::parts::Parts;
use crate::{Error, Result, Settings, logged};

/// Burst of questions of one person, and the interval until one more. eBay allows some thousand a day for the whole
/// server.
const QUESTIONS: u32 = 60;
const QUESTION_INTERVAL: Duration = Duration::from_secs(20);

/// The external suppliers that the settings name.
pub(crate) struct OutsideSuppliers {
    service: Option<SupplierService>,
    ebay: Option<Ebay>,
    by_user: RateLimit,
    /// How long an answer is cached.
    cached_for: SignedDuration,
}

impl OutsideSuppliers {
    /// # Errors
    /// [`Error::Provider`] for settings that cannot be used.
    pub(crate) fn new(settings: &Settings) -> Result<Self> {
        let unusable = Error::Provider;
        let ebay = Ebay::new(&settings.suppliers).map_err(unusable)?;
        let service = SupplierService::new(&settings.suppliers).map_err(unusable)?;
        let leads_out = ebay.as_ref().is_some_and(|ebay| !ebay.is_on_this_machine())
            || service.as_ref().is_some_and(|service| !service.is_on_this_machine());
        if settings.server.zero_egress && leads_out {
            // The settings are checked earlier; this must never be reached.
            return Err(Error::internal("a supplier elsewhere under `zero_egress`"));
        }
        Ok(Self {
            service,
            ebay,
            by_user: RateLimit::new(QUESTIONS, QUESTION_INTERVAL),
            cached_for: SignedDuration::from_mins(settings.suppliers.cache_minutes.into()),
        })
    }

    /// Whether a source is configured.
    fn has(&self, source: OfferSource) -> bool {
        match source {
            OfferSource::Service => self.service.is_some(),
            OfferSource::Ebay => self.ebay.is_some(),
            OfferSource::PriceList | OfferSource::Retailer => false,
        }
    }

    /// Whether the circuit breaker of a source is open.
    pub(crate) fn is_left_alone(&self, source: OfferSource) -> bool {
        match source {
            OfferSource::Service => self.service.as_ref().is_some_and(SupplierService::is_left_alone),
            OfferSource::Ebay => self.ebay.as_ref().is_some_and(Ebay::is_left_alone),
            OfferSource::PriceList | OfferSource::Retailer => false,
        }
    }

    async fn ask(
        &self,
        source: OfferSource,
        question: &SupplierQuestion,
    ) -> Result<Vec<Offer>, SourceFailure> {
        match (source, &self.service, &self.ebay) {
            (OfferSource::Service, Some(service), _) => service.ask(question).await,
            (OfferSource::Ebay, _, Some(ebay)) => ebay.ask(question).await,
            _ => Ok(Vec::new()),
        }
    }
}

impl Parts {
    /// The offers of all external suppliers, asked concurrently, and the status of each.
    ///
    /// # Errors
    /// [`Error::Busy`](crate::Error::Busy) if the user's other calls read for too long meanwhile.
    pub(super) async fn outside_offers(
        &self,
        user: &User,
        question: &SupplierQuestion,
    ) -> Result<(Vec<Offer>, Vec<SourceStatus>)> {
        let [service, ebay] = OfferSource::OUTSIDE;
        let both = async {
            tokio::join!(
                self.source_offers(user, service, question),
                self.source_offers(user, ebay, question)
            )
        };
        // Of the database each reads one row.
        let (service, ebay) = outside(both).await?;
        let (offers, sources): (Vec<_>, Vec<_>) = [service, ebay].into_iter().flatten().unzip();
        Ok((offers.into_iter().flatten().collect(), sources))
    }

    /// The offers of one source: its recent cached answer, or its answer now, or else an older cached one.
    async fn source_offers(
        &self,
        user: &User,
        source: OfferSource,
        question: &SupplierQuestion,
    ) -> Option<(Vec<Offer>, SourceStatus)> {
        if !self.outside_suppliers.has(source) {
            return None;
        }
        let now = self.clock.now();
        let key = question_key(question);
        let kept = self.kept_answer(user, source, &key, now).await;
        let is_fresh = |kept: &&SupplierAnswer| kept.answered_at > now - self.outside_suppliers.cached_for;
        if let Some(kept) = kept.as_ref().filter(is_fresh) {
            self.metrics.count_supplier(source, SupplierOutcome::Cached);
            return Some(shown(source, Some(kept.clone()), true, None));
        }
        // Only a question that leaves the server counts; the cache is free.
        let answer = match self.outside_suppliers.by_user.take(&user.id.to_string(), self.clock.steady()) {
            Ok(()) => self.outside_suppliers.ask(source, question).await,
            Err(_) => Err(SourceFailure::TooManyQuestions),
        };
        match answer {
            Ok(mut offers) => {
                self.metrics.count_supplier(source, SupplierOutcome::Answered);
                for offer in &mut offers {
                    // A time in the future is from a wrong clock, and is replaced by now.
                    offer.as_of = Some(offer.as_of.map_or(now, |as_of| as_of.min(now)));
                }
                let answer = SupplierAnswer { offers, answered_at: now };
                let kept = self.store.keep_supplier_answer(user.shop_tenant(), source, &key, &answer).await;
                if let Err(error) = kept {
                    // The answer is shown nevertheless.
                    tracing::warn!(error = logged(&error), "a supplier's answer could not be kept");
                }
                Some(shown(source, Some(answer), false, None))
            }
            Err(failure) => {
                self.metrics.count_supplier(source, SupplierOutcome::Failed(failure));
                tracing::warn!(
                    supplier.source = source.as_str(),
                    supplier.failure = failure.as_str(),
                    "a supplier elsewhere did not answer"
                );
                Some(shown(source, kept, true, Some(failure)))
            }
        }
    }

    /// The cached answer of a source from the last day. A failing database must not lose the response.
    async fn kept_answer(
        &self,
        user: &User,
        source: OfferSource,
        key: &str,
        now: Timestamp,
    ) -> Option<SupplierAnswer> {
        let found =
            self.store.find_supplier_answer(user.shop_tenant(), source, key, now - KEEP_ANSWERS).await;
        found.unwrap_or_else(|error| {
            tracing::warn!(error = logged(&error), "what a supplier answered before could not be read");
            None
        })
    }
}

fn shown(
    source: OfferSource,
    answer: Option<SupplierAnswer>,
    is_cached: bool,
    failure: Option<SourceFailure>,
) -> (Vec<Offer>, SourceStatus) {
    let as_of = answer.as_ref().map(|answer| answer.answered_at);
    let status = SourceStatus { source, as_of, is_cached: is_cached && answer.is_some(), failure };
    (answer.map(|answer| answer.offers).unwrap_or_default(), status)
}

/// The cache key of a question.
fn question_key(question: &SupplierQuestion) -> String {
    let SupplierQuestion { part, label, number, vehicle, engine } = question;
    let vehicle = vehicle.as_ref().map(ToString::to_string).unwrap_or_default();
    let (number, engine) = (number.as_deref().unwrap_or_default(), engine.as_deref().unwrap_or_default());
    // None of the fields can have a line break.
    sha256([label.as_str(), part, number, &vehicle, engine].join("\n").as_bytes())
}
