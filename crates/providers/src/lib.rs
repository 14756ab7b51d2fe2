//! What lives outside this server: the mail server, the sign-in and payment providers, a VIN decoder, suppliers of
//! parts, lists of recalls, and the vision-LLM judge.
//!
//! The central types are [`Mailer`], which sends mails, [`SignInProvider`], which sends a browser to an `OpenID Connect`
//! provider and checks what comes back, [`Payments`], which keeps customers and subscriptions at Stripe and checks the
//! events that it sends, [`Ebay`] and [`SupplierService`], which ask other suppliers for prices, and [`Judge`], which
//! asks a vision LLM about a photograph, or for what the catalogue lacks, and accepts only answers that match the
//! schema. [`SafetyService`] asks for recalls and complaints.
//! [`WebhookSender`] sends events to addresses that accounts name, and trusts none of them; [`PushSender`] sends
//! notifications to browsers in the same way. [`ObjectStorage`] holds photographs that are too many for the database.
//!
//! Every outgoing connection of the program begins here, except the one to Qdrant (`partsight-catalog`), and uses one
//! TLS stack, rustls with ring, with the certificates that the system trusts. Nothing connects anywhere unless a setting
//! says so: without an SMTP server, mails are files in a private folder.
//!
//! It does not decide who may sign in, what a mail says or what a plan costs: see `partsight-app`. Nothing here stores anything
//! but those files.

mod breaker;
mod egress;
mod error;
mod http;
mod judge;
mod mail;
mod object_storage;
mod payments;
mod probe;
mod push;
mod safety;
mod sign_in;
mod suppliers;
mod traces;
mod vin_decoder;
mod webhooks;

pub use egress::{is_encrypted_or_local, is_encrypted_or_private, is_on_this_machine};
pub use error::{DeliveryFailure, Error, PaymentFailure};
pub use http::has_root_certificates;
pub use judge::{
    AnswerFormat, Judge, JudgeCandidate, JudgeConsent, JudgeProvider, JudgeQuestion, JudgeReply,
    JudgeSettings, JudgeUsage,
};
pub use mail::{Mail, MailSettings, Mailer, greet_mail_server};
pub use object_storage::{ObjectStorage, ObjectStorageFailure, ObjectStorageSettings, new_object_key};
pub use payments::{BilledSubscription, PaymentEvent, PaymentSettings, Payments};
pub use probe::{can_connect, fetch, origin_of};
pub use push::{PushFailure, PushSender, PushSettings, PushTarget, PushTargetFault, VapidKey};
pub use safety::SafetyService;
pub use sign_in::{ExternalIdentity, SignInProvider, SignInSettings, SignInStart};
pub use suppliers::{Ebay, SupplierQuestion, SupplierService, SupplierSettings, read_offers};
pub use traces::{TraceExport, continue_trace};
pub use vin_decoder::{VinAnswer, VinDecoder};
pub use webhooks::{
    WebhookAddressFault, WebhookFailure, WebhookMessage, WebhookSender, WebhookSettings, new_webhook_secret,
};
