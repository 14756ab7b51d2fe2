//! External suppliers: what they offer for a part and a vehicle.
//!
//! Their answers are only shown to people: texts are cut, and links and prices must be valid. Failures in a row open
//! a circuit breaker; a late answer counts as one.

mod ebay;
mod service;
mod settings;

use std::future::Future;
use std::time::Duration;

use openidconnect::HttpResponse;
use openidconnect::http::StatusCode;
use partsight_domain::{
    Currency, DecimalSign, Offer, Price, PriceFault, PriceText, SourceFailure, VehicleName, clean_line,
    is_web_address,
};
use serde_json::Value;
use tokio::time::{Instant, timeout};

use crate::breaker::Breaker;
use crate::http::{CallError, retry_after};

pub use ebay::Ebay;
pub use service::SupplierService;
pub use settings::SupplierSettings;

/// Failures in a row that open the circuit breaker.
const FAILURES_TO_OPEN: u32 = 3;
/// How long the breaker stays open before one question is admitted as a probe.
const OPEN_FOR: Duration = Duration::from_mins(1);
/// Longest `Retry-After` that is respected.
const MAX_LEFT_ALONE: Duration = Duration::from_mins(30);
/// Most offers of one answer that are read.
const MAX_OFFERS: usize = 50;
/// Lowest price that is accepted, in ten-thousandths: half a cent, the least that rounds to one.
const LEAST_TEN_THOUSANDTHS: i64 = 50;
/// Longest text of an offer that is kept, in characters.
const MAX_TEXT_CHARS: usize = 300;

/// A question for a supplier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupplierQuestion {
    /// The part's name: `Brake Rotor`.
    pub part: String,
    /// The label of the part type: `brake-rotor`.
    pub label: String,
    /// The part number, if it is known.
    pub number: Option<String>,
    /// The vehicle that the part is for.
    pub vehicle: Option<VehicleName>,
    /// The engine of that vehicle, if it is known.
    pub engine: Option<String>,
}

/// The offers in the body of an answer of the supplier service, or of eBay's search for the part number `of_ebay`.
///
/// # Errors
/// [`SourceFailure::AnswerInvalid`] for a body in another form.
pub fn read_offers(body: &[u8], of_ebay: Option<&str>) -> Result<Vec<Offer>, SourceFailure> {
    match of_ebay {
        None => service::offers(body),
        Some(number) => ebay::offers(body, Some(number)),
    }
}

/// Why a question failed.
#[derive(Debug)]
struct Failure {
    reason: SourceFailure,
    retry_after: Option<Duration>,
}

impl From<SourceFailure> for Failure {
    fn from(reason: SourceFailure) -> Self {
        Self { reason, retry_after: None }
    }
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        match error {
            CallError::TooLarge { .. } => SourceFailure::AnswerTooLarge.into(),
            CallError::Call(error) if error.is_timeout() => SourceFailure::TimedOut.into(),
            _ => SourceFailure::Unreachable.into(),
        }
    }
}

/// The failure for an error status. The body is not logged: it may repeat the question or the key.
fn failed_status(answer: &HttpResponse) -> Failure {
    let status = answer.status();
    let reason = match status {
        StatusCode::TOO_MANY_REQUESTS => SourceFailure::RateLimited,
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => SourceFailure::KeyRejected,
        _ if status.is_server_error() => SourceFailure::ServerError,
        _ => SourceFailure::RequestRejected,
    };
    let is_temporary = matches!(reason, SourceFailure::RateLimited | SourceFailure::ServerError);
    Failure { reason, retry_after: if is_temporary { retry_after(answer.headers()) } else { None } }
}

/// Asks if the breaker admits a question, for no longer than `limit`.
async fn guarded<T>(
    breaker: &Breaker,
    limit: Duration,
    ask: impl Future<Output = Result<T, Failure>>,
) -> Result<T, SourceFailure> {
    let Some(pass) = breaker.enter(Instant::now()) else { return Err(SourceFailure::CircuitOpen) };
    let failure = match timeout(limit, ask).await {
        Ok(Ok(answer)) => {
            pass.succeeded();
            return Ok(answer);
        }
        Ok(Err(failure)) => failure,
        Err(_) => SourceFailure::TimedOut.into(),
    };
    match failure.reason {
        // The question caused it; every other failure counts against the supplier.
        SourceFailure::RequestRejected => pass.succeeded(),
        _ => {
            pass.failed(failure.retry_after.map(|wait| wait.min(MAX_LEFT_ALONE)), Instant::now());
        }
    }
    Err(failure.reason)
}

/// A text on one line, cut to its limit; `None` for an empty one or another type.
fn text(value: &Value) -> Option<String> {
    Some(clean_line(value.as_str()?, MAX_TEXT_CHARS)).filter(|text| !text.is_empty())
}

/// A valid link.
fn link(value: &Value) -> Option<String> {
    value.as_str().filter(|link| is_web_address(link)).map(str::to_owned)
}

/// A price above zero, from a text such as `12.50` or a number.
fn price(value: &Value, currency: &Value) -> Option<Price> {
    let currency = Currency::new(currency.as_str()?).ok()?;
    let read = match value {
        // `1.234` means 1234 to some services, and a guess must not become the best price.
        Value::String(text)
            if text.contains('.') && PriceText::read(text, None).err() == Some(PriceFault::Ambiguous) =>
        {
            return None;
        }
        Value::String(text) => PriceText::read(text, Some(DecimalSign::Point)),
        // A computed number, such as 24.95 * 1.19, may be slightly off.
        Value::Number(number) => {
            PriceText::read(&format!("{:.4}", number.as_f64()?), Some(DecimalSign::Point))
        }
        _ => return None,
    }
    .ok()?;
    // It would be shown as 0.00, and be the best price.
    (read.ten_thousandths >= LEAST_TEN_THOUSANDTHS).then_some(())?;
    // If a currency sign in the text contradicts the currency field, neither is trusted.
    read.currency.is_none_or(|beside| beside.fits(currency)).then_some(())?;
    Price::new(read.ten_thousandths, currency)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_prices_are_prices() {
        let cases = [
            (json!("12.50"), json!("USD"), Some("12.50 USD")),
            (json!(12.5), json!("EUR"), Some("12.50 EUR")),
            (json!(0.1 + 0.2), json!("EUR"), Some("0.30 EUR")),
            (json!(24.95 * 1.19), json!("EUR"), Some("29.6905 EUR")),
            (json!(3), json!("usd"), Some("3.00 USD")),
            (json!("0.00"), json!("USD"), None),
            (json!("0.004"), json!("USD"), None),
            (json!(0.004), json!("USD"), None),
            (json!("0.005"), json!("USD"), Some("0.005 USD")),
            (json!("1.234"), json!("EUR"), None),
            (json!("1,234"), json!("USD"), Some("1234.00 USD")),
            (json!("1,234.00"), json!("USD"), Some("1234.00 USD")),
            (json!(1.234), json!("EUR"), Some("1.234 EUR")),
            (json!(-1), json!("USD"), None),
            (json!(1e300), json!("USD"), None),
            (json!("12,50"), json!("USD"), None),
            (json!("12.50"), json!("$"), None),
            (json!("12.50"), json!(null), None),
            (json!(null), json!("USD"), None),
            (json!([1]), json!("USD"), None),
        ];
        for (value, currency, expected) in cases {
            let found = price(&value, &currency).map(|price| price.to_string());
            assert_eq!(found.as_deref(), expected, "{value} {currency}");
        }
    }

    #[test]
    fn texts_are_cut_and_links_are_links() {
        assert_eq!(text(&json!(" a\nb\u{7} ")).as_deref(), Some("a b"));
        assert_eq!(text(&json!("Lee \u{202e}& Sons\u{200b}")).as_deref(), Some("Lee & Sons"));
        assert_eq!(text(&json!("x".repeat(5000))).unwrap().len(), MAX_TEXT_CHARS);
        assert_eq!((text(&json!("\n")), text(&json!(3))), (None, None));
        assert!(link(&json!("https://www.ebay.com/itm/1")).is_some());
        for bad in [json!("javascript:alert(1)"), json!("https://"), json!("//ebay.com"), json!(null)] {
            assert_eq!(link(&bad), None, "{bad}");
        }
    }
}
