use std::fmt;

use jiff::Timestamp;

use crate::text::short_text;
use crate::{InvalidInput, Membership, Plan, TenantId, UserId, messages};

/// Longest name that is stored, in characters.
const NAME_MAX_CHARS: usize = 80;
/// Longest e-mail address (RFC 5321, section 4.5.3.1.3: a path of 256 octets with its brackets).
const EMAIL_MAX_BYTES: usize = 254;
/// The texts that the terms dialog shows, named by the later of their dates (specification 1, section 2).
///
/// Whoever accepted another version is asked again.
pub const TERMS_VERSION: &str = "2025-07-18";
const PASSWORD_MIN_CHARS: usize = 6;
/// A bound on the hashing work that one request can ask for.
const PASSWORD_MAX_BYTES: usize = 1024;

/// An e-mail address in lower case, the way accounts are told apart.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EmailAddress(String);

impl EmailAddress {
    /// Parses and lower-cases an address.
    ///
    /// The rule is deliberately small: one `@`, something before it, a dotted name behind it, no spaces.
    /// Whether an address exists is only known by writing to it.
    pub fn new(text: &str) -> Result<Self, InvalidInput> {
        let text = short_text("email", "The e-mail address", text, EMAIL_MAX_BYTES)?;
        let invalid = || {
            let message = if text.is_empty() {
                "Please enter your e-mail address.".to_owned()
            } else {
                "This is not an e-mail address. It should look like name@example.com.".to_owned()
            };
            InvalidInput::new("email", message)
        };
        let (local, domain) = text.split_once('@').ok_or_else(invalid)?;
        let domain_ok = domain.contains('.')
            && domain
                .split('.')
                .all(|part| !part.is_empty() && !part.starts_with('-') && !part.ends_with('-'));
        let text_ok = text.len() <= EMAIL_MAX_BYTES
            && text.matches('@').count() == 1
            && !text.chars().any(|c| c.is_whitespace() || "<>()[]\\,;:\"".contains(c));
        if local.is_empty() || !domain_ok || !text_ok {
            return Err(invalid());
        }
        Ok(Self(text.to_lowercase()))
    }

    /// The address as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A password that fits the rules. Its `Debug` output does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

impl Password {
    /// Checks the length: at least 6 characters (specification 2, section 5) and at most 1,024 bytes.
    pub fn new(text: String) -> Result<Self, InvalidInput> {
        if text.chars().count() < PASSWORD_MIN_CHARS {
            return Err(InvalidInput::new("password", messages::PASSWORD_TOO_SHORT));
        }
        if text.len() > PASSWORD_MAX_BYTES {
            return Err(InvalidInput::new(
                "password",
                format!("Password must be at most {PASSWORD_MAX_BYTES} bytes"),
            ));
        }
        Ok(Self(text))
    }

    /// The secret itself, for hashing.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(..)")
    }
}

/// A first or last name; may be empty, since not everybody has two.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PersonName(String);

impl PersonName {
    /// A name for `field` of at most 80 characters.
    pub fn new(field: &'static str, text: &str) -> Result<Self, InvalidInput> {
        short_text(field, "The name", text, NAME_MAX_CHARS).map(Self)
    }

    /// A name from a service that knows none of our rules: one that breaks them is left out.
    pub fn or_empty(text: &str) -> Self {
        Self::new("name", text).unwrap_or_default()
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What a sign-up brings.
#[derive(Debug, Clone)]
pub struct NewUser {
    /// Unique among users.
    pub email: EmailAddress,
    /// Only ever stored hashed.
    pub password: Password,
    /// May be empty.
    pub first_name: PersonName,
    /// May be empty.
    pub last_name: PersonName,
}

/// A person with an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// Never changes.
    pub id: UserId,
    /// Whose vehicles and records the user sees.
    pub tenant_id: TenantId,
    /// Lower case.
    pub email: String,
    /// May be empty.
    pub first_name: String,
    /// May be empty.
    pub last_name: String,
    /// What the user has subscribed to; a server-wide setting or a company may stand above it.
    pub plan: Plan,
    /// The company that the user is in.
    pub company: Option<Membership>,
    /// When the account was made.
    pub created_at: Timestamp,
    /// When a link sent to the address was followed, or a sign-in provider vouched for it.
    pub email_verified_at: Option<Timestamp>,
    /// Whether the account can be opened with a password; one made by a sign-in provider has none at first.
    pub has_password: bool,
    /// When the terms were accepted, if they were.
    pub terms_accepted_at: Option<Timestamp>,
    /// Which version of them.
    pub terms_version: Option<String>,
}

impl User {
    /// Whether the terms as they are now were accepted.
    pub fn has_accepted_terms(&self) -> bool {
        self.terms_version.as_deref() == Some(TERMS_VERSION)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn email_addresses_are_parsed_and_lower_cased() {
        for (text, expected) in
            [(" Ann@Example.COM ", "ann@example.com"), ("a.b+c@mail.example.org", "a.b+c@mail.example.org")]
        {
            assert_eq!(EmailAddress::new(text).map(|e| e.as_str().to_owned()), Ok(expected.to_owned()));
        }
        for bad in [
            "",
            "ann",
            "@example.com",
            "ann@",
            "ann@localhost",
            "a@b@c.de",
            "a b@c.de",
            "a@.de",
            "a@b..de",
            "a@-b.de",
            "<a@b.de>",
            "a@b.de\n",
        ] {
            let result = EmailAddress::new(bad.trim_end_matches(' '));
            // A trailing line break is trimmed like any space around the address.
            assert_eq!(result.is_err(), bad != "a@b.de\n", "{bad:?}");
        }
    }

    #[test]
    fn passwords_need_six_characters_and_never_show_in_debug_output() {
        assert_eq!(
            Password::new("12345".to_owned()).unwrap_err().message,
            "Password must be at least 6 characters"
        );
        assert!(Password::new("ünïcöd".to_owned()).is_ok());
        assert!(Password::new("x".repeat(1025)).is_err());
        assert_eq!(format!("{:?}", Password::new("secret1".to_owned())), "Ok(Password(..))");
    }
}
