//! A garage under load: reads and writes of many users at a fixed rate against a running server.
//!
//! `cargo bench -p partsight-benches --bench load -- --url http://127.0.0.1:8080 --rate 500 --seconds 30`
//!
//! Requests start by the clock and not when an earlier one is done, and each is timed from when it was due, so
//! that a stalled server cannot hide its stall. Ends with an error when any answer is not the expected one.

#![expect(clippy::print_stdout, reason = "the figures are the purpose")]

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::{Client, Method};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time;

/// People who use the garage at once.
const USERS: usize = 20;
/// Kinds of request, with how many of a hundred are of it.
const MIX: [(Kind, u32); 8] = [
    (Kind::Vehicles, 30),
    (Kind::DefaultVehicle, 15),
    (Kind::OilChanges, 15),
    (Kind::Repairs, 10),
    (Kind::Alerts, 5),
    (Kind::ScanLimits, 5),
    (Kind::AddOilChange, 10),
    (Kind::AddRepair, 10),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Vehicles,
    DefaultVehicle,
    OilChanges,
    Repairs,
    Alerts,
    ScanLimits,
    AddOilChange,
    AddRepair,
}

impl Kind {
    fn is_write(self) -> bool {
        matches!(self, Self::AddOilChange | Self::AddRepair)
    }
}

/// A signed-in browser and its vehicle.
struct User {
    http: Client,
    vehicle_id: String,
}

/// What came of one request.
struct Outcome {
    kind: Kind,
    /// From when it was due to the end of its answer.
    latency: Duration,
    error: Option<String>,
}

struct Options {
    url: String,
    rate: u32,
    seconds: u32,
}

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

#[tokio::main]
async fn main() -> Result<()> {
    let Some(options) = options()? else {
        println!("no --url given: start a server and name its address, such as --url http://127.0.0.1:8080");
        return Ok(());
    };
    let mut users = Vec::new();
    for number in 0..USERS {
        users.push(Arc::new(sign_up(&options.url, number).await?));
    }
    println!("{USERS} users, {} requests a second for {} seconds", options.rate, options.seconds);

    let total = options.rate * options.seconds;
    let (started, mut tasks, mut chance) = (Instant::now(), JoinSet::new(), Chance(20_261_121));
    let mut outcomes = Vec::new();
    for number in 0..total {
        let due = started + Duration::from_secs_f64(f64::from(number) / f64::from(options.rate));
        time::sleep_until(due.into()).await;
        let kind = chance.kind();
        let user = users[chance.below(USERS as u32) as usize].clone();
        let url = options.url.clone();
        tasks.spawn(async move {
            let error = send(&user, &url, kind, number).await.err().map(|error| error.to_string());
            Outcome { kind, latency: due.elapsed(), error }
        });
        while let Some(done) = tasks.try_join_next() {
            outcomes.push(done?);
        }
    }
    while let Some(done) = tasks.join_next().await {
        outcomes.push(done?);
    }
    let seconds = started.elapsed().as_secs_f64();
    println!("{} answers in {seconds:.1} s: {:.0} a second", outcomes.len(), outcomes.len() as f64 / seconds);
    print_latencies("reads", &outcomes, |kind| !kind.is_write());
    print_latencies("writes", &outcomes, Kind::is_write);
    let errors: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.error.is_some()).collect();
    println!("{} errors", errors.len());
    match errors.first() {
        None => Ok(()),
        Some(first) => {
            Err(format!("{:?}: {}", first.kind, first.error.as_deref().unwrap_or_default()).into())
        }
    }
}

/// What the command line says; `None` without an address. `cargo bench` adds a flag of its own.
fn options() -> Result<Option<Options>> {
    let mut options = Options { url: String::new(), rate: 500, seconds: 30 };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{name} needs a value"));
        match name.as_str() {
            "--url" => value()?.trim_end_matches('/').clone_into(&mut options.url),
            "--rate" => options.rate = value()?.parse()?,
            "--seconds" => options.seconds = value()?.parse()?,
            "--bench" => {}
            other => return Err(format!("unknown argument {other}").into()),
        }
    }
    Ok((!options.url.is_empty()).then_some(options))
}

/// A new user with one vehicle. The e-mail address differs from run to run.
async fn sign_up(url: &str, number: usize) -> Result<User> {
    // The client has no cryptography of its own; a second user finds it chosen.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let http = Client::builder().cookie_store(true).no_proxy().build()?;
    let run = uuid::Uuid::now_v7().simple().to_string();
    let account = json!({
        "email": format!("load-{run}-{number}@example.com"), "password": "correct horse",
        "firstName": "Load", "lastName": "Test",
    });
    http.post(format!("{url}/api/auth/signup")).json(&account).send().await?.error_for_status()?;
    let vehicle = json!({ "make": "Honda", "model": "Civic", "year": 2015 });
    let answer = http.post(format!("{url}/api/vehicles")).json(&vehicle).send().await?.error_for_status()?;
    let id = answer.json::<Value>().await?["id"].as_str().ok_or("a vehicle without id")?.to_owned();
    Ok(User { http, vehicle_id: id })
}

async fn send(user: &User, url: &str, kind: Kind, number: u32) -> Result<()> {
    let mileage = 10_000 + number;
    let (method, path, body) = match kind {
        Kind::Vehicles => (Method::GET, "vehicles", None),
        Kind::DefaultVehicle => (Method::GET, "vehicles/default", None),
        Kind::OilChanges => (Method::GET, "oil-changes", None),
        Kind::Repairs => (Method::GET, "repair-history", None),
        Kind::Alerts => (Method::GET, "alerts", None),
        Kind::ScanLimits => (Method::GET, "scans/limits", None),
        Kind::AddOilChange => (
            Method::POST,
            "oil-changes",
            Some(json!({ "vehicleId": user.vehicle_id, "mileage": mileage.to_string(), "oilType": "5W-30" })),
        ),
        Kind::AddRepair => (
            Method::POST,
            "repair-history",
            Some(json!({
                "vehicleId": user.vehicle_id, "mileage": mileage, "partReplaced": "Brake pads",
                "repairDate": "2026-03-05",
            })),
        ),
    };
    let mut request = user.http.request(method, format!("{url}/api/{path}"));
    if let Some(body) = body {
        request = request.json(&body);
    }
    let answer = request.send().await?;
    let status = answer.status();
    let text = answer.text().await?;
    if status.is_success() { Ok(()) } else { Err(format!("{status}: {text}").into()) }
}

fn print_latencies(name: &str, outcomes: &[Outcome], is_one: impl Fn(Kind) -> bool) {
    let mut latencies: Vec<Duration> =
        outcomes.iter().filter(|outcome| is_one(outcome.kind)).map(|outcome| outcome.latency).collect();
    latencies.sort();
    let at = |share: f64| {
        let rank = (share * latencies.len() as f64).ceil() as usize;
        latencies.get(rank.saturating_sub(1)).copied().unwrap_or_default().as_secs_f64() * 1000.0
    };
    println!(
        "{name:<7} {:>7}   p50 {:>7.1} ms   p95 {:>7.1} ms   p99 {:>7.1} ms   longest {:>7.1} ms",
        latencies.len(),
        at(0.5),
        at(0.95),
        at(0.99),
        at(1.0)
    );
}

/// The same choices in every run.
struct Chance(u64);

impl Chance {
    /// A number below `limit` (splitmix64; Steele, Lea and Flood, 2014).
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) % u64::from(limit)) as u32
    }

    fn kind(&mut self) -> Kind {
        let mut rest = self.below(MIX.iter().map(|(_, share)| share).sum());
        for (kind, share) in MIX {
            if rest < share {
                return kind;
            }
            rest -= share;
        }
        Kind::Vehicles
    }
}
