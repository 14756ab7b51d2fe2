use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use axum::extract::{Request, State};
use axum::middleware::{self, Next};
use axum::response::Response;
use jiff::{SignedDuration, Timestamp};
use partsight_api::{ApiState, App, router};
use partsight_app::{
    AccountAdmin, Catalog, Clock, Fingerprint, HeldTurn, Identifier, Secret, SecretToken, Settings, Store,
    StoreOptions, open_reader, training_fingerprints,
};
use partsight_domain::Plan;
use partsight_eval::EvalAssessor;
use sqlx::{AnyConnection, Connection, Row};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::Client;
use crate::engine::{Behaviour, Gate, PATIENCE, fake_identifier};
use crate::postgres::PostgresDatabase;
use crate::recorder::PASSWORD;
use crate::smtp_server::{Manners, SmtpServer};

/// The moment at which every test begins: 2027-01-15 08:00:00 UTC.
const START_SECOND: i64 = 1_800_000_000;

/// What a server is made of where it differs from the usual.
pub(crate) struct Setup {
    pub(crate) settings: Settings,
    /// Stand-in engines; the shared real model unless given.
    pub(crate) engines: Option<Engines>,
    pub(crate) store: StoreOptions,
    /// The embedded catalogue unless given.
    pub(crate) catalog: Option<Arc<Catalog>>,
    /// Where the data lies; a new place unless given.
    pub(crate) folder: Option<Arc<Place>>,
    /// Whether the stand-in engines come with what reads text.
    pub(crate) reads_text: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            settings: Settings::default(),
            engines: None,
            store: patient(),
            catalog: None,
            folder: None,
            reads_text: false,
        }
    }
}

/// Hundreds of servers at once can keep a disk from one of them for longer than people would wait.
fn patient() -> StoreOptions {
    StoreOptions { wait: Duration::from_mins(1), ..StoreOptions::default() }
}

/// Where the data of a server lies, and goes with: a folder, with an SQLite database in it unless there is one
/// of PostgreSQL.
pub(crate) struct Place {
    folder: TempDir,
    postgres: Option<PostgresDatabase>,
}

impl Place {
    /// A new place, on PostgreSQL where `PARTSIGHT_TEST_DATABASE` says `postgres`.
    async fn new() -> Self {
        let mut place = Self::on_sqlite();
        if std::env::var("PARTSIGHT_TEST_DATABASE").is_ok_and(|name| name == "postgres") {
            let database = PostgresDatabase::with_schema(async |url| {
                Store::open_with(url, &patient()).await.unwrap().close().await;
            })
            .await;
            place.postgres = Some(database.expect("PARTSIGHT_TEST_DATABASE asks for a PostgreSQL server"));
        }
        place
    }

    fn on_sqlite() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), postgres: None }
    }

    /// The folder of the data.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    fn database_url(&self) -> String {
        match &self.postgres {
            Some(database) => database.url.clone(),
            None => format!("sqlite://{}?mode=rwc", self.path().join("partsight.db").display()),
        }
    }
}

/// Stand-in engines.
pub(crate) struct Engines {
    pub(crate) count: usize,
    pub(crate) behaviour: Behaviour,
    /// Whether they answer at once, or only after [`Gate::open`].
    pub(crate) is_open: bool,
}

/// A server of its own, which ends with the test.
pub(crate) struct TestApp {
    pub(crate) use_cases: App,
    pub(crate) address: SocketAddr,
    /// The address of the database, for what the store has no method for.
    pub(crate) database_url: String,
    gate: Option<Arc<Gate>>,
    now_ms: Arc<AtomicI64>,
    jumped_ms: Arc<AtomicI64>,
    running: watch::Receiver<usize>,
    _server: JoinSet<()>,
    pub(crate) folder: Arc<Place>,
}

impl TestApp {
    /// A server with the usual settings and the real model.
    pub(crate) async fn start() -> Self {
        Self::with(Setup::default()).await
    }

    /// A server with the usual settings and the real model, on SQLite whatever else is tested.
    pub(crate) async fn on_sqlite() -> Self {
        Self::with(Setup { folder: Some(Arc::new(Place::on_sqlite())), ..Setup::default() }).await
    }

    /// A server with a stand-in engine under these settings, on SQLite whatever else is tested.
    pub(crate) async fn on_sqlite_with(change: impl FnOnce(&mut Settings)) -> Self {
        let engines = Engines { count: 1, behaviour: Behaviour::Answer, is_open: true };
        let folder = Some(Arc::new(Place::on_sqlite()));
        let mut setup = Setup { engines: Some(engines), folder, ..Setup::default() };
        change(&mut setup.settings);
        Self::with(setup).await
    }

    /// A server with these settings and the real model.
    pub(crate) async fn with_settings(change: impl FnOnce(&mut Settings)) -> Self {
        let mut setup = Setup::default();
        change(&mut setup.settings);
        Self::with(setup).await
    }

    /// A server with a stand-in engine that answers at once, under these settings.
    pub(crate) async fn with_stand_in(change: impl FnOnce(&mut Settings)) -> Self {
        Self::with_engines(Engines { count: 1, behaviour: Behaviour::Answer, is_open: true }, change).await
    }

    /// A server with a stand-in engine, and the mail server beside it that gets its mails.
    pub(crate) async fn with_mails(
        manners: Manners,
        change: impl FnOnce(&mut Settings),
    ) -> (Self, SmtpServer) {
        let mails = SmtpServer::start(manners).await;
        let app = Self::with_stand_in(|settings| {
            settings.mail.smtp_url = Some(Secret::new(mails.url()));
            change(settings);
        })
        .await;
        (app, mails)
    }

    /// A server whose engines hold every photograph back until the gate opens.
    pub(crate) async fn stalled(count: usize, change: impl FnOnce(&mut Settings)) -> Self {
        Self::with_engines(Engines { count, behaviour: Behaviour::Answer, is_open: false }, change).await
    }

    /// A server with a stand-in engine that sees two types alike.
    pub(crate) async fn with_tie(labels: [&'static str; 2]) -> Self {
        Self::with_engines(Engines { count: 1, behaviour: Behaviour::Tie(labels), is_open: true }, |_| {})
            .await
    }

    /// A server with a stand-in engine that sees all these types alike.
    pub(crate) async fn with_spread(labels: &'static [&'static str]) -> Self {
        Self::with_engines(Engines { count: 1, behaviour: Behaviour::Spread(labels), is_open: true }, |_| {})
            .await
    }

    /// A server with a stand-in engine that sees the first type at 80% and the second at the rest.
    pub(crate) async fn leaning(labels: [&'static str; 2]) -> Self {
        Self::with_engines(Engines { count: 1, behaviour: Behaviour::Lean(labels), is_open: true }, |_| {})
            .await
    }

    /// A server that reads text, with a stand-in engine.
    pub(crate) async fn reading(behaviour: Behaviour) -> Self {
        let engines = Some(Engines { count: 1, behaviour, is_open: true });
        let settings = Settings::with(|settings| settings.server.plan = Some(Plan::Pro));
        Self::with(Setup { settings, engines, reads_text: true, ..Setup::default() }).await
    }

    async fn with_engines(engines: Engines, change: impl FnOnce(&mut Settings)) -> Self {
        let mut setup = Setup { engines: Some(engines), ..Setup::default() };
        change(&mut setup.settings);
        Self::with(setup).await
    }

    pub(crate) async fn with(mut setup: Setup) -> Self {
        let folder = match setup.folder {
            Some(folder) => folder,
            None => Arc::new(Place::new().await),
        };
        // Mails lie in there.
        setup.settings.data.dir = folder.path().into();
        let database_url = folder.database_url();
        let now_ms = Arc::new(AtomicI64::new(START_SECOND * 1000));
        let jumped_ms = Arc::new(AtomicI64::new(0));
        let (identifier, gate) = match setup.engines {
            Some(Engines { count, behaviour, is_open }) => {
                let (identifier, gate) =
                    fake_identifier(count, behaviour, is_open, &catalog(), &setup.settings);
                let identifier = if setup.reads_text { with_reader(identifier) } else { identifier };
                (identifier, Some(gate))
            }
            None => (shared_identifier(), None),
        };
        let app = App::new(
            Store::open_with(&database_url, &setup.store).await.unwrap(),
            setup.catalog.unwrap_or_else(catalog),
            identifier,
            clock(Arc::clone(&now_ms), Arc::clone(&jumped_ms)),
            &setup.settings,
        )
        .unwrap()
        .with_assessor(assessor());
        let (count, running) = watch::channel(0);
        let router = router(ApiState::new(app.clone(), &setup.settings))
            .layer(middleware::from_fn_with_state(Arc::new(count), count_running));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut server = JoinSet::new();
        let service = router.into_make_service_with_connect_info::<SocketAddr>();
        server.spawn(async move { axum::serve(listener, service).await.unwrap() });
        let accounts = Arc::clone(&app.accounts);
        server.spawn(async move {
            loop {
                // Fails once the test has closed the database.
                if !accounts.send_next_mail().await.unwrap_or(false) {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            }
        });
        Self {
            use_cases: app,
            address,
            database_url,
            gate,
            now_ms,
            jumped_ms,
            running,
            _server: server,
            folder,
        }
    }

    /// What stands before the stand-in engines.
    pub(crate) fn gate(&self) -> &Gate {
        self.gate.as_deref().unwrap()
    }

    /// A client that nobody is signed in with.
    pub(crate) fn client(&self) -> Client {
        Client::new(self.address)
    }

    /// A client with a new account, whose e-mail has this name before `@example.com`.
    pub(crate) async fn sign_up(&self, name: &str) -> Client {
        let client = self.client();
        client.sign_up(name).await.expect_status(201);
        client
    }

    /// Signs this account in once more and takes all its turns to read; each is free again when it is dropped.
    pub(crate) async fn take_read_turns(&self, name: &str) -> Vec<HeldTurn> {
        let reply = self.client().sign_in(name, PASSWORD).await;
        let cookie = reply.header("set-cookie").split_once(';').unwrap().0;
        let token = SecretToken::from_text(cookie.split_once('=').unwrap().1);
        let accounts = &self.use_cases.accounts;
        let user = accounts.session(&token).await.unwrap().user;
        let turns: Vec<HeldTurn> = (0..4).map(|_| HeldTurn::default()).collect();
        for turn in &turns {
            turn.during(accounts.take_read_turn(&user)).await.unwrap();
        }
        turns
    }

    /// A client with a new account and a default vehicle, ready to scan.
    pub(crate) async fn sign_up_with_vehicle(&self, name: &str) -> Client {
        let client = self.sign_up(name).await;
        client.add_vehicle("Civic").await;
        client
    }

    /// A server as [`Self::start`] makes it, with the new account `ann` and her client.
    pub(crate) async fn with_ann() -> (Self, Client) {
        let app = Self::start().await;
        let ann = app.sign_up("ann").await;
        (app, ann)
    }

    /// As [`Self::with_ann`], with the id of a Civic of hers.
    pub(crate) async fn with_vehicle() -> (Self, Client, String) {
        let (app, ann) = Self::with_ann().await;
        let vehicle = ann.add_vehicle("Civic").await;
        (app, ann, vehicle)
    }

    /// A server with a stand-in engine that answers at once, with the new account `ann`.
    pub(crate) async fn stand_in_with_ann() -> (Self, Client) {
        let app = Self::with_stand_in(|_| {}).await;
        let ann = app.sign_up("ann").await;
        (app, ann)
    }

    /// A server with a stand-in engine that answers at once, with the account `ann` that has a default vehicle.
    pub(crate) async fn ready_to_scan() -> (Self, Client) {
        let app = Self::with_stand_in(|_| {}).await;
        let ann = app.sign_up_with_vehicle("ann").await;
        (app, ann)
    }

    /// As [`Self::stand_in_with_ann`], on a server that gives everybody this plan.
    pub(crate) async fn stand_in_with_ann_on(plan: Plan) -> (Self, Client) {
        let app = Self::with_stand_in(|settings| settings.server.plan = Some(plan)).await;
        let ann = app.sign_up("ann").await;
        (app, ann)
    }

    /// As [`Self::ready_to_scan`], on a server that gives everybody this plan.
    pub(crate) async fn ready_to_scan_on(plan: Plan) -> (Self, Client) {
        let app = Self::with_stand_in(|settings| settings.server.plan = Some(plan)).await;
        let ann = app.sign_up_with_vehicle("ann").await;
        (app, ann)
    }

    /// As [`Self::with_ann`], on a server that gives everybody this plan.
    pub(crate) async fn with_ann_on(plan: Plan) -> (Self, Client) {
        let app = Self::with_settings(|settings| settings.server.plan = Some(plan)).await;
        let ann = app.sign_up("ann").await;
        (app, ann)
    }

    /// As [`Self::with_ann_on`], with a Civic of hers.
    pub(crate) async fn with_vehicle_on(plan: Plan) -> (Self, Client) {
        let (app, ann) = Self::with_ann_on(plan).await;
        ann.add_vehicle("Civic").await;
        (app, ann)
    }

    /// Lets the server's clock run on.
    pub(crate) fn advance(&self, duration: SignedDuration) {
        self.now_ms.fetch_add(i64::try_from(duration.as_millis()).unwrap(), Ordering::SeqCst);
    }

    /// Sets the clock of the machine so much ahead of what it was, or back, without that time passing.
    pub(crate) fn set_clock_ahead(&self, duration: SignedDuration) {
        self.jumped_ms.fetch_add(i64::try_from(duration.as_millis()).unwrap(), Ordering::SeqCst);
    }

    /// Runs a statement that the app has no call for.
    pub(crate) async fn execute(&self, sql: &'static str) {
        let mut connection = AnyConnection::connect(&self.database_url).await.unwrap();
        sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
    }

    /// Of each mail that waits, the oldest first: its recipient, how often it was tried, and whether it is being sent.
    pub(crate) async fn waiting_mails(&self) -> Vec<(String, i64, bool)> {
        let mut connection = AnyConnection::connect(&self.database_url).await.unwrap();
        let query = "SELECT recipient, attempts, lease_until FROM outgoing_mail ORDER BY outgoing_mail_id";
        let rows = sqlx::query(query).fetch_all(&mut connection).await.unwrap();
        connection.close().await.unwrap();
        rows.iter()
            .map(|row| (row.get(0), row.get(1), row.get::<Option<i64>, _>("lease_until").is_some()))
            .collect()
    }

    /// Waits until no mail is being sent and each was tried `n` times, or has left.
    pub(crate) async fn mails_were_tried(&self, n: i64) {
        let all_tried = async {
            while self.waiting_mails().await.iter().any(|(_, attempts, is_held)| *is_held || *attempts < n) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(PATIENCE, all_tried).await.expect("mails are tried");
    }

    /// What whoever runs the server can do, beside the server and with these settings.
    pub(crate) async fn admin(&self, change: impl FnOnce(&mut Settings)) -> AccountAdmin {
        let mut settings = Settings::with(|settings| settings.data.dir = self.folder.path().into());
        change(&mut settings);
        let store = Store::open_with(&self.database_url, &patient()).await.unwrap();
        AccountAdmin::new(store, self.clock(), &settings).unwrap()
    }

    fn clock(&self) -> Clock {
        clock(Arc::clone(&self.now_ms), Arc::clone(&self.jumped_ms))
    }

    /// Waits until exactly `n` requests are being answered.
    pub(crate) async fn wait_for_running(&self, n: usize) {
        self.running.clone().wait_for(|running| *running == n).await.unwrap();
    }
}

fn with_reader(identifier: Arc<Identifier>) -> Arc<Identifier> {
    let reader = open_reader(&Settings::default()).unwrap();
    Arc::new(Arc::into_inner(identifier).unwrap().with_reader(reader))
}

impl Drop for TestApp {
    /// The threads of stand-in engines must not outlive the test, failed ones included.
    fn drop(&mut self) {
        if let Some(gate) = &self.gate {
            gate.open();
        }
    }
}

fn clock(now_ms: Arc<AtomicI64>, jumped_ms: Arc<AtomicI64>) -> Clock {
    static START: OnceLock<Instant> = OnceLock::new();
    let start = *START.get_or_init(Instant::now);
    let passed_ms = Arc::clone(&now_ms);
    Clock::new(
        move || {
            let now_ms = now_ms.load(Ordering::SeqCst) + jumped_ms.load(Ordering::SeqCst);
            Timestamp::from_millisecond(now_ms).unwrap()
        },
        move || {
            let passed_ms = passed_ms.load(Ordering::SeqCst) - START_SECOND * 1000;
            start + Duration::from_millis(passed_ms.unsigned_abs())
        },
    )
}

fn catalog() -> Arc<Catalog> {
    static CATALOG: OnceLock<Arc<Catalog>> = OnceLock::new();
    Arc::clone(CATALOG.get_or_init(|| Arc::new(Catalog::embedded().unwrap())))
}

/// One model for all tests: starting it takes longer than all of them. Nobody may shut it down.
fn shared_identifier() -> Arc<Identifier> {
    static IDENTIFIER: OnceLock<Arc<Identifier>> = OnceLock::new();
    let start = || {
        let settings = Settings::with(|settings| settings.model.engine_threads = 1);
        Arc::new(Identifier::start(&settings, &catalog()).unwrap().with_answer_within(PATIENCE))
    };
    Arc::clone(IDENTIFIER.get_or_init(start))
}

/// Counts the requests whose future lives, so that a test can wait for one to come or to be dropped.
/// What measures, as the program has it.
fn assessor() -> Arc<EvalAssessor> {
    static TRAINING: OnceLock<Vec<Fingerprint>> = OnceLock::new();
    let training = TRAINING.get_or_init(|| training_fingerprints(None).unwrap());
    Arc::new(EvalAssessor::new("partsight", training.clone()))
}

async fn count_running(
    State(count): State<Arc<watch::Sender<usize>>>,
    request: Request,
    next: Next,
) -> Response {
    struct Running(Arc<watch::Sender<usize>>);
    impl Drop for Running {
        fn drop(&mut self) {
            self.0.send_modify(|running| *running -= 1);
        }
    }
    count.send_modify(|running| *running += 1);
    let _running = Running(count);
    next.run(request).await
}
