//! The use cases: what a person or a shop can do with Partsight, each as one function.
//!
//! The central type is [`App`], which connects the rooms; this is the only crate that knows the store, the catalogue,
//! the model and the providers at once. A room is a service with only the dependencies that it needs, such as
//! [`Garage`] or [`Scanning`]; it may use the rooms below it. The outer crates (`partsight-api`, the command line)
//! call it with parsed values, and map its [`Error`] to a status or an exit code.
//!
//! Rules are in `partsight-domain`; here they are applied in the right order, with the I/O between them. Errors know
//! nothing of HTTP, so that the same refusal becomes a status code or a message in a terminal. Modules that belong to
//! no room are beside the rooms: errors, settings, metrics, the clock, and shared limits (`limits`).
//!
//! It does not parse requests, render answers, or read settings: it gets them as [`Settings`]. Begin with `app.rs` for
//! how the rooms are connected, and with `scanning/scans.rs` for the path of one photograph.

mod accounts;
mod app;
mod batches;
mod clock;
mod csv_file;
mod detached_tasks;
mod drawn_picture;
mod erasing;
mod error;
mod evaluations;
mod events;
mod fill;
mod garage;
mod judging;
mod limits;
pub mod metrics;
mod operations;
mod parquet_file;
mod parts;
mod plans;
mod recognition;
mod resembled;
mod scanning;
mod send_loop;
mod settings;
mod teaching;
mod vehicle_facts;
mod work_loop;

pub use accounts::Accounts;
pub use accounts::api_keys::{CreatedApiKey, KeyAdmin, KeyCaller};
pub use accounts::owner::Owner;
pub use accounts::{
    Caller, CurrentSession, ExternalSignIn, ExternalSignInFailure, ProviderAnswer, SecretToken, SignedIn,
};
pub use app::App;
pub use batches::Batches;
pub use batches::folder::ServerFolder;
pub use batches::grades::{GradeDays, NewGrade};
pub use batches::item_group::ItemGroup;
pub use batches::jobs::NewBatchForm;
pub use batches::results::{ItemAnswer, ItemPage, ItemQuery, ResultsFormat};
pub use batches::upload::{AddedFiles, BatchUpload};
pub use clock::{Clock, system_clock};
pub use csv_file::reader::Delimiter;
pub use csv_file::{guarded, without_guard};
pub use error::{Entity, Error, Result, logged, sentence};
pub use evaluations::Evaluations;
pub use evaluations::assessor::{Assessment, AssessmentPace, Assessor};
pub use events::{CreatedWebhook, Events, WebhookTest};
pub use fill::FillState;
pub use garage::Garage;
pub use garage::calendar::CalendarFile;
pub use garage::oil_changes::Logged;
pub use garage::push::{NewPushSubscription, PushStatus};
pub use garage::records_csv::{
    CsvExport, CsvFormat, CsvImport, CsvKind, DateOrder, ImportReport, MAX_IMPORT_ROWS, RowReport, RowStatus,
};
pub use garage::reminder_mails::DigestStatus;
pub use garage::reminders::{DoneForm, VehicleMaintenance};
pub use garage::vehicles::VehiclePage;
pub use garage::{oil_specs, safety, vehicle_reference, vin_reading};
pub use judging::Judging;
pub use judging::status::{JudgeBudgetStatus, JudgeStatus};
pub use limits::person::Person;
pub use limits::places::{Place, Places, Share};
pub use limits::rate_limit::RateLimitState;
pub use limits::reads::{HeldTurn, ReadTurn};
pub use metrics::ReembeddingProgress;
pub use metrics::index_status::{IndexCondition, IndexStatus};
pub use operations::Operations;
pub use operations::admin::AccountAdmin;
pub use operations::backup::{
    BackedUpFile, BackedUpTable, BackupError, BackupFacts, BackupHeader, BackupProgress, BackupReport,
    BackupRequest, BackupStep, LastBackup, RestorePlan, RestoreReport, Restored, back_up, last_backup,
    plan_restore, restore, verify_backup,
};
pub use operations::database::{
    DatabaseClaim, claim_database, migrate_database, open_server_store, open_store, open_store_for_threads,
    require_database,
};
pub use operations::doctor::{Examination, Finding, Health, examine};
pub use operations::export::{PersonalData, TenantData};
pub use operations::mail_folder::{MAIL_FOLDER_ADVICE, mail_folder_problem};
pub use operations::models;
pub use operations::readiness::{Readiness, ReadyCheck};
pub use parquet_file::{Cell, ColumnKind, ParquetFile};
pub use parts::Parts;
pub use parts::compatibility::{FitSubject, PartFit};
pub use parts::cross_references::{
    CrossReferenceOptions, CrossReferenceReport, CrossReferenceRows, CrossReferenceUpload,
};
pub use parts::list_upload::{
    ListFileOptions, ListKind, ListReport, ListUpload, ReadColumns, RowProblem, Severity,
};
pub use parts::part_types::{PartFacts, PartTypes};
pub use parts::price_lists::{
    PreviewedRow, PriceCounts, PriceListOptions, PriceListReport, PriceListRows, PriceListUpload,
};
pub use parts::recalls::PartRecalls;
pub use parts::shop_parts::{
    FoundPart, MAX_PART_ROWS, PartFormat, PartImport, PartImportReport, PartRowReport, PartRowStatus,
    ShopPartPage,
};
pub use parts::suppliers::{PartOffers, PartWanted, SourceStatus, WantedFor};
pub use partsight_catalog::Catalog;
pub use partsight_domain::{Decimal, InvalidSetting, Secret, SettingFacts};
pub use partsight_inference::calibration::{binomial_at_most, error_upper_bound};
pub use partsight_inference::{
    DecoderCommand, Filter, Fingerprint, FoundCode, OCCLUSION_GRID, Photo, PhotoDecoder, PhotoError,
    PhotoFormat, PhotoLimits, Reader, Resize, SecondLook, TextLine, View, camera_of, serve_decoding,
    training_fingerprints, with_causes, write_jpeg,
};
pub use partsight_providers::{
    AnswerFormat, JudgeConsent, JudgeProvider, TraceExport, VinAnswer, continue_trace,
};
pub use partsight_store::{
    ArrangedItem, Claim, DeletedCompany, Error as StoreError, IdempotentCall, ItemAdded, ItemFilter,
    MeasuredEvaluation, ShopPartTexts, Store, StoreOptions, sqlite_url,
};
pub use plans::Plans;
pub use plans::billing::{BillingData, Checkout, SubscriptionOverview};
pub use plans::companies::{CompanyMembers, CompanyOffer, FieldEdit, Invited, NamedInvitation};
pub use plans::contact::{ContactAdmin, ContactForm, SupportMessage};
pub use recognition::browser_model::BrowserModel;
pub use recognition::bulk::{FileError, FileScan, open_photo, read_stream};
pub use recognition::bulk_options::{BulkOptions, TaughtReferences};
pub use recognition::device_bench::{
    BatchSpeed, BulkSpeed, Durations, LoadSpeed, NetworkSpeed, bulk_speed, drawn_photo, load_speed,
    network_speed,
};
pub use recognition::identify::{Identification, Identifier, OcclusionMap};
pub use recognition::path_text::{path_of_text, path_text};
pub use recognition::photo_files::{
    FoundPhoto, FoundPhotos, find_photos, has_photo_extension, photos_at, photos_in_folder,
};
pub use recognition::reading::{PhotoReading, open_reader, part_code};
pub use recognition::vehicle_prior::VehiclePrior;
pub use resembled::Resembled;
pub use scanning::Scanning;
pub use scanning::feedback::GivenFeedback;
pub use scanning::history::{HistoryPage, HistoryQuery};
pub use scanning::idempotency::{IDEMPOTENCY_KEY, SCAN_PATH, idempotent_call};
pub use scanning::readings::{ReadText, ReadingState};
pub use scanning::scans::ScanRequest;
pub use scanning::similar_parts::SimilarPart;
pub use scanning::teach_scans::TaughtScans;
pub use scanning::trial::{CascadeTrial, TrialAnswer, TrialJudgement, TrialStep};
pub use scanning::vin_photo::FoundVin;
pub use settings::{
    AccountSettings, DataSettings, DatabaseUrl, EMBEDDED_MODEL, LogFormat, ModelSettings, MonitoringSettings,
    PhotoSettings, ServerSettings, Settings, SettingsSection, TrustedProxies, VehicleSettings,
};
pub use teaching::Teaching;
pub use teaching::calibration::MIN_FEEDBACK;
pub use teaching::dial::DialStatus;
pub use teaching::doctor::{Confusion, Copy, Diagnosis, LonelyPart, Outlier};
pub use teaching::enrol::{Enrolment, PartSummary};
pub use teaching::exchange::{CatalogFileError, Exported, ImportedPart};
pub use teaching::learning::LearningStatus;
pub use teaching::lessons::{Lesson, MAX_TEACHING_PHOTOS, Reference as PartReference, TaughtType};
pub use teaching::look_alikes::MarkedPart;
pub use teaching::reembedding::CatalogStatus;
pub use teaching::reference_index::{Difference, IndexCheck, ServedCheck};
pub use teaching::taught_parts::TaughtParts;
