use std::time::Duration;

use jiff::SignedDuration;
use partsight_domain::{EmailAddress, PersonName, ReturnPath, SignInMethod, UserId};
use partsight_providers::{Error as ProviderError, ExternalIdentity, SignInProvider};
use partsight_store::{Error as StoreError, Identity, NewExternalUser, SignInAttempt};
use uuid::Uuid;

use super::token::is_same_secret;
use super::{Caller, SecretToken, SignedIn};
use crate::accounts::Accounts;
use crate::{Error, Result};

/// Time limit for a person at the provider's page.
const ATTEMPT_LIMIT: SignedDuration = SignedDuration::from_mins(10);

/// How long a sign-in waits for the person's picture to be copied.
const PICTURE_PATIENCE: Duration = Duration::from_secs(1);

/// Sends a browser to the sign-in provider.
#[derive(Debug, Clone)]
pub struct ExternalSignIn {
    /// The provider's page.
    pub url: String,
    /// Secret for a cookie that is valid for the attempt: the browser that comes back must have it.
    pub token: SecretToken,
    /// Lifetime of the attempt and the cookie.
    pub valid_for: SignedDuration,
}

/// The parameters of the provider's redirect. Its `Debug` output shows none of them.
#[derive(Clone, Default)]
pub struct ProviderAnswer {
    /// The authorization code.
    pub code: Option<String>,
    /// Must equal the state that the browser was sent with.
    pub state: Option<String>,
    /// The reason if there is no code.
    pub error: Option<String>,
    /// The issuer (RFC 9207), if the provider states it.
    pub issuer: Option<String>,
}

partsight_domain::debug_fields!(ProviderAnswer {});

/// Why an external sign-in failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExternalSignInFailure {
    /// No sign-in provider is configured.
    #[error("no sign-in provider is set up")]
    NotSetUp,
    /// The person or the provider declined.
    #[error("the sign-in was cancelled at the provider")]
    Cancelled,
    /// There is no such attempt of this browser: it expired, was used already, or is somebody else's.
    #[error("the answer belongs to no attempt of this browser")]
    UnknownAttempt,
    /// The provider does not state that the e-mail address is verified, so anybody could claim it.
    #[error("the provider does not vouch for an e-mail address")]
    EmailNotVerified,
    /// The provider cannot be reached, or its answer is invalid.
    #[error("the provider is not available")]
    Unavailable(#[source] ProviderError),
    /// The ID token failed a check: signature, issuer, audience, expiry or nonce.
    #[error("the provider's answer does not hold")]
    NotTrusted(#[source] ProviderError),
    /// Any other error.
    #[error(transparent)]
    Own(#[from] Error),
}

impl ExternalSignInFailure {
    /// The reason as a code for the page that explains it.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::NotSetUp => "not-set-up",
            Self::Cancelled => "cancelled",
            Self::UnknownAttempt => "unknown-attempt",
            Self::EmailNotVerified => "email-not-verified",
            Self::Unavailable(_) => "provider-unavailable",
            Self::NotTrusted(_) => "not-trusted",
            Self::Own(Error::TooManyAttempts { .. }) => "too-many-attempts",
            Self::Own(_) => "internal",
        }
    }
}

impl From<ProviderError> for ExternalSignInFailure {
    fn from(error: ProviderError) -> Self {
        match error {
            ProviderError::TokenInvalid(_) | ProviderError::CodeRefused(_) => Self::NotTrusted(error),
            other => Self::Unavailable(other),
        }
    }
}

impl From<StoreError> for ExternalSignInFailure {
    fn from(error: StoreError) -> Self {
        Self::Own(error.into())
    }
}

impl Accounts {
    /// Whether a sign-in provider is configured.
    pub fn has_external_sign_in(&self) -> bool {
        self.services.provider.is_some()
    }

    /// Begins a sign-in with the provider, after which the browser goes to `return_path`.
    pub async fn start_external_sign_in(
        &self,
        return_path: &ReturnPath,
        caller: &Caller,
    ) -> Result<ExternalSignIn, ExternalSignInFailure> {
        let provider = self.provider()?;
        let now = self.clock.now();
        // Limited, because each attempt inserts a row until it expires.
        self.services.limits.take_mail(caller.address, self.clock.steady())?;
        // The provider is queried before anything is stored, so that no row is left behind if it is down.
        let start = provider.start().await?;
        let token = SecretToken::generate();
        // Stored in a row and not in memory, so that any server can finish the attempt.
        let attempt = SignInAttempt {
            state: start.state,
            nonce: start.nonce,
            pkce_verifier: start.pkce_verifier,
            return_path: return_path.as_str().to_owned(),
            expires_at: now + ATTEMPT_LIMIT,
        };
        self.store.save_sign_in_attempt(&token.sha256(), &attempt, now).await?;
        Ok(ExternalSignIn { url: start.url, token, valid_for: ATTEMPT_LIMIT })
    }

    /// Finishes a sign-in with the provider; returns the user, and the page to which the browser is redirected.
    pub async fn finish_external_sign_in(
        &self,
        token: Option<&SecretToken>,
        answer: ProviderAnswer,
        caller: &Caller,
    ) -> Result<(SignedIn, ReturnPath), ExternalSignInFailure> {
        let provider = self.provider()?;
        let token = token.ok_or(ExternalSignInFailure::UnknownAttempt)?;
        // Deleted from the table, so that a second callback is refused.
        let attempt = self.store.take_sign_in_attempt(&token.sha256(), self.clock.now()).await?;
        let attempt = attempt.ok_or(ExternalSignInFailure::UnknownAttempt)?;
        // An attacker could send another person's browser here with the attacker's own code, and the person would use
        // the attacker's account without noticing. Cookie and `state` together show that this browser began the
        // attempt.
        let is_ours = is_same_secret(&attempt.state, answer.state.as_deref().unwrap_or_default());
        // Not every provider states the issuer (RFC 9207).
        let is_from_provider = answer.issuer.is_none_or(|issuer| issuer == provider.issuer());
        if !is_ours || !is_from_provider {
            return Err(ExternalSignInFailure::UnknownAttempt);
        }
        // Checked only after the state: an error from elsewhere must not count as the provider's.
        let Some(code) = answer.code.filter(|_| answer.error.is_none()) else {
            return Err(ExternalSignInFailure::Cancelled);
        };
        let identity = provider.finish(code, attempt.nonce, attempt.pkce_verifier).await?;
        let picture = identity.picture.clone();
        let signed_in = self.sign_in_identity(identity, caller).await?;
        let (accounts, user) = (self.clone(), signed_in.user.clone());
        // A sign-in waits only briefly for the picture; the account shows it later.
        let copy = async move { accounts.copy_profile_picture(&user, picture.as_deref()).await };
        self.tasks.begin_and_wait(PICTURE_PATIENCE, copy).await;
        Ok((signed_in, ReturnPath::or_home(Some(&attempt.return_path))))
    }

    /// Signs in the user with this identity: by the identity, else by the verified address, else with a new account.
    async fn sign_in_identity(
        &self,
        external: ExternalIdentity,
        caller: &Caller,
    ) -> Result<SignedIn, ExternalSignInFailure> {
        let (token, session) = self.new_session(caller, SignInMethod::Provider);
        let identity = Identity { issuer: external.issuer, subject: external.subject };
        // The identity before the address: an address can be given to somebody else, a subject cannot.
        if let Some(user) = self.store.find_user_by_identity(&identity).await? {
            self.store.create_session(user.id, &session).await?;
            return Ok(SignedIn { user, token });
        }
        // At most providers people can put any address into their profile. An unverified one would give access to the
        // account of its owner.
        let email = external.email.filter(|_| external.email_verified);
        let email = email.and_then(|email| EmailAddress::new(&email).ok());
        let email = email.ok_or(ExternalSignInFailure::EmailNotVerified)?;
        let user = if let Some(stored) = self.store.find_user_by_email(email.as_str()).await? {
            // If the address of that account was not verified, somebody else may have created it in advance: linking
            // ends its password and sessions. See docs/decisions/0022-sign-in-attempts-in-rows.md.
            self.store.link_identity(stored.user.id, &identity, &session).await?
        } else {
            let new = NewExternalUser {
                email,
                first_name: PersonName::or_empty(&external.first_name),
                last_name: PersonName::or_empty(&external.last_name),
            };
            let id = UserId(Uuid::now_v7());
            let user = self.store.create_external_user(id, &new, &identity, &session).await?;
            self.count_earlier_scans(&user).await;
            user
        };
        Ok(SignedIn { user, token })
    }

    fn provider(&self) -> Result<&SignInProvider, ExternalSignInFailure> {
        self.services.provider.as_ref().ok_or(ExternalSignInFailure::NotSetUp)
    }
}
