//! Parts of the shop that look like a scan.

use axum::Json;
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::{PathSegment, SignedIn};
use crate::ids::scan_id;
use crate::parts::shop_parts::ShopPartPrice;
use crate::{ApiError, problems};

/// A part of the shop with a photograph that looks like the scan.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SimilarPart {
    id: String,
    /// The label of the part type.
    #[schema(example = "spark-plug")]
    label: String,
    /// As the shop calls it, else as the type is called.
    #[schema(example = "Iridium plug, long reach")]
    name: String,
    #[schema(example = "ILZKR7B-11S")]
    number: String,
    #[schema(required, example = "NGK")]
    brand: Option<String>,
    /// Null for a part without a price.
    #[schema(required)]
    price: Option<ShopPartPrice>,
    /// Cosine similarity in -1..=1 of the scan and the nearest photograph of the part: raw, and no probability.
    #[schema(minimum = -1, maximum = 1, example = 0.62)]
    similarity: f32,
    /// Where the small picture of that photograph is, if the server keeps any.
    #[schema(example = "/api/catalog/references/0190a0a0-0000-7000-8000-000000000000/thumbnail")]
    thumbnail_url: String,
}

impl From<partsight_app::SimilarPart> for SimilarPart {
    fn from(found: partsight_app::SimilarPart) -> Self {
        let details = found.part.details;
        Self {
            id: found.part.id.to_string(),
            label: details.label.to_string(),
            name: details.name.unwrap_or(found.type_name),
            number: details.number,
            brand: details.brand,
            price: details.price.map(ShopPartPrice::from),
            similarity: found.similarity,
            thumbnail_url: format!("/api/catalog/references/{}/thumbnail", found.nearest),
        }
    }
}

/// The parts of the shop whose photographs look like a scan, the most alike first; at most five.
///
/// Left out are those that are said not to fit the vehicle of the scan, and where a category answered, those of others.
/// Only parts with photographs can be found. The answer of the scan itself stays as it is.
#[utoipa::path(get, path = "/api/scans/{id}/similar-parts", tag = "scans",
    params(("id" = String, Path, description = "The scan.")),
    responses(
        (status = OK, body = Vec<SimilarPart>),
        problems::SignedIn, problems::NotFound,
        (status = SERVICE_UNAVAILABLE, description = "The vector index does not answer."),
    ))]
pub(crate) async fn list_similar_parts(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<Vec<SimilarPart>>, ApiError> {
    let found = app.scanning.similar_parts(&user, scan_id(&id)?).await?;
    Ok(Json(found.into_iter().map(SimilarPart::from).collect()))
}
