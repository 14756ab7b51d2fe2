//! Users' feedback on scans.

use axum::Json;
use axum::http::StatusCode;
use jiff::Timestamp;
use partsight_app::PartTypes;
use partsight_domain::{FeedbackKind, InvalidInput, PartLabel, messages};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{JsonBody, PathSegment, SignedIn};
use crate::ids::scan_id;
use crate::{ApiError, problems};

/// Feedback on an answer.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FeedbackAnswer {
    /// The part that was named is the one in the photograph.
    Right,
    /// It is another part.
    OtherPart,
    /// The photograph shows no part.
    NotAPart,
}

impl From<FeedbackAnswer> for FeedbackKind {
    fn from(answer: FeedbackAnswer) -> Self {
        match answer {
            FeedbackAnswer::Right => Self::Right,
            FeedbackAnswer::OtherPart => Self::OtherPart,
            FeedbackAnswer::NotAPart => Self::NotAPart,
        }
    }
}

impl From<FeedbackKind> for FeedbackAnswer {
    fn from(kind: FeedbackKind) -> Self {
        match kind {
            FeedbackKind::Right => Self::Right,
            FeedbackKind::OtherPart => Self::OtherPart,
            FeedbackKind::NotAPart => Self::NotAPart,
        }
    }
}

/// Feedback on a scan.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(example = json!({ "answer": "other-part", "label": "brake-caliper" }))]
pub(crate) struct NewScanFeedback {
    answer: FeedbackAnswer,
    /// The label of the correct part type, from the catalogue or one that you taught. Required for `other-part`,
    /// otherwise absent.
    #[schema(example = "brake-caliper")]
    label: Option<String>,
}

/// Feedback on a scan.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScanFeedback {
    answer: FeedbackAnswer,
    /// The correct part type; null if the photograph shows none.
    #[schema(required, example = "brake-caliper")]
    label: Option<String>,
    #[schema(required, example = "Brake Caliper")]
    name: Option<String>,
    /// The id of the reference that was made from the scan; null if there is none.
    #[schema(required)]
    reference_id: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    changed_at: Timestamp,
}

impl ScanFeedback {
    pub(crate) fn new(types: &PartTypes, feedback: partsight_domain::ScanFeedback) -> Self {
        Self {
            answer: feedback.kind.into(),
            name: feedback.label.as_ref().map(|label| types.name(label)),
            label: feedback.label.map(Into::into),
            reference_id: feedback.reference_id.map(|id| id.to_string()),
            changed_at: feedback.changed_at,
        }
    }
}

/// The result of feedback.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GivenScanFeedback {
    feedback: ScanFeedback,
    /// Why the scan did not become a reference of the part, if you have allowed this; otherwise null.
    #[schema(required)]
    not_taught: Option<String>,
}

/// Records whether the answer of a scan was correct, and if not, what the photograph shows.
///
/// It replaces earlier feedback. If `PUT /api/learning` allows it, the scan becomes a reference of the part after it
/// has passed the checks of teaching; `notTaught` gives the reason if it did not.
#[utoipa::path(post, path = "/api/scans/{id}/feedback", tag = "scans",
    params(("id" = String, Path, description = "The id of the scan.")),
    request_body = NewScanFeedback,
    responses(
        (status = OK, body = GivenScanFeedback),
        problems::Write, problems::NotFound, problems::Body, problems::Unavailable,
        (status = UNPROCESSABLE_ENTITY, description = "The label is missing, not allowed for this answer, or unknown."),
    ))]
pub(crate) async fn give_scan_feedback(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
    JsonBody(new): JsonBody<NewScanFeedback>,
) -> Result<Json<GivenScanFeedback>, ApiError> {
    let id = scan_id(&id)?;
    // Checked first: a scan of another user gets 404, even if the label is invalid.
    app.scanning.scan_of(&user, id).await?;
    let label = new
        .label
        .map(|label| {
            PartLabel::new(&label).map_err(|_| InvalidInput::new("label", messages::FEEDBACK_LABEL_UNKNOWN))
        })
        .transpose()?;
    let given = app.scanning.give_feedback(&user, id, new.answer.into(), label).await?;
    let types = app.parts.part_types(&user).await?;
    Ok(Json(GivenScanFeedback {
        feedback: ScanFeedback::new(&types, given.feedback),
        not_taught: given.not_taught,
    }))
}

/// Deletes the feedback on a scan, and the reference that was made from it.
#[utoipa::path(delete, path = "/api/scans/{id}/feedback", tag = "scans",
    params(("id" = String, Path, description = "The id of the scan.")),
    responses((status = NO_CONTENT), problems::Write, problems::NotFound))]
pub(crate) async fn delete_scan_feedback(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<StatusCode, ApiError> {
    app.scanning.delete_feedback(&user, scan_id(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}
