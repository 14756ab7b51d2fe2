use jiff::{SignedDuration, Timestamp};

use crate::text::short_text;
use crate::{ApiKeyId, InvalidInput};

/// Longest name, in characters.
const NAME_MAX_CHARS: usize = 80;
/// Maximum of keys per user.
pub const MAX_API_KEYS: u32 = 20;
/// Maximum time until a key expires: ten years.
// 3,660 days, so that ten years with their leap days always fit.
const LONGEST_VALIDITY: SignedDuration = SignedDuration::from_hours(24 * 3660);

named! {
    /// What a key gives access to.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum ApiScope {
        /// Identify photographs and read the scans.
        Scan = "scan",
        /// Read what is known about parts and where they are sold; read and change what a shop has and teaches, its price
        /// lists and its cross-references.
        Catalog = "catalog",
        /// Read vehicles, records and reminders.
        GarageRead = "garage-read",
        /// Change vehicles, records and reminders, and delete scans.
        GarageWrite = "garage-write",
        /// Read events about scans, batches and reminders, and manage webhooks for them.
        Events = "events",
    }
}

/// Form for a new key, validated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewApiKey {
    /// Its owner's name for it, 1 to 80 characters.
    pub name: String,
    /// At least one, each once, in the order of [`ApiScope::ALL`].
    pub scopes: Vec<ApiScope>,
    /// When it expires.
    pub expires_at: Option<Timestamp>,
}

impl NewApiKey {
    /// Checks the form at `now`.
    ///
    /// # Errors
    /// Names the field (`name`, `scopes`, `expiresAt`) and what to do.
    pub fn new(
        name: &str,
        scopes: &[String],
        expires_at: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Self, InvalidInput> {
        let name = short_text("name", "The name", name, NAME_MAX_CHARS)?;
        if name.is_empty() {
            return Err(InvalidInput::new("name", "Please give the key a name, such as what it is for."));
        }
        let mut parsed = Vec::new();
        for scope in scopes {
            parsed.push(ApiScope::from_name(scope).ok_or_else(|| unknown_scope(scope))?);
        }
        // Sorted, so that a key does not depend on the order in which its scopes were sent.
        parsed.sort_unstable();
        parsed.dedup();
        if parsed.is_empty() {
            let message = format!("Please choose at least one of the scopes {}.", scope_names());
            return Err(InvalidInput::new("scopes", message));
        }
        let is_open =
            expires_at.is_none_or(|moment| moment > now && moment.duration_since(now) <= LONGEST_VALIDITY);
        if !is_open {
            return Err(Self::out_of_range());
        }
        Ok(Self { name, scopes: parsed, expires_at })
    }

    /// The error for an expiry in the past, or more than ten years ahead.
    pub fn out_of_range() -> InvalidInput {
        InvalidInput::new("expiresAt", "Please choose a moment in the next ten years, or none.")
    }
}

fn unknown_scope(name: &str) -> InvalidInput {
    // Truncated, because the message repeats user input.
    let name: String = name.chars().take(NAME_MAX_CHARS).collect();
    let name = name.escape_debug();
    let message = format!("There is no scope `{name}`. Please choose among {}.", scope_names());
    InvalidInput::new("scopes", message)
}

fn scope_names() -> String {
    let names: Vec<String> = ApiScope::ALL.iter().map(|scope| format!("`{}`", scope.as_str())).collect();
    names.join(", ")
}

/// An API key, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKey {
    /// Not the secret.
    pub id: ApiKeyId,
    /// Its owner's name for it.
    pub name: String,
    /// Prefix of the secret, by which its owner recognises it.
    pub prefix: String,
    /// What it gives access to.
    pub scopes: Vec<ApiScope>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Option<Timestamp>,
    /// When it was last used, to within a minute.
    pub last_used_at: Option<Timestamp>,
}

impl ApiKey {
    /// Whether it is valid at `now`.
    pub fn is_open(&self, now: Timestamp) -> bool {
        // Exclusive: at the time of expiry itself it is invalid.
        self.expires_at.is_none_or(|moment| now < moment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str, scopes: &[&str], hours: Option<i64>) -> Result<NewApiKey, InvalidInput> {
        let scopes: Vec<String> = scopes.iter().map(ToString::to_string).collect();
        let now = Timestamp::UNIX_EPOCH;
        NewApiKey::new(name, &scopes, hours.map(|hours| now + SignedDuration::from_hours(hours)), now)
    }

    #[test]
    fn a_key_has_a_name_and_each_scope_once() {
        let new = key(" till ", &["garage-read", "scan", "garage-read"], Some(1)).unwrap();
        assert_eq!((new.name.as_str(), new.scopes), ("till", vec![ApiScope::Scan, ApiScope::GarageRead]));
    }

    #[test]
    fn what_makes_no_key_is_named() {
        for (name, scopes, hours, field) in [
            ("", &["scan"][..], None, "name"),
            ("a\nb", &["scan"], None, "name"),
            ("till", &[], None, "scopes"),
            ("till", &["scan", "admin"], None, "scopes"),
            ("till", &["scan"], Some(0), "expiresAt"),
            ("till", &["scan"], Some(24 * 3661), "expiresAt"),
        ] {
            assert_eq!(key(name, scopes, hours).unwrap_err().field, field);
        }
        let unknown = key("till", &["scan", "admin"], None).unwrap_err().message;
        assert!(unknown.starts_with("There is no scope `admin`. Please choose among `scan`, "), "{unknown}");
    }
}
