//! The server as a process: how it starts, why it may not, how it ends, and what outlives it.

use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use sqlx::{AnyConnection, Connection};

use crate::Program;
use crate::qdrant_server::QdrantServer;

/// A running server, killed at the end of the test at the latest.
pub(crate) struct Server {
    child: Child,
    ready_line: String,
    base: String,
    client: Client,
}

impl Server {
    /// Starts on a free port and waits for the line that says so.
    pub(crate) fn start(program: &Program) -> Self {
        let mut command = program.command(&["serve", "--listen", "127.0.0.1:0", "--data-dir", "data"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut ready_line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut ready_line).unwrap();
        let Some((_, port)) = ready_line.trim_end().rsplit_once(':') else {
            let mut stderr = String::new();
            child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
            panic!("the server did not start: {stderr}");
        };
        let base = format!("http://127.0.0.1:{port}");
        // The client has no cryptography of its own; a second one to choose it finds it chosen.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().cookie_store(true).no_proxy().build().unwrap();
        Self { child, ready_line, base, client }
    }

    async fn post(&self, path: &str, body: &Value) -> StatusCode {
        self.client.post(format!("{}{path}", self.base)).json(body).send().await.unwrap().status()
    }

    async fn get(&self, path: &str) -> (StatusCode, Value) {
        let response = self.client.get(format!("{}{path}", self.base)).send().await.unwrap();
        (response.status(), response.json().await.unwrap())
    }

    pub(crate) async fn sign_up(&self) {
        let body = json!({ "email": "ann@example.com", "password": "correct horse" });
        assert_eq!(self.post("/api/auth/signup", &body).await, StatusCode::CREATED);
    }

    async fn sign_in(&self) {
        let body = json!({ "email": "ann@example.com", "password": "correct horse" });
        assert_eq!(self.post("/api/auth/login", &body).await, StatusCode::OK);
    }

    async fn add_vehicle(&self, model: &str) {
        let body = json!({ "make": "Honda", "model": model, "year": 2015 });
        assert_eq!(self.post("/api/vehicles", &body).await, StatusCode::CREATED);
    }

    /// Ends it as a service manager does; gives the exit code and the log.
    pub(crate) fn terminate(mut self) -> (Option<i32>, String) {
        let killed = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        assert!(killed.success());
        let mut stderr = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        (self.child.wait().unwrap().code(), stderr)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // SIGKILL; fails only when it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs `serve` where it cannot start, and gives its last line.
fn last_line_of_failure(program: &Program, arguments: &[&str]) -> String {
    let outcome = program.run(&[&["serve", "--data-dir", "data"], arguments].concat());
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), ""), "{outcome:?}");
    outcome.stderr.lines().last().unwrap().to_owned()
}

#[tokio::test]
async fn it_says_where_it_listens_once_it_answers() {
    let program = Program::new();
    let server = Server::start(&program);
    assert!(
        server.ready_line.starts_with("Partsight is ready on http://localhost:"),
        "{}",
        server.ready_line
    );
    let (status, health) = server.get("/health").await;
    assert_eq!((status, &health["status"]), (StatusCode::OK, &json!("ok")));
    assert!(program.folder().join("data/partsight.db").is_file());
}

#[tokio::test]
async fn a_photograph_goes_all_the_way() {
    let program = Program::new();
    let server = Server::start(&program);
    server.sign_up().await;
    server.add_vehicle("Civic").await;
    let photo = std::fs::read(crate::golden("rim")).unwrap();
    let part = reqwest::multipart::Part::bytes(photo).mime_str("image/png").unwrap();
    let form = reqwest::multipart::Form::new().part("image", part);
    let request = server.client.post(format!("{}/api/identify", server.base)).multipart(form);
    let answer: Value = request.send().await.unwrap().json().await.unwrap();
    assert_eq!(answer["identification"]["label"], "rim", "{answer}");
}

#[tokio::test]
async fn a_terminate_signal_ends_it_with_0() {
    let server = Server::start(&Program::new());
    let (code, log) = server.terminate();
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("stopping"), "{log}");
}

#[tokio::test]
async fn an_idle_connection_does_not_hold_up_the_end() {
    let server = Server::start(&Program::new());
    // The client keeps its connection open for the next request.
    server.get("/health").await;
    let client = server.client.clone();
    let (code, log) = server.terminate();
    assert_eq!(code, Some(0), "{log}");
    assert!(!log.contains("cut off"), "{log}");
    drop(client);
}

#[tokio::test]
async fn what_was_saved_outlives_a_killed_server() {
    let program = Program::new();
    let server = Server::start(&program);
    server.sign_up().await;
    server.add_vehicle("Civic").await;
    // One more write is under way, or not yet, or done, when the process goes.
    let body = json!({ "make": "Honda", "model": "Accord", "year": 2015 });
    let request = server.client.post(format!("{}/api/vehicles", server.base)).json(&body).send();
    let mut running = tokio::task::JoinSet::new();
    running.spawn(request);
    tokio::task::yield_now().await;
    drop(server);
    running.shutdown().await;

    let server = Server::start(&program);
    server.sign_in().await;
    let (status, vehicles) = server.get("/api/vehicles").await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(vehicles[0]["model"], "Civic", "{vehicles}");
    assert!(vehicles.as_array().unwrap().len() <= 2, "{vehicles}");
    server.add_vehicle("Jazz").await;
}

#[tokio::test]
async fn a_session_outlives_a_restart() {
    let program = Program::new();
    let server = Server::start(&program);
    server.sign_up().await;
    let client = server.client.clone();
    assert_eq!(server.terminate().0, Some(0));

    let server = Server::start(&program);
    let response = client.get(format!("{}/api/auth/user", server.base)).send().await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
}

#[test]
fn a_taken_port_is_named_with_what_to_do() {
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap().to_string();
    let line = last_line_of_failure(&Program::new(), &["--listen", &address]);
    let expected = format!(
        "partsight: port {} of 127.0.0.1 is taken by another program; stop it, or choose another with --listen",
        other.local_addr().unwrap().port()
    );
    assert_eq!(line, expected);
}

#[test]
fn an_address_that_is_none_exits_with_2() {
    Program::new().run(&["serve", "--listen", "here"]).expect_code(2);
}

#[tokio::test]
async fn a_newer_database_is_refused_with_what_to_do() {
    let program = Program::new();
    assert_eq!(Server::start(&program).terminate().0, Some(0));
    sqlx::any::install_default_drivers();
    let url = format!("sqlite://{}", program.folder().join("data/partsight.db").display());
    let mut connection = AnyConnection::connect(&url).await.unwrap();
    let newer = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
                 VALUES (9999, 'of the future', TRUE, x'00', 0)";
    sqlx::raw_sql(newer).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();

    let line = last_line_of_failure(&program, &["--listen", "127.0.0.1:0"]);
    assert!(line.contains("has migration 9999, which this version of partsight does not know"), "{line}");
    assert!(line.contains("Please start that version, or restore an older copy"), "{line}");
}

#[test]
fn a_file_that_is_no_database_is_named() {
    let program = Program::new();
    program.write("data/partsight.db", "a list of what to buy, and not a database\n".repeat(100));
    let line = last_line_of_failure(&program, &["--listen", "127.0.0.1:0"]);
    assert!(line.contains("partsight.db") && line.contains("not a database"), "{line}");
}

#[test]
fn a_data_folder_that_cannot_be_made_is_named() {
    let program = Program::new();
    program.write("data", "a file where the folder should be");
    let line = last_line_of_failure(&program, &["--listen", "127.0.0.1:0"]);
    assert!(line.starts_with("partsight: create the data folder `data`"), "{line}");
}

#[test]
fn a_collection_of_something_else_is_refused_with_what_to_do() {
    let qdrant = QdrantServer::start();
    let program = Program::new().with("PARTSIGHT_QDRANT_URL", qdrant.url());
    assert_eq!(Server::start(&program).terminate().0, Some(0));
    let [name] = &qdrant.names()[..] else { panic!("one collection was made") };
    let refusal = || last_line_of_failure(&program, &["--listen", "127.0.0.1:0"]);

    qdrant.forget_metadata(name);
    let line = refusal();
    let expected =
        format!("the collection `{name}` holds embeddings of the model that its metadata does not name");
    assert!(line.contains(&expected), "{line}");
    assert!(line.contains("choose another `qdrant_collection`, or delete this one and run"), "{line}");

    qdrant.set_dimension(name, 8);
    let line = refusal();
    assert!(line.contains(&format!("the collection `{name}` holds embeddings of 8 numbers, but")), "{line}");
    assert!(line.contains("choose another `qdrant_collection`, or delete this one and run"), "{line}");
}

#[tokio::test]
async fn it_starts_without_the_qdrant_server_that_it_was_given_and_says_so() {
    let mut qdrant = QdrantServer::start();
    qdrant.stop();
    let program = Program::new().with("PARTSIGHT_QDRANT_URL", qdrant.url());
    let server = Server::start(&program);
    assert_eq!(server.get("/health").await.0, StatusCode::OK);
    let (code, log) = server.terminate();
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("scans are answered without taught parts until"), "{log}");
    assert!(log.contains("check that Qdrant runs there"), "{log}");
}

#[test]
fn a_missing_model_is_named_before_anything_listens() {
    let program = Program::new().with("PARTSIGHT_MODEL_DIR", "nowhere");
    let line = last_line_of_failure(&program, &["--listen", "127.0.0.1:0"]);
    assert!(line.contains("cannot read the model file `nowhere/model.toml`"), "{line}");
}
