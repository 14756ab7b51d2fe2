//! How push services identify the sender (VAPID, RFC 8292): a token signed with a key that the browser was given
//! before.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use p256::ecdsa::signature::Signer;
use p256::ecdsa::{Signature, SigningKey};
use p256::elliptic_curve::Generate;
use serde_json::json;

/// How long a token is valid. RFC 8292 allows a day; half of that leaves room for a wrong clock.
const TOKEN_LASTS: SignedDuration = SignedDuration::from_hours(12);

/// Bytes of a private key of P-256.
const SECRET_BYTES: usize = 32;

/// The key pair of a server. A subscription is bound to the key that the browser was given, so it must never change.
#[derive(Clone)]
pub struct VapidKey(SigningKey);

partsight_domain::debug_fields!(VapidKey {});

impl VapidKey {
    /// Generates a key from the randomness of the system.
    pub fn generate() -> Self {
        Self(SigningKey::generate())
    }

    /// Restores a key from [`Self::secret`]; `None` if it is malformed.
    pub fn from_secret(secret: &[u8]) -> Option<Self> {
        // Without this check a shorter key would be padded with zeros.
        let secret = Some(secret).filter(|secret| secret.len() == SECRET_BYTES)?;
        SigningKey::from_slice(secret).ok().map(Self)
    }

    /// The private key: 32 bytes, to be stored.
    pub fn secret(&self) -> Vec<u8> {
        self.0.to_bytes().to_vec()
    }

    /// The public key in the format of browsers and push services: an uncompressed point in base64url.
    pub fn public(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0.verifying_key().to_sec1_point(false).as_bytes())
    }

    /// The `Authorization` header for a push service at the origin `audience`. `contact` is a `mailto:` or `https:`
    /// address of the server's operator.
    pub(super) fn authorization(&self, audience: &str, contact: &str, now: Timestamp) -> String {
        let header = URL_SAFE_NO_PAD.encode(r#"{"typ":"JWT","alg":"ES256"}"#);
        let expires = now.saturating_add(TOKEN_LASTS).unwrap_or(Timestamp::MAX).as_second();
        let claims = json!({ "aud": audience, "exp": expires, "sub": contact });
        let signed = format!("{header}.{}", URL_SAFE_NO_PAD.encode(claims.to_string()));
        let signature: Signature = self.0.sign(signed.as_bytes());
        let signature = URL_SAFE_NO_PAD.encode(signature.to_bytes());
        format!("vapid t={signed}.{signature}, k={}", self.public())
    }
}

#[cfg(test)]
mod tests {
    use p256::ecdsa::VerifyingKey;
    use p256::ecdsa::signature::Verifier;
    use serde_json::Value;

    use super::*;

    #[test]
    fn a_token_is_verified_by_the_public_key_that_comes_along() {
        let key = VapidKey::generate();
        let header = key.authorization(
            "https://push.example.net",
            "mailto:help@example.com",
            Timestamp::from_second(1_800_000_000).unwrap(),
        );
        let (token, public) = header.strip_prefix("vapid t=").unwrap().split_once(", k=").unwrap();
        assert_eq!(public, key.public());
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).unwrap();
        let verifying = VerifyingKey::from_sec1_bytes(&decode(public)).unwrap();
        let signature = Signature::from_slice(&decode(signature)).unwrap();
        verifying.verify(signed.as_bytes(), &signature).unwrap();
        let other = VapidKey::generate();
        assert!(other.0.verifying_key().verify(signed.as_bytes(), &signature).is_err());

        let (head, claims) = signed.split_once('.').unwrap();
        let parse = |text: &str| serde_json::from_slice::<Value>(&decode(text)).unwrap();
        assert_eq!(parse(head), json!({ "typ": "JWT", "alg": "ES256" }));
        let expected = json!({
            "aud": "https://push.example.net", "exp": 1_800_043_200, "sub": "mailto:help@example.com",
        });
        assert_eq!(parse(claims), expected);
    }

    #[test]
    fn a_key_is_the_same_after_it_was_kept() {
        let key = VapidKey::generate();
        let kept = VapidKey::from_secret(&key.secret()).unwrap();
        assert_eq!((kept.public(), kept.secret().len()), (key.public(), SECRET_BYTES));
        for wrong in [&[][..], &[0; 32], &[1; 31], &[1; 33]] {
            assert!(VapidKey::from_secret(wrong).is_none(), "{wrong:?}");
        }
        assert!(!format!("{key:?}").contains(&format!("{:?}", key.secret())));
    }
}
