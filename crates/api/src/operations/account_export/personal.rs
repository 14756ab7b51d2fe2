//! The personal data other than garage and payments, for the export of an account.

use jiff::Timestamp;
use partsight_app::{PartTypes, PersonalData};
use partsight_domain::{ErrorRate, LookAlike, User};
use serde::Serialize;
use utoipa::ToSchema;

use crate::ApiError;
use crate::accounts::api_keys::ApiKey;
use crate::accounts::usage::{FillUsage, UsageRow};
use crate::parts::cross_references::CrossReferenceList;
use crate::parts::part_types::IdentifiedPart;
use crate::parts::price_lists::PriceList;
use crate::plans::company::Company;
use crate::plans::company::members::Role;
use crate::teaching::taught_parts::TaughtPartType;

/// Stored data about a person, except garage and payments.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExportedPersonalData {
    /// Null if the user is in no company.
    #[schema(required)]
    company: Option<ExportedMembership>,
    /// API keys without their secrets, which are not stored. Revoked keys are not included.
    api_keys: Vec<ApiKey>,
    /// All counted scans, by day, source and path.
    usage: Vec<UsageRow>,
    /// Questions to a language model for missing data, by day and kind.
    fills: Vec<FillUsage>,
    /// Messages to support that were sent while signed in.
    contact_messages: Vec<ExportedMessage>,
    /// The part types that you or your company taught; the photographs can be loaded from their addresses.
    taught_parts: Vec<TaughtPartType>,
    /// The pairs of part types that you or your company marked as look-alikes.
    look_alikes: Vec<ExportedLookAlike>,
    /// The guides that a language model wrote for those part types, if the judge is allowed.
    written_guides: Vec<IdentifiedPart>,
    /// The price lists of your shop, without their rows, which are in the uploaded files.
    price_lists: Vec<PriceList>,
    /// The lists of cross-references of your shop, without their rows, which are in the uploaded files.
    cross_references: Vec<CrossReferenceList>,
    /// The condition grades of your shop, the best first; null if nobody has set any.
    #[schema(required)]
    grade_scale: Option<Vec<String>>,
    /// Whether the person has allowed the judge for their photographs; null if they have not decided.
    #[schema(required)]
    judge_allowed: Option<bool>,
    /// Daily budget of the judge in millionths of a US dollar; null for the limit of the server.
    #[schema(required)]
    judge_day_micro_dollars: Option<u64>,
    /// Monthly budget of the judge in millionths of a US dollar; null for the limit of the server.
    #[schema(required)]
    judge_month_micro_dollars: Option<u64>,
    /// The accepted error rate in percent of the answers; null if nobody has set it.
    #[schema(required)]
    max_wrong_percent: Option<f64>,
    /// Whether scans with feedback become references of your shop; null if nobody has set it.
    #[schema(required)]
    confirmed_scans_teach: Option<bool>,
    /// Whether the confidence is fitted to the feedback of your shop; null if nobody has set it.
    #[schema(required)]
    refit_calibration: Option<bool>,
}

/// A company and the role of the user in it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ExportedMembership {
    #[serde(flatten)]
    company: Company,
    role: Role,
}

/// A message to support.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExportedMessage {
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    sent_at: Timestamp,
    #[schema(example = "Ann Lee")]
    name: String,
    #[schema(example = "ann@example.com")]
    email: String,
    #[schema(required, example = "Scans")]
    subject: Option<String>,
    #[schema(example = "How do I scan a brake pad?")]
    message: String,
}

/// Two part types that are marked as look-alikes.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExportedLookAlike {
    /// Their labels.
    #[schema(example = json!(["egr-valve", "throttle-body"]), min_items = 2, max_items = 2)]
    parts: Vec<String>,
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    marked_at: Timestamp,
}

impl From<LookAlike> for ExportedLookAlike {
    fn from(LookAlike { pair, created_at, .. }: LookAlike) -> Self {
        Self { parts: pair.labels().iter().map(ToString::to_string).collect(), marked_at: created_at }
    }
}

impl ExportedPersonalData {
    /// `types` has the guides that were written for the taught types.
    pub(super) fn new(data: PersonalData, types: &PartTypes, user: &User) -> Result<Self, ApiError> {
        let labels = data.taught_types.iter().map(|taught| &taught.label);
        let written_guides = labels
            .filter(|label| types.guide(label).is_some_and(|state| state.guide().is_some()))
            .map(|label| IdentifiedPart::of(types, label))
            .collect::<Result<_, _>>()?;
        let membership = data.company.zip(user.company);
        let message = |message: partsight_domain::ContactMessage| ExportedMessage {
            sent_at: message.created_at,
            name: message.details.name,
            email: message.details.email.as_str().to_owned(),
            subject: message.details.subject,
            message: message.details.message,
        };
        Ok(Self {
            company: membership.map(|(company, membership)| ExportedMembership {
                company: company.into(),
                role: membership.role.into(),
            }),
            api_keys: data.api_keys.into_iter().map(Into::into).collect(),
            usage: data.usage.into_iter().map(Into::into).collect(),
            fills: data.fills.into_iter().map(Into::into).collect(),
            contact_messages: data.messages.into_iter().map(message).collect(),
            taught_parts: data.taught_types.into_iter().map(Into::into).collect(),
            look_alikes: data.look_alikes.into_iter().map(Into::into).collect(),
            written_guides,
            price_lists: data.price_lists.into_iter().map(Into::into).collect(),
            cross_references: data.cross_references.into_iter().map(Into::into).collect(),
            grade_scale: data.grade_scale,
            judge_allowed: data.judge_consent,
            judge_day_micro_dollars: data.judge_budget.day,
            judge_month_micro_dollars: data.judge_budget.month,
            max_wrong_percent: data.dial_choice.map(ErrorRate::percent),
            confirmed_scans_teach: data.learning_choice.map(|choice| choice.confirmed_scans_teach),
            refit_calibration: data.learning_choice.map(|choice| choice.refit_calibration),
        })
    }
}
