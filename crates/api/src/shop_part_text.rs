//! The texts of a shop's parts, shown with part types that look alike.

use partsight_app::ShopPartTexts;
use serde::Serialize;
use utoipa::ToSchema;

/// A shop part with the texts that distinguish it from similar parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShopPartText {
    id: String,
    #[schema(example = "7.22818.63.0")]
    number: String,
    #[schema(required, example = "Pierburg")]
    brand: Option<String>,
    #[schema(required, example = "EGR valve with cooler")]
    name: Option<String>,
    /// The shop's notes; may have several lines.
    #[schema(required, example = "The plug has six pins.")]
    notes: Option<String>,
}

impl From<ShopPartTexts> for ShopPartText {
    fn from(part: ShopPartTexts) -> Self {
        let ShopPartTexts { id, number, brand, name, notes, .. } = part;
        Self { id: id.to_string(), number, brand, name, notes }
    }
}
