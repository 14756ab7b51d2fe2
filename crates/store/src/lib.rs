//! Where rows live: accounts, sessions, vehicles and scans in SQL.
//!
//! The central type is [`Store`], a pool with one module of methods per aggregate. Every method that
//! touches somebody's row takes that somebody's id and puts it into the `WHERE`: a row of another user is
//! the same as no row.
//!
//! Queries are checked when they run, not when they compile, and use only what SQLite and PostgreSQL share
//! (`$1` placeholders, `RETURNING`, partial unique indexes, moments as integers), through sqlx's `Any`
//! driver. The cost is that a misspelt column is found by a test instead of the compiler; the gain is one
//! set of queries for both databases.
//!
//! It does not decide what is allowed, with one exception: [`Store::save_scan`] counts a scan against the
//! allowance in the transaction that saves it, because two scans at once must not use one allowance twice.

mod api_keys;
mod cancellation_requests;
mod companies;
mod company_members;
mod contact_messages;
mod dial;
mod error;
mod feedback;
mod fills;
mod filter;
mod idempotency;
mod identities;
mod judge_choices;
mod judging;
mod mailed_links;
mod maintenance;
mod oil_changes;
mod part_references;
mod price_lists;
mod price_offers;
mod records;
mod repairs;
mod rows;
mod scans;
mod sessions;
mod shop_parts;
mod sign_in_attempts;
mod store;
mod subscriptions;
mod supplier_answers;
mod url;
mod usage;
mod users;
mod vehicles;

pub use api_keys::ApiKeyRow;
pub use companies::DeletedCompany;
pub use company_members::{AddMember, JoinCompany, MemberPlace};
pub use error::Error;
pub use feedback::{FeedbackCounts, KnownScan, ScanFeatures};
pub use fills::{FillKey, NewFill, StoredFill};
pub use idempotency::{Claim, IdempotentCall};
pub use identities::{Identity, NewExternalUser};
pub use judging::{
    CallPurpose, JudgeBudgets, JudgeCost, JudgeSpending, JudgedVerdict, Kept, ReservedCall, SimilarVerdict,
};
pub use maintenance::DoneRecord;
pub use part_references::StoredReference;
pub use price_lists::{NewPriceList, PublishList};
pub use price_offers::{ListedPrice, PartKeys};
pub use records::{ImportRecords, RecordBatch, RecordKind, RecordMark};
pub use scans::{NewScan, ScanFilter};
pub use sessions::{NewSession, OpenSession};
pub use shop_parts::{ShopPartRefusal, ShopPartTexts};
pub use sign_in_attempts::SignInAttempt;
pub use store::{Store, StoreOptions, sqlite_url};
pub use subscriptions::{BillingClaim, BillingRecord, PaymentEventRow};
pub use supplier_answers::SupplierAnswer;
pub use url::without_password;
pub use users::StoredUser;
