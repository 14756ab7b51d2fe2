use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use partsight_test_support::is_missing;
use partsight_test_support::process::first_line;
use reqwest::redirect::Policy;
use serde_json::{Value, json};
use tokio::io::copy_bidirectional;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::recorder::{Record, Recorder, listen};

/// Where the provider sends browsers back to. Nothing listens there: a test takes the address apart.
pub(crate) const PUBLIC_URL: &str = "http://parts.example.com";

/// A running sign-in provider: the npm package `oidc-provider`, with people who agree to everything.
pub(crate) struct OidcProvider {
    child: Child,
    pub(crate) issuer: String,
    _record: Record,
    _door: JoinSet<()>,
}

impl OidcProvider {
    /// None, with the reason on standard error, where the package is not installed; in CI that is a failure.
    pub(crate) async fn start() -> Option<Self> {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/oidc-provider");
        if !is_installed(&folder) {
            is_missing(&format!("run `npm ci` in {} first", folder.display()));
            return None;
        }
        // It goes by the address of the recorder before it.
        let (recorder, record) = listen().await;
        let issuer = format!("http://{}", record.address);
        let mut child = Command::new("node")
            .arg(folder.join("server.mjs"))
            .arg(format!("{PUBLIC_URL}/api/login/callback"))
            .arg(&issuer)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let address: SocketAddr = first_line(&mut child, |line| line.parse().ok());
        let mut door = JoinSet::new();
        door.spawn(hand_on(recorder, address));
        // What Node loads and compiles at the first call must not count against the seconds that a server gives one.
        for path in [".well-known/openid-configuration", "jwks"] {
            let reply = browser().get(format!("{issuer}/{path}")).send().await.unwrap();
            assert_eq!(reply.status(), 200, "{path}");
        }
        Some(Self { child, issuer, _record: record, _door: door })
    }

    /// Who signs in next. The address is `<name>@example.com`.
    pub(crate) async fn expect_person(&self, name: &str) {
        self.expect(&json!({ "sub": format!("{name}-1"), "claims": claims(name) })).await;
    }

    /// Who signs in next, with what is wrong about it.
    pub(crate) async fn expect_fault(&self, name: &str, fault: &str) {
        self.expect(&json!({ "sub": format!("{name}-1"), "claims": claims(name), "fault": fault })).await;
    }

    /// What the next sign-in is like; see `server.mjs`.
    pub(crate) async fn expect(&self, next: &Value) {
        let request = browser().post(format!("{}/test/next", self.issuer)).json(next);
        assert_eq!(request.send().await.unwrap().status(), 200);
    }

    /// Opens the provider's page as a browser of its own does, and gives the path with which it sends it back.
    pub(crate) async fn visit(&self, page: &str) -> String {
        assert!(page.starts_with(&self.issuer), "{page}");
        let browser = browser();
        let mut address = page.to_owned();
        for _ in 0..10 {
            let reply = browser.get(&address).send().await.unwrap();
            let location = reply.headers().get("location").map(|value| value.to_str().unwrap().to_owned());
            let Some(location) = location else { panic!("{address}: {:?}", reply.text().await) };
            if let Some(path) = location.strip_prefix(PUBLIC_URL) {
                return path.to_owned();
            }
            address = if location.starts_with('/') { format!("{}{location}", self.issuer) } else { location };
        }
        panic!("the provider leads in circles: {address}")
    }
}

impl Drop for OidcProvider {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Hands each connection on to the provider.
async fn hand_on(recorder: Recorder, provider: SocketAddr) {
    let mut connections = JoinSet::new();
    while let Ok((mut outside, _)) = recorder.accept().await {
        connections.spawn(async move {
            let Ok(mut inside) = TcpStream::connect(provider).await else { return };
            // Either side may hang up.
            let _ = copy_bidirectional(&mut outside, &mut inside).await;
        });
    }
}

/// What the provider says of somebody whose address is proved.
pub(crate) fn claims(name: &str) -> Value {
    json!({
        "email": format!("{name}@example.com"), "email_verified": true, "given_name": "Ann",
        "family_name": "Lee",
    })
}

fn is_installed(folder: &Path) -> bool {
    folder.join("node_modules/oidc-provider").is_dir()
}

fn browser() -> reqwest::Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().cookie_store(true).redirect(Policy::none()).no_proxy().build().unwrap()
}
