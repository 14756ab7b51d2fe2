//! The server as a process: how it starts, why it may not, how it ends, and what outlives it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

#[cfg(unix)]
use partsight_test_support::ordinary_user::as_ordinary_user;
use partsight_test_support::process;
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};

use crate::Program;
use crate::qdrant_server::QdrantServer;

/// What starts a server on a free port.
const SERVE: [&str; 5] = ["serve", "--listen", "127.0.0.1:0", "--data-dir", "data"];

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
        Self::start_by(program.command(&SERVE))
    }

    fn start_by(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (ready_line, base) = process::first_line(&mut child, |line| {
            let (_, port) = line.rsplit_once(':')?;
            Some((line.to_owned(), format!("http://127.0.0.1:{port}")))
        });
        // The client has no cryptography of its own; a second one to choose it finds it chosen.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().cookie_store(true).no_proxy().build().unwrap();
        Self { child, ready_line, base, client }
    }

    async fn post(&self, path: &str, body: &Value) -> StatusCode {
        self.client.post(format!("{}{path}", self.base)).json(body).send().await.unwrap().status()
    }

    pub(crate) async fn get(&self, path: &str) -> (StatusCode, Value) {
        let response = self.client.get(format!("{}{path}", self.base)).send().await.unwrap();
        (response.status(), response.json().await.unwrap())
    }

    pub(crate) async fn sign_up(&self) {
        let body = json!({ "email": "ann@example.com", "password": "correct horse" });
        assert_eq!(self.post("/api/auth/signup", &body).await, StatusCode::CREATED);
    }

    pub(crate) async fn sign_in(&self) {
        let body = json!({ "email": "ann@example.com", "password": "correct horse" });
        assert_eq!(self.post("/api/auth/login", &body).await, StatusCode::OK);
    }

    pub(crate) async fn add_vehicle(&self, model: &str) {
        let body = json!({ "make": "Honda", "model": model, "year": 2015 });
        assert_eq!(self.post("/api/vehicles", &body).await, StatusCode::CREATED);
    }

    /// Its address.
    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    /// The bytes at a path.
    pub(crate) async fn bytes(&self, path: &str) -> (StatusCode, Vec<u8>) {
        let response = self.client.get(format!("{}{path}", self.base)).send().await.unwrap();
        (response.status(), response.bytes().await.unwrap().to_vec())
    }

    /// Sends a golden picture and gives the answer.
    pub(crate) async fn identify(&self, golden: &str) -> Value {
        self.identify_with(golden, &[]).await
    }

    /// As [`identify`](Self::identify), with these headers.
    pub(crate) async fn identify_with(&self, golden: &str, headers: &[(&str, &str)]) -> Value {
        self.identify_photo(std::fs::read(crate::golden(golden)).unwrap(), "image/png", headers).await
    }

    /// Sends a photograph of this media type and gives the answer.
    pub(crate) async fn identify_file(&self, photo: Vec<u8>, media_type: &str) -> Value {
        self.identify_photo(photo, media_type, &[]).await
    }

    async fn identify_photo(&self, photo: Vec<u8>, media_type: &str, headers: &[(&str, &str)]) -> Value {
        let part = reqwest::multipart::Part::bytes(photo).mime_str(media_type).unwrap();
        let form = reqwest::multipart::Form::new().part("image", part);
        let request = self.client.post(format!("{}/api/identify", self.base)).multipart(form);
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        request.send().await.unwrap().json().await.unwrap()
    }

    /// Ends it as a service manager does; gives the exit code and the log.
    pub(crate) fn terminate(mut self) -> (Option<i32>, String) {
        let killed = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        assert!(killed.success());
        let output = process::end(&mut self.child);
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
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
    let (status, ready) = server.get("/ready").await;
    assert_eq!(status, StatusCode::OK, "{ready}");
    assert!(program.folder().join("data/partsight.db").is_file());
}

#[tokio::test]
async fn a_photograph_goes_all_the_way() {
    let program = Program::new();
    let server = Server::start(&program);
    server.sign_up().await;
    server.add_vehicle("Civic").await;
    let answer = server.identify("rim").await;
    assert_eq!(answer["identification"]["label"], "rim", "{answer}");
}

#[tokio::test]
async fn a_terminate_signal_ends_it_with_0() {
    let program = Program::new();
    let server = Server::start(&program);
    let (code, log) = server.terminate();
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("stopping"), "{log}");
}

#[tokio::test]
async fn an_idle_connection_does_not_hold_up_the_end() {
    let program = Program::new();
    let server = Server::start(&program);
    // The client keeps its connection open for the next request.
    server.get("/health").await;
    let client = server.client.clone();
    let (code, log) = server.terminate();
    assert_eq!(code, Some(0), "{log}");
    assert!(!log.contains("cut off"), "{log}");
    drop(client);
}

/// The same command for a process that may open so many files and no more.
fn with_open_files(command: &Command, open_files: u32) -> Command {
    let mut limited = Command::new("sh");
    limited.arg("-c").arg(format!("ulimit -n {open_files}; exec \"$0\" \"$@\""));
    limited.arg(command.get_program()).args(command.get_args());
    limited.current_dir(command.get_current_dir().unwrap()).stdin(Stdio::null());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => limited.env(name, value),
            None => limited.env_remove(name),
        };
    }
    limited
}

/// A request for `/health` over a connection of its own, from which the answer can be read.
fn ask_health(server: &Server) -> TcpStream {
    let mut connection = TcpStream::connect(server.base.strip_prefix("http://").unwrap()).unwrap();
    let request = b"GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    connection.write_all(request).unwrap();
    connection
}

fn answer(mut connection: TcpStream) -> String {
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    answer
}

#[tokio::test]
async fn connections_stay_below_a_low_limit_of_open_files() {
    let program = Program::new();
    let server = Server::start_by(with_open_files(&program.command(&SERVE), 300));
    let address = server.base.strip_prefix("http://").unwrap();
    let held: Vec<_> = (0..400).map(|_| TcpStream::connect(address).unwrap()).collect();
    // From another address of this machine.
    let client = Client::builder().local_address(Some([127, 0, 0, 2].into())).no_proxy().build().unwrap();
    let response = client.get(format!("{}/health", server.base)).send().await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    drop(held);
    let (code, log) = server.terminate();
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("the limit of open files is too low"), "{log}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_that_runs_out_of_open_files_goes_on_when_there_are_some() {
    use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};
    let program = Program::new();
    let mut server = Server::start(&program);
    let pid = Pid::from_raw(i32::try_from(server.child.id()).unwrap());
    let maximum = getrlimit(Resource::Nofile).maximum;
    let set = |current| prlimit(pid, Resource::Nofile, Rlimit { current, maximum }).unwrap();

    let before = set(Some(3));
    let waiting = ask_health(&server);
    let mut log = BufReader::new(server.child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("no connection can be taken") {
        line.clear();
        assert_ne!(log.read_line(&mut line).unwrap(), 0, "the server ended");
    }
    set(before.current);
    let answered = answer(waiting);
    assert!(answered.starts_with("HTTP/1.1 200"), "{answered}");
    let answered = answer(ask_health(&server));
    assert!(answered.starts_with("HTTP/1.1 200"), "{answered}");
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
async fn a_scan_that_was_under_way_is_answered_after_a_crash() {
    let program = Program::new();
    let key = [("idempotency-key", "pallet-7")];
    let server = Server::start(&program);
    server.sign_up().await;
    server.add_vehicle("Civic").await;
    // Long enough to claim the key, and too short for an answer; if it is not, the same holds.
    let waited = tokio::time::timeout(Duration::from_millis(40), server.identify_with("rim", &key)).await;
    drop(server);
    drop(waited);

    let server = Server::start(&program);
    server.sign_in().await;
    let scan = server.identify_with("rim", &key).await;
    assert!(scan["id"].is_string(), "{scan}");
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
fn a_taken_port_is_named_with_what_to_do_before_the_model_is_read() {
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap().to_string();
    let program = Program::new().with("PARTSIGHT_MODEL_DIR", "nowhere");
    let line = last_line_of_failure(&program, &["--listen", &address]);
    let expected = format!(
        "partsight: port {} of 127.0.0.1 is taken by another program; stop it, or choose another with --listen",
        other.local_addr().unwrap().port()
    );
    assert_eq!(line, expected);
}

#[test]
fn a_second_server_on_the_same_database_is_refused_and_a_killed_one_leaves_it_free() {
    let program = Program::new();
    let server = Server::start(&program);
    let line = last_line_of_failure(&program, &["--listen", "127.0.0.1:0"]);
    assert!(line.contains("another server works with the database `data/partsight.db`"), "{line}");
    #[cfg(unix)]
    {
        // Nor under another name.
        let linked = program.write("linked/settings.toml", "").with_file_name("partsight.db");
        std::os::unix::fs::symlink("../data/partsight.db", linked).unwrap();
        let refused = program.run(&["serve", "--data-dir", "linked", "--listen", "127.0.0.1:0"]);
        assert!(refused.stderr.contains("another server works with the database"), "{refused:?}");
    }
    // Commands beside the server go on.
    program.run(&["admin", "user", "list", "--data-dir", "data"]).expect_code(0);
    // Killed, as it is when it is dropped.
    drop(server);
    drop(Server::start(&program));
}

#[test]
#[cfg(unix)]
fn a_lock_that_this_user_may_not_open_keeps_the_server_from_starting() {
    use std::os::unix::fs::PermissionsExt;
    let program = Program::new();
    let lock = program.write("data/partsight.db.server", "");
    std::fs::set_permissions(&lock, std::fs::Permissions::from_mode(0o000)).unwrap();
    as_ordinary_user(|| {
        let line = last_line_of_failure(&program, &["--listen", "127.0.0.1:0"]);
        assert!(line.contains("sudo chown --reference='data' 'data/partsight.db.server'"), "{line}");
    });
}

#[test]
fn an_address_that_is_none_exits_with_2() {
    Program::new().run(&["serve", "--listen", "here"]).expect_code(2);
}

#[test]
fn a_data_folder_that_cannot_be_made_is_named() {
    let program = Program::new();
    program.write("data", "a file where the folder should be");
    let line = last_line_of_failure(&program, &["--listen", "127.0.0.1:0"]);
    assert!(line.starts_with("partsight: cannot create the data folder `data`"), "{line}");
}

#[test]
fn a_folder_that_takes_no_mails_is_refused_before_the_model_is_read() {
    let program = Program::new().with("PARTSIGHT_MODEL_DIR", "nowhere");
    program.write("letters", "a file where the folder should be");
    let arguments = ["--listen", "127.0.0.1:0"];
    let named = program.with("PARTSIGHT_MAIL_DIR", "letters/out");
    let line = last_line_of_failure(&named, &arguments);
    let found = "partsight: mails cannot be written into `letters/out`: `letters` is not a folder";
    assert!(line.starts_with(found) && line.contains("`mail_dir`"), "{line}");
    // With a mail server the folder is not used.
    let line = last_line_of_failure(&named.with("PARTSIGHT_SMTP_URL", "smtp://127.0.0.1:1"), &arguments);
    assert!(line.contains("`model_dir`"), "{line}");
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
    assert!(line.contains("the model that `model_dir` names"), "{line}");
    assert!(line.contains("cannot read the model file `nowhere/model.toml`"), "{line}");
}
