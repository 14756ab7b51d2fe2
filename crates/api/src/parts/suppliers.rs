//! Where a part can be bought.

use axum::Json;
use jiff::Timestamp;
use partsight_app::{PartOffers, PartWanted};
use partsight_domain::{Currency, OfferSource, Price, RankedOffer, SourceFailure};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::extract::{PathSegment, QueryString, SignedIn};
use crate::ids::{part_label, vehicle_id};
use crate::wire_enum::wire_enum;
use crate::{ApiError, problems};

wire_enum!(
    /// Where an offer comes from: a price list of your shop, the supplier service of this server, eBay, or a link to a
    /// retailer's search, which has no price of its own.
    SupplierSource from OfferSource { PriceList, Service, Ebay, Retailer }
);
wire_enum!(
    /// Why a source has not answered.
    SourceFailureReason from SourceFailure {
        TimedOut, Unreachable, RateLimited, KeyRejected, ServerError, RequestRejected, AnswerTooLarge, AnswerInvalid,
        CircuitOpen, TooManyQuestions,
    }
);

/// Where a part can be bought.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Supplier {
    #[schema(example = "RockAuto")]
    name: String,
    /// In US dollars; null where none has been named in dollars. `listedPrice` has the price in any currency.
    #[schema(required)]
    price: Option<f64>,
    /// What the seller asks, in `currency`; null where only our estimate is known.
    #[schema(required, example = 45.9)]
    listed_price: Option<f64>,
    /// Of `listedPrice` (ISO 4217).
    #[schema(required, example = "EUR")]
    currency: Option<String>,
    /// Whether nobody asks less. Never so for an estimate, for what is sold out, or where prices are in another
    /// currency; prices of two currencies are not compared.
    is_best_price: bool,
    /// Whether `priceNote` is our estimate instead of the shop's word. An estimate is never a best price.
    is_estimate: bool,
    /// Our estimate, or a price that is not in dollars.
    #[schema(required, example = "$4 - $25 each (estimate, 2026-11)")]
    price_note: Option<String>,
    source: SupplierSource,
    /// What people call the source, such as the name of the price list.
    #[schema(example = "Spring 2027")]
    source_name: String,
    /// Since when the source says so; null for a link, which says nothing.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment_if_any")]
    as_of: Option<Timestamp>,
    /// Whether the source says that it fits the vehicle; null where it says nothing of it.
    #[schema(required)]
    fits: Option<bool>,
    /// Null while unknown.
    #[schema(required)]
    in_stock: Option<bool>,
    #[schema(required)]
    rating: Option<f64>,
    #[schema(required)]
    phone: Option<String>,
    /// The front page; empty where none is known.
    website: String,
    /// The page of this part, or the shop's search for it, for this vehicle.
    #[schema(required)]
    vehicle_specific_url: Option<String>,
    #[schema(required)]
    shipping_info: Option<String>,
    #[schema(required)]
    warranty_info: Option<String>,
    #[schema(required)]
    notes: Option<String>,
    #[schema(required)]
    part_number: Option<String>,
}

impl From<RankedOffer> for Supplier {
    fn from(RankedOffer { offer, is_best_price }: RankedOffer) -> Self {
        let is_in_dollars = offer.price.is_some_and(|price| price.currency() == Currency::USD);
        let foreign = offer.price.filter(|_| !is_in_dollars).map(|price| price.to_string());
        Self {
            name: offer.supplier,
            // By the specification `price` is in dollars. Other currencies are not converted, and appear only in
            // `listedPrice`.
            price: offer.price.filter(|_| is_in_dollars).map(Price::units),
            listed_price: offer.price.map(Price::units),
            currency: offer.price.map(|price| price.currency().to_string()),
            is_best_price,
            is_estimate: offer.price.is_none(),
            price_note: offer.estimate_note.or(foreign),
            source: offer.source.into(),
            source_name: offer.source_name,
            as_of: offer.as_of,
            fits: offer.fits,
            in_stock: offer.in_stock,
            rating: offer.rating,
            phone: offer.phone,
            website: offer.website,
            vehicle_specific_url: offer.url,
            shipping_info: offer.shipping_info,
            warranty_info: offer.warranty_info,
            notes: offer.notes,
            part_number: offer.part_number,
        }
    }
}

/// What a source elsewhere had to say.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SupplierSourceStatus {
    source: SupplierSource,
    /// Whether it has answered, now or within the time for which answers are shown again.
    answered: bool,
    /// Whether an earlier answer is shown.
    cached: bool,
    /// When it said what is shown of it; null where nothing is.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment_if_any")]
    as_of: Option<Timestamp>,
    /// Why it has not answered; null where it has.
    #[schema(required)]
    failure: Option<SourceFailureReason>,
}

/// Suppliers of one part.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PartSuppliers {
    /// Those in US dollars by price first, then other currencies, then links without a price.
    suppliers: Vec<Supplier>,
    /// The sources elsewhere that this server asks; one that did not answer says why.
    sources: Vec<SupplierSourceStatus>,
}

impl From<PartOffers> for PartSuppliers {
    fn from(offers: PartOffers) -> Self {
        let sources = offers.sources.into_iter().map(|status| SupplierSourceStatus {
            source: status.source.into(),
            answered: status.failure.is_none(),
            cached: status.is_cached,
            as_of: status.as_of,
            failure: status.failure.map(SourceFailureReason::from),
        });
        Self {
            suppliers: offers.offers.into_iter().map(Supplier::from).collect(),
            sources: sources.collect(),
        }
    }
}

/// What is to be bought.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct SuppliersQuery {
    /// The vehicle; the default one unless given.
    vehicle_id: Option<String>,
    /// The part number, where it is known: price lists are then searched for it first, and suppliers elsewhere for it
    /// alone.
    part_number: Option<String>,
}

/// Where to buy a part for a vehicle: price lists of your shop, suppliers elsewhere, and links to retailers.
///
/// Each says where it comes from and since when. A supplier elsewhere that does not answer in time is left out, and
/// `sources` says so; its answers are kept for a while by part and vehicle, as the server is set.
#[utoipa::path(get, path = "/api/parts/{id}/ai-suppliers", tag = "parts",
    params(("id" = String, Path, description = "The label of the part type.", example = "spark-plug"), SuppliersQuery),
    responses(
        (status = OK, body = PartSuppliers),
        problems::SignedIn, problems::NotFound, problems::Invalid,
    ))]
pub(crate) async fn list_part_suppliers(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
    QueryString(query): QueryString<SuppliersQuery>,
) -> Result<Json<PartSuppliers>, ApiError> {
    let label = part_label(&id)?;
    let vehicle = query.vehicle_id.as_deref().filter(|id| !id.is_empty());
    let wanted = PartWanted { number: query.part_number, vehicle_id: vehicle.map(vehicle_id).transpose()? };
    Ok(Json(app.parts.part_suppliers(&user, &label, &wanted).await?.into()))
}
