use std::fmt;

use partsight_store::without_password;
use serde::{Deserialize, Serialize, Serializer};

/// The address of a database. Printed and logged, it has `***` in place of its password.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct DatabaseUrl(String);

impl DatabaseUrl {
    /// Takes over an address.
    pub fn new(url: impl Into<String>) -> Self {
        Self(url.into())
    }

    /// The address itself, with its password.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether it is of a kind that we can open.
    pub fn is_known(&self) -> bool {
        ["postgres://", "postgresql://", "sqlite:"].iter().any(|start| self.0.starts_with(start))
    }

    /// Whether it is a file on this machine, which nobody else writes into.
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
