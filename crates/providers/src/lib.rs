//! What lives outside this server: the mail server, the sign-in provider and the payment provider.
//!
//! The central types are [`Outbox`], which takes mails and never holds up whoever hands one over,
//! [`SignInProvider`], which leads a browser to an `OpenID Connect` provider and checks what comes back, and
//! [`Payments`], which keeps customers and subscriptions at Stripe and checks the events that it sends.
//!
//! Every outgoing connection of the program begins here and uses one TLS stack, rustls with ring, with the
//! certificates that the system trusts. Nothing connects anywhere unless a setting says so: without an SMTP
//! server, mails are files in a private folder.
//!
//! It does not decide who may sign in, what a mail says or what a plan costs: see `partsight-app`. Nothing here stores anything
//! but those files.

mod error;
mod http;
mod mail;
mod payments;
mod sign_in;

pub use error::{DeliveryFailure, Error};
pub use mail::{Mail, MailSettings, MailTransport, Outbox, is_smtp_url};
pub use payments::{BilledSubscription, PaymentEvent, PaymentFailure, PaymentSettings, Payments};
pub use sign_in::{ExternalIdentity, SignInProvider, SignInProviderSettings, SignInStart};
