//! The signed-in user's API keys.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, HeaderName};
use jiff::Timestamp;
use jiff::fmt::temporal::Pieces;
use partsight_app::{App, Entity};
use partsight_domain::{ApiKeyId, ApiScope, InvalidInput, NewApiKey};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{JsonBody, PathSegment, SignedIn, SignedInSession, null_as_absent};
use crate::ids::parse_id;
use crate::wire_enum::wire_enum;
use crate::{ApiError, problems};

wire_enum!(
    /// The scope of an API key: which calls it may use.
    KeyScope from ApiScope { Scan, Catalog, GarageRead, GarageWrite, Events }
);

/// An API key, without its secret.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ApiKey {
    #[schema(example = "019a7c3e-5b1e-7c44-9d0a-3f2b8c1d4e5f")]
    id: String,
    #[schema(example = "Returns desk")]
    name: String,
    /// The first characters of the key, to recognise it.
    #[schema(example = "ps_live_8f14e4")]
    prefix: String,
    scopes: Vec<KeyScope>,
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    created_at: Timestamp,
    /// When it becomes invalid; null if it does not expire.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment_if_any")]
    expires_at: Option<Timestamp>,
    /// When it was last used, accurate to one minute; null if it never was.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment_if_any")]
    last_used_at: Option<Timestamp>,
}

impl From<partsight_domain::ApiKey> for ApiKey {
    fn from(key: partsight_domain::ApiKey) -> Self {
        Self {
            id: key.id.to_string(),
            name: key.name,
            prefix: key.prefix,
            scopes: key.scopes.into_iter().map(KeyScope::from).collect(),
            created_at: key.created_at,
            expires_at: key.expires_at,
            last_used_at: key.last_used_at,
        }
    }
}

/// A new API key.
#[derive(Serialize, ToSchema)]
pub(crate) struct CreatedApiKey {
    #[serde(flatten)]
    api_key: ApiKey,
    /// The key itself. It is returned only once: the server stores only its SHA-256.
    #[schema(example = "ps_live_8f14e45fceea167a5a36dedd4bea2543b6d767d2f8ed5d21a44b0e5886680cb9")]
    key: String,
}

/// An API key to create.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ApiKeyForm {
    /// 1 to 80 characters.
    #[serde(default, deserialize_with = "null_as_absent")]
    #[schema(required, example = "Returns desk")]
    name: String,
    /// At least one of `scan`, `catalog`, `garage-read`, `garage-write` and `events`.
    #[serde(default, deserialize_with = "null_as_absent")]
    #[schema(required, example = json!(["scan", "garage-read"]))]
    scopes: Vec<String>,
    /// When it becomes invalid, at most ten years from now; absent or null for a key that does not expire.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = DateTime, example = "2027-06-01T00:00:00.000Z")]
    expires_at: Option<String>,
}

/// Lists the API keys of the signed-in user, the newest first. Revoked keys are not listed.
#[utoipa::path(get, path = "/api/api-keys", tag = "keys",
    responses((status = OK, body = Vec<ApiKey>), problems::SignedIn, problems::Unavailable))]
pub(crate) async fn list_api_keys(SignedIn { app, user }: SignedIn) -> Result<Json<Vec<ApiKey>>, ApiError> {
    Ok(Json(app.accounts.api_keys(&user).await?.into_iter().map(ApiKey::from).collect()))
}

/// Creates an API key, which programs send as `Authorization: Bearer KEY`. Needs the Business plan; at most 20 keys.
#[utoipa::path(post, path = "/api/api-keys", tag = "keys", request_body = ApiKeyForm, responses(
    (status = CREATED, body = CreatedApiKey),
    problems::SignedIn, problems::Body, problems::Unavailable, problems::Limited,
    (status = FORBIDDEN, description = "The plan does not include API keys, or the call used an API key, or it came from a page of another site."),
    (status = UNPROCESSABLE_ENTITY, description = "A field is invalid, or the account already has 20 keys."),
))]
pub(crate) async fn create_api_key(
    State(app): State<App>,
    SignedInSession(current): SignedInSession,
    JsonBody(form): JsonBody<ApiKeyForm>,
) -> Result<(StatusCode, [(HeaderName, &'static str); 1], Json<CreatedApiKey>), ApiError> {
    let expires_at = form.expires_at.as_deref().filter(|text| !text.is_empty()).map(moment).transpose()?;
    let new = NewApiKey::new(&form.name, &form.scopes, expires_at, app.now())?;
    let created = app.accounts.create_api_key(&current, &new).await?;
    let body = CreatedApiKey { api_key: created.key.into(), key: created.secret.as_str().to_owned() };
    // `no-store` is the default for calls; it is set here too because this response contains a secret.
    Ok((StatusCode::CREATED, [(CACHE_CONTROL, "no-store")], Json(body)))
}

/// Revokes an API key; it is invalid from then on.
#[utoipa::path(delete, path = "/api/api-keys/{id}", tag = "keys", params(("id" = String, Path)), responses(
    (status = NO_CONTENT, description = "Revoked."),
    problems::Write, problems::NotFound, problems::Unavailable,
))]
pub(crate) async fn delete_api_key(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<StatusCode, ApiError> {
    // A text that is not an id gets 404, like a key that does not exist.
    let id: ApiKeyId = parse_id(&id, Entity::ApiKey)?;
    app.accounts.revoke_api_key(&user, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn moment(text: &str) -> Result<Timestamp, InvalidInput> {
    let text = text.trim();
    text.parse().map_err(|_| {
        // jiff's timestamps end a day before the year 9999 does: a later time is well-formed but out of range.
        let is_moment =
            Pieces::parse(text).is_ok_and(|pieces| pieces.time().is_some() && pieces.offset().is_some());
        if is_moment {
            return NewApiKey::out_of_range();
        }
        InvalidInput::new("expiresAt", "Please send the moment like 2027-06-01T00:00:00Z, or none.")
    })
}
