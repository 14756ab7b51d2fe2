//! The extractors of handlers, which turn every rejection into an [`ApiError`].

use std::convert::Infallible;
use std::fmt;
use std::marker::PhantomData;

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequest, FromRequestParts, OptionalFromRequest, Path, Query, Request};
use axum::http::StatusCode;
use axum::http::header::CONTENT_ENCODING;
use axum::http::request::Parts;
use axum_extra::extract::CookieJar;
use partsight_app::{App, CurrentSession, Error, KeyCaller, SecretToken};
use partsight_domain::{ApiScope, User, messages};
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::body_limit::BodyLimit;
use crate::error::is_stalled;
use crate::objects_only::ObjectsOnly;
use crate::unreadable_input::UnreadableInput;
use crate::{ApiError, ApiState};

/// The use cases, and the user behind the session cookie or the API key; 401 without one.
#[derive(Debug, Clone)]
pub(crate) struct SignedIn {
    pub(crate) app: App,
    pub(crate) user: User,
}

impl FromRequestParts<ApiState> for SignedIn {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, Self::Rejection> {
        let app = state.app.clone();
        // Set by `middleware::key_access`, which has removed the cookie.
        if let Some(caller) = parts.extensions.get::<KeyCaller>() {
            app.accounts.take_read_turn(&caller.user).await?;
            return Ok(Self { app, user: caller.user.clone() });
        }
        let SignedInSession(current) = SignedInSession::from_request_parts(parts, state).await?;
        Ok(Self { app, user: current.user })
    }
}

/// The user behind the session cookie, with the session; 401 without one.
#[derive(Debug, Clone)]
pub(crate) struct SignedInSession(pub(crate) CurrentSession);

impl FromRequestParts<ApiState> for SignedInSession {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, Self::Rejection> {
        let token =
            session_token(state, &CookieJar::from_headers(&parts.headers)).ok_or(Error::NotSignedIn)?;
        let current = state.app.accounts.session(&token).await?;
        state.app.accounts.take_read_turn(&current.user).await?;
        Ok(Self(current))
    }
}

/// The user behind the session cookie, if there is one. A stale cookie counts as none.
#[derive(Debug, Clone)]
pub(crate) struct MaybeSignedIn(pub(crate) Option<User>);

impl FromRequestParts<ApiState> for MaybeSignedIn {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, Self::Rejection> {
        let Some(token) = session_token(state, &CookieJar::from_headers(&parts.headers)) else {
            return Ok(Self(None));
        };
        match state.app.accounts.session(&token).await {
            Ok(current) => Ok(Self(Some(current.user))),
            // Only this error: if the database does not answer, a signed-in user must not be treated as a visitor.
            Err(Error::NotSignedIn) => Ok(Self(None)),
            Err(other) => Err(other.into()),
        }
    }
}

/// Whether the caller may see saved vehicles: everybody with a session, and keys with the scope for it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SeesGarage(pub(crate) bool);

impl<S: Send + Sync> FromRequestParts<S> for SeesGarage {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let key = parts.extensions.get::<KeyCaller>();
        Ok(Self(key.is_none_or(|caller| caller.check_scope(ApiScope::GarageRead).is_ok())))
    }
}

/// The secret in the session cookie, whether or not it is valid.
pub(crate) fn session_token(state: &ApiState, jar: &CookieJar) -> Option<SecretToken> {
    token_in(state.session_cookie(), jar)
}

/// The secret in the cookie `name`.
pub(crate) fn token_in(name: &str, jar: &CookieJar) -> Option<SecretToken> {
    jar.get(name).map(|cookie| SecretToken::from_text(cookie.value()))
}

/// A JSON object in which each struct is an object too. Other JSON is refused.
#[derive(Debug, Clone, Default)]
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, Self::Rejection> {
        refuse_compressed(&request)?;
        let limit = BodyLimit::of(&request);
        let read = <Json<Object<T>> as FromRequest<S>>::from_request(request, state).await;
        let Json(Object(body)) = read.map_err(|rejection| no_json(&rejection, limit))?;
        Ok(Self(body))
    }
}

/// For a call whose body is optional; without a body it needs no media type.
impl<T: DeserializeOwned, S: Send + Sync> OptionalFromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Option<Self>, Self::Rejection> {
        refuse_compressed(&request)?;
        let limit = BodyLimit::of(&request);
        let read = <Json<Object<T>> as OptionalFromRequest<S>>::from_request(request, state).await;
        let body = read.map_err(|rejection| no_json(&rejection, limit))?;
        Ok(body.map(|Json(Object(body))| Self(body)))
    }
}

/// Why a body is not the JSON that the call accepts. `limit` is the largest body.
fn no_json(rejection: &JsonRejection, limit: BodyLimit) -> ApiError {
    match rejection.status() {
        StatusCode::UNSUPPORTED_MEDIA_TYPE => ApiError::unsupported_media_type(messages::JSON_NEEDED),
        StatusCode::PAYLOAD_TOO_LARGE => limit.exceeded(),
        // Otherwise it would be reported as invalid JSON.
        _ if is_stalled(rejection) => ApiError::upload_stalled(),
        _ => UnreadableInput::of_body(rejection).into(),
    }
}

/// Refuses compressed bodies, which would otherwise be reported as invalid JSON. None is decompressed, because a
/// few bytes may become very many.
fn refuse_compressed(request: &Request) -> Result<(), ApiError> {
    match request.headers().get(CONTENT_ENCODING) {
        Some(encoding) if encoding != "identity" => {
            Err(ApiError::unsupported_media_type(messages::BODY_COMPRESSED))
        }
        _ => Ok(()),
    }
}

/// Deserializes a `T`, and each struct in it, only from an object.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(PhantomData))
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = Object<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(ObjectsOnly(map))).map(Object)
    }
}

/// Deserializes a field that may be null, which then means the same as a missing field.
pub(crate) fn null_as_absent<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

#[derive(Debug, Clone)]
pub(crate) struct QueryString<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for QueryString<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let Query(query) = Query::from_request_parts(parts, state).await?;
        Ok(Self(query))
    }
}

/// All variable segments of the path, as text in their order. A segment that is not UTF-8 gets 404.
#[derive(Debug, Clone)]
pub(crate) struct PathSegments<const N: usize>(pub(crate) [String; N]);

impl<S: Send + Sync, const N: usize> FromRequestParts<S> for PathSegments<N>
where
    [String; N]: DeserializeOwned + Send,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let Path(segments) = Path::from_request_parts(parts, state)
            .await
            .map_err(|_| ApiError::not_found(messages::CALL_NOT_FOUND))?;
        Ok(Self(segments))
    }
}

/// The one variable segment of the path, as text. A segment that is not UTF-8 gets 404.
#[derive(Debug, Clone)]
pub(crate) struct PathSegment(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for PathSegment {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let Path(segment) = Path::from_request_parts(parts, state)
            .await
            .map_err(|_| ApiError::not_found(messages::CALL_NOT_FOUND))?;
        Ok(Self(segment))
    }
}
