use std::path::PathBuf;

/// Errors of the services outside this server.
///
/// No message contains an address, a body or a secret: these errors are logged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The address of the mail server cannot be used.
    #[error(
        "the mail server's address is no `smtps://` or `smtp://` address with a host, or it sends a password \
         without encryption"
    )]
    SmtpUrl,
    /// A mail cannot be composed: an address or a header violates the rules for mails.
    #[error("cannot compose a mail")]
    Compose(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A mail cannot be written into its folder.
    #[error("cannot write a mail into `{}`", folder.display())]
    WriteMail {
        /// The folder.
        folder: PathBuf,
        /// Cause.
        source: std::io::Error,
    },
    /// The mail server did not accept a mail. Its text is left out, because it may repeat the address.
    #[error("the mail server did not take a mail: {0}")]
    Deliver(DeliveryFailure),
    /// A service did not answer a probe. The reason does not hold the address.
    #[error("no answer")]
    Unanswered(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The HTTP client cannot be built.
    #[error("cannot build the HTTP client")]
    HttpClient(#[source] reqwest::Error),
    /// Traces cannot be sent.
    #[error("cannot prepare the traces for the collector that `otlp_endpoint` names")]
    TraceExport(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The settings of the judge cannot be used. The text holds no value of a setting.
    #[error("the judge's settings cannot be used: {0}")]
    JudgeSettings(&'static str),
    /// The settings of a supplier cannot be used.
    #[error("the settings of the supplier `{supplier}` cannot be used: {what}")]
    SupplierSettings {
        /// Name of the supplier.
        supplier: &'static str,
        /// What is wrong, without the value of a setting.
        what: &'static str,
    },
    /// The settings of the sign-in provider cannot be used.
    #[error("the sign-in provider's settings cannot be used")]
    SignInSettings(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The sign-in provider cannot be reached, or its answer is invalid.
    #[error("the sign-in provider does not answer as it should")]
    ProviderUnavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The VIN decoder cannot be reached, or its answer is invalid.
    #[error("the VIN decoder does not answer as it should")]
    VinDecoderUnavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The service for recalls and complaints cannot be reached, or its answer is invalid.
    #[error("the service for recalls and complaints does not answer as it should")]
    SafetyUnavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The sign-in provider refused the authorization code from a browser.
    #[error("the sign-in provider refused the code")]
    CodeRefused(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The ID token is expired, not signed by the provider, or not for this client or this attempt.
    #[error("the identity token does not hold")]
    TokenInvalid(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The settings of the payment provider cannot be used.
    #[error("the payment provider's settings cannot be used: {0}")]
    PaymentSettings(&'static str),
    /// A call to the payment provider failed.
    #[error("the payment provider did not do what it was asked: {0}")]
    Payments(PaymentFailure),
    /// The customer's bank or card declined a payment; with the provider's message for the customer.
    #[error("a payment was declined")]
    PaymentDeclined(Option<String>),
    /// A price at the payment provider differs from our table of plans.
    #[error(
        "the price `{price_id}` at the payment provider is not sold there for {expected}; please check the \
         `stripe_price` settings"
    )]
    PriceDiffers {
        /// Id of the price at the provider.
        price_id: String,
        /// The plan and price that our table has.
        expected: String,
    },
    /// A webhook event has no valid signature of the payment provider, or its signature is too old.
    #[error("an event of the payment provider was refused: {0}")]
    EventRefused(&'static str),
}

impl Error {
    /// Whether the call may have taken effect despite this error; a retry must then use the same idempotency key.
    pub fn is_outcome_unknown(&self) -> bool {
        // A lost connection does not prove that the call had no effect: it can break after the request was
        // received.
        matches!(self, Self::Payments(PaymentFailure::TimedOut | PaymentFailure::NoConnection))
    }
}

/// Why a call to the payment provider failed. No text of the provider is included, since it may contain personal
/// data.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PaymentFailure {
    /// It did not answer in time. The call may have taken effect.
    #[error("no answer in time")]
    TimedOut,
    /// It cannot be reached.
    #[error("no connection")]
    NoConnection,
    /// An object named in the call does not exist at the provider, or no longer.
    #[error("what was named does not exist there")]
    Missing,
    /// It refused, for now or for good.
    #[error("refused with the status {status} and the code `{code}`")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// The provider's code of the reason (<https://docs.stripe.com/error-codes>), or the type of the error.
        code: String,
    },
    /// Its answer cannot be read.
    #[error("the answer cannot be read: {0}")]
    Answer(&'static str),
    /// The idempotency key is malformed.
    #[error("the key of the call is empty or too long")]
    Key,
}

/// Why a mail server did not accept a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DeliveryFailure {
    /// It did not answer in time.
    #[error("no answer in time")]
    TimedOut,
    /// TLS failed, for example because of an untrusted certificate, or the server does not offer it.
    #[error(
        "no trusted encryption (its certificate has expired, is for another name or comes from an authority that this \
         machine does not trust, or it offers no STARTTLS)"
    )]
    Encryption,
    /// It refused, for now or for good.
    #[error("refused with the code {code}")]
    Refused {
        /// The SMTP reply code (RFC 5321, section 4.2.3).
        code: u16,
        /// Whether the same mail may be accepted later.
        is_temporary: bool,
    },
    /// It cannot be reached or does not speak SMTP.
    #[error("no connection")]
    NoConnection,
}

impl DeliveryFailure {
    /// Whether a retry may succeed.
    pub fn is_temporary(self) -> bool {
        match self {
            Self::Refused { is_temporary, .. } => is_temporary,
            // An expired certificate is usually renewed, often within the hour.
            Self::TimedOut | Self::Encryption | Self::NoConnection => true,
        }
    }
}
