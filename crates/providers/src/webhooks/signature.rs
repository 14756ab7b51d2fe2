//! Signatures of the Standard Webhooks specification (<https://www.standardwebhooks.com>), so that a receiver can
//! check them with a library.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use rand::RngCore;
use sha2::Sha256;

/// Prefix of every secret.
const SECRET_PREFIX: &str = "whsec_";
/// Random bytes of a secret; the specification asks for 24 to 64.
const SECRET_BYTES: usize = 32;

/// A new secret: `whsec_` and 32 random bytes in base64.
pub fn new_webhook_secret() -> String {
    let mut bytes = [0; SECRET_BYTES];
    rand::rng().fill_bytes(&mut bytes);
    format!("{SECRET_PREFIX}{}", STANDARD.encode(bytes))
}

/// `v1,` and the HMAC-SHA256 of `id.seconds.body` in base64. The key is the decoded base64 of the secret; a secret of
/// another form is itself the key.
///
/// # Panics
/// Never: HMAC takes keys of any length.
pub(super) fn sign_webhook(secret: &str, id: &str, seconds: i64, body: &str) -> String {
    let key = key(secret).unwrap_or_else(|| secret.as_bytes().to_vec());
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("BUG: HMAC takes keys of any length");
    // The time is part of what is signed, so that a recorded delivery cannot be replayed later.
    mac.update(format!("{id}.{seconds}.{body}").as_bytes());
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

fn key(secret: &str) -> Option<Vec<u8>> {
    STANDARD.decode(secret.strip_prefix(SECRET_PREFIX)?).ok().filter(|key| !key.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification's own libraries.
    #[test]
    fn a_signature_is_that_of_the_specification() {
        let signature = sign_webhook(
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            r#"{"test": 2432232314}"#,
        );
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn secrets_are_random_and_long_enough() {
        let (one, other) = (new_webhook_secret(), new_webhook_secret());
        assert_ne!(one, other);
        assert_eq!(key(&one).unwrap().len(), SECRET_BYTES);
    }
}
