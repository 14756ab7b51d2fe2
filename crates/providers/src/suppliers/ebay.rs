//! New parts on eBay, for a vehicle (eBay's Browse API, <https://developer.ebay.com/api-docs/buy/browse/overview.html>).
//!
//! A search by vehicle needs the one category that the part belongs to: the category of most results of a search for
//! the part's name among all car parts. If that category does not support vehicles, the vehicle is added to the
//! search words instead, and no offer is marked as fitting.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use openidconnect::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use openidconnect::http::{Request, StatusCode};
use openidconnect::{HttpRequest, HttpResponse};
use partsight_domain::{Offer, OfferSource, SourceFailure, VehicleName};
use reqwest::Url;
use serde::Deserialize;
use serde_json::Value;
use tokio::time::Instant;

use super::{
    FAILURES_TO_OPEN, Failure, MAX_OFFERS, OPEN_FOR, SupplierQuestion, SupplierSettings, failed_status,
    guarded, link, price, text,
};
use crate::breaker::Breaker;
use crate::http::{CallOptions, OutgoingCalls};
use crate::{Error, is_on_this_machine};

/// Largest answer that is read, in bytes. Twenty offers have some 60 KB, a list of refinements some 500 KB.
const MAX_ANSWER_BYTES: usize = 2 * 1024 * 1024;
/// Car & Truck Parts & Accessories on eBay's US site.
const CAR_PARTS: &str = "6030";
const MARKETPLACE: &str = "EBAY_US";
/// The OAuth scope of public data.
const SCOPE: &str = "https://api.ebay.com/oauth/api_scope";
/// Number of offers requested.
const LIMIT: &str = "20";
/// A token is renewed this long before it expires, so that it does not expire during a request.
const TOKEN_MARGIN: Duration = Duration::from_mins(1);
/// Most cached categories, and most cached refusals.
const REMEMBERED: usize = 2000;

/// eBay's search. Cheap to clone; clones share the token and the circuit breaker.
#[derive(Clone)]
pub struct Ebay {
    base_url: Url,
    credentials: HeaderValue,
    timeout: Duration,
    http: OutgoingCalls,
    breaker: Arc<Breaker>,
    token: Arc<tokio::sync::Mutex<Option<Token>>>,
    /// The category of each part name; `None` if eBay has none.
    categories: Arc<Mutex<HashMap<String, Option<String>>>>,
    /// Parts and vehicles for which the vehicle filter was refused.
    refused: Arc<Mutex<HashSet<(String, String)>>>,
}

partsight_domain::debug_fields!(Ebay {});

#[derive(Clone)]
struct Token {
    header: HeaderValue,
    ends: Instant,
}

#[derive(Deserialize)]
struct TokenAnswer {
    access_token: String,
    expires_in: u64,
}

#[derive(Deserialize)]
struct SearchAnswer {
    #[serde(rename = "itemSummaries", default)]
    items: Vec<Value>,
    #[serde(default)]
    refinement: Value,
}

/// Parameters of a query, in order.
type Query = Vec<(&'static str, String)>;

impl Ebay {
    /// A client that has not connected yet; `None` if the settings name no eBay credentials.
    ///
    /// # Errors
    /// [`Error::SupplierSettings`] for a malformed address, or a client id that is not valid in a header.
    pub fn new(settings: &SupplierSettings) -> Result<Option<Self>, Error> {
        let (Some(id), Some(secret)) = (&settings.ebay_client_id, &settings.ebay_client_secret) else {
            return Ok(None);
        };
        let invalid = |what| Error::SupplierSettings { supplier: "eBay", what };
        let base_url = Url::parse(settings.ebay_url.trim_end_matches('/'))
            .ok()
            .filter(|url| matches!(url.scheme(), "https" | "http") && url.host_str().is_some())
            .ok_or_else(|| invalid("the address is none of `https` or `http` with a host"))?;
        let credentials = STANDARD.encode(format!("{id}:{}", secret.reveal()));
        let mut credentials = HeaderValue::from_str(&format!("Basic {credentials}"))
            .map_err(|_| invalid("the name has a character that names have not"))?;
        credentials.set_sensitive(true);
        let http = OutgoingCalls::with(CallOptions {
            max_answer_bytes: MAX_ANSWER_BYTES,
            timeout: settings.timeout(),
            is_direct: is_on_this_machine(&settings.ebay_url),
        })?;
        Ok(Some(Self {
            base_url,
            credentials,
            timeout: settings.timeout(),
            http,
            breaker: Arc::new(Breaker::new(FAILURES_TO_OPEN, OPEN_FOR)),
            token: Arc::default(),
            categories: Arc::default(),
            refused: Arc::default(),
        }))
    }

    /// Whether it runs on this machine, so that questions stay here.
    pub fn is_on_this_machine(&self) -> bool {
        is_on_this_machine(self.base_url.as_str())
    }

    /// Whether the circuit breaker is open, so that no question would be sent now.
    pub fn is_left_alone(&self) -> bool {
        self.breaker.is_open(Instant::now())
    }

    /// New parts at fixed prices, in eBay's order of relevance. `as_of` of the offers is not set.
    ///
    /// # Errors
    /// The reason why there is no answer.
    pub async fn ask(&self, question: &SupplierQuestion) -> Result<Vec<Offer>, SourceFailure> {
        guarded(&self.breaker, self.timeout, self.search(question)).await
    }

    async fn search(&self, question: &SupplierQuestion) -> Result<Vec<Offer>, Failure> {
        // A part number identifies the part without the vehicle.
        if let Some(number) = &question.number {
            let answer = self.call(&query(number, CAR_PARTS)).await?;
            return Ok(offers(answer.body(), Some(number))?);
        }
        let Some(vehicle) = &question.vehicle else {
            return Ok(offers(self.call(&query(&question.part, CAR_PARTS)).await?.body(), None)?);
        };
        let of_vehicle = (question.part.clone(), vehicle.to_string());
        let is_refused = self.refused().contains(&of_vehicle);
        if !is_refused && let Some(category) = self.category(&question.part).await? {
            let mut query = query(&question.part, &category);
            query.push(("compatibility_filter", compatibility_filter(vehicle)));
            match self.call(&query).await {
                Err(Failure { reason: SourceFailure::RequestRejected, .. }) => {
                    // The category does not support vehicles, or not this one; eBay does not say which. Remembered,
                    // so that the next question for both does not begin with a refused request.
                    let mut refused = self.refused();
                    if refused.len() >= REMEMBERED {
                        refused.clear();
                    }
                    refused.insert(of_vehicle);
                }
                answer => return Ok(offers(answer?.body(), None)?),
            }
        }
        let words = format!("{vehicle} {}", question.part);
        Ok(offers(self.call(&query(&words, CAR_PARTS)).await?.body(), None)?)
    }

    /// The category of most parts with this name; `None` if there is no such part.
    async fn category(&self, part: &str) -> Result<Option<String>, Failure> {
        // A statement of its own, so that the lock is not held across the call below.
        let known = self.categories.lock().unwrap_or_else(PoisonError::into_inner).get(part).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        // Queried and not listed here: the vehicle filter needs a category that supports vehicles, and eBay changes
        // them. See docs/decisions/0046-ebay-names-category.md.
        let mut query = query(part, CAR_PARTS);
        query.retain(|(name, _)| *name != "limit");
        query.extend([("limit", "1".to_owned()), ("fieldgroups", "ASPECT_REFINEMENTS".to_owned())]);
        let answer = self.call(&query).await?;
        let answer: SearchAnswer = read(answer.body())?;
        let category = answer.refinement["dominantCategoryId"].as_str();
        // It becomes part of the next query, so it has to be a number.
        let is_id = |id: &str| (1..=20).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_digit());
        let category = category.filter(|id| is_id(id)).map(str::to_owned);
        self.remember(part, category.clone());
        Ok(category)
    }

    fn refused(&self) -> MutexGuard<'_, HashSet<(String, String)>> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remember(&self, part: &str, category: Option<String>) {
        let mut categories = self.categories.lock().unwrap_or_else(PoisonError::into_inner);
        if categories.len() >= REMEMBERED {
            // All at once: fetching one again costs one request.
            categories.clear();
        }
        categories.insert(part.to_owned(), category);
    }

    /// One search. An expired token is renewed once.
    async fn call(&self, query: &Query) -> Result<HttpResponse, Failure> {
        let token = self.token(None).await?;
        let answer = self.http.answer(self.search_request(query, &token)?).await?;
        let answer = if answer.status() == StatusCode::UNAUTHORIZED {
            let token = self.token(Some(&token)).await?;
            self.http.answer(self.search_request(query, &token)?).await?
        } else {
            answer
        };
        if answer.status() == StatusCode::OK { Ok(answer) } else { Err(failed_status(&answer)) }
    }

    fn search_request(&self, query: &Query, token: &Token) -> Result<HttpRequest, Failure> {
        let mut url = self.url(&["buy", "browse", "v1", "item_summary", "search"])?;
        url.query_pairs_mut().extend_pairs(query.iter().map(|(name, value)| (*name, value.as_str())));
        let request = Request::get(url.as_str())
            .header(AUTHORIZATION, token.header.clone())
            .header(ACCEPT, "application/json")
            .header("x-ebay-c-marketplace-id", MARKETPLACE);
        request.body(Vec::new()).map_err(|_| SourceFailure::RequestRejected.into())
    }

    /// The cached token, or a new one if it has expired or is `refused`. Others wait while it is fetched.
    async fn token(&self, refused: Option<&Token>) -> Result<Token, Failure> {
        let mut held = self.token.lock().await;
        let is_good = |token: &&Token| {
            token.ends > Instant::now() && refused.is_none_or(|refused| refused.header != token.header)
        };
        if let Some(token) = held.as_ref().filter(is_good) {
            return Ok(token.clone());
        }
        // If the renewal fails, the refused token must not stay.
        *held = None;
        let body =
            format!("grant_type=client_credentials&scope={}", SCOPE.replace(':', "%3A").replace('/', "%2F"));
        let request = Request::post(self.url(&["identity", "v1", "oauth2", "token"])?.as_str())
            .header(AUTHORIZATION, self.credentials.clone())
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(ACCEPT, "application/json")
            .body(body.into_bytes())
            .map_err(|_| Failure::from(SourceFailure::RequestRejected))?;
        let answer = self.http.answer(request).await?;
        match answer.status() {
            StatusCode::OK => {}
            // By OAuth, an unknown client is a bad request (RFC 6749, section 5.2).
            StatusCode::BAD_REQUEST => return Err(SourceFailure::KeyRejected.into()),
            _ => return Err(failed_status(&answer)),
        }
        let answer: TokenAnswer = read(answer.body())?;
        let invalid = |_| Failure::from(SourceFailure::AnswerInvalid);
        let mut header =
            HeaderValue::from_str(&format!("Bearer {}", answer.access_token)).map_err(invalid)?;
        header.set_sensitive(true);
        // Bounded, because the clock panics on overflow.
        let lasts = Duration::from_secs(answer.expires_in.min(24 * 3600)).saturating_sub(TOKEN_MARGIN);
        let token = Token { header, ends: Instant::now() + lasts };
        *held = Some(token.clone());
        Ok(token)
    }

    fn url(&self, path: &[&str]) -> Result<Url, Failure> {
        let mut url = self.base_url.clone();
        url.path_segments_mut().map_err(|()| SourceFailure::RequestRejected)?.pop_if_empty().extend(path);
        Ok(url)
    }
}

fn read<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, SourceFailure> {
    serde_json::from_slice(body).map_err(|_| SourceFailure::AnswerInvalid)
}

/// Query for words in a category: new parts with a fixed price.
fn query(words: &str, category: &str) -> Query {
    vec![
        // eBay's search syntax uses commas for alternatives and asterisks as wildcards.
        ("q", words.replace(['(', ')', ',', '*', '"'], " ").trim().chars().take(100).collect()),
        ("category_ids", category.to_owned()),
        ("filter", "buyingOptions:{FIXED_PRICE},conditions:{NEW}".to_owned()),
        ("limit", LIMIT.to_owned()),
    ]
}

/// A vehicle in the syntax of the search: `Year:2015;Make:Honda;Model:Civic`.
fn compatibility_filter(vehicle: &VehicleName) -> String {
    let plain = |text: &str| text.replace([':', ';', '{', '}', '|'], " ").trim().to_owned();
    format!("Year:{};Make:{};Model:{}", vehicle.year.get(), plain(&vehicle.make), plain(&vehicle.model))
}

/// The offers of an answer; `number` if the search was for this part number.
pub(super) fn offers(body: &[u8], number: Option<&str>) -> Result<Vec<Offer>, SourceFailure> {
    let answer: SearchAnswer = read(body)?;
    Ok(answer.items.iter().take(MAX_OFFERS).filter_map(|item| offer(item, number)).collect())
}

/// One offer; `None` without a price or a page.
fn offer(item: &Value, number: Option<&str>) -> Option<Offer> {
    let price = price(&item["price"]["value"], &item["price"]["currency"])?;
    let url = link(&item["itemWebUrl"])?;
    let shipping = &item["shippingOptions"][0]["shippingCost"];
    let is_free = shipping["value"]
        .as_str()
        // An empty text is not a price of zero.
        .is_some_and(|value| value.contains('0') && value.trim_matches(['0', '.']).is_empty());
    let shipping_info = match self::price(&shipping["value"], &shipping["currency"]) {
        Some(cost) => Some(format!("Shipping {cost}")),
        None => is_free.then(|| "Free shipping".to_owned()),
    };
    let seller = item["seller"]["feedbackPercentage"].as_str().and_then(|share| share.parse::<f64>().ok());
    let seller = seller.filter(|share| (0.0..=100.0).contains(share));
    let notes = [
        text(&item["title"]),
        text(&item["condition"]),
        seller.map(|share| format!("seller rated {share:.1}% positive")),
    ];
    let notes = notes.into_iter().flatten().collect::<Vec<_>>().join("; ");
    Some(Offer {
        source: OfferSource::Ebay,
        source_name: "eBay".to_owned(),
        supplier: "eBay".to_owned(),
        price: Some(price),
        estimate_note: None,
        in_stock: None,
        rating: None,
        phone: None,
        website: "https://www.ebay.com/".to_owned(),
        url: Some(url),
        shipping_info,
        warranty_info: None,
        notes: (!notes.is_empty()).then_some(notes),
        part_number: number.map(str::to_owned),
        // For a merely possible match, only the title relates to the vehicle.
        fits: (item["compatibilityMatch"] == "EXACT").then_some(true),
        as_of: None,
    })
}

#[cfg(test)]
mod tests {
    use partsight_domain::{Secret, ServiceUrl};
    use serde_json::json;

    use super::*;

    #[test]
    fn shipping_is_free_only_where_its_price_is_zero() {
        let shipping = |value: &str| {
            let cost = json!({ "shippingCost": { "value": value, "currency": "USD" } });
            let item = json!({
                "price": { "value": "45.90", "currency": "USD" },
                "itemWebUrl": "https://www.ebay.com/itm/1",
                "shippingOptions": [cost],
            });
            offer(&item, None).unwrap().shipping_info
        };
        assert_eq!(shipping("0.00").as_deref(), Some("Free shipping"));
        assert_eq!(shipping("5.00").as_deref(), Some("Shipping 5.00 USD"));
        assert_eq!((shipping(""), shipping(".")), (None, None));
    }

    #[test]
    fn the_secret_is_not_shown() {
        let settings = SupplierSettings {
            ebay_client_id: Some("us".to_owned()),
            ebay_client_secret: Some(Secret::new("geheim")),
            ..SupplierSettings::default()
        };
        let ebay = Ebay::new(&settings).unwrap().unwrap();
        assert!(Ebay::new(&SupplierSettings::default()).unwrap().is_none());
        let shown = format!("{settings:?} {ebay:?} {:?}", ebay.credentials);
        assert!(!shown.contains("geheim") && !shown.contains(&STANDARD.encode("us:geheim")), "{shown}");
        for base_url in ["api.ebay.com", "ftp://api.ebay.com", ""] {
            let settings = SupplierSettings { ebay_url: ServiceUrl::new(base_url), ..settings.clone() };
            assert!(Ebay::new(&settings).is_err(), "{base_url}");
        }
    }

    #[test]
    fn a_vehicle_cannot_break_out_of_its_filter() {
        let vehicle: VehicleName = "2015 Mercedes;Year:1990 C:63|S".parse().unwrap();
        assert_eq!(compatibility_filter(&vehicle), "Year:2015;Make:Mercedes Year 1990;Model:C 63 S");
        assert_eq!(query("A/C (front), *new*", "1")[0].1, "A/C  front    new");
    }
}
