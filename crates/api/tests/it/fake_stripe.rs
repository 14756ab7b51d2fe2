//! A stand-in for Stripe that speaks its protocol: form-encoded requests behind a bearer key, its documented
//! objects, idempotency keys, events with its signature, and a clock that a test sets.
//!
//! What a customer does in the browser with Stripe's own form is [`FakeStripe::confirm`]; what time does to a
//! subscription is [`FakeStripe::end_period`] and [`FakeStripe::give_up`].

mod calls;
mod objects;
mod world;

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use partsight_app::{Secret, Settings};
use partsight_domain::ServiceUrl;
use reqwest::Method;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::task::JoinSet;

use crate::client::send;
use crate::recorder::{Record, listen};
use crate::{Client, Reply, TestApp};

use world::World;
pub(crate) use world::{Card, Fault};

const SECRET_KEY: &str = "sk_test_51StandIn";
const WEBHOOK_SECRET: &str = "whsec_standin";
/// Ids and cents of what is sold.
pub(crate) const PRICES: [(&str, i64, &str); 4] = [
    ("price_pro_month", 499, "month"),
    ("price_pro_year", 4990, "year"),
    ("price_business_month", 1499, "month"),
    ("price_business_year", 14_990, "year"),
];

/// A running stand-in, which ends with the test.
pub(crate) struct FakeStripe {
    world: Arc<Mutex<World>>,
    record: Record,
    _server: JoinSet<()>,
}

impl FakeStripe {
    /// Its clock begins where that of a [`TestApp`] does.
    pub(crate) async fn start() -> Self {
        let world = Arc::new(Mutex::new(World::default()));
        let (recorder, record) = listen().await;
        let router = calls::router(Arc::clone(&world));
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(recorder, router).await.unwrap() });
        Self { world, record, _server: server }
    }

    /// A server that sells plans through this stand-in.
    pub(crate) async fn shop(&self) -> TestApp {
        TestApp::with_stand_in(|settings| self.set_up(settings)).await
    }

    /// A stand-in, with a server that sells plans through it and the new account `ann`.
    pub(crate) async fn with_ann() -> (Self, TestApp, Client) {
        let fake = Self::start().await;
        let app = fake.shop().await;
        let ann = app.sign_up("ann").await;
        (fake, app, ann)
    }

    /// What a server must be told to sell plans through it.
    pub(crate) fn set_up(&self, settings: &mut Settings) {
        let price = |index: usize| Some(PRICES[index].0.to_owned());
        settings.payments.secret_key = Some(Secret::new(SECRET_KEY));
        settings.payments.publishable_key = Some("pk_test_51StandIn".to_owned());
        settings.payments.webhook_secret = Some(Secret::new(WEBHOOK_SECRET));
        settings.payments.price_pro_month = price(0);
        settings.payments.price_pro_year = price(1);
        settings.payments.price_business_month = price(2);
        settings.payments.price_business_year = price(3);
        // Months pass in some tests.
        (settings.accounts.session_days, settings.accounts.session_idle_days) = (3650, 3650);
        settings.payments.api_base = Some(ServiceUrl::new(format!("http://{}", self.record.address)));
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap()
    }

    /// How the customer's card behaves from now on.
    pub(crate) fn set_card(&self, card: Card) {
        self.world().card = card;
    }

    /// What goes wrong from now on.
    pub(crate) fn set_fault(&self, fault: Fault) {
        self.world().fault = fault;
    }

    /// Lets its clock and the server's run on.
    pub(crate) fn advance(&self, app: &TestApp, hours: i64) {
        self.world().now += hours * 3600;
        app.advance(jiff::SignedDuration::from_hours(hours));
    }

    /// The customer confirms a payment in the browser; an error is what the form says.
    pub(crate) fn confirm(&self, client_secret: &str) -> Result<(), String> {
        self.world().confirm(client_secret)
    }

    /// The period of the only subscription that is open ends: it is renewed, or not paid, or over.
    pub(crate) fn end_period(&self, app: &TestApp) {
        let hours = self.world().hours_to_period_end();
        self.advance(app, hours);
        self.world().end_period();
    }

    /// The last try to have a renewal paid has failed.
    pub(crate) fn give_up(&self) {
        self.world().give_up();
    }

    /// The first payment did not come within a day.
    pub(crate) fn expire(&self, app: &TestApp) {
        self.advance(app, 23);
        self.world().expire();
    }

    /// The only open subscription comes to this status, as Stripe's settings say.
    pub(crate) fn set_status(&self, status: &'static str) {
        self.world().set_status(status);
    }

    /// Cents of all invoices that were paid, in the order in which they were made.
    pub(crate) fn charges(&self) -> Vec<i64> {
        let world = self.world();
        world
            .invoices
            .iter()
            .filter(|invoice| invoice.status == "paid")
            .map(|invoice| invoice.amount)
            .collect()
    }

    /// Somebody changes the price of the only open subscription in Stripe's own pages.
    pub(crate) fn set_price(&self, price: &str) {
        self.world().set_price(price);
    }

    /// Somebody subscribes the only customer to something else in Stripe's own pages.
    pub(crate) fn subscribe_elsewhere(&self, price: &str) {
        self.world().subscribe_elsewhere(price);
    }

    /// Somebody deletes all customers in Stripe's own pages.
    pub(crate) fn delete_customers(&self) {
        self.world().delete_customers();
    }

    /// The statuses of all subscriptions, in the order in which they began.
    pub(crate) fn statuses(&self) -> Vec<String> {
        self.world().statuses()
    }

    /// Customers that are not deleted.
    pub(crate) fn customers(&self) -> usize {
        self.world().customers.iter().filter(|customer| !customer.is_deleted).count()
    }

    /// Method, path and idempotency key of the writes that came in.
    pub(crate) fn writes(&self) -> Vec<(String, Option<String>)> {
        self.world().writes.clone()
    }

    /// Calls that have come so far, answered or not.
    pub(crate) fn calls(&self) -> usize {
        self.world().n_calls
    }

    /// The events that were not taken yet, the oldest first.
    pub(crate) fn take_events(&self) -> Vec<Value> {
        std::mem::take(&mut self.world().events)
    }

    /// Sends all events that were not taken yet, as Stripe does.
    pub(crate) async fn deliver(&self, app: &TestApp) {
        for event in self.take_events() {
            self.deliver_event(app, &event).await.expect_status(204);
        }
    }

    /// Sends one event.
    pub(crate) async fn deliver_event(&self, app: &TestApp, event: &Value) -> Reply {
        let payload = event.to_string();
        let signature = self.sign(&payload);
        post_event(app, &payload, &signature).await
    }

    /// The header with which Stripe signs this payload now.
    pub(crate) fn sign(&self, payload: &str) -> String {
        sign(payload, WEBHOOK_SECRET, self.world().now)
    }
}

/// The header with which Stripe would sign this payload at this second.
pub(crate) fn sign(payload: &str, secret: &str, second: i64) -> String {
    let signature = hmac_sha256(secret.as_bytes(), format!("{second}.{payload}").as_bytes());
    let hex = hex::encode(signature);
    // A second signature is there while a secret is being exchanged.
    format!("t={second},v1={},v1={hex},v0=0", "0".repeat(64))
}

/// Sends a payload to the address for events.
pub(crate) async fn post_event(app: &TestApp, payload: &str, signature: &str) -> Reply {
    let request = app.client().request(Method::POST, "/api/stripe/webhook");
    let request = request
        .header("Content-Type", "application/json; charset=utf-8")
        .header("Stripe-Signature", signature)
        .timeout(Duration::from_mins(1))
        .body(payload.to_owned());
    send(request).await
}

/// RFC 2104, written out so that the tests do not check a signature by the library that made it.
fn hmac_sha256(key: &[u8], message: &[u8]) -> Vec<u8> {
    const BLOCK: usize = 64;
    assert!(key.len() <= BLOCK, "keys of the tests are short");
    let pad = |byte: u8| -> Vec<u8> {
        (0..BLOCK).map(|index| key.get(index).copied().unwrap_or(0) ^ byte).collect()
    };
    let inner = Sha256::new().chain_update(pad(0x36)).chain_update(message).finalize();
    Sha256::new().chain_update(pad(0x5c)).chain_update(inner).finalize().to_vec()
}
