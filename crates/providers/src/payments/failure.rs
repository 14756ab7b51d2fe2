use stripe::{ApiErrorsType, StripeError};

use crate::{Error, PaymentFailure};

/// The library's error, without anything that must not be logged.
pub(super) fn from_library(error: StripeError) -> Error {
    let failure = match error {
        // The only message that is passed on: the provider writes it for the customer.
        StripeError::Stripe(error, _) if error.type_ == ApiErrorsType::CardError => {
            return Error::PaymentDeclined(error.message);
        }
        StripeError::Stripe(error, status) => {
            let code = error.code.map(|code| code.as_str().to_owned());
            if code.as_deref() == Some("resource_missing") {
                PaymentFailure::Missing
            } else {
                PaymentFailure::Refused {
                    status,
                    code: code.unwrap_or_else(|| error.type_.as_str().to_owned()),
                }
            }
        }
        StripeError::Timeout => PaymentFailure::TimedOut,
        StripeError::ClientError(_) => PaymentFailure::NoConnection,
        StripeError::JSONDeserialize(_) => PaymentFailure::Answer("it is not the JSON that is documented"),
        StripeError::ConfigError(_) => PaymentFailure::Answer("the request cannot be sent"),
    };
    Error::Payments(failure)
}
