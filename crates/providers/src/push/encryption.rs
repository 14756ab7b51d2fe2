//! The content encoding `aes128gcm` (RFC 8188) in a single record, with keys derived as in RFC 8291.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hkdf::Hkdf;
use p256::elliptic_curve::Generate;
use p256::elliptic_curve::sec1::ToSec1Point;
use p256::{PublicKey, SecretKey};
use rand::RngCore;
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use sha2::Sha256;

/// Bytes of an uncompressed point of P-256.
pub(super) const POINT_BYTES: usize = 65;
/// Bytes of the secret that a browser shares with its senders.
const AUTH_BYTES: usize = 16;
const SALT_BYTES: usize = 16;
/// Record size in bytes, larger than any message: RFC 8291 requires a single record.
const RECORD_BYTES: u32 = 4096;
/// Delimiter of the last record (RFC 8188, section 2).
const LAST_RECORD: u8 = 2;
/// Longest message in bytes. Encrypted it has at most 4096, which every push service accepts (RFC 8030, section 7.2):
/// 86 of the header, 16 of the tag and 1 of the delimiter come on top.
pub(super) const MAX_MESSAGE_BYTES: usize = 4096 - 86 - 16 - 1;

/// The keys that a browser publishes for messages to it.
pub(super) struct BrowserKeys {
    public: PublicKey,
    auth: [u8; AUTH_BYTES],
}

impl BrowserKeys {
    /// Parses both from base64url, as browsers write them; `None` if they are malformed.
    pub(super) fn parse(p256dh: &str, auth: &str) -> Option<Self> {
        let point = bytes_of::<POINT_BYTES>(p256dh)?;
        // Fails for a point that is not on the curve: with such a point an attacker could learn bits of our key.
        let public = PublicKey::from_sec1_bytes(&point).ok()?;
        Some(Self { public, auth: bytes_of(auth)? })
    }
}

/// Exactly `N` bytes from base64url.
fn bytes_of<const N: usize>(text: &str) -> Option<[u8; N]> {
    // Some browsers pad, though RFC 7515 forbids it. Unlimited padding would be stored with the key.
    let text = Some(text).filter(|text| text.len() <= N.div_ceil(3) * 4)?;
    URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()?.try_into().ok()
}

/// Encrypts a message for this browser alone. `None` for one longer than [`MAX_MESSAGE_BYTES`].
pub(super) fn encrypt(message: &[u8], browser: &BrowserKeys) -> Option<Vec<u8>> {
    let mut salt = [0; SALT_BYTES];
    rand::rng().fill_bytes(&mut salt);
    // A new key and salt for each message, so that no key is used twice with the same nonce.
    encrypt_with(message, browser, &SecretKey::generate(), salt)
}

fn encrypt_with(
    message: &[u8],
    browser: &BrowserKeys,
    own: &SecretKey,
    salt: [u8; SALT_BYTES],
) -> Option<Vec<u8>> {
    if message.len() > MAX_MESSAGE_BYTES {
        return None;
    }
    let (browser_point, own_point) =
        (browser.public.to_sec1_point(false), own.public_key().to_sec1_point(false));
    let shared = own.diffie_hellman(&browser.public);

    // RFC 8291, section 3.4.
    let by_auth = Hkdf::<Sha256>::new(Some(&browser.auth), shared.raw_secret_bytes());
    let mut input_key = [0; 32];
    let info = [&b"WebPush: info\0"[..], browser_point.as_bytes(), own_point.as_bytes()].concat();
    expand(&by_auth, &info, &mut input_key);
    let by_salt = Hkdf::<Sha256>::new(Some(&salt), &input_key);
    let (mut key, mut nonce) = ([0; 16], [0; 12]);
    expand(&by_salt, b"Content-Encoding: aes128gcm\0", &mut key);
    expand(&by_salt, b"Content-Encoding: nonce\0", &mut nonce);

    let mut record = [message, &[LAST_RECORD]].concat();
    let key = UnboundKey::new(&AES_128_GCM, &key).expect("BUG: 16 bytes are a key of AES-128");
    LessSafeKey::new(key)
        .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut record)
        .expect("BUG: a record of 4 KiB can be encrypted");
    // RFC 8188, section 2.1; the id of the key is our point.
    let id_length = [POINT_BYTES as u8];
    Some([&salt[..], &RECORD_BYTES.to_be_bytes(), &id_length, own_point.as_bytes(), &record].concat())
}

fn expand(from: &Hkdf<Sha256>, info: &[u8], to: &mut [u8]) {
    from.expand(info, to).expect("BUG: HKDF gives far more than 32 bytes");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8291, appendix A.
    const P256DH: &str =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
    const AUTH: &str = "BTBZMqHH6r4Tts7J_aSIgg";

    fn decoded(text: &str) -> Vec<u8> {
        URL_SAFE_NO_PAD.decode(text).unwrap()
    }

    #[test]
    fn a_message_is_encrypted_as_in_the_example_of_rfc_8291() {
        let browser = BrowserKeys::parse(P256DH, AUTH).unwrap();
        let own = SecretKey::from_slice(&decoded("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")).unwrap();
        let salt = decoded("DGv6ra1nlYgDCS1FRnbzlw").try_into().unwrap();
        let sent = encrypt_with(b"When I grow up, I want to be a watermelon", &browser, &own, salt).unwrap();
        let expected = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS\
                        6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qu\
                        lcy4a-fN";
        assert_eq!(URL_SAFE_NO_PAD.encode(sent), expected);
    }

    #[test]
    fn two_messages_alike_are_not_sent_alike_and_fit_into_4_kib() {
        let browser = BrowserKeys::parse(P256DH, AUTH).unwrap();
        let longest = [b'x'; MAX_MESSAGE_BYTES];
        let (one, other) = (encrypt(&longest, &browser).unwrap(), encrypt(&longest, &browser).unwrap());
        assert_eq!((one.len(), other.len()), (4096, 4096));
        assert_ne!(one[..SALT_BYTES], other[..SALT_BYTES]);
        assert_ne!(one[21..86], other[21..86]);
        assert!(encrypt(&[b'x'; MAX_MESSAGE_BYTES + 1], &browser).is_none());
    }

    #[test]
    fn what_is_no_key_is_none() {
        let parse = |p256dh: &str, auth: &str| BrowserKeys::parse(p256dh, auth).is_some();
        assert!(parse(&format!("{P256DH}="), &format!("{AUTH}==")));
        let mut off_the_curve = decoded(P256DH);
        off_the_curve[64] ^= 1;
        let mut compressed = decoded(P256DH)[..33].to_vec();
        compressed[0] = 2;
        for (p256dh, auth) in [
            (URL_SAFE_NO_PAD.encode(off_the_curve), AUTH),
            (URL_SAFE_NO_PAD.encode(compressed), AUTH),
            (URL_SAFE_NO_PAD.encode([0]), AUTH),
            (String::new(), AUTH),
            (P256DH.to_owned(), "BTBZMqHH6r4Tts7J_aSI"),
            (P256DH.to_owned(), "BTBZMqHH6r4Tts7J_aSIggAA"),
            (P256DH.to_owned(), "?"),
            (format!("{P256DH}=="), AUTH),
            (P256DH.to_owned(), "BTBZMqHH6r4Tts7J_aSIgg==="),
            (P256DH.to_owned(), ""),
        ] {
            assert!(!parse(&p256dh, auth), "{p256dh} {auth}");
        }
    }
}
