//! Offers of a part: source, time, and ranking by price.

use std::cmp::Ordering;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::Currency;
use crate::parts::{Price, number_key};

named! {
    /// Where an offer comes from.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum OfferSource {
        /// A price list of the shop.
        PriceList = "price-list",
        /// The supplier service of this server.
        Service = "service",
        /// eBay.
        Ebay = "ebay",
        /// A link to a retailer's search, with our own estimate.
        Retailer = "retailer",
    }
}

impl OfferSource {
    /// Sources on the network.
    pub const OUTSIDE: [Self; 2] = [Self::Service, Self::Ebay];
}

named! {
    /// Why a source has no answer.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum SourceFailure {
        /// No answer within the timeout of the settings.
        TimedOut = "timed-out",
        /// No connection.
        Unreachable = "unreachable",
        /// Its rate limit was exceeded.
        RateLimited = "rate-limited",
        /// It rejected our key.
        KeyRejected = "key-rejected",
        /// It failed with a server error.
        ServerError = "server-error",
        /// It rejected the request.
        RequestRejected = "request-rejected",
        /// Its answer exceeded the size limit.
        AnswerTooLarge = "answer-too-large",
        /// Its answer has an invalid form.
        AnswerInvalid = "answer-invalid",
        /// Its circuit breaker is open after repeated failures.
        CircuitOpen = "circuit-open",
        /// It was not queried, because the user exceeded our rate limit.
        TooManyQuestions = "too-many-questions",
    }
}

/// An offer of a part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Offer {
    /// Where it comes from.
    pub source: OfferSource,
    /// Display name of the source: the list's name, or `eBay`.
    pub source_name: String,
    /// Name of the seller.
    pub supplier: String,
    /// The seller's price; `None` if only our estimate is known.
    pub price: Option<Price>,
    /// Our own estimate, marked as such.
    pub estimate_note: Option<String>,
    /// Whether it is in stock, if known.
    pub in_stock: Option<bool>,
    /// Rating from 0 to 5, if the source has one.
    pub rating: Option<f64>,
    /// Telephone number.
    pub phone: Option<String>,
    /// The supplier's front page; empty where none is known.
    pub website: String,
    /// The page of this part for this vehicle.
    pub url: Option<String>,
    /// What shipping costs or how long it takes.
    pub shipping_info: Option<String>,
    /// Warranty of the part.
    pub warranty_info: Option<String>,
    /// Anything else.
    pub notes: Option<String>,
    /// The seller's part number.
    pub part_number: Option<String>,
    /// Whether it fits the vehicle by the source; `None` if not stated.
    pub fits: Option<bool>,
    /// When the source stated this; `None` for a mere link.
    pub as_of: Option<Timestamp>,
}

/// An offer with its rank.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedOffer {
    /// The offer.
    pub offer: Offer,
    /// Whether it has the lowest price. Never set for an estimate, for a part that is sold out, or for a price in a
    /// currency that is not compared.
    pub is_best_price: bool,
}

/// Deduplicates and sorts offers: US dollars first, each currency by ascending price; offers without a price last, in
/// the given order.
///
/// The best price is the lowest in US dollars. If no price is in dollars and all are in one currency, it is the lowest
/// in that one; prices in different currencies are never compared.
pub fn rank_offers(offers: Vec<Offer>) -> Vec<RankedOffer> {
    let mut kept: Vec<Offer> = Vec::with_capacity(offers.len());
    for offer in offers {
        match kept.iter_mut().find(|other| is_same(other, &offer)) {
            // The newer offer replaces the older one at its position, which keeps the order of offers without a price.
            Some(other) if offer.as_of > other.as_of => *other = offer,
            Some(_) => {}
            None => kept.push(offer),
        }
    }
    kept.sort_by(|one, other| match (one.price, other.price) {
        (Some(one), Some(other)) => order(one).cmp(&order(other)),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    });
    let currency = compared_currency(&kept);
    // Of the sorted offers, the first one that is in stock and not known not to fit is the cheapest one.
    let best = kept.iter().position(|offer| {
        offer.in_stock != Some(false)
            && offer.fits != Some(false)
            && offer.price.is_some_and(|price| Some(price.currency()) == currency)
    });
    let ranked = kept.into_iter().enumerate();
    ranked.map(|(at, offer)| RankedOffer { offer, is_best_price: Some(at) == best }).collect()
}

fn order(price: Price) -> (bool, Currency, i64) {
    (price.currency() != Currency::USD, price.currency(), price.ten_thousandths())
}

/// The currency in which prices are compared, if any.
fn compared_currency(offers: &[Offer]) -> Option<Currency> {
    let mut currencies = offers.iter().filter_map(|offer| offer.price.map(Price::currency));
    let first = currencies.next()?;
    // Offers are sorted by now: if any is in dollars, the first one is.
    (first == Currency::USD || currencies.all(|currency| currency == first)).then_some(first)
}

/// Whether two offers are duplicates: same seller, part number and currency, or the same link.
fn is_same(one: &Offer, other: &Offer) -> bool {
    if !one.supplier.eq_ignore_ascii_case(&other.supplier) {
        return false;
    }
    let currency = |offer: &Offer| offer.price.map(Price::currency);
    let number = |offer: &Offer| offer.part_number.as_deref().map(number_key).filter(|key| !key.is_empty());
    match (number(one), number(other)) {
        (Some(first), Some(second)) => {
            // Offers of a seller in two currencies are no duplicates.
            first == second && currency(one) == currency(other) && {
                // A list may have a number twice, for different vehicles or qualities.
                one.source != other.source || (one.url == other.url && one.notes == other.notes)
            }
        }
        _ => {
            one.url.is_some() && one.url == other.url && one.price == other.price && one.notes == other.notes
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(supplier: &str, price: Option<(i64, &str)>) -> Offer {
        Offer {
            source: OfferSource::PriceList,
            source_name: "list".to_owned(),
            supplier: supplier.to_owned(),
            price: price.map(|(cents, code)| Price::new(cents * 100, Currency::new(code).unwrap()).unwrap()),
            estimate_note: None,
            in_stock: None,
            rating: None,
            phone: None,
            website: String::new(),
            url: None,
            shipping_info: None,
            warranty_info: None,
            notes: None,
            part_number: None,
            fits: None,
            as_of: Some(Timestamp::UNIX_EPOCH),
        }
    }

    fn ranked(offers: Vec<Offer>) -> Vec<(String, bool)> {
        rank_offers(offers).into_iter().map(|ranked| (ranked.offer.supplier, ranked.is_best_price)).collect()
    }

    fn named(expected: &[(&str, bool)]) -> Vec<(String, bool)> {
        expected.iter().map(|(name, best)| ((*name).to_owned(), *best)).collect()
    }

    #[test]
    fn offers_stand_by_price_and_estimates_last() {
        let link = Offer { source: OfferSource::Retailer, ..offer("link", None) };
        let offers = vec![link, offer("dear", Some((5000, "USD"))), offer("cheap", Some((900, "USD")))];
        assert_eq!(ranked(offers), named(&[("cheap", true), ("dear", false), ("link", false)]));
    }

    #[test]
    fn only_estimates_have_no_best_price() {
        assert_eq!(ranked(vec![offer("a", None), offer("b", None)]), named(&[("a", false), ("b", false)]));
        assert_eq!(ranked(Vec::new()), Vec::new());
    }

    #[test]
    fn currencies_are_never_compared() {
        let euro = |name, cents| offer(name, Some((cents, "EUR")));
        let mixed = vec![euro("euro", 100), offer("dollar", Some((5000, "USD")))];
        assert_eq!(ranked(mixed), named(&[("dollar", true), ("euro", false)]));
        assert_eq!(ranked(vec![euro("b", 200), euro("a", 100)]), named(&[("a", true), ("b", false)]));
        let two = vec![euro("euro", 100), offer("pound", Some((90, "GBP")))];
        assert_eq!(ranked(two), named(&[("euro", false), ("pound", false)]));
    }

    #[test]
    fn what_is_sold_out_is_no_best_price() {
        let gone = Offer { in_stock: Some(false), ..offer("gone", Some((100, "USD"))) };
        let offers = vec![gone, offer("here", Some((200, "USD")))];
        assert_eq!(ranked(offers), named(&[("gone", false), ("here", true)]));
    }

    #[test]
    fn what_does_not_fit_is_no_best_price() {
        let misfit = Offer { fits: Some(false), ..offer("misfit", Some((100, "USD"))) };
        let offers = vec![misfit, offer("fits", Some((200, "USD")))];
        assert_eq!(ranked(offers), named(&[("misfit", false), ("fits", true)]));
    }

    #[test]
    fn of_one_part_of_one_seller_the_newest_word_holds() {
        let number = |text: &str, offer: Offer| Offer { part_number: Some(text.to_owned()), ..offer };
        let old = number("45251-TBA", offer("Lee", Some((5000, "USD"))));
        let new = Offer {
            source: OfferSource::Service,
            as_of: Some(Timestamp::from_second(9).unwrap()),
            ..number("45251 tba", offer("LEE", Some((6000, "USD"))))
        };
        let euro = number("45251TBA", offer("Lee", Some((4000, "EUR"))));
        let other = number("1", offer("Lee", Some((7000, "USD"))));
        let found = rank_offers(vec![new.clone(), old, euro, other]);
        let prices: Vec<f64> = found.iter().map(|ranked| ranked.offer.price.unwrap().units()).collect();
        assert_eq!(prices, [60.0, 70.0, 40.0]);
    }
}
