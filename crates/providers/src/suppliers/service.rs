//! A supplier's own web service: a URL with placeholders for the part and the vehicle, and a JSON answer.
//!
//! The answer is `{"offers": [...]}`. An offer needs `supplier` and `price`, a number or a text such as `"12.50"`; it
//! may have `currency` (ISO 4217, `USD` without it), `partNumber`, `name`, `url`, `website`, `inStock` (true or
//! false), `fits` (true or false), `rating` (0 to 5), `phone`, `shipping`, `warranty`, `notes` and `asOf` (RFC 3339).
//! Other fields are ignored; an offer without a required field is left out.

use std::sync::Arc;
use std::time::Duration;

use openidconnect::http::header::{ACCEPT, AUTHORIZATION, HeaderValue};
use openidconnect::http::{Request, StatusCode};
use partsight_domain::{LinkSubject, LinkTemplate, Offer, OfferSource, SourceFailure};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{
    FAILURES_TO_OPEN, Failure, MAX_OFFERS, OPEN_FOR, SupplierQuestion, SupplierSettings, failed_status,
    guarded, link, price, text,
};
use crate::breaker::Breaker;
use crate::http::{CallOptions, OutgoingCalls};
use crate::{Error, is_on_this_machine};

/// Largest answer that is read, in bytes.
const MAX_ANSWER_BYTES: usize = 512 * 1024;

/// The service. Cheap to clone; clones share the circuit breaker.
#[derive(Clone)]
pub struct SupplierService {
    url: LinkTemplate,
    authorization: Option<HeaderValue>,
    timeout: Duration,
    http: OutgoingCalls,
    breaker: Arc<Breaker>,
}

partsight_domain::debug_fields!(SupplierService {});

#[derive(Deserialize)]
struct Answer {
    offers: Vec<Value>,
}

impl SupplierService {
    /// A client that has not connected yet; `None` if the settings name no service.
    ///
    /// # Errors
    /// [`Error::SupplierSettings`] for a URL with unknown placeholders, or a token that is not valid in a header.
    pub fn new(settings: &SupplierSettings) -> Result<Option<Self>, Error> {
        let invalid = |what| Error::SupplierSettings { supplier: "service", what };
        if settings.service_url.is_none() {
            return Ok(None);
        }
        let url = settings.service_template().ok_or_else(|| invalid("the address has unknown places"))?;
        let authorization = match &settings.service_token {
            Some(token) => {
                let mut value = HeaderValue::from_str(&format!("Bearer {}", token.reveal()))
                    .map_err(|_| invalid("the token has a character that tokens have not"))?;
                value.set_sensitive(true);
                Some(value)
            }
            None => None,
        };
        let http = OutgoingCalls::with(CallOptions {
            max_answer_bytes: MAX_ANSWER_BYTES,
            timeout: settings.timeout(),
            is_direct: is_on_this_machine(url.as_str()),
        })?;
        Ok(Some(Self {
            url,
            authorization,
            timeout: settings.timeout(),
            http,
            breaker: Arc::new(Breaker::new(FAILURES_TO_OPEN, OPEN_FOR)),
        }))
    }

    /// Whether it runs on this machine, so that questions stay here.
    pub fn is_on_this_machine(&self) -> bool {
        self.url.fill(&LinkSubject::default()).is_some_and(|url| is_on_this_machine(&url))
    }

    /// Whether the circuit breaker is open, so that no question would be sent now.
    pub fn is_left_alone(&self) -> bool {
        self.breaker.is_open(Instant::now())
    }

    /// The offers of the service. `as_of` is set if the service states it.
    ///
    /// # Errors
    /// The reason why there is no answer.
    pub async fn ask(&self, question: &SupplierQuestion) -> Result<Vec<Offer>, SourceFailure> {
        guarded(&self.breaker, self.timeout, self.call(question)).await
    }

    async fn call(&self, question: &SupplierQuestion) -> Result<Vec<Offer>, Failure> {
        let url = self.url.fill(&LinkSubject {
            part: &question.part,
            label: &question.label,
            number: question.number.as_deref().unwrap_or_default(),
            vehicle: question.vehicle.as_ref(),
            engine: question.engine.as_deref().unwrap_or_default(),
        });
        // A vehicle named with dots would change the path of the request, which carries our token. No service knows
        // such a vehicle.
        let Some(url) = url else { return Ok(Vec::new()) };
        let mut request = Request::get(url).header(ACCEPT, "application/json");
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization.clone());
        }
        let request = request.body(Vec::new()).map_err(|_| Failure::from(SourceFailure::RequestRejected))?;
        let answer = self.http.answer(request).await?;
        match answer.status() {
            StatusCode::OK => Ok(offers(answer.body())?),
            // The service does not know the part.
            StatusCode::NOT_FOUND | StatusCode::NO_CONTENT => Ok(Vec::new()),
            _ => Err(failed_status(&answer)),
        }
    }
}

/// The offers of an answer.
pub(super) fn offers(body: &[u8]) -> Result<Vec<Offer>, SourceFailure> {
    let answer: Answer = serde_json::from_slice(body).map_err(|_| SourceFailure::AnswerInvalid)?;
    let offers: Vec<Offer> = answer.offers.iter().take(MAX_OFFERS).filter_map(offer).collect();
    // Logged, because the server's operator often runs that service too.
    let n_left_out = answer.offers.len() - offers.len();
    if n_left_out > 0 {
        tracing::warn!(
            n_left_out,
            "the supplier service sent offers that have not the form that they should have"
        );
    }
    Ok(offers)
}

fn offer(value: &Value) -> Option<Offer> {
    let supplier = text(&value["supplier"])?;
    let dollars = json!("USD");
    // Only if the field is missing: an unreadable currency must not become dollars.
    let currency = if value["currency"].is_null() { &dollars } else { &value["currency"] };
    let price = price(&value["price"], currency)?;
    let notes = [text(&value["name"]), text(&value["notes"])];
    let notes = notes.into_iter().flatten().collect::<Vec<_>>().join("; ");
    Some(Offer {
        source: OfferSource::Service,
        source_name: "Supplier service".to_owned(),
        supplier,
        price: Some(price),
        estimate_note: None,
        in_stock: value["inStock"].as_bool(),
        rating: value["rating"].as_f64().filter(|rating| (0.0..=5.0).contains(rating)),
        phone: text(&value["phone"]).filter(|phone| phone.chars().count() <= 40),
        website: link(&value["website"]).unwrap_or_default(),
        url: link(&value["url"]),
        shipping_info: text(&value["shipping"]),
        warranty_info: text(&value["warranty"]),
        notes: (!notes.is_empty()).then_some(notes),
        part_number: text(&value["partNumber"]),
        fits: value["fits"].as_bool(),
        as_of: value["asOf"].as_str().and_then(|moment| moment.parse().ok()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offer_needs_a_supplier_and_a_price_and_the_rest_is_checked() {
        let whole = offer(&json!({
            "supplier": "Lee", "price": "12.50", "currency": "EUR", "partNumber": "45251", "name": "Rotor",
            "url": "https://lee.example/1", "website": "javascript:1", "inStock": true, "fits": false, "rating": 4.5,
            "phone": "+1 555 0100", "shipping": "2 days", "warranty": "2 years", "notes": "front",
            "asOf": "2027-01-15T08:00:00Z", "other": 1,
        }))
        .unwrap();
        assert_eq!(whole.price.unwrap().to_string(), "12.50 EUR");
        assert_eq!((whole.website.as_str(), whole.notes.as_deref()), ("", Some("Rotor; front")));
        assert_eq!((whole.in_stock, whole.fits, whole.rating), (Some(true), Some(false), Some(4.5)));
        assert!(whole.as_of.is_some());
        let bare = offer(&json!({ "supplier": "Lee", "price": 3, "inStock": "yes", "rating": 11 })).unwrap();
        assert_eq!((bare.in_stock, bare.rating, bare.as_of), (None, None, None));
        for bad in [
            json!({ "price": 3 }),
            json!({ "supplier": "Lee" }),
            json!({ "supplier": "Lee", "price": 0 }),
            json!(7),
        ] {
            assert!(offer(&bad).is_none(), "{bad}");
        }
    }
}
