//! Searching parts.

use axum::Json;
use partsight_app::FoundPart;
use partsight_domain::{Category, InvalidInput, PartQuery, messages};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::extract::{QueryString, SignedIn};
use crate::parts::cross_references::CrossReferenceTo;
use crate::parts::part_types::PartCategory;
use crate::{ApiError, problems};

/// Default number of parts in a response.
const DEFAULT_LIMIT: i64 = 20;
/// Most parts in a response.
const MAX_LIMIT: i64 = 50;

/// The text to search for.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PartSearchQuery {
    /// The text to search for: a name, number or brand, at most 100 characters.
    #[param(required, example = "sparc plug")]
    q: Option<String>,
    /// The category: one of the values of `PartCategory`.
    category: Option<String>,
    /// Maximum number of results, 1 to 50; 20 by default.
    limit: Option<i64>,
}

/// A search result: a part type or a shop part.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FoundPartItem {
    /// The id of the shop part, or the label of the part type.
    #[schema(example = "spark-plug")]
    id: String,
    kind: FoundPartKind,
    /// The label of the part type.
    #[schema(example = "spark-plug")]
    label: String,
    #[schema(example = "Spark Plug")]
    name: String,
    category: PartCategory,
    /// Only for a shop part; otherwise null.
    #[schema(required, example = "ILZKR7B-11S")]
    number: Option<String>,
    /// Only for a shop part; otherwise null.
    #[schema(required, example = "NGK")]
    brand: Option<String>,
    /// The cross-references that lead from the search text to a shop part; otherwise null.
    #[schema(required)]
    via: Option<CrossReferenceTo>,
    /// Whether the model knows the part type, so that a scan can identify it without teaching.
    model_knows: bool,
    /// Relevance; greater than 0, higher is better.
    #[schema(example = 0.97)]
    score: f32,
}

/// The finding, as text.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FoundPartKind {
    /// A part type.
    Type,
    /// A part of the shop.
    Part,
}

impl From<FoundPart> for FoundPartItem {
    fn from(found: FoundPart) -> Self {
        Self {
            id: found.id.map_or_else(|| found.label.to_string(), |id| id.to_string()),
            kind: if found.id.is_some() { FoundPartKind::Part } else { FoundPartKind::Type },
            label: found.label.to_string(),
            name: found.name,
            category: found.category.into(),
            number: found.number,
            brand: found.brand,
            via: found.via.map(Into::into),
            model_knows: found.model_knows,
            score: found.score,
        }
    }
}

/// Finds part types by name, other names and description, and shop parts by name, number and brand, the best match
/// first. Tolerates one typing error in words of four letters or more, and two in words of eight or more. A number also
/// finds the parts to which your cross-references lead.
#[utoipa::path(get, path = "/api/parts/search", tag = "parts", params(PartSearchQuery), responses(
    (status = OK, body = Vec<FoundPartItem>),
    problems::SignedIn, problems::Invalid,
    (status = NOT_FOUND, description = "No such category."),
))]
pub(crate) async fn search_parts(
    SignedIn { app, user }: SignedIn,
    QueryString(query): QueryString<PartSearchQuery>,
) -> Result<Json<Vec<FoundPartItem>>, ApiError> {
    let limit = query.limit.unwrap_or(DEFAULT_LIMIT);
    if !(1..=MAX_LIMIT).contains(&limit) {
        return Err(InvalidInput::new("limit", "Please ask for 1 to 50 parts at a time.").into());
    }
    let category = match query.category.as_deref().filter(|name| !name.is_empty()) {
        None => None,
        Some(name) => Some(
            Category::from_name(name)
                .ok_or_else(|| ApiError::not_found(messages::PART_CATEGORY_NOT_FOUND))?,
        ),
    };
    let words = PartQuery::new(query.q.as_deref().unwrap_or_default())?;
    let limit = usize::try_from(limit).map_err(ApiError::internal)?;
    let found = app.parts.search_parts(&user, words, category, limit).await?;
    Ok(Json(found.into_iter().map(FoundPartItem::from).collect()))
}
