//! What leaves the server: nothing that must stay here, and under `zero_egress` nothing at all.
//!
//! What is proved, and by what:
//!
//! - *Bytes, in every test of this suite.* Each address that a server is told leads to a fake that takes its
//!   connections through a recorder (`recorder.rs`): judge, eBay, supplier service, VIN decoder, Stripe, mail server,
//!   sign-in provider. Each photograph carries EXIF data with a place, XMP data, a comment, and bytes behind its end
//!   (`planted.rs`). When a fake ends with its test, no connection that it had may hold any of that, the name of a
//!   photograph's file, a password or the cookie of a session: as they are, or in base64 wherever they begin.
//! - *Connections, in every test of the workspace.* `make test` runs them on a network that ends at this machine
//!   (`.make/without-network`). The kernel counts each connection, datagram and name look-up that would have gone
//!   elsewhere, and the first one fails the run: so there is no way out that the recorders do not see. Where the system
//!   gives no such network, that is said.
//! - *Zero egress.* The tests below: with the switch no server starts beside a setting that names a service elsewhere,
//!   and one that starts connects to none of them on a path that asks every one of them without it.
//!
//! What is not proved: secrets in another form, such as compressed, encrypted, percent-encoded, or cut into less than
//! 12 bytes. That the pixels stay, since a judge is sent the photograph where its owner allows it. What services on this
//! machine send on, which zero egress does not forbid. What a browser loads, such as Stripe's form.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use axum::Router;
use partsight_app::{App, Catalog, Decimal, JudgeConsent, JudgeProvider, Secret, Settings, Store};
use partsight_domain::{Plan, ServiceUrl};
use partsight_test_support::PATIENCE;
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::engine::{Behaviour, fake_identifier};
use crate::recorder::{Record, listen};
use crate::{Engines, Setup, TestApp, pictures};

/// The settings that name a service.
const SERVICES: [&str; 10] = [
    "photo_storage",
    "smtp_url",
    "oidc_issuer",
    "qdrant_url",
    "vin_decoder_url",
    "recalls_url",
    "stripe_secret_key",
    "judge_provider",
    "ebay_client_id",
    "supplier_service_url",
];
/// An address that leads to a fake on this machine.
const HERE: &str = "127.0.0.1";
/// Another one that does, and is none of those that are known to stay here.
const AS_IF_ELSEWHERE: &str = "0.0.0.0";

/// A fake for each service. None says anything that is of use; it only matters who comes.
struct Peers {
    records: Vec<Record>,
    _servers: JoinSet<()>,
}

impl Peers {
    async fn start() -> Self {
        let (mut records, mut servers) = (Vec::new(), JoinSet::new());
        for _ in SERVICES {
            let (recorder, record) = listen().await;
            servers.spawn(async move { axum::serve(recorder, Router::new()).await.unwrap() });
            records.push(record);
        }
        Self { records, _servers: servers }
    }

    /// Tells a server of one service, at its fake.
    fn name(&self, service: &str, host: &str, settings: &mut Settings) {
        let index = SERVICES.iter().position(|name| *name == service).unwrap();
        let place = format!("{host}:{}", self.records[index].address.port());
        let url = format!("http://{place}");
        let service_url = Some(ServiceUrl::new(&url));
        let text = |text: &str| Some(text.to_owned());
        match service {
            "photo_storage" => {
                settings.storage.storage = text("s3://shop-photographs");
                settings.storage.endpoint = service_url;
                settings.storage.access_key_id = text("AKIDTEST");
                settings.storage.secret_access_key = Some(Secret::new("a secret access key"));
            }
            "smtp_url" => settings.mail.smtp_url = Some(Secret::new(format!("smtp://{place}"))),
            "oidc_issuer" => {
                settings.server.public_url = text("http://parts.example.com");
                (settings.sign_in.issuer, settings.sign_in.client_id) = (Some(url), text("partsight"));
                settings.sign_in.client_secret = Some(Secret::new("a secret between us"));
            }
            "qdrant_url" => settings.qdrant.url = service_url,
            "vin_decoder_url" => settings.vehicles.vin_decoder_url = service_url,
            "recalls_url" => settings.vehicles.recalls_url = service_url,
            "stripe_secret_key" => {
                settings.payments.api_base = service_url;
                settings.payments.secret_key = Some(Secret::new("sk_test_51Nobody"));
                settings.payments.publishable_key = text("pk_test_51Nobody");
                settings.payments.webhook_secret = Some(Secret::new("whsec_nobody"));
                settings.payments.price_pro_month = text("price_pro_month");
                settings.payments.price_pro_year = text("price_pro_year");
                settings.payments.price_business_month = text("price_business_month");
                settings.payments.price_business_year = text("price_business_year");
            }
            "judge_provider" => {
                settings.judge.base_url = service_url;
                settings.judge.provider = Some(JudgeProvider::OpenaiCompatible);
                settings.judge.model = text("judge-1");
                (settings.judge.input_price, settings.judge.output_price) =
                    (Some(Decimal::default()), Some(Decimal::default()));
                settings.judge.consent = JudgeConsent::Given;
            }
            "ebay_client_id" => {
                settings.suppliers.ebay_url = ServiceUrl::new(url);
                settings.suppliers.ebay_client_id = text("Lees-Garage-PRD-1234");
                settings.suppliers.ebay_client_secret = Some(Secret::new("PRD-geheim-5678"));
            }
            _ => settings.suppliers.service_url = Some(ServiceUrl::new(format!("{url}/prices/{{label}}"))),
        }
    }

    fn n_connections(&self) -> usize {
        self.records.iter().map(Record::n_connections).sum()
    }
}

/// A server whose model is never sure.
async fn unsure(settings: Settings) -> TestApp {
    let behaviour = Behaviour::Tie(["brake-rotor", "spark-plug"]);
    let engines = Some(Engines { count: 1, behaviour, is_open: true });
    TestApp::with(Setup { settings, engines, ..Setup::default() }).await
}

/// Everything for which a server asks somebody else, a scan from the photograph to its suppliers first of all. What
/// comes of it is another matter.
async fn ask_for_everything(app: &TestApp) {
    // As at each start. The stand-in of the model was taught nothing, so that its scans do not ask the index again.
    let _ = app.use_cases.teaching.prepare_references().await;
    let client = app.sign_up_with_vehicle("ann").await;
    client.identify(&pictures::blocks(1, 0)).await.expect_status(200);
    client.get("/api/parts/brake-rotor/ai-suppliers").await.expect_status(200);
    client.get("/api/vehicles/vin/1HGCM82633A004352/decoder").await;
    client.get("/api/parts/brake-rotor/recalls").await.expect_status(200);
    let order = json!({ "plan": "pro", "price": 4.99, "interval": "month" });
    client.post("/api/create-subscription", &order).await;
    client.get("/api/login").await;
    let forgotten = json!({ "email": "ann@example.com" });
    app.client().post("/api/auth/forgot-password", &forgotten).await.expect_status(202);
    app.use_cases.scanning.tidy_photo_storage().await.unwrap();
    // What goes out beside the requests.
    app.use_cases.close().await;
}

/// With everything for everybody, the judge among it; and with plans for sale.
const PLANS: [Option<Plan>; 2] = [Some(Plan::Pro), None];

#[tokio::test]
async fn without_zero_egress_that_path_asks_every_service() {
    let peers = Peers::start().await;
    let mut apps = Vec::new();
    for plan in PLANS {
        let mut settings = Settings::with(|settings| settings.server.plan = plan);
        for service in SERVICES {
            peers.name(service, HERE, &mut settings);
        }
        let app = unsure(settings).await;
        ask_for_everything(&app).await;
        // Still sends its first mail, which the mail server does not answer.
        apps.push(app);
    }
    for (service, record) in SERVICES.iter().zip(&peers.records) {
        let came = timeout(PATIENCE, record.wait_for_connections(1)).await;
        assert!(came.is_ok(), "nobody asked {service}");
    }
}

#[tokio::test]
async fn zero_egress_starts_beside_no_service_elsewhere() {
    let peers = Peers::start().await;
    let catalog = Arc::new(Catalog::embedded().unwrap());
    for service in SERVICES {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = Settings::with(|settings| settings.data.dir = folder.path().to_owned());
        peers.name(service, AS_IF_ELSEWHERE, &mut settings);
        settings.server.zero_egress = true;
        assert_eq!(settings.outside_services(), [service]);
        assert!(settings.check().is_err());
        // Nor does the app start for whoever leaves out that check.
        let store = Store::open_sqlite(folder.path()).await.unwrap();
        let (identifier, _gate) = fake_identifier(1, Behaviour::Answer, true, &catalog, &settings);
        let clock = partsight_app::system_clock();
        let app = App::new(store, Arc::clone(&catalog), identifier, clock, &settings);
        assert!(app.is_err(), "{service}");
    }
    assert_eq!(peers.n_connections(), 0);
}

#[tokio::test]
async fn with_zero_egress_that_path_connects_to_nobody() {
    let peers = Peers::start().await;
    for plan in PLANS {
        let mut settings = Settings::with(|settings| {
            settings.server.plan = plan;
            settings.server.zero_egress = true;
        });
        for service in SERVICES {
            peers.name(service, AS_IF_ELSEWHERE, &mut settings);
        }
        // What the switch refuses is taken away; addresses and keys that name nobody by themselves stay.
        settings.storage.storage = None;
        settings.mail.smtp_url = None;
        settings.sign_in.issuer = None;
        settings.qdrant.url = None;
        settings.vehicles.vin_decoder_url = None;
        settings.vehicles.recalls_url = None;
        settings.payments.secret_key = None;
        settings.judge.provider = None;
        settings.suppliers.ebay_client_id = None;
        settings.suppliers.service_url = None;
        assert!(settings.outside_services().is_empty());
        ask_for_everything(&unsure(settings).await).await;
    }
    assert_eq!(peers.n_connections(), 0);
}

/// What the end of a record says of what came.
fn said_of(record: Record) -> String {
    let fault = catch_unwind(AssertUnwindSafe(|| drop(record))).unwrap_err();
    fault.downcast_ref::<String>().unwrap().clone()
}

#[tokio::test]
async fn a_leak_fails_the_test_that_it_is_in() {
    let (app, ann) = TestApp::stand_in_with_ann().await;
    for leak in ["cookie", "photograph", "setting"] {
        let (recorder, record) = listen().await;
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(recorder, Router::new()).await.unwrap() });
        let secret = match leak {
            // A browser takes the cookies of one port to another.
            "cookie" => {
                ann.at(record.address).get("/").await;
                "session"
            }
            "photograph" => {
                app.client().at(record.address).identify(&pictures::blocks(1, 0)).await;
                "photograph"
            }
            // And the server itself, told to say it by the address of a service.
            _ => {
                let url = format!("http://{}/{{label}}?photo=IMG_0001.jpg", record.address);
                let telltale = TestApp::with_stand_in(|settings| {
                    settings.suppliers.service_url = Some(ServiceUrl::new(url));
                })
                .await;
                let bob = telltale.sign_up_with_vehicle("bob").await;
                bob.get("/api/parts/brake-rotor/ai-suppliers").await.expect_status(200);
                "the name of the photograph's file"
            }
        };
        let said = said_of(record);
        assert!(said.contains(secret) || leak == "photograph" && said.contains("camera"), "{leak}: {said}");
    }
}
