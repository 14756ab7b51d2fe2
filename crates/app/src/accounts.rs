//! Accounts: people and how they sign in, the API keys of their programs, and what their plan allows.
//! Begin with `sign_in.rs`, and with `api_keys.rs` for programs.

pub(crate) mod api_keys;
mod external;
mod limits;
mod mailed_links;
mod mails;
mod outbox;
pub(crate) mod owner;
mod password;
pub(crate) mod passwords;
pub(crate) mod past_allowances;
mod profile;
mod profile_picture;
pub(crate) mod quotas;
mod sessions;
mod sign_in;
mod token;
pub(crate) mod usage;

use std::net::IpAddr;
use std::sync::Arc;

use partsight_domain::{EmailAddress, Plan, Session, UNLIMITED_SCANS, User};
use partsight_providers::{Mailer, SignInProvider};
use partsight_store::Store;
use uuid::Uuid;

use crate::clock::Clock;
use crate::detached_tasks::DetachedTasks;
use crate::drawn_picture::OnDecodingThreads;
use crate::limits::rate_limit::RateLimit;
use crate::limits::reads::Reads;
use crate::{Result, Settings};
use api_keys::key_limit;
use limits::AccountLimits;
use passwords::Passwords;
use quotas::KeptScans;

pub(crate) use limits::network;
pub(crate) use outbox::SECRET;
pub(crate) use sessions::NOTING_PATIENCE;

pub use external::{ExternalSignIn, ExternalSignInFailure, ProviderAnswer};
pub use token::SecretToken;

/// Path below the public URL to which the sign-in provider redirects browsers.
const CALLBACK_PATH: &str = "/api/login/callback";

/// The origin of a call, for limits by address and for the list of sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The client's address; behind our own proxies, the one that they forward.
    pub address: IpAddr,
    /// Such as `Firefox on Windows`; may be empty.
    pub browser: String,
}

impl Caller {
    /// The network of one subscriber: an IPv4 address, or the /64 network of an IPv6 address.
    pub fn network(&self) -> String {
        network(self.address)
    }
}

/// A user who has just signed in, with the secret for the session cookie.
#[derive(Debug, Clone)]
pub struct SignedIn {
    /// Who.
    pub user: User,
    /// Secret for the session cookie.
    pub token: SecretToken,
}

/// The user of a call, and its session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrentSession {
    /// Who.
    pub user: User,
    /// The session of this browser.
    pub session: Session,
}

/// Who uses this server, and what each may do. Cheap to clone.
#[derive(Clone)]
pub struct Accounts {
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    passwords: Passwords,
    /// The plan of everybody on this server, if the settings set one.
    pub(crate) plan_for_all: Option<Plan>,
    pub(crate) services: Arc<AccountServices>,
    key_limit: Arc<RateLimit>,
    pub(crate) kept_scans: Arc<KeptScans>,
    tasks: DetachedTasks,
    on_decoding_threads: OnDecodingThreads,
    /// Names this server among those that share the database.
    worker: Uuid,
    reads: Arc<Reads>,
}

impl Accounts {
    /// Must be called in a tokio runtime.
    ///
    /// # Errors
    /// [`Error::Provider`](crate::Error::Provider) for a mail server or sign-in provider that cannot be used;
    /// [`Error::Internal`](crate::Error::Internal) when the system gives no threads.
    pub(crate) fn new(
        store: Store,
        clock: Clock,
        settings: &Settings,
        tasks: DetachedTasks,
        on_decoding_threads: OnDecodingThreads,
    ) -> Result<Self> {
        Ok(Self {
            store,
            clock,
            passwords: Passwords::start()?,
            plan_for_all: settings.server.plan,
            services: Arc::new(AccountServices::new(settings)?),
            key_limit: Arc::new(key_limit(settings)),
            kept_scans: Arc::default(),
            tasks,
            on_decoding_threads,
            worker: Uuid::now_v7(),
            reads: Arc::default(),
        })
    }

    /// The plan that holds for `user` on this server.
    pub fn effective_plan(&self, user: &User) -> Plan {
        self.plan_for_all.unwrap_or_else(|| user.subscribed_plan())
    }

    /// Waits for the turn of the call that is running, if it only reads ([`HeldTurn`](crate::HeldTurn)) and has none.
    ///
    /// # Errors
    /// [`Error::Busy`](crate::Error::Busy) when other calls of `user` take too long.
    pub async fn take_read_turn(&self, user: &User) -> Result<()> {
        self.reads.take_for_call(user.into()).await
    }

    /// Whether the plan of `user` allows any number of scans.
    pub(crate) fn has_unlimited_scans(&self, user: &User) -> bool {
        self.effective_plan(user).scan_limit() == UNLIMITED_SCANS
    }
}

/// Mails, the sign-in provider, and limits on attempts.
pub(crate) struct AccountServices {
    pub(crate) mailer: Mailer,
    /// Whether mails are sent, rather than written into a folder: only then can addresses be verified.
    pub(crate) sends_mails: bool,
    provider: Option<SignInProvider>,
    pub(crate) limits: AccountLimits,
    pub(crate) base_url: String,
    pub(crate) support_email: EmailAddress,
    session_days: u32,
    session_idle_days: u32,
}

impl AccountServices {
    pub(crate) fn new(settings: &Settings) -> Result<Self> {
        let base_url = settings.server.effective_public_url();
        Ok(Self {
            mailer: Mailer::new(&settings.effective_mail())?,
            sends_mails: settings.mail.smtp_url.is_some(),
            provider: SignInProvider::new(&settings.sign_in, format!("{base_url}{CALLBACK_PATH}"))?,
            limits: AccountLimits::new(settings.accounts.sign_in_attempts),
            base_url,
            support_email: EmailAddress::kept(settings.server.support_email.clone()),
            session_days: settings.accounts.session_days,
            session_idle_days: settings.accounts.session_idle_days,
        })
    }
}
