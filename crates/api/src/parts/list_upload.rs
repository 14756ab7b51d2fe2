//! Uploads of a list as a form with a CSV file: the code that price lists and cross-references share.
//!
//! The file must be the last field and is parsed as it arrives, so that a list of 100 MB is never in memory.

use std::time::Duration;

use axum::extract::multipart::{Field, Multipart};
use axum::extract::{FromRequest, Request};
use partsight_app::{App, Delimiter, Error, ListFileOptions, ListKind, ListUpload};
use partsight_domain::{InvalidInput, LIST_MAX_BYTES, User, messages};

use crate::ApiError;
use crate::body_limit::{BodyLimit, size_text};
use crate::forms::{TEXT_FIELD_LIMIT, next_chunk, next_field, or_drained, read_field, unknown_field, within};
use crate::sender::Sender;

/// Largest form, in bytes, with all its fields: more than the largest file, so that an oversize file is read far enough
/// to report its own limit.
pub(crate) const MAX_FORM_BYTES: usize = LIST_MAX_BYTES * 2;
/// Longest time for an upload, which holds a place that others need: enough for 100 MB at 1 Mbit/s.
const UPLOAD_LIMIT: Duration = Duration::from_mins(15);

/// A kind of list, and its form.
pub(super) trait ListForm: ListKind {
    /// The options, from the fields before the file.
    type Options: Default + Send;
    /// The message if the body is not a form.
    const NO_FORM: &'static str;

    /// Sets the option of a field before the file.
    fn set_option(options: &mut Self::Options, name: &str, text: &str) -> Result<(), ApiError>;
    /// Starts an upload, before the file is read.
    fn begin(
        app: &App,
        user: &User,
        options: Self::Options,
    ) -> impl Future<Output = Result<ListUpload<Self>, Error>> + Send;
}

/// Reads the form with its list.
///
/// # Errors
/// Those of the form and of the list, and 408 if the upload stalls.
pub(super) async fn receive<L: ListForm>(
    app: &App,
    sender: &Sender,
    request: Request,
) -> Result<L::Report, ApiError> {
    if request.uri().query().is_some_and(|query| !query.is_empty()) {
        return Err(InvalidInput::new("query", messages::LIST_OPTIONS_IN_QUERY).into());
    }
    let limit = BodyLimit::of(&request);
    let form = Multipart::from_request(request, &()).await;
    let mut form = form.map_err(|_| ApiError::unsupported_media_type(L::NO_FORM))?;
    let reading = async {
        let read = read_form::<L>(app, sender, &mut form).await;
        or_drained(read, &mut form, limit).await
    };
    within(UPLOAD_LIMIT, reading).await
}

/// Reads the form up to its file, and the file.
async fn read_form<L: ListForm>(
    app: &App,
    sender: &Sender,
    form: &mut Multipart,
) -> Result<L::Report, ApiError> {
    let mut options = L::Options::default();
    while let Some(mut field) = next_field(form).await? {
        let name = field.name().unwrap_or_default().to_owned();
        if name == "file" {
            // Fields after the file are refused, so all options are known here.
            let mut upload = match L::begin(app, &sender.user, options).await {
                Ok(upload) => upload,
                Err(error) => {
                    drop(field);
                    if matches!(error, Error::Invalid(_)) {
                        // The missing option may stand after the file; that error says more.
                        expect_end(form).await?;
                    }
                    return Err(error.into());
                }
            };
            let mut read = read_file(&mut upload, &mut field).await;
            // The field borrows the form.
            drop(field);
            if read.is_ok() {
                read = expect_end(form).await;
            }
            if read.is_ok() {
                read = sender.check_unchanged().await;
            }
            if let Err(error) = read {
                // The rows so far are saved in an invisible list; without this they would stay until the hourly
                // clean-up.
                upload.abandon().await;
                return Err(error);
            }
            return Ok(upload.finish().await?);
        }
        let bytes = read_field(&mut field, TEXT_FIELD_LIMIT, &format!("The field `{name}`")).await?;
        L::set_option(&mut options, &name, String::from_utf8_lossy(&bytes).trim())?;
    }
    Err(InvalidInput::new("file", messages::PRICE_LIST_FILE_MISSING).into())
}

/// Refuses a field after the file: an option that is ignored must not seem to be accepted.
async fn expect_end(form: &mut Multipart) -> Result<(), ApiError> {
    match next_field(form).await? {
        Some(_) => Err(InvalidInput::new("file", messages::PRICE_LIST_FILE_LAST).into()),
        None => Ok(()),
    }
}

async fn read_file<L: ListForm>(upload: &mut ListUpload<L>, file: &mut Field<'_>) -> Result<(), ApiError> {
    let mut size = 0;
    while let Some(chunk) = next_chunk(file).await? {
        // Counted here, because the limit of the form is twice this: the client must receive this error.
        size += chunk.len();
        if size > LIST_MAX_BYTES {
            return Err(ApiError::too_large(too_large()));
        }
        upload.push(&chunk).await?;
    }
    Ok(())
}

fn too_large() -> String {
    let limit = size_text(LIST_MAX_BYTES);
    format!("The file is larger than the limit of {limit}. Please split it into lists with a name each.")
}

/// Sets an option for reading the file, which all kinds of list have. `example` is a mapping for the error message.
pub(super) fn set_file_option(
    options: &mut ListFileOptions,
    name: &str,
    text: &str,
    example: &str,
) -> Result<(), InvalidInput> {
    if text.is_empty() {
        return Ok(());
    }
    match name {
        "mapping" => {
            let choices = format!("a JSON object from field to header, such as {example}");
            options.mapping = serde_json::from_str(text).map_err(|_| not_among("mapping", &choices))?;
        }
        "delimiter" => {
            let delimiter = Delimiter::from_name(text);
            let refused = || not_among("delimiter", "`comma`, `semicolon` or `tab`");
            options.delimiter = Some(delimiter.ok_or_else(refused)?);
        }
        "dryRun" => options.is_dry_run = truth("dryRun", text)?,
        "skipErrors" => options.skips_errors = truth("skipErrors", text)?,
        // If a misspelt `dryRun` were ignored, a list would be replaced.
        _ => return Err(unknown_field(name)),
    }
    Ok(())
}

fn truth(field: &'static str, text: &str) -> Result<bool, InvalidInput> {
    text.parse().map_err(|_| not_among(field, "`true` or `false`"))
}

/// The error for a field with a value that is not among `choices`.
pub(super) fn not_among(field: &'static str, choices: &str) -> InvalidInput {
    InvalidInput::new(field, format!("`{field}` must be {choices}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_is_too_large_is_refused_with_the_limit_that_the_documents_state() {
        assert!(too_large().contains("the limit of 100 MB."), "{}", too_large());
    }
}
