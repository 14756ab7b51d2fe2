//! eBay's token endpoint and search, and a supplier's own web service, over a real connection: they refuse what the
//! real ones refuse, say what a test tells them to, and keep every question.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Query, State};
use axum::http::{HeaderMap, Response, Uri};
use axum::routing::{get, post};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::recorder::{Record, listen};

pub const CLIENT_ID: &str = "Lees-Garage-PRD-1234";
pub const CLIENT_SECRET: &str = "PRD-geheim-5678";
/// What the supplier service asks of its clients.
pub const SERVICE_TOKEN: &str = "service-geheim";
/// The category of brake rotors, which knows vehicles.
pub const ROTORS: &str = "33564";

/// What the fake says to one question.
#[derive(Clone)]
pub enum Says {
    /// These offers.
    Items(Vec<Value>),
    /// This status, with these headers.
    Status(u16, Vec<(&'static str, String)>),
    /// These bytes with the status 200.
    Bytes(Vec<u8>),
    /// Something else, after this.
    After(Duration, Box<Says>),
}

/// A search as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    pub fields: BTreeMap<String, String>,
    pub marketplace: Option<String>,
}

impl Search {
    pub fn field(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }

    /// Whether it asks for the category instead of offers.
    pub fn is_for_category(&self) -> bool {
        self.fields.contains_key("fieldgroups")
    }
}

#[derive(Default)]
struct Shared {
    script: Mutex<VecDeque<Says>>,
    otherwise: Mutex<Option<Says>>,
    searches: Mutex<Vec<Search>>,
    /// Addresses and `Authorization` headers of the questions to the service.
    service: Mutex<Vec<(String, Option<String>)>>,
    n_tokens: Mutex<usize>,
    manners: Mutex<Manners>,
}

/// How the fake takes tokens and vehicles.
pub struct Manners {
    /// Seconds that a token is said to hold.
    pub expires_in: u64,
    /// So many of the first tokens are not taken any more.
    pub n_revoked: usize,
    /// Whether the category of brake rotors knows vehicles.
    pub knows_vehicles: bool,
}

impl Default for Manners {
    fn default() -> Self {
        Self { expires_in: 7200, n_revoked: 0, knows_vehicles: true }
    }
}

/// The fake. It ends with the test.
pub struct FakeEbay {
    pub address: SocketAddr,
    shared: Arc<Shared>,
    _record: Record,
    _server: JoinSet<()>,
}

impl FakeEbay {
    /// A fake that says each of `script` in turn, and `otherwise` from then on.
    pub async fn start(script: Vec<Says>, otherwise: Says) -> Self {
        let shared = Arc::new(Shared {
            script: Mutex::new(script.into()),
            otherwise: Mutex::new(Some(otherwise)),
            ..Shared::default()
        });
        let (recorder, record) = listen().await;
        let router = Router::new()
            .route("/identity/v1/oauth2/token", post(token))
            .route("/buy/browse/v1/item_summary/search", get(search))
            .route("/prices/{label}", get(prices))
            .with_state(Arc::clone(&shared));
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(recorder, router).await.unwrap() });
        Self { address: record.address, shared, _record: record, _server: server }
    }

    /// A fake that always says the same.
    pub async fn saying(says: Says) -> Self {
        Self::start(Vec::new(), says).await
    }

    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The address of the service, with its places.
    pub fn service_url(&self) -> String {
        format!("http://{}/prices/{{label}}?n={{number}}&v={{year}}-{{make}}-{{model}}", self.address)
    }

    /// What it says from now on.
    pub fn say(&self, says: Says) {
        *self.shared.otherwise.lock().unwrap() = Some(says);
    }

    /// Changes how it takes tokens and vehicles from now on.
    pub fn behave(&self, change: impl FnOnce(&mut Manners)) {
        change(&mut self.shared.manners.lock().unwrap());
    }

    pub fn n_tokens(&self) -> usize {
        *self.shared.n_tokens.lock().unwrap()
    }

    /// The searches so far.
    pub fn searches(&self) -> Vec<Search> {
        self.shared.searches.lock().unwrap().clone()
    }

    /// The searches for offers so far.
    pub fn offer_searches(&self) -> Vec<Search> {
        self.searches().into_iter().filter(|search| !search.is_for_category()).collect()
    }

    /// The questions to the service so far.
    pub fn service_questions(&self) -> Vec<(String, Option<String>)> {
        self.shared.service.lock().unwrap().clone()
    }
}

/// An offer as eBay summarises it.
pub fn item(id: u32, price: &str) -> Value {
    json!({
        "itemId": format!("v1|{id}|0"),
        "title": format!("Brake Rotor No. {id}"),
        "leafCategoryIds": [ROTORS],
        "price": { "value": price, "currency": "USD" },
        "itemHref": format!("https://api.ebay.com/buy/browse/v1/item/v1%7C{id}%7C0"),
        "seller": { "username": "rotors4u", "feedbackPercentage": "99.4", "feedbackScore": 1234 },
        "condition": "New",
        "conditionId": "1000",
        "shippingOptions": [
            { "shippingCostType": "FIXED", "shippingCost": { "value": "0.00", "currency": "USD" } },
        ],
        "buyingOptions": ["FIXED_PRICE"],
        "itemWebUrl": format!("https://www.ebay.com/itm/{id}"),
        "itemLocation": { "postalCode": "432**", "country": "US" },
        "compatibilityMatch": "EXACT",
        "legacyItemId": id.to_string(),
        "listingMarketplaceId": "EBAY_US",
    })
}

/// An offer of the service.
pub fn service_offer(number: &str, price: &str) -> Value {
    json!({
        "supplier": "Lee Wholesale", "partNumber": number, "price": price, "currency": "USD", "inStock": true,
        "url": "https://lee.example/1", "asOf": "2027-01-15T07:00:00Z",
    })
}

async fn token(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> Response<Body> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let basic = format!("Basic {}", STANDARD.encode(format!("{CLIENT_ID}:{CLIENT_SECRET}")));
    if header("authorization") != Some(&basic) {
        let error = json!({ "error": "invalid_client", "error_description": "client authentication failed" });
        return reply(401, Vec::new(), &error);
    }
    let expected = "grant_type=client_credentials&scope=https%3A%2F%2Fapi.ebay.com%2Foauth%2Fapi_scope";
    let is_form = header("content-type") == Some("application/x-www-form-urlencoded");
    if !is_form || body != expected.as_bytes() {
        let error = json!({ "error": "invalid_scope", "error_description": "the scope is invalid" });
        return reply(400, Vec::new(), &error);
    }
    let mut n_tokens = shared.n_tokens.lock().unwrap();
    *n_tokens += 1;
    let answer = json!({
        "access_token": format!("v^1.1#i^1#{n_tokens}"),
        "expires_in": shared.manners.lock().unwrap().expires_in,
        "token_type": "Application Access Token",
    });
    reply(200, Vec::new(), &answer)
}

fn error(id: u32, message: &str) -> Value {
    json!({ "errors": [{ "errorId": id, "domain": "API_BROWSE", "category": "REQUEST", "message": message }] })
}

async fn search(
    State(shared): State<Arc<Shared>>,
    Query(fields): Query<HashMap<String, String>>,
    headers: HeaderMap,
) -> Response<Body> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let token = header("authorization").and_then(|value| value.strip_prefix("Bearer v^1.1#i^1#"));
    let token: usize = token.and_then(|token| token.parse().ok()).unwrap_or(0);
    let (n_tokens, n_revoked) = (*shared.n_tokens.lock().unwrap(), shared.manners.lock().unwrap().n_revoked);
    // Tokens are numbered as they are handed out, so the number says whether one was revoked or never given.
    if token <= n_revoked || token > n_tokens {
        return reply(401, Vec::new(), &error(1001, "Invalid access token"));
    }
    let marketplace = header("x-ebay-c-marketplace-id").map(str::to_owned);
    let search = Search { fields: fields.into_iter().collect(), marketplace };
    shared.searches.lock().unwrap().push(search.clone());
    if search.field("q").is_empty() {
        return reply(400, Vec::new(), &error(12001, "The call must have a valid 'q' query parameter."));
    }
    // As eBay does: a category without vehicles refuses the filter.
    if search.fields.contains_key("compatibility_filter")
        && (search.field("category_ids") != ROTORS || !shared.manners.lock().unwrap().knows_vehicles)
    {
        return reply(400, Vec::new(), &error(12506, "The category ID submitted does not support fitment."));
    }
    if search.is_for_category() {
        let answer =
            json!({ "total": 9, "refinement": { "dominantCategoryId": ROTORS, "aspectDistributions": [] } });
        return reply(200, Vec::new(), &answer);
    }
    say(
        &shared,
        |items| json!({ "href": "", "total": items.len(), "limit": 20, "offset": 0, "itemSummaries": items }),
    )
    .await
}

async fn prices(State(shared): State<Arc<Shared>>, uri: Uri, headers: HeaderMap) -> Response<Body> {
    let authorization = headers.get("authorization").and_then(|value| value.to_str().ok()).map(str::to_owned);
    let is_known = authorization.as_deref() == Some(&format!("Bearer {SERVICE_TOKEN}"));
    shared.service.lock().unwrap().push((uri.to_string(), authorization));
    if !is_known {
        return reply(401, Vec::new(), &json!({ "error": "who are you?" }));
    }
    say(&shared, |offers| json!({ "offers": offers })).await
}

async fn say(shared: &Shared, answer: impl Fn(Vec<Value>) -> Value) -> Response<Body> {
    // A statement of its own, which ends the lock before the waits below.
    let next = shared.script.lock().unwrap().pop_front();
    let mut says = next.or_else(|| shared.otherwise.lock().unwrap().clone()).unwrap();
    loop {
        says = match says {
            Says::After(delay, then) => {
                tokio::time::sleep(delay).await;
                *then
            }
            Says::Items(items) => return reply(200, Vec::new(), &answer(items)),
            Says::Status(status, headers) => return reply(status, headers, &error(99, "no")),
            Says::Bytes(bytes) => {
                let response = Response::builder().header("content-type", "application/json");
                return response.body(Body::from(bytes)).unwrap();
            }
        };
    }
}

fn reply(status: u16, headers: Vec<(&'static str, String)>, body: &Value) -> Response<Body> {
    let mut response = Response::builder().status(status).header("content-type", "application/json");
    for (name, value) in headers {
        response = response.header(name, value);
    }
    response.body(Body::from(body.to_string())).unwrap()
}
