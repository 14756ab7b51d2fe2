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

/// How long a person may take at the provider.
const ATTEMPT_LIMIT: SignedDuration = SignedDuration::from_mins(10);

/// How long a sign-in waits for the person's picture.
const PICTURE_PATIENCE: Duration = Duration::from_secs(1);

/// A browser on its way to the sign-in provider.
#[derive(Debug, Clone)]
pub struct ExternalSignIn {
    /// The provider's page.
    pub url: String,
    /// For a cookie that lives as long as the attempt: what comes back must come from the same browser.
    pub token: SecretToken,
    /// How long that is.
    pub valid_for: SignedDuration,
}

/// What a browser brings back from the provider. Its `Debug` output shows nothing of it.
#[derive(Clone, Default)]
pub struct ProviderAnswer {
    /// To be redeemed for who the person is.
    pub code: Option<String>,
    /// Must be the one that the browser was sent with.
    pub state: Option<String>,
    /// Why there is no code.
    pub error: Option<String>,
    /// Who answers (RFC 9207), where the provider says so.
    pub issuer: Option<String>,
}

partsight_domain::debug_fields!(ProviderAnswer {});

/// Why nobody was signed in through the provider.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExternalSignInFailure {
    /// No provider is set up here.
    #[error("no sign-in provider is set up")]
    NotSetUp,
    /// The person said no, or the provider did.
    #[error("the sign-in was cancelled at the provider")]
    Cancelled,
    /// The answer belongs to no attempt of this browser: too late, used before, or somebody else's.
    #[error("the answer belongs to no attempt of this browser")]
    UnknownAttempt,
    /// The provider does not vouch for the e-mail address, so that anybody could claim it.
    #[error("the provider does not vouch for an e-mail address")]
    EmailNotVerified,
    /// The provider cannot be reached or does not answer as it should.
    #[error("the provider is not available")]
    Unavailable(#[source] ProviderError),
    /// What came back does not hold: signature, issuer, audience, expiry or nonce.
    #[error("the provider's answer does not hold")]
    NotTrusted(#[source] ProviderError),
    /// Anything of our own.
    #[error(transparent)]
    Own(#[from] Error),
}

impl ExternalSignInFailure {
    /// The reason as the page that explains it gets it.
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
            ProviderError::TokenInvalid { .. } | ProviderError::CodeRefused { .. } => Self::NotTrusted(error),
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
    /// Whether people may sign in with an account elsewhere.
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
        // Each attempt is a row until it expires.
        self.services.limits.take_mail(caller.address, self.clock.steady())?;
        // The provider's page is prepared before anything is stored: one that is down leaves no row behind.
        let start = provider.start().await?;
        let token = SecretToken::generate();
        // A row and no memory: any server can end what another one began.
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

    /// Ends a sign-in with the provider: who it is, and where their browser goes.
    pub async fn finish_external_sign_in(
        &self,
        token: Option<&SecretToken>,
        answer: ProviderAnswer,
        caller: &Caller,
    ) -> Result<(SignedIn, ReturnPath), ExternalSignInFailure> {
        let provider = self.provider()?;
        let token = token.ok_or(ExternalSignInFailure::UnknownAttempt)?;
        // Taken out of the table, so that an answer that comes twice opens nothing the second time.
        let attempt = self.store.take_sign_in_attempt(&token.sha256(), self.clock.now()).await?;
        let attempt = attempt.ok_or(ExternalSignInFailure::UnknownAttempt)?;
        // Somebody could lead another person's browser here with a code of their own, and that person would
        // work in the attacker's account without knowing. Cookie and `state` together show that this browser
        // began it.
        let is_ours = is_same_secret(&attempt.state, answer.state.as_deref().unwrap_or_default());
        // Not every provider names itself in its answer (RFC 9207).
        let is_from_provider = answer.issuer.is_none_or(|issuer| issuer == provider.issuer());
        if !is_ours || !is_from_provider {
            return Err(ExternalSignInFailure::UnknownAttempt);
        }
        // Believed only now: an error from elsewhere must not pass for the provider's word.
        let Some(code) = answer.code.filter(|_| answer.error.is_none()) else {
            return Err(ExternalSignInFailure::Cancelled);
        };
        let identity = provider.finish(code, attempt.nonce, attempt.pkce_verifier).await?;
        let picture = identity.picture.clone();
        let signed_in = self.sign_in_identity(identity, caller).await?;
        let (accounts, user) = (self.clone(), signed_in.user.clone());
        // Nobody waits long for a picture; the next look at the account finds it.
        let copy = async move { accounts.copy_profile_picture(&user, picture.as_deref()).await };
        self.tasks.begin_and_wait(PICTURE_PATIENCE, copy).await;
        Ok((signed_in, ReturnPath::or_home(Some(&attempt.return_path))))
    }

    /// Signs in whoever has this identity: by the identity, else by its proved address, else with a new account.
    async fn sign_in_identity(
        &self,
        external: ExternalIdentity,
        caller: &Caller,
    ) -> Result<SignedIn, ExternalSignInFailure> {
        let (token, session) = self.new_session(caller, SignInMethod::Provider);
        let identity = Identity { issuer: external.issuer, subject: external.subject };
        // The identity counts before the address: an address can be given to somebody else, a subject cannot.
        if let Some(user) = self.store.find_user_by_identity(&identity).await? {
            self.store.create_session(user.id, &session).await?;
            return Ok(SignedIn { user, token });
        }
        // Most providers let people write any address into their profile. One that is not vouched for would
        // open the account of whoever has it.
        let email = external.email.filter(|_| external.email_verified);
        let email = email.and_then(|email| EmailAddress::new(&email).ok());
        let email = email.ok_or(ExternalSignInFailure::EmailNotVerified)?;
        let user = if let Some(stored) = self.store.find_user_by_email(email.as_str()).await? {
            // If nobody had proved the address of that account, somebody else may have made it in advance:
            // linking ends its password and sessions. See docs/decisions/0022-sign-in-attempts-in-rows.md.
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
