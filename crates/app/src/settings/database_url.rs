use std::borrow::Cow;
use std::fmt;

use partsight_store::without_password;
use serde::{Deserialize, Serialize, Serializer};

/// The address of a database. When printed or logged, its password is replaced by `***`, or the whole address if the
/// password cannot be recognised.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct DatabaseUrl(String);

impl DatabaseUrl {
    /// Wraps an address.
    pub fn new(url: impl Into<String>) -> Self {
        Self(url.into())
    }

    /// The address itself, with its password.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The address itself; an SQLite file is created if it is missing, unless the address says otherwise.
    pub fn reveal_to_create(&self) -> Cow<'_, str> {
        if !self.is_sqlite() || self.0.contains("mode=") {
            return Cow::Borrowed(&self.0);
        }
        let separator = if self.0.contains('?') { '&' } else { '?' };
        Cow::Owned(format!("{}{separator}mode=rwc", self.0))
    }

    /// Whether we support this kind of database.
    pub fn is_known(&self) -> bool {
        match self.0.strip_prefix("sqlite:") {
            // An empty path would also be a database in memory, of which each connection has its own.
            Some(file) => {
                let path = file.trim_start_matches('/').split('?').next().unwrap_or_default();
                !path.is_empty() && path != ":memory:" && !file.contains("mode=memory")
            }
            None => ["postgres://", "postgresql://"].iter().any(|start| self.0.starts_with(start)),
        }
    }

    /// Whether it is a file on this machine, which no other program writes.
    pub fn is_sqlite(&self) -> bool {
        self.0.starts_with("sqlite:")
    }
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&without_password(&self.0))
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for DatabaseUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_and_made() {
        let cases = [
            ("sqlite:parts.db", "sqlite:parts.db?mode=rwc"),
            ("sqlite:///data/parts.db?cache=private", "sqlite:///data/parts.db?cache=private&mode=rwc"),
            ("sqlite:parts.db?mode=rw", "sqlite:parts.db?mode=rw"),
            ("postgres://db/parts", "postgres://db/parts"),
        ];
        for (url, expected) in cases {
            let url = DatabaseUrl::new(url);
            assert!(url.is_known());
            assert_eq!(url.reveal_to_create(), expected);
        }
        for url in [
            "sqlite:",
            "sqlite://",
            "sqlite:?mode=rwc",
            "mysql://db/parts",
            "",
            "sqlite::memory:",
            "sqlite://:memory:",
            "sqlite:parts?mode=memory",
        ] {
            assert!(!DatabaseUrl::new(url).is_known(), "{url}");
        }
    }
}
