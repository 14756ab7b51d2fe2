//! What the calls of all records share: numbers as text, pages, warnings.

use axum::http::HeaderMap;
use partsight_domain::{RecordCursor, RecordPage, RecordWarning, VehicleId};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Schema, SchemaType, Type};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use crate::numbers::number_text;
use crate::{ApiError, next_page};

/// A number, or a number as text: forms send what was typed. The rules of each record validate it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NumberText(pub(crate) String);

impl<'de> Deserialize<'de> for NumberText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        // Other JSON is refused by those rules, which name the field.
        Ok(Self(match value {
            Value::String(text) => text,
            Value::Number(number) => number_text(&number),
            other => other.to_string(),
        }))
    }
}

impl PartialSchema for NumberText {
    fn schema() -> RefOr<Schema> {
        let kind = |kind| ObjectBuilder::new().schema_type(SchemaType::Type(kind));
        RefOr::T(Schema::OneOf(
            OneOfBuilder::new()
                .item(kind(Type::Number))
                .item(kind(Type::String))
                .description(Some("A number, as JSON number or as text."))
                .build(),
        ))
    }
}

impl ToSchema for NumberText {}

/// A warning about a record that was saved nevertheless.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Warning {
    /// `date-goes-back`, `mileage-goes-back`, `mileage-runs-ahead` or `date-in-future`.
    #[schema(example = "mileage-goes-back")]
    code: &'static str,
    /// The warning as text for people.
    #[schema(example = "The mileage is lower than the 52,000 miles of 2025-03-05. Please check it.")]
    message: String,
}

impl From<RecordWarning> for Warning {
    fn from(warning: RecordWarning) -> Self {
        Self { code: warning.code(), message: warning.message() }
    }
}

/// Which page of a list to return.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct PageQuery {
    /// Only records of this vehicle. An empty value counts as absent.
    pub(crate) vehicle_id: Option<String>,
    /// Page size, 1 to 200. By default the whole list, in pages of 10,000 records.
    limit: Option<i64>,
    /// The value of the header `X-Next-Cursor` in the previous answer.
    before: Option<String>,
}

impl PageQuery {
    pub(crate) fn page(&self) -> Result<RecordPage, ApiError> {
        Ok(RecordPage::new(self.limit, self.before.as_deref())?)
    }

    /// The headers for the page after the one that ends with `last`, of the list at `path`; empty on the last page.
    pub(crate) fn next_headers(&self, path: &str, has_more: bool, last: Option<RecordCursor>) -> HeaderMap {
        let Some(last) = last.filter(|_| has_more) else { return HeaderMap::new() };
        let vehicle = self
            .vehicle_id
            .as_ref()
            // As we write it: the caller may have sent it in braces, which no URL has as they are.
            .and_then(|id| id.parse::<VehicleId>().ok())
            .map(|id| format!("&vehicleId={id}"))
            .unwrap_or_default();
        // A call without a limit returns more records than any limit allows, so the next call has none either.
        let limit = self.limit.map(|limit| format!("&limit={limit}")).unwrap_or_default();
        next_page::headers(last, &format!("{path}?before={last}{limit}{vehicle}"))
    }
}

/// The local day of the caller.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct TodayQuery {
    /// Today's date where the caller is, such as 2025-03-05; by default the current date in UTC.
    pub(crate) today: Option<String>,
}

#[cfg(test)]
mod tests {
    use axum::http::header::LINK;
    use jiff::civil::date;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn the_link_to_the_next_page_asks_for_as_many_records_as_its_page_did() {
        let last = RecordCursor { on: date(2025, 3, 5), id: Uuid::from_u128(7) };
        for (limit, asked) in [(None, ""), (Some(2), "&limit=2")] {
            let query = PageQuery { vehicle_id: None, limit, before: None };
            let headers = query.next_headers("/list", true, Some(last));
            assert_eq!(headers[LINK], format!("</list?before={last}{asked}>; rel=\"next\""));
        }
    }

    #[test]
    fn the_link_to_the_next_page_has_the_id_of_the_vehicle_without_braces() {
        let last = RecordCursor { on: date(2025, 3, 5), id: Uuid::from_u128(7) };
        let vehicle = Uuid::from_u128(9);
        for vehicle_id in [vehicle.to_string(), vehicle.braced().to_string(), vehicle.urn().to_string()] {
            let query = PageQuery { vehicle_id: Some(vehicle_id), limit: None, before: None };
            let headers = query.next_headers("/list", true, Some(last));
            assert_eq!(headers[LINK], format!("</list?before={last}&vehicleId={vehicle}>; rel=\"next\""));
        }
    }
}
