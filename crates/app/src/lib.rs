//! The use cases: what a person or a shop can do with Partsight, each as one function.
//!
//! The central type is [`App`], which joins the store, the catalogue and the [`Identifier`]; this is the
//! only crate that knows them all. Whoever speaks to the outside (`partsight-api`, the command line) calls
//! it with parsed values and turns its [`Error`] into a status or an exit code.
//!
//! Rules live in `partsight-domain`; here they are asked in the right order, with the I/O between them.
//! The error set is agnostic of HTTP on purpose: the same refusal serves a status code and a terminal.
//!
//! It does not parse requests, render answers, or read settings: see [`Settings`] for what it is given.
//! Begin with `scans.rs` for the path of one photograph.

mod accounts;
mod api_keys;
mod app;
mod billing;
mod browser_model;
mod bulk;
mod calendar;
mod calibration;
mod cascade;
mod companies;
mod compatibility;
mod contact;
mod database;
mod dial;
mod error;
mod feedback;
mod fills;
mod idempotency;
mod identify;
mod judge_photo;
pub mod metrics;
pub mod models;
mod oil_changes;
pub mod oil_specs;
mod parts;
mod passwords;
mod photo_files;
mod photographs;
mod price_lists;
mod rate_limit;
mod records_csv;
mod reembedding;
pub mod reference;
mod references;
mod reminders;
mod repairs;
mod scan_history;
mod scans;
mod settings;
mod shop_parts;
mod similar_parts;
mod suppliers;
mod teaching;
mod thumbnails;
mod unbroken;
mod usage;
mod vehicle_prior;
mod vehicles;
mod vin_decoder;

pub use accounts::{
    AccountAdmin, Caller, CurrentSession, ExternalSignIn, ExternalSignInFailure, PersonalData,
    ProviderAnswer, SecretToken, SignedIn, TenantData,
};
pub use api_keys::{CreatedApiKey, KeyAdmin, KeyCaller};
pub use app::{App, Clock, system_clock};
pub use billing::{BillingData, Checkout, SubscriptionOverview};
pub use browser_model::BrowserModel;
pub use bulk::{FileError, FileScan, open_photo};
pub use calibration::MIN_FEEDBACK;
pub use cascade::{CascadeTrial, JudgeBudgetStatus, JudgeStatus, TrialAnswer, TrialJudgement, TrialStep};
pub use companies::{AddedMember, CompanyMembers, LogoEdit};
pub use compatibility::{FitSubject, PartFit};
pub use contact::{ContactAdmin, ContactForm};
pub use database::{migrate_database, open_store};
pub use dial::DialStatus;
pub use error::{Entity, Error, Result};
pub use feedback::{GivenFeedback, LearningStatus};
pub use fills::FillState;
pub use idempotency::{IDEMPOTENCY_KEY, SCAN_PATH, idempotent_call};
pub use identify::{Identification, Identifier};
pub use oil_changes::Logged;
pub use parts::{PartFacts, PartTypes};
pub use partsight_catalog::Catalog;
pub use partsight_inference::calibration::{binomial_at_most, error_upper_bound};
pub use partsight_inference::{
    Error as InferenceError, Filter, Fingerprint, Photo, PhotoLimits, Resize, training_fingerprints,
};
pub use partsight_providers::VinAnswer;
pub use partsight_store::{
    Claim, DeletedCompany, Error as StoreError, IdempotentCall, Store, StoreOptions, sqlite_url,
};
pub use photo_files::{FoundPhotos, find_photos, has_photo_extension, photos_in_folder};
pub use price_lists::{
    Delimiter, PreviewedRow, PriceListOptions, PriceListReport, PriceListUpload, RowProblem, Severity,
};
pub use rate_limit::RateLimitState;
pub use records_csv::{
    CsvExport, CsvFormat, CsvImport, CsvKind, ImportReport, MAX_IMPORT_ROWS, RowReport, RowStatus,
};
pub use reembedding::{CatalogStatus, ReembeddingProgress};
pub use reminders::{DoneForm, VehicleMaintenance};
pub use scan_history::{HistoryPage, HistoryQuery};
pub use scans::ScanRequest;
pub use settings::{
    AnswerFormat, DatabaseUrl, Decimal, EMBEDDED_MODEL, InvalidSetting, JudgeConsent, JudgeProvider,
    LogFormat, Secret, Settings, TrustedProxies,
};
pub use shop_parts::{
    FoundPart, PartFormat, PartImport, PartImportReport, PartRowReport, PartRowStatus, ShopPartPage,
};
pub use similar_parts::SimilarPart;
pub use suppliers::{PartOffers, PartWanted, SourceStatus};
pub use teaching::{
    CatalogFileError, Confusion, Copy, Diagnosis, Enrolment, Exported, ImportedPart, Lesson, LonelyPart,
    MAX_TEACHING_PHOTOS, Outlier, Owner, PartSummary, Reference as PartReference, TaughtType,
};
pub use vehicle_prior::VehiclePrior;
