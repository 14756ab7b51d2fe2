use rand::RngCore;
use sha2::{Digest, Sha256};

const TOKEN_BYTES: usize = 32;

/// The secret in a cookie or a mailed link: 32 random bytes in hex. Its `Debug` output does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretToken(String);

impl SecretToken {
    /// Wraps any text from outside.
    pub fn from_text(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text for the cookie or the link.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn generate() -> Self {
        let mut bytes = [0_u8; TOKEN_BYTES];
        rand::rng().fill_bytes(&mut bytes);
        Self(hex::encode(bytes))
    }

    /// What the database keeps instead of the secret. One plain SHA-256 is enough for 256 random bits.
    pub(crate) fn sha256(&self) -> String {
        sha256(&self.0)
    }
}

partsight_domain::debug_fields!(SecretToken {});

/// Whether two secrets are equal. Their hashes are compared, so that the time does not tell where they differ.
pub(super) fn is_same_secret(one: &str, other: &str) -> bool {
    sha256(one) == sha256(other)
}

fn sha256(text: &str) -> String {
    hex::encode(Sha256::digest(text.as_bytes()))
}
