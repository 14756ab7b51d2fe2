//! Outgoing mail: plain text, one recipient, by SMTP or into a folder.

mod folder;
mod outbox;
mod smtp;

use std::fmt;
use std::path::PathBuf;

use lettre::Message;
use lettre::message::header::{ContentTransferEncoding, ContentType};
use lettre::message::{Body, Mailbox, MessageBuilder};
use partsight_domain::EmailAddress;
use uuid::Uuid;

use crate::Error;

pub use outbox::Outbox;
pub use smtp::is_smtp_url;

/// Longest line of a mail without its end (RFC 5322, section 2.1.1).
const MAX_LINE_BYTES: usize = 998;

/// One mail to one person. Its `Debug` output shows neither address nor text, which may hold a secret link.
#[derive(Clone, PartialEq, Eq)]
pub struct Mail {
    /// Whom it goes to.
    pub to: EmailAddress,
    /// The subject line.
    pub subject: String,
    /// The body, as plain text.
    pub text: String,
    /// Whom an answer goes to; unset, whom the mail is from.
    pub reply_to: Option<EmailAddress>,
}

partsight_domain::debug_fields!(Mail {});

/// Where mails go and who they are from.
#[derive(Debug, Clone)]
pub struct MailSettings {
    /// The address in `From`.
    pub from: EmailAddress,
    /// The name beside it.
    pub from_name: String,
    /// How they leave.
    pub transport: MailTransport,
}

/// How mails leave. Its `Debug` output does not show the server's address, which holds its password.
#[derive(Clone)]
pub enum MailTransport {
    /// Through a mail server: `smtps://user:password@host:465`, `smtp://user:password@host:587?tls=required`,
    /// or without encryption and sign-in `smtp://host:25`.
    Smtp {
        /// The address, user and password percent-encoded.
        url: String,
    },
    /// Into this folder, one `.eml` file a mail, for nobody else to read.
    Folder {
        /// Made when the first mail comes.
        path: PathBuf,
    },
}

impl fmt::Debug for MailTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Smtp { .. } => f.write_str("Smtp(..)"),
            Self::Folder { path } => f.debug_tuple("Folder").field(path).finish(),
        }
    }
}

/// Puts mails together and lets them leave.
#[derive(Debug, Clone)]
enum Mailer {
    Smtp(smtp::Smtp),
    Folder(folder::Folder),
}

impl Mailer {
    fn new(transport: &MailTransport) -> Result<Self, Error> {
        Ok(match transport {
            MailTransport::Smtp { url } => Self::Smtp(smtp::Smtp::new(url)?),
            MailTransport::Folder { path } => Self::Folder(folder::Folder::new(path.clone())),
        })
    }

    async fn send(&self, message: &Message) -> Result<(), Error> {
        match self {
            Self::Smtp(smtp) => smtp.send(message).await,
            Self::Folder(folder) => folder.write(message).await,
        }
    }
}

/// Sends one mail at once, and tries once.
///
/// # Errors
/// [`Error::SmtpUrl`], [`Error::Compose`], [`Error::Deliver`], [`Error::WriteMail`].
pub async fn deliver_now(mail: &Mail, settings: &MailSettings) -> Result<(), Error> {
    Mailer::new(&settings.transport)?.send(&compose(mail, settings)?).await
}

/// Connects to the mail server at `url`, encrypts and signs in as for a mail, and sends none.
///
/// # Errors
/// [`Error::SmtpUrl`], [`Error::Deliver`].
pub async fn greet_mail_server(url: &str) -> Result<(), Error> {
    smtp::Smtp::new(url)?.greet().await
}

/// The mail as it goes over the wire.
fn compose(mail: &Mail, settings: &MailSettings) -> Result<Message, Error> {
    let from = mailbox(Some(settings.from_name.clone()), &settings.from)?;
    let domain = settings.from.as_str().rsplit('@').next().unwrap_or("localhost");
    let mut builder: MessageBuilder = Message::builder()
        .message_id(Some(format!("<{}@{domain}>", Uuid::now_v7())))
        .from(from)
        .to(mailbox(None, &mail.to)?)
        .subject(mail.subject.clone())
        .header(ContentType::TEXT_PLAIN);
    if let Some(address) = &mail.reply_to {
        builder = builder.reply_to(mailbox(None, address)?);
    }
    builder.body(body(&mail.text)).map_err(|error| Error::Compose { source: error.into() })
}

/// The text as it is where mails may hold it so, else encoded: an encoding would break the line of a link, which
/// some people copy out of the file.
fn body(text: &str) -> Body {
    let is_plain =
        text.is_ascii() && !text.contains('\0') && text.lines().all(|line| line.len() <= MAX_LINE_BYTES);
    if is_plain {
        let lines: Vec<&str> = text.lines().collect();
        let bytes = lines.join("\r\n").into_bytes();
        return Body::dangerous_pre_encoded(bytes, ContentTransferEncoding::SevenBit);
    }
    Body::new(text.to_owned())
}

fn mailbox(name: Option<String>, address: &EmailAddress) -> Result<Mailbox, Error> {
    let address = address.as_str().parse().map_err(|error: lettre::address::AddressError| {
        // Its text names what is wrong and not the address.
        Error::Compose { source: error.into() }
    })?;
    Ok(Mailbox::new(name, address))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> EmailAddress {
        EmailAddress::new(text).unwrap()
    }

    #[test]
    fn a_mail_has_what_mail_programs_look_for() {
        let settings = MailSettings {
            from: address("help@parts.example"),
            from_name: "Partsight".to_owned(),
            transport: MailTransport::Folder { path: PathBuf::new() },
        };
        let mail = Mail {
            to: address("ann@example.com"),
            subject: "Grüße\r\nBcc: eve@example.com".to_owned(),
            text: "Überschrift\n.\nhttps://parts.example/x?token=abc".to_owned(),
            reply_to: Some(address("bob@example.com")),
        };
        let text = String::from_utf8(compose(&mail, &settings).unwrap().formatted()).unwrap();
        for part in [
            "From: Partsight <help@parts.example>",
            "To: ann@example.com",
            "Date: ",
            "Message-ID: <",
            "Reply-To: bob@example.com",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.lines().any(|line| line.starts_with("Bcc")), "{text}");
        assert_eq!(format!("{mail:?}"), "Mail { .. }");
    }
}
