//! Accounts: who somebody is, how they prove it, and how they leave.

mod admin;
mod deletion;
mod export;
mod external;
mod limits;
mod mailed_links;
mod mails;
mod password;
mod profile;
mod sessions;
mod sign_in;
mod token;

use std::net::IpAddr;

use partsight_domain::{EmailAddress, Session, User};
use partsight_providers::{
    Mail, MailSettings, MailTransport, Outbox, SignInProvider, SignInProviderSettings,
};

use crate::{Error, Result, Settings};
use limits::AccountLimits;

pub(crate) use limits::network;

pub use admin::AccountAdmin;
pub use export::{PersonalData, TenantData};
pub use external::{ExternalSignIn, ExternalSignInFailure, ProviderAnswer};
pub use token::SecretToken;

/// Where the sign-in provider sends browsers back to, below the address that people type.
const CALLBACK_PATH: &str = "/api/login/callback";

/// Where a call comes from, for what is limited by address and for the list of sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The client's address, behind our own proxies if there are any.
    pub address: IpAddr,
    /// Such as `Firefox on Windows`; may be empty.
    pub browser: String,
}

/// A user who has just signed in, with the secret for their cookie.
#[derive(Debug, Clone)]
pub struct SignedIn {
    /// Who.
    pub user: User,
    /// For the cookie.
    pub token: SecretToken,
}

/// The user of a call, with the session that it came with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrentSession {
    /// Who.
    pub user: User,
    /// The session of this very browser.
    pub session: Session,
}

/// What accounts need beside the store.
pub(crate) struct AccountParts {
    pub(crate) outbox: Outbox,
    /// Whether mails reach people, rather than a folder: without that no address can be proved.
    pub(crate) sends_mails: bool,
    provider: Option<SignInProvider>,
    pub(crate) limits: AccountLimits,
    pub(crate) base_url: String,
    pub(crate) support_email: String,
    session_days: u32,
    session_idle_days: u32,
}

impl AccountParts {
    /// Starts the outbox; must be called in a tokio runtime.
    pub(crate) fn start(settings: &Settings) -> Result<Self> {
        let base_url = settings.effective_public_url();
        let transport = match &settings.smtp_url {
            Some(url) => MailTransport::Smtp { url: url.reveal().to_owned() },
            None => MailTransport::Folder { path: settings.effective_mail_dir() },
        };
        let from = settings.mail_from.as_ref().unwrap_or(&settings.support_email);
        let outbox = Outbox::start(MailSettings {
            from: EmailAddress::new(from)?,
            from_name: "Partsight".to_owned(),
            transport,
        })?;
        let provider = match (&settings.oidc_issuer, &settings.oidc_client_id, &settings.oidc_client_secret) {
            (Some(issuer), Some(client_id), Some(secret)) => {
                Some(SignInProvider::new(SignInProviderSettings {
                    issuer: issuer.clone(),
                    client_id: client_id.clone(),
                    client_secret: secret.reveal().to_owned(),
                    redirect_url: format!("{base_url}{CALLBACK_PATH}"),
                })?)
            }
            _ => None,
        };
        Ok(Self {
            outbox,
            sends_mails: settings.smtp_url.is_some(),
            provider,
            limits: AccountLimits::new(settings.sign_in_attempts),
            base_url,
            support_email: settings.support_email.clone(),
            session_days: settings.session_days,
            session_idle_days: settings.session_idle_days,
        })
    }

    /// Lets the waiting mails leave.
    pub(crate) async fn close(&self) {
        self.outbox.close().await;
    }

    /// Sends a mail made for the address of an account. One that mails cannot have was never proved, so nobody
    /// misses it.
    pub(crate) fn mail(&self, to: &str, mail: impl FnOnce(&EmailAddress) -> Mail) {
        if let Ok(to) = EmailAddress::new(to) {
            self.outbox.send(mail(&to));
        }
    }
}

impl From<partsight_providers::Error> for Error {
    fn from(source: partsight_providers::Error) -> Self {
        use partsight_providers::Error as Provider;
        match source {
            Provider::Payments { .. } => Self::PaymentProvider { source },
            Provider::PaymentDeclined { message } => Self::PaymentDeclined { message },
            Provider::PriceDiffers { .. } => Self::PaymentsNotOffered { source: Some(source) },
            Provider::EventRefused { .. } => Self::EventRefused { source },
            other => Self::Provider { source: other },
        }
    }
}
