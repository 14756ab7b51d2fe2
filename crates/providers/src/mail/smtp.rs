use std::error::Error as _;
use std::io;
use std::net::IpAddr;
use std::time::Duration;

use lettre::transport::smtp::{self, AsyncSmtpTransportBuilder};
use lettre::{AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};
use openidconnect::url::Url;
use tokio::time::timeout;

use crate::{DeliveryFailure, Error};

/// How long a connection may take.
const CONNECT_LIMIT: Duration = Duration::from_secs(20);
/// Total time limit of a delivery: the library does not limit the steps after the connection, and a server may
/// check a mail for a while before accepting it.
const DELIVERY_LIMIT: Duration = Duration::from_mins(1);

/// A mail server. One connection a mail: there are few of them.
#[derive(Clone)]
pub(crate) struct Smtp {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    limit: Duration,
}

partsight_domain::debug_fields!(Smtp {});

impl Smtp {
    pub(crate) fn new(url: &str) -> Result<Self, Error> {
        if !is_smtp_url(url) {
            return Err(Error::SmtpUrl);
        }
        let builder: AsyncSmtpTransportBuilder =
            AsyncSmtpTransport::<Tokio1Executor>::from_url(url).map_err(|_| Error::SmtpUrl)?;
        Ok(Self { transport: builder.timeout(Some(CONNECT_LIMIT)).build(), limit: DELIVERY_LIMIT })
    }

    /// Connects, signs in and disconnects.
    pub(crate) async fn greet(&self) -> Result<(), Error> {
        if self.in_time(self.transport.test_connection()).await? {
            Ok(())
        } else {
            Err(Error::Deliver(DeliveryFailure::NoConnection))
        }
    }

    pub(crate) async fn send(&self, message: &Message) -> Result<(), Error> {
        let message_text = message.formatted();
        self.in_time(self.transport.send_raw(message.envelope(), &message_text)).await.map(drop)
    }

    async fn in_time<T>(&self, work: impl Future<Output = Result<T, smtp::Error>>) -> Result<T, Error> {
        let failure = match timeout(self.limit, work).await {
            Ok(Ok(done)) => return Ok(done),
            Ok(Err(error)) => failure(&error),
            Err(_) => DeliveryFailure::TimedOut,
        };
        Err(Error::Deliver(failure))
    }
}

/// Whether this is an SMTP URL that does not send a password unencrypted.
pub(super) fn is_smtp_url(url: &str) -> bool {
    let Ok(url) = Url::parse(url) else { return false };
    let Some(host) = url.host_str().filter(|host| !host.is_empty()) else { return false };
    // For a scheme that the URL standard does not know, the parser treats an IPv4 address as a name.
    let address: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
    let is_local = host == "localhost" || address.is_some_and(|address| address.is_loopback());
    let is_encrypted = match url.scheme() {
        "smtps" => true,
        "smtp" => url.query_pairs().any(|(name, value)| name == "tls" && value == "required"),
        _ => return false,
    };
    // The library knows the valid values of `tls`.
    let is_understood = AsyncSmtpTransport::<Tokio1Executor>::from_url(url.as_str()).is_ok();
    is_understood && (is_encrypted || is_local || url.password().is_none())
}

fn failure(error: &smtp::Error) -> DeliveryFailure {
    if let Some(code) = error.status() {
        let code = u16::from(code);
        let is_temporary = error.is_transient() || is_about_sender(code, &error.to_string());
        DeliveryFailure::Refused { code, is_temporary }
    } else if error.is_timeout() {
        DeliveryFailure::TimedOut
    } else if error.is_tls() || is_of_encryption(error) {
        DeliveryFailure::Encryption
    } else {
        DeliveryFailure::NoConnection
    }
}

/// Whether a final refusal is not about the recipient or the mail: the credentials, a policy (enhanced codes 5.7.*) or a
/// quota (5.4.5). The operator can repair that, so the mail is kept until then.
fn is_about_sender(code: u16, answer: &str) -> bool {
    !(550..=554).contains(&code) || answer.contains(" 5.7.") || answer.contains(" 5.4.5")
}

/// Whether TLS failed on a connection, or the server offers none; the library reports both like any other lost
/// connection.
fn is_of_encryption(error: &smtp::Error) -> bool {
    // Only the text of the library's error shows that a server has no STARTTLS.
    if error.is_client() && error.to_string().contains("STARTTLS") {
        return true;
    }
    let mut cause = error.source();
    while let Some(found) = cause {
        let inner = found.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        if let Some(inner) = inner
            && inner.is::<rustls::Error>()
        {
            return true;
        }
        cause = found.source();
    }
    false
}

#[cfg(test)]
mod tests {
    use partsight_test_support::smtp_server::{Manners, SmtpServer};

    use super::*;

    #[tokio::test]
    async fn a_server_that_says_nothing_is_left_after_a_while() {
        let server = SmtpServer::start(Manners { is_silent: true, ..Manners::default() }).await;
        let smtp = Smtp { limit: Duration::from_millis(50), ..Smtp::new(&server.url()).unwrap() };
        let message = Message::builder()
            .from("help@parts.example".parse().unwrap())
            .to("ann@example.com".parse().unwrap())
            .body(String::new())
            .unwrap();
        for result in [smtp.greet().await, smtp.send(&message).await] {
            assert!(matches!(result, Err(Error::Deliver(DeliveryFailure::TimedOut))), "{result:?}");
        }
    }

    #[tokio::test]
    async fn a_server_without_the_encryption_that_is_demanded_is_told_apart_from_none() {
        let server = SmtpServer::start(Manners::default()).await;
        let smtp = Smtp::new(&format!("{}?tls=required", server.url())).unwrap();
        let result = smtp.greet().await;
        assert!(matches!(result, Err(Error::Deliver(DeliveryFailure::Encryption))), "{result:?}");
    }

    #[test]
    fn a_password_goes_out_encrypted_only() {
        for usable in [
            "smtps://ann:secret@mail.example.com",
            "smtp://ann:secret@mail.example.com:587?tls=required",
            "smtp://mail.example.com:25",
            "smtp://ann:secret@127.0.0.1:2525",
            "smtp://ann:secret@[::1]:2525",
            "smtp://ann:secret@localhost",
        ] {
            assert!(Smtp::new(usable).is_ok(), "{usable}");
        }
        for refused in [
            "smtp://ann:secret@mail.example.com",
            "smtp://ann:secret@mail.example.com?tls=opportunistic",
            "smtp://ann:secret@127.0.0.1.example.com",
            "https://mail.example.com",
            "smtp://mail.example.com?tls=wanted",
            "smtp:mail",
            "mail.example.com",
            "",
        ] {
            let error = Smtp::new(refused).unwrap_err();
            assert!(matches!(error, Error::SmtpUrl), "{refused}");
            assert!(!error.to_string().contains("secret"));
        }
    }
}
