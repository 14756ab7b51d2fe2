//! Checks of the port, of mail, and of the outside services that the settings name.

use std::io;
use std::net::{SocketAddr, TcpListener};

use partsight_domain::{EmailAddress, LinkSubject};
use partsight_providers::{
    Mail, Mailer, can_connect, fetch, greet_mail_server, has_root_certificates, origin_of,
};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::{Examination, Finding};
use crate::Settings;
use crate::operations::mail_folder::{MAIL_FOLDER_ADVICE, mail_folder_problem};
use crate::with_causes;

const ASK: &str = "add --online to see whether it answers";

/// Whether the port is free, or a Partsight server answers on it.
pub(super) async fn port(settings: &Settings) -> Finding {
    let listen = settings.server.listen;
    match unheard_port("port", "listen", listen) {
        Some(found) => found,
        None => running_server(listen).await,
    }
}

/// Whether the port of `metrics_listen` is free, or a Partsight server shows its metrics there.
pub(super) async fn metrics_port(settings: &Settings) -> Option<Finding> {
    const CHECK: &str = "metrics-port";
    let listen = settings.monitoring.metrics_listen?;
    if listen == settings.server.listen && listen.port() != 0 {
        let found = format!("`metrics_listen` is {listen}, as `listen` is");
        return Some(Finding::problem(CHECK, found, "choose another port in `metrics_listen`"));
    }
    if let Some(found) = unheard_port(CHECK, "metrics_listen", listen) {
        return Some(found);
    }
    Some(match fetch(&format!("{}/metrics", base_url(listen))).await {
        // An answer that is too long comes empty.
        Ok((200, body)) if body.is_empty() || String::from_utf8_lossy(&body).contains("partsight_") => {
            Finding::ok(CHECK, format!("a server shows its metrics on {listen}"))
        }
        _ => taken_port(CHECK, "metrics_listen", listen),
    })
}

/// The finding about a port; `None` if a server listens on it.
fn unheard_port(check: &'static str, setting: &str, listen: SocketAddr) -> Option<Finding> {
    // The listener is dropped at once, which frees the port again.
    let Err(error) = TcpListener::bind(listen) else {
        return Some(Finding::ok(check, format!("{listen} is free")));
    };
    match error.kind() {
        io::ErrorKind::AddrInUse => None,
        io::ErrorKind::PermissionDenied => Some(Finding::problem(
            check,
            format!("{listen} may not be opened by this user"),
            format!("choose a port from 1024 on in `{setting}`, with a proxy before it"),
        )),
        _ => Some(Finding::problem(
            check,
            format!("{listen} cannot be opened: {error}"),
            format!("set `{setting}` to an address of this machine"),
        )),
    }
}

fn taken_port(check: &'static str, setting: &str, listen: SocketAddr) -> Finding {
    Finding::problem(
        check,
        format!("{listen} is taken by another program"),
        format!("stop that program, or choose another port in `{setting}`"),
    )
}

/// Where a server that listens on this address can be called.
fn base_url(listen: SocketAddr) -> String {
    // The unspecified address (0.0.0.0, ::) cannot be called; a server that listens on it answers on loopback.
    let host = if listen.ip().is_unspecified() { "127.0.0.1".to_owned() } else { listen.ip().to_string() };
    let host = if host.contains(':') { format!("[{host}]") } else { host };
    format!("http://{host}:{}", listen.port())
}

async fn running_server(listen: SocketAddr) -> Finding {
    let base = base_url(listen);
    let taken = || taken_port("port", "listen", listen);
    // A program that does not answer `/health` as Partsight does is another one.
    let Ok((status, body)) = fetch(&format!("{base}/health")).await else { return taken() };
    let version = serde_json::from_slice::<serde_json::Value>(&body).unwrap_or_default();
    let Some(version) = version["version"].as_str().filter(|_| status == 200).map(str::to_owned) else {
        return if status == 503 {
            let found = format!("a server on {listen} says that it does not work");
            Finding::problem("port", found, "its log says why")
        } else {
            taken()
        };
    };
    let found = format!("a server of version {version} answers on {listen}");
    match fetch(&format!("{base}/ready")).await {
        Ok((503, _)) => Finding::warning("port", format!("{found}, and is not ready"), "its log says why"),
        _ => Finding::ok("port", found),
    }
}

/// Whether there are root certificates for HTTPS calls to outside services.
pub(super) fn certificates() -> Finding {
    if has_root_certificates() {
        return Finding::ok(
            "certificates",
            "there are certificates of authorities (CA) to call services over https",
        );
    }
    Finding::warning(
        "certificates",
        "there are no certificates of authorities (CA): no service outside can be called over https",
        "on Debian, install ca-certificates",
    )
}

/// Whether mails can be sent.
pub(super) async fn mail(settings: &Settings, wanted: &Examination) -> Finding {
    let Some(url) = &settings.mail.smtp_url else {
        if let Some(found) = mail_folder_problem(settings) {
            return Finding::problem("mail", found, MAIL_FOLDER_ADVICE);
        }
        let folder = settings.effective_mail().dir.unwrap_or_default();
        let found = format!("no mail server is set: mails are written into `{}`", folder.display());
        let advice = "set `smtp_url`, or nobody gets a link for a new password";
        return if wanted.mail_to.is_some() {
            Finding::problem("mail", format!("no mail was sent: {found}"), advice)
        } else {
            Finding::warning("mail", found, advice)
        };
    };
    let place = origin_of(url.reveal()).unwrap_or_default();
    let advice = "check `smtp_url`, whether this machine may connect there, and whether it trusts the certificate there \
                  (`SSL_CERT_FILE` names a file of trusted authorities)";
    if let Some(to) = &wanted.mail_to {
        return match send(settings, to).await {
            Ok(()) => Finding::ok("mail", format!("`{place}` took a mail; see that it arrived")),
            Err(error) => Finding::problem("mail", error, advice),
        };
    }
    if !wanted.is_online {
        return Finding::ok("mail", format!("`{place}` is set, not asked; {ASK}"));
    }
    match greet_mail_server(url.reveal()).await {
        Ok(()) => Finding::ok("mail", format!("`{place}` answers")),
        Err(error) => Finding::problem("mail", with_causes(&error), advice),
    }
}

async fn send(settings: &Settings, to: &EmailAddress) -> Result<(), String> {
    let mail = Mail {
        to: to.clone(),
        subject: "Partsight can send mails".to_owned(),
        text: "This mail was sent by `partsight doctor`, to see that mails arrive.\n".to_owned(),
        reply_to: None,
        unsubscribe_url: None,
    };
    let sent = match Mailer::new(&settings.effective_mail()) {
        Ok(mailer) => mailer.send(&mail, Uuid::now_v7()).await,
        Err(error) => Err(error),
    };
    sent.map_err(|error| with_causes(&error))
}

/// How a service is checked.
enum Question {
    /// Any HTTP response from this URL counts as reachable. No key is sent, so that nothing is charged.
    Http(String),
    /// A TCP connection counts as reachable.
    Connection(String),
}

/// Checks of the services that the settings name; they are contacted only if `is_online`, and then all at the same time.
pub(super) async fn services(settings: &Settings, is_online: bool) -> Vec<Finding> {
    let origin = |url: &str| origin_of(url).map(Question::Http);
    let sign_in = |issuer: &str| {
        Question::Http(format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/')))
    };
    let (payments, suppliers) = (&settings.payments, &settings.suppliers);
    // An empty subject will do, because only the origin is used.
    let supplier = suppliers.service_template().and_then(|url| url.fill(&LinkSubject::default()));
    let named = [
        ("sign-in", "oidc_issuer", settings.sign_in.issuer.as_deref().map(sign_in)),
        ("judge", "judge_base_url", settings.judge.effective_base_url().and_then(origin)),
        (
            "qdrant",
            "qdrant_url",
            settings.qdrant.url.as_ref().map(|url| Question::Connection((**url).to_owned())),
        ),
        ("vin-decoder", "vin_decoder_url", settings.vehicles.vin_decoder_url.as_deref().and_then(origin)),
        ("recalls", "recalls_url", settings.vehicles.recalls_url.as_deref().and_then(origin)),
        (
            "payments",
            "stripe_api_base",
            payments.secret_key.as_ref().and_then(|_| origin(payments.effective_api_base())),
        ),
        ("ebay", "ebay_url", suppliers.ebay_client_id.as_ref().and_then(|_| origin(&suppliers.ebay_url))),
        ("supplier", "supplier_service_url", supplier.and_then(|url| origin(&url))),
        ("traces", "otlp_endpoint", settings.monitoring.otlp_endpoint.as_deref().and_then(origin)),
    ];
    let questions = named
        .into_iter()
        .filter_map(|(check, setting, question)| question.map(|question| (check, setting, question)));
    let mut findings = Vec::new();
    if is_online {
        let mut asked = JoinSet::new();
        for (place, (check, setting, question)) in questions.enumerate() {
            asked.spawn(async move { (place, ask(check, setting, question).await) });
        }
        let mut answers = asked.join_all().await;
        answers.sort_unstable_by_key(|(place, _)| *place);
        findings.extend(answers.into_iter().map(|(_, finding)| finding));
    } else {
        findings.extend(questions.map(|(check, _, question)| not_asked(check, &question)));
    }
    findings.push(egress(settings));
    findings
}

fn not_asked(check: &'static str, question: &Question) -> Finding {
    let (Question::Http(url) | Question::Connection(url)) = question;
    Finding::ok(check, format!("`{}` is set, not asked; {ASK}", origin_of(url).unwrap_or_default()))
}

async fn ask(check: &'static str, setting: &'static str, question: Question) -> Finding {
    let (Question::Http(url) | Question::Connection(url)) = &question;
    let place = origin_of(url).unwrap_or_default();
    let outcome = match &question {
        Question::Http(url) => fetch(url).await.map(|(status, _)| status),
        Question::Connection(url) => can_connect(url).await.map(|()| 200),
    };
    let advice = format!("check `{setting}`, and whether this machine may connect there");
    match (check, outcome) {
        ("sign-in", Ok(status)) if status != 200 => Finding::problem(
            check,
            format!("`{place}` answers {status} instead of its configuration"),
            advice,
        ),
        (_, Ok(_)) => Finding::ok(check, format!("`{place}` answers")),
        (_, Err(error)) => Finding::problem(check, format!("`{place}`: {}", with_causes(&error)), advice),
    }
}

fn egress(settings: &Settings) -> Finding {
    let services = settings.outside_services();
    let found = match (settings.server.zero_egress, services.is_empty()) {
        (true, _) => "`zero_egress` is set: no setting may name a service on another machine".to_owned(),
        (false, true) => "no setting names a service on another machine".to_owned(),
        (false, false) => format!("these name services on other machines: `{}`", services.join("`, `")),
    };
    Finding::ok("egress", found)
}
