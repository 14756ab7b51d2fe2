//! Where a part can be bought.

use axum::Json;
use jiff::Timestamp;
use partsight_app::{Error, PartOffers, PartWanted, WantedFor};
use partsight_domain::{ApiScope, Currency, OfferSource, Price, RankedOffer, SourceFailure};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::extract::{PathSegment, QueryString, SeesGarage, SignedIn};
use crate::ids::{part_label, vehicle_id};
use crate::wire_enum::wire_enum;
use crate::{ApiError, problems};

wire_enum!(
    /// The source of an offer: a price list of your shop, the supplier service of this server, eBay, or a link to a
    /// retailer's search, which has no price.
    SupplierSource from OfferSource { PriceList, Service, Ebay, Retailer }
);
wire_enum!(
    /// Why a source did not answer.
    SourceFailureReason from SourceFailure {
        TimedOut, Unreachable, RateLimited, KeyRejected, ServerError, RequestRejected, AnswerTooLarge, AnswerInvalid,
        CircuitOpen, TooManyQuestions,
    }
);

/// An offer: where a part can be bought.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Supplier {
    #[schema(example = "RockAuto")]
    name: String,
    /// The price in US dollars; null if there is none in US dollars. `listedPrice` has the price in any currency.
    #[schema(required)]
    price: Option<f64>,
    /// The seller's price in `currency`; null if there is only an estimate.
    #[schema(required, example = 45.9)]
    listed_price: Option<f64>,
    /// Currency of `listedPrice` (ISO 4217).
    #[schema(required, example = "EUR")]
    currency: Option<String>,
    /// Whether no other offer has a lower price. Never true for an estimate, for an offer that is sold out, or if there
    /// are prices in another currency, because prices in two currencies are not compared.
    is_best_price: bool,
    /// Whether `priceNote` is an estimate of the catalogue instead of a price of the shop. An estimate is never a best
    /// price.
    is_estimate: bool,
    /// An estimate of the catalogue, or a price in another currency than US dollars, as text.
    #[schema(required, example = "$4 - $25 each (estimate, 2026-11)")]
    price_note: Option<String>,
    source: SupplierSource,
    /// The name of the source for people, such as the name of the price list.
    #[schema(example = "Spring 2027")]
    source_name: String,
    /// Date of the information from the source; null for a link, which has none.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment_if_any")]
    as_of: Option<Timestamp>,
    /// Whether the source states that the part fits the vehicle; null if it states nothing.
    #[schema(required)]
    fits: Option<bool>,
    /// Null if unknown.
    #[schema(required)]
    in_stock: Option<bool>,
    #[schema(required)]
    rating: Option<f64>,
    #[schema(required)]
    phone: Option<String>,
    /// The home page; empty if it is unknown.
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

/// The state of an external source.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SupplierSourceStatus {
    source: SupplierSource,
    /// Whether it answered, now or recently enough that the cached answer is shown.
    answered: bool,
    /// Whether a cached answer is shown.
    cached: bool,
    /// When it gave the answer that is shown; null if none is shown.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment_if_any")]
    as_of: Option<Timestamp>,
    /// Why it did not answer; null if it did.
    #[schema(required)]
    failure: Option<SourceFailureReason>,
}

/// Offers for one part.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PartSuppliers {
    /// Offers in US dollars by ascending price, then those in other currencies, then links without a price.
    suppliers: Vec<Supplier>,
    /// The external sources that this server asks. A source that did not answer gives the reason.
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
    /// The id of the vehicle; the default vehicle if absent. For an API key without `garage-read` it must be absent,
    /// and the offers are for no vehicle.
    vehicle_id: Option<String>,
    /// The part number, if known: price lists are searched for it first, and external suppliers only for it.
    part_number: Option<String>,
}

/// Lists where to buy a part for a vehicle: price lists of your shop, external suppliers, and links to retailers.
///
/// Each offer states its source and its date. An external supplier that does not answer in time is left out, and
/// `sources` says so. Answers of external suppliers are cached by part and vehicle, for a time that is set on the
/// server.
#[utoipa::path(get, path = "/api/parts/{id}/ai-suppliers", tag = "parts",
    params(("id" = String, Path, description = "The label of the part type.", example = "spark-plug"), SuppliersQuery),
    responses(
        (status = OK, body = PartSuppliers),
        problems::SignedIn, problems::NotFound, problems::Invalid,
    ))]
pub(crate) async fn list_part_suppliers(
    SignedIn { app, user }: SignedIn,
    SeesGarage(sees_garage): SeesGarage,
    PathSegment(id): PathSegment,
    QueryString(query): QueryString<SuppliersQuery>,
) -> Result<Json<PartSuppliers>, ApiError> {
    let label = part_label(&id)?;
    let vehicle = match query.vehicle_id.as_deref().filter(|id| !id.is_empty()) {
        Some(_) if !sees_garage => return Err(Error::ScopeMissing { scope: ApiScope::GarageRead }.into()),
        Some(id) => WantedFor::Vehicle(vehicle_id(id)?),
        None if sees_garage => WantedFor::Default,
        None => WantedFor::Nothing,
    };
    let wanted = PartWanted { number: query.part_number, vehicle };
    Ok(Json(app.parts.part_suppliers(&user, &label, &wanted).await?.into()))
}
