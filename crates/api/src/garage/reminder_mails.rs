//! Mails about what is due.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Redirect;
use jiff::Timestamp;
use partsight_app::{App, DigestStatus, SecretToken};
use partsight_domain::DigestChoice;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{JsonBody, PathSegment, SignedIn};
use crate::wire_enum::wire_enum;
use crate::{ApiError, problems};

wire_enum!(
    /// Daily mails come on days on which something is new, weekly ones while anything is due.
    DigestRhythm from partsight_domain::DigestRhythm { Daily, Weekly }
);

/// The mails of what is due that somebody wants.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReminderMails {
    /// How often; null for none.
    #[schema(required)]
    rhythm: Option<DigestRhythm>,
    /// At which hour of the day in UTC.
    #[schema(required, example = 7)]
    hour_utc: Option<u8>,
    /// On which day of the week in UTC weekly ones come, from 1 for Monday to 7 for Sunday.
    #[schema(required, minimum = 1, maximum = 7, example = 1)]
    weekday_utc: Option<i8>,
    /// When the next one is due.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment_if_any")]
    next_at: Option<Timestamp>,
    /// Whether this server has a mail server; without one no mail comes.
    sends_mails: bool,
    /// Whether your address is proved; to another one no mail comes.
    email_verified: bool,
}

impl From<DigestStatus> for ReminderMails {
    fn from(status: DigestStatus) -> Self {
        let digest = status.digest;
        Self {
            rhythm: digest.as_ref().map(|digest| digest.choice.rhythm.into()),
            hour_utc: digest.as_ref().map(|digest| digest.choice.hour_utc),
            weekday_utc: digest.as_ref().map(|digest| digest.choice.weekday_utc.to_monday_one_offset()),
            next_at: digest.map(|digest| digest.next_at),
            sends_mails: status.sends_mails,
            email_verified: status.is_verified,
        }
    }
}

/// The mails of what is due to have.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ReminderMailsForm {
    /// `daily` or `weekly`.
    #[schema(example = "weekly")]
    rhythm: String,
    /// At which hour of the day in UTC, 0 to 23: when it is seven in the morning where the mails are read. By the day there
    /// they say what is due.
    #[schema(example = 7)]
    hour_utc: i64,
    /// On which day of the week in UTC weekly ones come, from 1 for Monday to 7 for Sunday; Monday unless said.
    #[schema(minimum = 1, maximum = 7, example = 1)]
    weekday_utc: Option<i64>,
}

/// The default day of weekly mails.
const MONDAY: i64 = 1;

/// The mails of what is due that you want.
#[utoipa::path(get, path = "/api/reminders/mails", tag = "maintenance",
    responses((status = OK, body = ReminderMails), problems::SignedIn))]
pub(crate) async fn get_reminder_mails(
    SignedIn { app, user }: SignedIn,
) -> Result<Json<ReminderMails>, ApiError> {
    Ok(Json(app.garage.digest(&user).await?.into()))
}

/// Lets you have mails of what is due.
#[utoipa::path(put, path = "/api/reminders/mails", tag = "maintenance", request_body = ReminderMailsForm,
    responses((status = OK, body = ReminderMails), problems::Write, problems::Body))]
pub(crate) async fn set_reminder_mails(
    SignedIn { app, user }: SignedIn,
    JsonBody(form): JsonBody<ReminderMailsForm>,
) -> Result<Json<ReminderMails>, ApiError> {
    let choice = DigestChoice::new(&form.rhythm, form.hour_utc, form.weekday_utc.unwrap_or(MONDAY))?;
    Ok(Json(app.garage.choose_digest(&user, Some(choice)).await?.into()))
}

/// Ends the mails of what is due.
#[utoipa::path(delete, path = "/api/reminders/mails", tag = "maintenance",
    responses((status = NO_CONTENT), problems::Write))]
pub(crate) async fn delete_reminder_mails(SignedIn { app, user }: SignedIn) -> Result<StatusCode, ApiError> {
    app.garage.choose_digest(&user, None).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Ends the mails that a secret out of one of them names, without a sign-in (RFC 8058). The same answer whether there
/// were any.
#[utoipa::path(post, path = "/api/reminders/unsubscribe/{token}", tag = "maintenance",
    params(("token" = String, Path, description = "The secret of the mail.")),
    responses((status = NO_CONTENT)))]
pub(crate) async fn unsubscribe_reminder_mails(
    State(app): State<App>,
    PathSegment(token): PathSegment,
) -> Result<StatusCode, ApiError> {
    app.garage.unsubscribe_digest(&SecretToken::from_text(token)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Leads to the page that asks whether the mails shall end: programs that look at mails follow links too.
#[utoipa::path(get, path = "/api/reminders/unsubscribe/{token}", tag = "maintenance",
    params(("token" = String, Path, description = "The secret of the mail.")),
    responses((status = SEE_OTHER, description = "To the page.")))]
pub(crate) async fn show_unsubscribe_page(PathSegment(token): PathSegment) -> Redirect {
    // Keeps only the characters of our secrets. Any other text would change the fragment, not the address.
    let token: String = token.chars().filter(char::is_ascii_alphanumeric).collect();
    Redirect::to(&format!("/unsubscribe#{token}"))
}
