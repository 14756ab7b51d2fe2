//! Sign-in at an external provider: the authorization code flow of `OpenID Connect` with PKCE.

mod settings;

use std::sync::Arc;
use std::time::{Duration, Instant};

use openidconnect::core::{
    CoreAuthenticationFlow, CoreClient, CoreIdTokenClaims, CoreIdTokenVerifier, CoreJwsSigningAlgorithm,
    CoreProviderMetadata, CoreUserInfoClaims,
};
use openidconnect::http::header::ACCEPT;
use openidconnect::http::{Request, StatusCode};
use openidconnect::url::Url;
use openidconnect::{
    AccessTokenHash, AuthorizationCode, ClientId, ClientSecret, CsrfToken, EndpointMaybeSet, EndpointNotSet,
    EndpointSet, IssuerUrl, Nonce, OAuth2TokenResponse, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl,
    RequestTokenError, Scope, TokenResponse,
};
use tokio::sync::Mutex;

use crate::{Error, http};

pub use settings::SignInSettings;

/// How long the provider's metadata and keys are cached.
const METADATA_AGE: Duration = Duration::from_hours(1);
/// Shortest time between two fetches of the keys after failed checks.
const METADATA_RENEWAL: Duration = Duration::from_mins(1);
/// Largest answer of a provider that is read, in bytes.
const MAX_ANSWER_BYTES: usize = 1024 * 1024;
/// Accepted signature algorithms. None is symmetric, and `none` is not among them.
const SIGNATURES: [CoreJwsSigningAlgorithm; 9] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha384,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha512,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::RsaSsaPssSha384,
    CoreJwsSigningAlgorithm::RsaSsaPssSha512,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EcdsaP384Sha384,
    CoreJwsSigningAlgorithm::EdDsa,
];

/// A client of one provider, as its discovery document describes it.
type Client = CoreClient<
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;

/// The URL to redirect a browser to, and what must be stored until it comes back. Not for logs.
#[derive(Clone)]
pub struct SignInStart {
    /// The provider's sign-in page.
    pub url: String,
    /// Comes back in the redirect.
    pub state: String,
    /// Comes back in the signed ID token.
    pub nonce: String,
    /// Proves that the client that redeems the code is the one that began the sign-in.
    pub pkce_verifier: String,
}

partsight_domain::debug_fields!(SignInStart {});

/// The identity that a provider asserts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalIdentity {
    /// The provider's address.
    pub issuer: String,
    /// The person's permanent id at the provider; unique together with the issuer.
    pub subject: String,
    /// The e-mail address, if the provider states one.
    pub email: Option<String>,
    /// Whether the provider states that the address is verified.
    pub email_verified: bool,
    /// May be empty.
    pub first_name: String,
    /// May be empty.
    pub last_name: String,
    /// Address of the person's picture, if the provider states one.
    pub picture: Option<String>,
}

/// An `OpenID Connect` provider. Cheap to clone; clones share the cached metadata.
#[derive(Clone)]
pub struct SignInProvider {
    issuer: IssuerUrl,
    client_id: ClientId,
    client_secret: ClientSecret,
    redirect_url: RedirectUrl,
    http: http::OutgoingCalls,
    cache: Arc<Mutex<MetadataCache>>,
}

/// What is cached of the provider.
#[derive(Default)]
struct MetadataCache {
    client: Option<CachedClient>,
    /// When the last fetch failed.
    failed_at: Option<Instant>,
}

struct CachedClient {
    client: Client,
    since: Instant,
}

partsight_domain::debug_fields!(SignInProvider { issuer });

impl SignInProvider {
    /// The provider of these settings; no connection is made yet. `None` if no provider is set. It sends browsers
    /// back to `redirect_url`, which is registered there.
    ///
    /// # Errors
    /// [`Error::SignInSettings`] when issuer or redirect address is no URL.
    pub fn new(settings: &SignInSettings, redirect_url: String) -> Result<Option<Self>, Error> {
        let SignInSettings { issuer: Some(issuer), client_id: Some(id), client_secret: Some(secret) } =
            settings
        else {
            return Ok(None);
        };
        let settings_error = |source: openidconnect::url::ParseError| Error::SignInSettings(source.into());
        Ok(Some(Self {
            issuer: IssuerUrl::new(issuer.clone()).map_err(settings_error)?,
            client_id: ClientId::new(id.clone()),
            client_secret: ClientSecret::new(secret.reveal().to_owned()),
            redirect_url: RedirectUrl::new(redirect_url).map_err(settings_error)?,
            http: http::OutgoingCalls::to(issuer, MAX_ANSWER_BYTES)?,
            cache: Arc::default(),
        }))
    }

    /// The provider's address.
    pub fn issuer(&self) -> &str {
        self.issuer.as_str()
    }

    /// Begins a sign-in.
    ///
    /// # Errors
    /// [`Error::ProviderUnavailable`] when the provider's metadata cannot be fetched.
    pub async fn start(&self) -> Result<SignInStart, Error> {
        let client = self.client(METADATA_AGE).await?;
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let (url, state, nonce) = client
            .authorize_url(
                CoreAuthenticationFlow::AuthorizationCode,
                CsrfToken::new_random,
                Nonce::new_random,
            )
            .add_scopes(["email", "profile"].map(|scope| Scope::new(scope.to_owned())))
            // With PKCE, a stolen code is worthless without the verifier, which stays here.
            .set_pkce_challenge(challenge)
            .url();
        Ok(SignInStart {
            url: url.into(),
            state: state.into_secret(),
            nonce: nonce.secret().clone(),
            pkce_verifier: verifier.into_secret(),
        })
    }

    /// Redeems the authorization code that a browser brought back, and returns the person's identity.
    ///
    /// The ID token must be signed with a key of the provider, name it and us, not be expired, and have the nonce.
    ///
    /// # Errors
    /// [`Error::CodeRefused`], [`Error::TokenInvalid`], or [`Error::ProviderUnavailable`].
    pub async fn finish(
        &self,
        code: String,
        nonce: String,
        pkce_verifier: String,
    ) -> Result<ExternalIdentity, Error> {
        let client = self.client(METADATA_AGE).await?;
        let exchange = client.exchange_code(AuthorizationCode::new(code)).map_err(unavailable)?;
        let exchange = exchange.set_pkce_verifier(PkceCodeVerifier::new(pkce_verifier));
        let tokens = exchange.request_async(&self.http).await.map_err(|error| match error {
            RequestTokenError::ServerResponse(said) => Error::CodeRefused(said.error().to_string().into()),
            other => unavailable(other),
        })?;
        let nonce = Nonce::new(nonce);
        let id_token = tokens.id_token().ok_or_else(|| invalid("the answer holds no identity token"))?;
        // Providers rotate their keys, so the token may be signed with a newer one than those cached.
        let mut client = client;
        // For any failed check: an invalid token is refused again below.
        if id_token.claims(&verifier(&client), &nonce).is_err() {
            // At most once a minute, so that forged tokens cannot make us query the provider without limit.
            client = self.client(METADATA_RENEWAL).await?;
        }
        let verifier = verifier(&client);
        let claims = id_token.claims(&verifier, &nonce).map_err(invalid)?;
        // If the provider states the hash, it binds the access token, which user info is queried with, to the
        // identity.
        if let Some(expected) = claims.access_token_hash() {
            let key = id_token.signing_key(&verifier).map_err(invalid)?;
            let algorithm = id_token.signing_alg().map_err(invalid)?;
            let found = AccessTokenHash::from_token(tokens.access_token(), algorithm, key);
            if found.map_err(invalid)? != *expected {
                return Err(invalid("the access token is another one than the identity token names"));
            }
        }
        let mut identity = self.identity(claims);
        if identity.email.is_none() {
            // By the standard, the claims of the scopes come from the user-info endpoint (Core 1.0, section 5.4).
            let request = client
                // The library compares the subject, as the standard demands (Core 1.0, section 5.3.2).
                .user_info(tokens.access_token().clone(), Some(claims.subject().clone()))
                .map_err(unavailable)?;
            let more: CoreUserInfoClaims = request.request_async(&self.http).await.map_err(unavailable)?;
            add_user_info(&mut identity, &more);
        }
        Ok(identity)
    }

    fn identity(&self, claims: &CoreIdTokenClaims) -> ExternalIdentity {
        ExternalIdentity {
            issuer: self.issuer.as_str().to_owned(),
            subject: claims.subject().to_string(),
            email: claims.email().map(|email| email.to_string()),
            // Missing counts as not verified: the address gives access to existing accounts.
            email_verified: claims.email_verified() == Some(true),
            first_name: claims
                .given_name()
                .and_then(|names| names.get(None))
                .map(|name| name.to_string())
                .unwrap_or_default(),
            last_name: claims
                .family_name()
                .and_then(|names| names.get(None))
                .map(|name| name.to_string())
                .unwrap_or_default(),
            picture: claims.picture().and_then(|urls| urls.get(None)).map(|url| url.to_string()),
        }
    }

    /// Whether a picture may be copied: it is at the provider's own address, or for Google at the hosts of its
    /// profile pictures. Some providers accept any address in a profile, even one in our network.
    pub fn is_own_picture(&self, url: &str) -> bool {
        is_picture_of(self.issuer.url(), url)
    }

    /// The file of a picture; its content is not checked.
    ///
    /// # Errors
    /// [`Error::ProviderUnavailable`] for one that is missing or too large.
    pub async fn picture(&self, url: &str) -> Result<Vec<u8>, Error> {
        // Checked here as well, because this function makes the request.
        if !self.is_own_picture(url) {
            return Err(unavailable("the picture is not at the provider"));
        }
        let request = Request::get(url).header(ACCEPT, "image/*").body(Vec::new()).map_err(unavailable)?;
        let answer = self.http.answer(request).await.map_err(unavailable)?;
        if answer.status() != StatusCode::OK {
            return Err(unavailable(format!("it answered {} for a picture", answer.status())));
        }
        Ok(answer.into_body())
    }

    /// The client, with metadata that is at most `age` old. One caller at a time fetches it; the others wait and
    /// share the result or the failure.
    async fn client(&self, age: Duration) -> Result<Client, Error> {
        let called_at = Instant::now();
        // Held during the fetch, so that the others wait.
        let mut cache = self.cache.lock().await;
        let MetadataCache { client: cached, failed_at } = &mut *cache;
        if let Some(cached) = cached.as_ref().filter(|cached| cached.since.elapsed() < age) {
            return Ok(cached.client.clone());
        }
        // Otherwise each waiting caller would run into the whole time limit, one after the other.
        if failed_at.is_some_and(|failed_at| failed_at >= called_at) {
            return Err(unavailable("it did not answer"));
        }
        let metadata = match CoreProviderMetadata::discover_async(self.issuer.clone(), &self.http).await {
            Ok(metadata) => metadata,
            Err(error) => {
                *failed_at = Some(Instant::now());
                return Err(unavailable(error));
            }
        };
        let client = CoreClient::from_provider_metadata(
            metadata,
            self.client_id.clone(),
            Some(self.client_secret.clone()),
        )
        .set_redirect_uri(self.redirect_url.clone());
        *cached = Some(CachedClient { client: client.clone(), since: Instant::now() });
        Ok(client)
    }
}

/// Adds the claims of the user-info endpoint. They come over TLS for the same subject, so they count like the
/// token's.
fn add_user_info(identity: &mut ExternalIdentity, more: &CoreUserInfoClaims) {
    identity.email = more.email().map(|email| email.to_string());
    identity.email_verified = more.email_verified() == Some(true);
    let picture = || more.picture().and_then(|urls| urls.get(None)).map(|url| url.to_string());
    identity.picture = identity.picture.take().or_else(picture);
    if identity.first_name.is_empty() {
        identity.first_name = more
            .given_name()
            .and_then(|names| names.get(None))
            .map(|name| name.to_string())
            .unwrap_or_default();
    }
    if identity.last_name.is_empty() {
        identity.last_name = more
            .family_name()
            .and_then(|names| names.get(None))
            .map(|name| name.to_string())
            .unwrap_or_default();
    }
}

fn is_picture_of(issuer: &Url, url: &str) -> bool {
    let Ok(url) = Url::parse(url) else { return false };
    let is_google = issuer.host_str() == Some("accounts.google.com")
        && url.scheme() == "https"
        && url.host_str().is_some_and(|host| host.ends_with(".googleusercontent.com"));
    url.origin() == issuer.origin() || is_google
}

/// The checks of a token: signed by the provider, for it and us, and not expired.
fn verifier(client: &Client) -> CoreIdTokenVerifier<'_> {
    client.id_token_verifier().set_allowed_algs(SIGNATURES)
}

fn unavailable(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::ProviderUnavailable(source.into())
}

fn invalid(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::TokenInvalid(source.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pictures_of_the_provider_are_fetched() {
        for (issuer, picture, expected) in [
            ("https://id.example.com/realm", "https://id.example.com/people/1.png", true),
            ("https://id.example.com/realm", "http://id.example.com/people/1.png", false),
            ("https://id.example.com/realm", "https://id.example.com:8443/1.png", false),
            ("https://id.example.com/realm", "https://id.example.com@10.0.0.1/1.png", false),
            ("https://id.example.com/realm", "http://169.254.169.254/latest/meta-data", false),
            ("https://id.example.com/realm", "https://lh3.googleusercontent.com/a/1", false),
            ("https://accounts.google.com", "https://lh3.googleusercontent.com/a/1", true),
            ("https://accounts.google.com", "https://lh3.googleusercontent.com.example.com/a/1", false),
            ("https://accounts.google.com", "http://lh3.googleusercontent.com/a/1", false),
            ("https://accounts.google.com", "file:///etc/passwd", false),
        ] {
            assert_eq!(is_picture_of(&Url::parse(issuer).unwrap(), picture), expected, "{picture}");
        }
    }
}
