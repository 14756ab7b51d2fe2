//! All persistent data, in SQL on SQLite or PostgreSQL.
//!
//! The central type is [`Store`], with a pool for reading and one for writing. Its methods are in a folder for each
//! room, as in the other crates; a room may use those that ARCHITECTURE.md puts below it. Modules that belong to no
//! room are beside the folders. Every method for somebody's row takes that person's or tenant's id and puts it into the
//! `WHERE`: a row of somebody else is treated as one that does not exist.
//!
//! Queries are checked when they run, not when they compile, and use only what SQLite and PostgreSQL share
//! (`$1` placeholders, `RETURNING`, partial unique indexes, timestamps as integers), through sqlx's `Any`
//! driver. The cost is that a misspelt column is found by a test instead of the compiler; the gain is one
//! set of queries for both databases.
//!
//! Writes go through `Store::begin` and its own transaction type, or are single statements on the pool for writing;
//! connections for reading refuse to write.
//!
//! It does not decide what is allowed, with one exception: [`Store::save_scan`] counts a scan against the
//! allowance in the transaction that saves it, because two scans at once must not use one allowance twice.

#[macro_use]
mod statement;

mod accounts;
mod authority;
mod batches;
mod departures;
mod error;
mod evaluations;
mod events;
mod filter;
mod garage;
mod judging;
mod last_asked;
mod many_rows;
mod migrations;
mod nullable_float;
mod operations;
mod parts;
mod plans;
#[cfg(test)]
mod query_plans;
mod refusals;
mod revision;
mod rows;
mod scanning;
mod servers;
mod slices;
mod sqlite_file;
mod store;
mod teaching;
mod transaction;
mod uncounted;
mod url;
mod writes;

pub use accounts::{
    ApiKeyRow, ClaimedMail, Identity, MailLease, MailLink, NewExternalUser, NewMail, NewSession, OpenSession,
    ProfilePicture, SessionRenewal, SignInAttempt, StoredUser,
};
pub use batches::{
    ArrangedItem, ClaimedItem, GivenGrade, GradeRange, GroupDoubt, HeldBatch, ItemAdded, ItemEnd, ItemFilter,
    ItemLease, ItemOutcome, ItemResult, NewBatch, NewBatchItem, Regrouped,
};
pub use error::{Error, counted_rows};
pub use evaluations::{
    ClaimedEvaluation, EvaluationOutcome, MeasuredEvaluation, NewEvaluation, RawScanScores, ScanSpan,
};
pub use events::{ClaimedDelivery, DeliveryLease, FailedTry, FailureRecord, WebhookRow};
pub use garage::{
    ClaimedPush, DoneRecord, ImportRecords, KeptSafetyRecords, PushLease, PushSubscriptionRow, RecordBatch,
    RecordKind, RecordMark, VpicRows, read_vpic,
};
pub use judging::{
    CallPurpose, FillKey, JudgeBudgets, JudgeCost, JudgeSpending, JudgedVerdict, Kept, NewFill, NoMoney,
    ReservedCall, SimilarVerdict, StoredFill,
};
pub use migrations::{is_from_development, knows_migration};
pub use operations::{
    Cell, CellKind, DatabaseFacts, DatabaseKind, DeletedCompany, Restoration, SEEDED_TABLE, Snapshot, Table,
    TableRows, count_rows_at, inspect, release_sqlite_file, sqlite_file_url,
};
pub use parts::{
    ListedNumber, ListedPrice, NewPriceList, PartKeys, PublishList, ShopPartRefusal, ShopPartTexts,
    SupplierAnswer, UploadedListId,
};
pub use plans::{
    BillingClaim, BillingRecord, InvitationKey, Invite, JoinCompany, NewInvitation, PaymentEventRow,
};
pub use scanning::{
    Claim, FeedbackCounts, IdempotentCall, KeptPhoto, KnownScan, NewScan, PhotoObject, PhotoToMove,
    ReplacedFeedback, ScanFeatures, ScanFilter, StaleCalls,
};
pub use sqlite_file::{create_private_folder, sqlite_url};
pub use store::{PoolSize, Store, StoreOptions};
pub use teaching::{StoredReference, TypeDeletion};
pub use url::{sqlite_file, without_password};
