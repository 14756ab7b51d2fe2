use std::sync::LazyLock;

use jiff::Timestamp;
use partsight_domain::Secret;
use partsight_providers::{Error, PaymentSettings, Payments};
use sha2::{Digest, Sha256};

const SECRET: &str = "whsec_of_the_fuzzer";
const NOW: i64 = 1_800_000_000;
/// Bytes of a block of SHA-256 (RFC 2104, section 2).
const BLOCK: usize = 64;

static PAYMENTS: LazyLock<Payments> = LazyLock::new(|| {
    let price = Some("price_1".to_owned());
    let settings = PaymentSettings {
        secret_key: Some(Secret::new("sk_test_of_the_fuzzer")),
        webhook_secret: Some(Secret::new(SECRET)),
        price_pro_month: price.clone(),
        price_pro_year: price.clone(),
        price_business_month: price.clone(),
        price_business_year: price,
        ..PaymentSettings::default()
    };
    let payments = Payments::new(&settings).expect("the key and the address can be sent");
    payments.expect("everything is set")
});

/// An event of the payment provider: the signature up to the first line break, then the body. Both as they came, then
/// the body signed rightly, then that with one bit changed.
pub(crate) fn webhook(data: &[u8]) {
    let at = data.iter().position(|&byte| byte == b'\n').unwrap_or(data.len());
    let signature = String::from_utf8_lossy(&data[..at]);
    let body = String::from_utf8_lossy(data.get(at + 1..).unwrap_or_default());
    let now = Timestamp::from_second(NOW).expect("the moment is one");

    let unsigned = PAYMENTS.event(&body, &signature, now);
    assert!(unsigned.is_err(), "nobody signed that: {signature:?} {body:?}");

    let good = sign(&body);
    match PAYMENTS.event(&body, &good, now) {
        Ok(event) => assert!(!event.kind.is_empty() || body.contains("\"type\""), "{event:?}"),
        Err(Error::EventRefused(reason)) => {
            assert!(!reason.contains("signature"), "{reason}: {body:?}");
        }
        Err(other) => panic!("{other}: {body:?}"),
    }
    let later = Timestamp::from_second(NOW + 301).expect("the moment is one");
    assert!(PAYMENTS.event(&body, &good, later).is_err(), "too late: {body:?}");
    let changed = format!("{body} ");
    assert!(PAYMENTS.event(&changed, &good, now).is_err(), "changed: {body:?}");
}

/// The header with which the provider would sign this body.
fn sign(body: &str) -> String {
    let text = format!("{NOW}.{body}");
    let hex = hex::encode(hmac_sha256(SECRET.as_bytes(), text.as_bytes()));
    format!("t={NOW},v1={hex}")
}

/// RFC 2104 with SHA-256, for keys of at most a block.
fn hmac_sha256(key: &[u8], text: &[u8]) -> Vec<u8> {
    let mut padded = [0_u8; BLOCK];
    padded[..key.len()].copy_from_slice(key);
    let inner = Sha256::new().chain_update(padded.map(|byte| byte ^ 0x36)).chain_update(text).finalize();
    Sha256::new().chain_update(padded.map(|byte| byte ^ 0x5c)).chain_update(inner).finalize().to_vec()
}
