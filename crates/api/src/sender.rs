//! The sender of an upload, whose rights are looked up again once it has arrived.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum_extra::extract::CookieJar;
use partsight_app::{App, Error, KeyCaller, SecretToken};
use partsight_domain::{User, messages};

use crate::extract::{SignedIn, session_token};
use crate::middleware::key_access::bearer;
use crate::{ApiError, ApiState};

/// The user who sends a form or a large body; 401 without one.
///
/// The body may take minutes, and meanwhile the session may end, or the user be removed from their company. So what is
/// saved is saved for the user that [`again`](Self::again) returns.
#[derive(Debug, Clone)]
pub(crate) struct Sender {
    app: App,
    /// The user before the body was read: for places and limits.
    pub(crate) user: User,
    proof: Proof,
}

/// What the request was signed in with.
#[derive(Debug, Clone)]
enum Proof {
    Session(SecretToken),
    Key(SecretToken),
}

impl FromRequestParts<ApiState> for Sender {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, Self::Rejection> {
        let SignedIn { app, user } = SignedIn::from_request_parts(parts, state).await?;
        let has_key = parts.extensions.get::<KeyCaller>().is_some();
        let proof = if has_key {
            bearer(&parts.headers)?.map(Proof::Key)
        } else {
            session_token(state, &CookieJar::from_headers(&parts.headers)).map(Proof::Session)
        };
        Ok(Self { app, user, proof: proof.ok_or(Error::NotSignedIn)? })
    }
}

impl Sender {
    /// The user with the rights that they have now.
    ///
    /// # Errors
    /// 401 if the session or key has ended, 403 if the plan no longer includes keys.
    pub(crate) async fn again(&self) -> Result<User, ApiError> {
        let accounts = &self.app.accounts;
        match &self.proof {
            Proof::Session(token) => Ok(accounts.session(token).await?.user),
            Proof::Key(secret) => {
                let caller = accounts.key_caller(secret).await?;
                accounts.check_key_plan(&caller)?;
                Ok(caller.user)
            }
        }
    }

    /// Checks that the user has the same rights as before the body was read, for an upload that is saved as it arrives.
    ///
    /// # Errors
    /// Those of [`again`](Self::again), and 403 if the company or the role in it has changed.
    pub(crate) async fn check_unchanged(&self) -> Result<(), ApiError> {
        let user = self.again().await?;
        if user.company == self.user.company {
            return Ok(());
        }
        Err(Error::Forbidden { message: messages::COMPANY_CHANGED_MEANWHILE }.into())
    }
}
