//! Users, how they sign in, and what their plan includes.
//!
//! Begin with `user`; plans and their allowances are in `plan`.

mod api_key;
mod mailed_link;
mod membership;
mod password;
mod plan;
mod quota;
mod session;
mod usage;
mod user;

pub use api_key::{ApiKey, ApiScope, MAX_API_KEYS, NewApiKey};
pub use mailed_link::LinkPurpose;
pub use membership::{CompanyRole, Membership};
pub use password::{ChosenPassword, Password};
pub use plan::{Feature, Plan, ScanAllowance, UNLIMITED_SCANS};
pub use quota::Quota;
pub use session::{ReturnPath, Session, SignInMethod, browser_name};
pub use usage::{FillKind, FillUsageRow, ScanSource, ScanUsage, UsageDays, UsagePath, UsageRow};
pub use user::{EmailAddress, NewUser, PersonName, TERMS_VERSION, User, display_name};
