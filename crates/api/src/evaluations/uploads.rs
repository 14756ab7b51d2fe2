//! Uploads of labelled photographs for an evaluation.

use std::fs::File;
use std::time::Duration;

use axum::Json;
use axum::extract::multipart::Multipart;
use axum::extract::{FromRequest, Request, State};
use axum::http::StatusCode;
use partsight_app::{Caller, Error};
use partsight_domain::{InvalidInput, messages};
use serde::Deserialize;
use tokio::time::timeout;
use utoipa::ToSchema;

use super::jobs::Evaluation;
use crate::batches::uploads::{UNPACKED_AT_A_TIME, memory_for};
use crate::body_limit::BodyLimit;
use crate::caller::FromCaller;
use crate::extract::{JsonBody, SignedIn};
use crate::forms::{
    TEXT_FIELD_LIMIT, file_name, next_field, or_drained, read_field, skip_field, unknown_field, within,
    write_field,
};
use crate::sender::Sender;
use crate::uploads::FilePlace;
use crate::{ApiError, ApiState, problems};

/// Largest form, in bytes.
pub(crate) const MAX_FORM_BYTES: usize = 2 * 1024 * 1024 * 1024;
/// Longest time for an upload, which holds a place that others need: enough for 2 GB at 19 Mbit/s.
const UPLOAD_LIMIT: Duration = Duration::from_mins(15);
/// The name of an evaluation if neither the form nor the file has one.
const UNNAMED: &str = "Photos";

/// Form to upload labelled photographs.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "describes the form in the OpenAPI document; the handler reads a stream")]
pub(crate) struct EvaluationForm {
    /// Name for people, at most 100 characters; by default the name of the zip.
    #[schema(example = "Field photos of June")]
    name: Option<String>,
    /// A zip of at most 2 GB and 5,000 photographs, with a folder for each label, or with one CSV list that has the
    /// columns `path` and `label`.
    #[schema(value_type = String, format = Binary)]
    zip: Vec<u8>,
}

/// Uploads a zip of labelled photographs and requests an evaluation of the model on them.
///
/// Labels are those of the model, such as `brake-caliper`. Photographs with any other label, and with the label
/// `not-a-part`, measure rejection. An account has at most one evaluation at a time.
#[utoipa::path(post, path = "/api/evaluations", tag = "evaluations",
    request_body(content = EvaluationForm, content_type = "multipart/form-data"),
    responses(
        (status = CREATED, body = Evaluation),
        problems::SignedIn, problems::Body,
        (status = FORBIDDEN, description = "The plan does not include evaluations, the user does not manage the company, or the call came from a page of another site."),
        (status = REQUEST_TIMEOUT),
        (status = CONFLICT, description = "An evaluation is already waiting or running, or the account has reached its limit of evaluations or stored photographs."),
        (status = SERVICE_UNAVAILABLE, description = "Too many uploads at the moment; `Retry-After` has the seconds to wait."),
    ))]
pub(crate) async fn create_evaluation(
    State(state): State<ApiState>,
    sender: Sender,
    FromCaller(caller): FromCaller,
    request: Request,
) -> Result<(StatusCode, Json<Evaluation>), ApiError> {
    state.app.evaluations.check_room(&sender.user).await?;
    let limit = BodyLimit::of(&request);
    let mut form = Multipart::from_request(request, &())
        .await
        .map_err(|_| ApiError::unsupported_media_type(messages::EVALUATION_FORM_NEEDED))?;
    let reading = async {
        let read = receive(&state, &sender, &caller, &mut form).await;
        or_drained(read, &mut form, limit).await
    };
    Ok((StatusCode::CREATED, Json(within(UPLOAD_LIMIT, reading).await?)))
}

async fn receive(
    state: &ApiState,
    sender: &Sender,
    caller: &Caller,
    form: &mut Multipart,
) -> Result<Evaluation, ApiError> {
    let user = &sender.user;
    let _place = state.uploads.take(user, caller)?;
    let (mut name, mut zip): (Option<String>, Option<(String, File, FilePlace)>) = (None, None);
    let mut unknown = None;
    while let Some(mut field) = next_field(form).await? {
        match field.name() {
            Some("name") => {
                let bytes = read_field(&mut field, TEXT_FIELD_LIMIT, "The field `name`").await?;
                name = Some(String::from_utf8_lossy(&bytes).into_owned());
            }
            Some("zip") => {
                let sent = file_name(&field).unwrap_or_else(|| UNNAMED.to_owned());
                // The name has one line; a line break in it is no reason to refuse the file.
                let sent: String = sent.replace(['\r', '\n'], " ").chars().take(100).collect();
                let place = state.uploads.take_file(user)?;
                let check = |n_bytes| state.app.batches.check_zip(user, n_bytes);
                let file = write_field(&mut field, state.app.batches.temporary_file()?, check).await?;
                zip = Some((sent, file, place));
            }
            other => {
                let other = other.unwrap_or_default().to_owned();
                skip_field(&mut field).await?;
                unknown.get_or_insert(other);
            }
        }
    }
    let (sent, file, _place) =
        // The error about the missing zip says more: it may have come under the unknown name.
        zip.ok_or_else(|| InvalidInput::new("zip", messages::EVALUATION_ZIP_MISSING))?;
    if let Some(unknown) = unknown {
        return Err(unknown_field(&unknown).into());
    }
    let name = name.filter(|name| !name.trim().is_empty()).unwrap_or(sent);
    let _memory = memory_for(state, user, UNPACKED_AT_A_TIME).await?;
    let user = sender.again().await?;
    Ok(state.app.evaluations.evaluate_zip(&user, &name, file).await?.into())
}

/// A folder on the server with labelled photographs.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EvaluationFolder {
    /// Path relative to the folder of the setting `batch_dir`; empty for that folder itself.
    #[schema(example = "monday")]
    path: String,
    /// Name for people, at most 100 characters; by default the path.
    #[schema(example = "Field photos of June")]
    name: Option<String>,
}

/// Requests an evaluation on a folder of the server, if the setting `batch_dir` allows access to one.
///
/// The folder contains a subfolder for each label, or one CSV list with the columns `path` and `label`.
#[utoipa::path(post, path = "/api/evaluations/folder", tag = "evaluations", request_body = EvaluationFolder,
    responses(
        (status = CREATED, body = Evaluation),
        problems::SignedIn, problems::Body,
        (status = FORBIDDEN, description = "The plan does not include evaluations, the user does not manage the company, or the call came from a page of another site."),
        (status = CONFLICT, description = "An evaluation is already waiting or running, or the account has reached its limit of evaluations or stored photographs."),
        (status = UNPROCESSABLE_ENTITY, description = "The server allows access to no folder, or this folder does not exist."),
    ))]
pub(crate) async fn evaluate_folder(
    State(state): State<ApiState>,
    SignedIn { user, .. }: SignedIn,
    FromCaller(caller): FromCaller,
    JsonBody(EvaluationFolder { path, name }): JsonBody<EvaluationFolder>,
) -> Result<(StatusCode, Json<Evaluation>), ApiError> {
    let _place = state.uploads.take(&user, &caller)?;
    let usual: String = if path.trim().is_empty() { UNNAMED } else { &path }.chars().take(100).collect();
    let name = name.filter(|name| !name.trim().is_empty()).unwrap_or(usual);
    let adding = async {
        let _memory = memory_for(&state, &user, 1).await?;
        state.app.evaluations.evaluate_folder(&user, &name, &path).await
    };
    let evaluation = timeout(UPLOAD_LIMIT, adding).await.unwrap_or_else(|_| Err(Error::TooLong))?;
    Ok((StatusCode::CREATED, Json(evaluation.into())))
}
