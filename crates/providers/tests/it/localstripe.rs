//! Payments against `localstripe`, a third-party imitation of Stripe, as far as it implements the API.
//!
//! It supports customers and signed events. It does not support prices, pending payments, and periods on the lines
//! of a subscription; those are tested against the fake of the API tests.

use std::io::{self, Seek};
use std::net::{Ipv6Addr, TcpListener};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::routing::post;
use jiff::Timestamp;
use partsight_domain::{Secret, ServiceUrl, UserId};
use partsight_providers::{Error, PaymentSettings, Payments};
use partsight_test_support::{PATIENCE, is_missing};
use reqwest::Client;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use uuid::Uuid;

/// Below the range of ephemeral ports, so that no other program gets the port before localstripe binds it.
static NEXT_PORT: AtomicU16 = AtomicU16::new(20_000);
const SECRET: &str = "whsec_of_this_test";

/// A running `localstripe`, killed at the end of the test.
struct LocalStripe {
    child: Child,
    base: String,
    client: Client,
}

impl Drop for LocalStripe {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl LocalStripe {
    /// `None`, with a printed reason, if it cannot run.
    async fn start() -> Option<Self> {
        let Some(program) = std::env::var_os("PARTSIGHT_LOCALSTRIPE") else {
            is_missing("PARTSIGHT_LOCALSTRIPE names no program; `make test` sets it");
            return None;
        };
        // Binding `::` as localstripe does, which on some systems covers only IPv6.
        let is_free = |port: &u16| TcpListener::bind((Ipv6Addr::UNSPECIFIED, *port)).is_ok();
        let mut ports = (0..100).map(|_| NEXT_PORT.fetch_add(1, Ordering::SeqCst));
        let Some(port) = ports.find(is_free) else {
            eprintln!("skipped: this machine has no IPv6, which localstripe listens on");
            return None;
        };
        let mut log = tempfile::tempfile().unwrap();
        let mut child = Command::new(program)
            .args(["--from-scratch", "--port", &port.to_string()])
            .stdout(log.try_clone().unwrap())
            .stderr(log.try_clone().unwrap())
            .spawn()
            .unwrap();
        let base = format!("http://localhost:{port}");
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().no_proxy().build().unwrap();
        let deadline = Instant::now() + PATIENCE;
        while client.get(&base).send().await.is_err() {
            let has_failed = Instant::now() > deadline || child.try_wait().unwrap().is_some();
            if has_failed {
                let _ = child.kill();
                log.rewind().unwrap();
            }
            assert!(!has_failed, "localstripe does not answer: {}", io::read_to_string(&log).unwrap());
            sleep(Duration::from_millis(50)).await;
        }
        Some(Self { child, base, client })
    }

    fn payments(&self) -> Payments {
        let price = Some("price_of_this_test".to_owned());
        let settings = PaymentSettings {
            secret_key: Some(Secret::new("sk_test_123")),
            webhook_secret: Some(Secret::new(SECRET)),
            api_base: Some(ServiceUrl::new(&self.base)),
            price_pro_month: price.clone(),
            price_pro_year: price.clone(),
            price_business_month: price.clone(),
            price_business_year: price,
            ..PaymentSettings::default()
        };
        Payments::new(&settings).unwrap().unwrap()
    }

    async fn call(&self, path: &str, fields: &[(&str, &str)]) -> Value {
        let body = fields.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&");
        let request = self.client.post(format!("{}{path}", self.base)).basic_auth("sk_test_123", Some(""));
        let request = request.header("content-type", "application/x-www-form-urlencoded").body(body);
        let reply = request.send().await.unwrap();
        assert!(reply.status().is_success(), "{path}: {}", reply.text().await.unwrap());
        reply.json().await.unwrap()
    }
}

/// An address that forwards each received payload with its signature.
async fn listen() -> (String, mpsc::UnboundedReceiver<(String, String)>, JoinSet<()>) {
    let (taken, events) = mpsc::unbounded_channel();
    let take = |State(taken): State<mpsc::UnboundedSender<_>>, headers: HeaderMap, body: String| async move {
        let signature = headers["stripe-signature"].to_str().unwrap().to_owned();
        taken.send((body, signature)).unwrap();
    };
    let router = Router::new().route("/events", post(take)).with_state(taken);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/events", listener.local_addr().unwrap());
    let mut server = JoinSet::new();
    server.spawn(async move { axum::serve(listener, router).await.unwrap() });
    (url, events, server)
}

#[tokio::test]
async fn a_customer_is_made_and_deleted() {
    let Some(server) = LocalStripe::start().await else { return };
    let payments = server.payments();
    let user = UserId(Uuid::now_v7());
    let id = payments.create_customer("first", user, "ann@example.com").await.unwrap();
    let url = format!("{}/v1/customers/{id}", server.base);
    let get = async || {
        let reply = server.client.get(&url).basic_auth("sk_test_123", Some("")).send().await.unwrap();
        (reply.status().as_u16(), reply.json::<Value>().await.unwrap())
    };
    let (status, customer) = get().await;
    assert_eq!((status, &customer["email"]), (200, &json!("ann@example.com")));
    assert_eq!(customer["metadata"]["partsight_user_id"], user.to_string());
    payments.delete_customer(&id).await.unwrap();
    assert_eq!(get().await.0, 404);
}

#[tokio::test]
async fn its_signed_events_are_read_and_forged_ones_are_not() {
    let Some(server) = LocalStripe::start().await else { return };
    let payments = server.payments();
    let (url, mut events, _server) = listen().await;
    let body = json!({ "url": url, "secret": SECRET });
    let hook = format!("{}/_config/webhooks/test", server.base);
    assert!(server.client.post(hook).json(&body).send().await.unwrap().status().is_success());

    let customer =
        payments.create_customer("first", UserId(Uuid::now_v7()), "ann@example.com").await.unwrap();
    let plan = [
        ("id", "pro"),
        ("amount", "499"),
        ("currency", "usd"),
        ("interval", "month"),
        ("product[name]", "Pro"),
    ];
    server.call("/v1/plans", &plan).await;
    let card = [
        ("type", "card"),
        ("card[number]", "4242424242424242"),
        ("card[exp_month]", "12"),
        ("card[exp_year]", "2040"),
        ("card[cvc]", "123"),
    ];
    let card = server.call("/v1/payment_methods", &card).await["id"].as_str().unwrap().to_owned();
    server.call(&format!("/v1/payment_methods/{card}/attach"), &[("customer", &customer)]).await;
    let settings = [("invoice_settings[default_payment_method]", card.as_str())];
    server.call(&format!("/v1/customers/{customer}"), &settings).await;
    let order = [("customer", customer.as_str()), ("items[0][plan]", "pro")];
    server.call("/v1/subscriptions", &order).await;

    let made = async {
        loop {
            let (payload, signature) = events.recv().await.unwrap();
            // The signature has the time of the event.
            let json: Value = serde_json::from_str(&payload).unwrap();
            let now = Timestamp::from_second(json["created"].as_i64().unwrap()).unwrap();
            let event = payments.event(&payload, &signature, now).unwrap();
            if event.kind == "customer.subscription.created" {
                return (payload, signature, event, now);
            }
        }
    };
    let (payload, signature, event, now) = timeout(PATIENCE, made).await.expect("the event comes");
    assert_eq!(event.customer_id.as_deref(), Some(customer.as_str()));
    assert!(event.id.starts_with("evt_"), "{}", event.id);

    let forged = payload.replace(&customer, "cus_somebody_else");
    let late = now + jiff::SignedDuration::from_mins(10);
    for (payload, moment) in [(&forged, now), (&payload, late)] {
        let refused = payments.event(payload, &signature, moment).unwrap_err();
        assert!(matches!(refused, Error::EventRefused(_)), "{refused}");
    }
}
