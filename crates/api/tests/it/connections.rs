//! How many connections there may be, and how long they may keep the server waiting.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use partsight_api::{ApiState, ConnectionLimits, ServeError, ServerAddresses, serve};
use partsight_app::Settings;
use partsight_domain::Plan;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::batches::jobs::{batch, new_batch};
use crate::{TestApp, pictures};

const HEALTH: &[u8] = b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n";
const LAST_HEALTH: &[u8] = b"GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
/// What a test waits out. A request that is to be answered may come later than that on a busy machine.
pub(crate) const SOON: Duration = Duration::from_millis(50);
/// What no test waits out.
const LATE: Duration = Duration::from_hours(1);
/// How often a request is sent that came too late.
const ATTEMPTS: u32 = 100;

/// The server as it listens in earnest, over the use cases of a [`TestApp`].
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    stop: oneshot::Sender<()>,
    tasks: JoinSet<Result<(), ServeError>>,
}

impl Served {
    pub(crate) async fn with(
        app: &TestApp,
        settings: &Settings,
        change: impl FnOnce(&mut ConnectionLimits),
    ) -> Self {
        let state = ApiState::new(app.use_cases.clone(), settings);
        let mut limits = state.limits().clone();
        change(&mut limits);
        let ((listening, is_listening), (stop, stopped)) = (oneshot::channel(), oneshot::channel::<()>());
        let mut tasks = JoinSet::new();
        let until_stopped = async move { stopped.await.unwrap_or_default() };
        let any_port = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
        let listening = move |address| listening.send(address).unwrap();
        let addresses = ServerAddresses::bind(any_port, settings.monitoring.metrics_listen).unwrap();
        tasks.spawn(serve(state.with_limits(limits), addresses, listening, until_stopped));
        Self { address: is_listening.await.unwrap(), stop, tasks }
    }

    /// Ends it in order.
    pub(crate) async fn stop(mut self) {
        self.stop.send(()).unwrap();
        self.tasks.join_next().await.unwrap().unwrap().unwrap();
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// A connection from another address of this machine.
    async fn connect_from(&self, last: u8) -> TcpStream {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(SocketAddr::new(IpAddr::V4(Ipv4Addr::new(127, 0, 0, last)), 0)).unwrap();
        socket.connect(self.address).await.unwrap()
    }
}

/// Sends a request and reads until the server closes the connection.
pub(crate) async fn exchange(address: SocketAddr, request: &[u8]) -> String {
    ask(TcpStream::connect(address).await.unwrap(), request).await
}

/// The same over a connection that is there. One that the server cut off ends the answer.
async fn ask(mut connection: TcpStream, request: &[u8]) -> String {
    let mut answer = Vec::new();
    let _ = connection.write_all(request).await;
    let _ = connection.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

/// The status of the first answer, none where there is no answer.
pub(crate) fn status_of(answer: &str) -> Option<u16> {
    answer.strip_prefix("HTTP/1.1 ").or_else(|| answer.strip_prefix("HTTP/1.0 "))?.get(..3)?.parse().ok()
}

async fn app() -> TestApp {
    TestApp::with_stand_in(|_| {}).await
}

#[tokio::test]
async fn headers_that_never_end_are_cut_off() {
    let app = app().await;
    let server = Served::with(&app, &Settings::default(), |limits| limits.headers = SOON).await;
    for half in [&b""[..], b"GET", b"GET /health HTTP/1.1\r\nhost: loc"] {
        assert_eq!(ask(server.connect().await, half).await, "");
    }
}

#[tokio::test]
async fn an_idle_connection_is_closed() {
    let app = app().await;
    let server = Served::with(&app, &Settings::default(), |limits| limits.headers = SOON).await;
    for n_requests in [1, 2] {
        let request = HEALTH.repeat(n_requests);
        let mut n_answers = 0;
        for _ in 0..ATTEMPTS {
            n_answers = ask(server.connect().await, &request).await.matches("HTTP/1.1 200").count();
            if n_answers == n_requests {
                break;
            }
        }
        assert_eq!(n_answers, n_requests);
    }
}

#[tokio::test]
async fn a_body_that_comes_too_slowly_is_answered_408() {
    let app = app().await;
    let server = Served::with(&app, &Settings::default(), |limits| limits.body_grace = SOON).await;
    for path in ["/api/auth/login", "/api/auth/signup", "/api/stripe/webhook"] {
        let half = format!(
            "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             content-length: 1000\r\n\r\n{{\"email\":"
        );
        let answer = ask(server.connect().await, half.as_bytes()).await;
        assert_eq!(status_of(&answer), Some(408), "{answer}");
        assert!(answer.contains("\"code\":\"upload-stalled\""), "{answer}");
        assert!(answer.contains("connection: close"), "{answer}");
    }
}

#[tokio::test]
async fn an_upload_that_stops_is_told_that_its_batch_keeps_what_came_before() {
    let (app, ann) = TestApp::stand_in_with_ann_on(Plan::Business).await;
    let made = ann.post("/api/api-keys", &json!({ "name": "x", "scopes": ["scan"] })).await;
    let key = made.expect_status(201).json()["key"].as_str().unwrap().to_owned();
    let id = new_batch(&ann).await;
    // Long enough for the whole photograph to come, also on a busy machine.
    let soon = Duration::from_secs(1);
    let server = Served::with(&app, &Settings::default(), |limits| limits.body_grace = soon).await;
    let head = format!(
        "POST /api/batches/{id}/photos HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {key}\r\n\
         content-type: multipart/form-data; boundary=xyz\r\ncontent-length: 1000000\r\n\r\n"
    );
    let field = |key: &str| {
        format!("--xyz\r\ncontent-disposition: form-data; name=\"photo\"; filename=\"{key}.jpg\"\r\n\r\n")
    };
    let (whole, first, second) = (pictures::blocks(1, 0), field("a"), field("b"));
    let form = [head.as_bytes(), first.as_bytes(), whole.as_slice(), b"\r\n".as_slice(), second.as_bytes()];
    let answer = ask(server.connect().await, &form.concat()).await;
    assert_eq!(status_of(&answer), Some(408), "{answer}");
    assert!(answer.contains("are in the batch") && !answer.contains("Nothing was saved"), "{answer}");
    assert_eq!(batch(&ann, &id).await["counts"]["total"], 1);
}

/// Sends a request whose body begins with `begin`, and gives the answer.
async fn refused_early(server: &Served, length: usize, begin: &[u8], header: &str) -> String {
    let head = format!(
        "POST /api/identify HTTP/1.1\r\nhost: localhost\r\n{header}\
         content-type: multipart/form-data; boundary=xyz\r\ncontent-length: {length}\r\n\r\n"
    );
    exchange(server.address, &[head.as_bytes(), begin].concat()).await
}

#[tokio::test]
async fn a_refusal_before_the_body_is_read_does_not_break_the_connection() {
    let app = app().await;
    let settings = Settings::with(|settings| settings.photos.max_bytes = 100_000);
    let server = Served::with(&app, &settings, |limits| limits.body_grace = LATE).await;
    // Nobody is signed in. More than the buffers of the system hold, and another request behind it.
    let photo = vec![b'x'; 100_000];
    let answer = refused_early(&server, photo.len(), &[&photo, LAST_HEALTH].concat(), "").await;
    assert_eq!(status_of(&answer), Some(401), "{answer}");
    assert_eq!(answer.matches("HTTP/1.1 200").count(), 1, "{answer}");
}

#[tokio::test]
async fn a_refusal_says_where_it_ends_the_connection() {
    let app = app().await;
    let settings = Settings::with(|settings| settings.photos.max_bytes = 100_000);
    let patient = Served::with(&app, &settings, |limits| limits.body_grace = LATE).await;
    let hasty = Served::with(&app, &settings, |limits| limits.body_grace = SOON).await;
    for (what, answer) in [
        ("more than a photograph", refused_early(&patient, 100_001, b"x", "").await),
        ("sent when asked for", refused_early(&patient, 10, b"", "expect: 100-continue\r\n").await),
        ("too slow", refused_early(&hasty, 10, b"x", "").await),
    ] {
        assert_eq!(status_of(&answer), Some(401), "{what}: {answer}");
        assert!(answer.contains("connection: close"), "{what}: {answer}");
    }
}

#[tokio::test]
async fn a_slow_upload_is_answered_408_and_gives_its_place_back() {
    let app = TestApp::with_stand_in(|settings| settings.model.queue_capacity = 1).await;
    let settings = Settings::with(|settings| settings.model.queue_capacity = 1);
    let server = Served::with(&app, &settings, |limits| limits.body_grace = SOON).await;
    let client = app.client();
    let cookie = client.sign_up("ann").await.header("set-cookie").split_once(';').unwrap().0.to_owned();
    client.add_vehicle("Civic").await;
    let begin = "--xyz\r\ncontent-disposition: form-data; name=\"image\"; filename=\"a.jpg\"\r\n\
                 content-type: image/jpeg\r\n\r\n";
    let body = [begin.as_bytes(), &pictures::plain(), b"\r\n--xyz--\r\n"].concat();
    let head = format!(
        "POST /api/identify HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncookie: {cookie}\r\n\
         content-length: {}\r\ncontent-type: multipart/form-data; boundary=xyz\r\n\r\n",
        body.len()
    );
    let half = format!("{head}{begin}");
    let mut uploads = JoinSet::new();
    for _ in 0..5 {
        let (connection, half) = (server.connect().await, half.clone());
        uploads.spawn(async move { status_of(&ask(connection, half.as_bytes()).await) });
    }
    // As many as have a place are waited for, and the others told so.
    let mut statuses = uploads.join_all().await;
    statuses.sort_unstable();
    assert!(statuses.iter().all(|status| matches!(status, Some(408 | 503))), "{statuses:?}");
    assert!(statuses.contains(&Some(408)), "{statuses:?}");
    let whole = [head.as_bytes(), &body].concat();
    let mut status = None;
    for _ in 0..ATTEMPTS {
        status = status_of(&exchange(server.address, &whole).await);
        if status == Some(200) {
            break;
        }
    }
    assert_eq!((status, client.used().await), (Some(200), 1));
}

#[tokio::test]
async fn an_answer_that_nobody_reads_is_cut_off() {
    let app = app().await;
    let server = Served::with(&app, &Settings::default(), |limits| limits.stalled_write = SOON).await;
    let mut connection = server.connect().await;
    let request = b"GET /api/openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n";
    // Until the server closes it: the answers fill what the system keeps, and after that the requests do.
    while connection.write_all(request).await.is_ok() {}
}

#[tokio::test]
async fn one_address_that_opens_many_connections_keeps_nobody_else_out() {
    let app = app().await;
    let server = Served::with(&app, &Settings::default(), |limits| {
        limits.connections_per_address = 3;
        limits.headers = LATE;
    })
    .await;
    let mut held = Vec::new();
    let mut n_refused = 0;
    for _ in 0..200 {
        let mut connection = server.connect_from(1).await;
        let _ = connection.write_all(b"GET /health HT").await;
        // One that is refused is told at once, one that is held hears nothing.
        held.push(connection);
    }
    for _ in 0..5 {
        let answer = ask(server.connect_from(2).await, LAST_HEALTH).await;
        assert_eq!(status_of(&answer), Some(200), "{answer}");
    }
    for connection in held.drain(3..) {
        let answer = ask(connection, b"").await;
        n_refused += usize::from(status_of(&answer) == Some(503));
    }
    assert!(n_refused > 0, "the refused are told why, as far as the system passes it on");
    let answer = ask(server.connect_from(1).await, LAST_HEALTH).await;
    assert_eq!(status_of(&answer), Some(503), "{answer}");
}

#[tokio::test]
async fn a_full_server_says_so_and_takes_connections_again() {
    let app = app().await;
    let server = Served::with(&app, &Settings::default(), |limits| {
        limits.connections = 2;
        limits.headers = LATE;
    })
    .await;
    let held = [server.connect_from(1).await, server.connect_from(2).await];
    let refusal = exchange(server.address, b"").await;
    assert_eq!(status_of(&refusal), Some(503), "{refusal}");
    assert!(refusal.contains("retry-after: 2"), "{refusal}");
    drop(held);
    while status_of(&exchange(server.address, LAST_HEALTH).await) != Some(200) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_trusted_proxy_connects_for_everybody() {
    let app = app().await;
    let settings = Settings::with(|settings| {
        settings.server.trusted_proxies = "127.0.0.9".to_owned().try_into().unwrap();
    });
    let server = Served::with(&app, &settings, |limits| {
        limits.connections_per_address = 1;
        limits.headers = SOON;
    })
    .await;
    let mut held = Vec::new();
    for _ in 0..20 {
        held.push(server.connect_from(9).await);
    }
    let mut other = None;
    for _ in 0..ATTEMPTS {
        other = status_of(&ask(server.connect_from(1).await, HEALTH).await);
        if other == Some(200) {
            break;
        }
    }
    assert_eq!(other, Some(200));
    // It was closed as idle; the proxy's connections are kept, to be used again.
    for connection in held {
        assert_eq!(status_of(&ask(connection, LAST_HEALTH).await), Some(200));
    }
}

#[tokio::test]
async fn a_server_that_stops_closes_idle_connections() {
    let app = app().await;
    let server = Served::with(&app, &Settings::default(), |_| {}).await;
    let mut idle = server.connect().await;
    idle.write_all(HEALTH).await.unwrap();
    assert_ne!(idle.read(&mut [0; 64]).await.unwrap(), 0);
    let silent = server.connect().await;
    server.stop().await;
    assert_eq!(ask(silent, b"").await, "");
}
