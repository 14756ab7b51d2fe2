//! Outgoing mail: plain text, one recipient, by SMTP or into a folder.

mod folder;
mod settings;
mod smtp;

use lettre::Message;
use lettre::message::header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue};
use lettre::message::{Body, Mailbox, MessageBuilder};
use openidconnect::url::Url;
use partsight_domain::EmailAddress;
use uuid::Uuid;

use crate::Error;

pub use settings::MailSettings;
use smtp::is_smtp_url;

/// Longest line of a mail in bytes, without its line break (RFC 5322, section 2.1.1).
const MAX_LINE_BYTES: usize = 998;
/// The name beside the address in `From`.
const SENDER: &str = "Partsight";

/// One mail to one person. Its `Debug` output shows neither address nor text, which may hold a secret link.
#[derive(Clone, PartialEq, Eq)]
pub struct Mail {
    /// The recipient.
    pub to: EmailAddress,
    /// The subject line.
    pub subject: String,
    /// The body, as plain text.
    pub text: String,
    /// Address for replies; the sender's if `None`.
    pub reply_to: Option<EmailAddress>,
    /// For recurring mails: the URL to which a `POST` unsubscribes. It is included only if it is `https` (RFC
    /// 8058).
    pub unsubscribe_url: Option<String>,
}

partsight_domain::debug_fields!(Mail {});

/// Composes mails and sends them. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Mailer {
    from: EmailAddress,
    transport: Transport,
}

#[derive(Debug, Clone)]
enum Transport {
    Smtp(smtp::Smtp),
    Folder(folder::Folder),
}

impl Mailer {
    /// Connects to nothing yet.
    ///
    /// # Errors
    /// [`Error::SmtpUrl`] or [`Error::Compose`] for an address that cannot be used; a sender must be set.
    pub fn new(settings: &MailSettings) -> Result<Self, Error> {
        let from = EmailAddress::new(settings.from.as_deref().unwrap_or_default())
            .map_err(|error| Error::Compose(error.into()))?;
        let transport = match &settings.smtp_url {
            Some(url) => Transport::Smtp(smtp::Smtp::new(url.reveal())?),
            None => Transport::Folder(folder::Folder::new(settings.dir.clone().unwrap_or_default())),
        };
        Ok(Self { from, transport })
    }

    /// Sends a mail, with a single attempt. By the same `id`, a receiver can recognise a mail that comes again.
    ///
    /// # Errors
    /// [`Error::Compose`], [`Error::Deliver`], [`Error::WriteMail`].
    pub async fn send(&self, mail: &Mail, id: Uuid) -> Result<(), Error> {
        let message = self.compose(mail, id)?;
        match &self.transport {
            Transport::Smtp(smtp) => smtp.send(&message).await,
            Transport::Folder(folder) => folder.write(&message).await,
        }
    }

    /// The mail as it goes over the wire.
    fn compose(&self, mail: &Mail, id: Uuid) -> Result<Message, Error> {
        let domain = self.from.as_str().rsplit('@').next().unwrap_or("localhost");
        let mut builder: MessageBuilder = Message::builder()
            // Set here, because the library would use the domain `localhost`.
            .message_id(Some(format!("<{id}@{domain}>")))
            .from(mailbox(Some(SENDER.to_owned()), &self.from)?)
            .to(mailbox(None, &mail.to)?)
            .subject(mail.subject.clone())
            .header(ContentType::TEXT_PLAIN);
        if let Some(address) = &mail.reply_to {
            builder = builder.reply_to(mailbox(None, address)?);
        }
        let message = builder.body(body(&mail.text));
        let mut message = message.map_err(|error| Error::Compose(error.into()))?;
        if let Some(url) =
            // Only ASCII: the header is inserted raw, and a line break in it would begin another header.
            mail.unsubscribe_url.as_deref().filter(|url| url.starts_with("https://") && url.is_ascii())
        {
            let headers = message.headers_mut();
            for (name, value) in [
                (HeaderName::new_from_ascii_str("List-Unsubscribe"), format!("<{url}>")),
                (
                    HeaderName::new_from_ascii_str("List-Unsubscribe-Post"),
                    "List-Unsubscribe=One-Click".to_owned(),
                ),
            ] {
                // In one line of any length: some mail programs do not support a folded URL.
                headers.insert_raw(HeaderValue::dangerous_new_pre_encoded(name, value.clone(), value));
            }
        }
        Ok(message)
    }
}

/// Connects to the mail server at `url`, encrypts and signs in as for a mail, but sends none.
///
/// # Errors
/// [`Error::SmtpUrl`], [`Error::Deliver`].
pub async fn greet_mail_server(url: &str) -> Result<(), Error> {
    smtp::Smtp::new(url)?.greet().await
}

/// The text unencoded if the rules for mails allow it: an encoding would break the line of a link, which some users
/// copy from the file.
fn body(text: &str) -> Body {
    let is_plain =
        text.is_ascii() && !text.contains('\0') && text.lines().all(|line| line.len() <= MAX_LINE_BYTES);
    if is_plain {
        let lines: Vec<&str> = text.lines().collect();
        // Mails require CRLF line breaks.
        let bytes = lines.join("\r\n").into_bytes();
        return Body::dangerous_pre_encoded(bytes, ContentTransferEncoding::SevenBit);
    }
    Body::new(text.to_owned())
}

/// An address with its domain in ASCII (Punycode), which every mail server understands.
pub(crate) fn ascii_domain(address: &str) -> String {
    let ascii =
        address.rsplit_once('@').filter(|(_, domain)| !domain.is_ascii()).and_then(|(local, domain)| {
            let url = Url::parse(&format!("https://{domain}")).ok()?;
            Some(format!("{local}@{}", url.host_str()?))
        });
    ascii.unwrap_or_else(|| address.to_owned())
}

fn mailbox(name: Option<String>, address: &EmailAddress) -> Result<Mailbox, Error> {
    let address =
        ascii_domain(address.as_str()).parse().map_err(|error: lettre::address::AddressError| {
            // This error's text does not contain the address.
            Error::Compose(error.into())
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
    fn a_domain_is_written_in_ascii() {
        for (address, expected) in [
            ("ann@Müller.example", "ann@xn--mller-kva.example"),
            ("ann@Example.com", "ann@Example.com"),
            ("änn@example.com", "änn@example.com"),
        ] {
            assert_eq!(ascii_domain(address), expected);
        }
    }

    #[test]
    fn a_mail_has_what_mail_programs_look_for() {
        let settings =
            MailSettings { from: Some("help@parts.example".to_owned()), ..MailSettings::default() };
        let mail = Mail {
            to: address("ann@example.com"),
            subject: "Grüße\r\nBcc: eve@example.com".to_owned(),
            text: "Überschrift\n.\nhttps://parts.example/x?token=abc".to_owned(),
            reply_to: Some(address("bob@example.com")),
            unsubscribe_url: Some("https://parts.example/stop/1".to_owned()),
        };
        let message = Mailer::new(&settings).unwrap().compose(&mail, Uuid::from_u128(7)).unwrap();
        let text = String::from_utf8(message.formatted()).unwrap();
        for part in [
            "From: Partsight <help@parts.example>",
            "To: ann@example.com",
            "Date: ",
            "Message-ID: <00000000-0000-0000-0000-000000000007@parts.example>",
            "Reply-To: bob@example.com",
            "List-Unsubscribe: <https://parts.example/stop/1>",
            "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.lines().any(|line| line.starts_with("Bcc")), "{text}");
        assert_eq!(format!("{mail:?}"), "Mail { .. }");
    }
}
