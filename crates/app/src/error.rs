use std::path::PathBuf;
use std::time::Duration;

use jiff::SignedDuration;
use partsight_domain::{ApiScope, InvalidInput, PartLabel, Plan, Quota, messages};
use partsight_inference::PhotoError;
use partsight_store::ShopPartTexts;

use crate::resembled::Resembled;

/// The result of every use case.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a use case failed. If it returns an error, nothing is saved.
///
/// The variants are classes that a caller can act on, and do not tell where an error came from; the caller maps them to
/// status or exit codes.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The call needs a signed-in user.
    #[error("nobody is signed in")]
    NotSignedIn,
    /// E-mail and password do not match; the error deliberately says no more.
    #[error("the sign-in failed")]
    SignInFailed,
    /// Too many attempts from one place.
    #[error("too many attempts; the next one in {} s", retry_after.as_secs())]
    TooManyAttempts {
        /// How long to wait.
        retry_after: SignedDuration,
    },
    /// The account has no password to confirm with, and the sign-in is not recent enough.
    #[error("a fresh sign-in is needed")]
    FreshSignInNeeded,
    /// The user is known and may not do this.
    #[error("this is not allowed")]
    Forbidden {
        /// A sentence that says why, and what would help.
        message: &'static str,
    },
    /// Plans, or this plan, cannot be bought here; with what is wrong with the settings, if anything is.
    #[error("plans cannot be bought here")]
    PaymentsNotOffered(#[source] Option<partsight_providers::Error>),
    /// A call to the payment provider failed, or its outcome is unknown.
    #[error("the payment provider cannot be used")]
    PaymentProvider(#[source] partsight_providers::Error),
    /// The card, or its bank, declined a payment; with what the provider says to the customer.
    #[error("a payment was declined")]
    PaymentDeclined(Option<String>),
    /// A webhook event has no valid, recent signature of the payment provider.
    #[error("an event of the payment provider was refused")]
    EventRefused(#[source] partsight_providers::Error),
    /// The API key is unknown, revoked or expired, or the plan includes none.
    #[error("the API key is refused")]
    ApiKeyRefused {
        /// A sentence that says why, and what would help.
        message: &'static str,
    },
    /// The API key lacks a scope.
    #[error("the API key lacks the scope `{}`", scope.as_str())]
    ScopeMissing {
        /// The scope that it needs.
        scope: ApiScope,
    },
    /// Too many requests with one key.
    #[error("too many requests; the next one in {} s", retry_after.as_secs())]
    RateLimited {
        /// How long to wait.
        retry_after: SignedDuration,
    },
    /// An external service cannot be used.
    #[error("a service outside cannot be used")]
    Provider(#[source] partsight_providers::Error),
    /// It does not exist, or it belongs to somebody else.
    #[error("no such {entity:?}")]
    NotFound {
        /// The kind of thing.
        entity: Entity,
    },
    /// An input breaks a rule.
    #[error(transparent)]
    Invalid(#[from] InvalidInput),
    /// Something with this unique value exists already.
    #[error("this {field} is taken")]
    Conflict {
        /// The field, as the wire names it.
        field: &'static str,
        /// A sentence for the person who typed it.
        message: &'static str,
    },
    /// A photograph to be taught looks more like another part. This is a question: nothing was saved; the same call
    /// with consent saves it and marks the two parts as look-alikes.
    #[error("photograph {number} looks more like the part `{}`", resembled.label)]
    LooksAlike {
        /// Which photograph, counted from 1.
        number: usize,
        /// The other part.
        resembled: Resembled,
        /// The newest parts of its type in the shop.
        shop_parts: Vec<ShopPartTexts>,
    },
    /// The quota of the account's plan is reached. Nothing was saved.
    #[error("the quota of {} is used up", quota.field())]
    QuotaReached {
        /// The quota.
        quota: Quota,
        /// The plan of the account.
        plan: Plan,
    },
    /// A call with the same idempotency key is running.
    #[error("the same call is running")]
    CallRunning,
    /// The model cannot be started.
    #[error("the model cannot be started")]
    Model(#[source] partsight_inference::Error),
    /// The networks that read text cannot be started.
    #[error("text on photographs cannot be read")]
    Reading(#[source] partsight_inference::Error),
    /// No model of this name is installed.
    #[error(
        "there is no model `{name}` in `{}`: `partsight models list` names those that are there",
        folder.display()
    )]
    ModelMissing {
        /// The requested name.
        name: String,
        /// The folder of models.
        folder: PathBuf,
    },
    /// The model knows a part type that the catalogue does not describe.
    #[error(
        "the model knows the part type `{0}`, which the catalogue does not describe: use another model, or a newer \
         version of partsight"
    )]
    LabelNotInCatalog(PartLabel),
    /// The photograph cannot be read.
    #[error("the photograph cannot be read")]
    Photo {
        /// What is wrong with it and what to do.
        #[from]
        source: PhotoError,
    },
    /// One of several photographs of a scan cannot be read.
    #[error("photograph {number} of {n_photos} cannot be read")]
    PhotoAmong {
        /// Which, counted from 1.
        number: usize,
        /// How many were sent.
        n_photos: usize,
        /// What is wrong with it and what to do.
        source: PhotoError,
    },
    /// A worker was lost over this photograph recently, so it is not tried again.
    #[error("photograph {number} of {n_photos} is in quarantine")]
    PhotoQuarantined {
        /// Which, counted from 1.
        number: usize,
        /// How many were sent.
        n_photos: usize,
    },
    /// The engine with this photograph stalled or panicked. It is replaced, and no allowance is used.
    #[error("the engine was lost")]
    EngineLost(#[source] partsight_inference::Error),
    /// The photograph shows none of the known part types. No allowance is used.
    #[error("no part was identified")]
    NotIdentified,
    /// The photograph shows none of the known part types, and taught parts could not be searched. No allowance is
    /// used.
    #[error("no part was identified, and the taught parts could not be looked at")]
    NotIdentifiedAmongLearnt,
    /// Taught parts cannot be searched now, and the photograph should wait for them. No allowance is used.
    #[error("the taught parts cannot be looked at now")]
    TaughtPartsAway,
    /// The scan allowance is used up.
    #[error("the scan limit of {limit} is reached")]
    LimitReached {
        /// Scans that the plan allows.
        limit: u32,
    },
    /// Too much work is queued; a retry may succeed in a few seconds.
    #[error("too many requests are waiting")]
    Busy,
    /// Too many photographs are queued to answer this one in time; a later one may succeed.
    #[error("more is waiting than can be answered in time; the next in {} ms", retry_after.as_millis())]
    Overloaded {
        /// Estimated wait, at the current pace.
        retry_after: Duration,
    },
    /// The work exceeded its time limit; nothing of it was saved.
    #[error("the work takes longer than it may")]
    TooLong,
    /// The account has used up its budget of work for photographs without an answer.
    #[error("too much work on photographs without an answer; the next one in {} s", retry_after.as_secs())]
    PhotoWorkUsedUp {
        /// How long to wait.
        retry_after: SignedDuration,
    },
    /// Too many photographs to be taught looked more like other parts.
    #[error("too many photographs of other parts; the next one in {} s", retry_after.as_secs())]
    NamingsUsedUp {
        /// How long to wait.
        retry_after: SignedDuration,
    },
    /// A lock was held for too long, or the database cannot be reached or accepts no writes.
    #[error("the database does not answer")]
    DatabaseBusy(#[source] partsight_store::Error),
    /// The disk is full.
    #[error("the disk is full")]
    StorageFull(#[source] partsight_store::Error),
    /// The folder or bucket of photographs cannot be used.
    #[error("the photograph storage cannot be used")]
    PhotoStorageAway {
        /// Why not.
        source: partsight_providers::ObjectStorageFailure,
    },
    /// The server is stopping.
    #[error("the server is shutting down")]
    ShuttingDown,
    /// The imported vehicle facts cannot be used.
    #[error("the vehicle facts in `{}` cannot be used: import them again, or delete the file", path.display())]
    VehicleFacts {
        /// The file.
        path: PathBuf,
        /// Cause.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// No setting names a VIN decoder to ask.
    #[error("no VIN decoder is set")]
    VinDecoderOff,
    /// The external VIN decoder does not answer.
    #[error("the VIN decoder cannot be used")]
    VinDecoder(#[source] partsight_providers::Error),
    /// The vector index cannot be used.
    #[error("the vector index cannot be used")]
    VectorIndex(#[from] partsight_catalog::IndexError),
    /// An unexpected error.
    #[error("internal error")]
    Internal(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Kinds of things that a call can request by id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entity {
    /// A saved vehicle.
    Vehicle,
    /// A part of the catalogue.
    Part,
    /// An answered scan.
    Scan,
    /// A stored picture of a scan.
    ScanPhoto,
    /// A signed-in browser.
    Session,
    /// Somebody's account.
    User,
    /// A logged oil change.
    OilChange,
    /// A logged repair.
    Repair,
    /// A maintenance item of a vehicle.
    MaintenanceItem,
    /// An odometer reading that is not part of a record.
    OdometerReading,
    /// A calendar feed.
    CalendarFeed,
    /// A request to cancel a subscription.
    CancellationRequest,
    /// A company that the user is in.
    Company,
    /// A member of a company, or an invited person.
    CompanyMember,
    /// A message to support.
    ContactMessage,
    /// An API key.
    ApiKey,
    /// A reference photograph of a part.
    Reference,
    /// A part type that people taught.
    TaughtType,
    /// A mark that two parts look alike.
    LookAlike,
    /// A part of a shop.
    ShopPart,
    /// A price list of a shop.
    PriceList,
    /// A list of cross-references of a shop.
    CrossReferenceList,
    /// A text that a language model filled in.
    Fill,
    /// A batch.
    Batch,
    /// A webhook endpoint.
    Webhook,
    /// One delivery of an event to a webhook.
    WebhookDelivery,
    /// A browser that gets notifications.
    PushSubscription,
    /// A photograph of a batch.
    BatchItem,
    /// An evaluation of the model.
    Evaluation,
    /// A file of an evaluation's report.
    EvaluationFile,
}

impl Entity {
    /// The message for an unknown id; `None` if no call requests such a thing by id.
    pub fn not_found_message(self) -> Option<&'static str> {
        Some(match self {
            Self::Vehicle => messages::VEHICLE_NOT_FOUND,
            Self::Scan => messages::SCAN_NOT_FOUND,
            Self::ScanPhoto => messages::SCAN_PHOTO_NOT_FOUND,
            Self::Part => messages::PART_NOT_FOUND,
            Self::OilChange => messages::OIL_CHANGE_NOT_FOUND,
            Self::Repair => messages::REPAIR_NOT_FOUND,
            Self::MaintenanceItem => messages::MAINTENANCE_ITEM_NOT_FOUND,
            Self::OdometerReading => messages::READING_NOT_FOUND,
            Self::Reference => messages::REFERENCE_NOT_FOUND,
            Self::TaughtType => messages::TAUGHT_TYPE_NOT_FOUND,
            Self::LookAlike => messages::LOOK_ALIKE_NOT_FOUND,
            Self::ShopPart => messages::SHOP_PART_NOT_FOUND,
            Self::PriceList => messages::PRICE_LIST_NOT_FOUND,
            Self::CrossReferenceList => messages::CROSS_REFERENCE_LIST_NOT_FOUND,
            Self::Fill => messages::FILL_NOT_FOUND,
            Self::Batch => messages::BATCH_NOT_FOUND,
            Self::Webhook => messages::WEBHOOK_NOT_FOUND,
            Self::WebhookDelivery => messages::WEBHOOK_DELIVERY_NOT_FOUND,
            Self::PushSubscription => messages::PUSH_SUBSCRIPTION_NOT_FOUND,
            Self::BatchItem => messages::BATCH_ITEM_NOT_FOUND,
            Self::Evaluation => messages::EVALUATION_NOT_FOUND,
            Self::EvaluationFile => messages::EVALUATION_FILE_NOT_FOUND,
            Self::CalendarFeed => messages::CALENDAR_NOT_FOUND,
            Self::Company => messages::COMPANY_NOT_FOUND,
            Self::CompanyMember => messages::MEMBER_NOT_FOUND,
            Self::ApiKey => messages::API_KEY_NOT_FOUND,
            Self::Session => messages::SESSION_NOT_FOUND,
            Self::CancellationRequest => messages::CANCELLATION_NOT_FOUND,
            Self::User | Self::ContactMessage => return None,
        })
    }
}

impl Error {
    /// Whether we closed the database ourselves: the server is stopping, so background work should end.
    pub(crate) fn is_closed(&self) -> bool {
        matches!(self, Self::DatabaseBusy(source) if source.is_closed())
    }

    /// The message for a database that is [busy](Self::DatabaseBusy).
    pub fn of_busy_database(source: &partsight_store::Error) -> &'static str {
        match source {
            partsight_store::Error::ReadOnly(_) => partsight_domain::messages::DATABASE_READ_ONLY,
            partsight_store::Error::FileGone(_) => partsight_domain::messages::DATABASE_FILE_GONE,
            _ => partsight_domain::messages::DATABASE_BUSY,
        }
    }

    /// Adds to this error which of several photographs it is about, by its index.
    #[must_use]
    pub(crate) fn of_photo(self, index: usize, n_photos: usize) -> Self {
        let number = index + 1;
        match self {
            Self::Photo { source } if n_photos > 1 => Self::PhotoAmong { number, n_photos, source },
            Self::PhotoQuarantined { .. } => Self::PhotoQuarantined { number, n_photos },
            other => other,
        }
    }

    /// Wraps an error that the caller cannot act on.
    pub fn internal(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Internal(source.into())
    }
}

impl From<partsight_store::Error> for Error {
    fn from(source: partsight_store::Error) -> Self {
        use partsight_store::Error as Store;
        match source {
            Store::OwnsCompany => {
                Self::Conflict { field: "company", message: partsight_domain::messages::COMPANY_OWNER_STAYS }
            }
            Store::AccountClosing => {
                Self::Conflict { field: "company", message: partsight_domain::messages::COMPANY_CLOSING }
            }
            Store::SessionEnded => Self::NotSignedIn,
            Store::NotManager => {
                Self::Forbidden { message: partsight_domain::messages::COMPANY_MANAGERS_ONLY }
            }
            Store::LimitReached { limit } => Self::LimitReached { limit },
            Store::QuotaReached { quota, plan } => Self::QuotaReached { quota, plan },
            Store::LeaseLost => {
                Self::Conflict { field: "batch", message: partsight_domain::messages::BATCH_LEASE_LOST }
            }
            // The repeated call will get the saved answer.
            Store::CallAnswered => Self::CallRunning,
            // Temporary, so the caller gets an error that suggests a retry.
            Store::Locked { .. }
            | Store::TooManyConnections { .. }
            | Store::NoConnection { .. }
            | Store::Unreachable { .. }
            | Store::ReadOnly { .. }
            | Store::FileGone { .. } => Self::DatabaseBusy(source),
            Store::Full { .. } => Self::StorageFull(source),
            other => Self::internal(other),
        }
    }
}

impl From<partsight_inference::Error> for Error {
    fn from(source: partsight_inference::Error) -> Self {
        use partsight_inference::Error as Inference;
        match source {
            Inference::QueueFull { .. } => Self::Busy,
            Inference::ShutDown => Self::ShuttingDown,
            // First, because a decoder that died over a photograph also counts as a lost worker.
            Inference::Photo(source) => Self::Photo { source },
            lost if lost.lost_a_worker() || matches!(lost, Inference::NoEngine { .. }) => {
                Self::EngineLost(lost)
            }
            other => Self::internal(other),
        }
    }
}

/// An error as a field of a log message, which then has its causes too.
pub fn logged(error: &(impl std::error::Error + 'static)) -> &(dyn std::error::Error + 'static) {
    error
}

/// The text of an error as a sentence: with a capital letter and a full stop.
pub fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}

impl From<partsight_providers::Error> for Error {
    fn from(source: partsight_providers::Error) -> Self {
        use partsight_providers::Error as Provider;
        match source {
            Provider::Payments { .. } => Self::PaymentProvider(source),
            Provider::PaymentDeclined(message) => Self::PaymentDeclined(message),
            Provider::PriceDiffers { .. } => Self::PaymentsNotOffered(Some(source)),
            Provider::EventRefused { .. } => Self::EventRefused(source),
            other => Self::Provider(other),
        }
    }
}
