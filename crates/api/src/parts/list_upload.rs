//! A list that arrives as a form with a CSV file in it: what price lists and cross-references have in common.
//!
//! The file comes last and is read while it arrives, so that a list of 100 MB is never in memory.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::extract::multipart::{Field, Multipart};
use axum::extract::{FromRequest, Request};
use partsight_app::{App, Delimiter, Error};
use partsight_domain::{InvalidInput, User, messages};

use crate::ApiError;
use crate::body_limit::BodyLimit;
use crate::forms::{
    TEXT_FIELD_LIMIT, next_chunk, next_field, or_drained, read_field, size_text, unknown_field, within,
};

/// An upload that takes longer than this keeps its place from others: 100 MB at 1 Mbit/s.
const UPLOAD_LIMIT: Duration = Duration::from_mins(15);

/// A list while its file arrives.
pub(super) trait ListUpload: Sized + Send {
    /// What the fields before the file say.
    type Options: Default + Send;
    /// What came of it.
    type Report: Send;
    /// Largest file, in bytes.
    const MAX_BYTES: usize;
    /// What is said to a sender of something else than a form.
    const NO_FORM: &'static str;

    /// Takes a field before the file.
    fn set_option(options: &mut Self::Options, name: &str, text: &str) -> Result<(), ApiError>;
    /// Begins to take the file.
    fn begin(
        app: &App,
        user: &User,
        options: Self::Options,
    ) -> impl Future<Output = Result<Self, Error>> + Send;
    /// Takes the next bytes of it.
    fn push(&mut self, bytes: &[u8]) -> impl Future<Output = Result<(), Error>> + Send;
    /// Saves the list, or says what would become of it.
    fn finish(self) -> impl Future<Output = Result<Self::Report, Error>> + Send;
    /// Forgets what came so far.
    fn abandon(self) -> impl Future<Output = ()> + Send;
}

/// Reads the form with its list.
///
/// # Errors
/// Those of the form and of the list; an upload that stalls.
pub(super) async fn receive<U: ListUpload>(
    app: &App,
    user: &User,
    request: Request,
) -> Result<U::Report, ApiError> {
    if request.uri().query().is_some_and(|query| !query.is_empty()) {
        return Err(InvalidInput::new("query", messages::LIST_OPTIONS_IN_QUERY).into());
    }
    let limit = BodyLimit::of(&request);
    let form = Multipart::from_request(request, &()).await;
    let mut form = form.map_err(|_| ApiError::unsupported_media_type(U::NO_FORM))?;
    let reading = async {
        let read = read_form::<U>(app, user, &mut form).await;
        or_drained(read, &mut form, limit).await
    };
    within(UPLOAD_LIMIT, reading).await
}

/// Reads the form up to its file, and the file.
async fn read_form<U: ListUpload>(
    app: &App,
    user: &User,
    form: &mut Multipart,
) -> Result<U::Report, ApiError> {
    let mut options = U::Options::default();
    while let Some(mut field) = next_field(form).await? {
        let name = field.name().unwrap_or_default().to_owned();
        if name == "file" {
            // What stands behind the file is refused, so all options are known here.
            let mut upload = match U::begin(app, user, options).await {
                Ok(upload) => upload,
                Err(error) => {
                    drop(field);
                    if matches!(error, Error::Invalid(_)) {
                        // What it lacks may stand behind the file.
                        expect_end(form).await?;
                    }
                    return Err(error.into());
                }
            };
            let mut read = read_file(&mut upload, &mut field).await;
            // It borrows the form.
            drop(field);
            if read.is_ok() {
                read = expect_end(form).await;
            }
            if let Err(error) = read {
                // Rows that came are saved under a list that nobody sees; without this they would lie there until the
                // hourly clean-up.
                upload.abandon().await;
                return Err(error);
            }
            return Ok(upload.finish().await?);
        }
        let bytes = read_field(&mut field, TEXT_FIELD_LIMIT, &format!("The field `{name}`")).await?;
        U::set_option(&mut options, &name, String::from_utf8_lossy(&bytes).trim())?;
    }
    Err(InvalidInput::new("file", messages::PRICE_LIST_FILE_MISSING).into())
}

/// Refuses a field behind the file: one that would not be heeded must not seem to be.
async fn expect_end(form: &mut Multipart) -> Result<(), ApiError> {
    match next_field(form).await? {
        Some(_) => Err(InvalidInput::new("file", messages::PRICE_LIST_FILE_LAST).into()),
        None => Ok(()),
    }
}

async fn read_file<U: ListUpload>(upload: &mut U, file: &mut Field<'_>) -> Result<(), ApiError> {
    let mut size = 0;
    while let Some(chunk) = next_chunk(file).await? {
        // Counted here, because the limit of the form is twice this: the sender is to see the reason.
        size += chunk.len();
        if size > U::MAX_BYTES {
            return Err(ApiError::too_large(format!(
                "The file is larger than the limit of {}. Please split it into lists with a name each.",
                size_text(U::MAX_BYTES)
            )));
        }
        upload.push(&chunk).await?;
    }
    Ok(())
}

/// How a CSV file is read, and what becomes of it: the options that all lists have.
pub(super) struct FileOptions<'o> {
    /// The headers of fields that are not recognised.
    pub(super) mapping: &'o mut BTreeMap<String, String>,
    /// What stands between two cells.
    pub(super) delimiter: &'o mut Option<Delimiter>,
    /// Whether nothing is saved.
    pub(super) is_dry_run: &'o mut bool,
    /// Whether rows that break a rule are left out.
    pub(super) skips_errors: &'o mut bool,
}

impl FileOptions<'_> {
    /// Takes a field of these names. `example` is a mapping, for whoever sent none.
    pub(super) fn set(self, name: &str, text: &str, example: &str) -> Result<(), InvalidInput> {
        if text.is_empty() {
            return Ok(());
        }
        match name {
            "mapping" => {
                let choices = format!("a JSON object from field to header, such as {example}");
                *self.mapping = serde_json::from_str(text).map_err(|_| not_among("mapping", &choices))?;
            }
            "delimiter" => {
                let delimiter = Delimiter::from_name(text);
                let refused = || not_among("delimiter", "`comma`, `semicolon` or `tab`");
                *self.delimiter = Some(delimiter.ok_or_else(refused)?);
            }
            "dryRun" => *self.is_dry_run = truth("dryRun", text)?,
            "skipErrors" => *self.skips_errors = truth("skipErrors", text)?,
            // Passed over, a `dryrun` would replace a list.
            _ => return Err(unknown_field(name)),
        }
        Ok(())
    }
}

fn truth(field: &'static str, text: &str) -> Result<bool, InvalidInput> {
    text.parse().map_err(|_| not_among(field, "`true` or `false`"))
}

/// The refusal of a field that must be one of these.
pub(super) fn not_among(field: &'static str, choices: &str) -> InvalidInput {
    InvalidInput::new(field, format!("`{field}` must be {choices}."))
}
