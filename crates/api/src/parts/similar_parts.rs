//! Parts of the shop that look like a scan.

use axum::Json;
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::{PathSegment, SignedIn};
use crate::ids::scan_id;
use crate::parts::shop_parts::ShopPartPrice;
use crate::{ApiError, problems};

/// A shop part with a reference photograph that looks like the scan.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SimilarPart {
    id: String,
    /// The label of the part type.
    #[schema(example = "spark-plug")]
    label: String,
    /// The name that the shop uses, or else the name of the part type.
    #[schema(example = "Iridium plug, long reach")]
    name: String,
    #[schema(example = "ILZKR7B-11S")]
    number: String,
    #[schema(required, example = "NGK")]
    brand: Option<String>,
    /// Null if it has no price.
    #[schema(required)]
    price: Option<ShopPartPrice>,
    /// Cosine similarity of the scan and the most similar photograph of the part, in -1..=1; not a probability.
    #[schema(minimum = -1, maximum = 1, example = 0.62)]
    similarity: f32,
    /// Address of the thumbnail of that photograph, if the server keeps any.
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

/// Lists the shop parts whose reference photographs look most like a scan, the most similar first; at most five.
///
/// Parts known not to fit the vehicle of the scan are left out. If the answer of the scan is a category, parts of other
/// categories are left out too. Only parts with reference photographs can be found. The answer of the scan does not
/// change.
#[utoipa::path(get, path = "/api/scans/{id}/similar-parts", tag = "scans",
    params(("id" = String, Path, description = "The id of the scan.")),
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
