use sha2::{Digest, Sha256};

/// SHA-256 of several fields, lower-case hex. Each field is preceded by its length, so that different splits have
/// different hashes.
pub(crate) fn sha256_of_fields(fields: &[&[u8]]) -> String {
    let mut joined = Vec::new();
    for field in fields {
        joined.extend((field.len() as u64).to_le_bytes());
        joined.extend_from_slice(field);
    }
    sha256_hex(&joined)
}

/// SHA-256, lower-case hex.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}
