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

/// What to look for.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PartSearchQuery {
    /// A name, a number or a brand, at most 100 characters.
    #[param(required, example = "sparc plug")]
    q: Option<String>,
    /// One of the values of `PartCategory`.
    category: Option<String>,
    /// Most parts in the answer, 1 to 50; 20 unless given.
    limit: Option<i64>,
}

/// A part type of the catalogue, or a part of the shop, that a search found.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FoundPartItem {
    /// Of a part of the shop its id, of a part type its label.
    #[schema(example = "spark-plug")]
    id: String,
    kind: FoundPartKind,
    /// The label of the part type.
    #[schema(example = "spark-plug")]
    label: String,
    #[schema(example = "Spark Plug")]
    name: String,
    category: PartCategory,
    /// Of a part of the shop; else null.
    #[schema(required, example = "ILZKR7B-11S")]
    number: Option<String>,
    /// Of a part of the shop; else null.
    #[schema(required, example = "NGK")]
    brand: Option<String>,
    /// The cross-references that lead to a part of the shop from what was typed; else null.
    #[schema(required)]
    via: Option<CrossReferenceTo>,
    /// Whether a scan can answer with the part type as it is.
    model_knows: bool,
    /// How well it is what was looked for; above 0, higher for better.
    #[schema(example = 0.97)]
    score: f32,
}

/// What was found.
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

/// Finds part types by name, other names and description, and parts of the shop by name, number and brand, the best
/// first. Typing errors are forgiven: one letter from four letters on, two from eight on. A number also finds the parts that
/// your cross-references lead to.
#[utoipa::path(get, path = "/api/parts/search", tag = "parts", params(PartSearchQuery), responses(
    (status = OK, body = Vec<FoundPartItem>),
    problems::SignedIn, problems::Invalid,
    (status = NOT_FOUND, description = "There is no such category."),
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
