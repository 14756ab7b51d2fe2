//! Mails through a server that wants encryption from the first byte on.

use std::net::SocketAddr;
use std::sync::Arc;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use crate::Program;
use crate::serve::Server;
use crate::smtp_server::{Manners, SmtpServer};

/// The encrypted door of a mail server: what comes in is handed on in the clear on this machine.
struct Door {
    address: SocketAddr,
    /// PEM of the certificate for `localhost`, which no authority has signed.
    certificate: String,
    /// Told when somebody comes.
    knocked: Arc<Notify>,
    _tasks: JoinSet<()>,
}

impl Door {
    async fn to(inner: SocketAddr) -> Self {
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
        let _ = rustls::crypto::ring::default_provider().install_default();
        let config = ServerConfig::builder().with_no_client_auth();
        let config = config.with_single_cert(vec![cert.der().clone()], key).unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let knocked = Arc::<Notify>::default();
        let somebody_came = Arc::clone(&knocked);
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                somebody_came.notify_one();
                let acceptor = acceptor.clone();
                connections.spawn(async move {
                    // Whoever does not trust the certificate goes away here.
                    let Ok(mut outside) = acceptor.accept(stream).await else { return };
                    let Ok(mut inside) = TcpStream::connect(inner).await else { return };
                    let _ = tokio::io::copy_bidirectional(&mut outside, &mut inside).await;
                });
            }
        });
        Self { address, certificate: cert.pem(), knocked, _tasks: tasks }
    }

    fn program(&self) -> Program {
        let url = format!("smtps://ann:secret@localhost:{}", self.address.port());
        Program::new()
            .with("PARTSIGHT_SMTP_URL", url)
            .with("PARTSIGHT_MAIL_FROM", "help@parts.example")
            .with("PARTSIGHT_PUBLIC_URL", "http://localhost:8080")
    }
}

// The door works on while the test waits for a process.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mail_goes_out_encrypted_to_a_server_whose_certificate_is_trusted() {
    // "\0ann\0secret"
    let manners = Manners { credentials: Some("AGFubgBzZWNyZXQ="), ..Manners::default() };
    let mails = SmtpServer::start(manners).await;
    let door = Door::to(mails.address).await;
    let program = door.program();
    let trusted = program.write("certificates.pem", &door.certificate);
    let program = program.with("SSL_CERT_FILE", trusted);
    let server = Server::start(&program);
    server.sign_up().await;
    let mail = mails.next().await;
    assert_eq!(mail.to, ["ann@example.com"]);
}

// The door works on while the test waits for a process.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_whose_certificate_is_not_trusted_gets_nothing() {
    let mails = SmtpServer::start(Manners::default()).await;
    let door = Door::to(mails.address).await;
    let program = door.program();
    let server = Server::start(&program);
    server.sign_up().await;
    // A server that stops finishes what it has begun.
    door.knocked.notified().await;
    let (code, log) = server.terminate();
    assert_eq!(code, Some(0));
    assert!(log.contains("no trusted encryption"), "{log}");
    assert!(log.contains("a mail has not left yet, and is tried again"), "{log}");
    assert!(!log.contains("secret"), "{log}");
    assert_eq!((mails.attempts(), mails.is_empty().await), (0, true));
}
