use jiff::{SignedDuration, Timestamp};

use crate::accounts::EmailAddress;
use crate::text::{long_text, short_text, visible};
use crate::{ContactMessageId, InvalidInput, UserId, messages};

/// Longest name, in characters.
const NAME_MAX_CHARS: usize = 100;
/// Longest subject, in characters.
const SUBJECT_MAX_CHARS: usize = 200;
/// Longest message, in characters: about two pages.
const MESSAGE_MAX_CHARS: usize = 5000;
/// Minimum time for a person to read the form and write a message.
const SHORTEST_WRITING: SignedDuration = SignedDuration::from_secs(2);
/// Maximum of links: advertisements have more.
const MAX_LINKS: usize = 5;

/// Form of a message to support, validated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewContactMessage {
    /// 1 to 100 characters.
    pub name: String,
    /// Address for the reply.
    pub email: EmailAddress,
    /// At most 200 characters.
    pub subject: Option<String>,
    /// 1 to 5,000 characters; may have several lines.
    pub message: String,
}

impl NewContactMessage {
    /// Checks the form.
    ///
    /// # Errors
    /// The specification's sentence for a missing name, address or message, otherwise that of the field.
    pub fn new(name: &str, email: &str, subject: Option<&str>, message: &str) -> Result<Self, InvalidInput> {
        let missing = [("name", name), ("email", email), ("message", message)]
            .into_iter()
            .find(|(_, text)| visible(text).is_empty());
        if let Some((field, _)) = missing {
            return Err(InvalidInput::new(field, messages::CONTACT_FIELDS_MISSING));
        }
        let subject = short_text("subject", "The subject", subject.unwrap_or_default(), SUBJECT_MAX_CHARS)?;
        let message = long_text("message", "The message", Some(message), MESSAGE_MAX_CHARS)?;
        Ok(Self {
            name: short_text("name", "The name", name, NAME_MAX_CHARS)?,
            email: EmailAddress::new(email)?,
            subject: (!subject.is_empty()).then_some(subject),
            message: message.ok_or_else(|| InvalidInput::new("message", messages::CONTACT_FIELDS_MISSING))?,
        })
    }

    /// Why the message is classified as spam, if it is.
    ///
    /// `hidden_field` is the value of a field that users do not see; `writing` is how long the form was open, if
    /// the sender states it.
    pub fn trapped_by(&self, hidden_field: &str, writing: Option<SignedDuration>) -> Option<ContactTrap> {
        // Spam is stored but not mailed, so that a false positive is not lost.
        let n_links = self.message.to_lowercase().matches("://").count();
        if !hidden_field.is_empty() {
            Some(ContactTrap::HiddenField)
        // A sender need not state how long the form was open.
        } else if writing.is_some_and(|writing| writing < SHORTEST_WRITING) {
            Some(ContactTrap::TooFast)
        } else if n_links > MAX_LINKS {
            Some(ContactTrap::Links)
        } else {
            None
        }
    }
}

named! {
    /// Why a message was classified as spam.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ContactTrap {
        /// A field that people never see was filled in.
        HiddenField = "hidden-field",
        /// The form was open for less than two seconds.
        TooFast = "too-fast",
        /// It has more than five links.
        Links = "links",
    }
}

/// A saved message to support.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactMessage {
    /// Sorts by the time of writing.
    pub id: ContactMessageId,
    /// The sender, if they were signed in.
    pub user_id: Option<UserId>,
    /// The message.
    pub details: NewContactMessage,
    /// Why it was classified as spam and not mailed; `None` for other messages.
    pub trapped_by: Option<ContactTrap>,
    /// When it was sent.
    pub created_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> Result<NewContactMessage, InvalidInput> {
        NewContactMessage::new("Ann Lee", "Ann@Example.com", Some(" "), text)
    }

    #[test]
    fn a_message_is_checked_field_by_field() {
        let written = message(" It rattles.\r\nWhy? ").unwrap();
        assert_eq!((written.subject, written.message.as_str()), (None, "It rattles.\nWhy?"));
        let long = "x".repeat(5001);
        let cases = [
            ("", "a@b.de", "", "text", "name", "required"),
            ("\u{200b}", "a@b.de", "", "text", "name", "required"),
            ("Ann", " ", "", "text", "email", "required"),
            ("Ann", "a@b.de", "", "\n", "message", "required"),
            ("Ann", "ann", "", "text", "email", "not an e-mail address"),
            ("Ann\r\nBcc: x@y.de", "a@b.de", "", "text", "name", "line break"),
            ("Ann", "a@b.de", "Hi\r\nBcc: x@y.de", "text", "subject", "line break"),
            ("Ann", "a@b.de", "", &long, "message", "5001 characters"),
        ];
        for (name, email, subject, text, field, sentence) in cases {
            let error = NewContactMessage::new(name, email, Some(subject), text).unwrap_err();
            assert_eq!(error.field, field);
            assert!(error.message.contains(sentence), "{field}: {}", error.message);
        }
    }

    #[test]
    fn what_no_person_sends_is_trapped() {
        let after = |seconds| Some(SignedDuration::from_secs(seconds));
        let plain = message("It rattles: https://example.com/video").unwrap();
        let links = message(&"buy HTTP://x.example ".repeat(6)).unwrap();
        assert_eq!(plain.trapped_by("", None), None);
        assert_eq!(plain.trapped_by("", after(30)), None);
        assert_eq!(plain.trapped_by("x", after(30)), Some(ContactTrap::HiddenField));
        assert_eq!(plain.trapped_by("", after(1)), Some(ContactTrap::TooFast));
        assert_eq!(links.trapped_by("", after(30)), Some(ContactTrap::Links));
    }
}
