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
    /// Daily mails are sent on days with news; weekly mails are sent as long as anything is due.
    DigestRhythm from partsight_domain::DigestRhythm { Daily, Weekly }
);

/// Your settings for mails about maintenance that is due.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReminderMails {
    /// How often mails are sent; null if they are turned off.
    #[schema(required)]
    rhythm: Option<DigestRhythm>,
    /// Hour of the day in UTC, 0 to 23.
    #[schema(required, example = 7)]
    hour_utc: Option<u8>,
    /// Day of weekly mails in UTC, from 1 for Monday to 7 for Sunday.
    #[schema(required, minimum = 1, maximum = 7, example = 1)]
    weekday_utc: Option<i8>,
    /// When the next mail is planned.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment_if_any")]
    next_at: Option<Timestamp>,
    /// Whether this server has a mail server; otherwise no mails are sent.
    sends_mails: bool,
    /// Whether your e-mail address is verified; otherwise no mails are sent to it.
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

/// Settings for mails about maintenance that is due.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ReminderMailsForm {
    /// `daily` or `weekly`.
    #[schema(example = "weekly")]
    rhythm: String,
    /// Hour of the day in UTC, 0 to 23, at which it is seven in the morning where the mails are read. The mails use the
    /// date there.
    #[schema(example = 7)]
    hour_utc: i64,
    /// Day of weekly mails in UTC, from 1 for Monday to 7 for Sunday; Monday by default.
    #[schema(minimum = 1, maximum = 7, example = 1)]
    weekday_utc: Option<i64>,
}

/// The default day of weekly mails.
const MONDAY: i64 = 1;

/// Returns your settings for mails about maintenance that is due.
#[utoipa::path(get, path = "/api/reminders/mails", tag = "maintenance",
    responses((status = OK, body = ReminderMails), problems::SignedIn))]
pub(crate) async fn get_reminder_mails(
    SignedIn { app, user }: SignedIn,
) -> Result<Json<ReminderMails>, ApiError> {
    Ok(Json(app.garage.digest(&user).await?.into()))
}

/// Turns on mails about maintenance that is due, or changes their settings.
#[utoipa::path(put, path = "/api/reminders/mails", tag = "maintenance", request_body = ReminderMailsForm,
    responses((status = OK, body = ReminderMails), problems::Write, problems::Body))]
pub(crate) async fn set_reminder_mails(
    SignedIn { app, user }: SignedIn,
    JsonBody(form): JsonBody<ReminderMailsForm>,
) -> Result<Json<ReminderMails>, ApiError> {
    let choice = DigestChoice::new(&form.rhythm, form.hour_utc, form.weekday_utc.unwrap_or(MONDAY))?;
    Ok(Json(app.garage.choose_digest(&user, Some(choice)).await?.into()))
}

/// Turns off mails about maintenance that is due.
#[utoipa::path(delete, path = "/api/reminders/mails", tag = "maintenance",
    responses((status = NO_CONTENT), problems::Write))]
pub(crate) async fn delete_reminder_mails(SignedIn { app, user }: SignedIn) -> Result<StatusCode, ApiError> {
    app.garage.choose_digest(&user, None).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Turns off the mails, with the token of one of them and without a sign-in (RFC 8058). The answer is the same for an
/// unknown token.
#[utoipa::path(post, path = "/api/reminders/unsubscribe/{token}", tag = "maintenance",
    params(("token" = String, Path, description = "The token in the link of the mail.")),
    responses((status = NO_CONTENT)))]
pub(crate) async fn unsubscribe_reminder_mails(
    State(app): State<App>,
    PathSegment(token): PathSegment,
) -> Result<StatusCode, ApiError> {
    app.garage.unsubscribe_digest(&SecretToken::from_text(token)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Redirects to a page that asks whether to turn off the mails. The link alone does not turn them off, because mail
/// scanners open links too.
#[utoipa::path(get, path = "/api/reminders/unsubscribe/{token}", tag = "maintenance",
    params(("token" = String, Path, description = "The token in the link of the mail.")),
    responses((status = SEE_OTHER, description = "Redirect to that page.")))]
pub(crate) async fn show_unsubscribe_page(PathSegment(token): PathSegment) -> Redirect {
    // Keeps only the characters of our secrets. Any other text would change the fragment, not the address.
    let token: String = token.chars().filter(char::is_ascii_alphanumeric).collect();
    Redirect::to(&format!("/unsubscribe#{token}"))
}
