use stripe::{ApiErrorsType, StripeError};

use crate::Error;

/// Why a call to the payment provider failed. Error texts hold nothing that it said: that may name people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PaymentFailure {
    /// It did not answer in time. The call may have taken effect.
    #[error("no answer in time")]
    TimedOut,
    /// It cannot be reached.
    #[error("no connection")]
    NoConnection,
    /// An object that the call names does not exist at the provider, or not any more.
    #[error("what was named does not exist there")]
    Missing,
    /// It refused, for now or for good.
    #[error("refused with the status {status} and the code `{code}`")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// Its name for the reason (<https://docs.stripe.com/error-codes>), or the kind of error.
        code: String,
    },
    /// Its answer cannot be read.
    #[error("the answer cannot be read: {what}")]
    Answer {
        /// What is wrong with it.
        what: &'static str,
    },
    /// The idempotency key is malformed.
    #[error("the key of the call is empty or too long")]
    Key,
}

/// The library's error, without anything that must not be logged.
pub(super) fn from_library(error: StripeError) -> Error {
    let failure = match error {
        // The only message that is passed on: the provider writes it for the customer.
        StripeError::Stripe(error, _) if error.type_ == ApiErrorsType::CardError => {
            return Error::PaymentDeclined { message: error.message };
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
        StripeError::JSONDeserialize(_) => {
            PaymentFailure::Answer { what: "it is not the JSON that is documented" }
        }
        StripeError::ConfigError(_) => PaymentFailure::Answer { what: "the request cannot be sent" },
    };
    Error::Payments { failure }
}
